"""What the arguments of a known call look like: constants to compare, and tensors by where they come from."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tabgrad.dtypes import DType
from tabgrad.graph.node import BUFFER
from tabgrad.graph.op import Shape
from tabgrad.graph.storage import Storage
from tabgrad.placement import Layout, MemoryFormat, device
from tabgrad.random import Generator
from tabgrad.sizes import Size
from tabgrad.tensor import Tensor

if TYPE_CHECKING:
    from tabgrad.tracing.segment import Segment

CONSTANT, OBJECT, SLOT, NEW, SEEN, SEQUENCE, NUMBER, RANGE = range(8)
"""A value to compare; an object by identity; a result of the trace; a tensor from outside, met now or met before; a
list or tuple of these; a number that may differ; a slice with such."""


class Part(NamedTuple):
    """One argument: ``what`` is the constant, a weak reference, a slot, an :class:`Outside`, or the type of a sequence
    or number."""

    kind: int
    what: Any
    more: Any = ()  # of a sequence: its parts; of a tensor met before: whether a gradient is asked of it


class Outside(NamedTuple):
    """A tensor from outside of the trace: what must be so that the trace's programs serve another one."""

    place: int  # among those of the trace
    is_leaf: bool
    shape: Shape
    dtype: DType
    requires_grad: bool
    size_bytes: int  # of the memory
    offset: int
    storage: weakref.ref[Storage]  # as it was then


class Known(NamedTuple):
    """An object that is told apart by identity, and what else must be as it was."""

    object: weakref.ref[Any]
    state: Any


class TracedObject:
    """An argument that is told apart by identity."""

    __slots__ = ()

    def _traced_state(self) -> Any:
        """What of it must be as it was, as a value to compare."""
        raise NotImplementedError

    def _traced_storages(self) -> list[Storage]:
        """The memory that it keeps."""
        raise NotImplementedError


class Untraceable(Exception):
    """An argument or a result that cannot be compared later."""


_CONSTANTS = (
    int, float, bool, str, type(None), DType, slice, type(Ellipsis), type, complex, device, Layout, MemoryFormat,
)  # fmt: skip


def parts_of(values: Sequence[Any], segment: Segment) -> tuple[Part, ...]:
    """The pattern of arguments; tensors from outside become the segment's.

    Raises:
        Untraceable: one of them cannot be compared.
    """
    return tuple([_part(v, segment) for v in values])


def _part(value: Any, segment: Segment) -> Part:
    if isinstance(value, Tensor):
        if value._trace is segment:
            return place_of(value)
        return Part(NEW, _outside(value, segment))
    if isinstance(value, _CONSTANTS):
        return Part(CONSTANT, value)
    if type(value) in (list, tuple, Size):
        return Part(SEQUENCE, type(value), parts_of(value, segment))
    if isinstance(value, Generator | TracedObject):
        return Part(OBJECT, Known(weakref.ref(value, segment.gone), _state(value)))
    raise Untraceable(f"an argument is a {type(value).__name__}")


def place_of(tensor: Tensor) -> Part:
    """A tensor of the trace."""
    if tensor._slot < 0:
        return Part(SEEN, -1 - tensor._slot, tensor.requires_grad)
    return Part(SLOT, tensor._slot, tensor.requires_grad)


def _outside(tensor: Tensor, segment: Segment) -> Outside:
    node = tensor._node
    storage = node.storage
    foreign = tensor._session is not None and tensor._session is not segment.session
    ctx = tensor._ctx
    if node.op is not BUFFER or storage is None or storage.placeholder or foreign:
        raise Untraceable("a tensor from outside has no value yet")
    if ctx is not None and not ctx.is_spent:
        raise Untraceable("a tensor from outside is part of a record")
    index = segment.enter(tensor)
    return Outside(
        index, ctx is None, node.shape, node.dtype, tensor.requires_grad, storage.size_bytes, node.offset,
        weakref.ref(storage),
    )  # fmt: skip


