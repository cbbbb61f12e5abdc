"""PyTorch's ``torch.mps``, of a machine that has none."""

from typing import Any

from tabgrad.late import missing_name
from tabgrad.random_state import get_rng_state, manual_seed, seed, set_rng_state


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def synchronize(device: Any = None) -> None:
    """Nothing to wait for: a value that is read is complete."""


def empty_cache() -> None:
    """Nothing to free: memory goes back when its tensors are gone."""


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


__all__ = [
    "device_count", "empty_cache", "get_rng_state", "is_available", "manual_seed", "seed", "set_rng_state",
    "synchronize",
]  # fmt: skip
