"""Writing at places that an index names: whole rows (``index_add``, ``index_copy``, ``index_fill``) or elements
(``scatter`` and its kin). The order of all additions is fixed; of several values for one place the last one counts.
"""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import as_tensor
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.chosen import check_named, integer_index
from tabgrad.ops.indexing import (
    MOST_COMPARED,
    check_places,
    elements_added,
    elements_named,
    last_named,
    places,
    rows_added,
    rows_named,
)
from tabgrad.ops.movement import broadcast_to, normalize_dim, reshape
from tabgrad.ops.segment import Segments, folded, segments
from tabgrad.ops.slicing import pad_dims, slice_dims
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer

# Rows


def _check_rows(caller: str, x: Tensor, dim: int, index: Tensor, source: Tensor | None) -> int:
    d = normalize_dim(dim, x.ndim, caller)
    if index.ndim != 1 or index.dtype.computed is not dtypes.int32:
        raise ShapeError(f"{caller}: expected a 1-d integer index, got {list(index.shape)} of {index.dtype.name}")
    check_named(caller, index, x.shape[d])
    if source is None:
        return d
    expected = (*x.shape[:d], index.shape[0], *x.shape[d + 1 :])
    if source.shape != expected:
        raise ShapeError(f"{caller}: expected source {list(expected)}, got {list(source.shape)}")
    _check_dtype(caller, x, source)
    return d


def _filled_from_end(index: Tensor, n: int) -> Tensor:
    """An index that may count from the end, counted from the front."""
    return integer_index(reshape(ew.cast(index, dtypes.int32), (index.numel(),)), n)


def _check_dtype(caller: str, x: Tensor, source: Tensor) -> None:
    if source.dtype is not x.dtype:
        raise DTypeError(f"{caller}: expected source of {x.dtype.name}, got {source.dtype.name}; convert it first")


def _along(rows: Tensor, dim: int, ndim: int) -> Tensor:
    """One value for each row along ``dim`` ``[n]``, to be broadcast."""
    return reshape(rows, (1,) * dim + (rows.shape[0],) + (1,) * (ndim - dim - 1))


