"""``tabgrad.norm``: PyTorch's older function for norms of vectors."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError
from tabgrad.host_ops.matrix_norms import of_matrices
from tabgrad.names import public
from tabgrad.ops.folds import Dims
from tabgrad.ops.rare.vector_norms import floats, lengths
from tabgrad.tensor import Tensor


@public(method=True, out=True)
def norm(input: Tensor, p: Any = "fro", dim: Dims = None, keepdim: bool = False, dtype: DType | None = None) -> Tensor:
    """``sum(|x| ** p) ** (1 / p)`` over ``dim`` (all by default), also where that is a pair.

    Args:
        p: any number, infinite ones too; ``fro`` for 2; ``nuc`` for the sum of a matrix's singular values, which
            the host computes.
        dtype: what elements are converted to first.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
        ShapeError: a dimension does not exist.
    """
    x = floats("norm", input, dtype)
    if p == "nuc":
        return of_matrices("norm", x, "nuc", (0, 1) if dim is None and x.ndim == 2 else dim, keepdim)
    if p == "inf":
        p = math.inf
    if isinstance(p, str) and p != "fro":
        raise ArgumentError(f"norm: expected p as a number, 'fro' or 'nuc', got {p!r}")
    return lengths("norm", x, 2.0 if p in ("fro", None) else float(p), dim, keepdim)
