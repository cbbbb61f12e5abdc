"""PyTorch's ``torch.linalg``: imported when it is first used.

Products and norms of vectors are computed on the device. Decompositions, and what is made of them, are computed on the
host in float64: their input is read, so they work where Python can wait for a device, and not in a compiled step.
"""

from typing import Any as _Any

from tabgrad import names as _names
from tabgrad.host_ops import (  # noqa: F401 - each declares functions
    determinants,
    eigenvalues,
    linalg_factors,
    linalg_info,
    linalg_lu_solve,
    linalg_powers,
    matrix_norms,
    pseudo_inverses,
    solving,
)
from tabgrad.host_ops._matrices import SingularError as LinAlgError
from tabgrad.late import missing_name as _missing_name
from tabgrad.ops.rare import linalg_products, linalg_views, vector_norms  # noqa: F401

globals().update(_names.namespace("linalg"))
__all__ = ["LinAlgError", *sorted(_names.namespace("linalg"))]


def __getattr__(name: str) -> _Any:
    raise _missing_name(__name__, name)
