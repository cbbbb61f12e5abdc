"""Distributions beside PyTorch's: densities, entropies, moments, divergences; samples by their statistics."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributions

import tabgrad
from tabgrad import distributions as D
from tabgrad.errors import ArgumentError

Make = Callable[[ModuleType, ModuleType], Any]

LOC, SCALE, POSITIVE = [0.5, -1.0, 2.0], [0.7, 1.5, 2.5], [0.6, 1.0, 3.5]
PROBS = [[0.1, 0.6, 0.3], [0.25, 0.25, 0.5]]
LOGITS = [[0.3, -1.2, 2.0], [0.0, 1.0, -1.0]]
FACTOR = [[1.5, 0.0], [0.4, 0.8]]


def t(m: ModuleType, *values: Any) -> Any:
    made = [m.tensor(value) for value in values]
    return made[0] if len(made) == 1 else made


REAL, ABOVE, UNIT, COUNTS = [-1.3, 0.4, 2.2], [0.2, 1.1, 4.0], [0.15, 0.5, 0.92], [0.0, 1.0, 3.0]
CASES: dict[str, tuple[Make, Any]] = {
    "Normal": (lambda m, d: d.Normal(*t(m, LOC, SCALE)), REAL),
    "Normal of numbers": (lambda m, d: d.Normal(0.5, 2.0), REAL),
    "HalfNormal": (lambda m, d: d.HalfNormal(t(m, SCALE)), ABOVE),
    "LogNormal": (lambda m, d: d.LogNormal(*t(m, LOC, SCALE)), ABOVE),
    "Uniform": (lambda m, d: d.Uniform(*t(m, [-2.0, 0.0, 1.0], [0.5, 1.0, 4.0])), [-1.0, 0.3, 2.0]),
    "Exponential": (lambda m, d: d.Exponential(t(m, POSITIVE)), ABOVE),
    "Laplace": (lambda m, d: d.Laplace(*t(m, LOC, SCALE)), REAL),
    "Cauchy": (lambda m, d: d.Cauchy(*t(m, LOC, SCALE)), REAL),
    "Gamma": (lambda m, d: d.Gamma(*t(m, POSITIVE, SCALE)), ABOVE),
    "Chi2": (lambda m, d: d.Chi2(t(m, POSITIVE)), ABOVE),
    "Beta": (lambda m, d: d.Beta(*t(m, [0.8, 2.0, 3.0], [1.5, 2.0, 4.0])), UNIT),
    "StudentT": (lambda m, d: d.StudentT(*t(m, [0.8, 1.5, 5.0], LOC, SCALE)), REAL),
    "Dirichlet": (lambda m, d: d.Dirichlet(t(m, [POSITIVE, [2.0, 3.0, 4.0]])), PROBS),
    "Bernoulli": (lambda m, d: d.Bernoulli(t(m, UNIT)), [0.0, 1.0, 1.0]),
    "Bernoulli of logits": (lambda m, d: d.Bernoulli(logits=t(m, REAL)), [0.0, 1.0, 1.0]),
    "Geometric": (lambda m, d: d.Geometric(t(m, UNIT)), COUNTS),
    "Binomial": (lambda m, d: d.Binomial(5, t(m, UNIT)), COUNTS),
    "Binomial of tensors": (lambda m, d: d.Binomial(t(m, [3.0, 4.0, 9.0]), logits=t(m, REAL)), COUNTS),
    "Poisson": (lambda m, d: d.Poisson(t(m, POSITIVE)), COUNTS),
    "Categorical": (lambda m, d: d.Categorical(t(m, PROBS)), [0, 2]),
    "Categorical of logits": (lambda m, d: d.Categorical(logits=t(m, LOGITS)), [[0, 2], [1, 1]]),
    "OneHotCategorical": (lambda m, d: d.OneHotCategorical(t(m, PROBS)), [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    "Multinomial": (lambda m, d: d.Multinomial(6, t(m, PROBS)), [[1.0, 3.0, 2.0], [0.0, 2.0, 4.0]]),
    "MultivariateNormal": (
        lambda m, d: d.MultivariateNormal(t(m, [1.0, -1.0]), scale_tril=t(m, FACTOR)), [[0.3, 0.4], [2.0, -1.5]],
    ),
    "MultivariateNormal, covariance": (
        lambda m, d: d.MultivariateNormal(t(m, [1.0, -1.0]), t(m, [[2.0, 0.3], [0.3, 0.7]])), [0.3, 0.4],
    ),
    "MultivariateNormal, precision": (
        lambda m, d: d.MultivariateNormal(t(m, [1.0, -1.0]), precision_matrix=t(m, [[2.0, 0.3], [0.3, 0.7]])),
        [0.3, 0.4],
    ),
    "Independent": (lambda m, d: d.Independent(d.Normal(*t(m, [LOC, REAL], [SCALE, SCALE])), 1), [REAL, LOC]),
    "MixtureSameFamily": (
        lambda m, d: d.MixtureSameFamily(d.Categorical(t(m, [0.2, 0.5, 0.3])), d.Normal(*t(m, LOC, SCALE))), REAL,
    ),
    "MixtureSameFamily of vectors": (
        lambda m, d: d.MixtureSameFamily(
            d.Categorical(t(m, [0.3, 0.7])),
            d.Independent(d.Normal(*t(m, [[0.0, 1.0], [2.0, -1.0]], [[1.0, 2.0], [0.5, 1.5]])), 1),
        ),
        [[0.3, 0.4], [2.0, -1.5]],
    ),
    "affine": (
        lambda m, d: d.TransformedDistribution(d.Normal(*t(m, LOC, SCALE)), d.AffineTransform(1.5, -2.0)), REAL,
    ),
    "logistic": (
        lambda m, d: d.TransformedDistribution(
            d.Uniform(t(m, [0.0] * 3), t(m, [1.0] * 3)), [d.SigmoidTransform().inv, d.AffineTransform(0.5, 2.0)]
        ),
        REAL,
    ),
    "squashed": (
        lambda m, d: d.TransformedDistribution(d.Normal(*t(m, LOC, SCALE)), d.TanhTransform()), [-0.5, 0.1, 0.9],
    ),
    "softplus": (lambda m, d: d.TransformedDistribution(d.Normal(*t(m, LOC, SCALE)), [d.SoftplusTransform()]), ABOVE),
    "power": (
        lambda m, d: d.TransformedDistribution(d.Exponential(t(m, POSITIVE)), [d.PowerTransform(t(m, 2.0))]), ABOVE,
    ),
    "squashed vectors": (
        lambda m, d: d.Independent(
            d.TransformedDistribution(
                d.Normal(*t(m, LOC, SCALE)), d.ComposeTransform([d.TanhTransform(), d.AffineTransform(0.0, 2.0)])
            ),
            1,
        ),
        [-0.5, 0.1, 0.9],
    ),
    "RelaxedOneHotCategorical": (lambda m, d: d.RelaxedOneHotCategorical(t(m, 0.7), t(m, PROBS)), [[0.2, 0.5, 0.3]]),
    "RelaxedBernoulli": (lambda m, d: d.RelaxedBernoulli(t(m, 0.7), logits=t(m, REAL)), UNIT),
}  # fmt: skip


def outcome(call: Callable[[], Any]) -> Any:
    """A tensor's values, or None of what PyTorch does not define."""
    try:
        return np.asarray(call().detach().numpy(), np.float64)
    except NotImplementedError:
        return None


