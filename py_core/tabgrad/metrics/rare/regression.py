"""Measures of numbers."""

from __future__ import annotations

from tabgrad.errors import ShapeError
from tabgrad.metrics.rare._confusion import divided
from tabgrad.metrics.rare.metric import Metric
from tabgrad.ops import tensor, where
from tabgrad.tensor import Tensor

EPSILON = 1.17e-6  # below which a target counts as that, in percentages; torchmetrics' value


class _Sums(Metric):
    """Keeps sums over all elements."""

    names: tuple[str, ...] = ("total",)

    def __init__(self) -> None:
        super().__init__()
        for name in (*self.names, "count"):
            self.add_state(name, tensor(0.0))
        self.total: Tensor
        self.count: Tensor

    def update(self, output: Tensor, target: Tensor) -> None:
        """Add a batch."""
        if output.shape != target.shape:
            raise ShapeError(
                f"{type(self).__name__}: expected output and target of one shape, got {list(output.shape)} and "
                f"{list(target.shape)}"
            )
        self.count = self.count + float(output.numel())
        self.add(output.float(), target.float())

    def add(self, output: Tensor, target: Tensor) -> None:
        """Add a batch's errors to ``total``."""
        self.total = self.total + self.errors(output, target).sum()

    def errors(self, output: Tensor, target: Tensor) -> Tensor:
        """The error of each element."""
        raise NotImplementedError

    def compute(self) -> Tensor:
        """The mean, 0-d."""
        return self.total / self.count


class MeanAbsoluteError(_Sums):
    """Mean of ``|output - target|``."""

    def errors(self, output: Tensor, target: Tensor) -> Tensor:
        return (output - target).abs()


class MeanSquaredError(_Sums):
    """Mean of ``(output - target) ** 2``.

    Args:
        squared: False: its root.
    """

    def __init__(self, squared: bool = True) -> None:
        super().__init__()
        self.squared = squared

    def errors(self, output: Tensor, target: Tensor) -> Tensor:
        return (output - target) * (output - target)

    def compute(self) -> Tensor:
        """The mean, or its root, 0-d."""
        mean = self.total / self.count
        return mean if self.squared else mean.sqrt()


class MeanAbsolutePercentageError(_Sums):
    """Mean of ``|output - target| / |target|``, as a fraction."""

    def errors(self, output: Tensor, target: Tensor) -> Tensor:
        return (output - target).abs() / target.abs().clamp(min=EPSILON)


class R2Score(_Sums):
    """Coefficient of determination: the share of the targets' variance that the outputs explain, at most 1."""

    names = ("total", "mean", "spread")

    def __init__(self) -> None:
        super().__init__()
        self.mean: Tensor
        self.spread: Tensor

    def add(self, output: Tensor, target: Tensor) -> None:
        difference = output - target
        self.total = self.total + (difference * difference).sum()
        # parts of the variance are joined as by Chan, Golub and LeVeque 1983; sums of squares would cancel
        added = float(target.numel())
        before = self.count - added
        mean = target.mean()
        centred = target - mean
        shift = mean - self.mean
        self.spread = self.spread + (centred * centred).sum() + shift * shift * before * added / self.count
        self.mean = self.mean + shift * added / self.count

    def compute(self) -> Tensor:
        """The coefficient, 0-d; where all targets are equal: 1 if the outputs are, too, else 0."""
        perfect = where(self.total == 0, 1.0, 0.0)
        return where(self.spread == 0, perfect, 1 - divided(self.total, self.spread))


__all__ = ["MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError", "R2Score"]
