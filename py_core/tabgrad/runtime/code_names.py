"""What a function's code reads and writes by name, found in its bytecode."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import cache
from types import CodeType
from typing import NamedTuple

_LOADS_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME"}
_LOADS_FREE = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
_LOADS_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
_STORES = {"STORE_GLOBAL", "STORE_DEREF", "DELETE_GLOBAL", "DELETE_DEREF"}
_NAMES = _LOADS_GLOBAL | _LOADS_FREE | _LOADS_ATTRIBUTE | _STORES
_OPERATIONS = {code: name for name, code in dis.opmap.items() if name in _NAMES}
# names whose operand carries flags in its low bits; the others' operand is the index itself
_SHIFTS = {"LOAD_GLOBAL": 1, "LOAD_ATTR": 1 if "LOAD_METHOD" not in dis.opmap else 0}

# methods that put something into a container and give nothing of it back
ADDING = {"append", "appendleft", "extend", "add", "update", "insert"}


class CodeNames(NamedTuple):
    """Names in one code object, not in the functions that are defined in it (``nested``)."""

    globals: tuple[str, ...]
    free: tuple[str, ...]
    attributes: frozenset[tuple[str, str]]
    """Pairs of a global or free variable and an attribute that is read of it."""
    updated: frozenset[str]
    """Variables that are read, and set further down."""
    added: frozenset[str]
    """Variables and attributes to whose value something is added, as ``x.append(y)`` does."""
    used: frozenset[str]
    """Variables and attributes whose value is used for something else."""
    strings: frozenset[str]
    """Constants, such as keys of dicts."""
    nested: tuple[CodeType, ...]


def _operations(code: CodeType) -> Iterator[tuple[str, str]]:
    """Instructions that name something; for the others ``("", "")``."""
    cells = [c for c in code.co_cellvars if c not in code.co_varnames]
    slots = [*code.co_varnames, *cells, *code.co_freevars]
    raw = code.co_code
    extended = 0
    for place in range(0, len(raw), 2):
        number, operand = raw[place], raw[place + 1] | extended
        if number == dis.EXTENDED_ARG:
            extended = operand << 8
            continue
        extended = 0
        if not number:  # a cache of the instruction before
            continue
        operation = _OPERATIONS.get(number, "")
        if not operation:
            yield "", ""
        elif operation.endswith("DEREF"):
            yield operation, slots[operand]
        else:
            yield operation, code.co_names[operand >> _SHIFTS.get(operation, 0)]


@cache
def names_in(code: CodeType) -> CodeNames:
    """What ``code`` names."""
    loaded: dict[str, None] = {}
    free: dict[str, None] = {}
    pairs: set[tuple[str, str]] = set()
    updated: set[str] = set()
    added: set[str] = set()
    used: set[str] = set()
    outside = set(code.co_freevars)
    before = ""  # what the instruction before has loaded
    variable = ""  # the same, if it is a variable
    for operation, name in _operations(code):
        if before:
            (added if operation in _LOADS_ATTRIBUTE and name in ADDING else used).add(before)
        if variable and operation in _LOADS_ATTRIBUTE:
            pairs.add((variable, name))
        is_free = operation in _LOADS_FREE and name in outside
        if operation in _STORES and (name in loaded or name in free):
            updated.add(name)
        if is_free:
            free[name] = None
        elif operation in _LOADS_GLOBAL:
            loaded[name] = None
        variable = name if is_free or operation in _LOADS_GLOBAL else ""
        before = name if variable or operation in _LOADS_ATTRIBUTE else ""
    return CodeNames(
        tuple(loaded),
        tuple(free),
        frozenset(pairs),
        frozenset(updated),
        frozenset(added),
        frozenset(used),
        frozenset(c for c in code.co_consts if isinstance(c, str)),
        tuple(c for c in code.co_consts if isinstance(c, CodeType)),
    )


__all__ = ["CodeNames", "names_in"]
