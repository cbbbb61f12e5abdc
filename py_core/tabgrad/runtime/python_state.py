"""What a step that is being recorded reads of Python's state: variables, attributes, and what containers hold.

Attributes are noted as they are read, by hooks on their classes. Variables are found in the code of the functions
that can be called: the step, the functions that it names, the methods that it reads, and so on.
"""

from __future__ import annotations

import builtins
from collections import deque
from collections.abc import Callable, Iterator
from enum import EnumMeta
from functools import partial
from io import IOBase
from types import CellType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from tabgrad.errors import TabgradError
from tabgrad.runtime.attribute_hooks import HOOKED, AttributeHooks
from tabgrad.runtime.chance import Chance
from tabgrad.runtime.code_names import CodeNames, names_in
from tabgrad.runtime.noted_name import Read, in_cell
from tabgrad.runtime.same_value import MISSING, Contents
from tabgrad.runtime.user_code import is_user_class, is_user_function, is_user_module
from tabgrad.session import DEFAULT
from tabgrad.tensor import Tensor
from tabgrad.watched import WatchedAttributes

_PLAIN = (int, float, str, bytes, bool, complex, type(None), range, type(...))
_CONTAINERS = (list, dict, set, deque, np.ndarray)
MOST_ELEMENTS = 100_000  # of all containers that are compared at each replay
# of a class these are no part of what its objects compute
_ASIDE = {"__init__", "__new__", "__post_init__", "__init_subclass__", "__del__", "__repr__", "__str__", "__reduce__",
          "__reduce_ex__", "__getstate__", "__setstate__", "__deepcopy__", "__copy__", "__dir__",
          *HOOKED}  # fmt: skip


