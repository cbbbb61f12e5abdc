"""Operations on tensors, under PyTorch's names. One group per file; what a file declares public is found here."""

from typing import Any as _Any

from tabgrad import names as _names
from tabgrad.late import load_function as _load_function
from tabgrad.ops import (
    activation,
    arithmetic,
    attention,
    bitwise,
    comparison,
    conv,
    conversion,
    creation,
    elementwise,
    indexed_writes,
    indexing,
    loss,
    masked,
    matmul,
    movement,
    normalization,
    pack,
    pool,
    random_tensors,
    reduce,
    scan,
    slicing,
    sorting,
)

globals().update(_names.functions())

__all__ = _names.top()


def __getattr__(name: str) -> _Any:
    if not _load_function(name) or name not in _names.functions():
        raise AttributeError(f"module 'tabgrad.ops' has no attribute {name!r}")
    found = globals()[name] = _names.PUBLIC[name].for_users
    return found