def agree(ours: Callable[[], Any], theirs: Callable[[], Any], what: str) -> bool:
    """Compare two values; whether PyTorch has one."""
    expected = outcome(theirs)
    if expected is None:
        return False
    found = outcome(ours)
    assert found is not None, f"{what} is missing"
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=3e-6, err_msg=what)
    assert found.shape == expected.shape, what
    return True


@pytest.mark.parametrize("case", CASES)
def test_distribution_is_pytorchs(case: str) -> None:
    make, value = CASES[case]
    ours, theirs = make(tabgrad, D), make(torch, torch.distributions)
    assert (ours.batch_shape, ours.event_shape) == (tuple(theirs.batch_shape), tuple(theirs.event_shape))
    assert ours.has_rsample == theirs.has_rsample or case == "MixtureSameFamily"
    x, y = tabgrad.tensor(value), torch.tensor(value)
    assert agree(lambda: ours.log_prob(x), lambda: theirs.log_prob(y), "log_prob")
    for name in ("mean", "mode", "variance", "stddev"):
        agree(lambda n=name: getattr(ours, n), lambda n=name: getattr(theirs, n), name)
    agree(ours.entropy, theirs.entropy, "entropy")
    if case not in ("Gamma", "Chi2"):  # whose cdf is not there
        agree(lambda: ours.cdf(x), lambda: theirs.cdf(y), "cdf")
    q = [0.1, 0.45, 0.83]
    if not ours.event_shape and "Relaxed" not in case and "Mixture" not in case:
        agree(lambda: ours.icdf(tabgrad.tensor(q)), lambda: theirs.icdf(torch.tensor(q)), "icdf")
    if ours.has_enumerate_support:
        agree(ours.enumerate_support, theirs.enumerate_support, "enumerate_support")
    drawn = ours.sample((4, 2))
    assert drawn.shape == tuple(theirs.sample((4, 2)).shape)
    assert theirs.support.check(torch.from_numpy(np.asarray(drawn.numpy(), np.float32))).all()
    assert not drawn.requires_grad


