"""Counts and yes or no: ``Bernoulli``, ``Binomial``, ``Geometric``, ``Poisson``."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from tabgrad import ops
from tabgrad.autograd import no_grad
from tabgrad.distributions import constraints
from tabgrad.distributions.constraints import Constraint
from tabgrad.distributions.distribution import Distribution, ExponentialFamily, Sizes, broadcast_all, one_of
from tabgrad.distributions.gamma import xlogy
from tabgrad.distributions.location_scale import open_uniform
from tabgrad.ops.random_tensors import torch_draws
from tabgrad.session import current
from tabgrad.tensor import Tensor

_EPS = 2.0**-23  # by which PyTorch keeps probabilities away from 0 and 1
_PROBS_OR_LOGITS: dict[str, Constraint] = {"probs": constraints.unit_interval, "logits": constraints.real}


class _ProbsOrLogits(Distribution):
    """Base of distributions of one probability, which may be given as ``log(p / (1 - p))``."""

    arg_constraints = _PROBS_OR_LOGITS

    def _take(self, caller: str, probs: Any, logits: Any) -> None:
        one_of(caller, probs, logits, "probs or logits")
        self._by_logits = probs is None
        if probs is None:
            (self.logits,) = broadcast_all(logits)
            self.probs = ops.sigmoid(self.logits)
        else:
            (self.probs,) = broadcast_all(probs)
            inside = ops.clamp(self.probs, _EPS, 1 - _EPS)
            self.logits = inside.log() - (-inside).log1p()

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The shape of probabilities and logits."""
        return self.probs.shape

    def expand(self, batch_shape: Sizes) -> Any:
        name = "logits" if self._by_logits else "probs"
        return type(self)(**{name: getattr(self, name).expand(*batch_shape)}, **self._unexpanded())


class Bernoulli(_ProbsOrLogits, ExponentialFamily):
    """1 with a probability, else 0."""

    has_enumerate_support = True
    parameters: ClassVar[dict[str, int]] = {"probs": 0}
    support = constraints.boolean

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take("Bernoulli", probs, logits)
        super().__init__(self.probs.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return ops.where(self.probs == 0.5, math.nan, (self.probs >= 0.5).to(self.probs.dtype))

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        with no_grad():
            return (ops.rand(*self._extended_shape(sample_shape)) < self.probs).to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -ops.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return ops.softplus(self.logits) - self.logits * self.probs

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = ops.arange(2).to(self.probs.dtype).reshape(-1, *(1,) * len(self.batch_shape))
        return values.expand(-1, *self.batch_shape) if expand else values


class Geometric(_ProbsOrLogits):
    """The number of failures before the first success."""

    parameters: ClassVar[dict[str, int]] = {"probs": 0}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take("Geometric", probs, logits)
        super().__init__(self.probs.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return ops.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        with no_grad():
            return (open_uniform(self._extended_shape(sample_shape)).log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        sure = ops.logical_and(probs == 1, value == 0)
        return value * (-ops.where(sure, ops.zeros_like(probs), probs)).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return ops.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Binomial(_ProbsOrLogits):
    """The number of successes in ``total_count`` tries."""

    has_enumerate_support = True
    parameters: ClassVar[dict[str, int]] = {"total_count": 0, "probs": 0}

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._take("Binomial", probs, logits)
        self._tries = total_count if isinstance(total_count, int) else None
        self.total_count, self.probs, self.logits = broadcast_all(total_count, self.probs, self.logits)
        self.total_count = self.total_count.to(self.probs.dtype)
        super().__init__(self.probs.shape, (), validate_args)

    @property
    def support(self) -> Constraint:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ops.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        with no_grad():
            if (torch := torch_draws(None)) is not None:
                raise torch.differs("Binomial.sample")
            shape = self._extended_shape(sample_shape)
            most = self._tries if self._tries is not None else int(self.total_count.max().item())
            tries = ops.arange(most).reshape(-1, *(1,) * len(shape)) < self.total_count
            return ops.logical_and(ops.rand(most, *shape) < self.probs, tries).to(self.probs.dtype).sum(0)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        n, logits = self.total_count, self.logits
        factorials = ops.lgamma(n + 1) - ops.lgamma(value + 1) - ops.lgamma(n - value + 1)
        return factorials + value * logits - n * ops.softplus(logits)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self._tries is None:
            raise NotImplementedError("Binomial.enumerate_support: expected total_count as one int, got a tensor")
        values = ops.arange(self._tries + 1).to(self.probs.dtype).reshape(-1, *(1,) * len(self.batch_shape))
        return values.expand(-1, *self.batch_shape) if expand else values

    def entropy(self) -> Tensor:
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def expand(self, batch_shape: Sizes) -> Any:
        name = "logits" if self._by_logits else "probs"
        count: Any = self.total_count.expand(*batch_shape) if self._tries is None else self._tries
        return type(self)(count, **{name: getattr(self, name).expand(*batch_shape)}, **self._unexpanded())


class Poisson(ExponentialFamily):
    """The number of events at a rate. Samples are drawn on the host."""

    arg_constraints: ClassVar[dict[str, Constraint]] = {"rate": constraints.nonnegative}
    parameters: ClassVar[dict[str, int]] = {"rate": 0}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        if (torch := torch_draws(None)) is not None:
            found: Tensor = torch.poisson_tensor(ops.broadcast_to(self.rate, self._extended_shape(sample_shape)))
            return found
        rate = self.rate.detach().numpy()
        source = current().generator
        drawn = np.random.Generator(np.random.PCG64([source.key, source.next_draw()]))
        return Tensor._of(drawn.poisson(rate, self._extended_shape(sample_shape)).astype(np.float32))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return xlogy(value, rate) - rate - ops.lgamma(value + 1)


__all__ = ["Bernoulli", "Binomial", "Geometric", "Poisson"]
