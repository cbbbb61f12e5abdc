"""Gradient clipping before an optimizer's step, on the device; in a compiled step it is part of the program."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from tabgrad import ops
from tabgrad.autograd import no_grad
from tabgrad.checks import real_number
from tabgrad.errors import ArgumentError, ArgumentTypeError
from tabgrad.ops.pack import ALIGNMENT
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer


def _with_gradients(parameters: Tensor | Iterable[Tensor], caller: str) -> list[Tensor]:
    found = [parameters] if isinstance(parameters, Tensor) or not isinstance(parameters, Iterable) else list(parameters)
    strange = [p for p in found if not isinstance(p, Tensor)]
    if strange:
        raise ArgumentTypeError(
            f"{caller}: expected tensors, as of model.parameters(), got {type(strange[0]).__name__}"
        )
    return [p for p in found if p.grad is not None]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients so that their total norm, as one vector, is at most ``max_norm``.

    The scale is ``min(1, max_norm / (norm + 1e-6))``. It takes two launches; the optimizer applies the scale when
    it reads the gradients.

    Args:
        parameters: tensors; those without a gradient are ignored.
        norm_type: ``p`` of the p-norm; may be ``inf``.
        error_if_nonfinite: whether to wait for the norm, and raise if it is infinite or NaN.
        foreach: changes no value.

    Returns:
        The norm before clipping, 0-d.

    Raises:
        RuntimeError: the norm is not finite, and ``error_if_nonfinite`` is set.

    Source: Pascanu et al. 2013, https://arxiv.org/abs/1211.5063
    """
    max_norm = real_number(max_norm, "clip_grad_norm_", "max_norm", 0, finite=False)
    norm_type = real_number(norm_type, "clip_grad_norm_", "norm_type", 0, finite=False)
    if norm_type == 0:
        raise NotImplementedError("clip_grad_norm_ with norm_type=0 is not supported; use 1, 2 or inf")
    wanted = _with_gradients(parameters, "clip_grad_norm_")
    if not wanted:
        return ops.tensor(0.0)
    if error_if_nonfinite:
        get_total_norm([p.grad for p in wanted if p.grad is not None], norm_type, True)
    norm: Tensor = current().own(Tracer).call(_clip, (wanted, max_norm, norm_type), {}, wanted)
    return norm


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The p-norm of tensors as one vector, 0-d; arguments as :func:`clip_grad_norm_`."""
    norm_type = real_number(norm_type, "get_total_norm", "norm_type", 0, finite=False)
    if norm_type == 0:
        raise NotImplementedError("get_total_norm with norm_type=0 is not supported; use 1, 2 or inf")
    found = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not found:
        return ops.tensor(0.0)
    with no_grad():
        norm = _norm(found, norm_type)
    if error_if_nonfinite and not math.isfinite(norm.item()):
        raise ArgumentError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            f"clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            f"`error_if_nonfinite=False`"
        )
    return norm


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients by ``min(1, max_norm / (total_norm + 1e-6))``."""
    max_norm = real_number(max_norm, "clip_grads_with_norm_", "max_norm", 0, finite=False)
    with no_grad():
        scale = ops.clamp(max_norm / (total_norm + 1e-6), max=1.0)
        for p in _with_gradients(parameters, "clip_grads_with_norm_"):
            assert p.grad is not None
            p.grad = p.grad * scale


def _clip(wanted: list[Tensor], max_norm: float, norm_type: float) -> Tensor:
    with no_grad():
        gradients = [p.grad for p in wanted if p.grad is not None]
        norm = _norm(gradients, norm_type)
        scale = ops.clamp(max_norm / (norm + 1e-6), max=1.0)
        for p, gradient in zip(wanted, gradients, strict=True):
            p.grad = gradient * scale
    return norm


def _norm(gradients: list[Tensor], p: float) -> Tensor:
    # packed like the optimizer's, so that both read the same memory; the gaps between them do not count
    blocks = [-(-max(g.numel(), 1) // ALIGNMENT) for g in gradients]
    counts = np.full(sum(blocks), ALIGNMENT, np.int32)
    counts[np.cumsum(blocks) - 1] = [g.numel() - (n - 1) * ALIGNMENT for g, n in zip(gradients, blocks, strict=True)]
    rows = ops.pack(gradients).reshape(len(counts), ALIGNMENT)
    place = ops.arange(ALIGNMENT).reshape(1, -1)
    sizes = ops.where(place < ops.from_numpy(counts).reshape(-1, 1), ops.abs(rows), 0.0)
    if math.isinf(p):
        return ops.amax(sizes)
    if p == 2:
        return ops.sqrt(ops.sum(sizes * sizes))
    return ops.sum(sizes if p == 1 else ops.pow(sizes, p)) ** (1 / p)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamp each element of the gradients to ``[-clip_value, clip_value]``."""
    clip_value = real_number(clip_value, "clip_grad_value_", "clip_value", 0, finite=False)
    with no_grad():
        for p in _with_gradients(parameters, "clip_grad_value_"):
            assert p.grad is not None
            p.grad = ops.clamp(p.grad, -clip_value, clip_value)
