"""Parts of the package that a page starts without: each is imported when one of its names is first used."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from types import ModuleType

from tabgrad import late_names
from tabgrad.errors import MissingNameError

_IN_PLACE = "tabgrad.runtime.in_place_forms"  # what makes the methods that change a tensor in place


def load_function(name: str) -> bool:
    """Import the file that declares a function or method, if one of those that are imported late does."""
    module = _module_of(late_names.FUNCTIONS, name)
    if module is None:
        return False
    importlib.import_module(module)
    importlib.import_module(_IN_PLACE).add_forms()
    return True


def load_class(package: str, name: str) -> ModuleType | None:
    """The file of a package, ``nn`` or ``optim``, that has a class which is imported late."""
    module = _module_of(late_names.CLASSES[package], name)
    return None if module is None else importlib.import_module(module)


def no_such_name(where: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error for a name that is not here: whether PyTorch has it, and what is nearest to it.

    Args:
        where: the namespace, such as ``nn.functional``; ``""`` for the top level.
        known: the names that are there.
    """
    holder = f"tabgrad.{where}".rstrip(".")
    if name.startswith("_"):  # looked up by NumPy, copy and others, to see what an object can do
        return AttributeError(f"{holder!r} has no attribute {name!r}")
    theirs = importlib.import_module("tabgrad.torch_names").NAMES.get(where, "").split()
    late = [n for names in late_names.FUNCTIONS.values() for n in names.split()]
    late += [n for files in late_names.CLASSES.values() for names in files.values() for n in names.split()]
    near = difflib.get_close_matches(name, {*known, *(late if where in ("", "Tensor", "nn.functional") else ())}, 1)
    hint = f"; the nearest name is {near[0]!r}" if near else ""
    if name not in theirs:
        return AttributeError(f"{holder!r} has no attribute {name!r}{hint}")
    full = f"torch.{where}.{name}" if where else f"torch.{name}"
    return MissingNameError(f"{holder}.{name}: expected a part of PyTorch that is here, got {full}, which is not{hint}")


def _module_of(table: dict[str, str], name: str) -> str | None:
    return next((module for module, names in table.items() if name in names.split()), None)


__all__ = ["load_class", "load_function", "no_such_name"]
