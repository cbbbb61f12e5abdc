"""Layers, losses and containers, with PyTorch's names, arguments and parameter names.

A file's ``__all__`` says what of it is found here.
"""

import importlib as _importlib
from typing import Any as _Any

from tabgrad import late_names as _late_names
from tabgrad.argument_errors import reword_all as _reword_all
from tabgrad.late import load_class as _load_class
from tabgrad.late import missing_name as _missing_name
from tabgrad.nn import functional, init, utils
from tabgrad.nn.activation import *
from tabgrad.nn.attention import *
from tabgrad.nn.batchnorm import *
from tabgrad.nn.containers import *
from tabgrad.nn.conv import *
from tabgrad.nn.dropout import *
from tabgrad.nn.embedding import *
from tabgrad.nn.flatten import *
from tabgrad.nn.groupnorm import *
from tabgrad.nn.layernorm import *
from tabgrad.nn.linear import *
from tabgrad.nn.loss import *
from tabgrad.nn.module import *
from tabgrad.nn.parameter import *
from tabgrad.nn.pooling import *
from tabgrad.nn.rmsnorm import *

_CLASSES = [name for name, value in globals().items() if isinstance(value, type)]

_LATE = [name for names in _late_names.CLASSES["nn"].values() for name in names.split()]

__all__ = [*_CLASSES, *_LATE, "functional", "init", "utils"]

_reword_all(globals(), [name for name in _CLASSES if name not in ("Module", "Parameter")])


def __getattr__(name: str) -> _Any:
    if name == "modules":
        return _importlib.import_module("tabgrad.nn.modules")
    module = _load_class("nn", name)
    if module is None:
        raise _missing_name("tabgrad.nn", name)
    made = {n: getattr(module, n) for n in module.__all__}
    _reword_all(made, list(made))
    globals().update(made)
    return made[name]
