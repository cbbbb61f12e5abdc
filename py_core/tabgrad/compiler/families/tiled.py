"""Contractions with tiles in workgroup memory: the choice for GPUs.

A workgroup computes ``bm`` x ``bn`` elements of the result and takes in ``bk`` elements of k at a time; each thread
accumulates ``tm`` x ``tn`` of them. Operands are fetched four elements at a time, with one load where the four lie
side by side in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.contraction import Contraction
from tabgrad.compiler.families.register import finish
from tabgrad.compiler.families.rendered import Folded, Rendered, launch
from tabgrad.compiler.families.staging import Operand, layout
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant, variant
from tabgrad.devices.base import Limits
from tabgrad.graph.index import Coords, Index, constant, variable

PROCESSORS = 132  # of the GPU that estimates are for
TEMPLATE = "gemm/tiled"
LONG = 2**14  # elements of k from which on lines along k lie far apart in memory


class Size(Protocol):
    """A contraction's extents, and how its operands lie in memory (see :class:`Contraction`)."""

    @property
    def batch(self) -> int: ...
    @property
    def m(self) -> int: ...
    @property
    def n(self) -> int: ...
    @property
    def k(self) -> int: ...
    @property
    def along_k(self) -> tuple[bool, bool]: ...
    @property
    def gathers(self) -> bool: ...


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
    unroll: int = 4  # of bk steps along k; a multiple of 4

    def __post_init__(self) -> None:
        assert self.unroll % 4 == 0 and self.bk % self.unroll == 0, self

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
        """Of workgroup memory, at most."""

        def vectors(width: int) -> int:
            return max(layout(width, self.bk, along_k, self.threads).vectors for along_k in (False, True))

        return 16 * (vectors(self.bm) + vectors(self.bn))

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
        """Microseconds on an NVIDIA H200: a tenth off, and good enough to find tiles 4 % from the best on average.

        Other GPUs have other speeds, but rank tiles much alike; the tuner finds what suits them better.
        """
        registers = self.tm * self.tn + 2 * (self.tm + self.tn) + 30  # of a thread
        resident = max(1, 60000 // (registers * self.threads))  # workgroups that a processor runs side by side
        rounds, rest = divmod(self.groups(c) / PROCESSORS, resident)
        rate = RATES[self.shape] * (0.69 if c.gathers else 1)
        if layout(self.bm, self.bk, c.along_k[0], self.threads).kept:
            rate *= 0.98 if c.gathers else 0.8
        if layout(self.bn, self.bk, c.along_k[1], self.threads).kept:
            rate *= 0.98
        if all(c.along_k) and not c.gathers:
            if c.k % 4:  # loads of single elements, which few threads wait for
                rate *= 0.77 if self.bk == 16 and self.threads >= 128 else 0.55
            elif self.bk == 32 and c.k >= LONG:
                rate *= 0.6
        peak = rate / PROCESSORS * 1e6
        last = math.ceil(rest)
        enough = {64: 140, 128: 265}.get(self.tm * self.tn, 0)  # threads that hide latencies

        def elapsed(workgroups: int) -> float:
            busy = min(1.0, workgroups * self.threads / enough) if enough else 1.0
            return 2 * workgroups * self.bm * self.bn * c.k / (peak * busy)

        arithmetic = rounds * elapsed(resident) + (elapsed(last) if last else 0)
        step = 0.75 if c.gathers else 0.374  # each waits for memory
        waiting = (rounds + min(1, last)) * math.ceil(c.k / self.bk) * step
        return 3.4 + max(arithmetic, waiting)


RATES: dict[tuple[int, int, int, int, int], float] = {  # (bm, bn, bk, tm, tn): TFLOP/s when it fills an H200
    (128, 128, 16, 8, 16): 56.5,
    (128, 128, 16, 16, 8): 55.4,
    (128, 128, 16, 8, 8): 50.7,
    (64, 128, 16, 8, 8): 49.5,
    (128, 64, 16, 8, 8): 48.7,
    (128, 64, 32, 8, 8): 48.5,
    (64, 64, 16, 8, 8): 48.4,
    (64, 64, 16, 4, 8): 46.3,
    (64, 64, 16, 4, 4): 44.2,
    (32, 64, 16, 4, 8): 43.6,
    (32, 64, 16, 8, 8): 43.5,
    (64, 128, 32, 8, 8): 43.1,
    (64, 32, 16, 4, 4): 42.3,
    (32, 128, 16, 4, 8): 41.6,
    (32, 64, 32, 4, 4): 41.2,
    (32, 64, 16, 4, 4): 40.5,
    (64, 32, 16, 8, 4): 37.5,
    (16, 64, 16, 4, 4): 34.9,
    (32, 32, 32, 4, 4): 33.6,
    (32, 32, 16, 4, 4): 31.1,
    (64, 64, 32, 8, 8): 28.4,
    (64, 16, 16, 4, 4): 25.7,
}


TILES = tuple(Tile(*shape, unroll=min(shape[2], 16)) for shape in RATES)


@cache
def _fitting(tiles: tuple[Tile, ...], limits: Limits) -> list[Tile]:
    return [t for t in tiles if t.fits(limits)]


def suited(c: Size, limits: Limits) -> list[Tile]:
    """Tiles for a product: not empty for sizes from 16 on and WebGPU's default limits."""
    return [t for t in _fitting(TILES, limits) if t.suits(c)]


def suitable(c: Size, limits: Limits) -> list[Tile]:
    """As :func:`suited`, by estimated time."""
    return sorted(suited(c, limits), key=lambda t: t.estimate(c))


def render_tiled(shader: Shader, target: Target, contraction: Callable[[Shader], Contraction], tile: Tile) -> Rendered:
    """Vectors are read and written wherever all accesses to a buffer are known to be to whole vectors."""
    c = contraction(shader)
    workgroups, folded = launch((-(-c.n // tile.bn), -(-c.m // tile.bm), c.batch), target)
    source = shader.widest(lambda: _render(shader, contraction(shader), tile, folded))
    return Rendered(source=source, workgroups=workgroups)


def _render(shader: Shader, c: Contraction, tile: Tile, folded: Folded | None) -> str:
    lines = _finish_wide(shader, c)
    wide = lines is not None
    if lines is None:
        shader.lower.narrow |= shader.results() & shader.lower.wide
        lines = finish(shader, c)
    b = variable("b", c.batch)

    def operand(
        name: str, group: str, width: int, size: int, along_k: bool, value: Callable[[Index, Index, Scopes], str]
    ) -> Operand:
        return Operand(name, group, width, tile.bk, tile.threads, size, c.k, along_k, value, c.gathers)

    a = operand("p", "wm", tile.bm, c.m, c.along_k[0], lambda at, k, scopes: c.a(b, at, k, scopes))
    x = operand("q", "wn", tile.bn, c.n, c.along_k[1], lambda at, k, scopes: c.b(b, k, at, scopes))
    return shader.render(
        "gemm/tiled.wgsl.j2",
        **tile.__dict__,
        threads=tile.threads,
        folded=folded,
        layout_a=a.layout,
        layout_x=x.layout,
        tiles=-(-c.k // tile.bk),
        m=c.m,
        n=c.n,
        even_m=c.m % tile.bm == 0,
        even_n=c.n % tile.bn == 0,
        wide=wide,
        fetches=[a.fetches(), x.fetches()],
        finish=lines,
    )


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
