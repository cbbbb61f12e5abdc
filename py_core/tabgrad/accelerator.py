"""PyTorch's ``torch.accelerator``: none that needs to be chosen; the session's device computes whatever is named."""

from typing import Any

from tabgrad.placement import device


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_accelerator(check_available: bool = False) -> device | None:
    """None."""
    return None


def synchronize(device: Any = None) -> None:
    """Nothing to wait for: a value that is read is complete."""


__all__ = ["current_accelerator", "device_count", "is_available", "synchronize"]
