"""Registering the hooks of a module's calls."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from tabgrad.nn.hooks import HookTable, ModuleHooks, RemovableHandle
from tabgrad.watched import Watched


class HookedModule:
    """What :class:`Module` offers about hooks of calls."""

    _watched: Watched
    _hooks: ModuleHooks | None = None

    def _hook_tables(self) -> ModuleHooks:
        if self._hooks is None:
            object.__setattr__(self, "_hooks", ModuleHooks(self._watched))
            self._watched.changed()
        assert self._hooks is not None
        return self._hooks

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before ``forward``; what it returns, if not None, takes the place of ``args``.

        Args:
            prepend: before the hooks that are there, rather than after them.
            with_kwargs: it is ``hook(module, args, kwargs)``, and returns None or both.
        """
        return self._hook_tables().add(HookTable.FORWARD_PRE, (hook, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after ``forward``; what it returns, if not None, is the output.

        Args:
            prepend: before the hooks that are there, rather than after them.
            with_kwargs: it is ``hook(module, args, kwargs, output)``.
            always_call: also if the call raises.
        """
        return self._hook_tables().add(HookTable.FORWARD, (hook, with_kwargs, always_call), prepend)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the gradients of the outputs are known; it may return others."""
        return self._hook_tables().add(HookTable.BACKWARD_PRE, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are known.

        It may return others in place of ``grad_input``. Steps with such hooks cannot be compiled.
        """
        return self._hook_tables().add(HookTable.BACKWARD, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """PyTorch's old form, whose gradients are those of the module's last op.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("register_backward_hook is not supported; use register_full_backward_hook")

    def _gradient_watch(self) -> Any:
        return import_module("tabgrad.nn.backward_hooks").GradientWatch(self)


__all__ = ["HookedModule"]
