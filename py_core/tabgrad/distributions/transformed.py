"""Distributions of functions of variables: ``TransformedDistribution``, ``Independent``, ``MixtureSameFamily``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from tabgrad import ops
from tabgrad.autograd import no_grad
from tabgrad.distributions import constraints
from tabgrad.distributions.constraints import Constraint
from tabgrad.distributions.distribution import Distribution, Sizes, sum_rightmost
from tabgrad.distributions.transforms import ComposeTransform, Transform
from tabgrad.errors import ShapeError
from tabgrad.tensor import Tensor


class TransformedDistribution(Distribution):
    """The distribution of ``transforms(x)``, of a variable ``x``."""

    def __init__(
        self, base_distribution: Any, transforms: Transform | Sequence[Transform], validate_args: bool | None = None
    ) -> None:
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        self._whole = ComposeTransform(self.transforms)
        event_dims = max(self._whole.event_dim, len(base_distribution.event_shape))
        missing = event_dims - len(base_distribution.event_shape)
        self.base_dist: Any = Independent(base_distribution, missing) if missing else base_distribution
        super().__init__(self.base_dist.batch_shape, self.base_dist.event_shape, validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether the variable has."""
        return self.base_dist.has_rsample

    @property
    def support(self) -> Constraint:
        return self.transforms[-1].codomain if self.transforms else self.base_dist.support

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        with no_grad():
            return self._whole(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        return self._whole(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        event_dims = len(self.event_shape)
        total: Any = 0.0
        for transform in reversed(self.transforms):
            x = transform.inv(value)
            total = total - sum_rightmost(transform.log_abs_det_jacobian(x, value), event_dims - transform.event_dim)
            value = x
        return total + self.base_dist.log_prob(value)

    def cdf(self, value: Tensor) -> Tensor:
        found = self.base_dist.cdf(self._whole._inverse(value))
        return self._flipped(found)

    def icdf(self, value: Tensor) -> Tensor:
        return self._whole(self.base_dist.icdf(self._flipped(value)))

    def _flipped(self, probability: Tensor) -> Tensor:
        """The probability, or its complement where the function falls."""
        sign = self._whole.sign
        return probability if isinstance(sign, int) and sign == 1 else sign * (probability - 0.5) + 0.5


class Independent(Distribution):
    """A distribution whose last ``reinterpreted_batch_ndims`` dimensions of parameters are one sample together."""

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        shape, n = base_distribution.batch_shape, reinterpreted_batch_ndims
        if n > len(shape):
            raise ShapeError(
                f"Independent: expected reinterpreted_batch_ndims of at most {len(shape)}, the dimensions of "
                f"batch_shape {list(shape)}, got {n}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = n
        split = len(shape) - n
        super().__init__(shape[:split], (*shape[split:], *base_distribution.event_shape), validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether the variable has."""
        return self.base_dist.has_rsample

    @property
    def support(self) -> Constraint:
        return constraints.independent(self.base_dist.support, self.reinterpreted_batch_ndims)

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def expand(self, batch_shape: Sizes) -> Self:
        inner = self.event_shape[: self.reinterpreted_batch_ndims]
        return type(self)(self.base_dist.expand((*batch_shape, *inner)), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamily(Distribution):
    """A mixture of the distributions along the last batch dimension of ``component_distribution``.

    Args:
        mixture_distribution: a ``Categorical`` of which one.
    """

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        self.mixture_distribution, self.component_distribution = mixture_distribution, component_distribution
        count = mixture_distribution.logits.shape[-1]
        if not component_distribution.batch_shape or component_distribution.batch_shape[-1] != count:
            raise ShapeError(
                f"MixtureSameFamily: expected {count} components along the last batch dimension, got batch_shape "
                f"{list(component_distribution.batch_shape)}"
            )
        super().__init__(component_distribution.batch_shape[:-1], component_distribution.event_shape, validate_args)

    @property
    def support(self) -> Constraint:
        return self.component_distribution.support

    def _probs(self) -> Tensor:
        probs = self.mixture_distribution.probs
        return probs.reshape(*probs.shape, *(1,) * len(self.event_shape))

    @property
    def mean(self) -> Tensor:
        return (self._probs() * self.component_distribution.mean).sum(-1 - len(self.event_shape))

    @property
    def variance(self) -> Tensor:
        probs, dim = self._probs(), -1 - len(self.event_shape)
        within = (probs * self.component_distribution.variance).sum(dim)
        offset = self.component_distribution.mean - self.mean.unsqueeze(dim)
        return within + (probs * offset.square()).sum(dim)

    def log_prob(self, value: Tensor) -> Tensor:
        value = value.unsqueeze(-1 - len(self.event_shape))
        return (self.component_distribution.log_prob(value) + self.mixture_distribution.logits).logsumexp(-1)

    def cdf(self, value: Tensor) -> Tensor:
        return (self.component_distribution.cdf(value.unsqueeze(-1)) * self.mixture_distribution.probs).sum(-1)

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        with no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            which = self.mixture_distribution.sample(sample_shape)  # [*sample, *batch]
            samples = self.component_distribution.sample(sample_shape)  # [*sample, *batch, k, *event]
            hot = ops.one_hot(which.long(), samples.shape[dim])
            hot = hot.reshape(*samples.shape[: dim + 1], *(1,) * len(self.event_shape))
            return ops.where(hot != 0, samples, ops.zeros_like(samples)).sum(dim)


__all__ = ["Independent", "MixtureSameFamily", "TransformedDistribution"]
