"""Indexing: basic (ints, slices, None, Ellipsis) as views; by integer tensors as gathers."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply, no_grad, record
from tabgrad.errors import ArgumentError, DTypeError, IndexRangeError, ShapeError
from tabgrad.graph.index import Coords, Index, variable
from tabgrad.graph.node import make
from tabgrad.graph.op import Attrs, Op, Reader, Shape, Text, View, register
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import as_tensor
from tabgrad.ops._rare import rare
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.chosen import Chosen, check_named, chosen
from tabgrad.ops.movement import another, broadcast_to, normalize_dim, reshape, transpose, unsqueeze
from tabgrad.ops.reduce import amax, sum
from tabgrad.ops.segment import folded, segments
from tabgrad.ops.slicing import slice_dims
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer

MOST_COMPARED = 2**24  # products of rows, positions and width: more compare all with all for longer than a sort takes
FEW = 4  # positions that are compared with all rows, whatever the width

# index_select: the one primitive. x [.., n, ..], index [k] -> [.., k, ..] along dim.


def _shape_rule(attrs: Attrs, x: Shape, index: Shape) -> Shape:
    d = attrs["dim"]
    return (*x[:d], index[0], *x[d + 1 :])


def _grad(g: Tensor, out: Tensor, x: Tensor, index: Tensor, dim: int) -> tuple[Any, ...]:
    return rows_added(g, index, dim, x.shape[dim]), None


def rows_added(source: Tensor, index: Tensor, dim: int, n: int) -> Tensor:
    """``n`` rows along ``dim``: each the sum of those rows of ``source`` whose ``index`` ``[k]`` names it.

    The order of the additions is fixed; sums of half-precision rows are kept in float32, and rounded once.
    """
    if source.dtype.is_narrow:
        return ew.cast(rows_added(ew.cast(source, source.dtype.computed), index, dim, n), source.dtype)
    with no_grad():
        out = _rows_added(source, index, dim, n)
    record(out, "index_add", _rows_added_grad, (source, index), {"dim": dim, "n": n})
    return out


def _rows_added_grad(g: Tensor, out: Tensor, source: Tensor, index: Tensor, dim: int, n: int) -> tuple[Any, ...]:
    return rows_named(g, dim, index), None


def _rows_added(source: Tensor, index: Tensor, dim: int, n: int) -> Tensor:
    k, before, after = source.shape[dim], source.shape[:dim], source.shape[dim + 1 :]
    if k <= FEW or n * source.numel() <= MOST_COMPARED:
        # out[.., v, ..] = sum over k with index[k] == v of source[.., k, ..]
        hit = ew.eq(ew.iota((n, k), 0), broadcast_to(reshape(index, (1, k)), (n, k)))
        hit = reshape(hit, (1,) * dim + (n, k) + (1,) * len(after))
        return sum(ew.where(hit, unsqueeze(source, dim), 0), dim + 1, dtype=source.dtype)
    rows = reshape(source, (math.prod(before), k, math.prod(after)))
    return reshape(folded("sum", rows, segments(index, n)), (*before, n, *after))


def _read_selected(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    dim, position = attrs["dim"], at.dims(reader.bind)
    return _read_named(reader, dim, position, Coords(reader.shapes[1], [position[dim]]))


def _read_named(reader: Reader, dim: int, position: list[Index], at: Coords) -> Text:
    """The first argument's element at a position, but along ``dim`` where the second argument's element ``at`` says."""
    source = reader.shapes[0]
    row, deps = reader.value(1, at)
    bounded = reader.bind(f"min(u32(max({row}, 0)), {source[dim] - 1}u)", deps)
    local = variable(bounded, source[dim], deps)
    value, value_deps = reader.value(0, Coords(source, [*position[:dim], local, *position[dim + 1 :]]))
    return value, value_deps | deps


INDEX_SELECT = register(
    Op(
        name="index_select",
        lowering=View(read=_read_selected, moves_one=False, follows=None),
        shape_rule=_shape_rule,
        dtype_rule=lambda attrs, x, index: x,
        reference=lambda attrs, x, index: np.take(x, index, attrs["dim"], mode="clip"),
        grad=_grad,
    )
)


@public(method=True, out=True)
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Rows ``index`` (int, 1-d) of ``input`` along ``dim``. Indices are in [0, n), which is not checked on a GPU.

    Raises:
        IndexRangeError: the dimension does not exist, or an index on the host is out of range.
        ShapeError: the index is not a 1-d tensor of integers.
    """
    d = normalize_dim(dim, input.ndim, "index_select")
    if index.ndim > 1 or index.dtype.computed is not dtypes.int32 or (not input.ndim and index.numel() != 1):
        raise IndexRangeError(
            f"index_select: expected a 1-d integer index, got {list(index.shape)} of {index.dtype.name}"
        )
    check_named("index_select", index, input.shape[d] if input.ndim else 1)
    if not input.ndim:
        return clone(input)
    return rows_named(input, d, ew.cast(reshape(index, (index.numel(),)), dtypes.int32))


