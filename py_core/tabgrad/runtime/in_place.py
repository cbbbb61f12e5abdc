"""The methods that change a tensor in place; gradients flow through them as through other ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad.dtypes import DType
from tabgrad.errors import DTypeError, GradError, ShapeError
from tabgrad.grad_mode import is_recording, no_grad
from tabgrad.memory import Lineage
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor
from tabgrad.ops.arithmetic import add, div, sub
from tabgrad.ops.chosen import chosen, items_of, mask_of
from tabgrad.ops.comparison import where
from tabgrad.ops.creation import full
from tabgrad.ops.indexing import getitem, last_named, rows_named
from tabgrad.ops.masked import written
from tabgrad.ops.movement import RESHAPE, broadcast_to
from tabgrad.runtime.writes import assign
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer


@public(top=False, method=True)
def copy_(input: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """Overwrite the value with ``other``, broadcast to this shape and cast to this dtype.

    Args:
        non_blocking: changes nothing, as nothing waits.

    Raises:
        GradError: the tensor is a leaf that requires grad, or a view of one; change it under ``no_grad()``.
        RuntimeError: the tensor is expanded, so that several of its elements are one in memory.
    """
    if isinstance(other, Tensor):
        return _overwrite(input, other, fresh=False)
    return _overwrite(input, Tensor._of(other))


def _overwrite(target: Tensor, source: Tensor, *, fresh: bool = True) -> Tensor:
    """Take a tensor's values; a ``fresh`` one has no other owner."""
    value = broadcast_to(source.to(target.dtype), target.shape)
    assign(target, value, fresh=fresh or value is not source)
    return target


@public(top=False, method=True, also=("__iadd__",))
def add_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """``input += alpha * other``, in place."""
    return in_place(input, lambda x: add(x, other, alpha=alpha))


@public(top=False, method=True, also=("__isub__",), aliases=("subtract_",))
def sub_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """``input -= alpha * other``, in place."""
    return in_place(input, lambda x: sub(x, other, alpha=alpha))


@public(top=False, method=True, also=("__imul__",), aliases=("multiply_",))
def mul_(input: Tensor, other: Any) -> Tensor:
    """``input *= other``, in place."""
    return in_place(input, lambda x: x * other)


