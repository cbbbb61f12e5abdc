"""What index tensors choose of a tensor: positions along the indexed dimensions, which are taken as one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.errors import IndexDTypeError, IndexRangeError, ShapeError
from tabgrad.graph.op import Shape
from tabgrad.late import load_function
from tabgrad.names import PUBLIC
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.movement import broadcast_to, permute, reshape
from tabgrad.ops.slicing import slice_dims
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.number import Number
from tabgrad.tracing.tracer import Tracer

Range = tuple[int, int, int]


@dataclass(frozen=True)
class Chosen:
    """The places that an index names."""

    view: Tensor  # with the integers, slices and None of the index applied
    dims: tuple[int, ...]  # of the view, that tensors index; none if there are no index tensors
    index: tuple[Tensor, ...]  # for each of them, counted from the front; of one shape
    ranges: dict[int, Range]  # start, step and length along the other dimensions
    starts: dict[int, tuple[Number, int, int]]  # the same, where starts differ from round to round of a loop

    @property
    def dim(self) -> int:
        """The dimension of :meth:`lined` along which elements are chosen."""
        return self.dims[0] if self._are_adjacent else 0

    @property
    def _are_adjacent(self) -> bool:
        return self.dims == tuple(range(self.dims[0], self.dims[0] + len(self.dims)))

    @property
    def _order(self) -> tuple[int, ...]:
        """The view's dimensions with the indexed ones side by side: first, unless they are so already."""
        if self._are_adjacent:
            return tuple(range(self.view.ndim))
        return (*self.dims, *(d for d in range(self.view.ndim) if d not in self.dims))

    def place(self) -> Tensor:
        """Positions along the dimension, of the index tensors' shape."""
        sizes = [self.view.shape[d] for d in self.dims]
        place = self.index[0]
        for index, n in zip(self.index[1:], sizes[1:], strict=True):
            place = place * n + index
        return place

    def lined(self, whole: Tensor) -> Tensor:
        """A tensor of the view's shape with the indexed dimensions taken as one."""
        if len(self.dims) == 1:
            return whole
        moved = whole if self._are_adjacent else permute(whole, self._order)
        at, n = self.dim, math.prod(self.view.shape[d] for d in self.dims)
        return reshape(moved, (*moved.shape[:at], n, *moved.shape[at + len(self.dims) :]))

    def unlined(self, lined: Tensor) -> Tensor:
        """The inverse of :meth:`lined`."""
        if len(self.dims) == 1:
            return lined
        moved = reshape(lined, tuple(self.view.shape[d] for d in self._order))
        return moved if self._are_adjacent else permute(moved, tuple(int(d) for d in np.argsort(self._order)))

    def shape(self, lined: Tensor) -> Shape:
        """Of what is chosen."""
        return lined.shape[: self.dim] + self.index[0].shape + lined.shape[self.dim + 1 :]


def chosen(x: Tensor, index: Any) -> Chosen:
    """What ``x[index]`` means, for ints, slices, None, Ellipsis, bools, and tensors, arrays and lists of ints or bools.

    Raises:
        IndexError: an integer is out of range, there are too many indices, or a mask does not fit.
        NotImplementedError: a bool mask while a step is recorded, as the result's size depends on data.
    """
    items = [mask if (mask := mask_of(i)) is not None else i for i in items_of(index)]
    count = sum(_consumed(i) for i in items)
    if count > x.ndim:
        raise IndexError(f"indexing: expected at most {x.ndim} indices for shape {list(x.shape)}, got {count}")
    if not any(i is Ellipsis for i in items):
        items.append(Ellipsis)
    at = next(k for k, i in enumerate(items) if i is Ellipsis)
    items[at : at + 1] = [slice(None)] * (x.ndim - count)

    ranges: dict[int, Range] = {}
    starts: dict[int, tuple[Number, int, int]] = {}
    shape: list[int] = []
    dims: list[int] = []
    tensors: list[Tensor] = []
    dim = 0
    for item in items:
        if item is None:
            shape.append(1)
            continue
        if isinstance(item, Tensor) and item.dtype is dtypes.bool_:
            if item.shape != x.shape[dim : dim + item.ndim]:
                raise IndexRangeError(
                    f"indexing: expected a mask of shape {list(x.shape[dim : dim + item.ndim])}, got {list(item.shape)}"
                )
            shape += x.shape[dim : dim + item.ndim] if item.ndim else (1,)
            rows = _where_holds(item)
            dims += range(len(shape) - len(rows), len(shape))
            tensors += rows
            dim += item.ndim
            continue
        n = x.shape[dim]
        moving = _moving(item, n) if not x.requires_grad else None
        if moving is not None:
            starts[dim] = moving
            ranges[dim] = moving[0].value, moving[1], moving[2]
            if isinstance(item, slice):
                shape.append(moving[2])
        elif isinstance(item, slice):
            ranges[dim] = _range(item, n)
            shape.append(ranges[dim][2])
        elif isinstance(item, int | np.integer) and not isinstance(item, bool):
            if not -n <= item < n:
                raise IndexError(f"index {item} is out of bounds for dimension {dim} with size {n}")
            ranges[dim] = (int(item) % n, 1, 1)
        else:
            dims.append(len(shape))
            tensors.append(integer_index(item, n))
            shape.append(n)
        dim += 1
    if len(tensors) > 1:
        common = tensors[0].shape
        for t in tensors[1:]:
            try:
                common = broadcast_shapes(common, t.shape, caller="indexing")
            except ShapeError as error:
                raise IndexRangeError(str(error)) from None
        tensors = [broadcast_to(t, common) for t in tensors]
    return Chosen(reshape(slice_dims(x, ranges), tuple(shape)), tuple(dims), tuple(tensors), ranges, starts)


