"""Compiled steps, and ``Trainer.fit``, follow changes of optimizers and in mid-training, as PyTorch's loop does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer
from unit.changing_steps import assert_as_torch, batch, losses, net, training

# Optimizers


def other_group(T: Any, model: Any, optimizer: Any) -> None:
    old = optimizer.param_groups[0]
    optimizer.param_groups[0] = {**old, "lr": 0.3}


def fewer_parameters(T: Any, model: Any, optimizer: Any) -> None:
    optimizer.param_groups[0]["params"] = list(model[0].parameters())


def swapped_parameter(T: Any, model: Any, optimizer: Any) -> None:
    model[2].bias = T.nn.Parameter(T.tensor([0.25, -0.25]))
    optimizer.param_groups[0]["params"][-1] = model[2].bias


GROUPS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "lr": lambda T, m, o: o.param_groups[0].update(lr=0.4),
    "weight_decay": lambda T, m, o: o.param_groups[0].update(weight_decay=0.5),
    "maximize": lambda T, m, o: o.param_groups[0].update(maximize=True),
    "nesterov": lambda T, m, o: o.param_groups[0].update(nesterov=True),
    "momentum": lambda T, m, o: o.param_groups[0].update(momentum=0.2),
    "another group": other_group,
    "fewer parameters": fewer_parameters,
    "another parameter": swapped_parameter,
}


@pytest.mark.parametrize("change", GROUPS)
def test_parameter_groups(change: str) -> None:
    def story(T: Any) -> Iterator[Any]:
        model = net(T)
        optimizer = T.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        step = training(T, optimizer, lambda x, y: ((model(x) - y) ** 2).mean())
        yield from losses(T, step)
        GROUPS[change](T, model, optimizer)
        yield from losses(T, step, 3)
        yield from model.parameters()

    assert_as_torch(story)


@pytest.mark.parametrize("change", ["lr", "weight_decay"])
def test_numbers_of_groups_change_without_a_new_recording(change: str) -> None:
    model = net(tg)
    optimizer = tg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    step = training(tg, optimizer, lambda x, y: ((model(x) - y) ** 2).mean())
    list(losses(tg, step))
    GROUPS[change](tg, model, optimizer)
    list(losses(tg, step))
    assert len(step.recordings) == 1


def test_momentum_that_starts_later() -> None:
    def story(T: Any) -> Iterator[Any]:
        model = net(T)
        optimizer = T.optim.SGD(model.parameters(), lr=0.1)
        step = training(T, optimizer, lambda x, y: ((model(x) - y) ** 2).mean())
        yield from losses(T, step)
        optimizer.param_groups[0]["momentum"] = 0.9
        yield from losses(T, step, 4)
        yield from model.parameters()

    assert_as_torch(story)


def test_momentum_of_one_group() -> None:
    def story(T: Any) -> Iterator[Any]:
        model = net(T)
        groups = [{"params": model[0].parameters(), "momentum": 0.9}, {"params": model[2].parameters()}]
        step = training(T, T.optim.SGD(groups, lr=0.1), lambda x, y: ((model(x) - y) ** 2).mean())
        yield from losses(T, step, 4)
        yield from model.parameters()

    assert_as_torch(story)


def test_a_replaced_optimizer() -> None:
    def story(T: Any) -> Iterator[Any]:
        model = net(T)
        optimizer = T.optim.SGD(model.parameters(), lr=0.1)

        def step(x: Any, y: Any) -> Any:
            optimizer.zero_grad()
            loss = ((model(x) - y) ** 2).mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        run = tg.compile(step) if T is tg else step
        yield from losses(T, run)
        optimizer = T.optim.Adam(model.parameters(), lr=0.05)
        yield from losses(T, run)
        optimizer = T.optim.SGD(model[0].parameters(), lr=0.2)
        yield from losses(T, run)
        yield from model.parameters()

    assert_as_torch(story)


# Trainer.fit

SCALE = 1.0


def scaled_loss(x: Any, y: Any) -> Any:
    return ((x - y) ** 2).mean() * SCALE


def rows(n: int = 12) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, 3)).astype(np.float32), rng.standard_normal((n, 2)).astype(np.float32)


class Fit:
    """A run in either library, an epoch at a time."""

    def __init__(self, T: Any) -> None:
        self.T, self.model, self.x, self.y = T, dropping(T), *rows()
        self.optimizer, self.loss_fn = T.optim.SGD(self.model.parameters(), lr=0.1), scaled_loss
        if T is tg:
            self.trainer = Trainer(self.model, self.loss_fn, self.optimizer, collectors=[])

    def replace(self, **parts: Any) -> None:
        for name, part in parts.items():
            setattr(self, name, part)
            if self.T is tg:
                setattr(self.trainer, name, part)

    def epochs(self, count: int = 2) -> Iterator[Any]:
        if self.T is tg:
            loader = DataLoader(TensorDataset(self.x, self.y), batch_size=4)
            asyncio.run(self.trainer.fit(loader, loader, epochs=count))
        else:
            for _ in range(count):
                for n in range(0, len(self.x), 4):
                    self.model.train()
                    self.optimizer.zero_grad()
                    x, y = (torch.tensor(a[n : n + 4]) for a in (self.x, self.y))
                    self.loss_fn(self.model(x), y).backward()
                    self.optimizer.step()
        yield from self.model.parameters()


def dropping(T: Any) -> Any:
    model = net(T)
    model.append(T.nn.Dropout(0.0))
    return model


def frozen(fit: Fit) -> None:
    fit.model[0].requires_grad_(False)


def without_output(fit: Fit) -> None:
    fit.model[3].p = 1.0


def other_head(fit: Fit) -> None:
    fit.model[2] = net(fit.T)[2]
    fit.replace(optimizer=fit.T.optim.SGD(fit.model.parameters(), lr=0.05))


def other_optimizer(fit: Fit) -> None:
    fit.replace(optimizer=fit.T.optim.Adam(fit.model.parameters(), lr=0.05))


def other_loss(fit: Fit) -> None:
    fit.replace(loss_fn=fit.T.nn.L1Loss())


def other_model(fit: Fit) -> None:
    fit.replace(model=dropping(fit.T))
    fit.replace(optimizer=fit.T.optim.SGD(fit.model.parameters(), lr=0.05))


@pytest.mark.parametrize(
    "change", [frozen, without_output, other_head, other_optimizer, other_loss, other_model], ids=lambda f: f.__name__
)
def test_fit_goes_on_with_what_changed(change: Callable[[Fit], None]) -> None:
    def story(T: Any) -> Iterator[Any]:
        fit = Fit(T)
        yield from fit.epochs()
        change(fit)
        yield from fit.epochs()

    assert_as_torch(story)


def test_fit_reads_a_global_variable_of_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    def story(T: Any) -> Iterator[Any]:
        fit = Fit(T)
        for scale in (1.0, 0.25, 1.0):
            monkeypatch.setitem(globals(), "SCALE", scale)
            yield from fit.epochs()

    assert_as_torch(story)


def test_a_layer_is_frozen_while_fit_runs() -> None:
    x, y = rows(16)
    model = dropping(tg)
    trainer = Trainer(model, scaled_loss, tg.optim.SGD(model.parameters(), lr=0.1), collectors=[])
    loader = DataLoader(TensorDataset(x, y), batch_size=4)

    async def main() -> list[np.ndarray]:
        running = asyncio.ensure_future(trainer.fit(loader, epochs=50))
        while trainer.steps.step < 20:
            await asyncio.sleep(0.001)
        model[0].requires_grad_(False)
        before = model[0].weight.detach().clone().realize()
        await running
        return [before.numpy(), model[0].weight.detach().numpy()]

    before, after = asyncio.run(main())
    assert trainer.steps.step == 200
    np.testing.assert_array_equal(before, after)


def test_a_trainer_refuses_parts_that_do_not_fit() -> None:
    fit = Fit(tg)
    with pytest.raises(TypeError, match=r"Trainer: expected optimizer as one of tabgrad\.optim, got int"):
        fit.trainer.optimizer = 3  # type: ignore[assignment]
    with pytest.raises(TypeError, match=r"Trainer: expected model as an nn\.Module, got int"):
        fit.trainer.model = 3  # type: ignore[assignment]
    with pytest.raises(TypeError, match="Trainer: expected loss_fn as a function"):
        fit.trainer.loss_fn = 3  # type: ignore[assignment]
    assert next(losses(tg, lambda x, y: fit.model(x).detach())).shape == (len(batch(tg)[0]), 2)
