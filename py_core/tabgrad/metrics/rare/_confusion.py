"""Counts of predicted beside true classes, which many measures are made of."""

from __future__ import annotations

from typing import Any

from tabgrad import dtypes
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.metrics.rare.metric import Metric
from tabgrad.ops import one_hot, where, zeros
from tabgrad.tensor import Tensor

TASKS = ("binary", "multiclass")


class Counts(Metric):
    """Keeps the matrix ``[c, c]`` of counts: rows are true classes, columns predicted ones.

    Args:
        task: ``"binary"``: outputs are probabilities or logits ``[...]`` of class 1; ``"multiclass"``: classes
            ``[...]``, or scores ``[n, c, ...]``.
        num_classes: for ``"multiclass"``.
        threshold: for ``"binary"``: from which probability on it is class 1.
        ignore_index: targets that are not counted.

    Raises:
        TabgradError: another task, or no number of classes.
    """

    def __init__(
        self,
        task: str = "multiclass",
        num_classes: int | None = None,
        *,
        threshold: float = 0.5,
        ignore_index: int | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if task not in TASKS:
            raise TabgradError(f"{name}: expected task as one of {', '.join(TASKS)}, got {task!r}")
        if task == "multiclass" and (not isinstance(num_classes, int) or num_classes < 2):
            raise TabgradError(
                f"{name}: expected num_classes of at least 2 with task='multiclass', got {num_classes!r}"
            )
        self.task, self.threshold, self.ignore_index = task, threshold, ignore_index
        self.num_classes = 2 if task == "binary" else num_classes or 2
        self.counts: Tensor
        self.add_state("counts", zeros(self.num_classes, self.num_classes, dtype=dtypes.int32))

    def update(self, output: Tensor, target: Tensor) -> None:
        """Count a batch."""
        predicted = self._classes(output, target)
        predicted, target = predicted.reshape(-1).int(), target.reshape(-1).int()
        valid = None if self.ignore_index is None else target != self.ignore_index
        if valid is not None:
            target = where(valid, target, 0)
        rows = one_hot(target, self.num_classes).float()
        if valid is not None:
            rows = rows * valid.float().unsqueeze(1)
        # sums of fewer than 2^24 ones are exact in float32
        self.counts = self.counts + (rows.T @ one_hot(predicted, self.num_classes).float()).int()

    def _classes(self, output: Tensor, target: Tensor) -> Tensor:
        if self.task == "binary":
            if output.shape != target.shape:
                raise ShapeError(
                    f"{type(self).__name__}: expected output and target of one shape, got {list(output.shape)} and "
                    f"{list(target.shape)}"
                )
            return probabilities(output) > self.threshold if output.dtype.is_floating_point else output
        if output.ndim == target.ndim + 1 and output.shape[1] == self.num_classes:
            return output.argmax(1)
        if output.shape != target.shape:
            raise ShapeError(
                f"{type(self).__name__}: expected scores [n, {self.num_classes}, ...] or classes [n, ...] beside "
                f"classes [n, ...], got {list(output.shape)} and {list(target.shape)}"
            )
        return output


def probabilities(output: Tensor) -> Tensor:
    """Outputs between 0 and 1 as they are; others are logits."""
    is_logits = (output < 0).any() | (output > 1).any()
    return where(is_logits, output.sigmoid(), output)


def divided(number: Tensor, by: Tensor, otherwise: float = 0.0) -> Tensor:
    """A quotient; where it would be one by zero, something else."""
    number, by = number.float(), by.float()
    return where(by == 0, otherwise, number / where(by == 0, 1.0, by))


def averaged(values: Tensor, support: Tensor, average: Any, seen: Tensor) -> Tensor:
    """Measures of classes as one: their mean (over classes that are true or predicted), or the one weighted by how
    often each is true; or all of them.
    """
    if average == "macro":
        return divided((values * seen.float()).sum(), seen.float().sum())
    if average == "weighted":
        return divided((values * support.float()).sum(), support.float().sum())
    return values