@pytest.mark.parametrize("case", [c for c in CASES if "Relaxed" not in c and c not in ("Normal of numbers", "power")])
def test_samples_have_the_moments(case: str) -> None:
    tabgrad.manual_seed(7)
    ours = CASES[case][0](tabgrad, D)
    mean, variance = outcome(lambda: ours.mean), outcome(lambda: ours.variance)
    n = 4000
    drawn = np.asarray(ours.sample((n,)).numpy(), np.float64)
    if mean is None or not np.isfinite(variance).all():  # such as Cauchy's: by the probabilities of quarters
        theirs = CASES[case][0](torch, torch.distributions)
        try:
            shares = theirs.cdf(torch.from_numpy(drawn.astype(np.float32))).numpy()
        except NotImplementedError:
            pytest.skip(f"{case}: PyTorch gives no mean, and no cdf to compare samples with")
        np.testing.assert_allclose(shares.mean(0), 0.5, atol=5 * math.sqrt(1 / 12 / n))
        return
    five = 5 * np.sqrt(variance / n)  # five standard deviations of a mean
    assert (np.abs(drawn.mean(0) - mean) <= five + 1e-6).all()
    if case != "LogNormal":  # whose fourth moment is too large
        np.testing.assert_allclose(drawn.var(0), variance, rtol=0.25, atol=1e-6)


PAIRS: dict[str, tuple[Make, Make]] = {
    "Normal": (CASES["Normal"][0], CASES["Normal of numbers"][0]),
    "HalfNormal": (CASES["HalfNormal"][0], lambda m, d: d.HalfNormal(t(m, POSITIVE))),
    "LogNormal": (CASES["LogNormal"][0], lambda m, d: d.LogNormal(0.2, 1.5)),
    "Bernoulli": (CASES["Bernoulli"][0], CASES["Bernoulli of logits"][0]),
    "Binomial": (CASES["Binomial"][0], lambda m, d: d.Binomial(5, t(m, [0.3, 0.4, 0.5]))),
    "Categorical": (CASES["Categorical"][0], CASES["Categorical of logits"][0]),
    "OneHotCategorical": (CASES["OneHotCategorical"][0], lambda m, d: d.OneHotCategorical(logits=t(m, LOGITS))),
    "Geometric": (CASES["Geometric"][0], lambda m, d: d.Geometric(t(m, [0.3, 0.4, 0.5]))),
    "Poisson": (CASES["Poisson"][0], lambda m, d: d.Poisson(t(m, SCALE))),
    "Uniform": (CASES["Uniform"][0], lambda m, d: d.Uniform(*t(m, [-3.0, 0.5, 0.0], [1.0, 2.0, 5.0]))),
    "Exponential": (CASES["Exponential"][0], lambda m, d: d.Exponential(t(m, SCALE))),
    "Laplace": (CASES["Laplace"][0], lambda m, d: d.Laplace(*t(m, REAL, POSITIVE))),
    "Gamma": (CASES["Gamma"][0], lambda m, d: d.Gamma(*t(m, SCALE, POSITIVE))),
    "Beta": (CASES["Beta"][0], lambda m, d: d.Beta(*t(m, SCALE, POSITIVE))),
    "Dirichlet": (CASES["Dirichlet"][0], lambda m, d: d.Dirichlet(t(m, [SCALE, POSITIVE]))),
    "MultivariateNormal": (CASES["MultivariateNormal"][0], CASES["MultivariateNormal, covariance"][0]),
    "Independent": (CASES["Independent"][0], lambda m, d: d.Independent(d.Normal(t(m, [LOC, LOC]), 1.0), 1)),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_divergences_are_pytorchs(pair: str) -> None:
    p, q = PAIRS[pair]
    theirs = torch.distributions.kl_divergence(p(torch, torch.distributions), q(torch, torch.distributions))
    ours = D.kl_divergence(p(tabgrad, D), q(tabgrad, D))
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=2e-5, atol=3e-6)


