"""Losses as modules. ``reduction`` is ``"mean"``, ``"sum"`` or ``"none"`` (one value per element).

``size_average`` and ``reduce`` are PyTorch's former names of it; they warn.
"""

from __future__ import annotations

from tabgrad.checks import real_number, whole_number
from tabgrad.nn import functional as F
from tabgrad.nn.module import Module
from tabgrad.ops.loss_reduction import chosen_reduction
from tabgrad.tensor import Tensor


class _Loss(Module):
    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = chosen_reduction(type(self).__name__, reduction, size_average, reduce)


class _ClassLoss(_Loss):
    """A loss over classes, with optional class weights in a buffer, as in PyTorch."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = whole_number(ignore_index, type(self).__name__, "ignore_index")


class CrossEntropyLoss(_ClassLoss):
    """Negative log-likelihood of the target class, from logits.

    Args:
        weight: ``[c]``, class weights; the mean divides by the sum of all targets' weights.
        ignore_index: targets of this value are ignored.
        label_smoothing: fraction of the target that is spread over all classes, 0 to 1.

    Shapes: logits ``[n, c, ...]``, targets integers ``[n, ...]``.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, ignore_index, reduce, reduction)
        self.label_smoothing = real_number(label_smoothing, "CrossEntropyLoss", "label_smoothing", 0, 1)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class NLLLoss(_ClassLoss):
    """Negative log-likelihood of the target class, from log-probabilities; shapes as :class:`CrossEntropyLoss`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class MSELoss(_Loss):
    """``(input - target) ** 2``."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    """``|input - target|``."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.l1_loss(input, target, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """Cross-entropy between probabilities ``target`` and ``sigmoid(input)``, without overflow.

    Args:
        weight: of the elements, broadcast.
        pos_weight: how much a positive counts, broadcast.
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


__all__ = ["BCEWithLogitsLoss", "CrossEntropyLoss", "L1Loss", "MSELoss", "NLLLoss"]
