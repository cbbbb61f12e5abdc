"""Whose code it is: the script's and what it imports from beside it, or a library's."""

from __future__ import annotations

import sys
from functools import cache
from types import FunctionType
from typing import Any

_LIBRARIES = frozenset(sys.stdlib_module_names) | {"tabgrad", "numpy", "jinja2", "pyodide", "js"}
_INSTALLED = ("site-packages", "dist-packages")


@cache
def is_user_module(name: str) -> bool:
    """Whether a module of this name is neither Python's, nor this package's, nor one that was installed."""
    if name.partition(".")[0] in _LIBRARIES:
        return False
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return not any(folder in file for folder in _INSTALLED)


def is_user_function(fn: FunctionType) -> bool:
    """Whether a user may have written it."""
    return is_user_module(fn.__module__ or "")


def is_user_class(kind: type[Any]) -> bool:
    """Whether a user may have written it. ``argparse.Namespace`` counts: it holds what users put there."""
    module = kind.__module__
    return is_user_module(module) if isinstance(module, str) and module != "argparse" else kind.__name__ == "Namespace"


__all__ = ["is_user_class", "is_user_function", "is_user_module"]
