"""PyTorch's ``torch.distributions``: sampling, densities, entropies and divergences.

Differences: parameters are looked at only with ``validate_args=True``, because looking waits for the device.
"""

from tabgrad.distributions import constraints, kl, transforms
from tabgrad.distributions.categorical import (
    Categorical,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from tabgrad.distributions.discrete import Bernoulli, Binomial, Geometric, Poisson
from tabgrad.distributions.distribution import Distribution, ExponentialFamily
from tabgrad.distributions.gamma import Beta, Chi2, Dirichlet, Gamma, StudentT
from tabgrad.distributions.kl import kl_divergence, register_kl
from tabgrad.distributions.location_scale import Cauchy, Exponential, Gumbel, Laplace, Uniform
from tabgrad.distributions.multivariate_normal import MultivariateNormal
from tabgrad.distributions.normal import HalfNormal, LogNormal, Normal
from tabgrad.distributions.relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from tabgrad.distributions.transformed import Independent, MixtureSameFamily, TransformedDistribution
from tabgrad.distributions.transforms import *
from tabgrad.late import missing_name as _missing_name

__all__ = [
    "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "Dirichlet", "Distribution", "Exponential",
    "ExponentialFamily", "Gamma", "Geometric", "Gumbel", "HalfNormal", "Independent", "Laplace", "LogNormal",
    "MixtureSameFamily", "Multinomial", "MultivariateNormal", "Normal", "OneHotCategorical",
    "OneHotCategoricalStraightThrough", "Poisson", "RelaxedBernoulli", "RelaxedOneHotCategorical", "StudentT",
    "TransformedDistribution", "Uniform", "constraints", "kl", "kl_divergence", "register_kl", "transforms",
    *transforms.__all__,
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing_name("tabgrad.distributions", name)
