"""PyTorch's ``torch.utils``, of which there is :mod:`tabgrad.utils.checkpoint`, imported when it is used."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name != "checkpoint":
        raise AttributeError(f"module 'tabgrad.utils' has no attribute {name!r}")
    return importlib.import_module("tabgrad.utils.checkpoint")
