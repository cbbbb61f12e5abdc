"""PyTorch's ``torch.linalg``."""

# Written by build_scripts/stubs.py.

from collections.abc import Sequence

from tabgrad.dtypes import DType
from tabgrad.ops.folds import Dims
from tabgrad.tensor import Tensor

def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of three along ``dim``.

    Raises:
        ShapeError: the dimension has another size."""

def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of matrices, in the order of products that takes the fewest operations."""

def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Sums of products along ``dim``, broadcast."""

def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """``sum(|x| ** ord) ** (1 / ord)`` over ``dim`` (all by default).

    Args:
        ord: any number; infinite for the largest (or smallest) absolute value, 0 for how many are not 0.
        dtype: what elements are converted to first.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
        ShapeError: a dimension does not exist, or has no element that could be the largest."""
