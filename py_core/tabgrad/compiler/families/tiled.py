"""Contractions with tiles in workgroup memory: the choice for GPUs.

A workgroup computes ``bm`` x ``bn`` elements of the result and takes in ``bk`` elements of k at a time; each thread
accumulates ``tm`` x ``tn`` of them. Operands are fetched four elements at a time, with one load where the four lie
side by side in memory, and are kept as [k][m] and [k][n].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tabgrad.compiler.emit import Scopes
from tabgrad.compiler.families.contraction import Contraction
from tabgrad.compiler.families.register import finish
from tabgrad.compiler.families.rendered import Rendered
from tabgrad.compiler.index import Coords, Index, constant, quad, variable
from tabgrad.compiler.shader import Shader
from tabgrad.compiler.variant import Variant, variant
from tabgrad.devices.base import Limits

PROCESSORS = 132  # of the GPU that estimates are for
PAD = 1  # vectors of padding after each line of k, against bank conflicts
TEMPLATE = "gemm/tiled"
_THREAD = frozenset(("t",))


class Size(Protocol):
    """A contraction's extents."""

    @property
    def batch(self) -> int: ...
    @property
    def m(self) -> int: ...
    @property
    def n(self) -> int: ...
    @property
    def k(self) -> int: ...


@dataclass(frozen=True)
class Tile:
    """A tile's parameters; all are powers of two.

    ``stages`` is 1 (fetch, wait, multiply), or 2 (fetch the next tile into registers while multiplying this one).
    ``swizzle`` columns of workgroups run side by side, so that they share operands in the cache.
    """

    bm: int
    bn: int
    bk: int
    tm: int
    tn: int
    stages: int = 2
    swizzle: int = 1
    unroll: int = 4

    @property
    def shape(self) -> tuple[int, int, int, int, int]:
        """Of the tile and of a thread's part of it."""
        return (self.bm, self.bn, self.bk, self.tm, self.tn)

    @property
    def threads(self) -> int:
        """Per workgroup."""
        return (self.bm // self.tm) * (self.bn // self.tn)

    @property
    def workgroup_bytes(self) -> int:
        """Of workgroup memory."""
        return self.bk * (self.bm + self.bn + 8 * PAD) * 4

    def variant(self) -> Variant:
        """As a kernel's variant."""
        return variant(TEMPLATE, **self.__dict__)

    @staticmethod
    def of(chosen: Variant) -> Tile:
        """The tile that a variant names."""
        return Tile(**dict(chosen.parameters))

    def fits(self, limits: Limits) -> bool:
        """Whether the adapter allows it."""
        return self.threads <= limits.max_invocations and self.workgroup_bytes <= limits.max_workgroup_bytes

    def suits(self, c: Size) -> bool:
        """Whether at most half of the tile would lie outside of a small result, either way."""
        return self.bm <= 2 * max(c.m, 16) and self.bn <= 2 * max(c.n, 16) and self.bk <= max(c.k, 16)

    def groups(self, c: Size) -> int:
        """Workgroups launched."""
        return c.batch * -(-c.m // self.bm) * -(-c.n // self.bn)

    def estimate(self, c: Size) -> float:
        """Microseconds on an NVIDIA H200, within an eighth of what was measured there for products of all sizes.

        Other GPUs have other speeds, but rank tiles much alike; the tuner finds what suits them better.
        """
        registers = self.tm * self.tn + 2 * (self.tm + self.tn) + 38  # of a thread
        resident = max(1, 60000 // (registers * self.threads))  # workgroups that a processor runs side by side
        rounds, rest = divmod(self.groups(c) / PROCESSORS, resident)
        peak = RATES[self.shape] / PROCESSORS * 1e6
        last = math.ceil(rest)

        def elapsed(workgroups: int) -> float:
            enough = 156 if self.tm == self.tn == 8 else 230  # threads that hide latencies
            busy = min(1.0, workgroups * self.threads / enough)
            return 2 * workgroups * self.bm * self.bn * c.k / (peak * busy)

        arithmetic = rounds * elapsed(resident) + (elapsed(last) if last else 0)
        waiting = (rounds + min(1, last)) * math.ceil(c.k / self.bk) * 0.372  # each step waits for memory
        return 5.2 + max(arithmetic, waiting)


RATES: dict[tuple[int, int, int, int, int], float] = {  # (bm, bn, bk, tm, tn): TFLOP/s when it fills an H200
    (128, 128, 16, 8, 16): 45.3,
    (128, 128, 16, 16, 8): 43.9,
    (128, 128, 16, 8, 8): 37.4,
    (64, 256, 16, 8, 16): 39.7,
    (64, 64, 16, 8, 8): 41.5,
    (64, 64, 16, 4, 8): 33.0,
    (64, 128, 16, 8, 8): 39.5,
    (128, 64, 16, 8, 8): 42.0,
    (32, 128, 16, 4, 8): 33.0,
    (32, 64, 16, 4, 8): 32.0,
    (32, 64, 32, 4, 4): 28.0,
    (32, 32, 32, 4, 4): 34.0,
    (32, 32, 16, 4, 4): 31.0,
    (32, 64, 16, 4, 4): 32.9,
    (64, 32, 16, 4, 4): 32.9,
    (64, 64, 8, 8, 8): 32.0,
    (16, 64, 16, 4, 4): 28.0,
    (64, 16, 16, 4, 4): 28.0,
    (32, 32, 8, 4, 4): 25.0,
    (64, 64, 16, 4, 4): 24.7,
}


TILES = tuple(Tile(*shape, unroll=shape[2]) for shape in RATES)


def suitable(c: Size, limits: Limits) -> list[Tile]:
    """Tiles for a product, by estimated time: not empty for sizes from 16 on and WebGPU's default limits."""
    return sorted((t for t in TILES if t.fits(limits) and t.suits(c)), key=lambda t: t.estimate(c))


@dataclass(frozen=True)
class _Fetches:
    """How a workgroup's threads bring in one operand's tile: code of the loads, and of the writes of what they got."""

    outer: list[str]  # statements before the loop over k, and in it
    inner: list[str]
    registers: list[str]
    guard: str  # a test of the thread, or empty
    loads: list[tuple[str, str]]  # register, value
    writes: list[tuple[str, str]]  # place in workgroup memory, value


@dataclass(frozen=True)
class _Operand:
    """One side of the product: ``size`` elements wide in all, ``depth`` deep, ``width`` of them in a tile."""

    name: str  # before the names of its values
    group: str  # the variable that numbers its tiles
    width: int
    size: int
    depth: int
    along_k: bool
    value: Callable[[Index, Index, Scopes], str]  # the element at a position and k

    def element(
        self, scopes: Scopes, tile: Tile, at: Index, lane: int, line: Index, k_lane: int
    ) -> tuple[str, str | None]:
        """The tile's element at ``(at + lane, line + k_lane)``, and a test that k exists; positions are repeated."""
        position, _ = _inside(scopes, self.group, self.width, self.size, at, lane)
        k, test = _inside(scopes, "kt", tile.bk, self.depth, line, k_lane)
        return self.value(position, k, scopes), test


def render_tiled(shader: Shader, contraction: Callable[[Shader], Contraction], tile: Tile) -> Rendered:
    """Vectors are read and written wherever all accesses to a buffer are known to be to whole vectors."""
    source = shader.widest(lambda: _render(shader, contraction(shader), tile))
    c = contraction(shader)
    return Rendered(source=source, workgroups=(-(-c.n // tile.bn), -(-c.m // tile.bm), c.batch))


def _render(shader: Shader, c: Contraction, tile: Tile) -> str:
    lines = _finish_wide(shader, c)
    wide = lines is not None
    if lines is None:
        shader.lower.narrow |= shader.results() & shader.lower.wide
        lines = finish(shader, c)
    b = variable("b", c.batch)
    a = _Operand("p", "wm", tile.bm, c.m, c.k, c.along_k[0], lambda at, k, scopes: c.a(b, at, k, scopes))
    x = _Operand("q", "wn", tile.bn, c.n, c.k, c.along_k[1], lambda at, k, scopes: c.b(b, k, at, scopes))
    return shader.render(
        "gemm/tiled.wgsl.j2",
        **tile.__dict__,
        threads=tile.threads,
        pitch_a=tile.bm // 4 + PAD,
        pitch_x=tile.bn // 4 + PAD,
        tiles=-(-c.k // tile.bk),
        m=c.m,
        n=c.n,
        even_m=c.m % tile.bm == 0,
        even_n=c.n % tile.bn == 0,
        wide=wide,
        fetches=[_fetches(tile, a), _fetches(tile, x)],
        finish=lines,
    )


def _fetches(tile: Tile, operand: _Operand) -> _Fetches:
    """Neighbouring threads take neighbouring elements in memory, along k or across it."""
    lines, quads = tile.bk, operand.width // 4
    pitch, name = quads + PAD, operand.name
    units = lines // 4 * quads if operand.along_k else lines * quads  # vectors, or blocks of 4 x 4
    scopes = Scopes([["b", "t", "wm", "wn"], ["kt"]], prefix=name)
    # where A needs not all threads, it takes the first ones, and B the last
    thread = "t" if name == "p" or units >= tile.threads else scopes.bind(f"{tile.threads - 1}u - t", _THREAD)
    guard = f"{thread} < {units}u" if units < tile.threads else ""
    found = _Fetches(scopes.lines[0], scopes.lines[1], [], guard, [], [])
    if not operand.along_k:
        for i in range(max(1, units // tile.threads)):
            w, line = _unit(scopes, thread, i, tile.threads, quads)
            row = [operand.element(scopes, tile, w.scaled(4), lane, line, 0) for lane in range(4)]
            found.loads.append((f"{name}r{i}", _vector(row)))
            found.writes.append((f"({line.text()}) * {pitch}u + {w.text()}", f"{name}r{i}"))
            found.registers.append(f"{name}r{i}")
        return found
    for i in range(max(1, units // tile.threads)):
        q, w = _block(scopes, thread, i, tile.threads, lines // 4, quads)
        registers = [f"{name}r{4 * i + r}" for r in range(4)]
        for r, register in enumerate(registers):
            row = [operand.element(scopes, tile, w.scaled(4) + constant(r), 0, q.scaled(4), lane) for lane in range(4)]
            found.loads.append((register, _vector(row)))
        for lane in range(4):  # turned about on the way
            place = f"({q.text()}) * {4 * pitch}u + {lane * pitch}u + {w.text()}"
            found.writes.append((place, "vec4<f32>(" + ", ".join(f"{r}.{'xyzw'[lane]}" for r in registers) + ")"))
        found.registers.extend(registers)
    return found


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


def _block(scopes: Scopes, thread: str, i: int, threads: int, deep: int, quads: int) -> tuple[Index, Index]:
    """Position (along k, across) of a thread's ``i``-th block. Four across, then two along k: their 8 vectors lie in
    different banks when they are written, as a line's pitch is odd.
    """
    few = min(4, quads)
    q = _bound(scopes, f"{thread} / {few}u % {deep}u", deep)
    slow = -(-threads // (few * deep))
    w = _bound(scopes, f"{thread} / {few * deep}u", slow).scaled(few) + _bound(scopes, f"{thread} % {few}u", few)
    return q, w + constant(i * threads // deep)


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


def _vector(parts: list[tuple[str, str | None]]) -> str:
    values, tests = [v for v, _ in parts], {t for _, t in parts}
    if tests == {None}:
        return f"vec4<f32>({', '.join(values)})"
    if len(tests) == 1:
        return f"select(vec4<f32>(), vec4<f32>({', '.join(values)}), {parts[0][1]})"
    return f"vec4<f32>({', '.join(f'select(0.0, {v}, {t})' for v, t in parts)})"


def _finish_wide(shader: Shader, c: Contraction) -> list[str] | None:
    """Lines that store four elements from ``(b, m, 4 n4)`` on; None if they are not one vector of the result."""
    if c.n % 4:
        return None
    scopes = Scopes([["b", "m", "n4", "element"]], prefix="e")
    b, m, n = variable("b", c.batch), variable("m", c.m), variable("n4", c.n // 4).scaled(4)

    def coords(store: int, lane: int) -> Coords:
        heavy = c.out(b, m, n + constant(lane), scopes)
        shape = shader.entries[store].shape
        return heavy if shape == heavy.shape else heavy.reshaped(shape, scopes.bind)

    return shader.finish_wide(coords, scopes, "acc")
