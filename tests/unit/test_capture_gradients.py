"""Compiled steps over gradients that eager code left: they count as in PyTorch, and are looked for again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg

Seen = list[tuple[list[float], list[float] | None]]


class Descent:
    """What ``torch.optim.SGD`` does, which takes seconds to import."""

    def __init__(self, w: torch.Tensor) -> None:
        self.w = w

    def step(self) -> None:
        assert self.w.grad is not None
        with torch.no_grad():
            self.w -= 0.1 * self.w.grad

    def zero_grad(self) -> None:
        self.w.grad = None


class Script:
    """One parameter, trained by either library; the step zeroes, adds and uses gradients as ``parts`` say."""

    def __init__(self, lib: Any, parts: str) -> None:
        self.lib = lib
        self.w = lib.tensor([1.0, 2.0], requires_grad=True)
        self.optimizer: Any = tg.optim.SGD([self.w], lr=0.1) if lib is tg else Descent(self.w)
        self.x = lib.tensor([1.0, 3.0])

        def step(x: Any) -> Any:
            for part in parts.split():
                if part == "zero":
                    self.optimizer.zero_grad()
                elif part == "none":
                    self.w.grad = None
                elif part == "backward":
                    ((self.w * x) ** 2).sum().backward()
                else:
                    self.optimizer.step()
            return (self.w.detach() * x).sum()

        self.step: Any = tg.compile(step) if lib is tg else step

    def eager(self) -> None:
        ((self.w * self.x) * 5).sum().backward()

    def seen(self) -> tuple[list[float], list[float] | None]:
        grad = self.w.grad
        return self.w.detach().numpy().tolist(), None if grad is None else grad.numpy().tolist()


def told(lib: Any, parts: str, deeds: str) -> tuple[Seen, Script]:
    """Values and gradients after each call of the step, in a loop of these deeds."""
    script, found = Script(lib, parts), []
    for deed in deeds.split():
        if deed == "eager":
            script.eager()
        elif deed == "zero":
            script.optimizer.zero_grad()
        else:
            script.step(script.x)
            found.append(script.seen())
    return found, script


PROGRAMS: dict[str, tuple[str, str]] = {
    "added to and used": ("backward step", "eager call call call call"),
    "added to": ("backward", "eager call call call"),
    "used": ("step", "eager call eager call eager call"),
    "used, zeroed between": ("step", "eager call zero eager call zero eager call"),
    "zeroed between": ("backward step", "eager call zero call zero call zero"),
    "left between calls": ("backward step", "call zero eager call call zero call zero eager call"),
    "zeroed in the step": ("zero backward step", "eager call call eager call"),
    "zeroed at the end": ("backward step zero", "eager call call eager call call"),
    "forgotten by hand": ("none backward step", "eager call call eager call"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_of_eager_code_count_as_in_pytorch(name: str) -> None:
    parts, deeds = PROGRAMS[name]
    ours, theirs = (told(lib, parts, deeds)[0] for lib in (tg, torch))
    for (value, grad), (expected, expected_grad) in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)
        if grad is not None and parts.startswith(("backward", "step")):  # what a step makes and uses is not left
            np.testing.assert_allclose(grad, expected_grad, rtol=1e-5)


@pytest.mark.parametrize(("parts", "left"), [("backward step", True), ("step", True), ("zero backward step", False)])
def test_what_was_there_before_a_step_stays_unless_the_step_zeroes_it(parts: str, left: bool) -> None:
    assert all((grad is not None) is left for _, grad in told(tg, parts, "eager call call")[0])


def test_a_step_that_zeroes_its_gradients_is_recorded_once() -> None:
    for parts, deeds in (
        ("zero backward step", "call eager call zero call eager call"),
        ("backward step", "eager call call call"),
        ("backward step", "call zero call zero call"),
        ("step", "eager call eager call"),
    ):
        assert len(told(tg, parts, deeds)[1].step.recordings) == 1


def test_a_module_zeroes_gradients_in_a_step_too() -> None:
    model = tg.nn.Linear(2, 1)
    optimizer = tg.optim.SGD(model.parameters(), lr=0.1)

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        model.zero_grad()
        loss = (model(x) ** 2).sum()
        loss.backward()
        optimizer.step()
        return loss

    x = tg.ones(3, 2)
    for _ in range(3):
        model(x).sum().backward()
        step(x)
    assert len(step.recordings) == 1
