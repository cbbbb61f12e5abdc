"""Functions that an optimizer calls before and after its steps, and around its state dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class HookHandle:
    """What removes a hook; as a context manager, when its block ends."""

    def __init__(
        self, hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any], *, prepend: bool = False
    ) -> None:
        self.id = max(hooks, default=-1) + 1
        self._hooks = hooks
        before = dict(hooks) if prepend else {}
        if prepend:
            hooks.clear()
        hooks[self.id] = hook
        hooks.update(before)

    def remove(self) -> None:
        """Call the hook no more."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class OptimizerHooks:
    """An optimizer's, by the place where they are called."""

    def __init__(self) -> None:
        self.before_step: dict[int, Callable[..., Any]] = {}
        self.after_step: dict[int, Callable[..., Any]] = {}
        self.before_saving: dict[int, Callable[..., Any]] = {}
        self.after_saving: dict[int, Callable[..., Any]] = {}
        self.before_loading: dict[int, Callable[..., Any]] = {}
        self.after_loading: dict[int, Callable[..., Any]] = {}

    def step(self, optimizer: Any, step: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call ``step``, and the hooks around it.

        Raises:
            RuntimeError: one of those before returns something else than None or new arguments.
        """
        for hook in list(self.before_step.values()):
            given = hook(optimizer, args, kwargs)
            if given is not None:
                if not isinstance(given, tuple) or len(given) != 2:
                    raise RuntimeError(
                        f"register_step_pre_hook: expected a hook that returns None or (args, kwargs), got {given!r}"
                    )
                args, kwargs = given
        result = step(*args, **kwargs)
        for hook in list(self.after_step.values()):
            hook(optimizer, args, kwargs)
        return result

    @staticmethod
    def replaced(hooks: dict[int, Callable[..., Any]], optimizer: Any, state: Any) -> Any:
        """A state dict, or what hooks return in its place."""
        for hook in list(hooks.values()):
            given = hook(optimizer, state)
            state = state if given is None else given
        return state


__all__ = ["HookHandle", "OptimizerHooks"]
