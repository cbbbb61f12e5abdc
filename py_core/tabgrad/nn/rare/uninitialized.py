"""Parameters and buffers whose shapes the first input says, and what lazy layers share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad.dtypes import DType, float32
from tabgrad.errors import ArgumentError
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.tensor import Tensor


class _Uninitialized(Tensor):
    """A tensor without a shape."""

    __slots__ = ()

    @property
    def shape(self) -> Any:
        """Raises ArgumentError."""
        raise ArgumentError(
            f"{type(self).__name__}: expected a tensor with a shape, got one that the first input gives it; "
            f"call the module with an input first"
        )

    def detach(self) -> Any:
        """The tensor itself: there are no values."""
        return self

    def numel(self) -> Any:
        """Raises ArgumentError."""
        return self.shape

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self)(self.requires_grad, None, self.dtype)
        memo[id(self)] = made
        return made

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def _filled(self, shape: Sequence[int], dtype: DType | None, final: type[Tensor]) -> None:
        requires_grad = self.requires_grad
        source = Tensor._of(np.zeros(tuple(shape), np.float32), dtype or float32)
        self._set(source._node, source._session)
        self.__class__ = final  # type: ignore[assignment]  # of the same slots
        if requires_grad:
            self.requires_grad_()


class UninitializedParameter(_Uninitialized, Parameter):
    """A parameter whose shape is not known yet: of lazy layers, before their first input."""

    __slots__ = ()

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        Parameter.__init__(self, Tensor._of(np.zeros(0, np.float32), dtype), requires_grad)

    def materialize(self, shape: Sequence[int], device: Any = None, dtype: DType | None = None) -> None:
        """Become a :class:`tabgrad.nn.Parameter` of zeros."""
        self._filled(shape, dtype or self.dtype, Parameter)


class UninitializedBuffer(_Uninitialized):
    """A buffer whose shape is not known yet."""

    __slots__ = ()

    def __init__(self, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> None:
        source = Tensor._of(np.zeros(0, np.float32), dtype)
        self._set(source._node, source._session)

    def materialize(self, shape: Sequence[int], device: Any = None, dtype: DType | None = None) -> None:
        """Become a tensor of zeros."""
        self._filled(shape, dtype or self.dtype, Tensor)


class LazyModuleMixin(Module):
    """A layer that reads its number of channels from its first input, or from a state dict.

    After that the layer is of the class that it stands for (``cls_to_become``).
    """

    cls_to_become: type[Module] | None = None

    def has_uninitialized_params(self) -> bool:
        """Whether the first input is still to come."""
        entries = [*self._parameters.values(), *self._buffers.values()]
        return any(isinstance(t, _Uninitialized) for t in entries)

    def initialize_parameters(self, input: Tensor) -> None:
        """Make the parameters for an input."""
        raise NotImplementedError(f"{type(self).__name__}: expected initialize_parameters to be defined")

    def _channels_of(self, state: dict[str, Tensor]) -> int | None:
        """The number of channels that tensors of a state dict, by name, say; None if none does."""
        raise NotImplementedError(f"{type(self).__name__}: expected _channels_of to be defined")

    def _with_channels(self, channels: int) -> None:
        raise NotImplementedError(f"{type(self).__name__}: expected _with_channels to be defined")

    def _initialized(self, channels: int) -> None:
        if self.has_uninitialized_params():
            self._with_channels(channels)
        if self.cls_to_become is not None:
            self._watched.changed()
            object.__setattr__(self, "__class__", self.cls_to_become)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As other modules, when the parameters are there."""
        self.initialize_parameters(*args, **kwargs)
        return Module.__call__(self, *args, **kwargs)  # it may be of another class by now

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *others: Any) -> None:
        names = [*self._parameters, *self._buffers]
        given = {n: state_dict[prefix + n] for n in names if isinstance(state_dict.get(prefix + n), Tensor)}
        known = {n: t for n, t in given.items() if not isinstance(t, _Uninitialized)}
        if self.has_uninitialized_params():
            channels = self._channels_of(known)
            if channels is not None:
                self._initialized(channels)
            else:
                state_dict = {k: v for k, v in state_dict.items() if not isinstance(v, _Uninitialized)}
        Module._load_from_state_dict(self, state_dict, prefix, *others)


__all__ = ["LazyModuleMixin", "UninitializedBuffer", "UninitializedParameter"]
