"""What all distributions share; PyTorch's ``torch.distributions.distribution``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from tabgrad import ops
from tabgrad.autograd import no_grad
from tabgrad.distributions.constraints import Constraint, dependent
from tabgrad.dtypes import float32
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.graph.node import CONST
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer

Sizes = Sequence[int]


class Distribution:
    """Base of distributions.

    Args:
        batch_shape: of the distributions that it holds, one for each set of parameters.
        event_shape: of one sample of one of them.
        validate_args: look whether parameters, and values that are passed, are in their sets. Looking waits for the
            device: by default, what lies on the host alone is looked at; with False, nothing.

    Raises:
        ArgumentError: a parameter is not in its set.
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: ClassVar[Mapping[str, Constraint]] = MappingProxyType({})
    parameters: ClassVar[Mapping[str, int]] = MappingProxyType(
        {}
    )  # names, each with its dimensions that are part of an event

    def __init__(self, batch_shape: Sizes = (), event_shape: Sizes = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = tuple(batch_shape), tuple(event_shape)
        self._validates = validate_args
        if validate_args is not False:
            for name, constraint in self.arg_constraints.items():
                if constraint is not dependent and name in vars(self):
                    self._check(constraint, getattr(self, name), f"{name} that satisfies {constraint}")

    def _check(self, constraint: Constraint, value: Tensor, expected: str) -> None:
        if not self._validates:
            if isinstance(value, Tensor) and constraint.excludes is not None:
                current().own(Tracer).check(value, lambda t: self._glance(constraint, t, expected))
            return
        if not constraint.check(value.detach()).all().item():
            raise ArgumentError(f"{type(self).__name__}: expected {expected}, got {value.detach().tolist()}")

    def _glance(self, constraint: Constraint, value: Tensor, expected: str) -> None:
        """Raise for values that lie on the host, where looking costs nothing."""
        node = value._node
        values = np.asarray(node.attrs["value"]) if node.op is CONST else node.host_elements()
        if values is not None and constraint.excludes is not None and constraint.excludes(values):
            raise ArgumentError(f"{type(self).__name__}: expected {expected}, got {value.detach().tolist()}")

    def _validate_sample(self, value: Tensor) -> None:
        if self._validates is not False:
            self._check(self.support, value, f"a value within the support {self.support}")

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Sizes of the distributions that it holds."""
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        """Sizes of one sample."""
        return self._event_shape

    @property
    def support(self) -> Constraint:
        """The set that samples are in."""
        raise self._missing("support")

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise self._missing("mean")

    @property
    def mode(self) -> Tensor:
        """The most probable value."""
        raise self._missing("mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise self._missing("variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        """Samples ``[*sample_shape, *batch_shape, *event_shape]``, without gradients."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        """As :meth:`sample`, with gradients with respect to the parameters."""
        raise self._missing("rsample")

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, at ``value``."""
        raise self._missing("log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of at most ``value``."""
        raise self._missing("cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of :meth:`cdf`."""
        raise self._missing("icdf")

    def entropy(self) -> Tensor:
        """The entropy, in nats."""
        raise self._missing("entropy")

    def perplexity(self) -> Tensor:
        """``exp(entropy)``."""
        return self.entropy().exp()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values, of a discrete distribution."""
        raise self._missing("enumerate_support")

    def expand(self, batch_shape: Sizes) -> Self:
        """The same distribution for each of more sets of parameters."""
        if not self.parameters:
            raise self._missing("expand")
        sizes = tuple(batch_shape)
        given = {}
        for name, event_dims in self.parameters.items():
            value = getattr(self, name)
            given[name] = value.expand(*sizes, *value.shape[value.ndim - event_dims :])
        return type(self)(**given, **self._unexpanded())

    def _unexpanded(self) -> dict[str, Any]:
        """Further arguments of a distribution of the same kind."""
        return {"validate_args": self._validates}

    def _extended_shape(self, sample_shape: Sizes = ()) -> tuple[int, ...]:
        if isinstance(sample_shape, int):
            raise ShapeError(f"sample: expected sample_shape as a sequence of sizes, got {sample_shape}; pass a tuple")
        return (*sample_shape, *self._batch_shape, *self._event_shape)

    def _missing(self, name: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__}.{name} is not defined, or not in tabgrad yet")

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}: {list(getattr(self, name).shape)}" for name in self.parameters)
        return f"{type(self).__name__}({shown})"


class ExponentialFamily(Distribution):
    """Base of those whose densities have PyTorch's form of exponential families."""


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Numbers and tensors as tensors of one shape; numbers are float32, or of the first tensor's dtype."""
    dtype = next((v.dtype for v in values if isinstance(v, Tensor) and v.dtype.is_floating_point), float32)
    tensors = [v if isinstance(v, Tensor) else ops.tensor(v, dtype=dtype) for v in values]
    shape = broadcast_shape(*(t.shape for t in tensors))
    return tuple(t if t.shape == shape else ops.broadcast_to(t, shape) for t in tensors)


def broadcast_shape(*shapes: Sizes) -> tuple[int, ...]:
    """The shape that tensors of these shapes are broadcast to.

    Raises:
        ShapeError: they do not fit each other.
    """
    out: list[int] = []
    for i in range(1, max(map(len, shapes), default=0) + 1):
        sizes = {shape[-i] for shape in shapes if len(shape) >= i} - {1}
        if len(sizes) > 1:
            raise ShapeError(
                f"distributions: expected parameters that broadcast, got shapes {[list(s) for s in shapes]}"
            )
        out.append(sizes.pop() if sizes else 1)
    return tuple(reversed(out))


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """The sum over the last ``dims`` dimensions."""
    return value.sum(tuple(range(-dims, 0))) if dims else value


def one_of(caller: str, first: Any, second: Any, names: str) -> None:
    """Raise unless one of two parameters, and one alone, is given.

    Raises:
        ArgumentError: both or none.
    """
    if (first is None) == (second is None):
        raise ArgumentError(f"{caller}: expected either {names}, got {'none' if first is None else 'both'}")


__all__ = [
    "Distribution", "ExponentialFamily", "Sizes", "broadcast_all", "broadcast_shape", "one_of", "sum_rightmost",
]  # fmt: skip
