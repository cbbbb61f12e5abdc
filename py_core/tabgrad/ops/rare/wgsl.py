"""Elementwise kernels that the user writes in WGSL."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad.autograd import apply
from tabgrad.errors import ArgumentError, GradError, shortened
from tabgrad.graph.op import Elementwise, Op, first_dtype, same_shape
from tabgrad.names import public
from tabgrad.ops._broadcast import operands, result_dtype
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer

MOST_ARGUMENTS = 4
_ARGUMENT = re.compile(r"\{(\d+)[!?]?\}")
_BRACES = re.compile(r"[{}]")


@public(traced=False)
def wgsl_op(
    name: str, wgsl: str, reference: Callable[..., Any], grad: Callable[..., Any] | None = None, *, cost: int = 4
) -> Callable[..., Tensor]:
    """An elementwise op with a kernel and a gradient of your own; it is compiled and fused as all others.

    ::

        swish = tabgrad.wgsl_op(
            "swish",
            "{0} / (1.0 + exp(-{1} * {0}))",
            lambda x, b: x / (1 + np.exp(-b * x)),
            lambda g, out, x, b: (g * (s := (b * x).sigmoid()) * (1 + b * x * (1 - s)), g * x * x * s * (1 - s)),
        )
        y = swish(x, beta)

    Args:
        name: for profiles, messages and ``grad_fn``; a letter, then letters, digits and ``_``.
        wgsl: an expression of WGSL in f32; ``{0}`` to ``{3}`` are the elements of one to four tensors. A shader's
            compiler may assume that numbers are finite: ``{0!}`` hides from it what the element is.
        reference: the same in NumPy, of float32 arrays of one shape: what the device ``reference`` computes, and what
            tests compare with. It is not used elsewhere.
        grad: ``grad(g, out, *tensors)`` returns the gradient of each tensor, in tabgrad's ops, or None. It may
            depend on its arguments alone: loops that repeat do not call it again. Without it a backward pass raises.
        cost: of computing an element, in operations, roughly: cheap ones are computed again rather than stored.

    Returns:
        A function of that many tensors or numbers, which are broadcast, in floating point.

    Raises:
        ArgumentError: the name or the expression is not of that form. What WGSL does not accept raises a
            ``DeviceError`` when the kernel is compiled; the reference device does not look at it.
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z]\w*", name):
        raise ArgumentError(f"wgsl_op: expected a name of letters, digits and '_', got {shortened(name)}")
    count = _count(name, wgsl)
    op = Op(
        name=name,
        lowering=Elementwise(wgsl=f"({wgsl})", cost=cost),
        shape_rule=same_shape,
        dtype_rule=first_dtype,
        reference=lambda attrs, *xs: _computed(name, reference, xs),
        grad=_gradient(name, grad, count),
    )

    def call(*tensors: Any) -> Tensor:
        if len(tensors) != count:
            raise TypeError(f"{name}: expected {count} tensors, as its WGSL names, got {len(tensors)} arguments")
        return apply(op, *operands(name, *tensors, dtype=result_dtype(*tensors, 1.0)))

    @functools.wraps(reference)
    def traced(*tensors: Any) -> Tensor:
        found: Tensor = current().own(Tracer).call(call, tensors, {})
        return found

    for function in (call, traced):
        function.__name__ = function.__qualname__ = name
    traced.__doc__ = f"``{wgsl}``, of each element."
    return traced


def _count(name: str, wgsl: Any) -> int:
    """How many tensors an expression names.

    Raises:
        ArgumentError: none, more than four, or not all from the first on; or it is no expression.
    """
    if not isinstance(wgsl, str) or any(c in wgsl for c in (";", "\n", "//", "/*")):
        raise ArgumentError(f"wgsl_op {name!r}: expected one expression on one line, got {shortened(wgsl)}")
    found = {int(n) for n in _ARGUMENT.findall(wgsl)}
    if (
        _BRACES.search(_ARGUMENT.sub("", wgsl))
        or found != set(range(len(found)))
        or not 0 < len(found) <= MOST_ARGUMENTS
    ):
        raise ArgumentError(
            f"wgsl_op {name!r}: expected an expression with {{0}}, and perhaps {{1}}, {{2}}, {{3}}, and no other "
            f"braces, got {shortened(wgsl)}"
        )
    return len(found)


def _computed(name: str, reference: Callable[..., Any], arrays: tuple[np.ndarray, ...]) -> np.ndarray:
    with np.errstate(all="ignore"):
        found = np.asarray(reference(*arrays))
    if found.shape != arrays[0].shape:
        raise ArgumentError(
            f"wgsl_op {name!r}: expected a reference that returns an array {list(arrays[0].shape)}, as it was given, "
            f"got {list(found.shape)}"
        )
    return found.astype(arrays[0].dtype, copy=False)


def _gradient(name: str, grad: Callable[..., Any] | None, count: int) -> Callable[..., tuple[Any, ...]]:
    def pieces(g: Tensor, out: Tensor, *tensors: Tensor) -> tuple[Any, ...]:
        if grad is None:
            raise GradError(f"{name}: expected an op with a gradient, got one without; pass grad= to wgsl_op")
        recording = current().capturing()
        if recording is not None:
            recording.state.meet(grad)
        found = grad(g, out, *tensors)
        found = tuple(found) if isinstance(found, tuple | list) else (found,)
        if len(found) != count or not all(f is None or isinstance(f, Tensor) for f in found):
            raise GradError(
                f"{name}: expected a gradient or None for each of {count} tensors, got "
                f"{[type(f).__name__ for f in found]}"
            )
        for n, piece in enumerate(found):
            if piece is not None and piece.shape != g.shape:
                raise GradError(
                    f"{name}: expected gradient {n} of the result's shape {list(g.shape)}, got {list(piece.shape)}"
                )
        return found

    return pieces


__all__ = ["wgsl_op"]
