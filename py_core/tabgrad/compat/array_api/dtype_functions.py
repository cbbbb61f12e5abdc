"""Dtypes: conversion, kinds, limits, promotion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tabgrad
from tabgrad import dtypes
from tabgrad.compat.array_api.elementwise import common_dtype
from tabgrad.dtype_limits import finfo as _finfo
from tabgrad.dtype_limits import iinfo as _iinfo
from tabgrad.dtypes import DType
from tabgrad.placement import check_placement
from tabgrad.tensor import Tensor

KINDS: dict[str, tuple[DType, ...]] = {
    "bool": (dtypes.bool_,),
    "signed integer": (dtypes.int8, dtypes.int16, dtypes.int32),
    "unsigned integer": (dtypes.uint8,),
    "integral": (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.uint8),
    "real floating": (dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16),
    "complex floating": (),
    "numeric": (
        dtypes.int8, dtypes.int16, dtypes.int32, dtypes.uint8,
        dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16,
    ),
}  # fmt: skip
"""The dtypes of each kind that the standard names; there are no complex ones."""


@dataclass(frozen=True)
class FloatLimits:
    """Limits of a floating-point dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerLimits:
    """Limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: DType


def astype(x: Tensor, dtype: DType, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """Elements as another dtype; with ``copy=False``, ``x`` itself where it has the dtype already."""
    if device is not None:
        check_placement("astype", {"device": device})
    if not isinstance(x, Tensor) or not isinstance(dtype, DType):
        raise TypeError(f"astype: expected a tensor and a dtype, got {type(x).__name__} and {dtype!r}")
    return tabgrad.clone(x) if copy and x.dtype is dtype else x.to(dtype)


def _dtype_of(caller: str, type: Any) -> DType:
    found = type.dtype if isinstance(type, Tensor) else type
    if not isinstance(found, DType):
        raise TypeError(f"{caller}: expected a dtype or a tensor, got {type!r}")
    return found


def can_cast(from_: DType | Tensor, to: DType, /) -> bool:
    """Whether promotion leads from one dtype to the other; not between kinds, of which the standard says nothing."""
    one, other = _dtype_of("can_cast", from_), _dtype_of("can_cast", to)
    return one.category == other.category and dtypes.promote(one, other) is other


def finfo(type: DType | Tensor, /) -> FloatLimits:
    """Limits of a floating-point dtype, or of a tensor's.

    Raises:
        TypeError: it is not floating point.
    """
    dtype = _dtype_of("finfo", type)
    limits = _finfo(dtype)
    return FloatLimits(limits.bits, limits.eps, limits.max, limits.min, limits.smallest_normal, dtype)


def iinfo(type: DType | Tensor, /) -> IntegerLimits:
    """Limits of an integer dtype, or of a tensor's.

    Raises:
        TypeError: it is not one of integers.
    """
    dtype = _dtype_of("iinfo", type)
    limits = _iinfo(dtype)
    return IntegerLimits(limits.bits, limits.max, limits.min, dtype)


def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> bool:
    """Whether a dtype is another one, of a kind such as ``"real floating"``, or one of several of these.

    Raises:
        ValueError: there is no such kind.
        TypeError: ``kind`` is neither a dtype nor a string, or ``dtype`` no dtype.
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if not isinstance(dtype, DType):
        raise TypeError(f"isdtype: expected a dtype, got {dtype!r}")
    if isinstance(kind, DType):
        return dtype is kind
    if not isinstance(kind, str):
        raise TypeError(f"isdtype: expected a dtype or the name of a kind, got {kind!r}")
    if kind not in KINDS:
        raise ValueError(f"isdtype: expected one of {', '.join(KINDS)}, got {kind!r}")
    return dtype in KINDS[kind]


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype of a result that mixes tensors, dtypes and Python numbers; the tensors' shapes do not matter.

    Raises:
        TypeError: an operand is something else, or there is neither a tensor nor a dtype.
    """
    return common_dtype(*arrays_and_dtypes)


__all__ = ["KINDS", "FloatLimits", "IntegerLimits", "astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]
