"""The highest degree of polynomials whose degrees are a tensor: read back, as it is how many terms are computed."""

from __future__ import annotations

from tabgrad.host_ops.places import read_values
from tabgrad.names import public
from tabgrad.tensor import Tensor


@public(top=False)
def highest_degree(n: Tensor) -> int:
    """The largest of integers; 0 of none.

    Raises:
        DeviceError: this platform cannot wait.
        NotImplementedError: a step is being recorded.
    """
    return int(read_values("polynomials of degrees that are a tensor", n).max(initial=0))


__all__ = ["highest_degree"]
