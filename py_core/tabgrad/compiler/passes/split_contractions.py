"""Split long contractions with small results, so that they fill the adapter: partial sums, then a reduction."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from tabgrad.compiler.families.contraction import matmul_along_k
from tabgrad.compiler.families.tiled import suited
from tabgrad.compiler.target import LONGEST_LOOP, Target
from tabgrad.dtypes import float32
from tabgrad.graph.build import Builder
from tabgrad.graph.entry import Entry
from tabgrad.graph.op import Shape
from tabgrad.graph.rewrite import Graph, rewritten
from tabgrad.ops.conv import CONV_WEIGHT_GRAD
from tabgrad.ops.matmul import MATMUL
from tabgrad.ops.movement import PERMUTE, reshaped_entry
from tabgrad.ops.reduce import REDUCE

LEAST_EXTENT = 256  # elements of k that each part keeps
LEAST_SPLIT = 2048  # for software adapters: below this, a second launch costs more than idle threads
LAUNCH_US = 5.0  # what one more launch costs, the host's part included
WORTHWHILE = 0.85  # share of the time that must be left, at most; estimates are only so good
SUM_BYTES_PER_US = 3.5e6
MOST_PARTS = 128


def split_contractions(graph: Graph, target: Target) -> Graph:
    """Replace contractions whose result is too small to occupy the adapter's threads."""
    for_gpu = functools.cache(lambda size, divisible: _for_gpu(size, divisible, target))  # layers repeat

    def rule(build: Builder, e: Entry) -> int | None:
        parts = _parts(e, build.entries, target, for_gpu)
        if parts == 1:
            return None
        if e.op is MATMUL:
            partial = _split_matmul(build, e, parts)
        else:
            attrs = {**e.attrs, "split": parts}
            partial = build.op(e.op, e.args, attrs, (parts * e.shape[0], *e.shape[1:]), e.dtype)
            partial = reshaped_entry(build, partial, (parts, *e.shape))
        total = build.op(REDUCE, (partial,), {"kind": "sum", "dims": (0,)}, (1, *e.shape))
        return reshaped_entry(build, total, e.shape)

    return rewritten(graph, Builder(), rule)


@dataclass(frozen=True)
class _Extents:
    batch: int
    m: int
    n: int
    k: int
    along_k: tuple[bool, bool]
    gathers: bool


def _parts(e: Entry, entries: list[Entry], target: Target, for_gpu: Callable[[_Extents, int], int]) -> int:
    shapes = [entries[a].shape for a in e.args]
    if e.op is MATMUL:
        size = _Extents(e.shape[0], e.shape[1], e.shape[2], shapes[0][2], matmul_along_k(entries, e), gathers=False)
        divisible = size.k
    elif e.op is CONV_WEIGHT_GRAD:
        groups = e.attrs["groups"]
        k = shapes[0][0] * math.prod(shapes[0][2:])
        size = _Extents(groups, e.shape[0] // groups, math.prod(e.shape[1:]), k, (True, True), gathers=True)
        divisible = shapes[0][0] * shapes[0][2]  # whole rows of the images
    else:
        return 1
    found = _for_software(e, size.k, divisible, target) if target.software else for_gpu(size, divisible)
    if size.k // found <= LONGEST_LOOP:
        return found
    return next((p for p in range(2, divisible + 1) if divisible % p == 0 and size.k // p <= LONGEST_LOOP), found)


def _for_software(e: Entry, k: int, divisible: int, target: Target) -> int:
    if k < LEAST_SPLIT:
        return 1
    wanted = min(MOST_PARTS, target.busy_threads // max(1, e.size // 64), k // LEAST_EXTENT)
    return next((p for p in range(wanted, 1, -1) if divisible % p == 0), 1)


def _for_gpu(size: _Extents, divisible: int, target: Target) -> int:
    """As many parts as make product and sum together fastest, by estimate."""

    def microseconds(parts: int) -> float:
        share = replace(size, batch=size.batch * parts, k=size.k // parts)
        product = min((tile.estimate(share) for tile in suited(share, target.limits)), default=math.inf)
        total = parts * size.batch * size.m * size.n * float32.itemsize
        return product + (LAUNCH_US + total / SUM_BYTES_PER_US if parts > 1 else 0)

    most = target.limits.max_binding_bytes // max(
        1, size.batch * size.m * size.n * float32.itemsize
    )  # one binding has all
    possible = [p for p in range(2, min(MOST_PARTS, most) + 1) if divisible % p == 0 and size.k // p >= LEAST_EXTENT]
    whole, times = microseconds(1), {p: microseconds(p) for p in possible}
    best = min(times.values(), default=math.inf)
    if not possible or best > WORTHWHILE * whole:
        return 1
    return next(p for p in possible if times[p] <= 1.03 * best)


def _split_matmul(build: Builder, e: Entry, parts: int) -> int:
    a, b = e.args
    batch, m, k = build.entries[a].shape
    n = build.entries[b].shape[2]
    each = k // parts

    def view(index: int, inner: Shape, dims: tuple[int, ...], outer: Shape) -> int:
        index = reshaped_entry(build, index, inner)
        index = build.op(PERMUTE, (index,), {"dims": dims}, tuple(inner[d] for d in dims))
        return reshaped_entry(build, index, outer)

    # A [B, M, P, K/P] -> [P B, M, K/P] and B [B, P, K/P, N] -> [P B, K/P, N]
    left = view(a, (batch, m, parts, each), (2, 0, 1, 3), (parts * batch, m, each))
    right = view(b, (batch, parts, each, n), (1, 0, 2, 3), (parts * batch, each, n))
    product = build.op(MATMUL, (left, right), {}, (parts * batch, m, n))
    return reshaped_entry(build, product, (parts, batch, m, n))
