"""PyTorch's ``torch.utils.dlpack``: tensors to and from other libraries, by copies in the host's memory."""

from typing import Any

from tabgrad.host_ops.array_protocols import from_dlpack
from tabgrad.tensor import Tensor


def to_dlpack(tensor: Tensor) -> Any:
    """A capsule with a copy of the values; :func:`from_dlpack` takes it once."""
    return getattr(tensor, "__dlpack__")()  # noqa: B009 - a method that is imported late


__all__ = ["from_dlpack", "to_dlpack"]
