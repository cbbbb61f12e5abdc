"""Elementwise ops that the user writes: gradients, loops, compiled steps, fusion, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from sessions import session_on


@pytest.fixture(autouse=True)
def session() -> Iterator[None]:
    with session_on("reference"):
        yield


def bent() -> Callable[..., tg.Tensor]:
    return tg.wgsl_op(
        "bent",
        "{0} + 0.5 * {1} * {0} * {0}",
        lambda x, a: x + 0.5 * a * x * x,
        lambda g, out, x, a: (g * (1 + a * x), g * 0.5 * x * x),
    )


def trained(T: Any, *, compiled: bool = False) -> list[float]:
    op = bent() if T is tg else lambda x, a: x + 0.5 * a * x * x
    w, a = T.tensor([[0.5], [-0.3]], requires_grad=True), T.tensor(0.2, requires_grad=True)
    optimizer = T.optim.Adam([w, a], lr=0.05)

    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = (op(x @ w, a) ** 2).mean() + op(a, 2.0)
        loss.backward()
        optimizer.step()
        return loss

    call = tg.compile(step) if compiled else step
    rows = [np.random.default_rng(n).normal(size=(4, 2)).astype(np.float32) for n in range(8)]
    return [call(T.tensor(x)).item() for x in rows]


@pytest.mark.parametrize("compiled", [False, True], ids=["loop", "compiled"])
def test_training_with_it_is_pytorchs(compiled: bool) -> None:
    np.testing.assert_allclose(trained(tg, compiled=compiled), trained(torch), rtol=1e-4, atol=1e-6)


def test_gradient_agrees_with_differences_to_the_second_order() -> None:
    x, a = (tg.tensor(np.linspace(0.4, 1.6, 6, dtype=np.float32).reshape(2, 3), requires_grad=True) for _ in range(2))
    assert tg.autograd.gradcheck(bent(), (x, a))
    assert tg.autograd.gradgradcheck(bent(), (x, a))


def test_it_is_fused_with_what_is_around_it() -> None:
    op = bent()

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        return (op(x * 2, 3.0) + 1).exp()

    x = tg.ones(5)
    np.testing.assert_allclose(step(x).numpy(), np.exp(np.full(5, 2 + 0.5 * 3 * 4 + 1)), rtol=1e-5)
    program = step.record(x).compiled.program
    assert len(program.dispatches) == 1


def test_definitions_of_one_name_are_two_ops() -> None:
    one = tg.wgsl_op("same", "{0} + 1.0", lambda x: x + 1)
    two = tg.wgsl_op("same", "{0} + 2.0", lambda x: x + 2)
    x = tg.zeros(2)
    assert (one(x) + two(x) * 10).tolist() == [21, 21]
    assert one.__name__ == "same"
    assert one(tg.tensor([1, 2])).dtype is tg.float32
    assert one(tg.tensor([1, 2], dtype=tg.float16)).dtype is tg.float16


def test_op_without_a_gradient_raises_when_one_is_asked_for() -> None:
    op = tg.wgsl_op("floored", "floor({0})", np.floor)
    y = op(tg.tensor([1.5], requires_grad=True))
    assert y.tolist() == [1]
    with pytest.raises(tg.GradError, match="floored: expected an op with a gradient, got one without; pass grad="):
        y.sum().backward()


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "name": (lambda: tg.wgsl_op("a b", "{0}", np.abs), "expected a name of letters"),
    "statements": (lambda: tg.wgsl_op("f", "{0}; let x = 1", np.abs), "expected one expression on one line"),
    "no argument": (lambda: tg.wgsl_op("f", "1.0", np.abs), r"expected an expression with \{0\}"),
    "a gap": (lambda: tg.wgsl_op("f", "{0} + {2}", np.abs), r"expected an expression with \{0\}"),
    "five": (lambda: tg.wgsl_op("f", "{0}+{1}+{2}+{3}+{4}", np.abs), r"expected an expression with \{0\}"),
    "braces": (lambda: tg.wgsl_op("f", "{t}({0})", np.abs), "no other braces"),
    "gradients": (
        lambda: _backward(lambda g, out, x: (g, g)),
        "f: expected a gradient or None for each of 1 tensors",
    ),
    "shape": (
        lambda: _backward(lambda g, out, x: g.sum()),
        "f: expected gradient 0 of the result's shape",
    ),
    "reference": (
        lambda: tg.wgsl_op("f", "{0}", np.sum)(tg.tensor([1.0, 2.0])).tolist(),
        "expected a reference that returns an array",
    ),
}  # fmt: skip


def _backward(grad: Any) -> None:
    tg.wgsl_op("f", "{0}", np.abs, grad)(tg.ones(2, requires_grad=True)).sum().backward()


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_definition_is_refused(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises(tg.TabgradError, match=message):
        call()


def test_wrong_number_of_arguments_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="bent: expected 2 tensors, as its WGSL names, got 1 arguments"):
        bent()(tg.ones(2))
