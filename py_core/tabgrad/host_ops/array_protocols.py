"""How other libraries take tensors and give arrays: DLPack, by copies on the host, and the array API standard."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from tabgrad.errors import ArgumentError
from tabgrad.names import public
from tabgrad.ops.creation import tensor as make_tensor
from tabgrad.placement import check_placement
from tabgrad.tensor import Tensor

_HOST = (1, 0)  # DLPack's kDLCPU, and the first of them
API_VERSIONS = ("2021.12", "2022.12", "2023.12")


class _Capsule:
    """A capsule of DLPack's, in the form that NumPy takes."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _HOST


@public(top=False, method=True, traced=False)
def __dlpack__(  # noqa: N807 - DLPack's name, as the next
    self: Tensor, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
) -> Any:
    """A capsule with a copy of the values in the host's memory; waits for the device.

    Raises:
        BufferError: the tensor requires a gradient, the values are asked for without a copy, or on another device.
    """
    if self.requires_grad:
        raise BufferError("__dlpack__: expected a tensor that requires no gradient; use tensor.detach()")
    if copy is False:
        raise BufferError("__dlpack__: expected copy=None or True, as values are read from a device, got False")
    if dl_device is not None and tuple(dl_device) != _HOST:
        raise BufferError(f"__dlpack__: expected the host, {_HOST}, as dl_device, got {dl_device}")
    if stream not in (None, -1):
        raise BufferError(f"__dlpack__: expected no stream, as the values are the host's, got {stream}")
    return np.array(self.numpy()).__dlpack__(max_version=max_version)


@public(top=False, method=True, traced=False)
def __dlpack_device__(self: Tensor) -> tuple[int, int]:  # noqa: N807
    """The host, whatever device computes: the values are read from it."""
    return _HOST


@public(traced=False)
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor with a copy of the values of another library's array, or of a capsule of DLPack's.

    Raises:
        ArgumentError: ``copy=False``: memory is not shared with other libraries.
        TypeError: the object does not support DLPack.
    """
    check_placement("from_dlpack", {"device": device})
    if copy is False:
        raise ArgumentError("from_dlpack: expected copy=None or True, as memory cannot be shared, got False")
    capsule = type(ext_tensor).__name__ == "PyCapsule"
    if not capsule and not hasattr(ext_tensor, "__dlpack__"):
        raise TypeError(f"from_dlpack: expected an object with __dlpack__, got {type(ext_tensor).__name__}")
    return make_tensor(np.array(np.from_dlpack(_Capsule(ext_tensor) if capsule else ext_tensor)))


@public(top=False, method=True, traced=False)
def __array_namespace__(self: Tensor, *, api_version: str | None = None) -> Any:  # noqa: N807 - the standard's name
    """The namespace of the Python array API standard for tensors.

    Raises:
        ArgumentError: it does not follow that version.
    """
    if api_version is not None and api_version not in API_VERSIONS:
        raise ArgumentError(f"__array_namespace__: expected one of {', '.join(API_VERSIONS)}, got {api_version!r}")
    return importlib.import_module("tabgrad.compat.array_api")


@public(top=False, method=True, traced=False)
def to_device(self: Tensor, device: Any, *, stream: Any = None) -> Tensor:
    """The tensor as it is: each device stands for its session's.

    Raises:
        ArgumentError: there is no such device, or a stream is named.
    """
    check_placement("to_device", {"device": device})
    if stream is not None:
        raise ArgumentError(f"to_device: expected no stream, got {stream!r}")
    return self


__all__ = ["API_VERSIONS", "from_dlpack"]
