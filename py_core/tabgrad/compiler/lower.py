"""Lower values to WGSL: any value of a kernel at any position, as an expression over buffers and registers."""

from __future__ import annotations

from tabgrad.compiler.emit import Scopes, from_storage, literal
from tabgrad.compiler.hidden import hidden, hide, hide_constant, unmarked
from tabgrad.compiler.index import Coords, Deps, Index, constant, quad, variable
from tabgrad.graph.linearize import Entry
from tabgrad.graph.node import BUFFER, CONST, IOTA, SCALAR
from tabgrad.graph.op import Kind

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
        self._memo: dict[tuple[Scopes, int, object], tuple[str, Deps]] = {}

    def value(self, index: int, coords: Coords, scopes: Scopes) -> str:
        """The element of a value at ``coords``, as a WGSL expression."""
        return self._value(index, coords, scopes)[0]

    def _value(self, index: int, coords: Coords, scopes: Scopes) -> tuple[str, Deps]:
        if index in self.registers:
            return self.registers[index], frozenset(("element",))
        if index in self.rows:
            return self.rows[index], frozenset(("o",))
        key = (scopes, index, coords.key())
        if key not in self._memo:
            self._memo[key] = self._lower(index, coords, scopes)
        return self._memo[key]

    def _lower(self, index: int, coords: Coords, scopes: Scopes) -> tuple[str, Deps]:
        e = self.entries[index]
        if index in self.loads:
            at = coords.flat()
            return scopes.bind(from_storage(self._load(self.loads[index], at, scopes), e.dtype), at.deps), at.deps
        if e.op is CONST:
            return literal(e.attrs["value"], e.dtype), frozenset()
        if e.op is IOTA:
            at = coords.dims(scopes.bind)[e.attrs["axis"]]
            return f"{e.dtype.wgsl}({at.text()})", at.deps
        if e.op is SCALAR:
            return scopes.bind(f"bitcast<{e.dtype.wgsl}>({_word(e.slot)})"), frozenset()
        assert e.op is not BUFFER, "buffers are loads"
        if e.op.kind is Kind.VIEW:
            return getattr(self, f"_{e.op.name}")(e, coords, scopes)
        assert e.op.kind is Kind.ELEMENTWISE, e.op
        text = unmarked(e.op.lowering).replace("{dtype}", e.dtype.wgsl)
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

    # Views: the position in the argument from the position in the result

    def _reshape(self, e: Entry, coords: Coords, scopes: Scopes) -> tuple[str, Deps]:
        source = self.entries[e.args[0]].shape
        return self._value(e.args[0], coords.reshaped(source, scopes.bind), scopes)

    def _expand(self, e: Entry, coords: Coords, scopes: Scopes) -> tuple[str, Deps]:
        source = self.entries[e.args[0]].shape
        dims = [constant(0) if n == 1 else d for n, d in zip(source, coords.dims(scopes.bind), strict=True)]
        return self._value(e.args[0], Coords(source, dims), scopes)

    def _permute(self, e: Entry, coords: Coords, scopes: Scopes) -> tuple[str, Deps]:
        source = self.entries[e.args[0]].shape
        dims: list[Index] = [constant(0)] * len(source)
        for to, d in zip(e.attrs["dims"], coords.dims(scopes.bind), strict=True):
            dims[to] = d
        return self._value(e.args[0], Coords(source, dims), scopes)

    def _slice(self, e: Entry, coords: Coords, scopes: Scopes) -> tuple[str, Deps]:
        source = self.entries[e.args[0]].shape
        pairs = zip(e.attrs["ranges"], coords.dims(scopes.bind), strict=True)
        dims = [d.scaled(step) + constant(start) for (start, step, _), d in pairs]
        return self._value(e.args[0], Coords(source, dims), scopes)

    def _pad(self, e: Entry, coords: Coords, scopes: Scopes) -> tuple[str, Deps]:
        source = self.entries[e.args[0]].shape
        dims, tests, deps = [], [], frozenset[str]()
        for (before, after), n, d in zip(e.attrs["pads"], source, coords.dims(scopes.bind), strict=True):
            if not (before or after):
                dims.append(d)
                continue
            # u32 wraps around, so one comparison covers both sides
            shifted = scopes.bind(f"{d.text()} - {before}u" if before else d.text(), d.deps)
            tests.append(scopes.bind(f"({shifted} < {n}u)", d.deps))
            dims.append(variable(scopes.bind(f"select(0u, {shifted}, {tests[-1]})", d.deps), n, d.deps))
            deps |= d.deps
        inner, inner_deps = self._value(e.args[0], Coords(source, dims), scopes)
        outside = literal(e.attrs["value"], e.dtype)
        deps |= inner_deps
        return scopes.bind(f"select({outside}, {inner}, {' && '.join(tests)})", deps), deps

    def _cat(self, e: Entry, coords: Coords, scopes: Scopes) -> tuple[str, Deps]:
        dim = e.attrs["dim"]
        position = coords.dims(scopes.bind)
        at = position[dim]
        text, deps, start = "", at.deps, 0
        for n, arg in enumerate(e.args):
            source = self.entries[arg].shape
            shifted = scopes.bind(f"{at.text()} - {start}u" if start else at.text(), at.deps)
            inside = scopes.bind(f"({shifted} < {source[dim]}u)", at.deps)
            local = variable(scopes.bind(f"select(0u, {shifted}, {inside})", at.deps), source[dim], at.deps)
            part, part_deps = self._value(arg, Coords(source, [*position[:dim], local, *position[dim + 1 :]]), scopes)
            text = part if n == 0 else f"select({text}, {part}, {inside})"
            deps |= part_deps
            start += source[dim]
        return scopes.bind(text, deps), deps

    def _index_select(self, e: Entry, coords: Coords, scopes: Scopes) -> tuple[str, Deps]:
        dim, (table, index) = e.attrs["dim"], e.args
        source = self.entries[table].shape
        position = coords.dims(scopes.bind)
        row, deps = self._value(index, Coords(self.entries[index].shape, [position[dim]]), scopes)
        bounded = scopes.bind(f"min(u32(max({row}, 0)), {source[dim] - 1}u)", deps)
        local = variable(bounded, source[dim], deps)
        value, value_deps = self._value(table, Coords(source, [*position[:dim], local, *position[dim + 1 :]]), scopes)
        return value, value_deps | deps


def _word(number: int) -> str:
    """A word of the scalars buffer."""
    return f"scalars[{number // 4}][{number % 4}]"
