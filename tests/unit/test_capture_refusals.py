"""``tabgrad.compile``: what is refused, with which words, and that everything stays usable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from tabgrad import TabgradError, optim
from unit.compiled_steps import f


def test_printing_inside_shows_no_values() -> None:
    shown = []
    tg.compile(lambda x: shown.append(f"{x} {x * 2}") or x * 2)(f(1))
    recorded = "tensor(<recorded>, size=(1,))"
    assert shown == [f"{recorded} {recorded}"]


@pytest.mark.parametrize(
    "look", [lambda t: t.item(), lambda t: t.numpy(), bool, float, lambda t: t.tolist(), lambda t: t.sum().realize()]
)
@pytest.mark.parametrize("at", ["the input", "a result"])
def test_looking_at_a_value_inside_is_refused(look: Any, at: str) -> None:
    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        look(x if at == "the input" else x.sum())
        return x * 2

    with pytest.raises(RuntimeError, match=r"does not look at values while it is recorded, got item\(\), numpy\(\)"):
        step(f(1))
    # nothing is left half recorded
    assert tg.compile(lambda x: x * 2)(f(1)).item() == 2


def test_an_error_inside_leaves_everything_usable() -> None:
    w = tg.tensor([1.0], requires_grad=True)
    optimizer = optim.Adam([w], lr=0.1)
    fail = True

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        optimizer.zero_grad()
        loss = (w * x).sum()
        loss.backward()
        optimizer.step()
        if fail:
            raise KeyError("from the script")
        return loss.detach()

    with pytest.raises(KeyError, match="from the script"):
        step(f(1))
    assert w.tolist() == [1]
    assert w.grad is None
    fail = False
    step(f(1))
    assert w.item() == pytest.approx(0.9)


def test_returning_what_was_not_computed_is_refused() -> None:
    outside = f(1)
    (outside * 1).realize()
    with pytest.raises(NotImplementedError, match="got an input returned as it is"):
        tg.compile(lambda x: x)(f(1))
    with pytest.raises(NotImplementedError, match="got a tensor made outside the step returned as it is"):
        tg.compile(lambda x: outside)(f(1))
    with pytest.raises(RuntimeError, match="expected a step that returns or overwrites tensors"):
        tg.compile(lambda x: None)(f(1))


def test_arrays_as_constants_are_refused() -> None:
    step = tg.compile(lambda x, a: x + 1)
    with pytest.raises(TabgradError, match=r"got ndarray; pass data as tabgrad\.tensor"):
        step(f(1), np.zeros(3))


def test_a_gradient_that_a_step_left_behind_is_refused() -> None:
    w = tg.tensor([1.0, 2.0], requires_grad=True)

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        loss = (w * x).sum()
        loss.backward()
        return loss.detach()

    assert step(f(3, 4)).item() == 11
    with pytest.raises(RuntimeError, match="got one that it computed and did not return"):
        w.grad.numpy()
    with pytest.raises(RuntimeError, match="computed and did not return"):
        tg.compile(lambda x: x + w.grad)(f(1, 1))
    assert w.tolist() == [1, 2]
    w.grad = None
    assert step(f(1, 1)).item() == 3


def test_what_was_made_of_a_number_that_a_step_asks_for_is_refused_outside() -> None:
    kept = []

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        kept.append(tg.rand(2) * 2)  # its seed and draw are asked in each run
        return x * 2

    assert step(f(1)).item() == 2
    w = tg.tensor([1.0], requires_grad=True)
    (w * 2).sum().backward()
    optim.SGD([w], lr=0.5).step()  # computes what waits, but for this
    assert w.tolist() == [0]
    with pytest.raises(RuntimeError, match="got one that it computed and did not return"):
        kept[0].numpy()
    with pytest.raises(RuntimeError, match="computed and did not return"):
        tg.compile(lambda x: x + kept[0])(f(1, 1))


def test_an_input_that_the_step_overwrites_is_refused() -> None:
    w = f(1)
    (w * 1).realize()

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        w.copy_(w + x)
        return x * 2

    assert step(f(5)).item() == 10
    with pytest.raises(NotImplementedError, match=r"got one that it does; pass input\.clone\(\)"):
        step(w)
    assert step(w.clone()).item() == 12
    assert w.item() == 12


def test_changing_a_parameter_after_its_optimizer_in_a_step_is_refused() -> None:
    w = tg.tensor([1.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=0.1)

    @tg.compile
    def step(x: tg.Tensor) -> None:
        optimizer.zero_grad()
        (w * x).sum().backward()
        optimizer.step()
        with tg.no_grad():
            w.clamp_(-1, 1)

    with pytest.raises(NotImplementedError, match="copy_ of a parameter that an optimizer holds is not supported"):
        step(f(1))


def test_a_step_may_not_record_another() -> None:
    inner = tg.compile(lambda x: x + 1)

    @tg.compile
    def outer(x: tg.Tensor) -> tg.Tensor:
        return inner(x)

    with pytest.raises(RuntimeError, match="got a call of the compiled step '<lambda>' inside 'outer'; compile the"):
        outer(f(1))
    assert inner(f(1)).item() == 2
