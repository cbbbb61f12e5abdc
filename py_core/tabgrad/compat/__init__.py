"""Programs that were written for PyTorch, run unchanged: ``import torch`` then means tabgrad."""

import importlib
from typing import Any

from tabgrad.compat.install import install_as_torch, remove_as_torch

__all__ = ["install_as_torch", "remove_as_torch", "torch_rng"]


def __getattr__(name: str) -> Any:
    if name == "torch_rng":
        return importlib.import_module("tabgrad.compat.rng_switch").torch_rng
    raise AttributeError(f"module 'tabgrad.compat' has no attribute {name!r}")
