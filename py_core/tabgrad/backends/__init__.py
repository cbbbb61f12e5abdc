"""PyTorch's ``torch.backends``: switches that programs set. None changes what is computed here."""

import importlib
from typing import Any

from tabgrad.late import missing_name

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise missing_name("tabgrad.backends", name)
    return importlib.import_module(f"tabgrad.backends.{name}")
