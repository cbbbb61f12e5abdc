"""PyTorch's ``torch.amp``: mixed precision, which is not needed here: all is computed in float32."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, Self
from typing import Any as _Any

from tabgrad.amp.grad_scaler import GradScaler
from tabgrad.dtypes import DType, bfloat16, float16, float32
from tabgrad.errors import DTypeError
from tabgrad.late import missing_name as _missing_name
from tabgrad.placement import TYPES


class autocast:
    """A context or decorator that asks for narrow floats; computes in float32, and warns of it.

    Args:
        device_type: as programs name devices; each stands for the session's.
        dtype: the narrow dtype; float16, and bfloat16 for ``"cpu"``.

    Raises:
        DTypeError: no floating-point dtype.
    """

    def __init__(
        self,
        device_type: str = "cuda",
        dtype: DType | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if device_type not in TYPES:
            raise RuntimeError(f"autocast: expected device_type as one of {', '.join(TYPES)}, got {device_type!r}")
        self.device = device_type
        self.fast_dtype = dtype or get_autocast_dtype(device_type)
        if not isinstance(self.fast_dtype, DType) or not self.fast_dtype.is_floating_point:
            raise DTypeError(f"autocast: expected dtype as a floating-point dtype, got {dtype!r}")
        if enabled and self.fast_dtype is not float32:
            warnings.warn(
                f"autocast: everything is computed in float32, not in {self.fast_dtype}; results are at least as exact",
                UserWarning,
                stacklevel=3 if type(self) is not autocast else 2,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return fn(*args, **kwargs)

        return call


def is_autocast_available(device_type: str) -> bool:
    """Whether programs may ask for it: of all devices."""
    return device_type in TYPES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """False: nothing is cast."""
    return False


def get_autocast_dtype(device_type: str) -> DType:
    """The narrow dtype that PyTorch casts to on a device of that name."""
    return bfloat16 if device_type == "cpu" else float16


def custom_fwd(fwd: Any = None, *, device_type: str = "cuda", cast_inputs: Any = None) -> Any:
    """``fwd`` itself, or a decorator that gives it: nothing is cast."""
    return fwd if fwd is not None else lambda inner: inner


def custom_bwd(bwd: Any = None, *, device_type: str = "cuda") -> Any:
    """``bwd`` itself, or a decorator that gives it: nothing is cast."""
    return bwd if bwd is not None else lambda inner: inner


__all__ = [
    "GradScaler", "autocast", "custom_bwd", "custom_fwd", "get_autocast_dtype", "is_autocast_available",
    "is_autocast_enabled",
]  # fmt: skip


def __getattr__(name: str) -> _Any:
    raise _missing_name(__name__, name)
