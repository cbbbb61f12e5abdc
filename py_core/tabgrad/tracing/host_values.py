"""Arrays and NumPy's numbers among the arguments of a call: a known call takes tensors and Python's numbers instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.tensor import Tensor
from tabgrad.tracing.recognise import Asked

_AS_TENSORS = frozenset(np.dtype(t) for t in (np.float32, np.int32, np.int64, np.bool_))


def without_arrays(asked: Asked) -> Asked | None:
    """The same call with tensors in place of arrays, and of lists of integers that are an index; None if it has none.

    Arrays of other dtypes stay: functions convert or refuse them.
    """
    is_index = getattr(asked.fn, "takes_lists", False)
    values = [_without(value, is_index) for value in asked.values]
    if all(new is old for new, old in zip(values, asked.values, strict=True)):
        return None
    kwargs = dict(zip(asked.kwargs, values[asked.positional :], strict=True))
    return asked._replace(values=values, kwargs=kwargs)


def _without(value: Any, is_index: bool) -> Any:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.generic):
        return value if isinstance(value, float) else value.item()  # float64 is a float
    if isinstance(value, np.ndarray):
        return Tensor._of(value) if value.dtype in _AS_TENSORS else value
    if type(value) is list and is_index and value and all(type(n) is int for n in value):
        return Tensor._of(np.asarray(value))
    if type(value) in (list, tuple):
        found = [_without(v, is_index) for v in value]
        return value if all(new is old for new, old in zip(found, value, strict=True)) else type(value)(found)
    return value


__all__ = ["without_arrays"]
