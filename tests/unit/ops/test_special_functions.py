"""``tabgrad.special`` agrees with PyTorch's in values and, where it has them, gradients, to float32's accuracy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import special

WIDE = np.array([-30.0, -7.3, -2.5, -1.0, -0.3, 0.2, 0.5, 1.0, 1.5, 2.0, 3.7, 8.0, 25.0], np.float32)
POSITIVE = np.array([1e-3, 0.1, 0.5, 1.0, 1.49, 2.0, 2.51, 3.0, 4.0, 9.0, 40.0], np.float32)
INSIDE = np.array([1e-4, 0.01, 0.03, 0.3, 0.5, 0.7, 0.999], np.float32)

ON: dict[str, np.ndarray] = {
    **dict.fromkeys(("erfc", "expit", "sinc", "exp2", "ndtr", "log_ndtr", "i0e", "i1e", "log1p", "expm1"), WIDE),
    **dict.fromkeys(("gammaln", "digamma", "psi", "entr", "i0", "i1"), POSITIVE),
    **dict.fromkeys(("ndtri", "logit", "erfinv"), INSIDE),
    "erfcx": WIDE[2:],
}
NO_GRADIENT = (
    "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0", "modified_bessel_i1",
    "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1",
    "spherical_bessel_j0",
)  # fmt: skip
POLYNOMIALS = (
    "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
    "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
)  # fmt: skip


@pytest.mark.parametrize("name", ON)
def test_values_and_gradients_are_pytorchs(name: str) -> None:
    x, y = torch.tensor(ON[name].astype(np.float64), requires_grad=True), tg.tensor(ON[name], requires_grad=True)
    expected, got = getattr(torch.special, name)(x), getattr(special, name)(y)
    np.testing.assert_allclose(got.detach().numpy(), expected.detach().numpy(), rtol=2e-5, atol=1e-6)
    expected.sum().backward()
    got.sum().backward()
    assert y.grad is not None
    np.testing.assert_allclose(y.grad.numpy(), x.grad.numpy(), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("name", NO_GRADIENT)
def test_bessel_functions_are_pytorchs(name: str) -> None:
    expected = getattr(torch.special, name)(torch.tensor(POSITIVE.astype(np.float64)))
    np.testing.assert_allclose(getattr(special, name)(tg.tensor(POSITIVE)).numpy(), expected, rtol=2e-5, atol=1e-6)
    with pytest.raises(tg.GradError, match="as in PyTorch"):
        getattr(special, name)(tg.ones(1, requires_grad=True))


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_are_pytorchs(name: str) -> None:
    for degree in (0, 1, 2, 5):
        expected = getattr(torch.special, name)(torch.tensor(INSIDE.astype(np.float64)), degree)
        np.testing.assert_allclose(
            getattr(special, name)(tg.tensor(INSIDE), degree).numpy(), expected, rtol=1e-4, atol=1e-4
        )
    degrees = np.array([[-1], [0], [1], [4]])
    expected = getattr(torch.special, name)(torch.tensor(INSIDE), torch.tensor(degrees))
    found = getattr(special, name)(tg.tensor(INSIDE), tg.tensor(degrees))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-4)
    with pytest.raises(tg.ArgumentError, match=r"expected n as whole numbers, got 1\.5"):
        getattr(special, name)(tg.tensor(INSIDE), 1.5)


def test_functions_of_two_are_pytorchs() -> None:
    a, b = np.array([0.0, 0.5, 2.0, 7.0, 60.0], np.float32), np.array([0.0, 0.7, 1.0, 9.0, 55.0], np.float32)
    x, y, p, q = torch.tensor(a).double(), torch.tensor(b).double(), tg.tensor(a), tg.tensor(b)
    for name in ("xlogy", "xlog1py", "gammainc", "gammaincc"):
        expected, got = getattr(torch.special, name)(x, y), getattr(special, name)(p, q)
        np.testing.assert_allclose(got.numpy(), expected, rtol=2e-4, atol=1e-6, err_msg=name)
    got, expected = special.zeta(p + 1.5, q + 1.0), torch.special.zeta(x + 1.5, y + 1.0)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4, atol=1e-30)


def test_gamma_family_of_negative_numbers_is_pytorchs() -> None:
    values = np.array([-0.5, -1.5, -3.25, -7.8], np.float32)
    x, y = torch.tensor(values).double(), tg.tensor(values)
    np.testing.assert_allclose(tg.lgamma(y).numpy(), torch.lgamma(x), rtol=1e-4)
    np.testing.assert_allclose(tg.digamma(y).numpy(), torch.digamma(x), rtol=1e-4)
    np.testing.assert_allclose(tg.polygamma(1, y).numpy(), torch.polygamma(1, x), rtol=1e-4)
    np.testing.assert_allclose(tg.mvlgamma(y + 12, 3).numpy(), torch.mvlgamma(x + 12, 3), rtol=1e-4)
    assert tg.lgamma(tg.tensor([0.0, -1.0, np.inf])).tolist() == [np.inf] * 3


def test_all_names_are_there() -> None:
    assert [name for name in special.__all__ if not callable(getattr(special, name))] == []
    assert [name for name in special.__all__ if not hasattr(torch.special, name)] == []
