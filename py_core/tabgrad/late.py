"""Parts of the package that a page starts without: each is imported when one of its names is first used."""

from __future__ import annotations

import importlib
from types import ModuleType

from tabgrad import late_names

_IN_PLACE = "tabgrad.runtime.in_place_forms"  # what makes the methods that change a tensor in place


def load_function(name: str) -> bool:
    """Import the file that declares a function or method, if one of those that are imported late does."""
    modules = [module for module, names in late_names.FUNCTIONS.items() if name in names.split()]
    for module in modules:  # several, if a method and a function share a name
        importlib.import_module(module)
    if not modules:
        return False
    importlib.import_module(_IN_PLACE).add_forms()
    return True


def load_class(package: str, name: str) -> ModuleType | None:
    """The file of a package, ``nn`` or ``optim``, that has a class which is imported late."""
    module = _module_of(late_names.CLASSES[package], name)
    return None if module is None else importlib.import_module(module)


def missing_name(module: str, name: str) -> Exception:
    """What ``__getattr__`` of a module raises for a name that it does not have."""
    if name.startswith("_"):  # looked up by Python's own machinery, at each start
        return AttributeError(f"{module!r} has no attribute {name!r}", name=name)
    error: Exception = importlib.import_module("tabgrad.missing").name_error(module, name)
    return error


def _module_of(table: dict[str, str], name: str) -> str | None:
    return next((module for module, names in table.items() if name in names.split()), None)


__all__ = ["load_class", "load_function", "missing_name"]
