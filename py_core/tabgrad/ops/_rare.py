"""Functions of files that are imported when first used, for functions that are always there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tabgrad.late import load_function
from tabgrad.names import PUBLIC


def rare(name: str) -> Callable[..., Any]:
    """The function of that name in one of :mod:`tabgrad.ops.rare`."""
    if name not in PUBLIC:
        load_function(name)
    return PUBLIC[name].function
