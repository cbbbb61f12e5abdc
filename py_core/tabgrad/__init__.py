"""tabgrad: train neural networks on the visitor's GPU, in a browser tab, in Node, or natively."""

import importlib
from typing import TYPE_CHECKING, Any

from tabgrad import data, dtypes, interop, metrics, names, nn, optim, train
from tabgrad.autograd import enable_grad, grad, is_grad_enabled, no_grad, set_grad_enabled
from tabgrad.dtypes import DType, bfloat16, float16, float32, int8, int32, int64, long, uint8, uint32
from tabgrad.dtypes import bool_ as bool
from tabgrad.dtypes import float16 as half
from tabgrad.errors import (
    ArgumentError,
    DeviceError,
    DeviceLostError,
    DTypeError,
    FileFormatError,
    FileWriteError,
    GradError,
    IndexRangeError,
    NotFiniteError,
    ShapeError,
    TabgradError,
)
from tabgrad.interop import load, save
from tabgrad.late import load_function
from tabgrad.nn.compiled import compile
from tabgrad.ops import *  # noqa: F403 - the functions of torch's top level
from tabgrad.placement import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    device,
    preserve_format,
    strided,
)
from tabgrad.random import Generator
from tabgrad.runtime import read
from tabgrad.session import (
    DEFAULT,
    Session,
    get_default_device,
    initial_seed,
    manual_seed,
    set_default_device,
)
from tabgrad.session import current as current_session
from tabgrad.tensor import Tensor
from tabgrad.tuner import tuning

if TYPE_CHECKING:
    from tabgrad import inspection, profiler
    from tabgrad.inspection import explain
    from tabgrad.profiler import profile

__version__ = "0.1.0"

default_generator = DEFAULT.generator

_LATE = {"inspection": "", "explain": "inspection", "profiler": "", "profile": "profiler"}  # a page starts without them


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        if load_function(name) and name in names.PUBLIC and names.PUBLIC[name].top:
            found = globals()[name] = names.PUBLIC[name].for_users
            return found
        raise AttributeError(f"module 'tabgrad' has no attribute {name!r}")
    module = importlib.import_module(f"tabgrad.{_LATE[name] or name}")
    return getattr(module, name) if _LATE[name] else module