def items_of(index: Any) -> list[Any]:
    """The indices of the dimensions; a list of more than numbers is one for each, unless it is a mask."""
    if isinstance(index, list):
        parts = any(i is None or i is Ellipsis or isinstance(i, _PARTS) for i in index)
        return index if parts and not _is_bools(index) else [index]
    return list(index) if isinstance(index, tuple) else [index]


def _is_bools(index: Any) -> bool:
    return all(_is_bools(i) for i in index) if isinstance(index, list) else isinstance(index, bool | np.bool_)


_PARTS = (Tensor, slice, list, tuple, np.ndarray)


def mask_of(item: Any) -> Tensor | None:
    """An index of bools as a tensor; None of another index."""
    if isinstance(item, Tensor):
        return item if item.dtype is dtypes.bool_ else None
    if isinstance(item, bool | np.bool_):
        return Tensor._of(np.asarray(item))
    if isinstance(item, np.ndarray | list) and (array := np.asarray(item)).dtype == np.bool_:
        return Tensor._of(array)
    return None


def _consumed(item: Any) -> int:
    """How many dimensions an index names."""
    if isinstance(item, Tensor) and item.dtype is dtypes.bool_:
        return item.ndim
    return 0 if item is None or item is Ellipsis else 1


def _where_holds(mask: Tensor) -> tuple[Tensor, ...]:
    """The places of a mask as an index along each of its dimensions: read back, as their number depends on data."""
    if current().capturing() is not None:
        raise NotImplementedError(
            "indexing with a bool mask inside tabgrad.compile is not supported, as its result's size depends on data; "
            "use tabgrad.where, or a sum of what the mask multiplies"
        )
    load_function("nonzero")
    found: tuple[Tensor, ...] = PUBLIC["nonzero"].function(mask, as_tuple=True)
    return found


def _moving(item: Any, n: int) -> tuple[Number, int, int] | None:
    """Of an integer, or a slice of fixed length, that differs from round to round: start, step and length.

    None of what is limited to the ``n`` elements, or is all of them.
    """
    if type(item) is Number:
        if not -n <= item < n or n == 1:
            return None
        return (item if item >= 0 else item + n), 1, 1
    if not isinstance(item, slice) or type(item.start) is not Number:
        return None
    step = 1 if item.step is None else int(item.step)
    start, stop = item.start, n if item.stop is None else item.stop
    if type(stop) is Number and stop < 0:
        stop = stop + n
    if start < 0:
        start = start + n
    if step < 1 or not (start >= 0 and start < stop and stop <= n):
        return None
    length = -(-(int(stop - start)) // step)
    return None if length == n else (start, step, length)


def _range(item: slice, n: int) -> tuple[int, int, int]:
    if any(isinstance(bound, Tensor) for bound in (item.start, item.stop, item.step)):
        item = slice(*(int(b) if isinstance(b, Tensor) else b for b in (item.start, item.stop, item.step)))
    if item.step is not None and item.step <= 0:
        raise ValueError(f"indexing: expected a slice with a step above 0, got {item.step}; use flip for -1")
    start, stop, step = item.indices(n)
    return start, step, len(range(start, stop, step))


def integer_index(item: Any, n: int) -> Tensor:
    """An index of a dimension of ``n`` elements, counted from the front; what lies on the host is checked."""
    if not isinstance(item, Tensor):
        if not isinstance(item, list | tuple | range | np.ndarray):
            raise (TypeError if isinstance(item, str) else IndexError)(
                f"indexing: expected ints, slices, None, Ellipsis, tensors, arrays or lists, got {type(item).__name__}"
            )
        array = np.asarray(item)
        item = Tensor._of(array, dtypes.int32 if array.dtype.kind in "iu" or not array.size else None)
    if item.dtype is not dtypes.int32 and item.dtype in (dtypes.int8, dtypes.uint32):
        item = ew.cast(item, dtypes.int32)
    if item.dtype is not dtypes.int32:
        raise IndexDTypeError(f"indexing: expected an integer tensor, got {item.dtype.name}")
    current().own(Tracer).check(item, lambda index: _check_bounds(index, n))
    return ew.where(ew.lt(item, 0), item + n, item)


def check_named(caller: str, index: Tensor, n: int) -> None:
    """Look at an index that lies on the host and may not count from the end.

    Raises:
        IndexRangeError: it names none of ``n`` elements.
    """

    def check(index: Tensor) -> None:
        values = index._node.host_elements()
        if values is not None and values.size and (values.min() < 0 or values.max() >= n):
            bad = values.max() if values.max() >= n else values.min()
            raise IndexRangeError(f"{caller}: expected indices in [0, {n - 1}], got {bad}, which is out of bounds")

    current().own(Tracer).check(index, check)


def _check_bounds(index: Tensor, n: int) -> None:
    values = index._node.host_elements()
    if values is not None and values.size and (values.min() < -n or values.max() >= n):
        raise IndexError(f"index {values.max() if values.max() >= n else values.min()} is out of bounds for size {n}")


__all__ = ["Chosen", "check_named", "chosen", "integer_index", "items_of", "mask_of"]
