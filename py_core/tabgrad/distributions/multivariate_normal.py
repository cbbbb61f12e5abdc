"""``MultivariateNormal``, with Cholesky factors that are composed of ops, for the few dimensions that it has."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tabgrad import ops
from tabgrad.distributions import constraints
from tabgrad.distributions.constraints import Constraint
from tabgrad.distributions.distribution import Distribution, Sizes, broadcast_shape
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.tensor import Tensor


def cholesky(matrix: Tensor) -> Tensor:
    """The lower factor ``L`` of ``matrix = L Lᵀ``, ``[..., n, n]``: one column after another."""
    n = matrix.shape[-1]
    columns: list[Tensor] = []
    for j in range(n):
        rest = matrix[..., :, j]
        for column in columns:
            rest = rest - column * column[..., j : j + 1]
        below = ops.arange(n) >= j
        columns.append(ops.where(below, rest * rest[..., j : j + 1].rsqrt(), 0.0))
    return ops.stack(columns, -1)


def solve_lower(factor: Tensor, value: Tensor) -> Tensor:
    """``factor⁻¹ value``, of a lower triangular ``[..., n, n]`` and vectors ``[..., n]``."""
    found: list[Tensor] = []
    for i in range(factor.shape[-1]):
        rest = value[..., i]
        for j, known in enumerate(found):
            rest = rest - factor[..., i, j] * known
        found.append(rest / factor[..., i, i])
    return ops.stack(found, -1)


def _inverse(factor: Tensor) -> Tensor:
    """The inverse of a lower triangular matrix."""
    n = factor.shape[-1]
    return solve_lower(factor.unsqueeze(-3), ops.eye(n)).transpose(-1, -2)


class MultivariateNormal(Distribution):
    """The normal distribution of vectors, of a mean ``[..., n]`` and one of three matrices ``[..., n, n]``."""

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "loc": constraints.real_vector,
        "scale_tril": constraints.lower_cholesky,
    }
    parameters: ClassVar[dict[str, int]] = {"loc": 1, "scale_tril": 2}
    support = constraints.real_vector

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        given = [m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None]
        if len(given) != 1:
            raise ArgumentError(
                "MultivariateNormal: expected one of covariance_matrix, precision_matrix and scale_tril, got "
                f"{len(given)} of them"
            )
        matrix, n = given[0], loc.shape[-1] if loc.ndim else 0
        if loc.ndim < 1 or matrix.shape[-2:] != (n, n):
            raise ShapeError(
                f"MultivariateNormal: expected loc [..., n] and a matrix [..., n, n], got {list(loc.shape)} and "
                f"{list(matrix.shape)}"
            )
        if scale_tril is not None:
            factor = scale_tril
        elif covariance_matrix is not None:
            factor = cholesky(covariance_matrix)
        else:
            flipped = _inverse(cholesky(matrix.flip((-2, -1))).flip((-2, -1)).transpose(-1, -2))
            factor = flipped
        batch = broadcast_shape(matrix.shape[:-2], loc.shape[:-1])
        self.loc = ops.broadcast_to(loc, (*batch, n))
        self.scale_tril = ops.broadcast_to(factor, (*batch, n, n))
        super().__init__(batch, (n,), validate_args)

    def _diagonal(self) -> Tensor:
        n = self.event_shape[0]
        return self.scale_tril.flatten(-2)[..., :: n + 1]

    @property
    def covariance_matrix(self) -> Tensor:
        """The covariances."""
        return self.scale_tril @ self.scale_tril.transpose(-1, -2)

    @property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariances."""
        inverse = _inverse(self.scale_tril)
        return inverse.transpose(-1, -2) @ inverse

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self.scale_tril.square().sum(-1)

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        noise = ops.randn(*self._extended_shape(sample_shape)).unsqueeze(-1)
        return self.loc + (self.scale_tril @ noise).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        squares = solve_lower(self.scale_tril, value - self.loc).square().sum(-1)
        return -0.5 * (self.event_shape[0] * math.log(2 * math.pi) + squares) - self._diagonal().log().sum(-1)

    def entropy(self) -> Tensor:
        return 0.5 * self.event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._diagonal().log().sum(-1)

    def _unexpanded(self) -> dict[str, Any]:
        return {"validate_args": self._validates}


__all__ = ["MultivariateNormal", "solve_lower"]