@public(top=False, method=True, also=("__itruediv__",), aliases=("divide_", "true_divide_"))
def div_(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """``input /= other``, in place."""
    return in_place(input, lambda x: div(x, other, rounding_mode=rounding_mode))


@public(method=True)
def zero_(input: Tensor) -> Tensor:
    """Set every element to 0, in place."""
    return fill_(input, 0)


@public(method=True)
def fill_(input: Tensor, value: Any) -> Tensor:
    """Set every element to ``value``, a number or a 0-d tensor, in place."""
    if isinstance(value, Tensor):
        if value.ndim:
            raise ShapeError(f"fill_: expected a number or a 0-d tensor, got shape {list(value.shape)}; use copy_")
        return copy_(input, value)
    return in_place(input, lambda x: full(x.shape, value, dtype=x.dtype))


def in_place(target: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
    """Let a tensor have the value, of any dtype that fits its own, which ``change`` makes of what it has now."""
    before = target._at_present()
    value = change(before)
    if value is before:
        return target
    if value.dtype.category > target.dtype.category:
        raise DTypeError(
            f"in-place op: expected a result that fits {target.dtype.name}, got {value.dtype.name}; "
            f"use the out-of-place form, or convert first"
        )
    return _overwrite(target, value)


@public(top=False, operator="setitem")
def setitem(input: Tensor, index: Any, value: Any) -> None:
    """``input[index] = value``, for all indices of :func:`tabgrad.ops.getitem`, and for one bool mask.

    ``value`` is broadcast and cast. Where index tensors name an element twice, the last value counts. A mask takes one
    value, or one for each of its places, in row-major order; another number of values raises where the mask lies on the
    host, and cannot on a device: every place then holds NaN (of integers the lowest number, of unsigned ones the
    highest).

    Raises:
        GradError: the tensor is a leaf that requires grad, or a view of one; change it under ``no_grad()``.
        IndexError: an index on the host is out of range.
        NotImplementedError: a mask beside index tensors while a step is recorded; elsewhere its places are read back.
        ShapeError: the mask is not of the tensor's shape, or the values do not broadcast to what is chosen.
    """
    source = value if isinstance(value, Tensor) else _source(value, input.dtype)
    items = items_of(index)
    masks = [n for n, item in enumerate(items) if mask_of(item) is not None]
    if masks and _stands_alone(items, masks[0]):
        _set_masked(input, items, masks[0], source)
        return
    found = chosen(input, index)
    if found.dims:
        lined = found.lined(found.view._at_present())
        values = broadcast_to(source.to(input.dtype), found.shape(lined))
        if not values.numel():
            return
        _overwrite(found.view, found.unlined(scattered(lined, found.dim, found.place(), values)))
    elif not _is_same(found.view, source):  # as after ``x[i] += 1``, which has changed it
        copy_(found.view, source)


def _stands_alone(items: list[Any], at: int) -> bool:
    """Whether what is written is known without reading the mask: no index tensors beside it, and its place is clear."""
    mask, others = mask_of(items[at]), [item for n, item in enumerate(items) if n != at]
    assert mask is not None
    arrays = any(isinstance(item, Tensor | np.ndarray | list | bool | np.bool_) for item in others)
    return mask.ndim > 0 and not arrays and not any(item is Ellipsis for item in items[:at])


def _set_masked(input: Tensor, items: list[Any], at: int, source: Tensor) -> None:
    before, given, after = items[:at], items[at], items[at + 1 :]
    mask = mask_of(given)
    assert mask is not None
    target = getitem(input, (*before, *[slice(None)] * mask.ndim, *after))
    dim = sum(not isinstance(item, int | np.integer) for item in before)
    _overwrite(target, written(target._at_present(), dim, mask, source.to(target.dtype)))


def _source(value: Any, dtype: DType) -> Tensor:
    return as_tensor(value, dtype) if isinstance(value, bool | int | float) else Tensor._of(value)


def _is_same(target: Tensor, source: Tensor) -> bool:
    """Whether they show the same elements of the same memory."""
    if target is source:
        return True
    if target._memory is None or target._memory is not source._memory or target.shape != source.shape:
        return False
    path = source._path
    if len(path) == len(target._path) + 1 and path[-1][0] is RESHAPE:  # ``x[:]``, which is another ``x``
        path = path[:-1]
    return target._path == path


def scattered(target: Tensor, dim: int, index: Tensor, values: Tensor) -> Tensor:
    """``values`` at the rows along ``dim`` that the index names."""
    n, rows = target.shape[dim], index.reshape(-1)
    values = values.reshape((*target.shape[:dim], rows.shape[0], *target.shape[dim + 1 :]))
    last = last_named(rows, n)
    found = rows_named(values, dim, last.clamp(0))
    named = (last >= 0).reshape((1,) * dim + (n,) + (1,) * (target.ndim - dim - 1))
    return where(named, found, target)


@public(top=False, method=True)
def set_(input: Tensor, source: Tensor) -> Tensor:
    """Show the memory of ``source`` from now on; what ``input.data = source`` does.

    A parameter that an optimizer holds keeps its memory, and takes the values.

    Raises:
        DTypeError: the dtypes differ, unless both are floating-point and no optimizer holds the parameter.
        ShapeError: an optimizer holds the parameter, and the shapes differ.
        NotImplementedError: a step is being recorded.
    """
    if not isinstance(source, Tensor):
        raise TypeError(f"data: expected a Tensor, got {type(source).__name__}")
    storage = input._node.storage
    held = storage is not None and storage.shared
    floats = source.dtype.is_floating_point and input.dtype.is_floating_point
    if source.dtype is not input.dtype and (held or not floats):
        remedy = "change the dtype before the optimizer's first step" if held and floats else "convert it first"
        raise DTypeError(f"data: expected a tensor of {input.dtype.name}, got {source.dtype.name}; {remedy}")
    if current().capturing() is not None:
        raise NotImplementedError("data: setting it inside tabgrad.compile is not supported; use copy_")
    current().own(Tracer).happens_once("it moves a tensor to other memory")
    if held:
        if source.shape != input.shape:
            raise ShapeError(
                f"data: expected shape {list(input.shape)}, as an optimizer holds the parameter, got "
                f"{list(source.shape)}; set it before the optimizer's first step"
            )
        with no_grad():
            taken = source.detach().clone().realize() if _shows_same(input, source) else source.detach()
            _leave_held(input)
            copy_(input, taken)
        _join_held(input, source)
        return input
    if storage is not None:
        storage.left = True  # recorded steps over it are recorded again
        (input._session or current()).moves += 1
    if input._memory is not None:
        input._memory.leave(input)
    input._share(source)
    input._node, input._session = source._node, source._session
    input._shape, input._dtype = source._shape, source._dtype
    input._version += 1
    input._watch()
    return input


def _shows_same(input: Tensor, source: Tensor) -> bool:
    """Whether two tensors show the same memory."""
    return input._memory is not None and input._memory is source._memory


def _leave_held(input: Tensor) -> None:
    """Other tensors that show a parameter's memory, which stays its optimizer's, keep their values in other memory."""
    memory = input._memory
    others = [] if memory is None else [t for t in memory.members() if t is not input]
    if memory is None or not others:
        return
    kept = Tensor._from_node(memory.node, input._session).clone().realize()._own()
    for other in others:
        memory.leave(other)
        other._memory = kept
        other._lineage = Lineage(other)
        kept.join(other)
    kept.set(kept.node)


def _join_held(input: Tensor, source: Tensor) -> None:
    """A tensor whose values a parameter took shows the parameter's memory from now on, as it does in PyTorch."""
    storage = source._node.storage
    if source is input or source._path or (storage is not None and storage.shared):
        return
    for tensor in [source] if source._memory is None else source._memory.members():
        if tensor._path or tensor._ctx is not None:
            continue
        if tensor._memory is not None:
            tensor._memory.leave(tensor)
        tensor._share(input)
        tensor._node, tensor._session = input._node, input._session


def show_as(input: Tensor, view: Callable[[Tensor], Tensor]) -> Tensor:
    """Let a tensor show what a view of it does from now on; gradients flow through the view.

    Raises:
        GradError: the tensor is a leaf that requires grad.
        NotImplementedError: a step is being recorded, or an optimizer holds the tensor.
    """
    if input.requires_grad and input._ctx is None and is_recording():
        raise GradError(
            "in-place view: expected no leaf that requires grad, got one; use the out-of-place form, or no_grad()"
        )
    storage = input._node.storage
    if current().capturing() is not None or (storage is not None and storage.shared):
        raise NotImplementedError(
            "in-place view: changing a tensor's shape is not supported inside tabgrad.compile, nor where an optimizer "
            "holds the tensor; use the out-of-place form"
        )
    current().own(Tracer).happens_once("it gives a tensor another shape")
    before = input._at_present()
    before._memory, before._path, before._lineage = input._own(), input._path, input._lineage
    found = view(before)
    if found is before or (found.shape == input.shape and found._path == input._path):
        return input
    if found._memory is None:
        raise ShapeError("in-place view: expected a view that strides show, got one that copies; use reshape")
    input._node, input._shape, input._path = found._node, found._shape, found._path
    if found._ctx is not None:
        found._ctx.give_to(input)
    input._version += 1
    input._watch()
    return input