def rows_named(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Rows ``index`` (int, 1-d) of ``x`` along ``dim``; indices outside are limited to it."""
    return apply(INDEX_SELECT, x, index, dim=dim)


_OPTIONS = "tabgrad.ops.rare.embedding_bags"  # what few programs ask of embeddings


@public(functional=True)
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of ``weight`` ``[v, d]`` at the integers ``input``: ``[*input, d]``.

    Args:
        padding_idx: a number whose row gets no gradient; negative ones count from the end.
        max_norm: rows that are looked up and longer, by the norm of ``norm_type``, are scaled to it in place.
        scale_grad_by_freq: whether a row's gradient is divided by how often it is looked up.

    Raises:
        NotImplementedError: ``sparse``.
    """
    if sparse:
        raise NotImplementedError("embedding with sparse=True is not supported; gradients are dense: leave it out")
    if input.dtype is not dtypes.int32:
        raise DTypeError(f"embedding: expected integer indices, got {input.dtype.name}")
    if weight.ndim != 2:
        raise ShapeError(f"embedding: expected weight [v, d], got {list(weight.shape)}")
    check_named("embedding", input, weight.shape[0])
    if max_norm is not None:
        import_module(_OPTIONS).embedding_renorm_(weight, input, max_norm, norm_type)
    rows = rows_named(weight, 0, reshape(input, (input.numel(),)))
    out = reshape(rows, (*input.shape, weight.shape[1]))
    if scale_grad_by_freq:
        out = import_module(_OPTIONS).by_frequency(out, input, weight.shape[0])
    if padding_idx is None:
        return out
    is_padding = unsqueeze(ew.eq(input, padding_idx % weight.shape[0]), -1)  # (*input, 1)
    return ew.where(is_padding, out.detach(), out)


# gather: x [.., n, ..], index [.., k, ..] of the same other dimensions -> [.., k, ..] along dim.


def _read_gathered(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    position = at.dims(reader.bind)
    return _read_named(reader, attrs["dim"], position, Coords(reader.shapes[1], position))


GATHER = register(
    Op(
        name="gather",
        lowering=View(read=_read_gathered, moves_one=False, follows=None),
        shape_rule=lambda attrs, x, index: index,
        dtype_rule=lambda attrs, x, index: x,
        reference=lambda attrs, x, index: np.take_along_axis(
            x, np.clip(index, 0, x.shape[attrs["dim"]] - 1), attrs["dim"]
        ),
        grad=lambda g, out, x, index, dim: (elements_added(g, index, dim, x.shape[dim]), None),
    )
)


@public(method=True, out=True)
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """``out[i][j] = input[index[i][j]][j]`` for ``dim=0``.

    Args:
        sparse_grad: the gradient is dense, which is the same to what follows.

    Raises:
        DTypeError: the index has no integers.
        IndexRangeError: the dimension does not exist, or an index on the host is out of range.
        ShapeError: another dimension of ``index`` is larger than that of ``input``.
    """
    if not (input.ndim and index.ndim):
        lines = [reshape(t, t.shape or (1,)) for t in (input, index)]
        return reshape(gather(lines[0], dim, lines[1]), index.shape)
    d = check_places("gather", input, dim, index)
    if not index.numel():
        return reshape(slice_dims(reshape(input, (input.numel(),)), {0: (0, 1, 0)}), index.shape)
    return elements_named(input, d, ew.cast(index, dtypes.int32))


def elements_named(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """As :func:`gather`; indices outside are limited to the dimension."""
    x = slice_dims(x, {i: (0, 1, n) for i, n in enumerate(index.shape) if i != dim})
    return apply(GATHER, x, index, dim=dim)


def check_places(caller: str, x: Tensor, dim: int, index: Tensor) -> int:
    """The dimension, counted from the front, along which an ``index`` of as many dimensions names elements of ``x``.

    Raises:
        DTypeError: the index has no integers.
        IndexRangeError: the dimension does not exist, or an index on the host is out of range.
        ShapeError: it does not fit.
    """
    d = normalize_dim(dim, x.ndim, caller)
    if index.dtype.computed is not dtypes.int32:
        raise DTypeError(f"{caller}: expected an integer index, got {index.dtype.name}")
    if not index.numel():
        return d
    beyond = any(a > b for i, (a, b) in enumerate(zip(index.shape, x.shape, strict=False)) if i != d)
    if index.ndim != x.ndim or beyond:
        raise ShapeError(f"{caller}: expected an index that fits {list(x.shape)}, got {list(index.shape)}")
    check_named(caller, index, x.shape[d] if x.ndim else 1)
    return d


def elements_added(source: Tensor, index: Tensor, dim: int, n: int) -> Tensor:
    """``n`` elements along ``dim``: each the sum of those elements of ``source`` whose ``index`` names it.

    ``source`` and ``index`` have one shape. As :func:`rows_added`.
    """
    if source.dtype.is_narrow:
        return ew.cast(elements_added(ew.cast(source, source.dtype.computed), index, dim, n), source.dtype)
    with no_grad():
        out = _elements_added(source, index, dim, n)
    record(out, "scatter_add", _elements_added_grad, (source, index), {"dim": dim, "n": n})
    return out


def _elements_added_grad(g: Tensor, out: Tensor, source: Tensor, index: Tensor, dim: int, n: int) -> tuple[Any, ...]:
    return apply(GATHER, g, index, dim=dim), None


def _elements_added(source: Tensor, index: Tensor, dim: int, n: int) -> Tensor:
    k, before, after = source.shape[dim], source.shape[:dim], source.shape[dim + 1 :]
    if k <= FEW or n * source.numel() <= MOST_COMPARED:
        shape = (*before, k, n, *after)
        hit = ew.eq(ew.iota(shape, dim + 1), broadcast_to(unsqueeze(index, dim + 1), shape))
        return sum(ew.where(hit, broadcast_to(unsqueeze(source, dim + 1), shape), 0), dim, dtype=source.dtype)
    out = folded("sum", reshape(source, (1, -1, 1)), segments(places(index, dim, n), math.prod((*before, n, *after))))
    return reshape(out, (*before, n, *after))


def last_named(index: Tensor, n: int) -> Tensor:
    """For each of ``n`` numbers the last position of the ``index`` ``[k]`` that names it; -1 of those without one."""
    k = index.shape[0]
    with no_grad():
        if k == 0:
            return ew.iota((n,), 0) * 0 - 1
        if n * k <= MOST_COMPARED:
            hit = ew.eq(ew.iota((n, k), 0), reshape(index, (1, k)))
            return amax(ew.where(hit, ew.iota((n, k), 1) + 1, 0), 1) - 1
        found = segments(index, n)
        last = rows_named(found.order, 0, found.ends - 1)
        return ew.where(ew.gt(found.counts, 0), last, -1)


def places(index: Tensor, dim: int, n: int) -> Tensor:
    """Where the elements that an index names lie in a tensor with ``n`` elements along ``dim``, row by row: ``[k]``.

    -1 of an index outside.
    """
    shape = (*index.shape[:dim], n, *index.shape[dim + 1 :])
    step = math.prod(shape[dim + 1 :])
    at = index * step
    for d, _ in enumerate(shape):
        if d != dim and shape[d] > 1:
            at = at + ew.iota(index.shape, d) * math.prod(shape[d + 1 :])
    inside = ew.logical_and(ew.ge(index, 0), ew.lt(index, n))
    return reshape(ew.where(inside, at, -1), -1)


@public(functional=True)
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """``[*tensor, num_classes]`` with 1 at each index; int32 as in PyTorch.

    Args:
        tensor: integers; others than 0 to ``num_classes - 1`` have no 1.
        num_classes: one more than the largest index by default, for which the tensor is read back.

    Raises:
        ArgumentError: ``num_classes`` is less than 1, and not -1.
        DeviceError: without ``num_classes``, on a platform that cannot wait for a device.
        NotImplementedError: without ``num_classes``, while a step is recorded.
    """
    if num_classes == -1:
        num_classes = rare("class_count")(tensor)
    if num_classes < 1:
        raise ArgumentError(f"one_hot: expected num_classes of at least 1, or -1, got {num_classes}")
    if tensor.dtype is not dtypes.int64:
        raise DTypeError(f"one_hot: expected indices of int64, got {tensor.dtype.name}; use tensor.long()")
    check_named("one_hot", tensor, num_classes)
    shape = (*tensor.shape, num_classes)
    return ew.cast(ew.eq(ew.iota(shape, len(shape) - 1), broadcast_to(unsqueeze(tensor, -1), shape)), dtypes.int32)


@public(top=False, operator="getitem", varying_ints=True, another=another)
def getitem(input: Tensor, index: Any) -> Tensor:
    """``input[index]`` for ints, slices, None, Ellipsis, and tensors, arrays and lists of integers or bools.

    Several tensors are broadcast to one shape, and name elements together; where a slice stands between them, their
    dimensions come first, as in PyTorch.

    Raises:
        IndexError: an integer is out of range, or there are too many indices.
        DeviceError: a bool mask, whose number of places is read back, on a platform that cannot wait.
        NotImplementedError: a bool mask while a step is recorded, as the result's size depends on data.
    """
    found = chosen(input, index)
    if found.starts:
        _move(input, found)
    if not found.dims:
        return found.view
    lined = found.lined(found.view)
    place = found.place()
    return reshape(rows_named(lined, found.dim, reshape(place, (place.numel(),))), found.shape(lined))


def _move(x: Tensor, found: Chosen) -> None:
    """Let a view begin where numbers say that differ from round to round of a loop, so that one program serves all."""
    node = x._node
    with no_grad():
        for dim, (start, step, length) in found.starts.items():
            index = ew.iota((length,), 0) * step + as_tensor(start, dtypes.int32)
            node = make(INDEX_SELECT, node, index._node, dim=dim)
        rest = Tensor._from_node(node, x._session)
        whole = {
            d: (0, 1, n) if d in found.starts else found.ranges.get(d, (0, 1, n)) for d, n in enumerate(rest.shape)
        }
        found.view._node = reshape(slice_dims(rest, whole), found.view.shape)._node
    starts = [start for start, _, _ in found.starts.values()]
    current().own(Tracer).windows(found.view, starts)


__all__ = [
    "GATHER", "INDEX_SELECT", "check_places", "elements_added", "elements_named", "embedding", "gather", "getitem",
    "index_select", "last_named", "one_hot", "places", "rows_added", "rows_named", "transpose",
]  # fmt: skip
