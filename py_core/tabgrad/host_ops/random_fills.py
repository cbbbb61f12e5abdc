"""Random numbers of other distributions, and the methods that fill a tensor with them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, DTypeError
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor, broadcast_shapes
from tabgrad.ops.arithmetic import clamp
from tabgrad.ops.comparison import cast, lt
from tabgrad.ops.creation import sizes_of
from tabgrad.ops.elementwise import ceil, exp, log
from tabgrad.ops.random_tensors import rand, randint, randn, torch_draws
from tabgrad.random import Generator
from tabgrad.runtime.in_place import in_place
from tabgrad.session import current
from tabgrad.tensor import Tensor


def _floats(caller: str, input: Tensor) -> None:
    if not input.dtype.is_floating_point:
        raise DTypeError(f"{caller}: expected a floating-point tensor, got {input.dtype.name}; convert it")


@public(creates=True, out=True)
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from normal distributions.

    Args:
        mean, std: numbers with ``size``; or tensors, of which one may be a number, and no ``size``.

    Raises:
        ArgumentError: ``std`` is negative.
        ShapeError: the shapes do not broadcast.
    """
    shapes = [t.shape for t in (mean, std) if isinstance(t, Tensor)]
    if not isinstance(std, Tensor) and std < 0:
        raise ArgumentError(f"normal: expected std of at least 0, got {std}")
    if bool(shapes) == (size is not None):
        raise TypeError("normal: expected size with two numbers, and none with tensors")
    shape = broadcast_shapes(*shapes, caller="normal") if shapes else sizes_of((), size)
    if (torch := torch_draws(generator)) is not None and not shapes:
        made: Tensor = torch.normal_tensor(shape, dtype, float(mean), float(std))
        return made.requires_grad_() if requires_grad else made
    center, width = (t.detach() if isinstance(t, Tensor) else t for t in (mean, std))
    out = randn(shape, generator=generator) * width + center
    out = out if dtype is None else cast(out, dtype)
    return out.requires_grad_() if requires_grad else out


@public(top=False, method=True)
def exponential_(input: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers from an exponential distribution of mean ``1 / lambd``.

    Raises:
        ArgumentError: ``lambd`` is not positive.
    """
    _floats("exponential_", input)
    if not lambd > 0:
        raise ArgumentError(f"exponential_: expected lambd above 0, got {lambd}")
    if (torch := torch_draws(generator)) is not None:
        return in_place(input, lambda x: torch.exponential_tensor(x.shape, x.dtype, lambd, input))
    return in_place(input, lambda x: log(1.0 - rand(x.shape, generator=generator)) / -lambd)


@public(top=False, method=True)
def geometric_(input: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with how many trials of probability ``p`` there are up to the first success.

    Raises:
        ArgumentError: ``p`` is not between 0 and 1.
    """
    if not 0 < p < 1:
        raise ArgumentError(f"geometric_: expected p between 0 and 1, got {p}")

    def change(x: Tensor) -> Tensor:
        if (torch := torch_draws(generator)) is not None:
            drawn: Tensor = torch.geometric_tensor(x.shape, x.dtype, p, input)
            return drawn
        trials = clamp(ceil(log(1.0 - rand(x.shape, generator=generator)) / math.log1p(-p)), min=1)
        return cast(trials, x.dtype)

    return in_place(input, change)


@public(top=False, method=True)
def cauchy_(input: Tensor, median: float = 0, sigma: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers from a Cauchy distribution.

    Raises:
        ArgumentError: ``sigma`` is not positive.
    """
    _floats("cauchy_", input)
    if not sigma > 0:
        raise ArgumentError(f"cauchy_: expected sigma above 0, got {sigma}")

    def change(x: Tensor) -> Tensor:
        if (torch := torch_draws(generator)) is not None:
            drawn: Tensor = torch.cauchy_tensor(x.shape, x.dtype, median, sigma, input)
            return drawn
        angle = (rand(x.shape, generator=generator) - 0.5) * math.pi
        return angle.sin() / angle.cos() * sigma + median

    return in_place(input, change)


@public(top=False, method=True)
def log_normal_(input: Tensor, mean: float = 1, std: float = 2, *, generator: Generator | None = None) -> Tensor:
    """Fill with exponentials of numbers from a normal distribution.

    Raises:
        ArgumentError: ``std`` is not positive.
    """
    _floats("log_normal_", input)
    if not std > 0:
        raise ArgumentError(f"log_normal_: expected std above 0, got {std}")
    if (torch := torch_draws(generator)) is not None:
        return in_place(input, lambda x: torch.log_normal_tensor(x.shape, x.dtype, mean, std, input))
    return in_place(input, lambda x: exp(randn(x.shape, generator=generator) * std + mean))


@public(top=False, method=True)
def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with 1 with probability ``p``, a number or a tensor, and else 0.

    Raises:
        ArgumentError: ``p`` is not in [0, 1].
    """
    if not isinstance(p, Tensor) and not 0 <= p <= 1:
        raise ArgumentError(f"bernoulli_: expected p in [0, 1], got {p}")
    if (torch := torch_draws(generator)) is not None:
        return in_place(input, lambda x: torch.bernoulli(p, x.shape, x.dtype, input))
    return in_place(input, lambda x: cast(lt(rand(x.shape, generator=generator), as_tensor(p)), x.dtype))


_MOST = {dtypes.float32: 2**24, dtypes.float16: 2**11, dtypes.bfloat16: 2**8, dtypes.bool_: 1, dtypes.int8: 2**7 - 1,
         dtypes.uint8: 2**8 - 1}  # fmt: skip


@public(top=False, method=True)
def random_(input: Tensor, *limits: Any, generator: Generator | None = None, **named: Any) -> Tensor:
    """Fill with integers: ``random_()`` up to the dtype's largest, ``random_(to)``, or ``random_(from, to)``.

    Raises:
        ShapeError: the range is empty, or beyond 32 bits.
    """
    start, end = named.pop("from", 0), named.pop("to", None)
    if named or len(limits) > 2:
        raise TypeError(f"random_: expected at most from and to, got {limits} and {sorted(named)}")
    if limits:
        start, end = (0, limits[0]) if len(limits) == 1 and end is None else (limits[0], [*limits, end][1])
    torch = torch_draws(generator)
    if torch is not None and end is None and input.dtype is dtypes.int32:
        raise NotImplementedError(
            "random_: expected limits inside torch_rng(), got none for int64, whose 63 bits have no place in int32; "
            "pass random_(from, to)"
        )
    if end is None:
        end = _MOST.get(input.dtype, 2**31 - 1) + 1
    if torch is not None:
        return in_place(input, lambda x: torch.integers_tensor(x.shape, x.dtype, start, end, input))
    return in_place(input, lambda x: cast(randint(start, end, x.shape, generator=generator), x.dtype))


@public(traced=False)
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Numbers from Poisson distributions of these means, drawn on the host: it waits for the device.

    Raises:
        ArgumentError: a mean is negative.
        DTypeError: the means are not floating point.
    """
    _floats("poisson", input)
    source = generator or current().generator
    means = input.detach().float().numpy().astype(np.float64)
    if means.size and not means.min() >= 0:
        raise ArgumentError(f"poisson: expected means of at least 0, got {means.min()}")
    if (torch := torch_draws(source)) is not None:
        made: Tensor = torch.poisson_tensor(input)
        return made
    drawn = np.random.Generator(np.random.Philox(key=[source.key, source.next_draw()])).poisson(means)
    return Tensor._of(np.asarray(drawn, np.float32), input.dtype)
