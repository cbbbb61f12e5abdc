"""PyTorch's ``torch.utils``: data, and what programs ask of it beside; each part is imported when it is used."""

import importlib
from typing import Any

from tabgrad.late import missing_name

__all__ = ["checkpoint", "data", "dlpack"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise missing_name("tabgrad.utils", name)
    return importlib.import_module(f"tabgrad.utils.{name}")
