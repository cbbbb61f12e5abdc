"""Modules as another dtype, or on another device as programs call it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from tabgrad import dtypes
from tabgrad.autograd import no_grad
from tabgrad.dtypes import DType, float32
from tabgrad.nn.parameter import Parameter
from tabgrad.ops.random_tensors import torch_draws
from tabgrad.placement import check_placement, is_device
from tabgrad.placement import device as device_of
from tabgrad.tensor import Tensor

if TYPE_CHECKING:
    from tabgrad.nn.module import Module


class MovedModule:
    """What :class:`Module` offers about dtypes and devices; all changes are in place."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Give all parameters, their gradients and buffers, here and below, the values and dtypes of ``fn``."""
        for module in self._modules.values() if recurse else ():
            if module is not None:
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            with no_grad():
                moved = fn(parameter)
                if moved is not parameter:
                    parameter.data = moved
                if parameter.grad is not None:
                    parameter.grad = fn(parameter.grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                moved = fn(buffer)
                if moved is not buffer:
                    setattr(self, name, moved)
        return self

    def to(self, *target: Any, **options: Any) -> Self:
        """The module, with floating-point parameters and buffers of another dtype; all lie on the session's device.

        Args:
            target: a device, a dtype, a device and a dtype, or a tensor whose dtype is taken.
            options: ``device``, ``dtype``, ``non_blocking``, ``memory_format``.

        Raises:
            TypeError: the dtype is not a floating-point one.
            ArgumentError: there is no such device.
        """
        dtype, device = options.pop("dtype", None), options.pop("device", None)
        options.pop("non_blocking", None)
        check_placement("Module.to", {"memory_format": options.pop("memory_format", None)})
        if options:
            raise TypeError(f"to() got an unexpected keyword argument {next(iter(options))!r}")
        for one in target:
            if isinstance(one, DType):
                dtype = one
            elif isinstance(one, Tensor):
                dtype = one.dtype
            elif one is not None and not isinstance(one, bool):
                device = one
        if dtype is not None and not isinstance(dtype, DType):
            raise TypeError(f"Module.to: expected dtype as one of tabgrad's, got {dtype!r}")
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        if is_device(device):
            device_of(device)
        return self._apply(lambda t: t.to(device, dtype if t.dtype.is_floating_point else None))

    def _placed(self, device: Any, dtype: DType | None) -> None:
        """At the end of a layer's construction: the arguments ``device`` and ``dtype``."""
        if device is not None:
            check_placement(type(self).__name__, {"device": device})
        if dtype is not None:
            if dtype is not float32 and (torch := torch_draws(None)) is not None:
                raise torch.differs(f"{type(self).__name__} with dtype={dtype.name}, of float32 initial values")
            self.to(dtype)

    def cuda(self, device: Any = None) -> Self:
        """The module itself: it lies on the session's device."""
        return self.to("cuda" if device is None else device)

    def cpu(self) -> Self:
        """The module itself: it lies on the session's device."""
        return self.to("cpu")

    def xpu(self, device: Any = None) -> Self:
        """The module itself: it lies on the session's device."""
        return self.to("xpu" if device is None else device)

    def type(self, dst_type: Any) -> Self:
        """All parameters and buffers as this dtype."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Floating-point parameters and buffers as float32."""
        return self.to(dtypes.float32)

    def half(self) -> Self:
        """As float16."""
        return self.to(dtypes.float16)

    def bfloat16(self) -> Self:
        """As bfloat16."""
        return self.to(dtypes.bfloat16)

    def double(self) -> Self:
        """As float64.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("Module.double is not supported, as GPUs have no float64 here; use float()")

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """The module itself, which lies on the session's device; its values stay as they are."""
        check_placement("to_empty", {"device": device})
        return self

    def share_memory(self) -> Self:
        """For other processes.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("Module.share_memory is not supported: there is one process; save its state_dict()")


__all__ = ["MovedModule"]
