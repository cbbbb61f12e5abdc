"""Quality measures, computed on the device: each gives a 0-d tensor that need not be read at once.

Each is a mean over samples, so a mean over equal batches is the mean over all.
"""

from __future__ import annotations

from collections.abc import Callable

from tabgrad.autograd import no_grad
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.tensor import Tensor

MetricFunction = Callable[[Tensor, Tensor], Tensor]


def accuracy(output: Tensor, target: Tensor) -> Tensor:
    """Share of right answers, 0 to 1.

    Args:
        output: logits or probabilities ``[n, c, ...]`` with labels ``[n, ...]`` as target: the class
            with the largest counts. Or logits of the same shape as a float target of 0 and 1:
            above 0 counts as 1.

    Raises:
        ShapeError: the shapes are neither.
    """
    with no_grad():
        if output.shape == target.shape and target.dtype.is_floating_point:
            return ((output > 0) == (target > 0.5)).float().mean()
        if output.ndim < 2 or (output.shape[0], *output.shape[2:]) != target.shape:
            raise ShapeError(
                f"accuracy: expected output [n, c, ...] with labels [n, ...], got {list(output.shape)} and "
                f"{list(target.shape)}"
            )
        return (output.argmax(1) == target).float().mean()


def mean_absolute_error(output: Tensor, target: Tensor) -> Tensor:
    """Mean of ``|output - target|``; both the same shape."""
    _check("mean_absolute_error", output, target)
    with no_grad():
        return (output - target).abs().mean()


def mean_squared_error(output: Tensor, target: Tensor) -> Tensor:
    """Mean of ``(output - target) ** 2``; both the same shape."""
    _check("mean_squared_error", output, target)
    with no_grad():
        difference = output - target
        return (difference * difference).mean()


FUNCTIONS: dict[str, MetricFunction] = {
    "accuracy": accuracy,
    "mae": mean_absolute_error,
    "mse": mean_squared_error,
}


def metric_function(name: str) -> MetricFunction:
    """A quality measure by the name that ``Trainer(metrics=[...])`` uses.

    Raises:
        TabgradError: there is none of that name.
    """
    if name not in FUNCTIONS:
        raise TabgradError(f"metrics: expected one of {', '.join(FUNCTIONS)}, got {name!r}; or pass a function")
    return FUNCTIONS[name]


def _check(caller: str, output: Tensor, target: Tensor) -> None:
    if output.shape != target.shape:  # broadcasting [n, 1] with [n] would average n * n differences
        raise ShapeError(
            f"{caller}: expected output and target of one shape, got {list(output.shape)} and {list(target.shape)}"
        )
