"""Tensors of PyTorch's random numbers: drawn on the host, in the order in which PyTorch draws them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.compat.rejection import gamma, poisson
from tabgrad.compat.twister import Twister
from tabgrad.dtypes import DType
from tabgrad.names import PUBLIC
from tabgrad.ops.draws import Draws, NumbersKind
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.segment import has
from tabgrad.tracing.tracer import Tracer

Shape = tuple[int, ...]


class TorchDraws(Twister):
    """What a generator draws in place of counter-based numbers.

    Its tensors are made of host arrays. A recorded step asks for new ones at each run.
    """

    # Floats

    def rand(self, shape: Shape, dtype: DType | None = None, like: Tensor | None = None) -> Tensor:
        """Uniform in [0, 1)."""
        return self.uniform_tensor(shape, dtype, 0.0, 1.0, like)

    def uniform_tensor(
        self, shape: Shape, dtype: DType | None, low: float, high: float, like: Tensor | None = None
    ) -> Tensor:
        """Uniform in [low, high)."""
        dtype, wide = _float(dtype)
        return self._tensor(shape, dtype, lambda n: self.uniform(n, wide, low, high), like)

    def normal_tensor(
        self, shape: Shape, dtype: DType | None, mean: float = 0.0, std: float = 1.0, like: Tensor | None = None
    ) -> Tensor:
        """Normal."""
        dtype, wide = _float(dtype)
        pairs = like is not None and memory_order(like) is not None
        narrow = dtype.itemsize == 2

        def drawn(n: int) -> np.ndarray:
            return self.normal(n, wide, mean, std, one_by_one=pairs, whole_blocks=narrow)

        return self._tensor(shape, dtype, drawn, like)

    def exponential_tensor(self, shape: Shape, dtype: DType, lambd: float = 1.0, like: Tensor | None = None) -> Tensor:
        """Of mean ``1 / lambd``."""
        return self._tensor(shape, dtype, lambda n: self.exponential(n, lambd), like)

    def geometric_tensor(self, shape: Shape, dtype: DType, p: float, like: Tensor | None = None) -> Tensor:
        """Trials up to the first success."""

        def trials(n: int) -> np.ndarray:
            return np.ceil(np.log(self.units(n)) / math.log1p(-p))

        return self._tensor(shape, dtype, trials, like)

    def cauchy_tensor(
        self, shape: Shape, dtype: DType, median: float, sigma: float, like: Tensor | None = None
    ) -> Tensor:
        """From a Cauchy distribution."""

        def drawn(n: int) -> np.ndarray:
            return median + sigma * np.tan(math.pi * (self.units(n) - 0.5))

        return self._tensor(shape, dtype, drawn, like)

    def log_normal_tensor(
        self, shape: Shape, dtype: DType, mean: float, std: float, like: Tensor | None = None
    ) -> Tensor:
        """Exponentials of normal numbers."""
        return self._tensor(shape, dtype, lambda n: np.exp(self.pairs(n) * std + mean), like)

    # Integers and choices

    def integers_tensor(self, shape: Shape, dtype: DType, low: int, high: int, like: Tensor | None = None) -> Tensor:
        """In [low, high)."""
        return self._tensor(shape, dtype, lambda n: self.integers(n, low, high), like)

    def permutation_tensor(self, n: int, dtype: DType) -> Tensor:
        """``range(n)`` in a random order."""
        return self._tensor((n,), dtype, self.permutation)

    def bernoulli(self, p: Any, shape: Shape, dtype: DType, like: Tensor | None = None) -> Tensor:
        """1 with probability ``p``, a number or a tensor, which is not read; else 0."""
        if not isinstance(p, Tensor):
            return self._tensor(shape, dtype, lambda n: self.units(n) < p, like)
        wide = dtypes.float64 if p.dtype is dtypes.float64 else dtypes.float32
        below = _public("lt")(self.rand(shape, wide, like), p.detach().to(wide))
        return below if dtype is dtypes.bool_ else below.to(dtype)

    def dropout(self, x: Tensor, p: float) -> Tensor:
        """``x`` times 0 with probability ``p``, else times ``1 / (1 - p)``."""
        if p == 1:
            return _public("mul")(x, 0.0)
        if not x.numel():
            return x
        return _public("mul")(x, self.factor(x.shape, x.dtype, p, x))

    def factor(self, shape: Shape, dtype: DType, p: float, like: Tensor | None = None) -> Tensor:
        """0 with probability ``p``, else ``1 / (1 - p)``."""
        kind = np.float64 if dtype is dtypes.float64 else np.float32
        high = float(kind(1) / kind(1 - p))
        return self._tensor(shape, dtype, lambda n: (self.units(n) < 1 - p) * high, like)

    def rrelu_slopes(self, x: Tensor, lower: float, upper: float) -> Tensor:
        """One for each element of at most 0, which are read; 1 elsewhere."""

        def slopes(n: int) -> np.ndarray:
            found = np.ones(n)
            low = x.detach().float().numpy().reshape(-1) <= 0
            found[low] = self.units(int(low.sum())) * (upper - lower) + lower
            return found

        return self._tensor(x.shape, x.dtype, slopes)

    def gamma_tensor(self, concentrations: Tensor) -> Tensor:
        """Of rate 1; the concentrations are read."""
        values = concentrations.detach().numpy().reshape(-1)
        return self._tensor(concentrations.shape, concentrations.dtype, lambda _: gamma(self, values))

    def poisson_tensor(self, means: Tensor) -> Tensor:
        """Of Poisson distributions; the means are read."""
        values = means.detach().float().numpy().reshape(-1)
        return self._tensor(means.shape, means.dtype, lambda _: poisson(self, values))

    def multinomial(self, weights: Tensor, count: int, replacement: bool) -> Tensor:
        """Places in each row of ``weights`` ``[rows, n]``; which are read if several are drawn with replacement."""
        if count == 1 or not replacement:
            scores = _public("div")(weights, self.exponential_tensor(weights.shape, weights.dtype))
            found = (
                _public("argmax")(scores, 1, True) if count == 1 else _public("topk")(scores.float(), count, 1).indices
            )
            return found.to(dtypes.int32)
        if weights.dtype is dtypes.bfloat16:
            raise self.differs("multinomial with replacement of bfloat16")
        shape = weights.shape[0], count
        values = np.asarray(weights.numpy())
        return self._tensor(shape, dtypes.int32, lambda _: self.chosen(values, count, True))

    @staticmethod
    def differs(name: str) -> NotImplementedError:
        """The error of functions whose numbers differ from PyTorch's."""
        return NotImplementedError(
            f"{name}: expected a function whose numbers are PyTorch's inside torch_rng(), got one whose numbers "
            f"differ; call it outside of torch_rng(), or draw with rand, randn, randint, multinomial, exponential_ ..."
        )

    # Where they go

    def _tensor(
        self, shape: Shape, dtype: DType, draw: Callable[[int], np.ndarray], like: Tensor | None = None
    ) -> Tensor:
        """A tensor of as many numbers as ``shape`` has; in the order of a tensor's memory, if one is given."""
        session = current()
        order = None if like is None else memory_order(like)

        def make() -> np.ndarray:
            return _laid_out(draw(math.prod(shape)), shape, order)

        def next_one() -> tuple[Tensor, ...]:
            recording = session.capturing()
            stored = session.stored_as(dtype)
            if recording is None:
                session.own(Tracer).happens_once("it draws PyTorch's random numbers on the host")
                return (Tensor._of(make(), stored),)
            kind = session.own(NumbersKind)
            recording.late(kind, lambda: session.generator.twister is self, id(self))
            return (Tensor._from_node(recording.drawn(shape, stored, lambda: dtypes.to_storage(make(), stored))),)

        return session.own(Draws).next(next_one)[0]


