"""Calls that were recognised and not executed: executed late, as they would have been."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tabgrad.grad_mode import is_recording, set_grad_enabled
from tabgrad.tensor import Tensor
from tabgrad.tracing.pattern import SEQUENCE, SLOT, Part, filled
from tabgrad.tracing.segment import Segment


def execute_pending(segment: Segment, give: Callable[[Iterator[tuple[int, Any]]], None]) -> None:
    """Deferred tensors of the segment become real ones.

    Args:
        give: told which numbers the scalars of the next call hold, with their places among the segment's.
    """
    made: dict[int, Tensor] = {}
    pending, segment.pending = segment.pending, []
    for index, node in segment.hidden.items():
        segment.outside[index]._node = node
    segment.hidden = {}
    for number in segment.outdated:
        made.update(segment.restored(number))
    grads: dict[int, tuple[Tensor, Tensor | None]] = {}

    def slot(number: int) -> Tensor:
        living = segment.slots[number]()
        if living is None and number not in made:  # computed, and gone since
            made[number] = segment.again(number)
        return made[number] if living is None else living

    def value(part: Part) -> Any:
        return filled((part,), slot, segment.outside)[0]

    for place in pending:
        call = segment.path[place]
        base = segment.bases[place]
        give(iter([(base + n, segment.numbers[base + n]) for n in range(len(call.numbers))]))
        owned = [value(p) for p in call.owners]
        for owner, part in zip(owned, call.before, strict=True):
            grads.setdefault(id(owner), (owner, owner.grad))
            owner.grad = value(part)
        if call.rounds:
            continue  # its program has run
        (*args,) = filled(call.parts, slot, segment.outside)
        kwargs = dict(zip(call.names, args[call.count :], strict=True))
        mode = is_recording()
        set_grad_enabled(call.records)
        try:
            result = call.fn(*args[: call.count], **kwargs)
        finally:
            set_grad_enabled(mode)
        _take(segment, call.result, result, made)
        for owner, part in zip(owned, call.after, strict=True):
            _take(segment, part, owner.grad, made)
            if part.kind == SLOT:
                owner.grad = slot(part.what)
    for owner, grad in grads.values():
        owner.grad = grad
    for number, computed in segment.values.items():
        living = segment.slots[number]()
        tensor = made.get(number) if living is None else living
        if tensor is not None and tensor._node is not computed:
            tensor._node.become_buffer(computed.storage, computed.offset, computed)
            segment.session.note_view(tensor)


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


__all__ = ["execute_pending"]