def _row_lines(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors with at least one dimension."""
    return tuple(reshape(t, (1,)) if t.ndim == 0 else t for t in tensors)


@public(method=True, out=True)
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """``input`` with ``alpha`` times row ``k`` of ``source`` added to row ``index[k]``, along ``dim``.

    The order of the additions is fixed. Rows that no index in range names stay; indices are not checked on a GPU.

    Raises:
        ShapeError: ``source`` is not ``input`` with as many rows as the index.
        DTypeError: the dtypes differ.
    """
    shape = input.shape
    input, index, source = _row_lines(input, index, source)
    d = _check_rows("index_add", input, dim, index, source)
    index = ew.cast(index, dtypes.int32)
    if input.dtype is dtypes.bool_:
        named = rows_added(ew.cast(source, dtypes.int32), index, d, input.shape[d])
        return reshape(ew.logical_or(input, named) if alpha else clone(input), shape)
    check_fits_kind("index_add", "alpha", alpha, input.dtype)
    added = rows_added(source, index, d, input.shape[d])
    return reshape(ew.add(input, added, alpha=alpha), shape)


def check_fits_kind(caller: str, name: str, number: Any, dtype: dtypes.DType) -> None:
    """Whether a number has the kind that computing in a dtype takes.

    Raises:
        DTypeError: a fraction among integers.
    """
    if isinstance(number, float) and not dtype.is_floating_point:
        raise DTypeError(f"{caller}: expected {name} as an integer, as the tensor is {dtype.name}, got {number}")


@public(method=True, out=True)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """``input`` with row ``k`` of ``source`` at row ``index[k]``, along ``dim``; the last of several counts.

    Raises:
        ShapeError: ``source`` is not ``input`` with as many rows as the index.
        DTypeError: the dtypes differ.
    """
    shape = input.shape
    input, index, source = _row_lines(input, index, source)
    d = _check_rows("index_copy", input, dim, index, source)
    if not input.numel() or index.shape[0] == 0:
        return reshape(clone(input), shape)
    with no_grad():
        last = last_named(ew.cast(index, dtypes.int32), input.shape[d])
        found = rows_named(source.detach(), d, ew.maximum(last, 0))
        out = ew.where(_along(ew.ge(last, 0), d, input.ndim), found, input.detach())
    record(out, "index_copy", _index_copy_grad, (input, source, index, last), {"dim": d})
    return reshape(out, shape)


def _index_copy_grad(
    g: Tensor, out: Tensor, x: Tensor, source: Tensor, index: Tensor, last: Tensor, dim: int
) -> tuple[Any, ...]:
    kept = ew.where(_along(ew.ge(last, 0), dim, x.ndim), 0.0, g)
    index = ew.cast(index, dtypes.int32)
    counts = ew.eq(rows_named(last, 0, index), ew.iota(index.shape, 0))
    return kept, ew.where(_along(counts, dim, x.ndim), rows_named(g, dim, index), 0.0), None, None


@public(method=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """``input`` with ``value``, a number or a 0-d tensor, in the rows along ``dim`` that the index names.

    Raises:
        ShapeError: ``value`` has dimensions.
    """
    if isinstance(value, Tensor) and value.ndim:
        raise ShapeError(f"index_fill: expected value as a number or a 0-d tensor, got {list(value.shape)}")
    shape = input.shape
    input, index = _row_lines(input, index)
    d = normalize_dim(dim, input.ndim, "index_fill")
    if index.ndim != 1 or index.dtype.computed is not dtypes.int32:
        raise ShapeError(f"index_fill: expected a 1-d integer index, got {list(index.shape)} of {index.dtype.name}")
    named = ew.ge(last_named(_filled_from_end(index, input.shape[d]), input.shape[d]), 0)
    return reshape(ew.where(_along(named, d, input.ndim), of_dtype(value, input.dtype), input), shape)


def of_dtype(value: Any, dtype: dtypes.DType) -> Tensor:
    """A number or a tensor in a dtype, truncated where that has no fractions."""
    if isinstance(value, float) and not dtype.is_floating_point:
        value = bool(value) if dtype is dtypes.bool_ else int(value)
    return as_tensor(value, dtype)


# Elements


def _check_elements(caller: str, x: Tensor, dim: int, index: Tensor, src: Tensor | None) -> int:
    d = check_places(caller, x, dim, index)
    if src is None:
        return d
    fits = src.ndim == x.ndim and all(a <= b for a, b in zip(index.shape, src.shape, strict=True))
    if index.numel() and not fits:
        raise ShapeError(f"{caller}: expected src that holds an index of {list(index.shape)}, got {list(src.shape)}")
    _check_dtype(caller, x, src)
    return d


def _part(src: Tensor, index: Tensor) -> Tensor:
    """The elements of ``src`` that an index has a place for."""
    return slice_dims(src, {d: (0, 1, n) for d, n in enumerate(index.shape)})


def _whole(part: Tensor, x: Tensor, value: float = 0) -> Tensor:
    """What was computed where the index has elements, in the shape of ``x``."""
    missing = {d: (0, n - m) for d, (n, m) in enumerate(zip(x.shape, part.shape, strict=True)) if n != m}
    return pad_dims(part, missing, value) if missing else part


def _lines(x: Tensor, index: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
    """The tensors with at least one dimension, an index of integers as int32."""
    if index.dtype.computed is dtypes.int32:
        index = ew.cast(index, dtypes.int32)
    return _row_lines(x, index, *others)


@public(method=True, out=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """``out[index[i][j]][j] += src[i][j]`` for ``dim=0``, from ``out = input`` on; in a fixed order.

    Raises:
        ShapeError: the index fits neither ``src`` nor ``input``.
        DTypeError: the dtypes differ, or the index has no integers.
    """
    y, index, src = _lines(input, index, src)
    d = _check_elements("scatter_add", y, dim, index, src)
    if not index.numel():
        return clone(input)
    if input.dtype is dtypes.bool_:
        return scatter_reduce(input, dim, index, src, "sum")
    out = y + _whole(elements_added(_part(src, index), index, d, y.shape[d]), y)
    return reshape(out, input.shape)


def _last_elements(index: Tensor, dim: int, n: int) -> Tensor:
    """For each element of ``n`` along ``dim`` the last flat position of the index that names it, or -1."""
    shape = (*index.shape[:dim], n, *index.shape[dim + 1 :])
    return reshape(last_named(places(index, dim, n), math.prod(shape)), shape)


@public(method=True, out=True)
def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """``out[index[i][j]][j] = src[i][j]`` for ``dim=0``, from ``out = input`` on; the last of several counts.

    Args:
        src: a tensor, or a number for all places; ``value`` is another name of the latter.
        reduce: ``"add"`` or ``"multiply"``, in place of overwriting.

    Raises:
        ShapeError: the index fits neither ``src`` nor ``input``.
        DTypeError: the dtypes differ, or the index has no integers.
    """
    src = value if src is None else src
    if src is None:
        raise TypeError("scatter: expected src as a tensor or a number, got neither")
    if not isinstance(src, Tensor):
        src = broadcast_to(of_dtype(src, input.dtype), index.shape)
    shape = input.shape
    whole, index, src = _lines(input, index, src)
    d = _check_elements("scatter", whole, dim, index, src)
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise ValueError(f"scatter: expected reduce 'add' or 'multiply', got {reduce!r}")
        return scatter_reduce(input, dim, index, src, "sum" if reduce == "add" else "prod")
    if index.numel() == 0:
        return clone(input)
    input = whole
    with no_grad():
        last = _last_elements(index, d, input.shape[d])
        found = rows_named(reshape(_part(src.detach(), index), -1), 0, reshape(ew.maximum(last, 0), -1))
        last = _whole(last, input, -1)
        found = _whole(reshape(found, (*index.shape[:d], input.shape[d], *index.shape[d + 1 :])), input)
        out = ew.where(ew.ge(last, 0), found, input.detach())
    record(out, "scatter", _scatter_grad, (input, src, index, last), {"dim": d})
    return reshape(out, shape)


def _scatter_grad(
    g: Tensor, out: Tensor, x: Tensor, src: Tensor, index: Tensor, last: Tensor, dim: int
) -> tuple[Any, ...]:
    own = reshape(ew.iota((index.numel(),), 0), index.shape)
    counts = ew.eq(elements_named(last, dim, index), own)
    return (
        ew.where(ew.ge(last, 0), 0.0, g),
        _whole(ew.where(counts, elements_named(g, dim, index), 0.0), src),
        None,
        None,
    )


_KINDS = {"sum": "sum", "prod": "prod", "mean": "sum", "amax": "max", "amin": "min"}
_PAIRS: dict[str, Any] = {"sum": ew.add, "prod": ew.mul, "mean": ew.add, "amax": ew.maximum, "amin": ew.minimum}


@public(method=True, out=True)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """The elements of ``src`` for each place that the index names, reduced, with ``input`` among them or not.

    Args:
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether the element of ``input`` counts where any is named; elsewhere it stays.

    Raises:
        ValueError: there is no such reduction.
        ShapeError: the index fits neither ``src`` nor ``input``.
        DTypeError: the dtypes differ, or the index has no integers.
    """
    if reduce not in _KINDS:
        raise ValueError(f"scatter_reduce: expected reduce of {', '.join(map(repr, _KINDS))}, got {reduce!r}")
    whole, index, src = _lines(input, index, src)
    d = _check_elements("scatter_reduce", whole, dim, index, src)
    if index.numel() == 0:
        return clone(input)
    if input.dtype.is_narrow:
        wide = [ew.cast(t, input.dtype.computed) for t in (input, src)]
        return ew.cast(scatter_reduce(wide[0], d, index, wide[1], reduce, include_self=include_self), input.dtype)
    if input.dtype is dtypes.bool_:
        if reduce == "mean":
            raise NotImplementedError("scatter_reduce: the mean of bools is not supported; convert them to float32")
        wide = [ew.cast(t, dtypes.int32) for t in (input, src)]
        found = scatter_reduce(wide[0], d, index, wide[1], reduce, include_self=include_self)
        return ew.cast(found, dtypes.bool_)
    shape, input = input.shape, whole
    with no_grad():
        named, counts = _folded_elements(_KINDS[reduce], _part(src.detach(), index), index, d, input)
        total = _PAIRS[reduce](input.detach(), named) if include_self else named
        if reduce == "mean":
            size = ew.maximum(counts + int(include_self), 1)
            total = total / size if input.dtype.is_floating_point else ew.floor_divide(total, size)
        out = ew.where(ew.gt(counts, 0), total, input.detach())
    attrs = {"dim": d, "reduce": reduce, "include_self": include_self}
    record(out, "scatter_reduce", _scatter_reduce_grad, (input, src, index, counts), attrs)
    return reshape(out, shape)


def _folded_elements(kind: str, src: Tensor, index: Tensor, dim: int, x: Tensor) -> tuple[Tensor, Tensor]:
    """For each element of ``x`` those of ``src`` whose index names it, folded, and how many there are."""
    part = (*index.shape[:dim], x.shape[dim], *index.shape[dim + 1 :])
    found: Segments = segments(places(index, dim, x.shape[dim]), math.prod(part))
    total = folded(kind, reshape(src, (1, -1, 1)), found)
    return _whole(reshape(total, part), x), _whole(reshape(found.counts, part), x)


def _scatter_reduce_grad(
    g: Tensor, out: Tensor, x: Tensor, src: Tensor, index: Tensor, counts: Tensor,
    dim: int, reduce: str, include_self: bool,
) -> tuple[Any, ...]:  # fmt: skip
    named, part = ew.gt(counts, 0), _part(src, index)
    if reduce == "sum":
        own, each = g, elements_named(g, dim, index)
    elif reduce == "mean":
        share = g / ew.maximum(counts + int(include_self), 1)
        own, each = share, elements_named(share, dim, index)
    elif reduce == "prod":
        own, each = _prod_grad(g, x, part, index, dim, include_self)
    else:
        own_hit, hit = ew.eq(x, out), ew.eq(part, elements_named(out, dim, index))
        ties = scatter_add(ew.cast(own_hit, x.dtype) * float(include_self), dim, index, ew.cast(hit, x.dtype))
        share = g / ew.maximum(ties, 1)
        own, each = ew.where(own_hit, share, 0.0), ew.where(hit, elements_named(share, dim, index), 0.0)
    return ew.where(named, own if include_self else 0.0, g), _whole(each, src), None, None


def _prod_grad(
    g: Tensor, x: Tensor, part: Tensor, index: Tensor, dim: int, include_self: bool
) -> tuple[Tensor, Tensor]:
    """Each factor's gradient is the product of the others: exact where some are zero."""
    own = x if include_self else as_tensor(1.0, x.dtype, x.shape)
    own_zero, zero = ew.eq(own, 0), ew.eq(part, 0)
    rest = scatter_reduce(ew.where(own_zero, 1.0, own), dim, index, ew.where(zero, 1.0, part), "prod")
    zeros = scatter_add(ew.cast(own_zero, x.dtype), dim, index, ew.cast(zero, x.dtype))

    def others(factor: Tensor, is_zero: Tensor, rest: Tensor, zeros: Tensor) -> Tensor:
        without = ew.where(ew.eq(zeros, 0), rest / ew.where(is_zero, 1.0, factor), 0.0)
        return ew.where(is_zero, ew.where(ew.eq(zeros, 1), rest, 0.0), without)

    rest_each, zeros_each = elements_named(rest, dim, index), elements_named(zeros, dim, index)
    return g * others(own, own_zero, rest, zeros), elements_named(g, dim, index) * others(
        part, zero, rest_each, zeros_each
    )


@public(method=True)
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 on is among the integers ``input`` ``[k]``; or the sum of their ``weights``.

    Args:
        minlength: size of the result. Where the input lies on a device, larger numbers are counted nowhere.

    Raises:
        NotImplementedError: without ``minlength``, where the result's size depends on what lies on a device.
    """
    if input.ndim != 1 or input.dtype.computed is not dtypes.int32:
        raise ShapeError(f"bincount: expected 1-d integers, got {list(input.shape)} of {input.dtype.name}")
    if weights is not None and weights.shape != input.shape:
        raise ShapeError(f"bincount: expected weights {list(input.shape)}, got {list(weights.shape)}")
    size = max(minlength, _known_size(input))
    if size == 0 and input.shape[0]:
        raise NotImplementedError(
            "bincount: expected minlength, as the largest number lies on the device, got none; "
            "pass minlength, the number of bins"
        )
    index = ew.cast(input, dtypes.int32)
    if weights is not None:
        wide = dtypes.float32 if weights.dtype is dtypes.float32 else dtypes.float64
        return rows_added(ew.cast(weights.detach(), wide), index, 0, size)
    if size * index.shape[0] > MOST_COMPARED:
        return segments(index, size).counts
    return rows_added(ew.iota(index.shape, 0) * 0 + 1, index, 0, size)


def _known_size(input: Tensor) -> int:
    """One more than the largest number of a tensor that lies on the host; else 0."""
    held = input._node.host_elements()
    if held is None or not held.size:
        return 0
    current().own(Tracer).happens_once("its shape depends on values on the host")
    if held.min() < 0:
        raise ShapeError(f"bincount: expected numbers from 0 on, got {int(held.min())}")
    return int(held.max()) + 1
