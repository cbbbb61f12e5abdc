"""Optimizers that users write as subclasses, as PyTorch's documentation shows them; state, hooks and copies."""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import TabgradError, optim
from tabgrad.optim.optimizer import required

STEPS = 8


def signed(T: Any) -> Any:
    """A user's class, in either library."""

    class Signed(T.optim.Optimizer):  # type: ignore[misc]
        def __init__(self, params: Any, lr: float = 0.1, decay: float = 0.9) -> None:
            super().__init__(params, {"lr": lr, "decay": decay, "flag": None})

        @T.no_grad()  # type: ignore[untyped-decorator]
        def step(self, closure: Any = None) -> Any:
            loss = None
            if closure is not None:
                with T.enable_grad():
                    loss = closure()
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    state = self.state[p]
                    if len(state) == 0:
                        state["step"] = 0
                        state["mean"] = T.zeros_like(p)
                    state["step"] += 1
                    state["mean"].mul_(group["decay"]).add_(p.grad, alpha=1 - group["decay"])
                    p.add_(state["mean"], alpha=-group["lr"] / (1 - group["decay"] ** state["step"]))
            return loss

    return Signed


def data_step(T: Any) -> Any:
    """One that writes ``p.data`` and has no state."""

    class Plain(T.optim.Optimizer):  # type: ignore[misc]
        def __init__(self, params: Any, lr: float) -> None:
            super().__init__(params, {"lr": lr})

        def step(self) -> None:
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.data.add_(p.grad.data, alpha=-group["lr"])

    return Plain


def made(T: Any, kind: Any, **options: Any) -> tuple[list[Any], Any]:
    params = [T.tensor([1.0, -2.0], requires_grad=True), T.tensor([[0.5]], requires_grad=True),
              T.tensor([3.0], requires_grad=True)]  # fmt: skip
    return params, kind(T)([{"params": params[:1], "tag": "head"}, {"params": params[1:], "lr": 0.05}], **options)


def loss_of(params: list[Any], x: Any) -> Any:
    return (params[0] * x).sum() ** 2 + (params[1] * params[1] * x).sum()


