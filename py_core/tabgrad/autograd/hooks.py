"""Functions of a user's that are called with gradients while a backward pass runs.

A pass that calls one is executed as it is written: a loop's call of ``backward()`` is not recognised then, and a step
that is recorded depends on which functions its leaves have.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

from tabgrad.errors import ArgumentError, GradError, ShapeError
from tabgrad.names import public
from tabgrad.session import DEFAULT, Session, current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer
from tabgrad.watched import Watched

Hook = Callable[..., Any]


class HookList:
    """Functions in the order in which they were added."""

    __slots__ = ("__weakref__", "_found", "_next", "_told")

    def __init__(self, told: Callable[[], None] | None = None) -> None:
        self._found: dict[int, Hook] = {}
        self._next = 0
        self._told = told  # called after each change

    def __iter__(self) -> Any:
        return iter(list(self._found.values()))

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, hook: Hook) -> RemovableHandle:
        """One more, at the end.

        Raises:
            TypeError: it cannot be called.
        """
        if not callable(hook):
            raise TypeError(f"hook: expected a function, got {type(hook).__name__}")
        handle = RemovableHandle(self, self._next)
        self._found[self._next] = hook
        self._next += 1
        self._changed()
        return handle

    def remove(self, number: int) -> None:
        """That of a handle; nothing if it is not there any more."""
        if self._found.pop(number, None) is not None:
            self._changed()

    def _changed(self) -> None:
        if self._told is not None:
            self._told()


class RemovableHandle:
    """What takes a hook off again: :meth:`remove`, or the end of a ``with`` block."""

    def __init__(self, hooks: HookList, number: int) -> None:
        self._hooks = weakref.ref(hooks)
        self.id = number

    def remove(self) -> None:
        """Do not call the hook any more."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.remove(self.id)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class RecordHooks:
    """Of one record: on the tensor that it made, and on the record itself."""

    __slots__ = ("after", "before", "tensor")

    def __init__(self) -> None:
        self.tensor, self.before, self.after = HookList(), HookList(), HookList()


class LeafHooks:
    """Of one leaf: for its gradient, and for its ``.grad`` when that has been set."""

    __slots__ = ("_session", "accumulated", "tensor")

    def __init__(self, session: Session) -> None:
        self._session = session
        self.tensor, self.accumulated = HookList(self._changed), HookList(self._changed)

    def _changed(self) -> None:
        tracer = self._session.own(Tracer)
        tracer.happens_once("it changes the hooks of a leaf")
        tracer.forget()  # calls of backward() that are known know nothing of this hook
        DEFAULT.own(LeavesWithHooks).changed()

    def call_accumulated(self, leaf: Tensor) -> None:
        """After ``leaf.grad`` was set."""
        for hook in self.accumulated:
            called(hook, leaf)

    def all(self) -> tuple[Hook, ...]:
        """Both kinds."""
        return (*self.tensor, *self.accumulated)


class LeavesWithHooks(Watched):
    """Tells recordings that a leaf has been given a hook, or has lost one."""

    def __init__(self, _: Session) -> None:
        super().__init__()


@public(top=False, method=True, traced=False)
def register_hook(input: Tensor, hook: Any) -> Any:
    """Call ``hook(grad)`` whenever the gradient of this tensor is computed; it may return another gradient.

    Of several hooks each is given what the one before returned. In a plain loop they are called in each round; a
    step of ``tabgrad.compile`` records the tensor code in them, and refuses what looks at values.

    Raises:
        GradError: the tensor requires no gradient.
        TypeError: the hook cannot be called.
    """
    if not input.requires_grad:
        raise GradError(
            "register_hook: cannot register a hook on a tensor that doesn't require gradient; "
            "expected one with requires_grad=True"
        )
    if input._ctx is not None:
        return input._ctx._hooks().tensor.add(hook)
    return _of_leaf(input).tensor.add(hook)


