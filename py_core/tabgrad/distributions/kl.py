"""Divergences of Kullback and Leibler, in closed form; PyTorch's ``torch.distributions.kl``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tabgrad import ops
from tabgrad.distributions.categorical import Categorical, OneHotCategorical
from tabgrad.distributions.discrete import Bernoulli, Binomial, Geometric, Poisson
from tabgrad.distributions.distribution import sum_rightmost
from tabgrad.distributions.gamma import Beta, Dirichlet, Gamma
from tabgrad.distributions.location_scale import Exponential, Gumbel, Laplace, Uniform
from tabgrad.distributions.multivariate_normal import MultivariateNormal, solve_lower
from tabgrad.distributions.normal import HalfNormal, LogNormal, Normal
from tabgrad.distributions.transformed import Independent, TransformedDistribution
from tabgrad.errors import ShapeError
from tabgrad.late import missing_name
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor

Formula = Callable[[Any, Any], Tensor]


class RegisteredFormulas:
    """Formulas that a session's program has added."""

    def __init__(self, session: Session) -> None:
        self.formulas: dict[tuple[type, type], Formula] = {}


def kl_divergence(p: Any, q: Any) -> Tensor:
    """The divergence of ``q`` from ``p``, one for each set of parameters.

    Raises:
        NotImplementedError: no formula for these two is known.
    """
    found = [
        (type(p).__mro__.index(kind_p) + type(q).__mro__.index(kind_q), formula)
        for (kind_p, kind_q), formula in (_FORMULAS | current().own(RegisteredFormulas).formulas).items()
        if isinstance(p, kind_p) and isinstance(q, kind_q)
    ]
    if not found:
        raise NotImplementedError(
            f"kl_divergence: no closed form of {type(p).__name__} and {type(q).__name__} is in tabgrad yet; estimate "
            f"it: (p.log_prob(x) - q.log_prob(x)).mean() over samples x of p"
        )
    return min(found, key=lambda one: one[0])[1](p, q)


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """A decorator that adds a formula for two kinds of distributions."""

    def enter(formula: Formula) -> Formula:
        current().own(RegisteredFormulas).formulas[type_p, type_q] = formula
        return formula

    return enter


def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).square()
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).square() - 1 - ratio.log())


def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    return p.probs * (ops.softplus(-q.logits) - ops.softplus(-p.logits)) + (1 - p.probs) * (
        ops.softplus(q.logits) - ops.softplus(p.logits)
    )


def _categorical(p: Any, q: Any) -> Tensor:
    return (p.probs * (p.logits - q.logits)).sum(-1)


def _binomial(p: Binomial, q: Binomial) -> Tensor:
    found = p.total_count * _bernoulli(p, q)  # type: ignore[arg-type]
    return ops.where(
        p.total_count > q.total_count, math.inf, ops.where(p.total_count == q.total_count, found, math.nan)
    )


def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


def _uniform(p: Uniform, q: Uniform) -> Tensor:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return ops.where(ops.logical_or(q.low > p.low, q.high < p.high), math.inf, found)


def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - 1 - ratio.log()


def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    euler = 0.5772156649015329
    ratio, shift, offset = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    t1 = -ratio.log() - shift + offset
    t3 = (shift + ops.lgamma(1 + ratio) - offset).exp()
    return t1 + ratio * euler + t3 - (1 + euler)


def _gamma(p: Gamma, q: Gamma) -> Tensor:
    return (
        q.concentration * (p.rate / q.rate).log()
        + ops.lgamma(q.concentration)
        - ops.lgamma(p.concentration)
        + (p.concentration - q.concentration) * ops.digamma(p.concentration)
        + (q.rate - p.rate) * (p.concentration / p.rate)
    )


def _dirichlet(p: Any, q: Any) -> Tensor:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    sizes = ops.lgamma(total) - ops.lgamma(b.sum(-1)) + (ops.lgamma(b) - ops.lgamma(a)).sum(-1)
    return sizes + ((a - b) * (ops.digamma(a) - ops.digamma(total).unsqueeze(-1))).sum(-1)


def _multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ShapeError(f"kl_divergence: expected vectors of one size, got {p.event_shape} and {q.event_shape}")
    n = p.event_shape[0]
    half = q._diagonal().log().sum(-1) - p._diagonal().log().sum(-1)
    columns = p.scale_tril.transpose(-1, -2)
    traced = solve_lower(q.scale_tril.unsqueeze(-3), columns).square().sum((-1, -2))
    offset = solve_lower(q.scale_tril, q.loc - p.loc).square().sum(-1)
    return half + 0.5 * (traced + offset - n)


def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("kl_divergence: expected two Independent of the same reinterpreted_batch_ndims")
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    kinds = [[type(t) for t in d.transforms] for d in (p, q)]
    if kinds[0] != kinds[1] or any(vars(t).keys() - {"_cache_size"} for t in p.transforms):
        raise NotImplementedError(
            "kl_divergence: expected the same transforms, without parameters, of both; estimate it of samples"
        )
    return kl_divergence(p.base_dist, q.base_dist)


_FORMULAS: dict[tuple[type, type], Formula] = {
    (Bernoulli, Bernoulli): _bernoulli,
    (Beta, Beta): lambda p, q: _dirichlet(p._dirichlet, q._dirichlet),
    (Binomial, Binomial): _binomial,
    (Categorical, Categorical): _categorical,
    (Dirichlet, Dirichlet): _dirichlet,
    (Exponential, Exponential): _exponential,
    (Gamma, Gamma): _gamma,
    (Geometric, Geometric): _geometric,
    (Gumbel, Gumbel): _gumbel,
    (HalfNormal, HalfNormal): lambda p, q: _normal(p.base_dist, q.base_dist),
    (Independent, Independent): _independent,
    (Laplace, Laplace): _laplace,
    (LogNormal, LogNormal): lambda p, q: _normal(p.base_dist, q.base_dist),
    (MultivariateNormal, MultivariateNormal): _multivariate_normal,
    (Normal, Normal): _normal,
    (OneHotCategorical, OneHotCategorical): _categorical,
    (Poisson, Poisson): _poisson,
    (TransformedDistribution, TransformedDistribution): _transformed,
    (Uniform, Uniform): _uniform,
}

__all__ = ["kl_divergence", "register_kl"]


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)
