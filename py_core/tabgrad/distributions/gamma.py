"""The gamma distribution and those made of it: ``Gamma``, ``Chi2``, ``Beta``, ``Dirichlet``, ``StudentT``.

Samples are those of Marsaglia & Tsang 2000, "A simple method for generating gamma variables", on the device: each
element takes the first of several proposals that is accepted.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tabgrad import ops
from tabgrad.autograd import no_grad
from tabgrad.distributions import constraints
from tabgrad.distributions.constraints import Constraint
from tabgrad.distributions.distribution import Distribution, ExponentialFamily, Sizes, broadcast_all
from tabgrad.distributions.location_scale import open_uniform
from tabgrad.grad_mode import is_grad_enabled
from tabgrad.ops.random_tensors import torch_draws
from tabgrad.tensor import Tensor

_PROPOSALS = 8  # at least 95 of 100 are accepted, so that none is in 4 of 10^11
_TINY = 2.0**-126


def standard_gamma(concentration: Tensor, shape: Sizes) -> Tensor:
    """Samples ``[*shape]`` of rate 1, without gradients."""
    if (torch := torch_draws(None)) is not None:
        return ops.clamp(torch.gamma_tensor(ops.broadcast_to(concentration, tuple(shape))), _TINY)
    with no_grad():
        small = concentration < 1
        a = ops.where(small, concentration + 1, concentration)
        d = a - 1 / 3
        c = (9 * d).rsqrt()
        normal = ops.randn(_PROPOSALS, *shape)
        v = (1 + c * normal) ** 3
        uniform = open_uniform((_PROPOSALS, *shape))
        bound = 0.5 * normal.square() + d * (1 - v + ops.log(ops.clamp(v, _TINY)))
        accepted = ops.logical_and(v > 0, uniform.log() < bound)
        first = accepted.float().argmax(0, keepdim=True)
        found = d * ops.clamp(v.gather(0, first)[0], _TINY)
        # Of a concentration a below 1: that of a + 1, times u^(1/a).
        shrunk = (
            found * (open_uniform(shape).log() / ops.where(small, concentration, ops.ones_like(concentration))).exp()
        )
        return ops.clamp(ops.where(small, shrunk, found), _TINY)


def refuse_gradients(distribution: Distribution, *concentrations: Tensor) -> None:
    """Raise where a gradient through the samples would be recorded.

    Raises:
        NotImplementedError: a concentration requires grad.
    """
    if is_grad_enabled() and any(c.requires_grad for c in concentrations):
        raise NotImplementedError(
            f"{type(distribution).__name__}.rsample: gradients with respect to the concentration are not in tabgrad "
            f"yet; use sample() and log_prob(), or detach the concentration"
        )


class Gamma(ExponentialFamily):
    """The gamma distribution of shape ``concentration``."""

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    parameters: ClassVar[dict[str, int]] = {"concentration": 0, "rate": 0}
    support = constraints.nonnegative

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ops.clamp(self.concentration - 1, 0) / self.rate

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.square()

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        refuse_gradients(self, self.concentration)
        return standard_gamma(self.concentration, self._extended_shape(sample_shape)) / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a = self.concentration
        return xlogy(a, self.rate) + xlogy(a - 1, value) - self.rate * value - ops.lgamma(a)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - self.rate.log() + ops.lgamma(a) + (1 - a) * ops.digamma(a)


class Chi2(Gamma):
    """The distribution of a sum of ``df`` squared normal variables."""

    arg_constraints: ClassVar[dict[str, Constraint]] = {"df": constraints.positive}
    parameters: ClassVar[dict[str, int]] = {"df": 0}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        (self.df,) = broadcast_all(df)
        super().__init__(0.5 * self.df, 0.5, validate_args)


class Dirichlet(ExponentialFamily):
    """Vectors of probabilities, of ``concentration`` ``[..., k]``."""

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    parameters: ClassVar[dict[str, int]] = {"concentration": 1}
    support = constraints.simplex

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.ndim < 1:
            raise ValueError("Dirichlet: expected concentration of at least one dimension, got a scalar")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Tensor:
        above = ops.clamp(self.concentration - 1, 0)
        corner = ops.one_hot(self.concentration.argmax(-1).long(), self.concentration.shape[-1]).float()
        inside = (self.concentration >= 1).any(-1, keepdim=True)
        total = above.sum(-1, keepdim=True)
        return ops.where(inside, above / ops.where(inside, total, ops.ones_like(total)), corner)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total.square() * (total + 1))

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        refuse_gradients(self, self.concentration)
        found = standard_gamma(self.concentration, self._extended_shape(sample_shape))
        return found / found.sum(-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a = self.concentration
        return xlogy(a - 1.0, value).sum(-1) + ops.lgamma(a.sum(-1)) - ops.lgamma(a).sum(-1)

    def entropy(self) -> Tensor:
        a, k = self.concentration, self.concentration.shape[-1]
        total = a.sum(-1)
        inner = ((a - 1) * ops.digamma(a)).sum(-1)
        return ops.lgamma(a).sum(-1) - ops.lgamma(total) - (k - total) * ops.digamma(total) - inner


class Beta(ExponentialFamily):
    """Numbers from 0 to 1, of two concentrations."""

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    parameters: ClassVar[dict[str, int]] = {"concentration1": 0, "concentration0": 0}
    support = constraints.unit_interval

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        self._dirichlet = Dirichlet(ops.stack([self.concentration1, self.concentration0], -1))
        super().__init__(self.concentration1.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.square() * (total + 1))

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        refuse_gradients(self, self.concentration1, self.concentration0)
        return self._dirichlet.rsample(sample_shape)[..., 0]

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return self._dirichlet.log_prob(ops.stack([value, 1 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()


class StudentT(Distribution):
    """Student's distribution of ``df`` degrees of freedom."""

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    parameters: ClassVar[dict[str, int]] = {"df": 0, "loc": 0, "scale": 0}
    support = constraints.real

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        super().__init__(self.df.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return ops.where(self.df > 1, self.loc, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        wide = self.df > 2
        safe = ops.where(wide, self.df, ops.full_like(self.df, 3.0))
        finite = self.scale.square() * safe / (safe - 2)
        return ops.where(wide, finite, ops.where(self.df > 1, ops.full_like(self.df, math.inf), math.nan))

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        refuse_gradients(self, self.df)
        shape = self._extended_shape(sample_shape)
        noise = ops.randn(*shape)
        chi2 = standard_gamma(0.5 * self.df, shape) * 2
        return self.loc + self.scale * noise * (chi2 / self.df).rsqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (value - self.loc) / self.scale
        half = 0.5 * self.df
        z = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + ops.lgamma(half) - ops.lgamma(half + 0.5)
        return -0.5 * (self.df + 1.0) * (y.square() / self.df).log1p() - z

    def entropy(self) -> Tensor:
        half = 0.5 * self.df
        log_beta = ops.lgamma(half) + math.lgamma(0.5) - ops.lgamma(half + 0.5)
        inner = (half + 0.5) * (ops.digamma(half + 0.5) - ops.digamma(half))
        return self.scale.log() + inner + 0.5 * self.df.log() + log_beta


def xlogy(x: Tensor, y: Tensor) -> Tensor:
    """``x log(y)``, 0 where ``x`` is 0."""
    zero = x == 0
    return ops.where(zero, 0.0, x * ops.log(ops.where(zero, ops.ones_like(y), y)))


__all__ = ["Beta", "Chi2", "Dirichlet", "Gamma", "StudentT", "xlogy"]
