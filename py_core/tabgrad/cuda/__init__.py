"""PyTorch's ``torch.cuda``, of a machine that has none: what programs ask before they choose a device.

The GPU that tabgrad computes on is WebGPU's; it needs no ``.cuda()``, ``.to("cuda")`` is accepted.
"""

from __future__ import annotations

import importlib
from typing import Any

from tabgrad.errors import DeviceError
from tabgrad.missing import name_error
from tabgrad.random_state import manual_seed, manual_seed_all, seed, seed_all


def is_available() -> bool:
    """False: programs then take their other branch, on the session's device all the same."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def synchronize(device: Any = None) -> None:
    """Nothing to wait for: a value that is read is complete."""


def empty_cache() -> None:
    """Nothing to free: memory goes back when its tensors are gone."""


def ipc_collect() -> None:
    """Nothing to free."""


def reset_peak_memory_stats(device: Any = None) -> None:
    """Nothing is counted."""


def memory_allocated(device: Any = None) -> int:
    """0 bytes of CUDA's memory. ``tabgrad.explain(step)`` shows a step's memory on the session's device."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """0, as :func:`memory_allocated`."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """0, as :func:`memory_allocated`."""
    return 0


def max_memory_reserved(device: Any = None) -> int:
    """0, as :func:`memory_allocated`."""
    return 0


def current_device() -> int:
    """Raise, as PyTorch does where CUDA is missing."""
    raise _none("current_device")


def get_device_name(device: Any = None) -> str:
    """Raise, as PyTorch does where CUDA is missing."""
    raise _none("get_device_name")


def get_device_properties(device: Any = None) -> Any:
    """Raise, as PyTorch does where CUDA is missing."""
    raise _none("get_device_properties")


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Raise, as PyTorch does where CUDA is missing."""
    raise _none("get_device_capability")


def set_device(device: Any) -> None:
    """Raise, as PyTorch does where CUDA is missing."""
    raise _none("set_device")


def _none(caller: str) -> DeviceError:
    return DeviceError(
        f"cuda.{caller}: expected a CUDA device, found none; ask cuda.is_available() first, and "
        f"tabgrad.get_default_device() for what computes"
    )


def __getattr__(name: str) -> Any:
    if name == "amp":
        return importlib.import_module("tabgrad.cuda.amp")
    raise name_error("tabgrad.cuda", name)


__all__ = [
    "current_device", "device_count", "empty_cache", "get_device_capability", "get_device_name",
    "get_device_properties", "ipc_collect", "is_available", "is_bf16_supported", "is_initialized", "manual_seed",
    "manual_seed_all", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
    "reset_peak_memory_stats", "seed", "seed_all", "set_device", "synchronize",
]  # fmt: skip
