"""PyTorch's ``torch.types``: names for annotations."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, TypeAlias

from tabgrad.dtypes import DType
from tabgrad.placement import device
from tabgrad.tensor import Tensor

Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = str | PathLike[str] | Any
_dtype: TypeAlias = DType
_device: TypeAlias = device
_int: TypeAlias = int
_float: TypeAlias = float
_bool: TypeAlias = bool
_size: TypeAlias = Sequence[int]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]

__all__ = ["Device", "FileLike", "Number"]
