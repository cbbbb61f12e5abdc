"""What users bring along: elementwise WGSL with a gradient, functions with a gradient, parts that are recomputed."""

from __future__ import annotations

from typing import Any

import numpy as np

from device.op_cases.case import OpCase, case, f

_ODD = (7, 13)


def _swish_grad(g: Any, out: Any, x: Any, b: Any) -> Any:
    s = (b * x).sigmoid()
    return g * s * (1 + b * x * (1 - s)), g * x * x * s * (1 - s)


def _swish(T: Any, F: Any, x: Any, b: Any) -> Any:
    if not hasattr(T, "wgsl_op"):  # PyTorch
        return x * T.sigmoid(b * x)
    op = T.wgsl_op("swish", "{0} / (1.0 + exp(-{1} * {0}))", lambda x, b: x / (1 + np.exp(-b * x)), _swish_grad)
    return op(x, b)


def _choice(T: Any, F: Any, x: Any, low: Any, high: Any, scale: Any) -> Any:
    """Four tensors; the expression holds a choice."""
    if not hasattr(T, "wgsl_op"):
        return T.where(x > 0, high, low) * scale
    op = T.wgsl_op(
        "choice",
        "select({1}, {2}, {0} > 0.0) * {3}",
        lambda x, low, high, scale: np.where(x > 0, high, low) * scale,
        lambda g, out, x, low, high, scale: (
            None,
            T.where(x > 0, 0.0, g * scale),
            T.where(x > 0, g * scale, 0.0),
            g * T.where(x > 0, high, low),
        ),
    )
    return op(x, low, high, scale)


def _recomputed(T: Any, F: Any, x: Any, w: Any) -> Any:
    return T.utils.checkpoint.checkpoint(lambda h: (h @ w).tanh() @ w, x.sin(), use_reentrant=False) * 2


def _exp_by_user(T: Any, F: Any, x: Any) -> Any:
    class Exp(T.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            out = x.exp()
            ctx.save_for_backward(out)
            return out

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0]

    return Exp.apply(x * 0.5).tanh()


CASES: list[OpCase] = [
    case("wgsl_op of two, broadcast", _swish, f(*_ODD), f(13)),
    case("wgsl_op of four", _choice, f(*_ODD), f(7, 1), f(*_ODD), f(), smooth=False),
    case("checkpoint", _recomputed, f(3, 5), f(5, 5)),
    case("autograd.Function", _exp_by_user, f(*_ODD)),
]
