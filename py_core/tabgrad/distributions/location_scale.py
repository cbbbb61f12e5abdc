"""Distributions whose samples are a function of one uniform variable each."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tabgrad import ops
from tabgrad.distributions import constraints
from tabgrad.distributions.constraints import Constraint
from tabgrad.distributions.distribution import Distribution, ExponentialFamily, Sizes, broadcast_all
from tabgrad.ops.random_tensors import torch_draws
from tabgrad.tensor import Tensor

_TINY = 2.0**-126
_EULER = 0.5772156649015329
_LOC_SCALE: dict[str, Constraint] = {"loc": constraints.real, "scale": constraints.positive}


class _ByInverse(Distribution):
    """Samples are ``icdf`` of uniform numbers, which keeps the gradients."""

    has_rsample = True

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        shape, torch = self._extended_shape(sample_shape), torch_draws(None)
        return self.icdf(open_uniform(shape)) if torch is None else self._from_torch(torch, shape)

    def _from_torch(self, torch: Any, shape: Sizes) -> Tensor:
        """Samples of the numbers that PyTorch draws for them."""
        raise torch.differs(f"{type(self).__name__}.rsample")


def open_uniform(shape: Sizes) -> Tensor:
    """Uniform numbers above 0 and below 1."""
    return ops.clamp(ops.rand(*shape), 2.0**-25)


class Uniform(_ByInverse):
    """Uniform from ``low`` to ``high``."""

    arg_constraints: ClassVar[dict[str, Constraint]] = {"low": constraints.dependent, "high": constraints.dependent}
    parameters: ClassVar[dict[str, int]] = {"low": 0, "high": 0}

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, (), validate_args)
        if self._validates:
            self._check(constraints.greater_than(self.low), self.high, "high above low")

    @property
    def support(self) -> Constraint:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return math.nan * self.high

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low).square() / 12

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        return self.low + ops.rand(*self._extended_shape(sample_shape)) * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        inside = ops.logical_and(self.low <= value, self.high > value)
        return ops.where(inside, -(self.high - self.low).log(), -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        return ops.clamp((value - self.low) / (self.high - self.low), 0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        return self.low + value * (self.high - self.low)

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()


class Exponential(_ByInverse, ExponentialFamily):
    """Waiting times at a rate."""

    arg_constraints: ClassVar[dict[str, Constraint]] = {"rate": constraints.positive}
    parameters: ClassVar[dict[str, int]] = {"rate": 0}
    support = constraints.nonnegative

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return ops.zeros_like(self.rate)

    @property
    def variance(self) -> Tensor:
        return self.rate.square().reciprocal()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        return -(-self.rate * value).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        return -(-value).log1p() / self.rate

    def _from_torch(self, torch: Any, shape: Sizes) -> Tensor:
        return torch.exponential_tensor(shape, self.rate.dtype) / self.rate

    def entropy(self) -> Tensor:
        return 1 - self.rate.log()


class Laplace(_ByInverse):
    """Laplace's distribution of mean ``loc``."""

    arg_constraints = _LOC_SCALE
    parameters: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.square()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        offset = value - self.loc
        return 0.5 - 0.5 * offset.sign() * (-offset.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def _from_torch(self, torch: Any, shape: Sizes) -> Tensor:
        u = torch.uniform_tensor(shape, self.loc.dtype, 2.0**-23 - 1, 1.0)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()


class Cauchy(_ByInverse):
    """Cauchy's distribution, which has no mean."""

    arg_constraints = _LOC_SCALE
    parameters: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return ops.full_like(self.loc, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return ops.full_like(self.loc, math.inf)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return -math.log(math.pi) - self.scale.log() - ((value - self.loc) / self.scale).square().log1p()

    def cdf(self, value: Tensor) -> Tensor:
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def _from_torch(self, torch: Any, shape: Sizes) -> Tensor:
        return self.loc + torch.cauchy_tensor(shape, self.loc.dtype, 0.0, 1.0) * self.scale

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()


class Gumbel(_ByInverse):
    """The distribution of maxima."""

    arg_constraints = _LOC_SCALE
    parameters: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * _EULER

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return (math.pi**2 / 6) * self.scale.square()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        return (-((self.loc - value) / self.scale).exp()).exp()

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc - self.scale * (-value.log()).log()

    def _from_torch(self, torch: Any, shape: Sizes) -> Tensor:
        return self.icdf(torch.rand(shape, self.loc.dtype) * (1 - 2.0**-23) + 2.0**-126)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + _EULER)


__all__ = ["Cauchy", "Exponential", "Gumbel", "Laplace", "Uniform", "open_uniform"]