@pytest.mark.parametrize("kind", [signed, data_step])
def test_steps_of_a_users_class_are_pytorchs(kind: Any) -> None:
    found = []
    for T in (tg, torch):
        params, optimizer = made(T, kind, lr=0.1)
        for n in range(STEPS):
            optimizer.zero_grad()
            loss_of(params, T.tensor([1.0 + n, 0.5])).backward()
            optimizer.step()
            if n == 4:
                optimizer.param_groups[0]["lr"] = 0.02
        assert optimizer.param_groups[0]["tag"] == "head"
        found.append([p.detach().numpy() for p in params])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_a_users_class_in_a_compiled_step() -> None:
    found = []
    for T in (tg, torch):
        params, optimizer = made(T, data_step, lr=0.1)

        def step(x: Any, params: Any = params, optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            loss = loss_of(params, x)
            loss.backward()
            optimizer.step()
            return loss

        call = tg.compile(step) if T is tg else step
        for n in range(STEPS):
            call(T.tensor([1.0 + n, 0.5]))
            if n == 4:
                optimizer.param_groups[0]["lr"] = 0.02
        found.append([p.detach().numpy() for p in params])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_a_users_class_that_counts_is_refused_in_a_compiled_step() -> None:
    params, optimizer = made(tg, signed)

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        optimizer.zero_grad()
        loss: tg.Tensor = loss_of(params, x)
        loss.backward()
        optimizer.step()
        return loss

    trained(optimizer, params, 1)  # makes its state
    with pytest.raises(TabgradError, match="compile: expected a step that changes nothing but tensors"):
        step(tg.tensor([2.0, 0.5]))


def test_a_users_state_is_saved_and_loaded() -> None:
    params, optimizer = made(tg, signed)
    theirs, reference = made(torch, signed)
    for p, o, T in ((params, optimizer, tg), (theirs, reference, torch)):
        loss_of(p, T.tensor([1.0, 2.0])).backward()
        o.step()
    saved, expected = optimizer.state_dict(), reference.state_dict()
    assert saved["param_groups"] == expected["param_groups"]
    assert saved["state"].keys() == expected["state"].keys()
    assert saved["state"][1]["step"] == 1
    for state in (saved, expected):  # also what PyTorch has saved
        again, other = made(tg, signed)
        other.load_state_dict(copy.deepcopy(state))
        np.testing.assert_allclose(other.state[again[0]]["mean"].numpy(), expected["state"][0]["mean"].numpy())
    assert isinstance(optimizer.state, defaultdict)


def trained(optimizer: optim.Optimizer, params: list[tg.Tensor], steps: int) -> None:
    for n in range(steps):
        optimizer.zero_grad()
        loss_of(params, tg.tensor([1.0 + n, 0.5])).backward()
        optimizer.step()


def adam() -> tuple[list[tg.Tensor], optim.Optimizer]:
    params = [tg.tensor([1.0, -2.0], requires_grad=True), tg.tensor([[0.5]], requires_grad=True)]
    return params, optim.Adam(params, lr=0.1)


def test_state_shows_what_is_kept_and_can_be_written() -> None:
    params, optimizer = adam()
    assert len(optimizer.state) == 0
    assert dict(optimizer.state[params[0]]) == {}
    trained(optimizer, params, 2)
    state = optimizer.state[params[0]]
    assert list(state) == ["step", "exp_avg", "exp_avg_sq"]
    assert state["step"].item() == 2
    mean = state["exp_avg"]
    assert mean.shape == params[0].shape
    trained(optimizer, params, 1)
    np.testing.assert_array_equal(mean.numpy(), optimizer.state_dict()["state"][0]["exp_avg"].numpy())
    mean.zero_()
    assert optimizer.state_dict()["state"][0]["exp_avg"].tolist() == [0, 0]
    assert optimizer.state_dict()["state"][1]["exp_avg"].tolist() != [[0]]
    state["exp_avg"] = tg.tensor([3.0, 4.0])
    assert optimizer.state[params[0]]["exp_avg"].tolist() == [3, 4]
    for entry in optimizer.state.values():  # as programs move state to a device
        for name, value in entry.items():
            entry[name] = value.to("cuda")
    assert optimizer.state[params[0]]["exp_avg"].tolist() == [3, 4]
    state["step"] = 0
    assert [entry["step"].item() for entry in optimizer.state_dict()["state"].values()] == [0, 3]
    with pytest.raises(TabgradError, match="expected step, exp_avg, exp_avg_sq, got 'mine'"):
        state["mine"] = 1


def test_a_state_that_is_cleared_starts_anew() -> None:
    params, optimizer = adam()
    trained(optimizer, params, 3)
    optimizer.state = defaultdict(dict)
    assert optimizer.state_dict()["state"] == {}
    fresh, other = adam()
    with tg.no_grad():
        for p, q in zip(params, fresh, strict=True):
            q.copy_(p)
    trained(optimizer, params, 3)
    trained(other, fresh, 3)
    for p, q in zip(params, fresh, strict=True):
        np.testing.assert_array_equal(p.detach().numpy(), q.detach().numpy())
    del optimizer.state[params[1]]
    assert list(optimizer.state_dict()["state"]) == [0]


@pytest.mark.parametrize("make", [adam, lambda: made(tg, signed)])
def test_hooks_are_called(make: Any) -> None:
    params, optimizer = make()
    calls: list[str] = []
    first = optimizer.register_step_pre_hook(lambda o, args, kwargs: calls.append(f"before {len(args)}"))
    optimizer.register_step_post_hook(lambda o, args, kwargs: calls.append("after"))
    optimizer.register_state_dict_pre_hook(lambda o: calls.append("saving"))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "mine": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, state: calls.append("loading"))
    optimizer.register_load_state_dict_post_hook(lambda o: calls.append("loaded"))
    trained(optimizer, params, 1)
    saved = optimizer.state_dict()
    assert saved["mine"] == 1
    optimizer.load_state_dict(saved)
    first.remove()
    trained(optimizer, params, 1)
    assert calls == ["before 0", "after", "saving", "loading", "loaded", "after"]


def test_hooks_added_later_reach_a_compiled_step() -> None:
    w = tg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=0.1)

    @tg.compile
    def step(x: tg.Tensor) -> None:
        optimizer.zero_grad()
        (w * x).sum().backward()
        optimizer.step()

    def without(o: optim.Optimizer, args: Any, kwargs: Any) -> None:
        assert w.grad is not None
        w.grad = w.grad * 0.0

    step(tg.ones(2))
    before = w.tolist()
    handle = optimizer.register_step_pre_hook(without)
    step(tg.ones(2))
    assert w.tolist() == before
    handle.remove()
    step(tg.ones(2))
    assert w.tolist() == pytest.approx([0.8, 1.8])


