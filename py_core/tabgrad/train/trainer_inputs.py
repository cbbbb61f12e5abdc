"""Checks of a trainer's arguments and batches, before anything is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabgrad.data import DataLoader
from tabgrad.errors import TabgradError
from tabgrad.metrics import MetricFunction, accuracy, named_metrics
from tabgrad.nn import L1Loss, Module, MSELoss
from tabgrad.nn import functional as F
from tabgrad.optim import Optimizer

_REGRESSION = (F.mse_loss, F.l1_loss, F.smooth_l1_loss)


def check_parts(model: Any, loss_fn: Any, optimizer: Any, metrics: Any) -> dict[str, MetricFunction]:
    """Check a trainer's arguments; returns the metrics by name.

    Raises:
        TypeError: an argument has the wrong type.
        TabgradError: the metrics do not fit the loss, or each other.
    """
    if not isinstance(model, Module):
        raise TypeError(f"Trainer: expected model as an nn.Module, got {_kind(model)}")
    if not callable(loss_fn) or isinstance(loss_fn, type):
        raise TypeError(
            f"Trainer: expected loss_fn as a function of (output, target), such as nn.MSELoss(), got {_kind(loss_fn)}"
        )
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"Trainer: expected optimizer as one of tabgrad.optim, got {_kind(optimizer)}")
    if isinstance(metrics, str) or not isinstance(metrics, Sequence):
        raise TypeError(
            f'Trainer: expected metrics as a list of names, such as ["accuracy"], or functions, got {metrics!r}'
        )
    named = named_metrics(metrics)
    if accuracy in named.values() and (isinstance(loss_fn, MSELoss | L1Loss) or loss_fn in _REGRESSION):
        name = getattr(loss_fn, "__name__", type(loss_fn).__name__)
        raise TabgradError(
            f'Trainer: expected a loss over classes with metrics=["accuracy"], got {name}, a loss of numbers; '
            f'use metrics=["mae"] or ["mse"]'
        )
    return named


def _kind(value: Any) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def check_loader(loader: Any, caller: str) -> None:
    """Raise if the loader cannot give batches."""
    if not isinstance(loader, DataLoader):
        raise TypeError(
            f"{caller}: expected a DataLoader, got {_kind(loader)}; "
            f"wrap data in DataLoader(TensorDataset(inputs, targets), batch_size=...)"
        )


def input_and_target(batch: Sequence[Any], caller: str) -> Sequence[Any]:
    """A batch of inputs and targets.

    Raises:
        TabgradError: the batch has another number of fields.
    """
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        got = f"{len(batch)} fields" if isinstance(batch, tuple | list) else _kind(batch)
        raise TabgradError(
            f"{caller}: expected batches of two fields, (inputs, targets), got {got}; "
            f"make samples pairs in the dataset, or pass collate_fn= to the DataLoader"
        )
    return batch


__all__ = ["check_loader", "check_parts", "input_and_target"]
