"""A tensor as another dtype, or on another device as programs call it; all of a session lie on its device."""

from __future__ import annotations

from typing import Any

from tabgrad import dtypes
from tabgrad.devices import KINDS
from tabgrad.dtypes import DType
from tabgrad.errors import DeviceError
from tabgrad.names import public
from tabgrad.ops.comparison import cast
from tabgrad.ops.elementwise import clone
from tabgrad.placement import check_placement, device, is_device
from tabgrad.session import current
from tabgrad.tensor import Tensor


@public(top=False, method=True)
def to(
    x: Tensor,
    *target: Any,
    dtype: DType | None = None,
    device: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """``x`` as another dtype, or itself.

    Args:
        target: a dtype, a device, a device and a dtype, or a tensor whose dtype is taken.
        dtype, device: as keywords.
        non_blocking: nothing waits here.
        copy: whether to make another tensor even if nothing changes.
        memory_format: changes no value.

    Raises:
        DeviceError: it names a device of tabgrad's other than the one in use; all tensors of a session are on one.
        ArgumentError: there is no such device.
    """
    flags: list[bool] = []  # non_blocking, then copy, where they have no name
    for one in target:
        if isinstance(one, DType):
            dtype = one
        elif isinstance(one, Tensor):
            dtype = one.dtype
        elif isinstance(one, bool):
            flags.append(one)
        elif one is not None:
            device = one
    if len(flags) > 2:
        raise TypeError(f"to: expected non_blocking and copy as bools, got {len(flags)} of them")
    copy = copy or flags[1:] == [True]
    if device is not None:
        _check_device(x, device)
    check_placement("to", {"memory_format": memory_format})
    out = x if dtype is None or dtype is x.dtype else cast(x, dtype)
    return clone(out) if copy and out is x else out


def _check_device(x: Tensor, target: Any) -> None:
    if is_device(target) or isinstance(target, int):
        device(target)
        return
    used = (x._session or current()).device
    name = getattr(target, "name", target)
    if name not in (used.name, "auto"):
        if name not in KINDS:
            device(target)  # says what there is
        raise DeviceError(
            f"to: expected the device in use, '{used.name}', got {name!r}; "
            f"all tensors share one device: choose it first with tabgrad.set_default_device(...)"
        )


@public(top=False, method=True)
def cpu(x: Tensor, memory_format: Any = None) -> Tensor:
    """``x`` itself: it lies on the session's device; :meth:`numpy` copies its value to the host."""
    return to(x, "cpu", memory_format=memory_format)


@public(top=False, method=True)
def cuda(x: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """``x`` itself: it lies on the session's device."""
    return to(x, "cuda" if device is None else device, memory_format=memory_format)


@public(top=False, method=True)
def pin_memory(x: Tensor, device: Any = None) -> Tensor:
    """``x`` itself: there is no pinned memory here."""
    return x


@public(top=False, method=True)
def type(x: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """``x`` as another dtype; without one the name of its type, such as ``"torch.FloatTensor"``.

    Args:
        dtype: a dtype, or the name of one of PyTorch's old tensor types.

    Raises:
        ArgumentError: there is no such type here.
    """
    if dtype is None:
        return f"torch.{_TYPE_NAMES[x.dtype]}"
    if isinstance(dtype, str):
        found = next((d for d, name in _TYPE_NAMES.items() if dtype.rpartition(".")[2] == name), None)
        if found is None:
            found = {"LongTensor": dtypes.int64}.get(dtype.rpartition(".")[2])
        if found is None:
            names = ", ".join(_TYPE_NAMES.values())
            raise dtypes.DTypeError(f"type: expected one of {names}, got {dtype!r}")
        dtype = found
    return to(x, dtype)


_TYPE_NAMES = {
    dtypes.float64: "DoubleTensor",
    dtypes.float32: "FloatTensor",
    dtypes.float16: "HalfTensor",
    dtypes.bfloat16: "BFloat16Tensor",
    dtypes.int32: "IntTensor",
    dtypes.int16: "ShortTensor",
    dtypes.uint32: "UInt32Tensor",
    dtypes.int8: "CharTensor",
    dtypes.uint8: "ByteTensor",
    dtypes.bool_: "BoolTensor",
}


@public(top=False, method=True)
def type_as(x: Tensor, other: Tensor) -> Tensor:
    """``x`` in the dtype of ``other``."""
    return to(x, other.dtype)
