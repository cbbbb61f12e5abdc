"""The tree that modules form: walking it, and what lies at a dotted name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tabgrad.errors import ArgumentError
from tabgrad.nn.parameter import Parameter
from tabgrad.runtime.dependencies import guarded_late
from tabgrad.tensor import Tensor
from tabgrad.watched import Watched

if TYPE_CHECKING:
    from tabgrad.nn.module import Module


class ModuleTree:
    """What :class:`Module` offers about the modules, parameters and buffers below it."""

    _watched: Watched
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it, with dotted names; each once, unless ``remove_duplicate`` is False."""
        memo = set() if memo is None else memo
        this: Any = self
        if this not in memo:
            if remove_duplicate:
                memo.add(this)
            self._table_is_read("_modules")
            yield prefix, this
            for name, module in self._modules.items():
                if module is not None:
                    yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all below it, each once, unless ``remove_duplicate`` is False."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below, each once."""
        seen: set[Module] = set()
        self._table_is_read("_modules")
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly below, each once."""
        return (module for _, module in self.named_children())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Parameters with dotted names, each once: one that is shared has its first name."""
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Parameters, each once: what an optimizer is given."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Buffers with dotted names, each once."""
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Buffers, each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named(self, table: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()  # by identity, because == on tensors is elementwise
        found: Any = [(prefix, self)]
        for path, module in self.named_modules(None, prefix, remove_duplicate) if recurse else found:
            module._table_is_read(table)
            for name, entry in getattr(module, table).items():
                if entry is not None and not (remove_duplicate and id(entry) in seen):
                    seen.add(id(entry))
                    yield (f"{path}.{name}" if path else name), entry

    def _table_is_read(self, table: str) -> None:
        """All that it holds; a recorded step looks again after a change."""
        entries: dict[str, Any] = self.__dict__[table]
        guarded_late(self._watched, table, lambda: tuple(entries.items()))

    def _leaves(self) -> Iterator[Tensor]:
        for parameter in self._parameters.values():
            if parameter is not None:
                yield parameter
        for module in self._modules.values():
            if module is not None:
                yield from module._leaves()

    def get_submodule(self, target: str) -> Module:
        """The module at a dotted name; ``""`` is this one.

        Raises:
            AttributeError: there is none.
        """
        module: Any = self
        for name in target.split(".") if target else []:
            child = module._modules.get(name)
            if child is None:
                raise AttributeError(f"{type(module).__name__} has no submodule {name!r} (of {target!r})")
            module = child
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a dotted name.

        Args:
            strict: whether one must be there already.

        Raises:
            AttributeError: the module above it is not there, or, if ``strict``, the one to replace.
        """
        if not target:
            raise ArgumentError("set_submodule: expected a dotted name below this module, got ''")
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        known = owner._modules.get(name)
        if known is None and (strict or hasattr(owner, name)):
            raise AttributeError(f"{type(owner).__name__} has no submodule {name!r} (of {target!r})")
        if not isinstance(module, ModuleTree):
            raise ArgumentError(f"set_submodule: expected a Module, got {type(module).__name__}")
        setattr(owner, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted name.

        Raises:
            AttributeError: there is none.
        """
        return self._entry_at("_parameters", "parameter", target)

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted name.

        Raises:
            AttributeError: there is none.
        """
        return self._entry_at("_buffers", "buffer", target)

    def _entry_at(self, table: str, kind: str, target: str) -> Any:
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if getattr(owner, table).get(name) is None:
            raise AttributeError(f"{type(owner).__name__} has no {kind} {name!r} (of {target!r})")
        return getattr(owner, name)


__all__ = ["ModuleTree"]
