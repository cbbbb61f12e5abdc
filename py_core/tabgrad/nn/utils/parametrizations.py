"""Parametrizations of weights: their norm apart from their direction, and their largest singular value as 1."""

from __future__ import annotations

from typing import Any

from tabgrad import ops
from tabgrad.autograd import no_grad
from tabgrad.errors import ArgumentError
from tabgrad.late import missing_name
from tabgrad.nn.module import Module
from tabgrad.nn.utils.parametrize import register_parametrization
from tabgrad.random import Generator
from tabgrad.session import current
from tabgrad.tensor import Tensor


def norm_except(v: Tensor, dim: int | None) -> Tensor:
    """The norm over all dimensions but one, which keeps its place; over all, if None."""
    if dim is None or dim == -1:
        return ops.sqrt((v * v).sum())
    kept = dim % v.ndim
    return ops.sqrt((v * v).sum(tuple(n for n in range(v.ndim) if n != kept), keepdim=True))


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """``g v / |v|``."""
        return weight_v * (weight_g / norm_except(weight_v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Norm and direction of a weight."""
        return norm_except(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Train the norm of each slice along ``dim`` (``original0``) apart from its direction (``original1``).

    Source: Salimans & Kingma 2016, https://arxiv.org/abs/1602.07868
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


def unit(v: Tensor, eps: float) -> Tensor:
    """A vector of length 1."""
    return v / ops.clamp(ops.sqrt((v * v).sum()), min=eps)


def random_unit(size: int, eps: float) -> Tensor:
    """Of a normal distribution's direction."""
    generator: Generator = current().generator
    return unit(Tensor._of(generator.normal_array((size,))), eps)


def matrix_of(weight: Tensor, dim: int) -> Tensor:
    """``[n, ...]`` along ``dim``, with the other dimensions as one."""
    order = [dim, *(n for n in range(weight.ndim) if n != dim)]
    return weight.permute(*order).reshape(weight.shape[dim], -1)


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        self.dim, self.eps, self.n_power_iterations = dim % weight.ndim, eps, n_power_iterations
        if weight.ndim > 1:
            with no_grad():
                rows = matrix_of(weight.detach(), self.dim)
                self.register_buffer("_u", random_unit(rows.shape[0], eps))
                self.register_buffer("_v", random_unit(rows.shape[1], eps))
                self._iterate(rows, 15)

    def _iterate(self, rows: Tensor, times: int) -> None:
        u, v = self._u, self._v
        for _ in range(times):
            u = unit(rows @ v, self.eps)
            v = unit(rows.t() @ u, self.eps)
        self._u.copy_(u)
        self._v.copy_(v)

    def forward(self, weight: Tensor) -> Tensor:
        """The weight divided by its largest singular value, which power iterations approximate."""
        if weight.ndim == 1:
            return unit(weight, self.eps)
        rows = matrix_of(weight, self.dim)
        if self.training:
            with no_grad():
                self._iterate(rows.detach(), self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / (u * (rows @ v)).sum()

    def right_inverse(self, value: Tensor) -> Tensor:
        """The value itself."""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its largest singular value; ``dim`` is that of outputs.

    Source: Miyato et al. 2018, https://arxiv.org/abs/1802.05957
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ArgumentError(f"Module '{type(module).__name__}' has no parameter or buffer with name '{name}'")
    if n_power_iterations <= 0:
        raise ArgumentError(
            f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
        )
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


__all__ = ["spectral_norm", "weight_norm"]
