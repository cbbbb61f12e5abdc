"""``fill_diagonal_``: a number on the main diagonal, in place."""

from __future__ import annotations

from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.indexed_writes import of_dtype
from tabgrad.runtime.in_place import in_place
from tabgrad.tensor import Tensor


@public(top=False, method=True)
def fill_diagonal_(input: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Set the elements whose indices along all dimensions are equal.

    Args:
        wrap: of a matrix with more rows than columns: begin again below the diagonal, after one row that stays.

    Raises:
        ShapeError: there are fewer than two dimensions, or more than two that differ.
    """
    shape = input.shape
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise ShapeError(f"fill_diagonal_: expected a matrix, or dimensions of one size, got {list(shape)}")
    row = ew.iota(shape, 0)
    row = row % (shape[1] + 1) if wrap and len(shape) == 2 else row
    hit = ew.eq(row, ew.iota(shape, 1))
    for d in range(2, len(shape)):
        hit = ew.logical_and(hit, ew.eq(row, ew.iota(shape, d)))
    return in_place(input, lambda x: ew.where(hit, of_dtype(fill_value, x.dtype), x))
