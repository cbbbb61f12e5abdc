"""PyTorch's former forms of weight and spectral norm, whose weights are computed before each call."""

from __future__ import annotations

import warnings
from typing import Any

from tabgrad.autograd import no_grad
from tabgrad.errors import ArgumentError
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.nn.utils.parametrizations import matrix_of, norm_except, random_unit, unit
from tabgrad.tensor import Tensor


class _Before:
    """A forward pre-hook that sets a weight."""

    def __init__(self, module: Module, name: str) -> None:
        self.name = name
        weight = module._parameters.get(name)
        if weight is None:
            raise ArgumentError(f"expected {type(module).__name__} with a parameter {name!r}, got none")
        delattr(module, name)
        self.start(module, weight)
        object.__setattr__(module, f"_{type(self).__name__}_{name}", self)
        setattr(module, name, self.first(module, weight))
        self.handle = module.register_forward_pre_hook(self)

    def start(self, module: Any, weight: Parameter) -> None:
        """Register what is trained."""
        raise NotImplementedError

    def weight(self, module: Any) -> Tensor:
        """As it is now."""
        raise NotImplementedError

    def first(self, module: Any, weight: Parameter) -> Tensor:
        """As it is until the first call."""
        return self.weight(module)

    def end(self, module: Any) -> None:
        """Take off what was registered."""
        raise NotImplementedError

    def __call__(self, module: Any, args: Any) -> None:
        setattr(module, self.name, self.weight(module))

    def remove(self, module: Any) -> None:
        """The weight as a parameter again."""
        with no_grad():
            value = self.weight(module).detach().clone()
        delattr(module, self.name)
        self.end(module)
        delattr(module, f"_{type(self).__name__}_{self.name}")
        self.handle.remove()
        setattr(module, self.name, Parameter(value))


class _WeightNorm(_Before):
    def __init__(self, module: Module, name: str, dim: int | None) -> None:
        self.dim = dim
        super().__init__(module, name)

    def start(self, module: Any, weight: Parameter) -> None:
        with no_grad():
            size = norm_except(weight, self.dim)
        module.register_parameter(f"{self.name}_g", Parameter(size.detach()))
        module.register_parameter(f"{self.name}_v", Parameter(weight.detach()))

    def weight(self, module: Any) -> Tensor:
        v: Tensor = getattr(module, f"{self.name}_v")
        return v * (getattr(module, f"{self.name}_g") / norm_except(v, self.dim))

    def end(self, module: Any) -> None:
        delattr(module, f"{self.name}_g")
        delattr(module, f"{self.name}_v")


class _SpectralNorm(_Before):
    def __init__(self, module: Module, name: str, times: int, eps: float, dim: int) -> None:
        self.times, self.eps, self.dim = times, eps, dim
        super().__init__(module, name)

    def start(self, module: Any, weight: Parameter) -> None:
        rows = matrix_of(weight.detach(), self.dim)
        module.register_parameter(f"{self.name}_orig", weight)
        module.register_buffer(f"{self.name}_u", random_unit(rows.shape[0], self.eps))
        module.register_buffer(f"{self.name}_v", random_unit(rows.shape[1], self.eps))

    def first(self, module: Any, weight: Parameter) -> Tensor:
        return weight.detach()  # no iteration yet, as in PyTorch

    def weight(self, module: Any) -> Tensor:
        original: Tensor = getattr(module, f"{self.name}_orig")
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        rows = matrix_of(original, self.dim)
        if module.training:
            with no_grad():
                fixed, new_u, new_v = rows.detach(), u, v
                for _ in range(self.times):
                    new_v = unit(fixed.t() @ new_u, self.eps)
                    new_u = unit(fixed @ new_v, self.eps)
                u.copy_(new_u)
                v.copy_(new_v)
        return original / (u.clone() * (rows @ v.clone())).sum()

    def end(self, module: Any) -> None:
        for part in ("orig", "u", "v"):
            delattr(module, f"{self.name}_{part}")


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Former form of :func:`tabgrad.nn.utils.parametrizations.weight_norm`: ``weight_g`` and ``weight_v``."""
    warnings.warn(
        "weight_norm is deprecated in favor of nn.utils.parametrizations.weight_norm", FutureWarning, stacklevel=2
    )
    _WeightNorm(module, name, dim)
    return module


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Former form of :func:`tabgrad.nn.utils.parametrizations.spectral_norm`: ``weight_orig``."""
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    _SpectralNorm(module, name, n_power_iterations, eps, dim)
    return module


def _removed(module: Any, kind: str, name: str) -> Module:
    hook = module.__dict__.get(f"_{kind}_{name}")
    if hook is None:
        raise ArgumentError(f"expected a module with such a norm of {name!r}, got {type(module).__name__} without")
    hook.remove(module)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make the weight a parameter again."""
    return _removed(module, "_WeightNorm", name)


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make the weight a parameter again."""
    return _removed(module, "_SpectralNorm", name)


__all__ = ["remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]
