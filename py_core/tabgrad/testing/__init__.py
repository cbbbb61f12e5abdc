"""PyTorch's ``torch.testing``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from typing import Any as _Any

import numpy as np

from tabgrad.dtypes import bfloat16, float16, float32
from tabgrad.late import missing_name as _missing_name
from tabgrad.tensor import Tensor

_TOLERANCES = {float16: (1e-3, 1e-5), bfloat16: (1.6e-2, 1e-5), float32: (1.3e-6, 1e-5)}  # rtol, atol, as PyTorch's


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise unless ``|actual - expected| <= atol + rtol |expected|`` everywhere, also inside of lists and dicts.

    Args:
        rtol, atol: both or neither; by default of the dtypes, 0 of integers and bools.

    Raises:
        AssertionError: they differ; says where most.
        ValueError: one tolerance without the other.
    """
    if (rtol is None) != (atol is None):
        raise ValueError("assert_close: expected both rtol and atol, or neither, got one of them")
    problem = _difference(actual, expected, rtol, atol, equal_nan, check_dtype, "")
    if problem:
        raise AssertionError(problem if msg is None else msg(problem) if callable(msg) else msg)


def _difference(
    actual: Any, expected: Any, rtol: float | None, atol: float | None, equal_nan: bool, check_dtype: bool, where: str
) -> str:
    rest = (rtol, atol, equal_nan, check_dtype)
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if actual.keys() != expected.keys():
            return f"The keys of the mappings do not match{where}: {list(actual)} and {list(expected)}"
        pairs = [(actual[key], expected[key], f"{where}[{key!r}]") for key in actual]
    elif _is_list(actual) and _is_list(expected):
        if len(actual) != len(expected):
            return f"The length of the sequences mismatch{where}: {len(actual)} != {len(expected)}"
        pairs = [(a, e, f"{where}[{i}]") for i, (a, e) in enumerate(zip(actual, expected, strict=True))]
    else:
        return _values_differ(actual, expected, *rest, where)
    return next((found for a, e, path in pairs if (found := _difference(a, e, *rest, path))), "")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _values_differ(
    actual: Any, expected: Any, rtol: float | None, atol: float | None, equal_nan: bool, check_dtype: bool, where: str
) -> str:
    place = f"\n\nThe failure occurred for item {where}" if where else ""
    if isinstance(actual, Tensor) != isinstance(expected, Tensor):
        return f"Neither are both tensors: {type(actual).__name__} and {type(expected).__name__}{place}"
    if isinstance(actual, Tensor) and check_dtype and actual.dtype is not expected.dtype:
        return f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}.{place}"
    a, e = _array(actual), _array(expected)
    if a.shape != e.shape:
        return f"The values for attribute 'shape' do not match: {list(a.shape)} != {list(e.shape)}.{place}"
    if rtol is None or atol is None:
        rtol, atol = _default_tolerances(actual, expected, a, e)
    with np.errstate(invalid="ignore"):
        close = np.isclose(a.astype(np.float64), e.astype(np.float64), rtol=rtol, atol=atol, equal_nan=equal_nan)
        distance = np.abs(a.astype(np.float64) - e.astype(np.float64))
    if close.all():
        return ""
    worst = np.unravel_index(np.argmax(np.where(close, -1, np.nan_to_num(distance, nan=np.inf))), close.shape)
    return (
        f"Tensor-likes are not close!\n\nMismatched elements: {np.count_nonzero(~close)} / {close.size}\n"
        f"Greatest absolute difference: {distance[worst]} at index {tuple(map(int, worst))} "
        f"(up to {atol:g} allowed, and {rtol:g} of {e[worst]}){place}"
    )


def _array(value: Any) -> np.ndarray:
    return value.detach()._values() if isinstance(value, Tensor) else np.asarray(value)


def _default_tolerances(actual: Any, expected: Any, a: np.ndarray, e: np.ndarray) -> tuple[float, float]:
    if isinstance(actual, Tensor):
        found = [_TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (actual, expected)]
    else:
        found = [(1e-7, 1e-7) if x.dtype.kind == "f" else (0.0, 0.0) for x in (a, e)]
    return max(r for r, _ in found), max(t for _, t in found)


__all__ = ["assert_close"]


def __getattr__(name: str) -> _Any:
    raise _missing_name(__name__, name)
