"""Runs of the trainer: their results and their events."""

from __future__ import annotations

import asyncio
import math

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import NotFiniteError, TabgradError, nn, optim
from tabgrad.data import DataLoader, TensorDataset, datasets
from tabgrad.metrics.functions import FUNCTIONS, metric
from tabgrad.train import Trainer, control
from unit.train.harness import loader, logged, regression, trainer


def test_a_run_tells_its_story_in_order() -> None:
    with logged() as log:
        history = asyncio.run(trainer().fit(loader(), loader(7, 3, seed=1), epochs=2))
    kinds = [e["type"] for e in log.events]
    assert kinds[:2] == ["device", "fit_start"]
    assert log.states() == ["running", "finished"]
    assert kinds.index("state") > kinds.index("status")
    assert kinds[-1] == "state"
    first = log.of("fit_start")[0]
    assert first == {
        "type": "fit_start", "epochs": 2, "steps_per_epoch": 3, "train_samples": 10, "val_samples": 7,
        "parameters": 4, "batch_size": 4, "metrics": ["loss"], "lr": 0.1, "task": "regression",
    }  # fmt: skip
    device = log.of("device")[0]
    assert (device["device"], device["kind"], device["reason"]) == ("reference", "numpy", None)
    assert [(e["epoch"], e["step"]) for e in log.of("validation")] == [(1, 3), (2, 6)]
    assert len(log.of("samples")) == 2
    assert [p["step"] for p in log.points()] == [1, 2, 3, 4, 5, 6]
    assert [p["epoch"] for p in log.points()] == pytest.approx([n / 3 for n in range(1, 7)])
    last = log.of("metrics")[-1]
    assert (last["step"], last["total_steps"], last["eta_s"], last["lr"]) == (6, 6, 0.0, 0.1)
    assert last["step_ms"] > 0
    assert history["train"] == log.points()
    assert [v["loss"] for v in history["validation"]] == [e["loss"] for e in log.of("validation")]


def test_compiling_is_told_kernel_by_kernel() -> None:
    model = nn.Sequential(nn.Linear(3, 13), nn.Tanh(), nn.Linear(13, 1))  # a shape that no other test has compiled
    with logged() as log:
        asyncio.run(trainer(model=model).fit(loader(), loader(7, 3), epochs=1))
    progress = [(e["done"], e["total"]) for e in log.of("status") if e["phase"] == "compiling"]
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)
    assert progress[-1][0] == progress[-1][1] > 0
    assert {total for _, total in progress} == {progress[-1][1]}
    phases = [e["phase"] for e in log.of("status")]
    assert phases.index("training") > 0


def test_events_are_plain_json() -> None:
    import json

    with logged() as log:
        asyncio.run(trainer(metrics=["mae"]).fit(loader(), loader(7, 3), epochs=1))
    for event in log.events:
        json.dumps(event, allow_nan=False)


def test_losses_are_pytorchs() -> None:
    model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1))
    other = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.ReLU(), torch.nn.Linear(5, 1))
    other.load_state_dict({k: torch.tensor(v.detach().numpy()) for k, v in model.state_dict().items()})
    ours = Trainer(model, nn.MSELoss(), optim.Adam(model.parameters(), lr=0.05), collectors=[])
    history = asyncio.run(ours.fit(loader(), epochs=3))
    theirs = torch.optim.Adam(other.parameters(), lr=0.05)
    x, y = (torch.tensor(a) for a in regression().arrays)
    expected = []
    for n in range(9):
        at = slice(n % 3 * 4, n % 3 * 4 + 4)
        theirs.zero_grad()
        loss = torch.nn.functional.mse_loss(other(x[at]), y[at])
        loss.backward()
        theirs.step()
        expected.append(loss.item())
    assert [p["loss"] for p in history["train"]] == pytest.approx(expected, rel=1e-4)


def test_validation_is_the_mean_over_samples_whatever_the_last_batch_holds() -> None:
    model = nn.Linear(3, 1)
    run = trainer(model=model, metrics=["mae"])
    data = regression(11, seed=4)
    x, y = data.arrays
    error = x @ model.weight.detach().numpy().T + model.bias.detach().numpy() - y
    for size in (1, 4, 10, 11, 64):
        found = asyncio.run(run.evaluate(DataLoader(data, batch_size=size)))
        assert found["loss"] == pytest.approx(float((error**2).mean()), rel=1e-5)
        assert found["mae"] == pytest.approx(float(abs(error).mean()), rel=1e-5)


def worst(output: tg.Tensor, target: tg.Tensor) -> tg.Tensor:
    return (output - target).abs().max()


def test_every_metric_is_reported_by_name_and_a_function_is_one() -> None:
    model = nn.Linear(3, 1)
    run = trainer(lr=0.0, model=model, metrics=["mae", worst])
    x, y = regression().arrays
    error = abs(x @ model.weight.detach().numpy().T + model.bias.detach().numpy() - y)
    with logged() as log:
        asyncio.run(run.fit(loader(10, 10), loader(10, 10), epochs=1))
    assert log.of("fit_start")[0]["metrics"] == ["loss", "mae", "worst"]
    for event in (log.points()[0], log.of("validation")[0]):
        assert event["mae"] == pytest.approx(error.mean(), rel=1e-5)
        assert event["worst"] == pytest.approx(error.max(), rel=1e-5)
    assert asyncio.run(run.evaluate(loader()))["mae"] == pytest.approx(error.mean(), rel=1e-5)


