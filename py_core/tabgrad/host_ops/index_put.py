"""Values written or added at the places that index tensors name: ``index_put``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabgrad import dtypes
from tabgrad.errors import DTypeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.chosen import chosen
from tabgrad.ops.indexing import rows_added
from tabgrad.ops.movement import broadcast_to, reshape
from tabgrad.runtime.in_place import scattered
from tabgrad.tensor import Tensor


@public(method=True, inplace=True)
def index_put(input: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with ``values``, broadcast, where ``input[indices]`` reads, or added there.

    Args:
        indices: one for each of the leading dimensions: tensors of integers or bools, None for all rows.
        accumulate: add, in a fixed order; else the last of several values for one element counts.

    Raises:
        DTypeError: the dtypes differ.
        IndexError: an index on the host is out of range.
        ShapeError: the values do not broadcast.
    """
    if not isinstance(indices, Sequence):
        raise TypeError(f"index_put: expected indices as a tuple of tensors, got {type(indices).__name__}")
    if values.dtype is not input.dtype:
        raise DTypeError(
            f"index_put: expected values of {input.dtype.name}, got {values.dtype.name}; convert them first"
        )
    found = chosen(input, tuple(slice(None) if i is None else i for i in indices))
    if not found.dims or not input.numel():
        return clone(input)
    lined = found.lined(found.view)
    placed = broadcast_to(values, found.shape(lined))
    place, dim = found.place(), found.dim
    if not place.numel():
        return clone(input)
    if not accumulate:
        out = scattered(lined, dim, place, placed)
    else:
        rows = reshape(placed, (*lined.shape[:dim], place.numel(), *lined.shape[dim + 1 :]))
        if input.dtype is dtypes.bool_:
            rows = ew.cast(rows, dtypes.int32)
        added = rows_added(rows, reshape(place, (place.numel(),)), dim, lined.shape[dim])
        out = ew.logical_or(lined, added) if input.dtype is dtypes.bool_ else lined + added
    return reshape(found.unlined(out), input.shape)
