"""What a tensor is, and conversions that exist under PyTorch's names alone."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.tensor import Tensor


@public(traced=False)
def is_tensor(obj: Any) -> Any:
    """Whether it is a tensor."""
    return isinstance(obj, Tensor)


@public(method=True, traced=False)
def is_floating_point(input: Tensor) -> Any:
    """Whether the dtype is floating point."""
    return input.dtype.is_floating_point


@public(method=True, traced=False)
def is_complex(input: Tensor) -> Any:
    """Whether the dtype is complex; False."""
    return False


@public(method=True, traced=False)
def is_signed(input: Tensor) -> Any:
    """Whether the dtype has negative numbers."""
    return input.dtype.is_signed and input.dtype.category > 0


@public(method=True, traced=False)
def is_nonzero(input: Tensor) -> Any:
    """Whether the only element is not 0; waits for the device.

    Raises:
        ShapeError: there are other numbers of elements.
    """
    if input.numel() != 1:
        raise ShapeError(f"is_nonzero: expected a tensor with one element, got shape {list(input.shape)}")
    return bool(input.item())


@public(traced=False)
def numel(input: Tensor) -> Any:
    """Number of elements."""
    return input.numel()


@public(top=False, method=True, traced=False)
def nelement(input: Tensor) -> Any:
    """Number of elements."""
    return input.numel()


@public(top=False, method=True, traced=False)
def ndimension(input: Tensor) -> Any:
    """Number of dimensions."""
    return input.ndim


@public(top=False, method=True, traced=False)
def get_device(input: Tensor) -> Any:
    """The index of its device: 0, or -1 where NumPy computes."""
    return -1 if input.device.type == "cpu" else 0


@public(top=False, method=True, traced=False)
def data_ptr(input: Tensor) -> Any:
    """Refused: a tensor has no address.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("data_ptr: expected no use of addresses, which buffers lack; compare with 'is'")


@public(top=False, method=True, traced=False)
def apply_(input: Tensor, callable: Any) -> Tensor:
    """Refused: a function of Python's cannot run on a device.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("apply_: expected a function of tensors, got one of numbers; write it in tensor ops")


@public(top=False, method=True, traced=False)
def map_(input: Tensor, tensor: Tensor, callable: Any) -> Tensor:
    """Refused: a function of Python's cannot run on a device.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("map_: expected a function of tensors, got one of numbers; write it in tensor ops")
