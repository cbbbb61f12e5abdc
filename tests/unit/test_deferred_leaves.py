"""``requires_grad`` of tensors that loops make anew in each round: as PyTorch's, whether calls are executed or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from sessions import session_on
from tabgrad.session import Session
from tabgrad.tracing.tracer import Tracer

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


@pytest.fixture
def session() -> Iterator[Session]:
    with session_on("reference") as session:
        yield session


def a_leaf_of_a_result(T: Any, w: Any, t: int) -> Any:
    x = (T.tensor(X) * 2).requires_grad_()
    (x * w).sum().backward()
    return x.requires_grad, x.is_leaf, x.grad


def an_assigned_flag(T: Any, w: Any, t: int) -> Any:
    x = T.tensor(X) + 1
    before = (x * 3).sum()
    x.requires_grad = True
    after = (x * w).sum()
    after.backward()
    return before.requires_grad, after.requires_grad, x.grad, before


def a_leaf_that_is_gone(T: Any, w: Any, t: int) -> Any:
    def loss() -> Any:
        x = (T.tensor(X) * 2).requires_grad_()
        return (x * x * w).sum()

    loss().backward()
    return w.grad


def asked_and_taken_back(T: Any, w: Any, t: int) -> Any:
    x = (T.tensor(X) * 2).requires_grad_()
    first = x * w
    x.requires_grad_(False)
    second = x * 2
    first.sum().backward()
    return first.requires_grad, second.requires_grad, x.grad, second


def only_in_some_rounds(T: Any, w: Any, t: int) -> Any:
    x = (T.tensor(X) * 2).requires_grad_(t % 3 == 0)
    (x * w).sum().backward()
    return x.requires_grad, x.grad


def a_change_in_place_asks(T: Any, w: Any, t: int) -> Any:
    x = T.tensor(X) * 0
    x.add_(w)
    seen = x.requires_grad, x.is_leaf
    (x * x).sum().backward()
    return *seen, w.grad


def looked_at_before_anything_else(T: Any, w: Any, t: int) -> Any:
    x = T.tensor(X) * 1
    with T.no_grad():
        x.mul_(w)
    y = T.tensor(X) * 1
    y.mul_(w)
    return x.requires_grad, y.requires_grad, x, y


def frozen_in_the_middle(T: Any, w: Any, t: int) -> Any:
    first = (w * 2).sum()
    w.requires_grad_(False)
    second = (w * 3).sum()
    w.requires_grad_(True)
    third = (w * 5).sum()
    (first + second + third).backward()
    return second.requires_grad, w.grad


def a_leaf_made_with_the_flag(T: Any, w: Any, t: int) -> Any:
    x = T.ones(3, 4, requires_grad=True)
    (x * w).sum().backward()
    x.requires_grad_(False)
    return x.is_leaf, x.grad, (x * 2).requires_grad


def read_and_then_asked(T: Any, w: Any, t: int) -> Any:
    x = T.tensor(X) * 2
    total = (x + 1).sum().item()
    x.requires_grad_()
    (x * w * total).sum().backward()
    return x.grad


BODIES = [
    a_leaf_of_a_result, an_assigned_flag, a_leaf_that_is_gone, asked_and_taken_back, only_in_some_rounds,
    a_change_in_place_asks, looked_at_before_anything_else, frozen_in_the_middle, a_leaf_made_with_the_flag,
    read_and_then_asked,
]  # fmt: skip


def run(T: Any, body: Callable[[Any, Any, int], Any]) -> list[list[Any]]:
    w = T.tensor(np.full((3, 4), 0.75, np.float32), requires_grad=True)
    optimizer = T.optim.SGD([w], lr=0.1)
    rounds = []
    for t in range(7):
        optimizer.zero_grad()
        found = body(T, w, t)
        if w.grad is not None:
            optimizer.step()
        values = found if isinstance(found, tuple) else (found,)
        rounds.append([v if v is None or isinstance(v, bool) else v.detach().numpy().copy() for v in values])
    return rounds


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_flags_and_gradients_are_pytorchs(body: Callable[[Any, Any, int], Any], session: Session) -> None:
    for ours, theirs in zip(run(tg, body), run(torch, body), strict=True):
        for a, b in zip(ours, theirs, strict=True):
            assert type(a) is type(b)
            if isinstance(a, np.ndarray):
                np.testing.assert_allclose(a, b, rtol=1e-5)
            else:
                assert a is b
    assert session.own(Tracer).followed or body is looked_at_before_anything_else  # what is left has a record


@pytest.mark.parametrize("rounds", [1, 5])
def test_flags_that_cannot_be_raise_in_each_round(rounds: int, session: Session) -> None:
    w = tg.tensor(X, requires_grad=True)
    for _ in range(rounds):
        x = w * 2
        with pytest.raises(tg.GradError, match="expected a leaf tensor"):
            x.requires_grad = False
        with pytest.raises(tg.GradError, match="expected a leaf tensor"):
            x.requires_grad_(False)
        assert x.requires_grad_() is x
        labels = tg.tensor(np.arange(3, dtype=np.int32)) + 1
        with pytest.raises(tg.GradError, match="expected a floating-point tensor"):
            labels.requires_grad = True
        with pytest.raises(TypeError, match="expected True or False"):
            x.requires_grad = 1  # type: ignore[assignment]
        x.sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), np.full_like(X, 2 * rounds))
