"""``polygamma_``, whose function takes the tensor as its second argument."""

from __future__ import annotations

from tabgrad.names import public
from tabgrad.ops.rare.gamma import polygamma
from tabgrad.runtime.in_place import in_place
from tabgrad.tensor import Tensor


@public(top=False, method=True)
def polygamma_(input: Tensor, n: int) -> Tensor:
    """The ``n``-th derivative of :func:`digamma`, in place. Errors: :func:`polygamma`."""
    return in_place(input, lambda x: polygamma(n, x))


__all__ = ["polygamma_"]
