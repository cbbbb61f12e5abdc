"""Operations on tensors, under PyTorch's names. One group per file; what a file declares public is found here."""

from tabgrad import names as _names
from tabgrad.ops import (
    activation,
    arithmetic,
    attention,
    comparison,
    conv,
    creation,
    elementwise,
    indexed_writes,
    indexing,
    loss,
    masked,
    matmul,
    movement,
    norm,
    pack,
    pool,
    reduce,
    scan,
    slicing,
    sorting,
)

globals().update(_names.functions())

__all__ = _names.top()