class PythonState:
    """Collects what a step reads.

    Args:
        name: of the step.
        leaf: called for tensors that are reached.
    """

    def __init__(self, name: str, leaf: Callable[[Tensor], None]) -> None:
        self._name, self._leaf = name, leaf
        self.reads: dict[tuple[int, str], Read] = {}
        self.codes: list[CodeNames] = []  # of user functions that may have run
        self.others: list[Contents] = []  # held by what is held
        self.numbers: list[tuple[Any, Any]] = []  # optimizers and schedules, whose numbers no step may change
        self.chance = Chance(name)
        self._attributes: dict[tuple[int, str], Any] = {}  # that were read or set, with their owners
        self._met: dict[int, Any] = {}
        self._hooks = DEFAULT.own(AttributeHooks)
        self._hooked: list[type[Any]] = []
        self._elements = 0

    def __enter__(self) -> PythonState:
        for kind in WatchedAttributes.__subclasses__():
            self._hook(kind)
        return self

    def __exit__(self, *_: object) -> None:
        self.chance.end()
        del self._leaf  # or the capture would live on, with all tensors of the step, until cycles are collected
        while self._hooked:
            self._hooks.take_off(self._hooked.pop())

    def _hook(self, kind: type[Any]) -> bool:
        if any(kind is h or issubclass(kind, h) for h in self._hooked):
            return True
        if not self._hooks.put_on(kind):
            return False
        self._hooked.append(kind)
        return True

    # As the hooks' listener

    def attribute_is_read(self, owner: Any, name: str) -> None:
        """Before its first change in the step, if there is any."""
        key = (id(owner), name)
        if key in self._attributes:
            return
        self._attributes[key] = owner
        kind = type(owner)
        table = _dict_of(owner)
        if table is not None and name in table:
            read = Read(table, name, table[name], f"{name!r} of {kind.__name__}")
            if issubclass(kind, WatchedAttributes):
                if name in kind._machinery:
                    return
                read.watched = table["_watched"]
            self._note((id(table), name), read)
            return
        bases = [base for base in kind.__mro__ if name in base.__dict__]
        if bases and not hasattr(type(bases[0].__dict__[name]), "__set__"):  # one of the object's own would hide it
            self._note_missing(owner, table, name)
        for base in bases:  # all of them, as super() finds the others
            if is_user_class(base):
                self._class_entry(base, name, owner)

    def attribute_is_missing(self, owner: Any, name: str) -> None:
        """It was asked for, and is not there."""
        key = (id(owner), name)
        if key in self._attributes or issubclass(type(owner), WatchedAttributes):
            return
        self._attributes[key] = owner
        self._note_missing(owner, _dict_of(owner), name)

    def _note_missing(self, owner: Any, table: dict[str, Any] | None, name: str) -> None:
        if table is not None:
            read = Read(table, name, MISSING, f"{name!r} of {type(owner).__name__}")
            if issubclass(type(owner), WatchedAttributes):
                read.watched = table["_watched"]
            self._note((id(table), name), read)

    def attribute_is_set(self, owner: Any, name: str) -> None:
        """It is about to be: what is read from now on is the step's own."""
        self._attributes.setdefault((id(owner), name), owner)

    def was_touched(self, owner: Any, name: str) -> bool:
        """Whether the step has read or set this attribute."""
        return (id(owner), name) in self._attributes

    def _class_entry(self, base: type[Any], name: str, owner: Any) -> None:
        value = base.__dict__[name]
        if hasattr(type(value), "__set__") and type(value) is not property and not is_user_class(type(value)):  # a slot
            key = (id(owner), name)
            self._note(key, Read(owner, name, getattr(owner, name, MISSING), f"{name!r} of {base.__name__}"))
        else:
            self._note((id(base), name), Read(base.__dict__, name, value, f"{name!r} of class {base.__name__}"))

    def _note(self, key: tuple[int, str], read: Read, code: CodeType | None = None) -> None:
        known = self.reads.setdefault(key, read)
        if code is not None:
            known.codes = [*(known.codes or ()), code]
        if known is read:
            self.meet(read.value, read)

    def numbers_in_use(self) -> Iterator[Read]:
        """Numbers of optimizers that the step's own code looks up, as ``optimizer.param_groups[0]["lr"]``."""
        for names in self.codes:
            if "param_groups" not in names.used:
                continue
            for owner, _ in self.numbers:
                for group in getattr(owner, "param_groups", ()):
                    for name in names.strings & group.keys() - {"params"}:
                        yield Read(group, name, group[name], f"{name!r} of {type(owner).__name__}")

    # What values lead to

    def meet(self, value: Any, read: Read | None = None) -> None:
        """A value that the step reads: note what can change in it, and what the code that it brings along reads."""
        kind = type(value)
        if kind in _PLAIN or id(value) in self._met:
            if read is not None and issubclass(kind, _CONTAINERS):
                read.contents = next((c for c in self._contents() if c.container is value), None)
            return
        self._met[id(value)] = value
        if issubclass(kind, Tensor):
            if value.is_leaf:
                self._leaf(value)
        elif kind is FunctionType:
            self._function(value)
        elif kind is MethodType:
            self.meet(value.__func__)
            self.meet(value.__self__)
        elif kind in (staticmethod, classmethod):
            self.meet(value.__func__)
        elif kind is property:
            self.meet(value.fget)
        elif issubclass(kind, partial):
            for part in (value.func, *value.args, *value.keywords.values()):
                self.meet(part)
        elif issubclass(kind, _CONTAINERS):
            self._container(value, read)
        elif issubclass(kind, tuple | frozenset):
            for part in value:
                self.meet(part)
        elif issubclass(kind, type):
            self._class(value, made=True)
        elif not self.chance.meet(value):
            self._object(value, kind, read)

    def _object(self, value: Any, kind: type[Any], read: Read | None) -> None:
        if kind is SimpleNamespace:
            self._container(vars(value), None)
        elif (
            kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__") and not issubclass(kind, IOBase)
        ):
            raise TabgradError(
                f"compile: expected a step without iterators from outside, got {kind.__name__} "
                f"{read.label + ' ' if read else ''}in {self._name!r}, of which each replay would use the same item; "
                f"call next() where the step is called, and pass what it gives"
            )
        elif hasattr(kind, "_numbers_in_python"):  # optimizers and what sets their learning rates
            self.numbers.append((value, value._numbers_in_python()))
            if is_user_class(kind):  # with a step of its own, which reads its groups and state as other objects do
                self._class(kind, made=False)
                self._hook(kind)
        elif issubclass(kind, WatchedAttributes):
            for leaf in value._leaves():
                self._leaf(leaf)
            self._class(kind, made=False)
        elif is_user_class(kind) and not issubclass(kind, EnumMeta) and type(kind) is not EnumMeta:
            self._class(kind, made=False)
            self._hook(kind)

    def _class(self, kind: type[Any], *, made: bool) -> None:
        """Its special methods, which Python calls without reading them as attributes."""
        for base in kind.__mro__:
            key = id(base), "made" if made else "used"
            if not is_user_class(base) or key in self._attributes:
                continue
            self._attributes[key] = base
            for name, value in list(base.__dict__.items()):
                if name == "__call__":
                    self._class_entry(base, name, None)
                elif type(value) is FunctionType and name[:2] == "__" and (made or name not in _ASIDE):
                    self.meet(value)

    def _container(self, value: Any, read: Read | None) -> None:
        self._elements += value.size if issubclass(type(value), np.ndarray) else len(value)
        if self._elements > MOST_ELEMENTS:
            raise TabgradError(
                f"compile: expected at most {MOST_ELEMENTS} elements in lists, dicts and arrays that {self._name!r} "
                f"reads, which are compared at each replay, got more with {read.label if read else 'a container'}; "
                f"make it a tensor outside the step, or pass what the step needs of it"
            )
        contents = Contents(value)
        if read is not None:
            read.contents = contents
        else:
            self.others.append(contents)
        if not issubclass(type(value), np.ndarray):
            for part in list(value.values() if issubclass(type(value), dict) else value):
                self.meet(part)

    def _contents(self) -> Iterator[Contents]:
        yield from self.others
        yield from (r.contents for r in self.reads.values() if r.contents is not None)

    # Variables

    def _function(self, fn: FunctionType) -> None:
        if not is_user_function(fn):
            return
        for value in (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()):
            self.meet(value)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        self._code(fn.__code__, fn.__globals__, cells)

    def _code(self, code: CodeType, table: dict[str, Any], cells: dict[str, CellType]) -> None:
        names = names_in(code)
        self.codes.append(names)
        found: dict[str, Any] = {}
        for name in names.free:
            if name == "__class__":  # for super()
                self._class(in_cell(cells[name]), made=False)
            elif name in cells:
                found[name] = in_cell(cells[name])
                read = Read(cells[name], name, found[name], f"the variable {name!r}")
                self._note((id(cells[name]), name), read, code)
        for name in names.globals:
            if name in table:
                found[name] = table[name]
                self._note((id(table), name), Read(table, name, table[name], f"the global variable {name!r}"), code)
            else:
                found[name] = getattr(builtins, name, None)
            self.chance.suspect(found[name])
        for name, attribute in names.attributes:
            self._attribute_of(found.get(name), attribute)
        for nested in names.nested:
            inner = {name: cell for name, cell in cells.items() if name in nested.co_freevars}
            self._code(nested, table, inner)

    def _attribute_of(self, owner: Any, name: str) -> None:
        """Of a module or a class, which have no objects' hooks."""
        kind = type(owner)
        if issubclass(kind, ModuleType):
            self.chance.suspect(owner, name)
            table = owner.__dict__
            if is_user_module(owner.__name__) and name in table:
                self._note((id(table), name), Read(table, name, table[name], f"{name!r} of module {owner.__name__}"))
        elif issubclass(kind, type):
            base = next((b for b in owner.__mro__ if name in b.__dict__), None)
            if base is not None and is_user_class(base):
                self._class_entry(base, name, None)


def _dict_of(owner: Any) -> dict[str, Any] | None:
    try:
        return object.__getattribute__(owner, "__dict__")
    except AttributeError:  # __slots__
        return None


__all__ = ["MOST_ELEMENTS", "PythonState"]