def test_one_declaration_makes_a_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabgrad.metrics.functions.FUNCTIONS", dict(FUNCTIONS))
    metric("worst error")(worst)
    with logged() as log:
        asyncio.run(trainer(metrics=["worst error"]).fit(loader(), loader(7, 3), epochs=1))
    assert log.of("fit_start")[0]["metrics"] == ["loss", "worst error"]
    assert all("worst error" in event for event in (*log.points(), *log.of("validation")))
    with pytest.raises(TabgradError, match="expected one of accuracy, mae, mse, worst error, got 'f1'"):
        trainer(metrics=["f1"])


def test_a_function_called_accuracy_makes_no_classification() -> None:
    def accuracy(output: tg.Tensor, target: tg.Tensor) -> tg.Tensor:
        return ((output - target).abs() < 0.5).float().mean()

    with logged() as log:
        asyncio.run(trainer(metrics=[accuracy]).fit(loader(), epochs=1))
    assert log.of("fit_start")[0]["task"] == "regression"
    assert 0 <= log.points()[0]["accuracy"] <= 1


def test_accuracy_counts_right_answers() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((23, 4)).astype(np.float32), rng.integers(0, 3, 23)
    model = nn.Linear(4, 3)
    run = Trainer(model, nn.CrossEntropyLoss(), optim.SGD(model.parameters()), metrics=["accuracy"], collectors=[])
    found = asyncio.run(run.evaluate(DataLoader(TensorDataset(x, y), batch_size=10)))
    right = (x @ model.weight.detach().numpy().T + model.bias.detach().numpy()).argmax(1) == y
    assert found["accuracy"] == pytest.approx(right.mean())


def test_evaluation_leaves_the_mode_and_the_statistics_alone() -> None:
    model = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 1))
    run = trainer(model=model)
    first = asyncio.run(run.evaluate(loader()))
    assert asyncio.run(run.evaluate(loader())) == first
    assert model.training
    assert model[0].num_batches_tracked.item() == 0


def test_validation_uses_running_statistics_and_training_updates_them() -> None:
    model = nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 1))
    asyncio.run(trainer(model=model).fit(loader(12), loader(7, 3), epochs=2))
    assert model[0].num_batches_tracked.item() == 6
    assert model.training


def test_diabetes_at_full_batch_is_one_step_per_epoch() -> None:
    data = datasets.diabetes()
    model = nn.Linear(10, 1)
    with logged() as log:
        run = Trainer(model, nn.MSELoss(), optim.Adam(model.parameters(), lr=0.1), collectors=[])
        asyncio.run(run.fit(DataLoader(data, batch_size=442), epochs=7))
    assert len(data) == 442
    assert log.of("fit_start")[0]["steps_per_epoch"] == 1
    assert [p["epoch"] for p in log.points()] == [1, 2, 3, 4, 5, 6, 7]
    assert log.points()[-1]["loss"] < log.points()[0]["loss"]


def test_a_second_fit_continues_from_the_first() -> None:
    split, whole = trainer(), trainer()
    for _ in range(2):
        asyncio.run(split.fit(loader(), epochs=2))
    asyncio.run(whole.fit(loader(), epochs=4))
    assert [p["loss"] for p in split.history["train"]] == [p["loss"] for p in whole.history["train"]]


def test_runs_with_one_seed_are_the_same_bit_for_bit() -> None:
    losses = []
    for _ in range(2):
        tg.manual_seed(7)
        model = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))
        run = Trainer(model, nn.MSELoss(), optim.Adam(model.parameters()), collectors=[])
        history = asyncio.run(run.fit(DataLoader(regression(), batch_size=4, shuffle=True), epochs=3))
        losses.append([p["loss"] for p in history["train"]])
    assert losses[0] == losses[1]


def test_more_steps_than_the_log_holds() -> None:
    with logged() as log:
        asyncio.run(trainer(lr=1e-3).fit(loader(4, 4), epochs=1100))
    assert [p["step"] for p in log.points()] == list(range(1, 1101))


def test_learning_rate_zero_changes_nothing() -> None:
    model = nn.Linear(3, 1)
    before = model.weight.tolist()
    asyncio.run(trainer(lr=0.0, model=model).fit(loader(), epochs=2))
    assert model.weight.tolist() == before


# Losses that are not finite


def _fail(run: Trainer, data: DataLoader, epochs: int = 3) -> str:
    with logged() as log, pytest.raises(NotFiniteError) as caught:
        asyncio.run(run.fit(data, epochs=epochs))
    assert log.states()[-1] == "failed"
    assert not control.listening()
    return str(caught.value)


