"""Parts of a model that are computed again in the backward pass: values, random masks, memory, refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
import torch.utils.checkpoint

import tabgrad as tg
import tabgrad.utils.checkpoint
from sessions import session_on
from tabgrad.utils.checkpoint import checkpoint, checkpoint_sequential

F = tg.nn.functional


@pytest.fixture(autouse=True)
def session() -> Iterator[None]:
    with session_on("reference"):
        yield


def nested(T: Any) -> Any:
    """Tensors in dicts and lists, some without a gradient, keywords, and what is no tensor."""
    w, v = T.tensor([1.0, 2.0], requires_grad=True), T.tensor([0.5, 0.3], requires_grad=True)

    def part(given: Any, *, scale: Any, power: int) -> Any:
        return {"a": (given["x"] * v) ** power, "b": [given["x"].sin() * scale, "text"]}

    given = {"x": w * 2, "fixed": T.ones(2)}
    found = T.utils.checkpoint.checkpoint(part, given, scale=T.tensor(3.0), power=2, use_reentrant=False)
    (found["a"].sum() + (found["b"][0] ** 2).sum()).backward()
    return found["b"][1], w.grad.tolist(), v.grad.tolist()


def twice_differentiated(T: Any) -> Any:
    w = T.tensor([0.4, 2.0], requires_grad=True)
    y = T.utils.checkpoint.checkpoint(lambda x: (x**3).sin() * w, w * 1.5, use_reentrant=False)
    (first,) = T.autograd.grad(y.sum(), w, create_graph=True)
    (first**2).sum().backward()
    return first.tolist(), w.grad.tolist()


def one_of_two_results(T: Any) -> Any:
    w = T.tensor([0.4, 2.0], requires_grad=True)
    _, b = T.utils.checkpoint.checkpoint(lambda x: (x.exp(), x * w), w * 2, use_reentrant=False)
    b.sum().backward()
    return w.grad.tolist()


def in_sequence(T: Any) -> Any:
    model = T.nn.Sequential(*(T.nn.Linear(2, 2) for _ in range(5)))
    with T.no_grad():
        for n, p in enumerate(model.parameters()):
            p.fill_(0.1 * n - 0.3)
    x = T.tensor([[1.0, 2.0]], requires_grad=True)
    T.utils.checkpoint.checkpoint_sequential(model, 2, x, use_reentrant=False).sum().backward()
    return x.grad.tolist(), [p.grad.tolist() for p in model.parameters()]


@pytest.mark.parametrize("story", [nested, twice_differentiated, one_of_two_results, in_sequence])
def test_gradients_are_pytorchs(story: Callable[[Any], Any]) -> None:
    def flat(value: Any) -> Any:
        return [f for v in value for f in flat(v)] if isinstance(value, tuple | list) else [value]

    ours, theirs = flat(story(tg)), flat(story(torch))
    assert [type(v) for v in ours] == [type(v) for v in theirs]
    for a, b in zip(ours, theirs, strict=True):
        assert a == (b if isinstance(b, str) else pytest.approx(b, rel=1e-4, abs=1e-5))


def _masks(w: tg.Tensor, x: tg.Tensor, *, preserve: bool) -> tuple[tg.Tensor, tg.Tensor]:
    w.grad = None
    y = checkpoint(lambda x: F.dropout(x * w, 0.5), x, use_reentrant=True, preserve_rng_state=preserve)
    y.sum().backward()
    assert w.grad is not None
    return y.detach(), w.grad * 1


@pytest.mark.parametrize("compiled", [False, True], ids=["loop", "compiled"])
def test_masks_are_the_same_the_second_time(compiled: bool) -> None:
    w, x = tg.ones(64, requires_grad=True), tg.ones(64)

    def step(x: tg.Tensor) -> tuple[tg.Tensor, tg.Tensor]:
        return _masks(w, x, preserve=True)

    call = tg.compile(step) if compiled else step
    seen = []
    for _ in range(8):
        F.dropout(x, 0.5).sum().item()  # a call that loops know
        y, grad = call(x)
        np.testing.assert_array_equal(y.numpy(), grad.numpy())
        seen.append(y.numpy().tobytes())
    assert len(set(seen)) == 8
    y, grad = _masks(w, x, preserve=False)
    assert (y.numpy() != grad.numpy()).any()


def test_what_lies_between_is_not_kept() -> None:
    def scratch_bytes(segments: int) -> int:
        tg.manual_seed(0)
        model = tg.nn.Sequential(*(tg.nn.Sequential(tg.nn.Linear(8, 8), tg.nn.Tanh()) for _ in range(24)))

        @tg.compile
        def step(x: tg.Tensor) -> Any:
            model.zero_grad()
            out = checkpoint_sequential(model, segments, x) if segments else model(x)
            loss = (out * out).mean()
            loss.backward()
            return loss, *(p.grad * 1 for p in model.parameters() if p.grad is not None)

        x = tg.ones(2048, 8)
        step(x)
        return sum(b.size_bytes for b in step.record(x).compiled.program.buffers if b.role == "scratch")

    assert scratch_bytes(5) < 0.7 * scratch_bytes(0)


def test_parameter_that_changed_before_backward_is_refused() -> None:
    w = tg.tensor([1.0, 2.0], requires_grad=True)
    loss = checkpoint(lambda x: (x * w).sum(), tg.ones(2), use_reentrant=False)
    with tg.no_grad():
        w.mul_(2)
    with pytest.raises(RuntimeError, match="saved tensors unchanged since the forward pass"):
        loss.backward()


def test_function_that_does_something_else_the_second_time_is_refused() -> None:
    w, calls = tg.tensor([1.0, 2.0], requires_grad=True), []

    def part(x: tg.Tensor) -> Any:
        calls.append(1)
        return (x * w, x + w)[: len(calls)]

    (y,) = checkpoint(part, tg.ones(2))
    with pytest.raises(RuntimeError, match="expected the function to return 1 tensors that require grad"):
        y.sum().backward()

    def drawing(x: tg.Tensor) -> tg.Tensor:
        calls.append(1)
        for _ in range(len(calls)):
            x = F.dropout(x * w, 0.5)
        return x

    loss = checkpoint(drawing, tg.ones(2)).sum()
    with pytest.raises(RuntimeError, match="expected a function that draws as often"):
        loss.backward()


def test_arguments_that_mean_something_else_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="expected context_fn=None"):
        checkpoint(lambda x: x, tg.ones(2), context_fn=lambda: (None, None))
    with pytest.raises(ValueError, match="expected 1 to 2 segments, got 3"):
        checkpoint_sequential([tg.sin, tg.cos], 3, tg.ones(2))
    with tg.no_grad():
        assert checkpoint(lambda x: x * 2, tg.ones(2, requires_grad=True)).tolist() == [2, 2]
