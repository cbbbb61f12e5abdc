"""The base of all layers and models: a tree of modules that own parameters and buffers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from tabgrad.nn.module_hooks import HookedModule
from tabgrad.nn.module_moves import MovedModule
from tabgrad.nn.module_state import ModuleState
from tabgrad.nn.module_tree import ModuleTree
from tabgrad.nn.parameter import Buffer, Parameter
from tabgrad.runtime.compile_options import check_compile_options
from tabgrad.runtime.dependencies import guarded_late, used_entry
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.watched import Watched, WatchedAttributes


class Module(ModuleTree, ModuleState, HookedModule, MovedModule, WatchedAttributes):
    """Base of all layers and models, as ``torch.nn.Module``.

    Call ``super().__init__()`` first, assign parameters, buffers and submodules as attributes, and
    define ``forward``.
    """

    _training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent: set[str]
    _machinery = frozenset({"_training", "_watched", "_parameters", "_buffers", "_modules", "_non_persistent"})

    def __init__(self) -> None:
        # object.__setattr__, because ours looks these up
        object.__setattr__(self, "_training", True)
        object.__setattr__(self, "_watched", Watched())
        object.__setattr__(self, "_parameters", {})
        object.__setattr__(self, "_buffers", {})
        object.__setattr__(self, "_modules", {})
        object.__setattr__(self, "_non_persistent", set())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; every subclass defines it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        hooks = self._hooks
        return self.forward(*args, **kwargs) if hooks is None else hooks.call(self, args, kwargs)

    def compile(self, **options: Any) -> None:
        """As :func:`tabgrad.compile` of a module, in place: names of parameters stay as they are.

        Calls are recorded by themselves in loops that repeat, so that this checks the arguments only.
        """
        check_compile_options(**options)

    # Attributes that are parameters, buffers or modules live in the three tables.

    def __setattr__(self, name: str, value: Any) -> None:
        tables = self.__dict__.get("_parameters"), self.__dict__.get("_buffers"), self.__dict__.get("_modules")
        parameters, buffers, modules = tables
        if parameters is None or buffers is None or modules is None:
            if isinstance(value, (Tensor, Module)):
                raise AttributeError(
                    f"cannot assign {name!r} before Module.__init__() call; "
                    f"start {type(self).__name__}.__init__ with super().__init__()"
                )
            object.__setattr__(self, name, value)
        elif isinstance(value, Buffer) and name not in parameters and name not in modules:
            self._forget(name, buffers)
            self.register_buffer(name, value, value.persistent)
        elif isinstance(value, Parameter):
            self._watched.changed()
            self._forget(name, parameters)
            parameters[name] = value
        elif name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type(value).__name__}' as parameter {name!r} (nn.Parameter or None expected)"
                )
            self._watched.changed()
            parameters[name] = None
        elif isinstance(value, Module):
            self._watched.changed()
            self._forget(name, modules)
            modules[name] = value
        elif name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type(value).__name__}' as child module {name!r} (nn.Module or None expected)"
                )
            self._watched.changed()
            modules[name] = None
        elif name in buffers:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{type(value).__name__}' as buffer {name!r} (Tensor or None expected)")
            self._watched.changed()
            buffers[name] = value
        else:
            self._watched.changed()
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        for table in ("_parameters", "_buffers", "_modules"):
            entries = self.__dict__.get(table)
            if entries is not None and name in entries:
                used_entry(self, entries, name)
                return entries[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        self._watched.changed()
        if not self._forget(name):
            object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    def _forget(self, name: str, but: Mapping[str, Any] | None = None) -> bool:
        """Drop a name from all tables, except one in which its entry is to be replaced and keeps its place."""
        self._non_persistent.discard(name)
        found = False
        tables: tuple[dict[str, Any], ...] = (self.__dict__, self._parameters, self._buffers, self._modules)
        for table in tables:
            if table is not but and name in table:
                del table[name]
                found = True
        return found

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter; ``None`` keeps the name without one, as a layer without bias does."""
        self._check_name(name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type(param).__name__}' object to parameter {name!r} (nn.Parameter or None required)"
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but is not trained; ``persistent`` ones are in the state dict."""
        self._check_name(name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor).__name__}' object to buffer {name!r} (Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent.discard(name)
        else:
            self._non_persistent.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule under a name that need not be an identifier, such as ``"0"``."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._check_name(name, self._modules)
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, name: str, table: Mapping[str, Any]) -> None:
        """Before a name is registered."""
        if not isinstance(name, str):
            raise TypeError(f"expected a name that is a string, got {type(name).__name__}")
        if not name or "." in name:
            raise KeyError(f'expected a name that is not empty and has no ".", got "{name}"')
        if name not in table and hasattr(self, name):
            raise KeyError(f"attribute {name!r} already exists")
        self._watched.changed()

    # State

    @property
    def training(self) -> bool:
        """Whether the module is in training; a compiled step that reads it is recorded again when it changes."""
        return guarded_late(self._watched, "training", lambda: self._training)

    @training.setter
    def training(self, mode: bool) -> None:
        guarded_late(self._watched, "training", lambda: self._training)  # as it was before a step that sets it
        object.__setattr__(self, "_training", bool(mode))
        self._watched.changed()

    def train(self, mode: bool = True) -> Self:
        """Switch dropout and batch statistics on (or off), here and below."""
        if not isinstance(mode, bool):
            raise ValueError(f"training mode is expected to be boolean, got {mode!r}")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Switch to evaluation: no dropout, running statistics."""
        return self.train(False)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call ``fn`` on every module below, then on this one; typically to initialise."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze (``False``) or unfreeze all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters, or fill them with zeros."""
        recording = current().capturing()
        for parameter in self.parameters():
            if set_to_none:
                if recording is not None:
                    recording.drops_grad(parameter)
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad = parameter.grad.detach() * 0

    # Printing

    def extra_repr(self) -> str:
        """What a subclass shows between its parentheses."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        lines = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        return block_repr(self._get_name(), self.extra_repr(), lines)


def indented(text: str) -> str:
    """Lines after the first, two columns to the right."""
    return text.replace("\n", "\n  ")


def block_repr(name: str, extra: str, lines: list[str]) -> str:
    """``name(extra)``, or a block with a line per child, as PyTorch prints modules."""
    if not lines and "\n" not in extra:
        return f"{name}({extra})"
    body = "\n  ".join([*extra.splitlines(), *lines])
    return f"{name}(\n  {body}\n)"


__all__ = ["Module"]