def test_divergence_names_the_step_and_the_first_tensor() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    message = _fail(trainer(lr=1e20, model=model), loader())
    assert message.startswith(
        "fit: the loss is inf at step 2; the first tensor that is not finite is the output of '1' "
    )
    assert "(Linear), shape [4, 1]" in message
    assert message.endswith("try a smaller learning rate, or check the data")


def test_overflow_inside_the_model_is_named() -> None:
    class Square(nn.Module):
        def forward(self, x: tg.Tensor) -> tg.Tensor:
            return x * x

    model = nn.Sequential(nn.Linear(3, 2), Square(), nn.Linear(2, 1))
    with tg.no_grad():
        model[0].weight.fill_(1e20)
    message = _fail(trainer(model=model), loader())
    assert "at step 1; the first tensor that is not finite is the output of '1' (Square), shape [4, 2]" in message


def test_data_that_is_not_finite_is_named() -> None:
    x, y = regression().arrays
    x = x.copy()
    x[5, 1] = math.nan
    message = _fail(trainer(), DataLoader(TensorDataset(x, y), batch_size=4))
    assert "the loss is nan at step 2; the first tensor that is not finite is the input batch, shape [4, 3]" in message
    y = y.copy()
    y[9] = math.inf
    message = _fail(trainer(), DataLoader(TensorDataset(regression().arrays[0], y), batch_size=4))
    assert "the loss is inf at step 3; the first tensor that is not finite is the target batch, shape [2, 1]" in message


def test_a_parameter_that_is_not_finite_is_named() -> None:
    model = nn.Linear(3, 1)
    with tg.no_grad():
        model.bias.fill_(math.nan)
    assert "the first tensor that is not finite is parameter 'bias', shape [1]" in _fail(trainer(model=model), loader())


def test_points_before_the_failure_are_kept_and_parameters_are_those_of_the_step() -> None:
    x, y = regression().arrays
    x = x.copy()
    x[5, 1] = math.nan
    run, reference = trainer(), trainer()
    _fail(run, DataLoader(TensorDataset(x, y), batch_size=4))
    asyncio.run(reference.fit(DataLoader(TensorDataset(x[:4], y[:4]), batch_size=4), epochs=1))
    for a, b in zip(run.model.parameters(), reference.model.parameters(), strict=True):
        assert a.tolist() == b.tolist()  # no update from the step that was not finite on


def test_training_goes_on_after_a_failure_was_mended() -> None:
    model = nn.Linear(3, 1)
    run = trainer(lr=1e30, model=model)
    _fail(run, loader())
    for group in run.optimizer.param_groups:
        group["lr"] = 0.1
    with tg.no_grad():
        for p in model.parameters():
            p.fill_(0.0)
    history = asyncio.run(run.fit(loader(), epochs=20))
    assert history["train"][-1]["loss"] < 0.05 * history["train"][-60]["loss"]


# Errors


def test_nothing_to_train_on_is_refused() -> None:
    with pytest.raises(TabgradError, match="fit: expected at least one batch and one epoch, got 3 and 0"):
        asyncio.run(trainer().fit(loader(), epochs=0))
    with pytest.raises(TabgradError, match="fit: expected at least one batch and one epoch, got 0 and 1"):
        asyncio.run(trainer().fit(loader(3, 4, drop_last=True), epochs=1))


def test_two_runs_at_a_time_are_refused() -> None:
    async def main() -> list[object]:
        first, second = trainer(), trainer()
        both = (first.fit(loader(), epochs=3), second.fit(loader(), epochs=3))
        return await asyncio.gather(*both, return_exceptions=True)

    done, refused = asyncio.run(main())
    assert isinstance(done, dict)
    assert str(refused) == "fit: expected no other run under way, got one; await it first, or stop it"
    asyncio.run(trainer().fit(loader(), epochs=1))


def test_an_error_in_the_script_ends_the_run_and_another_may_start() -> None:
    class Broken(nn.Module):
        def forward(self, x: tg.Tensor) -> tg.Tensor:
            return x @ tg.zeros(7, 7)

    with logged() as log:
        model = nn.Sequential(nn.Linear(3, 2), Broken())
        with pytest.raises(tg.ShapeError, match="matmul: expected inner sizes to match"):
            asyncio.run(trainer(model=model).fit(loader(), epochs=1))
        assert log.states() == ["failed"]
        asyncio.run(trainer().fit(loader(), epochs=1))
        assert log.states()[-1] == "finished"


def test_a_cancelled_run_lets_another_start() -> None:
    async def main() -> None:
        task = asyncio.ensure_future(trainer().fit(loader(), epochs=10_000))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not control.listening()
        await trainer().fit(loader(), epochs=1)

    asyncio.run(main())


def test_validation_time_is_no_step_time() -> None:
    with logged() as log:
        asyncio.run(trainer().fit(loader(), loader(7, 3, seed=1), epochs=5))
    kinds = [e["type"] for e in log.events if e["type"] in ("metrics", "validation")]
    # every step of an epoch is reported before the epoch's validation, so no report spans one
    reported = [e["step"] for e in log.events if e["type"] == "metrics"]
    validated = [e["step"] for e in log.events if e["type"] == "validation"]
    assert set(validated) <= set(reported)
    assert kinds[-1] == "validation"
