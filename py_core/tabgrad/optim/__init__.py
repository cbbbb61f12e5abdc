"""Optimizers: each updates all its parameters in one kernel over flat buffers."""

from tabgrad.optim import lr_scheduler
from tabgrad.optim.adam import Adam, AdamW
from tabgrad.optim.optimizer import Optimizer
from tabgrad.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
