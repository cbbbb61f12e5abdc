"""Methods that let a tensor show its own memory in another shape: ``squeeze_``, ``t_`` and their kin."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.errors import GradError
from tabgrad.names import public
from tabgrad.ops.movement import chosen_ints, squeeze, t, transpose, unsqueeze
from tabgrad.ops.rare.strided import as_strided
from tabgrad.runtime.in_place import show_as
from tabgrad.tensor import Tensor


@public(top=False, method=True)
def squeeze_(input: Tensor, dim: Any = None) -> Tensor:
    """As :func:`tabgrad.squeeze`, of the tensor itself."""
    return show_as(input, lambda x: squeeze(x, dim))


@public(top=False, method=True)
def unsqueeze_(input: Tensor, dim: int) -> Tensor:
    """As :func:`tabgrad.unsqueeze`, of the tensor itself."""
    return show_as(input, lambda x: unsqueeze(x, dim))


@public(top=False, method=True)
def t_(input: Tensor) -> Tensor:
    """As :func:`tabgrad.t`, of the tensor itself."""
    return show_as(input, t)


@public(top=False, method=True)
def transpose_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """As :func:`tabgrad.transpose`, of the tensor itself."""
    return show_as(input, lambda x: transpose(x, dim0, dim1))


@public(top=False, method=True)
def swapaxes_(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """As :func:`tabgrad.transpose`, of the tensor itself."""
    return show_as(input, lambda x: transpose(x, axis0, axis1))


@public(top=False, method=True)
def swapdims_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """As :func:`tabgrad.transpose`, of the tensor itself."""
    return show_as(input, lambda x: transpose(x, dim0, dim1))


@public(top=False, method=True)
def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """As :func:`tabgrad.as_strided`, of the tensor itself."""
    return show_as(input, lambda x: as_strided(x, size, stride, storage_offset))


@public(top=False, method=True)
def resize_(input: Tensor, *sizes: Any, size: Any = None, memory_format: Any = None) -> Tensor:
    """Let the tensor have another shape of as many elements, or of fewer: the first ones.

    Raises:
        GradError: the tensor requires grad.
        NotImplementedError: the shape has more elements than there are.
    """
    shape = chosen_ints("resize_", sizes, "size", size)
    if input.requires_grad:
        raise GradError("resize_: expected a tensor that does not require grad, got one that does; use reshape")
    count = math.prod(shape)
    if count > input.numel() or not input.is_contiguous():
        raise NotImplementedError(
            f"resize_: expected at most {input.numel()} elements of a contiguous tensor, got {list(shape)}; "
            f"make a tensor of that shape, as memory is not extended here"
        )
    return show_as(input, lambda x: x.reshape(x.numel())[:count].reshape(shape))


@public(method=True)
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """As :meth:`resize_`, to the shape of another tensor."""
    return resize_(input, the_template.shape)
