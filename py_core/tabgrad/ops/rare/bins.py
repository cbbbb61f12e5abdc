"""In which interval numbers lie, how many in each, and which are among others."""

from __future__ import annotations

from typing import Any

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import as_tensor, result_dtype
from tabgrad.ops.extremes import amax, amin
from tabgrad.ops.indexing import gather, rows_added
from tabgrad.ops.movement import reshape, unsqueeze
from tabgrad.ops.order import first_at_least, sort_keys
from tabgrad.ops.reduce import any as any_of
from tabgrad.ops.reduce import sum
from tabgrad.ops.result_types import Histogram
from tabgrad.tensor import Tensor

_MOST_COMPARED = 2**20  # pairs of values and boundaries; beyond it, one line is searched by halves


def _side(caller: str, right: bool, side: str | None) -> bool:
    if side not in (None, "left", "right"):
        raise ArgumentError(f"{caller}: expected side as 'left' or 'right', got {side!r}")
    if side == "left" and right:
        raise ArgumentError(f"{caller}: expected side and right to agree, got side='left' and right=True")
    return right or side == "right"


def _values(caller: str, sequence: Tensor, given: Any) -> Tensor:
    """What is looked up, of the sequence's dtype, or a number."""
    if not isinstance(given, Tensor):
        return as_tensor(given)
    if given.dtype is not sequence.dtype:
        got = f"{sequence.dtype.name} and {given.dtype.name}"
        raise DTypeError(f"{caller}: expected boundaries and values of one dtype, got {got}; convert one of them")
    return given.detach()


def places(sequence: Tensor, values: Tensor, right: bool) -> Tensor:
    """How many elements of each sorted line are less (or, if ``right``, not greater); NaN is the largest number."""
    dtype = result_dtype(reshape(sequence, (-1,)), reshape(values, (-1,)))
    wide = dtype is dtypes.float64
    keys, wanted = (ew.cast(t, dtype) if wide else sort_keys(ew.cast(t, dtype)) for t in (sequence, values))
    if sequence.ndim == 1:
        if right is False and sequence.numel() * values.numel() > _MOST_COMPARED:
            return reshape(first_at_least(keys, ew.iota(keys.shape, 0), reshape(wanted, (-1,))), values.shape)
        keys = reshape(keys, ((1,) * values.ndim) + keys.shape)
    else:
        keys = unsqueeze(keys, -2)
    wanted = unsqueeze(wanted, -1)
    before = ew.le(keys, wanted) if right else ew.lt(keys, wanted)
    if wide:  # keys are the numbers themselves
        before = ew.logical_or(
            before, ew.logical_and(ew.isnan(wanted), ew.logical_or(right, ew.logical_not(ew.isnan(keys))))
        )
    return sum(ew.cast(before, dtypes.int32), -1)


@public(out=True)
def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Where numbers would be put into sorted lines: before equal elements, or after them if ``right``; int32.

    Args:
        sorted_sequence: ``[..., N]``, sorted along the last dimension; or ``[N]``, for all numbers.
        input: ``[..., M]``, or a number.
        sorter: indices that sort ``sorted_sequence``.

    Raises:
        ShapeError: other dimensions than the last differ.
    """
    after = _side("searchsorted", right, side)
    values = _values("searchsorted", sorted_sequence, input)
    lines = sorted_sequence
    if sorter is not None:
        if sorter.shape != lines.shape:
            raise ShapeError(f"searchsorted: expected sorter {list(lines.shape)}, got {list(sorter.shape)}")
        lines = gather(lines, -1, sorter)
    if lines.ndim != 1 and (lines.ndim != values.ndim or lines.shape[:-1] != values.shape[:-1]):
        raise ShapeError(
            f"searchsorted: expected [N] and [...], or [..., N] and [..., M], got {list(lines.shape)} and "
            f"{list(values.shape)}"
        )
    return places(lines.detach(), values, after)


@public(out=True)
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """Which of the intervals between the sorted ``boundaries`` ``[N]`` each number lies in; int32.

    Args:
        right: of a number that equals a boundary the interval above it, and not that below.
    """
    if boundaries.ndim != 1:
        raise ShapeError(f"bucketize: expected boundaries [N], got {list(boundaries.shape)}")
    return places(boundaries.detach(), _values("bucketize", boundaries, input), right)


@public(out=True)
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element is among others; bool.

    Args:
        assume_unique: accepted; it changes nothing.
        invert: whether it is not.
    """
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError(f"isin: expected a tensor, got {type(elements).__name__} and {type(test_elements).__name__}")
    x, others = (t if isinstance(t, Tensor) else as_tensor(t) for t in (elements, test_elements))
    found = any_of(ew.eq(unsqueeze(x.detach(), -1), reshape(others.detach(), (1,) * x.ndim + (-1,))), -1)
    return ew.logical_not(found) if invert else found