def _state(value: Any) -> Any:
    return value._traced_state() if isinstance(value, TracedObject) else None


def fits(
    parts: tuple[Part, ...], values: Sequence[Any], segment: Segment, found: list[Tensor], numbers: list[Any]
) -> bool:
    """Whether values match.

    Tensors from outside that are met for the first time are added to ``found``, numbers that may differ to ``numbers``.
    """
    for (kind, what, inner), value in zip(parts, values, strict=False):
        if kind == SLOT:
            if not isinstance(value, Tensor) or value._trace is not segment or value._slot != what:
                return False
            if value._requires_grad is not inner:
                return False
        elif kind == SEEN:
            if value is not _seen(segment, what, found) or value._requires_grad is not inner:
                return False
        elif kind == CONSTANT:
            if value is not what and not is_same(value, what):
                return False
        elif kind == NEW:
            if not _is_like(what, value, segment, found):
                return False
        elif kind == SEQUENCE:
            if type(value) is not what or len(value) != len(inner):
                return False
            if not fits(inner, value, segment, found, numbers):
                return False
        elif kind == NUMBER:
            if type(value) is not what:
                return False
            numbers.append(value)
        elif kind == RANGE:
            if type(value) is not slice:
                return False
            if not fits(inner, (value.start, value.stop, value.step), segment, found, numbers):
                return False
        elif what.object() is not value or (what.state is not None and what.state != _state(value)):
            return False
    return True


def _seen(segment: Segment, index: int, found: list[Tensor]) -> Tensor:
    known = segment.outside
    return known[index] if index < len(known) else found[index - len(known)]


def is_same(value: Any, want: Any) -> bool:
    """Whether they are one constant."""
    if type(value) is not type(want) or value != want:
        return False
    return not (value == 0 and isinstance(value, float)) or str(value) == str(want)  # 0.0 is not -0.0


def _is_like(want: Outside, value: Any, segment: Segment, found: list[Tensor]) -> bool:
    if not isinstance(value, Tensor) or value._trace is segment:
        return False
    node = value._node
    storage = node.storage
    if node.op is not BUFFER or storage is None or value._requires_grad is not want.requires_grad:
        return False
    if storage is not want.storage():
        if node.shape != want.shape or node.dtype is not want.dtype or storage.size_bytes != want.size_bytes:
            return False
        if storage.placeholder or (value._session is not None and value._session is not segment.session):
            return False
    elif node.shape != want.shape or node.dtype is not want.dtype:
        return False
    ctx = value._ctx
    if node.offset != want.offset or (ctx is None) is not want.is_leaf or (ctx is not None and not ctx.is_spent):
        return False
    if any(value is t for t in found):
        return False
    found.append(value)
    return True


def filled(
    parts: tuple[Part, ...], slots: Callable[[int], Tensor], outside: Sequence[Tensor], numbers: Iterator[Any]
) -> list[Any]:
    """The values again, of tensors and numbers of another round."""
    return [_filled(part, slots, outside, numbers) for part in parts]


def _filled(part: Part, slots: Callable[[int], Tensor], outside: Sequence[Tensor], numbers: Iterator[Any]) -> Any:
    kind, what, inner = part
    if kind == SLOT:
        return slots(what)
    if kind == SEEN:
        return outside[what]
    if kind == NEW:
        return outside[what.place]
    if kind == SEQUENCE:
        return what(filled(inner, slots, outside, numbers))
    if kind == NUMBER:
        return next(numbers)
    if kind == RANGE:
        return slice(*filled(inner, slots, outside, numbers))
    return what.object() if kind == OBJECT else what


def slots_in(parts: tuple[Part, ...]) -> list[int]:
    """The results of the trace that are arguments."""
    found = []
    for kind, what, inner in parts:
        if kind == SLOT:
            found.append(what)
        elif kind in (SEQUENCE, RANGE):
            found += slots_in(inner)
    return found
