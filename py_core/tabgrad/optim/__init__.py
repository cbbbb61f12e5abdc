"""Optimizers: most update all parameters of a group in one kernel over flat buffers."""

import importlib as _importlib
from typing import Any as _Any

from tabgrad import late_names as _late_names
from tabgrad.argument_errors import reword_all as _reword_all
from tabgrad.late import load_class as _load_class
from tabgrad.late import missing_name as _missing_name
from tabgrad.optim import lr_scheduler
from tabgrad.optim.adam import Adam, AdamW
from tabgrad.optim.optimizer import Optimizer
from tabgrad.optim.sgd import SGD

_LATE = [name for names in _late_names.CLASSES["optim"].values() for name in names.split()]

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler", "swa_utils", *_LATE]

_reword_all(globals(), ["SGD", "Adam", "AdamW", "Optimizer"])


def __getattr__(name: str) -> _Any:
    if name == "swa_utils":
        return _importlib.import_module("tabgrad.optim.swa_utils")
    module = _load_class("optim", name)
    if module is None:
        raise _missing_name("tabgrad.optim", name)
    made = {n: getattr(module, n) for n in module.__all__}
    _reword_all(made, list(made))
    globals().update(made)
    return made[name]
