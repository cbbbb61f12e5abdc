"""Parameters without a gradient are skipped as in PyTorch: their values, state and step counts stay."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from daily import daily_random
from steps import step_of
from tabgrad import GradError, nn, optim

KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "Adam": ("Adam", {"lr": 0.05, "weight_decay": 0.1}),
    "AdamW": ("AdamW", {"lr": 0.05}),
    "SGD": ("SGD", {"lr": 0.05, "weight_decay": 0.1}),
    "momentum": ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
}


def nets() -> tuple[nn.Module, torch.nn.Module]:
    """Three linear layers in both libraries, with the same initial values."""
    tg.manual_seed(4)
    ours = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2))
    theirs = torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2)
    )
    theirs.load_state_dict({n: torch.tensor(t.numpy()) for n, t in ours.state_dict().items()})
    return ours, theirs


def compare(ours: nn.Module, theirs: torch.nn.Module) -> None:
    for name, value in theirs.state_dict().items():
        np.testing.assert_allclose(ours.state_dict()[name].numpy(), value.numpy(), rtol=2e-4, atol=2e-6, err_msg=name)


def freeze(rng: random.Random, ours: nn.Module, theirs: torch.nn.Module) -> None:
    """Freeze and unfreeze the same layers in both libraries; at least one is trained."""
    trained = rng.randrange(3)
    for n in range(3):
        mode = n == trained or rng.random() < 0.5
        ours[2 * n].requires_grad_(mode)  # type: ignore[index]
        theirs[2 * n].requires_grad_(mode)  # type: ignore[index]


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("kind", KINDS)
def test_freezing_layers_between_steps(kind: str, compiled: bool) -> None:
    rng = daily_random(f"freezing {kind} {compiled}")
    name, options = KINDS[kind]
    ours, theirs = nets()
    optimizer = getattr(optim, name)(ours.parameters(), **options)
    other = getattr(torch.optim, name)(theirs.parameters(), **options)
    step = step_of(optimizer, lambda x, y: nn.functional.mse_loss(ours(x), y))
    run = tg.compile(step) if compiled else step

    @tg.compile  # recorded before the parameters move
    def watch(x: tg.Tensor) -> tg.Tensor:
        with tg.no_grad():
            return ours(x) * 1.0

    values = np.random.default_rng(0)
    for _ in range(7):
        if rng.random() < 0.7:
            freeze(rng, ours, theirs)
        x, y = values.standard_normal((4, 3)).astype(np.float32), values.standard_normal((4, 2)).astype(np.float32)
        np.testing.assert_allclose(
            watch(tg.tensor(x)).numpy(), theirs(torch.tensor(x)).detach().numpy(), rtol=2e-4, atol=1e-5
        )
        loss = run(tg.tensor(x), tg.tensor(y))
        other.zero_grad()
        expected = torch.nn.functional.mse_loss(theirs(torch.tensor(x)), torch.tensor(y))
        expected.backward()
        other.step()
        assert loss.item() == pytest.approx(expected.item(), rel=1e-4)
        compare(ours, theirs)
    saved, expected_state = optimizer.state_dict()["state"], other.state_dict()["state"]
    if "momentum" in kind or "Adam" in kind:
        assert sorted(saved) == sorted(expected_state)
    for index, pieces in expected_state.items():
        for what, value in pieces.items():
            if value is not None:
                np.testing.assert_allclose(saved[index][what], np.asarray(value), rtol=2e-3, atol=1e-6, err_msg=what)


def test_state_of_parts_is_saved_and_loaded() -> None:
    ours, _ = nets()
    first = optim.Adam(ours.parameters(), lr=0.05)
    x = tg.ones(2, 3)

    def train(optimizer: optim.Optimizer, steps: int) -> list[float]:
        losses = []
        for n in range(steps):
            ours[0].requires_grad_(n % 2 == 0)  # type: ignore[index]
            optimizer.zero_grad()
            loss = (ours(x) ** 2).sum()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    train(first, 3)
    saved, weights = first.state_dict(), {n: t.clone().realize() for n, t in ours.state_dict().items()}
    assert [saved["state"][i]["step"] for i in range(6)] == [2, 2, 3, 3, 3, 3]
    expected = train(first, 4)
    again, _ = nets()
    ours = again
    ours.load_state_dict(weights)
    second = optim.Adam(ours.parameters(), lr=0.05)
    second.load_state_dict(saved)
    assert train(second, 4) == pytest.approx(expected, rel=1e-5)


def test_what_was_detached_follows_parameters_that_move() -> None:
    ours, _ = nets()
    state = ours.state_dict()
    optimizer = optim.SGD(ours.parameters(), lr=0.1)
    for frozen in (False, True, False):
        ours[0].requires_grad_(not frozen)  # type: ignore[index]
        optimizer.zero_grad()
        (ours(tg.ones(2, 3)) ** 2).sum().backward()
        optimizer.step()
        for name, value in ours.state_dict().items():
            np.testing.assert_array_equal(state[name].numpy(), value.numpy())
    state["0.weight"].zero_()
    assert not ours[0].weight.detach().numpy().any()  # type: ignore[index]


def test_other_parameters_at_a_second_step_inside_one_recording_are_refused() -> None:
    a, b = (tg.tensor([1.0], requires_grad=True) for _ in range(2))
    optimizer = optim.Adam([a, b])

    @tg.compile
    def step(x: tg.Tensor) -> None:
        (a * x + b).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        (a * x).sum().backward()
        optimizer.step()

    with pytest.raises(GradError, match="expected gradients for the same parameters at all steps inside one compiled"):
        step(tg.ones(1))


def test_a_replaced_module_is_recorded_again() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.layers = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 1))

        def forward(self, x: tg.Tensor) -> tg.Tensor:
            return self.layers(self.body(x))

    model = Net()

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        with tg.no_grad():
            return model(x) * 1.0

    x = tg.ones(1, 2)
    for change in (
        lambda: None,
        lambda: setattr(model, "body", nn.Linear(2, 2)),
        lambda: setattr(model.body, "weight", nn.Parameter(np.full((2, 2), 3, np.float32))),
        lambda: model.layers.__setitem__(0, nn.Linear(2, 1)),
    ):
        change()
        np.testing.assert_allclose(step(x).numpy(), model(x).detach().numpy(), rtol=1e-6)
        recorded = len(step.recordings)
        step(x)
        assert len(step.recordings) == recorded
