"""The state of modules: what is saved of them by name, and how it is loaded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tabgrad.autograd import no_grad
from tabgrad.errors import ArgumentError
from tabgrad.nn.hooks import HookTable, ModuleHooks, RemovableHandle
from tabgrad.nn.parameter import Parameter
from tabgrad.tensor import Tensor

if TYPE_CHECKING:
    from tabgrad.nn.module import Module

_EXTRA = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """What :meth:`Module.load_state_dict` did not load."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class StateDict(OrderedDict[str, Any]):
    """Tensors by dotted name; ``_metadata`` has the version of each module's entries."""

    _metadata: OrderedDict[str, dict[str, Any]]


class _Problems(list[str]):
    """What does not fit, in words; and the copies to make where all fits."""

    def __init__(self) -> None:
        super().__init__()
        self.copies: list[Callable[[], Any]] = []


class ModuleState:
    """What :class:`Module` offers about its state."""

    _version: int = 1
    """Of the form of the entries: a subclass that changes it reads older ones in ``_load_from_state_dict``."""
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent: set[str]
    _hooks: ModuleHooks | None
    _hook_tables: Callable[[], ModuleHooks]

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Parameters and persistent buffers by dotted name, under every name they have.

        Args:
            destination: a dict to add them to.
            prefix: put before each name.
            keep_vars: the tensors themselves, rather than detached.
        """
        if args:  # PyTorch's old form: destination, prefix, keep_vars
            old = [*args, *(destination, prefix, keep_vars)[len(args) :]]
            destination, prefix, keep_vars = old[0], old[1], old[2]
        if destination is None:
            destination = StateDict()
            destination._metadata = OrderedDict()
        local = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local
        hooks = self._hooks
        for hook in () if hooks is None else tuple(hooks.state_pre.values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook, may_replace in () if hooks is None else tuple(hooks.state_post.values()):
            replaced = hook(self, destination, prefix, local)
            if replaced is not None and not may_replace:
                raise RuntimeError("state_dict post-hook must return None")
            destination = destination if replaced is None else replaced
        return destination

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        """Add this module's own entries; subclasses may add others."""
        tables: tuple[dict[str, Any], ...] = (self._parameters, self._buffers)
        for table in tables:
            for name, entry in table.items():
                if entry is not None and not (table is self._buffers and name in self._non_persistent):
                    destination[prefix + name] = entry if keep_vars else entry.detach()
        if type(self).get_extra_state is not ModuleState.get_extra_state:
            destination[prefix + _EXTRA] = self.get_extra_state()

    def get_extra_state(self) -> Any:
        """What a subclass saves beside its tensors; called if it defines it."""
        raise RuntimeError("get_extra_state: expected a subclass that defines it")

    def set_extra_state(self, state: Any) -> None:
        """Take what :meth:`get_extra_state` gave; called if a state dict has it."""
        raise RuntimeError("set_extra_state: expected a subclass that defines it")

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy parameters and buffers from ``state_dict``; either all that fit, or, on error, none.

        Args:
            strict: every name must be on both sides. ``False`` loads the names that both have.
            assign: the tensors of ``state_dict`` take the places of the module's, rather than their values.

        Raises:
            RuntimeError: names or shapes differ; lists every one of them.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"load_state_dict: expected a dict from names to tensors, as state_dict() is, got "
                f"{type(state_dict).__name__}"
            )
        missing: list[str] = []
        unexpected: list[str] = []
        problems = _Problems()
        state = OrderedDict(state_dict)
        metadata = getattr(state_dict, "_metadata", None)
        after: list[tuple[Any, Callable[..., Any]]] = []

        def load(module: Any, entries: dict[str, Any], prefix: str) -> None:
            local = {} if metadata is None else dict(metadata.get(prefix[:-1], {}))
            if assign:
                local["assign_to_params_buffers"] = True
            module._load_from_state_dict(entries, prefix, local, True, missing, unexpected, problems)
            for name, child in module._modules.items():
                if child is not None:
                    inner = f"{prefix}{name}."
                    load(child, {k: v for k, v in entries.items() if k.startswith(inner)}, inner)
            if module._hooks is not None:
                after.extend((module, hook) for hook in module._hooks.load_post.values())

        load(self, state, "")
        keys = IncompatibleKeys(missing, unexpected)

        def copy() -> None:
            with no_grad():
                for one in problems.copies:
                    one()

        if after and not problems:  # these may look at what was loaded, and decide which names count
            copy()
        for module, hook in after:
            if hook(module, keys) is not None:
                raise RuntimeError(
                    "load_state_dict: expected hooks that return None; change incompatible_keys in place"
                )
        told = [*problems]
        if strict and unexpected:
            told.insert(0, "Unexpected key(s) in state_dict: " + ", ".join(f'"{n}"' for n in unexpected) + ".")
        if strict and missing:
            told.insert(0, "Missing key(s) in state_dict: " + ", ".join(f'"{n}"' for n in missing) + ".")
        if told:
            lines = "".join(f"\n\t{problem}" for problem in told)
            raise ArgumentError(f"Error(s) in loading state_dict for {type(self).__name__}:{lines}")
        if not after:
            copy()
        return keys

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load this module's own entries; a subclass that reads an older form changes ``state_dict`` before.

        What does not fit is added to the three lists. Values are copied when all modules have been looked at.
        """
        if self._hooks is not None:
            for hook in tuple(self._hooks.load_pre.values()):
                hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own: dict[str, Any] = {**self._parameters}
        own.update((n, b) for n, b in self._buffers.items() if n not in self._non_persistent)
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, entry in own.items():
            if entry is None:
                continue
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            value = state_dict[key]
            if not isinstance(value, Tensor):
                error_msgs.append(
                    f'"{key}": expected a Tensor, got {type(value).__name__}; pass tabgrad.tensor(value).'
                )
            elif tuple(value.shape) != tuple(entry.shape):
                error_msgs.append(
                    f"size mismatch for {key}: copying a param with shape {list(value.shape)} from checkpoint, "
                    f"the shape in current model is {list(entry.shape)}."
                )
            else:
                _later(error_msgs, _taking(self, name, entry, value, assign))
        extra = prefix + _EXTRA
        if type(self).set_extra_state is not ModuleState.set_extra_state:
            if extra in state_dict:
                given = state_dict[extra]
                _later(error_msgs, lambda: self.set_extra_state(given))
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        for key in state_dict if strict else ():
            if key.startswith(prefix) and key != extra:
                name, dot, _ = key[len(prefix) :].partition(".")
                if (self._modules.get(name) is None if dot else True) and (dot or own.get(name) is None):
                    unexpected_keys.append(key)

    # Hooks

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before the module's entries are saved."""
        return self._hook_tables().add(HookTable.STATE_PRE, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after them; it changes ``state_dict`` in place."""
        return self._hook_tables().add(HookTable.STATE_POST, (hook, False))

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """As :meth:`register_state_dict_post_hook`, of a hook that may return another dict."""
        return self._hook_tables().add(HookTable.STATE_POST, (hook, True))

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., Any], with_module: bool = False) -> Any:
        bound = (lambda *args: hook(self, *args)) if with_module else hook
        return self._hook_tables().add(HookTable.LOAD_PRE, bound)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``
        before the module's entries are loaded; it may change ``state_dict``."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading; it may take names out of the two lists."""
        return self._hook_tables().add(HookTable.LOAD_POST, hook)


def _later(error_msgs: list[str], action: Callable[[], Any]) -> None:
    """When all modules have been looked at; at once where the list is a caller's own."""
    if isinstance(error_msgs, _Problems):
        error_msgs.copies.append(action)
    else:
        with no_grad():
            action()


def _taking(module: Any, name: str, entry: Tensor, value: Tensor, assign: bool) -> Callable[[], Any]:
    if not assign:
        return lambda: entry.copy_(value)
    if isinstance(entry, Parameter) and not isinstance(value, Parameter):
        return lambda: setattr(module, name, Parameter(value, entry.requires_grad))
    return lambda: setattr(module, name, value)


__all__ = ["IncompatibleKeys", "ModuleState", "StateDict"]
