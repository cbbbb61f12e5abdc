"""What a step that is being recorded depends on, and what it changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad.dtypes import DType
from tabgrad.errors import TabgradError, shortened
from tabgrad.graph import node as graph
from tabgrad.graph.node import Node
from tabgrad.graph.op import Kind, Shape
from tabgrad.graph.storage import Storage
from tabgrad.memory import Lineage, Memory
from tabgrad.runtime.guards import Guards
from tabgrad.runtime.noted_name import Read
from tabgrad.runtime.python_state import PythonState
from tabgrad.runtime.same_value import MISSING, Contents, is_same
from tabgrad.session import current, whose
from tabgrad.tensor import Tensor
from tabgrad.watched import Watched, WatchedAttributes

REQUIRES_GRAD, MODULES = "requires_grad of parameters", "modules or their training mode"
MODES = frozenset({REQUIRES_GRAD, MODULES})
"""What a step may change and leave behind, at the price of a recording."""


class Capture:
    """What is noted while a step is recorded."""

    def __init__(self, name: str, earlier: list[Node]) -> None:
        self.name = name
        self.owner = whose()
        self.earlier = {id(n): n for n in earlier}  # values that were lazy before the step
        self.scalars: list[Node] = []
        self.arrays: list[tuple[Storage, Callable[[], np.ndarray]]] = []  # made anew on the host for each run
        self.assigned: list[Memory] = []
        self.recorded: list[
            tuple[Tensor | Lineage, Any]
        ] = []  # what was recorded again, and how it was before the step
        self.views: list[tuple[Tensor, Node]] = []  # tensors over memory that was assigned as a whole, and that memory
        self.consumed: list[Tensor] = []  # leaves whose .grad an optimizer has used
        self.state = PythonState(name, self.leaf)
        self.lists: dict[int, tuple[list[Any], tuple[Any, ...]]] = {}
        self._guards = Guards()
        self._leaves: dict[int, tuple[Tensor, bool]] = {}  # parameters, and whether they required grad
        self._grads: dict[int, tuple[Tensor, Tensor | None] | None] = {}  # leaves, and the .grad that the step found
        self._asked: dict[Any, tuple[Callable[[], Any], Any]] = {}

    def drawn(self, shape: Shape, dtype: DType, make: Callable[[], np.ndarray]) -> Node:
        """An array in storage form that the host makes for each run, in the order in which they are asked for."""
        memory = Storage(dtype.bytes_of(math.prod(shape)))
        memory.placeholder = True
        self.arrays.append((memory, make))
        return graph.buffer(memory, shape, dtype)

    # What is read

    def leaf(self, tensor: Tensor) -> None:
        """This parameter is used: the step is recorded again once it is frozen, or no longer is."""
        self._leaves.setdefault(id(tensor), (tensor, tensor.requires_grad))

    def entry(self, owner: WatchedAttributes, table: dict[str, Any], name: str) -> None:
        """This entry of a module's table is used: the step is recorded again once it is another object."""
        key = id(table), name
        if key not in self.state.reads and not self.state.was_touched(owner, name):
            read = Read(table, name, table[name], f"{name!r} of {type(owner).__name__}")
            read.watched = owner._watched
            self.state.reads[key] = read
            self.state.meet(table[name])

    def late(self, watched: Watched, get: Callable[[], Any], key: Any) -> Any:
        """Read a value that changes only when ``watched`` says so; a change records again.

        It is noted once for each ``key``.
        """
        value = get()
        watched.used_by(self._guards)
        self._asked.setdefault(key, (get, value))
        self.state.meet(value)
        return value

    def finds_grad(self, leaf: Tensor) -> None:
        """The step adds to, or uses, the ``.grad`` of this leaf: one from before the step, if there is any."""
        held = leaf._grad
        if held is None or self._is_from_before(held):
            self._grads.setdefault(id(leaf), (leaf, held))

    def drops_grad(self, leaf: Tensor) -> None:
        """The step begins without what was in the ``.grad`` of this leaf."""
        self._grads.setdefault(id(leaf), None)

    def _is_from_before(self, tensor: Tensor) -> bool:
        node = tensor._node if tensor._memory is None else tensor._memory.node
        while node.op.kind is Kind.ASSIGN:
            node = node.args[0]
        return id(node) in self.earlier or (node.storage is not None and not node.storage.placeholder)

    def forget_grads(self) -> None:
        """What an optimizer has used in the step is gone with it; what was there before and still is stays."""
        for leaf in self.consumed:
            found = self._grads.get(id(leaf))
            if found is None or leaf._grad is not found[1]:
                leaf._grad = None

    def has_written(self, tensor: Tensor) -> bool:
        """Whether an optimizer has updated this parameter in the step."""
        return any(t is tensor for t, _ in self.views)

    # When the step has returned

    def conclude(self) -> tuple[Guards, set[str]]:
        """What is compared before each replay, and what the step has changed of it, in words.

        A recording of a step that has changed something serves one call: a replay would not repeat the change.

        Raises:
            TabgradError: the step counts, or draws random numbers.
        """
        self.state.chance.check()
        guards, changed = self._guards, set[str]()
        providers = {getattr(n.provider, "__code__", None) for n in self.scalars}
        added = set[str]().union(*(c.added for c in self.state.codes))
        used = set[str]().union(*(c.used for c in self.state.codes))
        for read in self.state.reads.values():
            if read.codes is not None and providers.issuperset(read.codes):
                continue  # asked at each run
            now = read.now()
            if is_same(now, read.value):
                guards.add(read)
                if read.contents is None:
                    continue
                if read.contents.hold():
                    guards.add_contents(read.contents)
                elif read.name in used or read.name not in added:
                    changed.add(self._changed_contents(read.contents, read.label))
            elif read.codes is None or self._is_updated(read):
                changed.add(self._changed(read, now))
        for owner, numbers in self.state.numbers:
            if not is_same(owner._numbers_in_python(), numbers):
                raise refusal(self.name, f"the numbers of {type(owner).__name__}")
        for read in self.state.numbers_in_use():
            guards.add(read)
        for contents in self.state.others:
            if not contents.hold():
                changed.add(self._changed_contents(contents, f"a {type(contents.container).__name__}"))
            guards.add_contents(contents)
        for tensor, mode in self._leaves.values():
            if tensor.requires_grad is not mode:
                changed.add(REQUIRES_GRAD)
            guards.add_leaf(tensor, mode)
        stepped = {id(leaf) for leaf in self.consumed}
        for found in self._grads.values():
            if found is not None and (found[1] is not None or id(found[0]) in stepped):
                guards.add_grad(*found)
        for get, value in self._asked.values():
            if not is_same(get(), value):
                changed.add(MODULES)
            guards.asked_late.append((get, value))
        guards.lists.extend(self.lists.values())
        return guards, changed

    def _is_updated(self, read: Read) -> bool:
        """Whether a function sets this variable after it has read it."""
        return any(read.name in names.updated for names in self.state.codes)

    def _changed(self, read: Read, now: Any) -> str:
        before = read.value
        if before is None or before is MISSING or isinstance(before, bool) or isinstance(now, bool):
            return read.label  # filled at its first use, as a cache or a flag is
        raise refusal(self.name, f"{read.label}, a value that it reads ({_shown(before)} before, {_shown(now)} after)")

    def _changed_contents(self, contents: Contents, label: str) -> str:
        if contents.has_only_grown():
            return f"what {label} holds"
        raise refusal(self.name, f"what {label} holds, which it reads")


