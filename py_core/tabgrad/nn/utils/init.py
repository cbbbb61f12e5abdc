"""Modules without initial values."""

from __future__ import annotations

from typing import Any

from tabgrad.nn.module import Module


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module:
    """A module of this class, whose initial values are to be set by the caller.

    Here it has those that the class draws, as drawing them costs little.
    """
    if not isinstance(module_cls, type) or not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls!r}")
    return module_cls(*args, **kwargs)


__all__ = ["skip_init"]
