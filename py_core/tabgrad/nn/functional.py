"""PyTorch's ``torch.nn.functional``: the layers as functions."""

from typing import Any

from tabgrad import names as _names
from tabgrad.late import load_function as _load_function

globals().update(_names.functional())
__all__ = sorted(_names.functional())


def __getattr__(name: str) -> Any:
    if not _load_function(name) or not _names.PUBLIC[name].functional:
        raise AttributeError(f"module 'tabgrad.nn.functional' has no attribute {name!r}")
    found = globals()[name] = _names.PUBLIC[name].for_users
    return found
