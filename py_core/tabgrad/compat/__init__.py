"""Programs that were written for PyTorch, run unchanged: ``import torch`` then means tabgrad."""

from tabgrad.compat.install import install_as_torch, remove_as_torch

__all__ = ["install_as_torch", "remove_as_torch"]
