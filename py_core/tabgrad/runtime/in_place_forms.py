"""Methods that change a tensor in place and are made of functions: ``x.exp_()`` of ``x.exp()``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tabgrad.errors import ArgumentError
from tabgrad.names import PUBLIC, public
from tabgrad.ops.random_tensors import rand, randn, torch_draws
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
_TOP = frozenset(
    [
        "abs_",
        "acos_",
        "acosh_",
        "alpha_dropout_",
        "arccos_",
        "arccosh_",
        "arcsin_",
        "arcsinh_",
        "arctan_",
        "arctanh_",
        "asin_",
        "asinh_",
        "atan_",
        "atanh_",
        "ceil_",
        "celu_",
        "clamp_",
        "clamp_max_",
        "clamp_min_",
        "clip_",
        "cos_",
        "cosh_",
        "deg2rad_",
        "dropout_",
        "erf_",
        "erfc_",
        "exp2_",
        "exp_",
        "expm1_",
        "feature_alpha_dropout_",
        "feature_dropout_",
        "fix_",
        "floor_",
        "frac_",
        "gcd_",
        "i0_",
        "lcm_",
        "ldexp_",
        "log10_",
        "log1p_",
        "log2_",
        "log_",
        "logit_",
        "nan_to_num_",
        "neg_",
        "negative_",
        "rad2deg_",
        "reciprocal_",
        "relu_",
        "round_",
        "rrelu_",
        "rsqrt_",
        "selu_",
        "sigmoid_",
        "sin_",
        "sinc_",
        "sinh_",
        "sqrt_",
        "square_",
        "tan_",
        "tanh_",
        "threshold_",
        "trunc_",
        "xlogy_",
    ]
)  # at the top level, too

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
def uniform_(input: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with random numbers from ``from_`` up to ``to``, all as likely."""
    if not from_ <= to:
        raise ArgumentError(f"uniform_: expected a range that ends above its start, got from {from_} to {to}")
    if (torch := torch_draws(generator)) is not None:
        return in_place(input, lambda x: torch.uniform_tensor(x.shape, x.dtype, from_, to, input))
    return in_place(input, lambda x: rand(x.shape, generator=generator) * (to - from_) + from_)


@public(top=False, method=True)
def normal_(input: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with random numbers from a normal distribution."""
    if not std >= 0:
        raise ArgumentError(f"normal_: expected std >= 0, got {std}")
    if (torch := torch_draws(generator)) is not None:
        return in_place(input, lambda x: torch.normal_tensor(x.shape, x.dtype, mean, std, input))
    return in_place(input, lambda x: randn(x.shape, generator=generator) * std + mean)
