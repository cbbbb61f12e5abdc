"""Values that are to be computed later than their arguments allow."""

from __future__ import annotations

from tabgrad.autograd import apply
from tabgrad.graph.op import elementwise_op
from tabgrad.ops.movement import broadcast_to
from tabgrad.tensor import Tensor

AFTER = elementwise_op("after", "{0}", lambda x, other: x, lambda grad, out, x, other: (grad, None))
"""The first argument. As it needs the second one, what is computed from it is not merged with what is computed from
the argument itself, nor computed before."""


def after(x: Tensor, other: Tensor) -> Tensor:
    """``x``, as a value that is not there before ``other`` is."""
    if not other.numel() or not x.numel():
        return x.clone()
    return apply(AFTER, x, broadcast_to(other.detach().reshape(-1)[:1].reshape(()), x.shape))


__all__ = ["AFTER", "after"]
