"""The Python array API standard, version 2023.12, over tabgrad's tensors.

A namespace for libraries that are written for any array: ``import tabgrad.compat.array_api as xp``, or
``x.__array_namespace__()``. Names, keywords and promotion are the standard's; arrays are :class:`tabgrad.Tensor`, whose
operators and methods are PyTorch's. There are no complex numbers, and ``int64`` is stored as ``int32``.

Source: https://data-apis.org/array-api/2023.12
"""

from math import e, inf, nan, pi

from tabgrad.compat.array_api import linalg
from tabgrad.compat.array_api.creation import *  # noqa: F403
from tabgrad.compat.array_api.dtype_functions import astype, can_cast, finfo, iinfo, isdtype, result_type
from tabgrad.compat.array_api.elementwise import *  # noqa: F403
from tabgrad.compat.array_api.info import __array_namespace_info__
from tabgrad.compat.array_api.manipulation import *  # noqa: F403
from tabgrad.compat.array_api.products import *  # noqa: F403
from tabgrad.compat.array_api.reductions import *  # noqa: F403
from tabgrad.compat.array_api.searching import *  # noqa: F403
from tabgrad.compat.array_api.sets import *  # noqa: F403
from tabgrad.dtypes import bool_ as bool
from tabgrad.dtypes import float32, float64, int8, int16, int32, int64, uint8

__array_api_version__ = "2023.12"
newaxis = None
