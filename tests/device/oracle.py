"""PyTorch on the CPU, in float64, as the truth that op cases are compared with; then finite differences."""

from __future__ import annotations

import asyncio
import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from device.op_cases import BY_NAME, OpCase, cotangent, evaluate
from device.op_cases.run import outcome

_STEP = 1e-6  # of central differences in float64: truncation and rounding both stay near 1e-9


def check_op(case: OpCase, device: str) -> None:
    """Compare a case on the selected tabgrad device with PyTorch: outputs, gradients, finite differences.

    Raises:
        AssertionError: names the case, the value and the device.
    """
    import tabgrad as tg

    compare(case, asyncio.run(outcome(tg, case)), device)


def check_function(fn: Callable[..., Any], *inputs: np.ndarray, device: str, **options: Any) -> None:
    """As :func:`check_op`, for ``fn(T, F, *inputs)`` and float32 or int64 arrays that are no case of the table."""
    makers = tuple((lambda _, array=array: array) for array in inputs)
    check_op(OpCase(name=getattr(fn, "__name__", "function"), fn=fn, inputs=makers, **options), device)


def compare(case: OpCase, got: dict[str, np.ndarray], device: str) -> None:
    """Compare what a device made of a case; ``got`` is what :func:`device.op_cases.run.outcome` returns."""
    truth = expected(case)
    for name, want in truth.items():
        where = f"{case.name}: {name} on {device}"
        if name not in got:
            assert name.startswith("grad"), f"{where} is missing"
            assert want is None or not np.any(want), f"{where} is missing; PyTorch has one"
            continue
        have = got[name]
        if want is None:  # PyTorch has no gradient where nothing depends on the input
            assert not np.any(have), f"{where}: PyTorch has no gradient, got {have}"
            continue
        assert have.shape == want.shape, f"{where}: expected shape {want.shape}, got {have.shape}"
        assert have.dtype.kind == want.dtype.kind, f"{where}: expected {want.dtype}, got {have.dtype}"
        np.testing.assert_allclose(
            have.astype(np.float64), want.astype(np.float64), rtol=case.rtol, atol=case.atol, err_msg=where
        )
    if case.grad and case.smooth:
        _compare_with_differences(case, got, device)


def wrong_outcomes(
    cases: dict[str, OpCase], found: dict[str, dict[str, np.ndarray]], failures: dict[str, str], device: str
) -> dict[str, str]:
    """What is wrong with which case, by name; ``failures`` are of cases that did not run."""
    wrong = dict(failures)
    for name, case in cases.items():
        if name not in wrong:
            try:
                compare(case, found[name], device)
            except AssertionError as error:
                wrong[name] = str(error)
    return wrong


def expected(case: OpCase) -> dict[str, np.ndarray | None]:
    """Outputs and gradients by PyTorch in float64."""
    return _expected(case.name) if BY_NAME.get(case.name) is case else _evaluate(case)


@functools.cache
def _expected(name: str) -> dict[str, np.ndarray | None]:
    return _evaluate(BY_NAME[name])


def _evaluate(case: OpCase) -> dict[str, np.ndarray | None]:
    leaf = _leaf if case.single else _wide_leaf
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r".*degrees of freedom is <= 0")  # the value is what is asked for
        values = evaluate(case, torch, torch.nn.functional, leaf)
    return {name: None if value is None else value.detach().numpy() for name, value in values.items()}


def _leaf(array: np.ndarray, requires_grad: bool) -> torch.Tensor:
    return torch.tensor(array, requires_grad=requires_grad)


def _wide_leaf(array: np.ndarray, requires_grad: bool) -> torch.Tensor:
    return _leaf(array.astype(np.float64) if array.dtype == np.float32 else array, requires_grad)


def _compare_with_differences(case: OpCase, got: dict[str, np.ndarray], device: str) -> None:
    """The slope of the loss in a random direction, once from the device's gradients, once from values only."""
    arrays = case.arrays()
    rng = np.random.default_rng(0)
    directions = [rng.standard_normal(a.shape) if a.dtype == np.float32 else None for a in arrays]

    def loss(sign: float) -> float:
        moved = [
            torch.tensor(a if d is None else a.astype(np.float64) + sign * _STEP * d)
            for a, d in zip(arrays, directions, strict=True)
        ]
        result = case.fn(torch, torch.nn.functional, *moved)
        outputs = result if isinstance(result, tuple | list) else [result]
        return sum(
            float((out.double() * torch.tensor(cotangent(case.name, i, tuple(out.shape)))).sum())
            for i, out in enumerate(outputs)
            if out.dtype.is_floating_point
        )

    slope = (loss(1) - loss(-1)) / (2 * _STEP)
    terms = [
        got[f"grad{i}"].astype(np.float64) * d for i, d in enumerate(directions) if d is not None and f"grad{i}" in got
    ]
    found = sum(float(t.sum()) for t in terms)
    # Errors of single terms add up; each is allowed what the case allows a gradient.
    slack = 1e-5 + sum(case.atol * float(np.sqrt(t.size)) + case.rtol * float(np.abs(t).sum()) for t in terms)
    assert abs(slope - found) <= slack, f"{case.name} on {device}: slope {found}, by finite differences {slope}"
