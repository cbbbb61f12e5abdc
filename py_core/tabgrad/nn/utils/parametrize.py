"""Parameters that are computed from others: a module's ``weight`` as a function of what is trained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tabgrad.autograd import no_grad
from tabgrad.errors import ArgumentError
from tabgrad.late import missing_name
from tabgrad.nn.containers import ModuleDict, ModuleList
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor


class _Cache:
    """A session's: what was computed in the :func:`cached` block that is open."""

    def __init__(self, session: Session) -> None:
        self.depth = 0
        self.values: dict[tuple[int, str], Tensor] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Within, each parametrized tensor is computed once."""
    cache = current().own(_Cache)
    cache.depth += 1
    try:
        yield
    finally:
        cache.depth -= 1
        if not cache.depth:
            cache.values.clear()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, called one after the other on ``original``, or ``original0``, ..."""

    def __init__(self, modules: list[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ArgumentError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        trained = original.requires_grad
        kept = original if isinstance(original, Parameter) else None
        start: Any = original
        with no_grad():
            for module in reversed(modules):
                if hasattr(module, "right_inverse"):
                    start = module.right_inverse(start)
        self.is_tensor = isinstance(start, Tensor)
        for name, value in self._named_originals(start):
            if kept is None and not trained:
                self.register_buffer(name, value.detach())
            else:
                self.register_parameter(name, kept if value is kept else Parameter(value.detach(), trained))
        self.ntensors = 1 if self.is_tensor else len(start)

    def _named_originals(self, values: Any) -> list[tuple[str, Tensor]]:
        if isinstance(values, Tensor):
            return [("original", values)]
        return [(f"original{n}", value) for n, value in enumerate(values)]

    def right_inverse(self, value: Tensor) -> None:
        """Set what is trained so that the result is ``value``."""
        with no_grad():
            start: Any = value
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                start = module.right_inverse(start)
            for name, one in self._named_originals(start):
                getattr(self, name).copy_(one)

    def forward(self) -> Tensor:
        """The tensor."""
        names = ["original"] if self.is_tensor else [f"original{n}" for n in range(self.ntensors)]
        first, *rest = self
        x: Tensor = first(*(getattr(self, name) for name in names))
        for module in rest:
            x = module(x)
        return x


def _property(name: str) -> property:
    def get(self: Any) -> Tensor:
        cache = current().own(_Cache)
        found: Tensor
        if not cache.depth:
            found = self.parametrizations[name]()
            return found
        key = id(self), name
        if key not in cache.values:
            cache.values[key] = self.parametrizations[name]()
        return cache.values[key]

    def put(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(get, put)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """From now on ``module.tensor_name`` is what ``parametrization`` makes of what is trained.

    What is trained lies in ``module.parametrizations.tensor_name.original``; if ``parametrization`` has
    ``right_inverse``, it is what that makes of the tensor. A tensor may have several parametrizations.

    Args:
        unsafe: whether the result may have another shape or dtype.

    Raises:
        ArgumentError: there is no such tensor, or the result has another shape or dtype.
    """
    if is_parametrized(module, tensor_name):
        found = module.parametrizations[tensor_name]
        inverse = getattr(parametrization, "right_inverse", None)
        if inverse is not None:
            with no_grad():
                value = getattr(module, tensor_name)
            found.append(parametrization)
            found.right_inverse(value)
        else:
            found.append(parametrization)
        return module
    table: dict[str, Any] = module._parameters if tensor_name in module._parameters else module._buffers
    original = table.get(tensor_name)
    if original is None:
        raise ArgumentError(
            f"Module '{type(module).__name__}' does not have a parameter, a buffer, or a parametrized element with "
            f"name '{tensor_name}'"
        )
    made = ParametrizationList([parametrization], original, unsafe)
    if not unsafe:
        with no_grad():
            value = made()
        if value.shape != original.shape or value.dtype is not original.dtype:
            raise ArgumentError(
                f"register_parametrization: expected a result {list(original.shape)} of {original.dtype.name}, got "
                f"{list(value.shape)} of {value.dtype.name}; pass unsafe=True"
            )
    delattr(module, tensor_name)
    if not is_parametrized(module):
        kind = type(module)
        parametrized: Any = type(f"Parametrized{kind.__name__}", (kind,), {"__module__": __name__})
        module.__class__ = parametrized
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = made
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a tensor of the module, or any of them, has parametrizations."""
    found = module._modules.get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make the tensor a parameter again.

    Args:
        leave_parametrized: with the value that it has; if not, that of ``original``.
    """
    if not is_parametrized(module, tensor_name):
        raise ArgumentError(f"Module {type(module).__name__} does not have a parametrization on {tensor_name}")
    made = module.parametrizations[tensor_name]
    if not leave_parametrized and not made.is_tensor:
        raise ArgumentError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    original = made.original if made.is_tensor else made.original0
    with no_grad():
        value = getattr(module, tensor_name).detach().clone() if leave_parametrized else original
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not isinstance(original, Parameter):
        module.register_buffer(tensor_name, value)
    else:
        if leave_parametrized and made.is_tensor and original.shape == value.shape:
            with no_grad():
                original.copy_(value)  # optimizers that hold it go on to
            value = original
        kept = value if isinstance(value, Parameter) else Parameter(value, original.requires_grad)
        module.register_parameter(tensor_name, kept)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
]  # fmt: skip