def refusal(name: str, what: str) -> TabgradError:
    """For a step that changes what it depends on."""
    return TabgradError(
        f"compile: expected a step that changes nothing but tensors, got {name!r}, which changes {what}; replays would "
        f"not repeat that: change it where the step is called, or keep it in a tensor made outside (a buffer) and "
        f"change that in place with add_() or copy_()"
    )


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"a tensor {list(value.shape)}"
    return "nothing" if value is MISSING else shortened(value, 40)


def guarded_late(watched: Watched, key: Any, get: Callable[[], Any]) -> Any:
    """The value of ``get()``; a recorded step looks again after a change of ``watched``."""
    recording = current().capturing()
    return get() if recording is None else recording.late(watched, get, (id(watched), key))


def used_entry(owner: WatchedAttributes, table: dict[str, Any], name: str) -> None:
    """Code that may be part of a recording reads a module's parameter, buffer or submodule."""
    recording = current().capturing()
    if recording is not None:
        recording.entry(owner, table, name)


def used_item(table: dict[str, Any], name: str) -> None:
    """Code that may be part of a recording reads an item of a dict whose other items may change."""
    recording = current().capturing()
    if recording is not None:
        recording.state.reads.setdefault((id(table), name), Read(table, name, table[name], repr(name)))


def used_list(objects: list[Any]) -> None:
    """Code that may be part of a recording reads which objects a list holds."""
    recording = current().capturing()
    if recording is not None:
        recording.lists.setdefault(id(objects), (objects, tuple(objects)))


def used(value: Any) -> None:
    """Code of this package that may be part of a recording calls what a user has given it."""
    recording = current().capturing()
    if recording is not None:
        recording.state.meet(value)


__all__ = ["MODES", "Capture", "guarded_late", "refusal", "used", "used_entry", "used_item", "used_list"]