def _edges(caller: str, x: Tensor, bins: int, low: float, high: float, margin: float) -> tuple[Tensor, Tensor]:
    """The ends of the range: those of the elements where both are 0; apart by a margin where they are one number."""
    if bins < 1:
        raise ArgumentError(f"{caller}: expected at least 1 bin, got {bins}")
    if low > high:
        raise ArgumentError(f"{caller}: expected min of at most max, got {low} and {high}")
    start, end = as_tensor(float(low)), as_tensor(float(high))
    if low == high:
        if not x.numel() and low == 0:
            return start, end + 1.0
        if x.numel() and low == 0:
            start, end = amin(x), amax(x)
        same = ew.eq(start, end)
        start, end = ew.where(same, start - margin, start), ew.where(same, end + margin, end)
    return start, end


@public(method=True, out=True)
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of ``bins`` equal intervals from ``min`` to ``max``; others are not counted.

    Args:
        min, max: if both are 0, the smallest and the largest element.
    """
    if input.dtype is dtypes.bool_:
        raise DTypeError("histc: expected numbers, got bool; use x.float()")
    x = reshape(ew.cast(input.detach(), dtypes.float32), (-1,))
    start, end = _edges("histc", x, bins, min, max, 1.0)
    inside = ew.logical_and(ew.ge(x, start), ew.le(x, end))
    place = ew.floor((ew.where(inside, x, start) - start) * float(bins) / (end - start))
    index = ew.cast(ew.minimum(place, float(bins - 1)), dtypes.int32)
    counted = rows_added(ew.cast(inside, dtypes.float32), index, 0, bins)
    return ew.cast(counted, input.dtype)


def equal_edges(caller: str, x: Tensor, bins: int, low: float, high: float) -> Tensor:
    """The edges of equal intervals, ``[bins + 1]``; both ends are computed from their own side."""
    start, end = _edges(caller, x, bins, low, high, 0.5)
    place = ew.iota((bins + 1,), 0, dtypes.float32)
    step = (end - start) / float(bins)
    return ew.where(ew.lt(place, float((bins + 1) // 2)), start + step * place, end - step * (bins - place))


def interval(x: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
    """In which interval each number lies, the last edge in the last one; and whether in any (else the index is 0)."""
    count = edges.shape[0] - 1
    index = ew.where(ew.eq(x, edges[count]), count - 1, places(edges, x, True) - 1)
    inside = ew.logical_and(ew.ge(x, edges[0]), ew.le(x, edges[count]))
    return ew.where(inside, index, 0), inside


@public(method=True, out=True)
def histogram(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Histogram:
    """How many elements, or which sum of their weights, lie in each interval: (hist, bin_edges).

    Args:
        bins: how many equal intervals, or their edges ``[bins + 1]``.
        range: (smallest, largest) edge; those of the elements by default.
        density: divided by the sum and by each interval's width.
    """
    x = reshape(input.detach(), (-1,))
    if not x.dtype.is_floating_point:
        raise DTypeError(f"histogram: expected a floating-point tensor, got {x.dtype.name}; use x.float()")
    if isinstance(bins, Tensor):
        edges = bins.detach()
    else:
        edges = equal_edges("histogram", x, bins, *((0.0, 0.0) if range is None else range))
    count = edges.shape[0] - 1
    index, inside = interval(x, edges)
    each = ew.cast(inside, x.dtype)
    if weight is not None:
        if weight.shape != input.shape:
            raise ShapeError(f"histogram: expected weight {list(input.shape)}, got {list(weight.shape)}")
        each = ew.where(inside, reshape(weight.detach(), (-1,)), 0.0)
    hist = rows_added(each, index, 0, count)
    if density:
        hist = hist / sum(hist) / (edges[1:] - edges[:-1])
    return Histogram(hist, edges)
