"""One round of a trace: its tensors, and the calls whose execution is put off."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tabgrad.graph.node import BUFFER, Node
from tabgrad.graph.storage import Storage
from tabgrad.session import Session
from tabgrad.tensor import LATE, Tensor
from tabgrad.tracing.call import Call, Made
from tabgrad.tracing.pattern import NEW, SEEN, SEQUENCE, SLOT, Part

if TYPE_CHECKING:
    from tabgrad.tracing.number import Number
    from tabgrad.tracing.tree_walk import TreeWalk


class Segment:
    """Calls from one beginning of the tree on.

    Results of the trace have a number, their slot, in the order in which calls make them.
    """

    def __init__(self, tracer: TreeWalk, session: Session) -> None:
        self.session = session
        self.is_open = True
        self.is_real = False  # whether calls were executed: then all that follow are, to its end
        self.path: list[Call] = []
        self.pending: list[int] = []  # calls that were not executed, by their place in the path
        self.outside: list[Tensor] = []  # tensors that were made before
        self.slots: list[weakref.ref[Tensor]] = []
        self.real: set[int] = set()  # slots of tensors that ops have made: the others are deferred
        self.gradients: set[int] = set()  # slots
        self.views: set[int] = set()  # slots
        self.aliased: set[int] = set()  # places of tensors that show another one's memory, or theirs is shown
        self.groups: tuple[tuple[int, ...], ...] = ()  # slots over one memory
        self.values: dict[int, Node] = {}  # by slot: what programs have computed
        self.done: set[int] = set()  # slots that programs have computed, of calls that were executed
        self.changed: set[int] = set()  # slots of results that calls have changed in place
        self.outdated: dict[int, Node] = {}  # by slot: of results that are to change, the value before
        self.hidden: dict[int, Node] = {}  # tensors from outside with changes that have not been made, and their values
        self.constants: list[Storage] = []  # made by its calls, of numbers that lie on the host
        self.numbers: list[Any] = []
        self.bases: list[int] = []  # by the place in the path: the first of a call's numbers
        self.scalars: dict[int, tuple[Node, int]] = {}  # scalars of the graph by ``id``, and which number they hold
        self.windows: list[
            tuple[weakref.ref[Tensor], list[Number]]
        ] = []  # views whose place differs from round to round
        self.gone = tracer.gone  # to be told of the end of what outlives a round
        self.tracer = tracer

    # Tensors

    def enter(self, tensor: Tensor) -> int:
        """A tensor from outside is part of the trace; returns its place."""
        index = len(self.outside)
        tensor._trace, tensor._slot = self, -1 - index
        self.outside.append(tensor)
        return index

    def make(self, tensor: Tensor) -> int:
        """A new tensor has the next slot."""
        slot = len(self.slots)
        tensor._trace, tensor._slot = self, slot
        self.slots.append(weakref.ref(tensor))
        return slot

    def defer(self, made: Made) -> Tensor:
        """A tensor without a value."""
        tensor = Tensor.__new__(Tensor)
        tensor._shape, tensor._dtype, tensor._requires_grad = made.shape, made.dtype, made.requires_grad
        tensor._session, tensor._grad, tensor._hooks = self.session, None, None
        slot = self.make(tensor)
        if made.is_view:
            self.views.add(slot)
        return tensor

    def is_leaf(self, tensor: Tensor) -> bool | None:
        """Whether no recorded op made a deferred tensor; None of others, and where only execution tells."""
        if tensor._slot < 0 or tensor._slot in self.changed or has(tensor, "_ctx"):
            return None
        return self._made(tensor._slot).record is None

    def alive(self) -> frozenset[int]:
        """Slots of living tensors whose values have not been computed."""
        values, real = self.values, self.real
        found = []
        for slot, ref in enumerate(self.slots):
            tensor = ref()
            if tensor is None or slot in values or (slot in real and tensor._node.op is BUFFER):
                continue
            found.append(slot)
        return frozenset(found)

    def any_alive(self, slots: Iterable[int]) -> bool:
        """Whether one of these lives."""
        return any(self.slots[slot]() is not None for slot in slots)

    def tensor(self, part: Part) -> Tensor | None:
        """What a part means in this round; None of a slot whose tensor is gone."""
        if part.kind == SLOT:
            return self.slots[part.what]()
        if part.kind == SEEN:
            return self.outside[part.what]
        return self.outside[part.what.place] if part.kind == NEW else None

    def computed(self, slot: int, node: Node) -> None:
        """A program has computed this."""
        self.values[slot] = node
        self.done.add(slot)
        tensor = self.slots[slot]()
        if tensor is not None:
            tensor._node = node

    def outdate(self, slot: int) -> None:
        """A result is to change: a value that was computed is not its value any more."""
        tensor, value = self.slots[slot](), self.values.pop(slot, None)
        if value is not None:
            self.outdated[slot] = value
            if tensor is not None:
                del tensor._node

    def restored(self, slot: int) -> dict[int, Tensor]:
        """Before the changes are made: a result that was computed has the value that it had; itself if it is gone."""
        tensor, value = self.slots[slot](), self.outdated[slot]
        if tensor is None:
            return {slot: self._again(slot, value)}
        tensor._node = value
        self.complete(tensor)
        return {}

    def hide(self, index: int) -> None:
        """A tensor from outside is to change: who looks at it has the change made first."""
        if index not in self.hidden:
            tensor = self.outside[index]
            self.hidden[index] = tensor._node
            self.session.lazy.pop(id(tensor), None)  # or who goes through them looks at it
            del tensor._node

    def show(self, index: int) -> None:
        """The changes have been made, in the memory that it has."""
        node = self.hidden.pop(index, None)
        tensor = self.outside[index]
        tensor._version += 1
        if node is not None:
            tensor._node = node
        if tensor._memory is not None:
            tensor._memory.set(tensor._memory.node)  # views that were computed are read again
            for view in tensor._memory.members():
                if view._trace is not self:  # an earlier round's, whose gradient may need what it showed
                    view._version += 1

    # The end

    def settle(self, tensor: Tensor) -> None:
        """Somebody looks at what a deferred tensor does not have."""
        if self.is_open or tensor._slot < 0 or tensor._slot in self.views or not has(tensor, "_node"):
            self.tracer.catch_up(self)
        self.complete(tensor)

    def complete(self, tensor: Tensor) -> None:
        """Give a tensor that was computed in a trace that is over what others have."""
        for name, value in (("_memory", None), ("_path", ()), ("_version", 0), ("_lineage", None)):
            if not has(tensor, name):
                setattr(tensor, name, value)
        if not has(tensor, "_ctx"):
            record = self._made(tensor._slot).record
            tensor._ctx = None
            if record is not None:
                tensor._ctx = record(tensor)

    def again(self, slot: int) -> Tensor:
        """A value that was computed, as another tensor."""
        return self._again(slot, self.values[slot])

    def _again(self, slot: int, value: Node) -> Tensor:
        made = self._made(slot)
        tensor = Tensor._from_node(value, self.session)
        tensor._requires_grad, tensor._trace, tensor._slot = made.requires_grad, self, slot
        if made.record is not None:
            tensor._ctx = made.record(tensor)
        return tensor

    def _made(self, slot: int) -> Made:
        return next(c.made[slot - c.first] for c in self.path if c.first <= slot < c.first + len(c.made))

    def close(self) -> bool:
        """The trace goes on in another segment; returns whether this one has tensors that are lazy still."""
        self.is_open = False
        for group in self.groups:
            self._join([t for slot in group if (t := self.slots[slot]()) is not None])
        if self.is_needed():
            return True
        self.clear()
        return False

    def _join(self, tensors: list[Tensor]) -> None:
        """They show one memory."""
        for tensor in tensors if len(tensors) > 1 else ():
            self.complete(tensor)
            if tensor is not tensors[0]:
                tensor._share(tensors[0])

    def is_needed(self) -> bool:
        """Whether calls that were put off may still have to be executed, beside those for gradients."""
        return bool(self.hidden) or bool(self.alive()) or (bool(self.views) and self.any_alive(self.views - self.real))

    def clear(self) -> None:
        """Let go of all that only calls which are not executed yet need."""
        self.pending, self.outside, self.values, self.outdated, self.scalars = [], [], {}, {}, {}
        self.numbers = []


def has(tensor: Tensor, name: str) -> bool:
    """Whether a tensor has this attribute already."""
    try:
        object.__getattribute__(tensor, name)
    except AttributeError:
        return False
    return True


def tensors_in(part: Part | None) -> Sequence[Part]:
    """The parts that are tensors."""
    if part is None:
        return ()
    if part.kind == SEQUENCE:
        return [p for inner in part.more for p in tensors_in(inner)]
    return (part,) if part.kind in (SLOT, NEW, SEEN) else ()


__all__ = ["LATE", "Segment", "has", "tensors_in"]
