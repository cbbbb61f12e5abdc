"""Python's numbers that float32 cannot hold: an infinity where PyTorch takes them, a sentence where it refuses them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.errors import DTypeError

TAKEN: dict[str, Callable[[Any, Any], Any]] = {
    "mul": lambda _, x: x * 1e39,
    "neg": lambda _, x: x * -1e39,
    "sub": lambda _, x: 1e39 - x,
    "div": lambda _, x: x / 1e39,
    "less": lambda _, x: x < 1e39,
    "tensor": lambda lib, _: lib.tensor(1e39),
    "list": lambda lib, _: lib.tensor([1e39, -1e300, 1.0]),
    "maximum": lambda lib, x: lib.maximum(x, lib.tensor(1e39)),
    "full inf": lambda lib, _: lib.full((2,), float("inf")),
    "fill -inf": lambda lib, x: x.masked_fill(x > 0, -float("inf")),
}
REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "full": lambda lib, _: lib.full((2,), 1e39),
    "full of an integer": lambda lib, _: lib.full((2,), 10**39),
    "full_like": lambda lib, x: lib.full_like(x, -1e39),
    "fill_": lambda _, x: x.fill_(1e39),
    "masked_fill": lambda _, x: x.masked_fill(x > 0, 1e39),
    "where": lambda lib, x: lib.where(x > 0, 1e39, x),
    "clamp": lambda lib, x: lib.clamp(x, -1e39, 1e39),
    "linspace": lambda lib, _: lib.linspace(0.0, 1e39, 3),
    "integer": lambda _, x: x * 10**39,
    "larger integer": lambda _, x: x * 10**400,
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_pytorch_takes_as_an_infinity(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = TAKEN[name](tg, tg.tensor([1.5, -2.0])).tolist()
    assert found == TAKEN[name](torch, torch.tensor([1.5, -2.0])).tolist()


@pytest.mark.parametrize("name", REFUSED)
def test_what_pytorch_refuses(name: str) -> None:
    with pytest.raises((RuntimeError, OverflowError)):
        REFUSED[name](torch, torch.tensor([1.5, -2.0]))
    with pytest.raises(
        DTypeError, match=r"expected (a number that float32 holds|numbers that float32 holds, of at most)"
    ):
        REFUSED[name](tg, tg.tensor([1.5, -2.0]))


@pytest.mark.parametrize(
    "make",
    [
        lambda p: optim.SGD(p, lr=1e39),
        lambda p: optim.SGD(p, lr=10**400),
        lambda p: optim.SGD(p, lr=0.1, weight_decay=1e39),
        lambda p: optim.Adam(p, lr=1e38),
        lambda p: optim.AdamW(p, lr=0.1, weight_decay=1e39),
    ],
)
def test_an_optimizers_numbers(make: Callable[[Any], optim.Optimizer]) -> None:
    parameter = nn.Parameter(np.array([1.0, 2.0], np.float32))
    optimizer = make([parameter])
    (parameter * parameter).sum().backward()
    with pytest.raises(DTypeError, match=r"step: expected numbers of at most 3\.4028235e"):
        optimizer.step()
    assert parameter.tolist() == [1.0, 2.0]  # and nothing of the step is left behind


def test_clipping_by_limits() -> None:
    parameter = nn.Parameter(np.array([1.0, 2.0], np.float32))
    (parameter * parameter).sum().backward()
    nn.utils.clip_grad_norm_([parameter], 1e39)  # nothing is longer, in PyTorch either
    nn.utils.clip_grad_value_([parameter], float("inf"))
    assert parameter.grad is not None
    assert parameter.grad.tolist() == [2.0, 4.0]
    with pytest.raises(DTypeError, match="clamp: expected numbers"):
        nn.utils.clip_grad_value_([parameter], 1e39)
