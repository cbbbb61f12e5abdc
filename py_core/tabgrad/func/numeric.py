"""Gradients compared with finite differences, in float32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tabgrad import ops
from tabgrad.errors import ArgumentError
from tabgrad.func.transforms import gradients_of
from tabgrad.grad_mode import enable_grad, no_grad
from tabgrad.tensor import Tensor

EPS = 5e-3  # where float32's rounding and the third derivative's part are about as large, for values near 1
ATOL = 5e-3
RTOL = 1e-2


class GradcheckError(RuntimeError):
    """A gradient is not what finite differences say."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = EPS,
    atol: float = ATOL,
    rtol: float = RTOL,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether gradients of ``func`` agree with central differences.

    PyTorch compares float64 with ``eps=1e-6, atol=1e-5``. Here numbers are float32, so the defaults are larger, and an
    ``eps`` below 1e-4, which rounding would hide, is refused. Choose inputs near 1, away from kinks.

    Args:
        func: of tensors; returns a tensor, or a tuple of tensors.
        inputs: a tensor or a tuple; those that require grad are checked.
        eps: of the differences.
        atol: how much they may differ.
        rtol: how much more, relative to the differences.
        raise_exception: False returns False in place of an error.
        nondet_tol: accepted; two runs here give the same bits.
        check_undefined_grad: accepted.
        check_grad_dtypes: accepted; gradients have their tensors' dtypes.
        check_batched_grad: False.
        check_batched_forward_grad: False.
        check_forward_ad: False; there is no forward mode.
        check_backward_ad: True.
        fast_mode: accepted; every element is compared.
        masked: False.

    Raises:
        GradcheckError: they differ; says where.
        ArgumentError: ``eps`` is too small, or no input requires grad.
    """
    for name, given in (
        ("check_batched_grad", check_batched_grad), ("check_batched_forward_grad", check_batched_forward_grad),
        ("check_forward_ad", check_forward_ad), ("masked", masked), ("check_backward_ad", not check_backward_ad),
    ):  # fmt: skip
        if given:
            raise NotImplementedError(
                f"gradcheck: expected {name} as it is by default; backward gradients are compared"
            )
    if eps < 1e-4:
        raise ArgumentError(
            f"gradcheck: expected eps of 1e-4 or more, as numbers are float32, got {eps}; leave it away"
        )
    given_inputs = list(inputs) if isinstance(inputs, tuple | list) else [inputs]
    checked = [n for n, t in enumerate(given_inputs) if isinstance(t, Tensor) and t.requires_grad]
    if not checked:
        raise ArgumentError("gradcheck: expected at least one input that requires grad, got none")
    try:
        for n in checked:
            _check(func, given_inputs, n, eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = EPS,
    atol: float = ATOL,
    rtol: float = RTOL,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """As :func:`gradcheck`, of the gradient of ``func``: its second derivatives.

    Args as there, and:
        grad_outputs: of what is computed from the outputs; random numbers between 0.5 and 1.5 if None.
    """
    if check_fwd_over_rev or not check_rev_over_rev:
        raise NotImplementedError("gradgradcheck: expected check_fwd_over_rev=False and check_rev_over_rev=True")
    given_inputs = list(inputs) if isinstance(inputs, tuple | list) else [inputs]
    places = [n for n, t in enumerate(given_inputs) if isinstance(t, Tensor) and t.requires_grad]
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        with no_grad():
            found = _outputs(func, given_inputs)
        seeds = [Tensor._of(rng.uniform(0.5, 1.5, o.shape).astype(np.float32)) for o in found]
        seeds = [s.requires_grad_() for s in seeds]
    else:
        seeds = list(grad_outputs) if isinstance(grad_outputs, tuple | list) else [grad_outputs]
    count = len(given_inputs)

    def first(*args: Any) -> Any:
        outputs = _outputs(func, args[:count])
        return tuple(gradients_of(outputs, [args[n] for n in places], list(args[count:])))

    return gradcheck(
        first, (*given_inputs, *seeds), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        check_batched_grad=check_batched_grad, masked=masked,
    )  # fmt: skip


def _outputs(func: Callable[..., Any], args: Sequence[Any]) -> list[Tensor]:
    found = func(*args)
    found = list(found) if isinstance(found, tuple | list) else [found]
    return [t for t in found if isinstance(t, Tensor) and t.dtype.is_floating_point]


def _check(func: Callable[..., Any], given: list[Any], n: int, eps: float, atol: float, rtol: float) -> None:
    def called(value: Tensor) -> list[Tensor]:
        return _outputs(func, [*given[:n], value, *given[n + 1 :]])

    start = given[n].detach()
    point = start.numpy()
    with enable_grad():
        variable = start.clone().requires_grad_()
        outputs = called(variable)
        ours = [_rows(output, variable) for output in outputs]
    for m, output in enumerate(outputs):
        theirs = np.zeros((output.numel(), point.size), np.float64)
        for k in range(point.size):
            sides = []
            for step in (eps, -eps):
                moved = point.copy().reshape(-1)
                moved[k] += np.float32(step)
                value = Tensor._of(moved.reshape(point.shape)).requires_grad_()
                with enable_grad():
                    sides.append((called(value)[m].detach().numpy().astype(np.float64).reshape(-1), float(moved[k])))
            theirs[:, k] = (sides[0][0] - sides[1][0]) / (sides[0][1] - sides[1][1])
        close = np.isclose(ours[m], theirs, rtol=rtol, atol=atol)
        if not close.all():
            at = tuple(int(i) for i in np.argwhere(~close)[0])
            raise GradcheckError(
                f"gradcheck: Jacobian mismatch for output {m} with respect to input {n}: expected "
                f"{theirs[at]:.5g} by finite differences at (output element, input element) {at}, got {ours[m][at]:.5g}"
            )


def _rows(output: Tensor, variable: Tensor) -> np.ndarray:
    """The Jacobian, ``[output element, input element]``."""
    units = ops.eye(output.numel())
    rows = [gradients_of([output], [variable], [units[k].reshape(output.shape)])[0] for k in range(output.numel())]
    if not rows:
        return np.zeros((0, variable.numel()))
    return ops.stack(rows, 0).detach().numpy().reshape(len(rows), -1)


__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]