def test_gumbel_is_what_its_formulas_say() -> None:
    """Beside its density in float64: PyTorch's class takes ten seconds to be imported."""
    loc, scale = np.array(LOC), np.array(SCALE)
    p, q = D.Gumbel(*t(tabgrad, LOC, SCALE)), D.Gumbel(*t(tabgrad, REAL, POSITIVE))
    x = np.linspace(-12, 60, 200_001)[:, None]

    def log_density(at: np.ndarray, where: np.ndarray, width: np.ndarray) -> np.ndarray:
        z = (at - where) / width
        return -z - np.exp(-z) - np.log(width)

    logs, step = log_density(x, loc, scale), x[1, 0] - x[0, 0]
    density = np.exp(logs) * step
    mean = (x * density).sum(0)
    others = log_density(x, np.array(REAL), np.array(POSITIVE))
    value = np.array(REAL)
    expected = {
        "log_prob": (p.log_prob(t(tabgrad, REAL)), log_density(value, loc, scale)),
        "cdf": (p.cdf(t(tabgrad, REAL)), np.exp(-np.exp(-(value - loc) / scale))),
        "icdf": (p.icdf(p.cdf(t(tabgrad, REAL))), value),
        "mean": (p.mean, mean),
        "variance": (p.variance, ((x - mean) ** 2 * density).sum(0)),
        "entropy": (p.entropy(), -(logs * density).sum(0)),
        "kl": (D.kl_divergence(p, q), (density * (logs - np.maximum(others, -1e30))).sum(0)),
    }
    for name, (found, wanted) in expected.items():
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-3, err_msg=name)
    tabgrad.manual_seed(3)
    drawn = p.sample((4000,)).numpy()
    assert (np.abs(drawn.mean(0) - mean) < 5 * np.sqrt(p.variance.numpy() / 4000)).all()


GRADIENTS = {
    "Normal": lambda m, d, a, b: d.Normal(a, b).log_prob(t(m, REAL)),
    "Gamma": lambda m, d, a, b: d.Gamma(a.exp(), b).log_prob(t(m, ABOVE)) + d.Gamma(a.exp(), b).entropy(),
    "Categorical": lambda m, d, a, b: d.Categorical(logits=m.stack([a, b])).log_prob(t(m, [0, 2])),
    "Categorical, entropy": lambda m, d, a, b: d.Categorical(probs=m.stack([a.exp(), b])).entropy(),
    "Bernoulli": lambda m, d, a, b: d.Bernoulli(logits=a * b).log_prob(t(m, [0.0, 1.0, 1.0])),
    "divergence": lambda m, d, a, b: d.kl_divergence(d.Normal(a, b), d.Normal(0.0, 1.0)),
    "squashed": lambda m, d, a, b: d.TransformedDistribution(d.Normal(a, b), d.TanhTransform()).log_prob(t(m, UNIT)),
    "MultivariateNormal": lambda m, d, a, b: d.MultivariateNormal(a[:2], m.eye(2) * b[0] ** 2).log_prob(t(m, UNIT[:2])),
    "mixture": lambda m, d, a, b: d.MixtureSameFamily(d.Categorical(logits=a), d.Normal(a, b)).log_prob(t(m, REAL)),
}  # fmt: skip


