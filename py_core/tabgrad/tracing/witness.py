"""What is seen while a call is executed: told by those who compute, write and look at values."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tabgrad.dtypes import DType
from tabgrad.graph import node as graph
from tabgrad.graph.node import Node
from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.tracing.call import Launch, Provider
from tabgrad.tracing.number import Number
from tabgrad.tracing.pattern import TracedObject, Untraceable
from tabgrad.tracing.segment import Segment


class Note:
    """About one call."""

    def __init__(self, objects: Sequence[TracedObject]) -> None:
        self.objects = objects
        self.numbers: list[Provider] = []
        self.changed: dict[int, weakref.ref[Tensor]] = {}  # what a call makes for itself is gone when it returns
        self.grads: dict[int, tuple[Tensor, Tensor | None]] = {}  # owners, and their gradients before
        self.checks: list[tuple[Tensor, Callable[[Tensor], None]]] = []
        self.launches: list[Launch] = []
        self.alive: frozenset[int] = frozenset()  # slots that were alive and lazy before
        self.once = ""  # why the same call would not do the same again


class Witness:
    """Takes notes of the call that is being executed."""

    segment: Segment  # the round that is under way

    def __init__(self, session: Session) -> None:
        self._session = session
        self.note: Note | None = None  # about the call that is being executed, if it may come again
        self._given: Iterator[tuple[int, Any]] | None = None  # numbers of calls that are executed late
        self._launched = False

    @property
    def is_learning(self) -> bool:
        """Whether what is executed is part of a call that may come again."""
        return self.note is not None or self._given is not None

    def nodes_of_round(self) -> set[int] | None:
        """``id`` of what the round's calls have made; None where no call is being learned."""
        if self.note is None:
            return None
        made = (ref() for ref in self.segment.slots)
        return {id(t._node) for t in made if t is not None and t._slot in self.segment.real}

    def number(self, node: Node) -> Any:
        """The number that a scalar holds in the run to come."""
        segment = self.segment
        if self._given is not None:
            index, value = next(self._given)
            segment.scalars[id(node)] = node, index
            return value
        assert node.provider is not None
        value = node.provider()
        if self.note is not None:
            self.note.numbers.append(node.provider)
            segment.scalars[id(node)] = node, len(segment.numbers)
            segment.numbers.append(value)
        return value

    def scalar_of(self, number: Number, dtype: DType) -> Node:
        """A scalar that holds this number."""
        note, segment, place = self.note, self.segment, number.place
        if place < 0 and self._given is not None:
            place, _ = next(self._given)
        elif place < 0 and note is not None:
            place = len(segment.numbers)
            note.numbers.append(number.provider())
            segment.numbers.append(number.value)
        node = graph.scalar(lambda: number.value, dtype)
        node.value = number.value
        segment.scalars[id(node)] = node, place
        return node

    def windows(self, view: Tensor, numbers: list[Number]) -> None:
        """A view whose place these numbers say: it is read by programs for all of them, and not written."""
        self.segment.windows.append((weakref.ref(view), numbers))

    def changes(self, tensor: Tensor) -> None:
        """A tensor is about to be changed in place."""
        for ref, numbers in self.segment.windows:
            if ref() is tensor:
                for number in numbers:
                    number.pinned()
                self.happens_once("it changes what a view shows whose place differs")
        if self.note is not None:
            self.note.changed[id(tensor)] = weakref.ref(tensor)

    def sets_grad(self, tensor: Tensor) -> None:
        """A tensor's ``.grad`` is set or changed."""
        if self.note is not None:
            self.note.grads.setdefault(id(tensor), (tensor, tensor._grad))

    def check(self, tensor: Tensor, check: Callable[[Tensor], None]) -> None:
        """Look at a value that lies on the host, in each round."""
        check(tensor)
        if self.note is not None:
            self.note.checks.append((tensor, check))

    def happens_once(self, what: str) -> None:
        """The call does what it would not do again."""
        if self.note is not None:
            self.note.once = what

    def launches(self, make: Callable[[Segment, set[int]], Launch]) -> None:
        """A program is about to run."""
        self._launched = True
        if self.note is not None:
            if self.note.launches:
                self.note.once = "it runs several programs"
                return
            self.note.alive = self.segment.alive()
            try:
                self.note.launches.append(make(self.segment, self._own_storages(self.note)))
            except Untraceable as reason:
                self.note.once = str(reason)

    def _own_storages(self, note: Note) -> set[int]:
        state = [s for value in note.objects for s in value._traced_storages()]
        return {id(s) for s in (*self.segment.constants, *state)}


__all__ = ["Note", "Witness"]
