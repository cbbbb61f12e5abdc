"""tabgrad: train neural networks on the visitor's GPU, in a browser tab, in Node, or natively."""

import importlib
from math import e, inf, nan, pi
from typing import TYPE_CHECKING, Any

from tabgrad import autograd, data, dtypes, interop, metrics, names, nn, optim, train
from tabgrad import late_modules as _late_modules
from tabgrad.autograd import enable_grad, grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from tabgrad.dtypes import (
    DType,
    bfloat16,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    long,
    uint8,
    uint32,
)
from tabgrad.dtypes import bool_ as bool
from tabgrad.dtypes import float16 as half
from tabgrad.dtypes import float32 as float
from tabgrad.dtypes import float64 as double
from tabgrad.dtypes import int16 as short
from tabgrad.dtypes import int32 as int
from tabgrad.errors import (
    ArgumentError,
    DeviceError,
    DeviceLostError,
    DTypeError,
    FileFormatError,
    FileWriteError,
    GradError,
    IndexRangeError,
    MissingNameError,
    NotFiniteError,
    ShapeError,
    TabgradError,
)
from tabgrad.grad_mode import is_inference_mode_enabled
from tabgrad.interop import load, save
from tabgrad.late import load_function, missing_name
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
from tabgrad.printing import set_printoptions
from tabgrad.random import Generator
from tabgrad.runtime import read
from tabgrad.session import (
    DEFAULT,
    Session,
    float64_as_float32,
    get_default_device,
    initial_seed,
    manual_seed,
    set_default_device,
)
from tabgrad.session import current as current_session
from tabgrad.tensor import Tensor
from tabgrad.tuner import tuning

if TYPE_CHECKING:
    from tabgrad import func, inspection, linalg, profiler, special, utils
    from tabgrad.dtype_limits import finfo, iinfo
    from tabgrad.dtype_questions import (
        can_cast,
        get_default_dtype,
        promote_types,
        result_type,
        set_default_dtype,
    )
    from tabgrad.inspection import explain
    from tabgrad.profiler import profile
    from tabgrad.tensor_types import (
        BFloat16Tensor,
        BoolTensor,
        ByteTensor,
        CharTensor,
        FloatTensor,
        HalfTensor,
        IntTensor,
        LongTensor,
    )

__version__ = "0.1.0"

default_generator = DEFAULT.generator

dtype = DType
newaxis = None

_LATE = _late_modules.LATE  # a page starts without them


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        if load_function(name) and name in names.PUBLIC and names.PUBLIC[name].top:
            found = globals()[name] = names.PUBLIC[name].for_users
            return found
        raise missing_name("tabgrad", name)
    module = importlib.import_module(f"tabgrad.{_LATE[name] or name}")
    return getattr(module, name) if _LATE[name] else module