def memory_order(x: Tensor) -> list[int] | None:
    """The dimensions of a transposed tensor as they lie in memory, the outermost first; None: in their own order.

    New tensors in the shape of a view, such as masks of dropout, are laid out as it in PyTorch, and filled so.
    """
    if not has(x, "_memory") and x._trace is not None and x._slot not in x._trace.views:
        return None  # deferred, and no view: it stays so
    strides = x.stride()
    if x.ndim < 2 or any(step == 0 for step in strides):
        return None
    order = sorted(range(x.ndim), key=lambda d: -strides[d])
    return None if order == list(range(x.ndim)) else order


def _laid_out(values: np.ndarray, shape: Shape, order: list[int] | None) -> np.ndarray:
    if order is None:
        return values.reshape(shape)
    return values.reshape([shape[d] for d in order]).transpose(np.argsort(order))


def _float(dtype: DType | None) -> tuple[DType, Any]:
    """A dtype of floats, and in which of NumPy's its numbers are drawn."""
    dtype = dtypes.float32 if dtype is None else dtype
    return dtype, np.float64 if dtype is dtypes.float64 else np.float32


def _public(name: str) -> Callable[..., Any]:
    """A function as users call it, which plain loops recognise."""
    return PUBLIC[name].for_users


__all__ = ["TorchDraws", "memory_order"]
