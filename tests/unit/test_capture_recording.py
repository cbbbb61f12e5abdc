"""``tabgrad.compile``: numbers that change from replay to replay, and what makes a step be recorded again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from steps import step_of
from tabgrad import nn, optim
from unit.compiled_steps import classifier, data, f, product_step, train_step


def test_learning_rate_changes_without_a_new_recording() -> None:
    w = tg.tensor([0.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=1.0)

    step = tg.compile(product_step(w, optimizer))

    step(f(1))
    before = tg.current_session().device.counters.snapshot()
    recorded = step.record(f(1))
    for lr in (0.5, 0.25):
        optimizer.param_groups[0]["lr"] = lr
        step(f(1))
    after = tg.current_session().device.counters.snapshot()
    assert w.tolist() == [-1.75]
    assert step.record(f(1)) is recorded
    assert after["pipelines_created"] == before["pipelines_created"]
    assert after["submits"] - before["submits"] == 2


def test_every_hyperparameter_of_adam_may_change() -> None:
    values = []
    for wrap in (lambda fn: fn, tg.compile):
        w = tg.tensor([1.0, -2.0], requires_grad=True)
        optimizer = optim.Adam([w], lr=0.1)
        step = wrap(step_of(optimizer, lambda x, w=w: (w * w * x).sum()))
        step(f(1, 1))
        optimizer.param_groups[0].update(lr=0.01, betas=(0.5, 0.9), eps=1e-3, weight_decay=0.1)
        for _ in range(3):
            step(f(1, 3))
        values.append(w.tolist())
    assert values[0] == pytest.approx(values[1], rel=1e-6)


def test_a_flag_of_the_optimizer_records_anew() -> None:
    w = tg.tensor([0.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=1.0)

    step = tg.compile(product_step(w, optimizer))

    step(f(1))
    optimizer.param_groups[0]["maximize"] = True
    for _ in range(3):
        step(f(1))
    assert w.tolist() == [2]


def test_training_mode_records_anew_and_returns_to_the_first_recording() -> None:
    model = nn.Sequential(nn.Dropout(0.5))
    calls = []

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        calls.append(model.training)
        return model(x) * 1

    x = tg.ones(50)
    assert set(step(x).tolist()) == {0, 2}
    model.eval()
    assert set(step(x).tolist()) == {1}
    model.train()
    assert set(step(x).tolist()) == {0, 2}
    assert calls == [True, False]


def test_another_shape_or_dtype_records_anew() -> None:
    calls = []

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        calls.append((x.shape, x.dtype.name))
        return x.sum() * 2

    for x in (f(1, 2), f(1, 2, 3), tg.tensor([1, 2]), f(4, 5)):
        step(x)
    assert step(f(1, 1, 1)).item() == 6
    assert calls == [((2,), "float32"), ((3,), "float32"), ((2,), "int32")]


def test_an_uneven_last_batch_trains_the_same_parameters() -> None:
    results = []
    for wrap in (lambda step: step, tg.compile):
        model = classifier()
        step = wrap(train_step(model, optim.Adam(model.parameters(), lr=0.01)))
        for n, size in enumerate((6, 6, 2, 6, 2)):
            step(*map(tg.tensor, data(size, seed=n)))
        results.append([p.detach().numpy() for p in model.parameters()])
    for eager, compiled in zip(*results, strict=True):
        np.testing.assert_array_equal(eager, compiled)


def test_another_constant_records_anew_with_its_type() -> None:
    @tg.compile
    def step(x: tg.Tensor, how: Any) -> tg.Tensor:
        return x + (10 if how is True else 20 if isinstance(how, int) else 30)

    assert [step(f(0), how).item() for how in (True, 1, 1.0, True)] == [10, 20, 30, 10]