def test_a_copy_trains_as_the_original() -> None:
    params, optimizer = adam()
    trained(optimizer, params, 3)
    copies, other = copy.deepcopy((params, optimizer))
    assert other.param_groups[0]["params"][0] is copies[0]
    trained(optimizer, params, 3)
    trained(other, copies, 3)
    for p, q in zip(params, copies, strict=True):
        np.testing.assert_array_equal(p.detach().numpy(), q.detach().numpy())


def test_parameters_with_names() -> None:
    model = tg.nn.Linear(2, 3)
    optimizer = optim.SGD(model.named_parameters(), lr=0.1)
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["weight", "bias"]
    with pytest.raises(TabgradError, match="with names of parameters, or all without, got another one without names"):
        optimizer.add_param_group({"params": tg.ones(2, requires_grad=True)})


def test_a_learning_rate_that_is_a_tensor() -> None:
    for compiled in (False, True):
        found = []
        for T in (tg, torch):
            lr = T.tensor(0.1)
            p = T.tensor([1.0, 2.0], requires_grad=True)
            optimizer = T.optim.Adam([p], lr=lr)

            def step(x: Any, p: Any = p, optimizer: Any = optimizer) -> None:
                optimizer.zero_grad()
                (p * p * x).sum().backward()
                optimizer.step()

            call = tg.compile(step) if compiled and T is tg else step
            for n in range(6):
                call(T.tensor([1.0 + n, 2.0]))
                lr.mul_(0.7)
            found.append(p.detach().numpy())
        np.testing.assert_allclose(*found, rtol=1e-5)


@pytest.mark.parametrize("name", ["SGD", "Adam", "NAdam", "ASGD", "RMSprop"])
def test_a_state_that_pytorch_has_saved_is_continued(name: str) -> None:
    options = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}
    theirs = [torch.tensor([1.0, -2.0], requires_grad=True), torch.tensor([[0.5]], requires_grad=True)]
    reference = getattr(torch.optim, name)(theirs, lr=0.1, **options)
    for n in range(6):
        if n == 3:
            ours = [tg.tensor(p.detach().numpy(), requires_grad=True) for p in theirs]
            optimizer = getattr(optim, name)(ours, lr=0.5, **options)
            optimizer.load_state_dict(reference.state_dict())
        sides: list[Any] = [(theirs, reference, torch)] + ([(ours, optimizer, tg)] if n >= 3 else [])
        for params, one, T in sides:
            one.zero_grad()
            loss_of(params, T.tensor([1.0 + n, 0.5])).backward()
            one.step()
    for p, q in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=2e-5, atol=1e-6)


def test_a_hyperparameter_that_groups_must_have() -> None:
    class Own(optim.Optimizer):
        def __init__(self, params: Any, lr: Any = required) -> None:
            super().__init__(params, {"lr": lr})

    p = tg.ones(1, requires_grad=True)
    assert Own([{"params": [p], "lr": 0.5}]).param_groups[0]["lr"] == 0.5
    with pytest.raises(TabgradError, match="optimizer: expected lr in each group, got one without"):
        Own([p])


@pytest.mark.parametrize("change", [lambda step: step.zero_(), lambda step: step.add_(5), lambda step: step.fill_(9)])
def test_a_step_count_changed_in_place_counts(change: Any) -> None:
    trained = []
    for T in (torch, tg):
        parameters = [T.tensor([1.0, 2.0], requires_grad=True) for _ in range(2)]
        optimizer = T.optim.Adam(parameters, lr=0.1)
        for n in range(3):
            optimizer.zero_grad()
            sum((p**2).sum() for p in parameters).backward()
            if n == 2:
                change(optimizer.state[parameters[0]]["step"])
            optimizer.step()
        trained.append([[float(optimizer.state[p]["step"]), *p.tolist()] for p in parameters])
    np.testing.assert_allclose(trained[1], trained[0], rtol=1e-5)


def test_a_step_count_of_a_step_before_is_not_changed() -> None:
    p = tg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = tg.optim.Adam([p])
    p.grad = p.detach()
    optimizer.step()
    step = optimizer.state[p]["step"]
    optimizer.step()
    with pytest.raises(tg.TabgradError, match="read state"):
        step.zero_()
