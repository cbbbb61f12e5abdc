"""Programs that were written for PyTorch, run unchanged: ``import torch`` then means tabgrad."""

from typing import Any

from tabgrad.compat.install import install_as_torch, remove_as_torch

__all__ = ["install_as_torch", "remove_as_torch", "torch_rng"]


def __getattr__(name: str) -> Any:
    if name == "torch_rng":
        from tabgrad.compat.rng_switch import torch_rng

        return torch_rng
    raise AttributeError(f"module 'tabgrad.compat' has no attribute {name!r}")
