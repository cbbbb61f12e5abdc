"""Whether a call is one that has come before in the same place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tabgrad.errors import TabgradError
from tabgrad.grad_mode import is_recording
from tabgrad.tensor import Tensor
from tabgrad.tracing.call import Call, Position
from tabgrad.tracing.pattern import SEEN, SLOT, Part, fits
from tabgrad.tracing.segment import Segment, has


class Asked(NamedTuple):
    """What is called."""

    fn: Callable[..., Any]
    positional: int  # how many
    kwargs: dict[str, Any]
    values: Sequence[Any]  # of all arguments
    owners: Sequence[Tensor] | None  # of gradients that it reads or sets, where they are known before


class Patterns(NamedTuple):
    """Of a call's arguments, of the owners of gradients, and of their gradients before."""

    given: tuple[Part, ...]
    owners: tuple[Part, ...]
    before: tuple[Part, ...]


class Recognised(NamedTuple):
    """A known call, and what it means in this round."""

    call: Call
    found: list[Tensor]  # tensors from outside that have not been met before
    owners: list[Tensor | None]  # None of those that are gone
    numbers: list[Any]  # that may differ from round to round


def recognised(position: Position, segment: Segment, asked: Asked) -> Recognised | None:
    """The call among those that have come here before that this one is."""
    fn, count, kwargs, values, owners = asked
    for call in position.calls.get(fn, ()):
        if call.count != count or len(call.names) != len(kwargs) or call.records is not is_recording():
            continue
        if kwargs and call.names != tuple(kwargs):
            continue
        new: list[Tensor] = []
        numbers: list[Any] = []
        if not fits(call.parts, values, segment, new, numbers):
            continue
        if call.varied is not None and not call.varied.hold(numbers):
            continue
        owned: list[Tensor | None]
        if owners is not None:
            owned = list(owners)
            if len(call.owners) != len(owned) or not fits(call.owners, owned, segment, new, numbers):
                continue
        else:
            owned = [segment.tensor(part) for part in call.owners]
        if call.changed and not _changes_all(call, segment, new):
            continue
        if owned and not fits(call.before, [None if t is None else t._grad for t in owned], segment, new, numbers):
            continue
        return Recognised(call, new, owned, numbers)
    return None


def _changes_all(call: Call, segment: Segment, found: list[Tensor]) -> bool:
    """Whether no tensors show the memory that a call changes but those of which it is known."""
    outside = [*segment.outside, *found]
    given = [outside[p.what if p.kind == SEEN else p.what.place] for p in call.changed if p.kind != SLOT]
    for tensor in given:
        if not has(tensor, "_node") or tensor._memory is None or call.rounds:
            continue
        if tensor._path or any(all(t is not g for g in given) for t in tensor._memory.members()):
            return False
    return True


def checks_hold(known: Recognised, segment: Segment) -> bool:
    """Whether values that lie on the host are what the call can do with; if not, it raises when it is executed."""
    outside = [*segment.outside, *known.found]
    try:
        for index, check in known.call.checks:
            check(outside[index])
    except (TabgradError, IndexError, ValueError):
        return False
    return True


__all__ = ["Asked", "Patterns", "Recognised", "checks_hold", "recognised"]
