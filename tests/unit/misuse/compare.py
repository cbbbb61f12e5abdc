"""Calls that are wrong: what PyTorch raises, and what tabgrad does."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch
import torch.nn.utils.parametrize

import tabgrad


def raised(t: ModuleType, call: Callable[[Any], Any]) -> Exception | None:
    """What a call raises with one of both; None where it raises nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(t)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
            return error
    return None


def difference(name: str, call: Callable[[Any], Any]) -> str:
    """How tabgrad's error is not of PyTorch's class, or comes from inside; empty where both agree."""
    theirs, ours = raised(torch, call), raised(tabgrad, call)
    assert theirs is not None, f"{name}: PyTorch raises nothing"
    kind = type(theirs) if type(theirs).__module__ == "builtins" else RuntimeError  # of PyTorch's own classes
    if isinstance(ours, kind) and "fit each other" not in str(ours):
        return ""
    return f"{name}: expected {kind.__name__}, as PyTorch ({theirs}), got {type(ours).__name__}: {ours}"
