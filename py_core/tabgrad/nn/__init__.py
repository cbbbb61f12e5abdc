"""Layers, losses and containers, with PyTorch's names, arguments and parameter names.

A file's ``__all__`` says what of it is found here.
"""

from tabgrad.argument_errors import reword_all as _reword_all
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

__all__ = [*_CLASSES, "functional", "init", "utils"]

_reword_all(globals(), [name for name in _CLASSES if name not in ("Module", "Parameter")])
