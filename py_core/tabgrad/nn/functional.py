"""PyTorch's ``torch.nn.functional``: the layers as functions."""

from typing import Any

from tabgrad import names as _names
from tabgrad.late import load_function as _load_function
from tabgrad.late import missing_name as _missing_name

globals().update(_names.functional())
__all__ = sorted(_names.functional())


def __getattr__(name: str) -> Any:
    _load_function(name)
    if name not in _names.PUBLIC or not _names.PUBLIC[name].functional:
        raise _missing_name("tabgrad.nn.functional", name)
    found = globals()[name] = _names.PUBLIC[name].for_users
    return found
