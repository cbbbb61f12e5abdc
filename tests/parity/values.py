"""PyTorch's values as tabgrad's, and comparisons of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch

import tabgrad as tg
from parity.plain import LOOSE, RELATIVE, values_differ

DTYPES = {
    torch.float32: "float32", torch.float64: "float64", torch.float16: "float16", torch.bfloat16: "bfloat16",
    torch.int64: "int64", torch.int32: "int32", torch.int16: "int16", torch.int8: "int8", torch.uint8: "uint8",
    torch.bool: "bool",
}  # fmt: skip


class Unsupported(Exception):
    """A sample is about what tabgrad does not have: complex numbers, 64-bit integers, sparse tensors."""


def dtype_of(dtype: torch.dtype) -> Any:
    """tabgrad's dtype of that name."""
    found = getattr(tg, DTYPES.get(dtype, "complex"), None)
    if found is None or (found is tg.float64 and tg.current_session().device.name != "reference"):
        raise Unsupported(str(dtype))
    return found


class Converter:
    """Makes tabgrad's values of PyTorch's; a tensor that is passed twice is one tensor here, too."""

    def __init__(self, *, parts: bool = False) -> None:
        self.parts = parts  # whether what shows a part of its memory does so here, too
        self.made: dict[int, tuple[torch.Tensor, Any]] = {}

    def __call__(self, value: Any) -> Any:
        """The value, with tensors, dtypes and devices in it replaced."""
        if isinstance(value, torch.Tensor):
            if id(value) not in self.made:
                self.made[id(value)] = (value, self._tensor(value))
            return self.made[id(value)][1]
        if isinstance(value, torch.dtype):
            return dtype_of(value)
        if isinstance(value, torch.device):
            return tg.device(str(value))
        if isinstance(value, torch.layout | torch.memory_format):
            return getattr(tg, str(value).removeprefix("torch."))
        if isinstance(value, torch.Size):
            return tuple(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(self, value))
        if isinstance(value, list | tuple):
            return type(value)(map(self, value))
        if isinstance(value, dict):
            return {k: self(v) for k, v in value.items()}
        if isinstance(value, complex | torch.nn.Module):
            raise Unsupported(f"{type(value).__name__} objects")
        return value

    def _tensor(self, value: torch.Tensor) -> Any:
        if value.layout is not torch.strided or value.is_complex():
            raise Unsupported(f"{value.layout}, {value.dtype}")
        dtype = dtype_of(value.dtype)
        host = value.detach()
        host = host.float() if value.dtype is torch.bfloat16 else host
        if value.dtype is torch.int64 and value.numel() and host.abs().max() >= 2**31:
            raise Unsupported("integers beyond 32 bits")
        whole = value.untyped_storage().size() // host.itemsize
        if self.parts and value.is_contiguous() and 0 < value.numel() < whole:
            memory = tg.tensor(np.array(host.as_strided((whole,), (1,), 0)))
            made = memory.to(dtype).narrow(0, value.storage_offset(), value.numel()).view(*value.shape)
        else:
            made = tg.tensor(np.array(host.numpy()), dtype=dtype)
        if 0 in [step for n, step in zip(value.shape, value.stride(), strict=True) if n > 1]:
            first = tuple(slice(0, 1) if not step else slice(None) for step in value.stride())
            made = made[first].clone().expand(made.shape)  # of such, each element is in one place
        return made.requires_grad_() if value.requires_grad else made


def array_of(value: Any) -> np.ndarray:
    """A tensor of either as NumPy's array, in float64 or int64."""
    if isinstance(value, torch.Tensor):
        host = value.detach().cpu()
        host = host.double() if host.is_floating_point() else host
        return host.numpy()
    array = value.detach().float().numpy() if value.dtype is tg.bfloat16 else value.detach().numpy()
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def difference(expected: Any, got: Any, only_shape: bool = False, where: str = "result") -> str | None:
    """What is different, in words; None where nothing is."""
    if isinstance(expected, torch.Tensor):
        if not isinstance(got, tg.Tensor):
            return f"{where}: expected a tensor, got {type(got).__name__}"
        if tuple(expected.shape) != tuple(got.shape):
            return f"{where}: expected shape {list(expected.shape)}, got {list(got.shape)}"
        if DTYPES.get(expected.dtype) is None or getattr(tg, DTYPES[expected.dtype], None) is not got.dtype:
            return f"{where}: expected {expected.dtype}, got {got.dtype}"
        return None if only_shape else _values(array_of(expected), array_of(got), expected.dtype, where)
    if isinstance(expected, list | tuple):
        if not isinstance(got, list | tuple) or len(got) != len(expected):
            return (
                f"{where}: expected {len(expected)} values, got {got if isinstance(got, int) else type(got).__name__}"
            )
        found = (
            difference(e, g, only_shape, f"{where}[{n}]") for n, (e, g) in enumerate(zip(expected, got, strict=True))
        )
        return next((d for d in found if d), None)
    if isinstance(expected, torch.dtype):
        return None if dtype_of(expected) is got else f"{where}: expected {expected}, got {got}"
    if isinstance(expected, bool | int | str | type(None)):
        return None if expected == got else f"{where}: expected {expected!r}, got {got!r}"
    if isinstance(expected, float):
        return _values(np.asarray(expected), np.asarray(float(got)), torch.float32, where)
    return None


def _values(expected: np.ndarray, got: np.ndarray, dtype: torch.dtype, where: str) -> str | None:
    return values_differ(expected, got, LOOSE.get(DTYPES[dtype], RELATIVE), where)


def tensors_in(value: Any, kind: type) -> Iterable[Any]:
    """The tensors in nested lists."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from tensors_in(one, kind)


Function = Callable[..., Any]
