"""Continuous relaxations of choices, with gradients: ``RelaxedOneHotCategorical``, ``RelaxedBernoulli``.

Source: Maddison, Mnih & Teh 2017, https://arxiv.org/abs/1611.00712; Jang, Gu & Poole 2017, https://arxiv.org/abs/1611.01144
"""

from __future__ import annotations

import math
from typing import Any

from tabgrad import ops
from tabgrad.distributions import constraints
from tabgrad.distributions.categorical import Categorical
from tabgrad.distributions.discrete import Bernoulli
from tabgrad.distributions.distribution import Distribution, Sizes
from tabgrad.distributions.location_scale import open_uniform
from tabgrad.distributions.transformed import TransformedDistribution
from tabgrad.distributions.transforms import ExpTransform, SigmoidTransform
from tabgrad.tensor import Tensor


class ExpRelaxedCategorical(Distribution):
    """The logarithm of :class:`RelaxedOneHotCategorical`."""

    has_rsample = True
    support = constraints.real_vector

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        self.probs, self.logits = self._categorical.probs, self._categorical.logits
        super().__init__(self.logits.shape[:-1], self.logits.shape[-1:], validate_args)

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        noise = -(-open_uniform(self._extended_shape(sample_shape)).log()).log()
        scores = (self.logits + noise) / self.temperature
        return scores - scores.logsumexp(-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        k = self.logits.shape[-1]
        temperature = self.temperature
        log_scale = math.lgamma(k) + (k - 1) * (
            temperature.log() if isinstance(temperature, Tensor) else math.log(temperature)
        )
        score = self.logits - value * temperature
        return (score - score.logsumexp(-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """Vectors near those of a ``OneHotCategorical``, the nearer the lower the temperature."""

    support = constraints.simplex

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(ExpRelaxedCategorical(temperature, probs, logits), ExpTransform(), validate_args)

    @property
    def temperature(self) -> Any:
        """The temperature."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """Logarithms of the classes' probabilities."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The classes' probabilities."""
        return self.base_dist.probs


class LogitRelaxedBernoulli(Distribution):
    """``log(x / (1 - x))`` of a :class:`RelaxedBernoulli` variable."""

    has_rsample = True
    support = constraints.real

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._bernoulli = Bernoulli(probs, logits)
        self.temperature = temperature
        self.probs, self.logits = self._bernoulli.probs, self._bernoulli.logits
        super().__init__(self.probs.shape, (), validate_args)

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        uniform = open_uniform(self._extended_shape(sample_shape))
        return (uniform.log() - (-uniform).log1p() + self.logits) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        temperature = self.temperature
        log_temperature = temperature.log() if isinstance(temperature, Tensor) else math.log(temperature)
        difference = self.logits - value * temperature
        return log_temperature + difference - 2 * ops.softplus(difference)


class RelaxedBernoulli(TransformedDistribution):
    """Numbers near 0 and 1, the nearer the lower the temperature."""

    support = constraints.unit_interval

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args)

    @property
    def temperature(self) -> Any:
        """The temperature."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """``log(p / (1 - p))``."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probability of 1."""
        return self.base_dist.probs


__all__ = ["RelaxedBernoulli", "RelaxedOneHotCategorical"]
