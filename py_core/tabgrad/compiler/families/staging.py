"""How a workgroup brings an operand's tile into workgroup memory: who loads which elements, and where they are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.graph.index import Index, constant, quad, variable

PAD = 1  # vectors of padding after each line, so that threads that read one of each line meet different banks
BANKS = 8  # vectors that workgroup memory serves at once
_THREAD = frozenset(("t",))


@dataclass(frozen=True)
class Layout:
    """Vectors of four in workgroup memory that hold ``width`` x ``bk`` elements of an operand.

    A vector holds four neighbours across k, and the four k of a block lie ``pitch`` vectors apart; or, if ``kept`` as
    it was loaded, four k of one position, and positions lie ``pitch`` vectors from their next but three.
    """

    width: int
    bk: int
    kept: bool = False
    turned: bool = False  # loaded along k, and transposed on load

    @property
    def pitch(self) -> int:
        """See above."""
        return (self.bk if self.kept else self.width) // 4 + PAD

    @property
    def quad(self) -> int:
        """Unless kept: from four k to the next four; blocks that are written at once meet different banks."""
        plain = 4 * self.pitch
        return plain + (BANKS * 4 // self.bk - plain) % BANKS if self.turned else plain

    @property
    def group(self) -> int:
        """If kept: from a position to its neighbour, which is written to other banks."""
        plain = self.width // 4 * self.pitch
        return plain + (self.bk // 4 - plain) % BANKS

    @property
    def vectors(self) -> int:
        """In all."""
        return 4 * self.group if self.kept else self.bk // 4 * self.quad


@dataclass(frozen=True)
class Fetches:
    """Code of the loads, and of the writes of what they got."""

    outer: list[str]  # statements before the loop over k, and in it
    inner: list[str]
    registers: list[str]
    guard: str  # a test of the thread, or empty
    loads: list[tuple[str, str]]  # register, value
    writes: list[tuple[str, str]]  # place in workgroup memory, value


@dataclass(frozen=True)
class Operand:
    """One side of the product: ``size`` elements wide in all, ``depth`` deep; ``width`` x ``bk`` of them in a tile."""

    name: str  # before the names of its values
    group: str  # the variable that numbers its tiles
    width: int
    bk: int
    threads: int
    size: int
    depth: int
    along_k: bool  # whether neighbours in memory are neighbours in k
    value: Callable[[Index, Index, Scopes], str]  # the element at a position and k
    gathers: bool = False  # whether elements' places are computed one by one

    @property
    def layout(self) -> Layout:
        """Turning takes a block of 4 x 4; where there is not one for each thread, vectors are kept along k."""
        return layout(self.width, self.bk, self.along_k and not self.uneven, self.threads)

    @property
    def uneven(self) -> bool:
        """Whether lines along k are no whole vectors: four neighbours would be four loads, far from other threads'."""
        return self.along_k and self.depth % 4 != 0 and not self.gathers

    def fetches(self) -> Fetches:
        """Neighbouring threads take neighbouring elements in memory, along k or across it."""
        found = self.layout
        blocks = found.turned
        units = self.width * self.bk // (16 if blocks else 4)
        scopes = Scopes([["b", "t", "wm", "wn"], ["kt"]], prefix=self.name)
        # where A needs not all threads, it takes the first ones, and B the last
        first = self.group == "wm" or units >= self.threads
        thread = "t" if first else scopes.bind(f"{self.threads - 1}u - t", _THREAD)
        guard = f"{thread} < {units}u" if units < self.threads else ""
        fetches = Fetches(scopes.lines[0], scopes.lines[1], [], guard, [], [])
        fast = self.bk if self.uneven else (self.bk if self.along_k else self.width) // 4
        fetch = self._column if self.uneven else self._block if blocks else self._vector
        for i in range(max(1, units // self.threads)):
            fetch(i, *_unit(scopes, thread, i, self.threads, fast), scopes, fetches)
        fetches.registers.extend(register for register, _ in fetches.loads)
        return fetches

    def _vector(self, i: int, four: Index, line: Index, scopes: Scopes, fetches: Fetches) -> None:
        """A vector, which is written as it is."""
        found, register = self.layout, f"{self.name}r{i}"
        if found.kept:
            lanes = [self._element(scopes, line, 0, four.scaled(4), lane) for lane in range(4)]
            rest, quarter = line.modulo(4, scopes.bind), line.divided(4, scopes.bind)
            place = rest.scaled(found.group) + quarter.scaled(found.pitch) + four
        else:
            lanes = [self._element(scopes, four.scaled(4), lane, line, 0) for lane in range(4)]
            place = line.scaled(found.pitch) + four
        fetches.loads.append((register, _vector_of(lanes)))
        fetches.writes.append((place.hoisted(scopes.bind), register))

    def _column(self, i: int, k: Index, four: Index, scopes: Scopes, fetches: Fetches) -> None:
        """Four positions at one k, of which neighbouring threads load neighbours."""
        register = f"{self.name}r{i}"
        lanes = [self._element(scopes, four.scaled(4), lane, k, 0) for lane in range(4)]
        fetches.loads.append((register, _vector_of(lanes)))
        fetches.writes.append(((k.scaled(self.layout.pitch) + four).hoisted(scopes.bind), register))

    def _block(self, i: int, four: Index, line: Index, scopes: Scopes, fetches: Fetches) -> None:
        """Four positions by four k, transposed between load and write."""
        found, registers = self.layout, [f"{self.name}r{4 * i + r}" for r in range(4)]
        for r, register in enumerate(registers):
            at = line.scaled(4) + constant(r)
            lanes = [self._element(scopes, at, 0, four.scaled(4), lane) for lane in range(4)]
            fetches.loads.append((register, _vector_of(lanes)))
        for lane in range(4):
            place = four.scaled(found.quad) + constant(lane * found.pitch) + line
            value = ", ".join(f"{register}.{'xyzw'[lane]}" for register in registers)
            fetches.writes.append((place.hoisted(scopes.bind), f"vec4<f32>({value})"))

    def _element(self, scopes: Scopes, at: Index, lane: int, line: Index, k_lane: int) -> tuple[str, str | None]:
        """The tile's element at ``(at + lane, line + k_lane)``, and a test that k exists; positions are repeated."""
        position, _ = _inside(scopes, self.group, self.width, self.size, at, lane)
        k, test = _inside(scopes, "kt", self.bk, self.depth, line, k_lane)
        return self.value(position, k, scopes), test


def layout(width: int, bk: int, along_k: bool, threads: int) -> Layout:
    """Of an operand's tile that is fetched by so many threads."""
    enough = width * bk // 16 >= threads
    return Layout(width, bk, kept=along_k and not enough, turned=along_k and enough)


def _unit(scopes: Scopes, thread: str, i: int, threads: int, fast: int) -> tuple[Index, Index]:
    """Position (fast, slow) of a thread's ``i``-th unit, numbered across all threads; sizes are powers of two."""
    if fast <= threads:
        slow = -(-threads // fast)
        return (
            _bound(scopes, f"{thread} % {fast}u", fast),
            _bound(scopes, f"{thread} / {fast}u", slow) + constant(i * slow),
        )
    per_line = fast // threads
    return _bound(scopes, thread, threads) + constant((i % per_line) * threads), constant(i // per_line)


def _bound(scopes: Scopes, text: str, bound: int) -> Index:
    return variable(scopes.bind(text, _THREAD), bound, _THREAD)


def _inside(scopes: Scopes, group: str, block: int, size: int, at: Index, lane: int) -> tuple[Index, str | None]:
    """``group * block + at + lane``, held below ``size``; and a test that it was."""
    whole = variable(group, -(-size // block), frozenset((group,))).scaled(block) + at
    if size % block == 0:
        return whole + constant(lane), None
    found = quad(whole)
    if size % 4 == 0 and found is not None and found[1] == 0:  # whole vectors exist or do not
        raw = scopes.bind(found[0].hoisted(scopes.bind), whole.deps)
        held = variable(scopes.bind(f"min({raw}, {size // 4 - 1}u)", whole.deps), size // 4, whole.deps)
        return held.scaled(4) + constant(lane), f"({raw} < {size // 4}u)"
    raw = scopes.bind((whole + constant(lane)).hoisted(scopes.bind), whole.deps)
    return variable(scopes.bind(f"min({raw}, {size - 1}u)", whole.deps), size, whole.deps), f"({raw} < {size}u)"


def _vector_of(parts: list[tuple[str, str | None]]) -> str:
    values, tests = [v for v, _ in parts], {t for _, t in parts}
    if tests == {None}:
        return f"vec4<f32>({', '.join(values)})"
    if len(tests) == 1:
        return f"select(vec4<f32>(), vec4<f32>({', '.join(values)}), {parts[0][1]})"
    return f"vec4<f32>({', '.join(f'select(0.0, {v}, {t})' for v, t in parts)})"
