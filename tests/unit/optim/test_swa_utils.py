"""Averages of weights, against PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import TabgradError

AVERAGES: dict[str, Any] = {
    "mean": lambda S: {},
    "mean of lists": lambda S: {"multi_avg_fn": S.get_swa_multi_avg_fn()},
    "moving": lambda S: {"avg_fn": S.get_ema_avg_fn(0.8)},
    "moving, lists": lambda S: {"multi_avg_fn": S.get_ema_multi_avg_fn(0.9), "use_buffers": True},
    "own": lambda S: {"avg_fn": lambda mean, value, n: mean + (value - mean) / (n + 2), "use_buffers": False},
}


def values(model: Any) -> dict[str, np.ndarray]:
    return {name: np.asarray(value.detach().numpy()) for name, value in model.state_dict().items()}


def pair() -> tuple[Any, Any]:
    """The same model in both libraries."""
    nets = [T.nn.Sequential(T.nn.Linear(3, 4), T.nn.BatchNorm1d(4), T.nn.Linear(4, 1)) for T in (tg, torch)]
    nets[1].load_state_dict({k: torch.tensor(np.array(v)) for k, v in values(nets[0]).items()})
    return nets[0], nets[1]


def batch(T: Any, n: int) -> Any:
    return T.tensor(np.random.default_rng(n).standard_normal((6, 3)).astype(np.float32))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", AVERAGES)
def test_averages_are_pytorchs(name: str, compiled: bool) -> None:
    found = []
    for T, net in zip((tg, torch), pair(), strict=True):
        S = T.optim.swa_utils
        averaged = S.AveragedModel(net, **AVERAGES[name](S))
        optimizer = T.optim.SGD(net.parameters(), lr=0.1)

        def step(x: Any, net: Any = net, optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            loss = (net(x) ** 2).mean()
            loss.backward()
            optimizer.step()
            return loss

        call = tg.compile(step) if compiled and T is tg else step
        for n in range(5):
            call(batch(T, n))
            averaged.update_parameters(net)
        averaged.eval()
        with T.no_grad():
            averaged(batch(T, 7))
        found.append(values(averaged))
    assert found[0].keys() == found[1].keys()
    assert found[0]["n_averaged"] == 5
    for key, ours in found[0].items():
        np.testing.assert_allclose(ours, found[1][key], rtol=1e-4, atol=1e-5, err_msg=key)


def test_an_average_inside_a_compiled_step() -> None:
    w = tg.nn.Linear(1, 1, bias=False)
    averaged = tg.optim.swa_utils.AveragedModel(w, avg_fn=tg.optim.swa_utils.get_ema_avg_fn(0.5))

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        averaged.update_parameters(w)
        return (w(x) ** 2).sum()

    expected = None
    for n in range(4):
        with tg.no_grad():
            w.weight.fill_(float(n))
        step(tg.ones(1))
        expected = float(n) if expected is None else 0.5 * expected + 0.5 * n
    assert averaged.module.weight.item() == expected
    assert averaged.n_averaged.item() == 4


def test_statistics_of_batch_norms_are_computed_anew() -> None:
    found = []
    for T, net in zip((tg, torch), pair(), strict=True):
        net(batch(T, 9))
        net.eval()
        T.optim.swa_utils.update_bn([(batch(T, n), None) for n in range(4)], net)
        assert not net.training
        assert net[1].momentum == 0.1
        found.append(values(net))
    for key, ours in found[0].items():
        np.testing.assert_allclose(ours, found[1][key], rtol=1e-4, atol=1e-6, err_msg=key)


@pytest.mark.parametrize("options", [{}, {"anneal_epochs": 4, "anneal_strategy": "linear"}, {"anneal_epochs": 0}])
def test_learning_rates_are_pytorchs(options: dict[str, Any]) -> None:
    found = []
    for T in (tg, torch):
        optimizer = T.optim.SGD([T.tensor([1.0], requires_grad=True)], lr=0.5)
        schedule = T.optim.swa_utils.SWALR(optimizer, swa_lr=0.05, **options)
        rates = []
        for n in range(20):
            optimizer.step()
            schedule.step()
            if n == 2:
                optimizer.param_groups[0]["lr"] = 0.3
            rates.append(optimizer.param_groups[0]["lr"])
        found.append(rates)
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_both_kinds_of_averages_are_refused() -> None:
    S = tg.optim.swa_utils
    with pytest.raises(TabgradError, match="AveragedModel: expected avg_fn or multi_avg_fn, got both"):
        S.AveragedModel(tg.nn.ReLU(), avg_fn=S.get_swa_avg_fn(), multi_avg_fn=S.get_swa_multi_avg_fn())
