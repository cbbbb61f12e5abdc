"""Methods that change a tensor in place and are made of functions: ``x.exp_()`` of ``x.exp()``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tabgrad.names import PUBLIC, public
from tabgrad.ops.random_tensors import rand, randn
from tabgrad.random import Generator
from tabgrad.runtime.in_place import in_place
from tabgrad.tensor import Tensor

_FORMS = (
    "cos", "cumprod", "cumsum", "dropout", "elu", "erf", "exp", "expm1", "index_add", "index_copy", "index_fill",
    "leaky_relu", "log", "log1p", "masked_fill", "masked_scatter", "reciprocal", "relu", "rsqrt", "scatter",
    "scatter_add", "scatter_reduce", "sigmoid", "silu", "sin", "sqrt", "tanh",
)  # fmt: skip


_FUNCTIONAL = {
    "celu_",
    "elu_",
    "hardtanh_",
    "leaky_relu_",
    "relu_",
    "rrelu_",
    "selu_",
    "threshold_",
}  # in nn.functional, too

_AUGMENTED = {
    "__and__",
    "__floordiv__",
    "__lshift__",
    "__mod__",
    "__or__",
    "__pow__",
    "__rshift__",
    "__xor__",
}  # operators with a form such as ``|=``


def _form(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    @functools.wraps(function)
    def changed(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return in_place(input, lambda x: function(x, *args, **kwargs))

    changed.__name__ = name
    changed.__module__ = __name__
    changed.__doc__ = f":func:`tabgrad.ops.{function.__name__}`, in place."
    return changed


def add_forms() -> None:
    """Make those that are declared and are not there yet."""
    for entry in list(PUBLIC.values()):
        for name in entry.inplace:
            if name not in PUBLIC:
                operators = tuple(f"__i{m[2:]}" for m in entry.methods if m in _AUGMENTED)
                _enter(entry.function, name, operators)


def _enter(function: Callable[..., Tensor], name: str, operators: tuple[str, ...] = ()) -> None:
    """Make the form of a name."""
    public(top=name in _TOP, functional=name in _FUNCTIONAL, method=True, also=operators)(_form(function, name))


for _name in _FORMS:
    _enter(PUBLIC[_name].function, f"{_name}_")
add_forms()


@public(top=False, method=True)
def uniform_(input: Tensor, a: float = 0, b: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with random numbers from ``a`` up to ``b``, all as likely."""
    return in_place(input, lambda x: rand(x.shape, generator=generator) * (b - a) + a)


@public(top=False, method=True)
def normal_(input: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with random numbers from a normal distribution."""
    return in_place(input, lambda x: randn(x.shape, generator=generator) * std + mean)
