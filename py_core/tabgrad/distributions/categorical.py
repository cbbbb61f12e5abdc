"""Choices among classes: ``Categorical``, ``OneHotCategorical``, ``Multinomial``."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tabgrad import ops
from tabgrad.autograd import no_grad
from tabgrad.distributions import constraints
from tabgrad.distributions.constraints import Constraint
from tabgrad.distributions.discrete import Binomial
from tabgrad.distributions.distribution import Distribution, Sizes, broadcast_shape, one_of
from tabgrad.distributions.location_scale import open_uniform
from tabgrad.errors import ShapeError
from tabgrad.ops.random_tensors import torch_draws
from tabgrad.tensor import Tensor

_LOWEST = -(2 - 2.0**-23) * 2.0**127  # of float32's numbers
_EPS = 2.0**-23  # by which PyTorch keeps probabilities away from 0 and 1


class Categorical(Distribution):
    """A class from 0 to k - 1, by probabilities or by logits ``[..., k]``, which are normalised."""

    has_enumerate_support = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    parameters: ClassVar[dict[str, int]] = {"logits": 1}

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        one_of("Categorical", probs, logits, "probs or logits")
        given: Any = logits if probs is None else probs
        if given.ndim < 1:
            raise ShapeError("Categorical: expected probs or logits of at least one dimension, got a scalar")
        if probs is None:
            self.logits = given - given.logsumexp(-1, keepdim=True)
            self.probs = self.logits.softmax(-1)
        else:
            self.probs = given / given.sum(-1, keepdim=True)
            self.logits = ops.clamp(self.probs, _EPS, 1 - _EPS).log()
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1], (), validate_args)

    @property
    def support(self) -> Constraint:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The shape of probabilities and logits."""
        return self.logits.shape

    @property
    def mean(self) -> Tensor:
        return ops.full(self._extended_shape(), math.nan)

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(-1)

    @property
    def variance(self) -> Tensor:
        return ops.full(self._extended_shape(), math.nan)

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        with no_grad():
            if (torch := torch_draws(None)) is not None:
                rows = self.probs.reshape(-1, self._num_events)
                found = torch.multinomial(rows, math.prod(sample_shape), True).t()  # [samples, rows]
                return found.reshape(self._extended_shape(sample_shape))
            # The largest of logits with noise of Gumbel's distribution is a draw.
            noise = -(-open_uniform((*self._extended_shape(sample_shape), self._num_events)).log()).log()
            logits = ops.where(self.probs > 0, self.logits, -math.inf)
            return (logits + noise).argmax(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        index = value.long().unsqueeze(-1)
        shape = broadcast_shape(index.shape[:-1], self.logits.shape[:-1])
        logits = ops.broadcast_to(self.logits, (*shape, self._num_events))
        return logits.gather(-1, ops.broadcast_to(index, (*shape, 1))).squeeze(-1)

    def entropy(self) -> Tensor:
        return -(ops.clamp(self.logits, _LOWEST) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = ops.arange(self._num_events).reshape(-1, *(1,) * len(self.batch_shape))
        return values.expand(-1, *self.batch_shape) if expand else values


class OneHotCategorical(Distribution):
    """As :class:`Categorical`; a class is a vector of zeros and one 1."""

    has_enumerate_support = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    parameters: ClassVar[dict[str, int]] = {"logits": 1}
    support = constraints.one_hot

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.probs, self.logits = self._categorical.probs, self._categorical.logits
        super().__init__(self.logits.shape[:-1], self.logits.shape[-1:], validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return self._hot(self.probs.argmax(-1))

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def _hot(self, classes: Tensor) -> Tensor:
        return ops.one_hot(classes.long(), self.logits.shape[-1]).to(self.probs.dtype)

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        return self._hot(self._categorical.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = ops.eye(n).reshape(n, *(1,) * len(self.batch_shape), n)
        return values.expand(n, *self.batch_shape, n) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """As :class:`OneHotCategorical`; gradients pass through samples as if they were the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class Multinomial(Distribution):
    """How often each class comes in ``total_count`` choices."""

    arg_constraints: ClassVar[dict[str, Constraint]] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    parameters: ClassVar[dict[str, int]] = {"logits": 1}

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(total_count, bool) or not isinstance(total_count, int):
            raise NotImplementedError(f"Multinomial: expected total_count as one int, got {type(total_count).__name__}")
        self.total_count = total_count
        self._categorical = Categorical(probs, logits)
        self.probs, self.logits = self._categorical.probs, self._categorical.logits
        super().__init__(self.logits.shape[:-1], self.logits.shape[-1:], validate_args)

    @property
    def support(self) -> Constraint:
        return constraints.independent(constraints.integer_interval(0, self.total_count), 1)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        return ops.one_hot(drawn.long(), self.logits.shape[-1]).to(self.probs.dtype).sum(0)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        factorials = ops.lgamma(value.sum(-1) + 1) - ops.lgamma(value + 1).sum(-1)
        impossible = ops.logical_and(value == 0, self.logits == -math.inf)
        return factorials + ops.where(impossible, 0.0, value * ops.where(impossible, 0.0, self.logits)).sum(-1)

    def entropy(self) -> Tensor:
        n = self.total_count
        counts = ops.arange(1, n + 1).float().reshape(-1, *(1,) * self.probs.ndim)
        chances = Binomial(n, self.probs).log_prob(counts).exp()
        return n * self._categorical.entropy() - math.lgamma(n + 1) + (chances * ops.lgamma(counts + 1)).sum((0, -1))

    def _unexpanded(self) -> dict[str, Any]:
        return {"total_count": self.total_count, "validate_args": self._validates}


__all__ = ["Categorical", "Multinomial", "OneHotCategorical", "OneHotCategoricalStraightThrough"]
