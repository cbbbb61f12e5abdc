"""Random choices with given probabilities."""

from __future__ import annotations

import math

from tabgrad import dtypes
from tabgrad.autograd import no_grad
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.movement import reshape, unsqueeze
from tabgrad.ops.random_tensors import rand, torch_draws
from tabgrad.ops.reduce import sum
from tabgrad.ops.scan import cumsum
from tabgrad.ops.slicing import narrow
from tabgrad.ops.sorting import topk
from tabgrad.random import Generator
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer


@public(method=True, out=True, draws=True)
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Places of ``num_samples`` random elements of each row, as likely as the row's numbers say; int32.

    With replacement, uniform numbers are looked up among the running sums. Without, the elements with the largest
    ``p / e``, e drawn from an exponential distribution, are taken (Efraimidis & Spirakis 2006). It runs on the
    device: negative weights, and rows with fewer nonzero weights than samples, cannot raise there.

    Args:
        input: weights ``[N]`` or ``[rows, N]``, not negative; they need not sum to 1.

    Returns:
        ``[num_samples]`` or ``[rows, num_samples]``.

    Raises:
        DTypeError: the weights are no floats.
        ShapeError: without replacement there are fewer than ``num_samples`` elements.
    """
    if not input.dtype.is_floating_point:
        raise DTypeError(f"multinomial: expected floating-point weights, got {input.dtype.name}; use x.float()")
    if input.ndim not in (1, 2) or not input.shape[-1]:
        raise ShapeError(f"multinomial: expected weights [N] or [rows, N], got {list(input.shape)}")
    n = input.shape[-1]
    if num_samples < 1 or (not replacement and num_samples > n):
        most = "" if replacement else f" and at most {n}, the number of elements,"
        raise ShapeError(f"multinomial: expected num_samples of at least 1{most} got {num_samples}")
    needed = 1 if replacement else num_samples
    current().own(Tracer).check(input, lambda weights: _check_held(weights, needed))
    with no_grad():
        p = ew.cast(input.detach(), dtypes.float32)
        rows = p if p.ndim == 2 else reshape(p, (1, n))
        if (torch := torch_draws(generator)) is not None:
            found = torch.multinomial(reshape(input.detach(), rows.shape), num_samples, replacement)
        elif replacement:
            sums = cumsum(rows, 1)
            total = narrow(sums, 1, n - 1, 1)
            u = rand((rows.shape[0], num_samples), generator=generator) * total
            found = sum(ew.cast(ew.le(unsqueeze(sums, 1), unsqueeze(u, 2)), dtypes.int32), 2)
            largest = sum(ew.cast(ew.lt(sums, total), dtypes.int32), 1, keepdim=True)  # the last one that is likely
            found = ew.minimum(found, largest)
        else:
            e = -ew.log(1.0 - rand(rows.shape, generator=generator))
            score = ew.log(rows) - ew.log(ew.maximum(e, 1e-30))
            score = ew.where(ew.gt(rows, 0), score, -math.inf)
            found = topk(score, num_samples, 1).indices
    return found if input.ndim == 2 else reshape(found, (num_samples,))


def _check_held(input: Tensor, needed: int) -> None:
    """Look at weights that lie on the host."""
    held = input._node.host_elements()
    if held is None or not held.size or input.dtype is not dtypes.float32:
        return
    values = held.reshape(input.shape)
    if not (values >= 0).all() or (values == math.inf).any():
        raise ShapeError("multinomial: expected weights of at least 0 and finite, got others")
    if ((values > 0).sum(-1) < needed).any():
        raise ShapeError(f"multinomial: expected at least {needed} weights above 0 in each row, got fewer")
