"""Training steps that run in both libraries: what the code depends on is changed between steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

import tabgrad as tg

Story = Callable[[Any], Iterator[Any]]
"""Given ``tabgrad`` or ``torch``, trains and yields losses, changing something in between."""


def compiled(T: Any, step: Any) -> Any:
    """The step as ``tabgrad.compile`` makes it; PyTorch's as it is."""
    return tg.compile(step) if T is tg else step


def started(T: Any, module: Any, seed: int = 0) -> Any:
    """The module with parameters that are the same in both libraries."""
    rng = np.random.default_rng(seed)
    with T.no_grad():
        for parameter in module.parameters():
            parameter.copy_(T.tensor(rng.uniform(-0.5, 0.5, tuple(parameter.shape)).astype(np.float32)))
    return module


def net(T: Any) -> Any:
    """Two layers, 3 → 4 → 2."""
    return started(T, T.nn.Sequential(T.nn.Linear(3, 4), T.nn.Tanh(), T.nn.Linear(4, 2)))


def batch(T: Any, seed: int = 0) -> tuple[Any, Any]:
    """Inputs ``[5, 3]`` and targets ``[5, 2]``."""
    rng = np.random.default_rng(100 + seed)
    return T.tensor(rng.standard_normal((5, 3)).astype(np.float32)), T.tensor(
        rng.standard_normal((5, 2)).astype(np.float32)
    )


def training(T: Any, optimizer: Any, loss_of: Callable[[Any, Any], Any]) -> Any:
    """A compiled step of plain training."""

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return compiled(T, step)


def losses(T: Any, step: Any, count: int = 2, first: int = 0) -> Iterator[Any]:
    """Of some steps, each with a batch of its own."""
    for n in range(first, first + count):
        yield step(*batch(T, n))


def told(T: Any, story: Story) -> list[np.ndarray]:
    """All that a story yields, as arrays."""
    return [np.array(value.detach().numpy() if hasattr(value, "detach") else value) for value in story(T)]


def assert_as_torch(story: Story) -> None:
    """The story is the same in both libraries."""
    ours, theirs = told(tg, story), told(torch, story)
    assert len(ours) == len(theirs) > 3
    for n, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        np.testing.assert_allclose(mine, other, rtol=2e-4, atol=2e-5, err_msg=f"value {n} of the story")
