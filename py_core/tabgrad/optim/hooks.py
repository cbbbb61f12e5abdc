"""Functions that an optimizer calls before and after its steps, and around its state dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Hooks = dict[int, Callable[..., Any]]


class HookHandle:
    """What removes a hook; as a context manager, when its block ends.

    Args:
        listed: of all hooks around steps, which recordings look at.
    """

    def __init__(
        self, hooks: Hooks, hook: Callable[..., Any], *, prepend: bool = False, listed: list[Any] | None = None
    ) -> None:
        self._listed, self._hook = [] if listed is None else listed, hook
        self._listed.append(hook)
        self.id = max(hooks, default=-1) + 1
        self._hooks = hooks
        before = dict(hooks) if prepend else {}
        if prepend:
            hooks.clear()
        hooks[self.id] = hook
        hooks.update(before)

    def remove(self) -> None:
        """Call the hook no more."""
        if self._hooks.pop(self.id, None) is not None:
            self._listed.remove(self._hook)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class OptimizerHooks:
    """An optimizer's, by the place where they are called."""

    def __init__(self) -> None:
        self.around_steps: list[Callable[..., Any]] = []
        self.before_step: Hooks = {}
        self.after_step: Hooks = {}
        self.before_saving: Hooks = {}
        self.after_saving: Hooks = {}
        self.before_loading: Hooks = {}
        self.after_loading: Hooks = {}

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
    def replaced(hooks: Hooks, optimizer: Any, state: Any) -> Any:
        """A state dict, or what hooks return in its place."""
        for hook in list(hooks.values()):
            given = hook(optimizer, state)
            state = state if given is None else given
        return state


__all__ = ["HookHandle", "OptimizerHooks"]
