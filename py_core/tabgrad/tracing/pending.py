"""Calls that were recognised and not executed: executed late, as they would have been."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tabgrad.grad_mode import is_recording, set_grad_enabled
from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.tracing.call import Call
from tabgrad.tracing.number import Computed, given
from tabgrad.tracing.pattern import NEW, SEQUENCE, SLOT, Part, filled
from tabgrad.tracing.segment import Segment
from tabgrad.tracing.witness import Witness


def execute_pending(
    segment: Segment, give: Callable[[Iterator[tuple[int, Any]]], None], *, goes_on: bool = False
) -> None:
    """Deferred tensors of the segment become real ones.

    Args:
        goes_on: more calls may be learned in it, so that numbers which may differ are to be scalars of the graph.
        give: told which numbers the scalars of the next call hold, with their places among the segment's.
    """
    made: dict[int, Tensor] = {}
    pending, segment.pending = segment.pending, []
    living_now = [ref() for ref in segment.slots]  # a collection of garbage amid the calls may not change what lives
    for index, node in segment.hidden.items():
        segment.outside[index]._node = node
    segment.hidden = {}
    for number in segment.outdated:
        made.update(segment.restored(number))
    grads: dict[int, tuple[Tensor, Tensor | None]] = {}
    asked_now: dict[int, tuple[Tensor, bool]] = {}

    def slot(number: int) -> Tensor:
        living = segment.slots[number]()
        if living is None and number not in made:  # computed, and gone since
            made[number] = segment.again(number)
        return made[number] if living is None else living

    def value(part: Part) -> Any:
        return filled((part,), slot, segment.outside, iter(()))[0]

    for place in pending:
        call = segment.path[place]
        base = segment.bases[place]
        first = base if call.varied is None else base + call.varied.count
        asked = [first + n for n, provider in enumerate(call.numbers) if goes_on or type(provider) is not Computed]
        give(iter([(n, segment.numbers[n]) for n in asked]))
        owned = [value(p) for p in call.owners]
        for owner, part in zip(owned, call.before, strict=True):
            grads.setdefault(id(owner), (owner, owner._grad))
            owner._grad = value(part)
        if call.rounds:
            continue  # its program has run
        (*args,) = filled(call.parts, slot, segment.outside, _numbers(call, segment, base, goes_on))
        _ask(call.parts, args, asked_now)
        kwargs = dict(zip(call.names, args[call.count :], strict=True))
        mode = is_recording()
        set_grad_enabled(call.records)
        try:
            result = call.fn(*args[: call.count], **kwargs)
        finally:
            set_grad_enabled(mode)
        _take(segment, call.result, result, made)
        for owner, part in zip(owned, call.after, strict=True):
            _take(segment, part, owner._grad, made)
            if part.kind == SLOT:
                owner._grad = slot(part.what)
    for owner, grad in grads.values():
        owner._grad = grad
    gone = {id(tensor) for tensor in made.values()}
    for key, (asked_of, requires_grad) in asked_now.items():
        if key not in gone:
            asked_of._requires_grad = requires_grad
    for number, computed in segment.values.items():
        living = segment.slots[number]()
        tensor = made.get(number) if living is None else living
        if tensor is not None and tensor._node is not computed:
            tensor._node.become_buffer(computed.storage, computed.offset, computed)
            segment.session.note_view(tensor)
    del living_now


def _ask(parts: Sequence[Part], values: Sequence[Any], before: dict[int, tuple[Tensor, bool]]) -> None:
    """A gradient is asked of tensors as when the call was made; what is asked of them otherwise goes to ``before``."""
    for part, value in zip(parts, values, strict=True):
        if part.kind == SEQUENCE:
            _ask(part.more, value, before)
        elif isinstance(value, Tensor):
            before.setdefault(id(value), (value, value._requires_grad))
            value._requires_grad = part.what.requires_grad if part.kind == NEW else part.more


def _numbers(call: Call, segment: Segment, base: int, goes_on: bool) -> Iterator[Any]:
    """Those that a call is given and that may differ."""
    varied = call.varied
    for index in range(0 if varied is None else varied.count):
        value = segment.numbers[base + index]
        yield given(varied, segment, value, index) if goes_on and varied is not None else value


def _take(segment: Segment, part: Part | None, value: Any, made: dict[int, Tensor]) -> None:
    """Deferred tensors become those that were made now."""
    if part is None or part.kind not in (SLOT, SEQUENCE):
        return
    if part.kind == SEQUENCE:
        for inner, v in zip(part.more, value, strict=True):
            _take(segment, inner, v, made)
        return
    number = part.what
    if number in segment.real:
        return  # it was made before, and was returned again
    living = segment.slots[number]()
    if living is None:
        made[number] = value
        value._trace, value._slot = segment, number
    elif living is not value:
        living._take_over(value)
        segment.real.add(number)


class Pending(Witness):
    """Has calls executed late: those of the round that is under way, and of earlier ones with tensors that are lazy."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._busy = False  # calls inside of calls are part of them
        self._thread = 0  # that makes them
        self.is_aside = False  # a call waits, and other tasks run
        self._left: list[weakref.ref[Segment]] = []  # segments that are over, with tensors that are lazy still
        session.before_lazy = self.catch_up_all

    def catch_up(self, segment: Segment | None = None) -> None:
        """Execute the calls that were recognised only, as they would have been."""
        segment = segment or self.segment
        if not segment.pending and not segment.hidden:
            return
        with self._session.lock, self._working():
            segment.is_real = True
            execute_pending(segment, self._give, goes_on=segment is self.segment)

    def catch_up_all(self) -> None:
        """As :meth:`catch_up`, also of segments that are over: before somebody goes through all lazy tensors."""
        if not self._busy:
            self.catch_up()
        self._catch_up_left()

    def changes(self, tensor: Tensor) -> None:
        """A tensor is about to be changed in place."""
        if self._left:
            self._catch_up_left()
        super().changes(tensor)

    def _leave(self, segment: Segment) -> None:
        """A segment is over."""
        if segment.close():
            self._left = [ref for ref in self._left if ref() is not None]
            self._left.append(weakref.ref(segment))

    def _catch_up_left(self) -> None:
        left, self._left = self._left, []
        for ref in left:
            segment = ref()
            if segment is not None:
                if segment.is_needed():
                    self.catch_up(segment)
                segment.clear()  # or what it holds, which holds it, lasts until garbage is collected

    def _give(self, numbers: Iterator[tuple[int, Any]]) -> None:
        self._given = numbers

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While other tasks run, amid a call: what they do is executed, and is no part of that call."""
        constants, self._session.constants = self._session.constants, None
        self.is_aside = True
        try:
            with self._working():
                yield
        finally:
            self.is_aside = False
            self._session.constants = constants

    @contextmanager
    def _working(self) -> Iterator[None]:
        before = self._busy, self._thread, self.note, self._given
        self._busy, self._thread, self.note, self._given = True, threading.get_ident(), None, None
        try:
            yield
        finally:
            self._busy, self._thread, self.note, self._given = before


__all__ = ["Pending", "execute_pending"]
