"""Split long reductions with few results, so that they fill the adapter: partial results, then a small reduction."""

from __future__ import annotations

import math

from tabgrad.compiler.passes.frame import Frame, frame_of
from tabgrad.compiler.target import LONGEST_LOOP, Target
from tabgrad.dtypes import float32
from tabgrad.graph.build import Builder
from tabgrad.graph.entry import Entry
from tabgrad.graph.op import Shape
from tabgrad.graph.rewrite import Graph, rewritten
from tabgrad.ops.arithmetic import ADD, DIV, MUL
from tabgrad.ops.movement import reshaped_entry
from tabgrad.ops.reduce import REDUCE
from tabgrad.ops.slicing import PAD

ROW_THREADS = 256  # that share a row
COLUMN_THREADS = 8  # that share a column
GROUPS = 16  # times the threads that fill the adapter: loads in flight hide the memory's latency
LEAST_ROW, LEAST_COLUMN = 2048, 32  # elements that each part keeps
LONG_ROW, LONG_COLUMN = 32768, 2048  # up to which a second launch costs more than idle threads
_NEUTRAL = {"sum": 0, "prod": 1, "max": -math.inf, "min": math.inf, "logsumexp": -math.inf}  # by FOLDS entry


def split_reductions(graph: Graph, target: Target) -> Graph:
    """Replace reductions whose rows are too few to occupy the adapter's threads."""

    def rule(build: Builder, e: Entry) -> int | None:
        split = _split(e, build.entries, target) if e.op is REDUCE else None
        return None if split is None else _parted(build, e, *split)

    return rewritten(graph, Builder(), rule)


def _split(e: Entry, entries: list[Entry], target: Target) -> tuple[Frame, int, int] | None:
    """The frame, which of its runs to split, and into how many parts."""
    kind = e.attrs["kind"]
    source = entries[e.args[0]]
    if kind not in (*_NEUTRAL, "m2") or (kind in ("max", "min") and source.dtype is not float32):
        return None
    frame = frame_of(source.shape, e.attrs["dims"])
    wanted = wanted_parts(frame, target)
    if wanted < 2:
        return None
    best = max(
        ((_divisor(n, wanted), run) for run, (n, reduced) in enumerate(frame.runs) if reduced),
        key=lambda found: (min(found[0], wanted), -found[1]),
    )
    if best[0] * 2 <= wanted and kind != "m2":  # no divisor fits: the last part is filled up
        run = max((run for run, (_, reduced) in enumerate(frame.runs) if reduced), key=lambda r: frame.runs[r][0])
        best = (min(wanted, frame.runs[run][0]), run)
    return (frame, best[1], best[0]) if best[0] > 1 else None


def wanted_parts(frame: Frame, target: Target) -> int:
    """Into how many parts each row should fall; 1 where the rows are enough."""
    if frame.total == 0:
        return 1
    if target.software:
        if frame.extent <= LONGEST_LOOP // 2 and (frame.extent < 4096 or frame.total >= target.busy_threads):
            return 1
        parts = min(target.busy_threads // frame.total, frame.extent // LEAST_ROW)
        return max(parts, -(-frame.extent // (LONGEST_LOOP // 2)))
    threads, least = (COLUMN_THREADS, LEAST_COLUMN) if frame.columns else (ROW_THREADS, LEAST_ROW)
    long = LONG_COLUMN if frame.columns else LONG_ROW
    if frame.extent <= long or frame.total * threads >= 2 * target.busy_threads:
        return 1
    return min(GROUPS * target.busy_threads // (frame.total * threads), frame.extent // least)


def _divisor(n: int, wanted: int) -> int:
    """The divisor of ``n`` nearest to ``wanted``, as a ratio; at most twice as large."""
    found = [d for d in range(1, min(n, 2 * wanted) + 1) if n % d == 0]
    return min(found, key=lambda d: max(d / wanted, wanted / d))


def _parted(build: Builder, e: Entry, frame: Frame, run: int, parts: int) -> int:
    """The reduction of ``parts`` parts, reduced again."""
    kind = e.attrs["kind"]
    sizes = [n for n, _ in frame.runs]
    each = -(-sizes[run] // parts)
    value = reshaped_entry(build, e.args[0], tuple(sizes))
    if each * parts != sizes[run]:
        pads = tuple((0, each * parts - n if d == run else 0) for d, n in enumerate(sizes))
        sizes[run] = each * parts
        value = build.op(PAD, (value,), {"pads": pads, "value": _NEUTRAL[kind]}, tuple(sizes))
    shape = (*sizes[:run], parts, each, *sizes[run + 1 :])
    value = reshaped_entry(build, value, shape)
    reduced = [reduced for _, reduced in frame.runs]
    flags = [*reduced[:run], False, True, *reduced[run + 1 :]]
    dims = tuple(d for d, flag in enumerate(flags) if flag)
    small = tuple(1 if flag else n for n, flag in zip(shape, flags, strict=True))
    last = tuple(1 if d == run else n for d, n in enumerate(small))

    def reduce(kind: str, of: int, dims: tuple[int, ...], to: Shape) -> int:
        return build.op(REDUCE, (of,), {"kind": kind, "dims": dims}, to, e.dtype)

    partial = reduce(kind, value, dims, small)
    if kind != "m2":
        return reshaped_entry(build, reduce(kind, partial, (run,), last), e.shape)
    # Chan, Golub & LeVeque 1979: deviations within the parts, and of the parts' means
    count = float(math.prod(n for n, flag in zip(shape, flags, strict=True) if flag))
    sums = reduce("sum", value, dims, small)
    means = build.op(DIV, (sums, build.constant(count, small, e.dtype)), {}, small)
    between = build.op(MUL, (reduce("m2", means, (run,), last), build.constant(count, last, e.dtype)), {}, last)
    total = build.op(ADD, (reduce("sum", partial, (run,), last), between), {}, last)
    return reshaped_entry(build, total, e.shape)
