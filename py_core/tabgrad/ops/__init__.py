"""Operations on tensors, under PyTorch's names. One group per file; what a file declares public is found here."""

from tabgrad import names as _names
from tabgrad.methods import TensorMethods as _TensorMethods
from tabgrad.ops import (
    activation,
    attention,
    conv,
    creation,
    elementwise,
    indexing,
    loss,
    matmul,
    movement,
    norm,
    pack,
    pool,
    reduce,
)

globals().update(_names.functions())
for _name, _method in _names.methods().items():
    setattr(_TensorMethods, _name, _method)

__all__ = _names.top()