@pytest.mark.parametrize("case", GRADIENTS)
def test_gradients_are_pytorchs(case: str) -> None:
    found = []
    for module, distributions in ((tabgrad, D), (torch, torch.distributions)):
        a, b = module.tensor(LOC, requires_grad=True), module.tensor(SCALE, requires_grad=True)
        GRADIENTS[case](module, distributions, a, b).sum().backward()
        found.append([np.zeros(3) if x.grad is None else x.grad.numpy() for x in (a, b)])
    np.testing.assert_allclose(*found, rtol=3e-5, atol=3e-6)


def test_samples_keep_gradients_where_they_can() -> None:
    loc = tabgrad.tensor([1.0, 2.0], requires_grad=True)
    D.Normal(loc, 1.0).rsample((3,)).sum().backward()
    assert loc.grad is not None
    assert loc.grad.tolist() == [3, 3]
    rate = tabgrad.tensor([2.0], requires_grad=True)
    drawn = D.Gamma(tabgrad.tensor([3.0]), rate).rsample()
    drawn.sum().backward()
    assert rate.grad is not None
    np.testing.assert_allclose(rate.grad.numpy(), -drawn.detach().numpy() / 2, rtol=1e-5)
    with pytest.raises(NotImplementedError, match="with respect to the concentration are not in tabgrad yet"):
        D.Beta(rate, 2.0).rsample()
    assert not D.Beta(rate, 2.0).sample().requires_grad
    with pytest.raises(NotImplementedError, match=r"Bernoulli.rsample is not defined"):
        D.Bernoulli(0.5).rsample()


def test_parameters_are_checked_where_that_is_asked_for() -> None:
    with pytest.raises(ArgumentError, match=r"Normal: expected scale that satisfies Interval"):
        D.Normal(0.0, tabgrad.tensor([1.0, -1.0]), validate_args=True)
    with pytest.raises(ArgumentError, match=r"a value within the support Integers\(0, 1\)"):
        D.Bernoulli(tabgrad.tensor([0.5]), validate_args=True).log_prob(tabgrad.tensor([0.5]))
    assert D.Dirichlet(tabgrad.ones(3), validate_args=True).log_prob(tabgrad.ones(3) / 3).shape == ()
    with pytest.raises(ArgumentError, match="expected either probs or logits, got both"):
        D.Categorical(tabgrad.ones(2), tabgrad.ones(2))
    with pytest.raises(NotImplementedError, match="no closed form of Normal and Cauchy"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Cauchy(0.0, 1.0))
    with pytest.raises(AttributeError, match="VonMises"):
        D.VonMises  # noqa: B018


def test_expand_gives_more_of_the_same() -> None:
    for case in (
        "Normal",
        "Gamma",
        "Bernoulli of logits",
        "Geometric",
        "Dirichlet",
        "MultivariateNormal",
        "Independent",
    ):
        ours, theirs = CASES[case][0](tabgrad, D), CASES[case][0](torch, torch.distributions)
        shape = (4, *ours.batch_shape)
        assert ours.expand(shape).batch_shape == tuple(theirs.expand(shape).batch_shape)
        np.testing.assert_allclose(ours.expand(shape).mean.numpy(), theirs.expand(shape).mean.numpy(), rtol=1e-5)


def test_a_program_may_add_a_divergence() -> None:
    class Mine(D.Normal):
        pass

    @D.register_kl(Mine, Mine)
    def _formula(p: Any, q: Any) -> Any:
        return p.loc * 0 + 42

    assert D.kl_divergence(Mine(0.0, 1.0), Mine(1.0, 1.0)).item() == 42
    assert D.kl_divergence(D.Normal(0.0, 1.0), Mine(1.0, 1.0)).item() == pytest.approx(0.5)
