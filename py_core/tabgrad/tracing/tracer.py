"""Follows the trace tree of a session: recognises calls, and executes and notes those that are new."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tabgrad.graph.node import BUFFER
from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.tracing.call import Call, Round
from tabgrad.tracing.host_values import without_arrays
from tabgrad.tracing.learned import has_history
from tabgrad.tracing.new_calls import NewCalls
from tabgrad.tracing.pattern import CONSTANT, SEEN, SEQUENCE, SLOT, Part
from tabgrad.tracing.recognise import Asked, Recognised, checks_hold, recognised
from tabgrad.tracing.segment import Segment, has
from tabgrad.tracing.unvalued import Unvalued


class Tracer(NewCalls):
    """A session's. Each call of a user's code on tensors goes through :meth:`call`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.enabled = True
        self.followed = 0  # calls that were recognised, and not executed
        self._unvalued = Unvalued()

    # Calls

    def call(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        owners: Sequence[Tensor] | None = None,
    ) -> Any:
        """What ``fn(*args, **kwargs)`` returns.

        Args:
            owners: tensors whose ``.grad`` it reads or sets, where these are known before.
        """
        session = self._session
        if not self.enabled or session.capture is not None or (self._busy and self._thread == threading.get_ident()):
            return fn(*args, **kwargs)
        with session.lock:
            self._thread = threading.get_ident()
            if session.profiler is not None or session.observer is not None:
                self.catch_up()
                self._lose()
                return fn(*args, **kwargs)
            values = [*args, *kwargs.values()] if kwargs else args
            asked = Asked(fn, len(args), kwargs, values, owners)
            asked, known = self._known(asked)
            if known is not None and not self.segment.is_real:
                chosen = self._round(known.call, known.found)
                if (chosen is not None or not known.call.rounds) and checks_hold(known, self.segment):
                    return self._follow(known, chosen, asked)
            return self._execute(asked, known)

    def _known(self, asked: Asked) -> tuple[Asked, Recognised | None]:
        """The call, with tensors in place of arrays, and what is known of it."""
        position = self._position
        if position is None:
            return asked, None
        if self._is_stale or self._moves != self._session.moves:
            self.forget()
            return asked, None
        found = recognised(position, self.segment, asked)
        if found is None and (plain := without_arrays(asked)) is not None:
            asked = plain
            found = recognised(position, self.segment, asked)
        if found is None and self._compute(asked.values):
            found = recognised(position, self.segment, asked)
        if self._may_end:
            self._may_end = False
            if found is None and self._ends(asked):
                self._begin()
                found = recognised(self._root, self.segment, asked)
        return asked, found

    def _compute(self, values: Iterable[Any]) -> bool:
        """Compute arguments that have no value, which would end the recognition; whether there were any."""
        tensors = self._unvalued.to_compute(values, self.segment, is_loop=self.followed > 0)
        with self._working():
            for tensor in tensors:
                try:
                    tensor.realize()
                except RuntimeError:
                    return False  # nobody can compute it: the call says why
        return bool(tensors)

    def _round(self, call: Call, found: list[Tensor]) -> Round | None:
        """Of a call that runs a program: which, if it can now."""
        if not call.rounds:
            return None
        segment = self.segment
        chosen = call.rounds.get(None) or call.rounds.get(segment.alive())
        if chosen is None or not chosen.launch.prepare([*segment.outside, *found], segment):
            return None
        return chosen

    def _ends(self, asked: Asked) -> bool:
        """Whether a call that nothing is known of begins a round: it uses nothing that was made in this one."""
        segment = self.segment
        if segment.gradients & segment.alive():
            return False
        given = [*asked.values, *(t._grad for t in asked.owners or ())]
        return not any(t._trace is segment and t._slot >= 0 for t in _tensors(given))

    # Known calls

    def _follow(self, known: Recognised, chosen: Round | None, asked: Asked) -> Any:
        call, found, owned, given = known
        segment = self.segment
        length = len(segment.path)
        try:
            for tensor in found:
                segment.enter(tensor)
            segment.aliased |= call.aliased
            numbers = segment.numbers
            segment.path.append(call)
            segment.bases.append(len(numbers))
            if call.varied is not None:
                numbers += given
            for ask in call.numbers:
                numbers.append(ask())  # one by one: some are computed of those before
            if call.is_immediate:
                result = self._plain(asked)
            else:
                segment.pending.append(length)
                result = self._defer(call, owned, chosen)
        except BaseException:
            self._undo(call, owned, length)
            raise
        self._position = call.next
        self.followed += 1
        if chosen is not None:
            self._ran(chosen)
        return result

    def _defer(self, call: Call, owned: list[Tensor | None], chosen: Round | None) -> Any:
        """What a known call returns, without a value; and its program, if it has one, runs."""
        segment = self.segment
        made = [segment.defer(m) for m in call.made]
        for owner, part in zip(owned, call.after, strict=True):
            if owner is not None:
                owner._grad = _made_or(part, made, call.first, segment)
            if part.kind == SLOT:
                segment.gradients.add(part.what)
        if call.changed:
            self._change(call)
        if chosen is None:
            for part in call.changed:
                if part.kind == SLOT:
                    segment.outdate(part.what)
                else:
                    segment.hide(part.what if part.kind == SEEN else part.what.place)
        result = None if call.result is None else _result(call.result, made, call.first, segment)
        if chosen is not None:
            with self._working():
                if chosen.launch.writes:
                    self._catch_up_left()
                chosen.launch.run(segment)
        return result

    def _change(self, call: Call) -> None:
        """Tensors are about to be changed in place."""
        if self._left:
            self._catch_up_left()
        segment = self.segment
        for part, requires_grad in zip(call.changed, call.asked, strict=True):
            if part.kind == SLOT:
                segment.changed.add(part.what)
                tensor = segment.slots[part.what]()
                if tensor is not None:
                    tensor._requires_grad = requires_grad

    def _undo(self, call: Call, owned: list[Tensor | None], length: int) -> None:
        """A call could not be deferred, or its program could not run: it was not made; those before it are executed."""
        segment = self.segment
        del segment.path[length:], segment.bases[length:], segment.slots[call.first :]
        segment.pending = [place for place in segment.pending if place < length]
        for owner, part in zip(owned, call.before, strict=True):
            if owner is not None:
                owner._grad = segment.tensor(part)
        self.catch_up()
        self._lose("an exception")

    def _ran(self, chosen: Round) -> None:
        """After a program: a round of a loop may be over."""
        segment, launch = self.segment, chosen.launch
        for index in launch.settled:
            segment.show(index)
        if launch.writes:
            segment.pending = list(chosen.kept)
        segment.groups = chosen.groups
        self._end_if_done(chosen.history)

    def _plain(self, asked: Asked) -> Any:
        with self._working():
            return asked.fn(*asked.values[: asked.positional], **asked.kwargs)

    def leave(self, why: str) -> None:
        """What follows cannot be recognised: until a program has run, calls are just executed."""
        if self._busy and self._thread == threading.get_ident():
            self.happens_once(why)
        else:
            with self._session.lock:
                self.catch_up()
                self._lose(why)

    @contextmanager
    def executing(self, why: str) -> Iterator[None]:
        """All calls in the block are executed when they are made."""
        self.leave(why)
        before, self.enabled = self.enabled, False
        try:
            yield
        finally:
            self.enabled = before

    def has_deferred(self, tensors: Iterable[Tensor]) -> bool:
        """Whether computing these may be a call that came before."""
        return any(not has(t, "_node") or t._node.op is not BUFFER for t in tensors)

    def settles_all(self) -> bool:
        """Whether writes that wait are to be done by the program that runs next."""
        return self._position is None or not has_history(self.segment)


def _tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif type(value) in (list, tuple):
            yield from _tensors(value)


def _made_or(part: Part, made: list[Tensor], first: int, segment: Segment) -> Tensor | None:
    if part.kind == SLOT and part.what >= first:
        return made[part.what - first]
    return segment.tensor(part)


def _result(part: Part, made: list[Tensor], first: int, segment: Segment) -> Any:
    if part.kind == SEQUENCE:
        values = [_result(p, made, first, segment) for p in part.more]
        return part.what(*values) if hasattr(part.what, "_fields") else part.what(values)
    return part.what if part.kind == CONSTANT else _made_or(part, made, first, segment)


__all__ = ["Tracer"]
