"""Metrics of model quality, computed on the device: each returns a 0-d tensor.

Each is a mean over samples, so the mean over equal batches is the mean over all samples. To add one, declare it
here; trainer, command line and page show every metric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tabgrad.autograd import no_grad
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.tensor import Tensor

MetricFunction = Callable[[Tensor, Tensor], Tensor]
FUNCTIONS: dict[str, MetricFunction] = {}
TAKEN = ("type", "step", "epoch", "loss")  # fields of a report that have another meaning


def metric(name: str) -> Callable[[MetricFunction], MetricFunction]:
    """Declare a metric under the name that ``Trainer(metrics=[...])`` uses."""

    def enter(function: MetricFunction) -> MetricFunction:
        FUNCTIONS[name] = function
        return function

    return enter


@metric("accuracy")
def accuracy(output: Tensor, target: Tensor) -> Tensor:
    """Fraction of correct predictions, 0 to 1.

    Args:
        output: logits or probabilities ``[n, c, ...]`` with labels ``[n, ...]`` as target: the class
            with the largest counts. Or logits of the same shape as a float target of 0 and 1:
            above 0 counts as 1.

    Raises:
        ShapeError: other shapes.
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


@metric("mae")
def mean_absolute_error(output: Tensor, target: Tensor) -> Tensor:
    """Mean of ``|output - target|``; both the same shape."""
    _check("mean_absolute_error", output, target)
    with no_grad():
        return (output - target).abs().mean()


@metric("mse")
def mean_squared_error(output: Tensor, target: Tensor) -> Tensor:
    """Mean of ``(output - target) ** 2``; both the same shape."""
    _check("mean_squared_error", output, target)
    with no_grad():
        difference = output - target
        return (difference * difference).mean()


def metric_function(name: str) -> MetricFunction:
    """A metric by the name that ``Trainer(metrics=[...])`` uses.

    Raises:
        TabgradError: the name is unknown.
    """
    if name not in FUNCTIONS:
        raise TabgradError(f"metrics: expected one of {', '.join(FUNCTIONS)}, got {name!r}; or pass a function")
    return FUNCTIONS[name]


def named_metrics(metrics: Sequence[str | MetricFunction]) -> dict[str, MetricFunction]:
    """Metrics by name; a function's name is its ``__name__``.

    Raises:
        TypeError: one is neither a name nor a function.
        TabgradError: a name is unknown, reserved, or given twice.
    """
    found: dict[str, MetricFunction] = {}
    for item in metrics:
        name = item if isinstance(item, str) else _name(item)
        function = metric_function(item) if isinstance(item, str) else item
        if name in TAKEN:
            raise TabgradError(
                f"metrics: expected another name than {', '.join(TAKEN)}, which reports have, got the function {name}; "
                f"rename it"
            )
        if name in found:
            raise TabgradError(
                f"metrics: expected metrics of different names, got two called {name!r}; leave one out, or rename it"
            )
        found[name] = function
    return found


def _name(function: Any) -> str:
    name = getattr(function, "__name__", None)
    if not callable(function) or isinstance(function, type) or not isinstance(name, str) or not name:
        kind = f"the class {name}" if isinstance(function, type) else type(function).__name__
        raise TypeError(
            f"metrics: expected names or functions of (output, target), got {kind}; "
            f"write a function that calls it: its name is the metric's"
        )
    return name


def measured(name: str, function: MetricFunction, output: Tensor, target: Tensor) -> Tensor:
    """A metric's result as a 0-d float tensor.

    Raises:
        TypeError: the result is not a tensor.
        ShapeError: the result is not 0-d.
    """
    value = function(output, target)
    if not isinstance(value, Tensor):
        raise TypeError(
            f"metrics: expected {name}(output, target) to give a 0-d tensor, got {type(value).__name__}; "
            f"a metric is recorded once and computed on the device"
        )
    if value.ndim:
        raise ShapeError(
            f"metrics: expected {name}(output, target) to give a 0-d tensor, got shape {list(value.shape)}; "
            f"end it with .mean()"
        )
    return value if value.dtype.is_floating_point else value.float()


def _check(caller: str, output: Tensor, target: Tensor) -> None:
    if output.shape != target.shape:  # broadcasting [n, 1] with [n] would average n * n differences
        raise ShapeError(
            f"{caller}: expected output and target of one shape, got {list(output.shape)} and {list(target.shape)}"
        )
