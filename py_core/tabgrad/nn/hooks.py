"""Functions that a module calls beside its own: around ``forward``, in the backward pass, when it is saved."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from tabgrad.runtime.dependencies import guarded_late
from tabgrad.watched import Watched


class HookTable(Enum):
    """When hooks are called."""

    FORWARD_PRE = "forward_pre"
    FORWARD = "forward"
    BACKWARD_PRE = "backward_pre"
    BACKWARD = "backward"
    STATE_PRE = "state_pre"
    STATE_POST = "state_post"
    LOAD_PRE = "load_pre"
    LOAD_POST = "load_post"


class RemovableHandle:
    """What registering a hook returns: :meth:`remove` takes the hook off; so does the end of a ``with`` block."""

    def __init__(self, hooks: ModuleHooks, table: dict[int, Any]) -> None:
        self.id = hooks.next_id()
        self._hooks, self._table = hooks, table

    def remove(self) -> None:
        """Take the hook off; a second call does nothing."""
        if self._table.pop(self.id, None) is not None:
            self._hooks.changed()

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class ModuleHooks:
    """Of one module; it has none of these until its first hook is registered."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._last = 0
        self.forward_pre: dict[int, tuple[Callable[..., Any], bool]] = {}
        self.forward: dict[int, tuple[Callable[..., Any], bool, bool]] = {}
        self.backward_pre: dict[int, Callable[..., Any]] = {}
        self.backward: dict[int, Callable[..., Any]] = {}
        self.state_pre: dict[int, Callable[..., Any]] = {}
        self.state_post: dict[int, tuple[Callable[..., Any], bool]] = {}
        self.load_pre: dict[int, Callable[..., Any]] = {}
        self.load_post: dict[int, Callable[..., Any]] = {}

    def next_id(self) -> int:
        """Of a hook."""
        self._last += 1
        return self._last

    def changed(self) -> None:
        """Steps that were recorded with the hooks of before are recorded again."""
        self._watched.changed()

    def add(self, which: HookTable, entry: Any, prepend: bool = False) -> RemovableHandle:
        """Register a hook; ``prepend`` puts it before those that are there."""
        table: dict[int, Any] = getattr(self, which.value)
        handle = RemovableHandle(self, table)
        others = dict(table) if prepend else {}
        if prepend:
            table.clear()
        table[handle.id] = entry
        table.update(others)
        self.changed()
        return handle

    def call(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``module.forward(*args, **kwargs)`` with the hooks around it."""
        pre, after, by_gradients, _ = guarded_late(self._watched, "hooks", self._of_calls)
        called: set[int] = set()
        result = None
        try:
            for hook, with_kwargs in pre:
                args, kwargs = _replaced(hook, with_kwargs, module, args, kwargs)
            watch = by_gradients and module._gradient_watch()
            if watch:
                args = watch.inputs(args)
            result = module.forward(*args, **kwargs)
            for n, (hook, with_kwargs, _) in enumerate(after):
                called.add(n)
                found = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
                result = result if found is None else found
            return watch.outputs(result) if watch else result
        except Exception:
            for n, (hook, with_kwargs, always) in enumerate(after):
                if always and n not in called:
                    found = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
                    result = result if found is None else found
            raise

    def _of_calls(self) -> tuple[Any, ...]:
        backward = tuple(self.backward.values())
        pre = tuple(self.backward_pre.values())
        return tuple(self.forward_pre.values()), tuple(self.forward.values()), bool(backward or pre), (pre, backward)


def _replaced(
    hook: Callable[..., Any], with_kwargs: bool, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, as a forward pre-hook leaves them."""
    if not with_kwargs:
        found = hook(module, args)
        return (args if found is None else found if isinstance(found, tuple) else (found,)), kwargs
    found = hook(module, args, kwargs)
    if found is None:
        return args, kwargs
    if not isinstance(found, tuple) or len(found) != 2:
        raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {found}.")
    return found


__all__ = ["HookTable", "ModuleHooks", "RemovableHandle"]
