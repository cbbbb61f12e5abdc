"""Models, data and steps that the tests of ``tabgrad.compile`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tabgrad as tg
from steps import step_of
from tabgrad import nn, optim
from tabgrad.nn import functional as F


def f(*values: float) -> tg.Tensor:
    """A float32 vector."""
    return tg.tensor(np.array(values, np.float32))


def classifier() -> nn.Module:
    """Two linear layers; the same start each time."""
    tg.manual_seed(3)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))


def data(n: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A batch for :func:`classifier`."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 4)).astype(np.float32), rng.integers(0, 3, n)


def train_step(model: nn.Module, optimizer: optim.Optimizer) -> Any:
    """Forward, backward and update of a classifier."""
    return step_of(optimizer, lambda x, y: F.cross_entropy(model(x), y))


def product_step(w: tg.Tensor, optimizer: optim.Optimizer) -> Callable[[tg.Tensor], tg.Tensor]:
    """A step whose gradient by ``w`` is its input."""
    return step_of(optimizer, lambda x: (w * x).sum())
