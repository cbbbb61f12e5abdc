"""``tabgrad.matrix_exp``."""

from __future__ import annotations

from tabgrad.host_ops.linalg_powers import exponential
from tabgrad.names import public
from tabgrad.tensor import Tensor


@public(method=True)
def matrix_exp(input: Tensor) -> Tensor:
    """As ``linalg.matrix_exp``."""
    return exponential("matrix_exp", input)
