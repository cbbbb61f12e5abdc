"""PyTorch's ``torch.autograd.functional``; :mod:`tabgrad.func.functional` has the functions, which are above ops."""

from __future__ import annotations

import importlib
from typing import Any

NAMES = ("hessian", "hvp", "jacobian", "jvp", "vhp", "vjp")


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("tabgrad.func.functional"), name)


def __dir__() -> list[str]:
    return list(NAMES)
