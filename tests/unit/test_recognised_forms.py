"""Ways of writing a loop's step that are recognised: once known, no call of it is executed, and PyTorch's losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from programs.step_watch import CREATED, StepWatch
from sessions import session_on

Step = Callable[[int], Any]
WARM_UP, STEPS = 4, 9


def linear(T: Any) -> Any:
    layer = T.nn.Linear(4, 3)
    with T.no_grad():
        layer.weight.copy_(T.arange(12.0).reshape(3, 4) * 0.1 - 0.5)
        layer.bias.fill_(0.1)
    return layer


def batch(T: Any, n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    return T.tensor(rng.normal(size=(6, 4)).astype(np.float32)), T.tensor(rng.integers(0, 3, 6).tolist())


def moved_to_a_device(T: Any) -> Step:
    device = T.device("cpu")
    model = linear(T).to(device)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)

    def step(n: int) -> Any:
        x, y = batch(T, n)
        x, y = x.to(device, non_blocking=True), y.to(device)
        extra = T.zeros(6, 4, device=device).to(memory_format=T.contiguous_format)
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x + extra), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


FORMS: dict[str, Callable[[Any], Step]] = {f.__name__: f for f in (moved_to_a_device,)}


@pytest.mark.parametrize("name", FORMS)
def test_a_step_is_recognised(name: str) -> None:
    with session_on("reference"):
        step, watch = FORMS[name](tg), StepWatch(tg)
        with watch.watching():
            losses = [step(n).item() for n in range(STEPS)]
        steps = watch.steps()
    assert len(steps) == STEPS
    assert [s["executed"] for s in steps[WARM_UP:]] == [0] * (STEPS - WARM_UP)
    assert {key: sum(s[key] for s in steps[WARM_UP:]) for key in CREATED} == dict.fromkeys(CREATED, 0)
    theirs = FORMS[name](torch)
    np.testing.assert_allclose(losses, [theirs(n).item() for n in range(STEPS)], rtol=1e-5)
