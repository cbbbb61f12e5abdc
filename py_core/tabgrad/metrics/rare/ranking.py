"""Measures of scores: how well they put what is of a class before what is not. Ties count as the literature has it."""

from __future__ import annotations

from tabgrad.errors import ShapeError
from tabgrad.metrics.rare._confusion import divided, probabilities
from tabgrad.metrics.rare.metric import Metric, joined
from tabgrad.ops import cat, one_hot, sort, where
from tabgrad.ops.rare.bins import searchsorted
from tabgrad.tensor import Tensor


class _Scores(Metric):
    """Keeps scores ``[n]`` and targets of 0 and 1 ``[n]`` of all batches on the device."""

    def __init__(self, task: str = "binary") -> None:
        super().__init__()
        if task != "binary":
            raise NotImplementedError(f"{type(self).__name__}: expected task='binary', got {task!r}")
        self.scores: list[Tensor]
        self.targets: list[Tensor]
        self.add_state("scores", [])
        self.add_state("targets", [])

    def update(self, output: Tensor, target: Tensor) -> None:
        """Keep a batch."""
        if output.shape != target.shape:
            raise ShapeError(
                f"{type(self).__name__}: expected output and target of one shape, got {list(output.shape)} and "
                f"{list(target.shape)}"
            )
        self.scores.append(output.reshape(-1).float())
        self.targets.append(target.reshape(-1).float())

    def _all(self) -> tuple[Tensor, Tensor]:
        return joined(self.scores), joined(self.targets)


class AUROC(_Scores):
    """Area under the ROC curve: the probability that what is of class 1 scores above what is not; 0 where a class is
    missing. Equal scores count half (Mann and Whitney 1947).
    """

    def compute(self) -> Tensor:
        """The area, 0-d."""
        scores, target = self._all()
        negatives = sort(where(target > 0.5, float("inf"), scores)).values
        below = searchsorted(negatives, scores).float()
        at_most = searchsorted(negatives, scores, right=True).float()
        positives = target.sum()
        wins = ((below + at_most) * 0.5 * target).sum()
        return divided(wins, positives * (target.shape[0] - positives))


class AveragePrecision(_Scores):
    """Mean precision over the ranks of what is of class 1, equal scores as one rank; 0 where nothing is."""

    def compute(self) -> Tensor:
        """The mean, 0-d."""
        scores, target = self._all()
        n = target.shape[0]
        ranked = sort(scores).values
        positives = sort(where(target > 0.5, scores, float("-inf"))).values
        from_here = n - searchsorted(ranked, scores).float()
        right_from_here = n - searchsorted(positives, scores).float()
        return divided((right_from_here / from_here * target).sum(), target.sum())


class CalibrationError(_Scores):
    """How far the probability of the predicted class is from how often it is right (Naeini et al. 2015).

    Args:
        n_bins: of equal width, over 0 to 1.
        norm: ``"l1"``: the mean over samples; ``"l2"``: its root mean square; ``"max"``: the largest.
    """

    def __init__(self, task: str = "binary", n_bins: int = 15, norm: str = "l1") -> None:
        super().__init__(task)
        if norm not in ("l1", "l2", "max"):
            raise ValueError(f"CalibrationError: expected norm as 'l1', 'l2' or 'max', got {norm!r}")
        self.n_bins, self.norm = n_bins, norm

    def compute(self) -> Tensor:
        """The error, 0-d."""
        scores, target = self._all()
        confidence = probabilities(scores)
        places = (confidence * self.n_bins).floor().clamp(0, self.n_bins - 1).int()
        bins = one_hot(places, self.n_bins).float()
        count = bins.sum(0)
        gap = (divided((bins * confidence.unsqueeze(1)).sum(0), count) - divided(bins.T @ target, count)).abs()
        share = count / count.sum()
        if self.norm == "max":
            return gap.max()
        return (gap * share).sum() if self.norm == "l1" else (gap * gap * share).sum().sqrt()


class ROC(_Scores):
    """The ROC curve: false and true positive rates, and the scores from which on they are reached."""

    def compute(self) -> tuple[Tensor, Tensor, Tensor]:
        """``fpr``, ``tpr`` and ``thresholds``, each ``[n + 1]``; equal scores give equal points."""
        scores, target = self._all()
        tp, fp, thresholds = _curve(scores, target)
        start = tp[:1] * 0
        tpr, fpr = cat([start, divided(tp, tp[-1:])]), cat([start, divided(fp, fp[-1:])])
        return fpr, tpr, cat([start + float("inf"), thresholds])


class PrecisionRecallCurve(_Scores):
    """Precision and recall at each score."""

    def compute(self) -> tuple[Tensor, Tensor, Tensor]:
        """``precision`` and ``recall`` ``[n + 1]``, from the lowest score on, then 1 and 0; ``thresholds`` ``[n]``."""
        scores, target = self._all()
        tp, fp, thresholds = (t.flip(0) for t in _curve(scores, target))
        precision, recall = divided(tp, tp + fp), divided(tp, tp[:1], otherwise=1.0)
        end = tp[:1] * 0
        return cat([precision, end + 1]), cat([recall, end]), thresholds


def _curve(scores: Tensor, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """True and false positives from each score on, the highest first; equal scores have the counts of the last."""
    ranked, order = sort(scores, descending=True)
    right = target[order].cumsum(0)
    wrong = (1 - target[order]).cumsum(0)
    last = searchsorted(-ranked, -ranked, right=True) - 1
    return right[last], wrong[last], ranked


__all__ = ["AUROC", "ROC", "AveragePrecision", "CalibrationError", "PrecisionRecallCurve"]
