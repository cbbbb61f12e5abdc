"""Optimizers: each updates all its parameters in one kernel over flat buffers."""

from tabgrad.argument_errors import reword_all as _reword_all
from tabgrad.optim import lr_scheduler
from tabgrad.optim.adam import Adam, AdamW
from tabgrad.optim.optimizer import Optimizer
from tabgrad.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]

_reword_all(globals(), [name for name in __all__ if name != "lr_scheduler"])
