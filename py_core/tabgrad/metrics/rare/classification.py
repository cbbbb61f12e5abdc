"""Measures of classes, from counts of predicted beside true ones."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import TabgradError
from tabgrad.metrics.rare._confusion import Counts, averaged, divided
from tabgrad.ops import arange, where
from tabgrad.tensor import Tensor

AVERAGES = ("micro", "macro", "weighted", "none", None)


class ConfusionMatrix(Counts):
    """Counts ``[c, c]``: rows are true classes, columns predicted ones.

    Args:
        normalize: ``"true"``, ``"pred"`` or ``"all"``: as fractions of a row, a column, or of all; None: counts, int32.
    """

    def __init__(self, task: str = "multiclass", num_classes: int | None = None, normalize: Any = None, **kwargs: Any):
        super().__init__(task, num_classes, **kwargs)
        if normalize not in ("true", "pred", "all", "none", None):
            raise TabgradError(
                f"ConfusionMatrix: expected normalize as 'true', 'pred', 'all' or None, got {normalize!r}"
            )
        self.normalize = normalize

    def compute(self) -> Tensor:
        """The matrix."""
        counts = self.counts
        if self.normalize == "true":
            return divided(counts, counts.sum(1, keepdim=True))
        if self.normalize == "pred":
            return divided(counts, counts.sum(0, keepdim=True))
        return divided(counts, counts.sum()) if self.normalize == "all" else counts


class _OfClasses(Counts):
    """A measure of each class, of its true and false positives and negatives, and one of all classes.

    Args:
        average: ``"micro"``: all classes' counts together; ``"macro"``: the mean over classes that are true or
            predicted; ``"weighted"``: by how often each is true; ``"none"``: one for each class.
    """

    default_average = "macro"

    def __init__(
        self, task: str = "multiclass", num_classes: int | None = None, average: Any = "default", **kwargs: Any
    ) -> None:
        super().__init__(task, num_classes, **kwargs)
        self.average = self.default_average if average == "default" else average
        if self.average not in AVERAGES:
            raise TabgradError(
                f"{type(self).__name__}: expected average as one of {', '.join(map(str, AVERAGES))}, got {average!r}"
            )

    def measure(self, tp: Tensor, fp: Tensor, fn: Tensor, tn: Tensor) -> Tensor:
        """The measure, of true and false positives and negatives."""
        raise NotImplementedError

    def compute(self) -> Tensor:
        """The measure, 0-d, or ``[c]`` with ``average="none"``."""
        counts = self.counts
        tp, support, predicted = counts.diagonal(), counts.sum(1), counts.sum(0)
        fp, fn = predicted - tp, support - tp
        tn = counts.sum() - tp - fp - fn
        if self.task == "binary":
            return self.measure(tp[1], fp[1], fn[1], tn[1])
        if self.average == "micro":
            return self.measure(tp.sum(), fp.sum(), fn.sum(), tn.sum())
        return averaged(self.measure(tp, fp, fn, tn), support, self.average, support + predicted > 0)


class Accuracy(_OfClasses):
    """Fraction of right classes. ``average="macro"``: the mean of the classes' recalls."""

    default_average = "micro"

    def measure(self, tp: Tensor, fp: Tensor, fn: Tensor, tn: Tensor) -> Tensor:
        if self.task == "binary":
            return divided(tp + tn, tp + tn + fp + fn)
        return divided(tp, tp + fn)


class Precision(_OfClasses):
    """True positives among what was predicted to be of the class; 0 where nothing was."""

    def measure(self, tp: Tensor, fp: Tensor, fn: Tensor, tn: Tensor) -> Tensor:
        return divided(tp, tp + fp)


class Recall(_OfClasses):
    """True positives among what is of the class; 0 where nothing is."""

    def measure(self, tp: Tensor, fp: Tensor, fn: Tensor, tn: Tensor) -> Tensor:
        return divided(tp, tp + fn)


class Specificity(_OfClasses):
    """True negatives among what is not of the class; 0 where all is."""

    def measure(self, tp: Tensor, fp: Tensor, fn: Tensor, tn: Tensor) -> Tensor:
        return divided(tn, tn + fp)


class FBetaScore(_OfClasses):
    """Weighted harmonic mean of precision and recall, recall ``beta`` times as important.

    Args:
        beta: above 0.
    """

    def __init__(self, task: str = "multiclass", beta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(task, **kwargs)
        if not beta > 0:
            raise TabgradError(f"{type(self).__name__}: expected beta above 0, got {beta!r}")
        self.beta = beta

    def measure(self, tp: Tensor, fp: Tensor, fn: Tensor, tn: Tensor) -> Tensor:
        square = self.beta * self.beta
        return divided((1 + square) * tp.float(), (1 + square) * tp.float() + square * fn.float() + fp.float())


class F1Score(FBetaScore):
    """Harmonic mean of precision and recall."""

    def __init__(self, task: str = "multiclass", **kwargs: Any) -> None:
        super().__init__(task, 1.0, **kwargs)


class JaccardIndex(_OfClasses):
    """Intersection over union of what is and what was predicted to be of the class; 0 where both are empty."""

    def measure(self, tp: Tensor, fp: Tensor, fn: Tensor, tn: Tensor) -> Tensor:
        return divided(tp, tp + fp + fn)


class Dice(F1Score):
    """Twice the intersection over the sum of sizes, of what is and what was predicted to be of the class."""


class MatthewsCorrCoef(Counts):
    """Correlation of true and predicted classes, -1 to 1 (Matthews 1975, Gorodkin 2004); 0 where it is not defined."""

    def compute(self) -> Tensor:
        """The coefficient, 0-d."""
        counts = self.counts.float()
        total = counts.sum()
        # fractions: products of counts would pass float32's whole numbers
        shares = divided(counts, total)
        true, predicted, right = shares.sum(1), shares.sum(0), shares.diagonal().sum()
        covariance = right - (true * predicted).sum()
        variance = (1 - (predicted * predicted).sum()) * (1 - (true * true).sum())
        return where(variance > 0, covariance / where(variance > 0, variance, 1.0).sqrt(), 0.0)


class CohenKappa(Counts):
    """Agreement beyond chance, at most 1 (Cohen 1960); 0 where chance would give it all.

    Args:
        weights: None, ``"linear"`` or ``"quadratic"``: how much a disagreement counts, by the classes' distance.
    """

    def __init__(self, task: str = "multiclass", num_classes: int | None = None, weights: Any = None, **kwargs: Any):
        super().__init__(task, num_classes, **kwargs)
        if weights not in (None, "none", "linear", "quadratic"):
            raise TabgradError(f"CohenKappa: expected weights as None, 'linear' or 'quadratic', got {weights!r}")
        self.weights = weights

    def compute(self) -> Tensor:
        """The coefficient, 0-d."""
        counts = self.counts.float()
        shares = divided(counts, counts.sum())
        expected = shares.sum(1, keepdim=True) * shares.sum(0, keepdim=True)
        place = arange(self.num_classes).float()
        distance = (place.unsqueeze(0) - place.unsqueeze(1)).abs()
        cost = distance if self.weights == "linear" else distance * distance
        cost = cost if self.weights in ("linear", "quadratic") else (distance > 0).float()
        return 1 - divided((cost * shares).sum(), (cost * expected).sum(), otherwise=1.0)


__all__ = [
    "Accuracy", "CohenKappa", "ConfusionMatrix", "Dice", "F1Score", "FBetaScore", "JaccardIndex", "MatthewsCorrCoef",
    "Precision", "Recall", "Specificity",
]  # fmt: skip
