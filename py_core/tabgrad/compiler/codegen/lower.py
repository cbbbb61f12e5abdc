"""Lower values to WGSL: any value of a kernel at any position, as an expression over buffers and registers."""

from __future__ import annotations

from tabgrad.compiler.codegen.emit import Scopes, from_storage, literal
from tabgrad.compiler.codegen.hidden import hidden, hide, hide_constant, unmarked
from tabgrad.graph.entry import Entry
from tabgrad.graph.index import Coords, Deps, Index, quad
from tabgrad.graph.node import BUFFER, CONST, IOTA, SCALAR
from tabgrad.graph.op import Elementwise, Text, View

Element = tuple[str, Index]  # of a buffer, by the buffer's name


class Lowerer:
    """Writes expressions for one kernel.

    Args:
        entries: the graph.
        loads: for values that are read from memory, the buffer's name in the shader.
        num_scalars: of the program; the word after them is 0.
    """

    def __init__(self, entries: list[Entry], loads: dict[int, str], num_scalars: int) -> None:
        self.entries = entries
        self.loads = loads
        self._zero = _word(num_scalars)
        self.registers: dict[int, str] = {}  # values already computed at the kernel's own element
        self.rows: dict[int, str] = {}  # reductions already computed, of the kernel's own row ``o``
        self.wide: set[str] = set()  # buffers declared as arrays of vec4
        self.narrow: set[str] = set()  # those of them that turned out to be read where no vec4 starts
        self.keep: dict[Element, str] = {}  # what is read once and kept in variables of this name
        self.reads: dict[Element, set[int]] = {}  # what is read in which pass
        self.turn: int | None = None  # the pass over the elements that is being written
        self._kept: set[Element] = set()
        self._memo: dict[tuple[Scopes, int, object], Text] = {}

    def value(self, index: int, coords: Coords, scopes: Scopes) -> str:
        """The element of a value at ``coords``, as a WGSL expression."""
        return self._value(index, coords, scopes)[0]

    def _value(self, index: int, coords: Coords, scopes: Scopes) -> Text:
        if index in self.registers:
            return self.registers[index], frozenset(("element",))
        if index in self.rows:
            return self.rows[index], frozenset(("o",))
        key = (scopes, index, coords.key())
        if key not in self._memo:
            self._memo[key] = self._lower(index, coords, scopes)
        return self._memo[key]

    def _lower(self, index: int, coords: Coords, scopes: Scopes) -> Text:
        e = self.entries[index]
        if index in self.loads:
            at = coords.flat()
            return scopes.bind(self._loaded(index, at, scopes), at.deps), at.deps
        if e.op is CONST:
            return literal(e.attrs["value"], e.dtype), frozenset()
        if e.op is IOTA:
            at = coords.dims(scopes.bind)[e.attrs["axis"]]
            return f"{e.dtype.wgsl}({at.text()})", at.deps
        if e.op is SCALAR:
            return scopes.bind(f"bitcast<{e.dtype.wgsl}>({_word(e.slot)})"), frozenset()
        assert e.op is not BUFFER, "buffers are loads"
        if isinstance(e.op.lowering, View):
            return e.op.lowering.read(_View(self, e, scopes), e.attrs, coords)
        assert isinstance(e.op.lowering, Elementwise), e.op
        text = unmarked(e.op.lowering.wgsl).replace("{dtype}", e.dtype.wgsl).replace("{convert}", e.dtype.convert)
        deps: Deps = frozenset()
        secret = hidden(self.entries, e)
        for n, arg in enumerate(e.args):
            part, part_deps = self._value(arg, coords, scopes)
            if n in secret:
                source = self.entries[arg]
                part = (
                    hide_constant(source.attrs["value"], self._zero) if source.op is CONST else hide(part, self._zero)
                )
            text = text.replace(f"{{{n}}}", part)
            deps |= part_deps
        if e.args:
            text = text.replace("{t}", self.entries[e.args[0]].dtype.wgsl)
        return scopes.bind(text, deps), deps

    def _loaded(self, index: int, at: Index, scopes: Scopes) -> str:
        name, dtype = self.loads[index], self.entries[index].dtype
        if not dtype.is_narrow:
            return from_storage(self._load(name, at, scopes), dtype)
        word, lane = at.divided(dtype.per_word, scopes.bind), at.modulo(dtype.per_word, scopes.bind)
        return from_storage(scopes.bind(self._fetch(name, word, scopes), at.deps), dtype, lane.text())

    def _load(self, name: str, at: Index, scopes: Scopes) -> str:
        if name not in self.wide:
            return self._fetch(name, at, scopes)
        place = quad(at)
        if place is None:
            self.narrow.add(name)
            return f"{name}[0].x"
        start, lane = place
        return f"{scopes.bind(self._fetch(name, start, scopes), at.deps)}.{'xyzw'[lane]}"

    def _fetch(self, name: str, at: Index, scopes: Scopes) -> str:
        text = f"{name}[{at.hoisted(scopes.bind)}]"
        if self.turn is None or "o" not in at.deps or "q" not in at.deps:
            return text
        element = (name, at)
        self.reads.setdefault(element, set()).add(self.turn)
        kept = self.keep.get(element)
        if kept is not None and element not in self._kept:
            self._kept.add(element)
            scopes.lines[-1].append(f"{kept} = {text};")
        return kept or text


class _View:
    """What :attr:`tabgrad.graph.op.View.read` is given: a view's arguments as the kernel reads them."""

    def __init__(self, lower: Lowerer, e: Entry, scopes: Scopes) -> None:
        self._lower, self._e, self._scopes = lower, e, scopes
        self.shapes = [lower.entries[a].shape for a in e.args]
        self.bind = scopes.bind

    def value(self, n: int, at: Coords) -> Text:
        return self._lower._value(self._e.args[n], at, self._scopes)

    def outside(self, value: float) -> str:
        return literal(value, self._e.dtype)


def _word(number: int) -> str:
    """A word of the scalars buffer."""
    return f"scalars[{number // 4}][{number % 4}]"
