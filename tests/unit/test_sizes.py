"""Shapes are torch.Size, as PyTorch's."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch

import tabgrad as tg

USES: dict[str, Callable[[Any, Any], Any]] = {
    "printed": lambda t, x: f"{x.shape} {x.size()} {x[0].shape} {x.sum().shape}",
    "a slice": lambda t, x: repr(x.shape[1:]),
    "an item": lambda t, x: repr(x.shape[-1]),
    "elements of a slice": lambda t, x: (x.shape[1:].numel(), x.shape[:0].numel()),
    "a sum": lambda t, x: repr(x.shape + (5,)),  # noqa: RUF005 - what programs write
    "a product": lambda t, x: repr(x.shape[:1] * 2),
    "a tuple": lambda t, x: (tuple(x.shape), [*x.shape], x.shape == (2, 3, 4), hash(x.shape) == hash((2, 3, 4))),
    "is one": lambda t, x: (isinstance(x.shape, t.Size), isinstance(x.shape, tuple), x.shape == t.Size([2, 3, 4])),
    "made of one": lambda t, x: t.zeros(x.shape[:2]).reshape(x.shape[0], -1).shape,
    "copied": lambda t, x: copy.deepcopy(x.shape) == x.shape,
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_use(use: Callable[[Any, Any], Any]) -> None:
    assert use(tg, tg.zeros(2, 3, 4)) == use(torch, torch.zeros(2, 3, 4))


def test_pickled_it_is_the_same() -> None:
    shape = tg.zeros(2, 3).shape
    assert repr(pickle.loads(pickle.dumps(shape))) == "torch.Size([2, 3])"


def test_a_loop_that_passes_shapes_is_right_when_they_change() -> None:
    for n in (2, 2, 2, 3, 4, 4):
        x = tg.ones(n, 3)
        assert (x.view(x.shape[::-1]).sum() + tg.zeros(x.shape).sum()).item() == 3 * n
