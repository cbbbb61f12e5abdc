"""Elements by their places in memory: ``as_strided``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.autograd import apply
from tabgrad.errors import ArgumentError, GradError, ShapeError
from tabgrad.graph.index import Coords, Index, constant
from tabgrad.graph.op import Attrs, Reader, Text, View
from tabgrad.memory import Lineage
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.indexing import index_select, last_named, rows_added
from tabgrad.ops.movement import broadcast_to, ints_of, permute, reshape, view_op
from tabgrad.tensor import Tensor

# as_strided: x [n] -> shape; attrs shape, steps, start


def _read(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    place: Index = constant(attrs["start"])
    for step, d in zip(attrs["steps"], at.dims(reader.bind), strict=True):
        place = place + d.scaled(step)
    return reader.value(0, Coords(reader.shapes[0], [place]))


def _places(attrs: Attrs) -> Tensor:
    """Where each element lies, ``[elements]``."""
    shape, steps = attrs["shape"], attrs["steps"]
    at = broadcast_to(ew.iota((1,), 0) + attrs["start"], shape or (1,))
    for d, step in enumerate(steps):
        at = at + ew.iota(shape, d) * step
    return reshape(at, -1)


def _reference(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    place = np.full(attrs["shape"], attrs["start"])
    for d, step in enumerate(attrs["steps"]):
        place = place + step * np.arange(attrs["shape"][d]).reshape((-1,) + (1,) * (len(attrs["shape"]) - d - 1))
    return x[place]


def _grad(g: Tensor, out: Tensor, x: Tensor, **attrs: Any) -> tuple[Tensor]:
    return (rows_added(reshape(g, -1), _places(attrs), 0, x.shape[0]),)


def _put(attrs: Attrs, whole: Tensor, part: Tensor) -> Tensor:
    places = _reference(attrs, np.arange(whole.shape[0]))
    if len(np.unique(places)) < places.size:
        raise RuntimeError(
            f"in-place op: expected a tensor each of whose elements has memory of its own, got one of as_strided() "
            f"with shape {list(attrs['shape'])} and strides {list(attrs['steps'])}; change a clone() of it"
        )
    return _placed(attrs, whole, part)


def _placed(attrs: Attrs, whole: Tensor, part: Tensor) -> Tensor:
    last = last_named(_places(attrs), whole.shape[0])
    return ew.where(ew.ge(last, 0), index_select(reshape(part, -1), 0, ew.maximum(last, 0)), whole)


AS_STRIDED = view_op(
    "as_strided",
    View(
        read=_read,
        moves_one=True,
        follows=None,
        strides=lambda attrs, shape, steps: tuple(step * steps[0] for step in attrs["steps"]),
        put=_put,
    ),
    lambda attrs, _: attrs["shape"],
    _reference,
    _grad,
)


def _memory_order(x: Tensor) -> tuple[int, ...]:
    steps = x.stride()
    return tuple(sorted(range(x.ndim), key=lambda d: (-steps[d], d)))


def _is_dense(x: Tensor) -> bool:
    """Whether its elements lie side by side, in whichever order of dimensions."""
    return permute(x, _memory_order(x)).is_contiguous()


def _line(caller: str, x: Tensor) -> tuple[Tensor, tuple[int, ...]]:
    """The elements in the order of memory, as a view of ``x``; and the order of dimensions in which they lie so.

    Raises:
        NotImplementedError: there are gaps between them.
    """
    order = _memory_order(x)
    ordered = permute(x, order)
    if not ordered.is_contiguous():
        raise NotImplementedError(
            f"{caller}: expected a tensor that has all elements of its memory side by side, got {list(x.shape)} with "
            f"strides {list(x.stride())}; use contiguous() first, or slices and expand()"
        )
    return reshape(ordered, (x.numel(),)), order


def _offset(x: Tensor) -> int:
    """Elements of memory before the first one that a tensor shows."""
    if not x._path or x._memory is None or not x.numel():
        return 0
    places = np.arange(x._memory.node.size).reshape(x._memory.node.shape)
    for op, attrs in x._path:
        assert op.reference is not None
        places = op.reference(attrs, places)
    return int(places.min())


def _attrs(caller: str, x: Tensor, size: Any, stride: Any, storage_offset: int | None) -> dict[str, Any]:
    """Places relative to the first element that the tensor shows."""
    shape, steps = ints_of((size,)), ints_of((stride,))
    start = 0 if storage_offset is None else storage_offset - _offset(x)
    if len(shape) != len(steps) or min((*shape, *steps, storage_offset or 0), default=0) < 0:
        raise ShapeError(f"{caller}: expected one stride for each size, none below 0, got {list(shape)}, {list(steps)}")
    return {"shape": shape, "steps": steps, "start": start}


def _last(attrs: dict[str, Any]) -> int:
    return attrs["start"] + sum((n - 1) * step for n, step in zip(attrs["shape"], attrs["steps"], strict=True))


def _is_inside(attrs: dict[str, Any], size: int) -> bool:
    return 0 in attrs["shape"] or (attrs["start"] >= 0 and _last(attrs) < size)


def _within(caller: str, attrs: dict[str, Any], size: int, whole: str) -> None:
    """Raise unless all places are of ``size`` elements."""
    if not _is_inside(attrs, size):
        raise ArgumentError(
            f"{caller}: expected places among the {size} elements {whole}, got {attrs['start']} to {_last(attrs)}"
        )


def _all_of_memory(x: Tensor) -> Tensor:
    """A line of all elements of the memory that a tensor shows a part of; recorded by itself."""
    memory = x._memory
    assert memory is not None
    whole = Tensor._from_node(memory.node, x._session)
    whole._memory, whole._lineage = memory, Lineage(whole)
    memory.join(whole)
    return reshape(whole, (memory.node.size,))


@public(top=False, method=True)
def storage_offset(input: Tensor) -> int:
    """How many elements of memory lie before the first one that the tensor shows."""
    return _offset(input)


@public(method=True)
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """The element ``storage_offset + i * stride[0] + j * stride[1] + ...`` of memory at ``[i, j, ...]``. A view.

    Without ``storage_offset`` memory begins with the tensor's own first element.

    Raises:
        ArgumentError: places lie outside of memory.
        GradError: of a tensor that requires grad, they lie outside of what it shows, or that has gaps in memory.
        ShapeError: there are not as many strides as sizes, or one is negative.
    """
    attrs = _attrs("as_strided", input, size, stride, storage_offset)
    if input._memory is None or not input._path or (_is_inside(attrs, input.numel()) and _is_dense(input)):
        _within("as_strided", attrs, input.numel(), "of memory")
        line, _ = _line("as_strided", input)
    else:
        if input.requires_grad:
            raise GradError(
                "as_strided: expected places among those that the tensor shows, side by side, as it requires grad, "
                f"got {attrs['start']} to {_last(attrs)} of a part of memory; detach() it, or begin with the whole"
            )
        line, attrs["start"] = _all_of_memory(input), attrs["start"] + _offset(input)
        _within("as_strided", attrs, line.numel(), "of memory")
    if 0 in attrs["shape"]:
        return reshape(line[:0], attrs["shape"])
    return apply(AS_STRIDED, line, **attrs)


@public(method=True)
def as_strided_scatter(input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A copy with ``src`` in place of what :func:`as_strided` shows; the last of several values counts.

    Raises:
        ShapeError: ``src`` is not of the shape ``size``.
    """
    attrs = _attrs("as_strided_scatter", input, size, stride, storage_offset)
    _within("as_strided_scatter", attrs, input.numel(), "that the tensor shows")
    if src.shape != attrs["shape"]:
        raise ShapeError(f"as_strided_scatter: expected src {list(attrs['shape'])}, got {list(src.shape)}")
    if not src.numel():
        return clone(input)
    line, order = _line("as_strided_scatter", input)
    placed = reshape(_placed(attrs, line, ew.cast(src, input.dtype)), tuple(input.shape[d] for d in order))
    return permute(placed, tuple(int(d) for d in np.argsort(order)))
