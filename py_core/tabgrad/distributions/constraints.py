"""Sets of values that parameters and samples lie in; PyTorch's ``torch.distributions.constraints``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad.late import missing_name
from tabgrad.ops import logical_and
from tabgrad.tensor import Tensor


class Constraint:
    """A set of tensors' values.

    Attributes:
        is_discrete: it holds whole numbers only.
        event_dim: dimensions at the end that are one value together.
    """

    is_discrete = False
    event_dim = 0
    excludes: Callable[[np.ndarray], bool] | None = None  # whether one of an array's values is not in the set

    def check(self, value: Tensor) -> Tensor:
        """For each value whether it is in the set."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__.removeprefix("_") + "()"


class _Dependent(Constraint):
    """A set that depends on other parameters; not checked."""

    def check(self, value: Tensor) -> Tensor:
        raise ValueError("constraints.dependent: expected a set that depends on nothing; ask the distribution's own")


class _Interval(Constraint):
    """Numbers between two limits, which may be included."""

    def __init__(
        self, lower_bound: Any = None, upper_bound: Any = None, *, open_below: bool = False, whole: bool = False
    ) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        self._open_below = open_below
        self.is_discrete = whole

    def check(self, value: Tensor) -> Tensor:
        inside = value == value
        if self.lower_bound is not None:
            above = value > self.lower_bound if self._open_below else value >= self.lower_bound
            inside = logical_and(inside, above)
        if self.upper_bound is not None:
            inside = logical_and(inside, value <= self.upper_bound)
        if self.is_discrete and value.dtype.is_floating_point:
            inside = logical_and(inside, value.floor() == value)
        return inside

    def excludes(self, values: np.ndarray) -> bool:
        """Whether one of the values is not in the set; limits that are tensors are not looked at."""
        limits = (-math.inf if self.lower_bound is None else self.lower_bound, self.upper_bound)
        low, high = (v if isinstance(v, int | float) else None for v in limits)
        outside = values != values
        if low is not None:
            outside = outside | (values <= low if self._open_below else values < low)
        if high is not None:
            outside = outside | (values > high)
        if self.is_discrete and values.dtype.kind == "f":
            outside = outside | (np.floor(values) != values)
        return bool(outside.any())

    def __repr__(self) -> str:
        return f"{'Integers' if self.is_discrete else 'Interval'}({self.lower_bound}, {self.upper_bound})"


class _Simplex(Constraint):
    """Vectors of at least 0 that sum to 1."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return logical_and((value >= 0).all(-1), (value.sum(-1) - 1).abs() < 1e-6)


class _OneHot(Constraint):
    """Vectors of zeros and one 1."""

    event_dim = 1
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return logical_and((value * (1 - value) == 0).all(-1), value.sum(-1) == 1)


class _LowerCholesky(Constraint):
    """Lower triangular matrices with numbers above 0 on the diagonal."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        lower = (value.tril() == value).flatten(-2).all(-1)
        n = value.shape[-1]
        diagonal = value.flatten(-2)[..., :: n + 1]
        return logical_and(lower, (diagonal > 0).all(-1))


class _Independent(Constraint):
    """A set of whose values several dimensions are one."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        found = self.base_constraint.check(value)
        return found.flatten(-self.reinterpreted_batch_ndims).all(-1) if self.reinterpreted_batch_ndims else found


dependent = _Dependent()
boolean = _Interval(0, 1, whole=True)
real = _Interval()
nonnegative = _Interval(0)
positive = _Interval(0, open_below=True)
unit_interval = _Interval(0, 1)
nonnegative_integer = _Interval(0, whole=True)
positive_integer = _Interval(1, whole=True)
simplex = _Simplex()
one_hot = _OneHot()
lower_cholesky = _LowerCholesky()
real_vector = _Independent(real, 1)
independent = _Independent


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Numbers from one limit to another."""
    return _Interval(lower_bound, upper_bound)


def integer_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Whole numbers from one limit to another."""
    return _Interval(lower_bound, upper_bound, whole=True)


def greater_than(lower_bound: Any) -> Constraint:
    """Numbers above a limit."""
    return _Interval(lower_bound, open_below=True)


def greater_than_eq(lower_bound: Any) -> Constraint:
    """Numbers of at least a limit."""
    return _Interval(lower_bound)


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


__all__ = [
    "Constraint", "boolean", "dependent", "greater_than", "greater_than_eq", "independent", "integer_interval",
    "interval", "lower_cholesky", "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_integer",
    "real", "real_vector", "simplex", "unit_interval",
]  # fmt: skip