@public(top=False, method=True, traced=False)
def register_post_accumulate_grad_hook(input: Tensor, hook: Any) -> Any:
    """Call ``hook(tensor)`` after each backward pass has set or changed ``tensor.grad``, of a leaf.

    Raises:
        GradError: the tensor requires no gradient, or is the result of an op.
        TypeError: the hook cannot be called.
    """
    if not input.requires_grad:
        raise GradError(
            "register_post_accumulate_grad_hook: cannot register a hook on a tensor that doesn't require gradient; "
            "expected one with requires_grad=True"
        )
    if input._ctx is not None:
        raise GradError(
            "register_post_accumulate_grad_hook: post accumulate grad hooks cannot be registered on non-leaf tensors; "
            "expected a leaf; use register_hook"
        )
    return _of_leaf(input).accumulated.add(hook)


def _of_leaf(tensor: Tensor) -> LeafHooks:
    recording = current().capturing()
    if recording is not None:
        raise NotImplementedError(
            f"register_hook: expected hooks of leaves to be registered outside of compiled steps, got one in "
            f"{recording.name!r}, which replays would not register again"
        )
    if tensor._hooks is None:
        tensor._hooks = LeafHooks(tensor._session or current())
    return tensor._hooks


# What a backward pass does with them


def note_leaves(leaves: Iterable[Tensor]) -> None:
    """A step that is being recorded goes back to these: it is recorded again once they have other hooks."""
    recording = current().capturing()
    if recording is not None:
        watched = DEFAULT.own(LeavesWithHooks)
        found = [t for t in leaves if not t._node.is_stand_in]
        key = id(watched), tuple(map(id, found))
        recording.late(watched, lambda: tuple([() if t._hooks is None else t._hooks.all() for t in found]), key)


def called(hook: Hook, *args: Any) -> Any:
    """What a hook returns; whoever recognises calls or records a step is told."""
    session = current()
    session.own(Tracer).happens_once("it calls a function of the user's")
    recording = session.capturing()
    if recording is not None:
        recording.state.meet(hook)
    return hook(*args)


def changed_by(hooks: Iterable[Hook], grad: Tensor) -> Tensor:
    """A gradient as the hooks of its tensor leave it.

    Raises:
        TypeError: one returns something else than a tensor.
        ShapeError: one returns a tensor of another shape.
    """
    for hook in hooks:
        found = called(hook, grad)
        if found is not None:
            grad = _checked(found, grad)
    return grad


def _checked(found: Any, grad: Tensor) -> Tensor:
    if not isinstance(found, Tensor):
        raise TypeError(f"hook: expected a tensor or None as the result, got {type(found).__name__}")
    if found.shape != grad.shape:
        raise ShapeError(f"hook: expected a gradient {list(grad.shape)}, as it was given, got {list(found.shape)}")
    return found if found.dtype is grad.dtype else found.to(grad.dtype)


def before_record(hooks: HookList, grad: Tensor) -> Tensor:
    """The gradient of a record's result as hooks on the record leave it."""
    for hook in hooks:
        found = called(hook, (grad,))
        if found is not None:
            (one,) = found if isinstance(found, tuple | list) else (found,)
            grad = _checked(one, grad)
    return grad


def after_record(hooks: HookList, pieces: tuple[Tensor | None, ...], grad: Tensor) -> tuple[Tensor | None, ...]:
    """The gradients of a record's arguments as hooks on the record leave them.

    Raises:
        ArgumentError: a hook returns another number of gradients.
    """
    for hook in hooks:
        found = called(hook, pieces, (grad,))
        if found is not None:
            found = tuple(found) if isinstance(found, tuple | list) else (found,)
            if len(found) != len(pieces):
                raise ArgumentError(f"hook: expected {len(pieces)} gradients of arguments, got {len(found)}")
            pieces = found
    return pieces


__all__ = [
    "Hook", "LeafHooks", "RecordHooks", "RemovableHandle", "after_record", "before_record", "called", "changed_by",
    "note_leaves",
]  # fmt: skip
