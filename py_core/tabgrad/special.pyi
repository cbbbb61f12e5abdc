"""PyTorch's ``torch.special``."""

# Written by build_scripts/stubs.py.

from typing import Any

from tabgrad.tensor import Tensor

def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind of order 0; no gradient."""

def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind of order 1; no gradient."""

def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind of order 0; no gradient."""

def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind of order 1; no gradient."""

def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(-|x|) i0(x)``."""

def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1."""

def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(-|x|) i1(x)``."""

def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """:func:`i0`, without a gradient."""

def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """:func:`i1`, without a gradient."""

def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 0; no gradient."""

def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 1; no gradient."""

def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(x) modified_bessel_k0(x)``; no gradient."""

def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(x) modified_bessel_k1(x)``; no gradient."""

def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(x) / x``, and 1 at 0; no gradient."""

def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(x ** 2) * erfc(x)``, without overflow of the one and underflow of the other."""

def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(ndtr(x))`` without underflow."""

def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The normal distribution's cumulative distribution function."""

def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of :func:`ndtr`; NaN outside of [0, 1]."""

def chebyshev_polynomial_t(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev's polynomial of the first kind of degree ``n``, broadcast; no gradient."""

def chebyshev_polynomial_u(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev's polynomial of the second kind of degree ``n``, broadcast; no gradient."""

def chebyshev_polynomial_v(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev's polynomial of the third kind of degree ``n``, broadcast; no gradient."""

def chebyshev_polynomial_w(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev's polynomial of the fourth kind of degree ``n``, broadcast; no gradient."""

def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-x log(x)``; 0 at 0, and minus infinity below."""

def hermite_polynomial_h(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Hermite's polynomial of the physicists of degree ``n``, broadcast; no gradient."""

def hermite_polynomial_he(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Hermite's polynomial of probability theory of degree ``n``, broadcast; no gradient."""

def laguerre_polynomial_l(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Laguerre's polynomial of degree ``n``, broadcast; no gradient."""

def legendre_polynomial_p(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Legendre's polynomial of degree ``n``, broadcast; no gradient."""

def shifted_chebyshev_polynomial_t(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """:func:`chebyshev_polynomial_t` of ``2 x - 1``."""

def shifted_chebyshev_polynomial_u(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """:func:`chebyshev_polynomial_u` of ``2 x - 1``."""

def shifted_chebyshev_polynomial_v(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """:func:`chebyshev_polynomial_v` of ``2 x - 1``."""

def shifted_chebyshev_polynomial_w(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """:func:`chebyshev_polynomial_w` of ``2 x - 1``."""

def xlog1py(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input * log1p(other)``, and 0 where ``input`` is 0, unless ``other`` is NaN."""

def zeta(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """Hurwitz's zeta function, ``sum((other + k) ** -input)``; infinite at 1 and NaN below.

    Raises:
        NotImplementedError: a gradient by ``input`` is wanted."""
