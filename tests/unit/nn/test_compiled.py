"""``tabgrad.compile`` of modules and of functions that compute a loss: as ``torch.compile`` where users see it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from sessions import session_on
from tabgrad.runtime.capture import CompiledStep
from tabgrad.tracing.tracer import Tracer

X = np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32)
Y = np.array([0, 2, 1, 1, 0, 2])


class Net:
    """The same module in both libraries."""

    def __new__(cls, T: Any) -> Any:
        class Model(T.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.body = T.nn.Sequential(T.nn.Linear(5, 8), T.nn.BatchNorm1d(8), T.nn.Tanh())
                self.head = T.nn.Linear(8, 3)
                self.scale = 1.5

            def forward(self, x: Any) -> Any:
                return self.head(self.body(x)) * self.scale

            def describe(self) -> str:
                return f"scale {self.scale}"

        model, rng = Model(), np.random.default_rng(7)
        with T.no_grad():
            for p in model.parameters():
                p.copy_(T.tensor(rng.normal(size=tuple(p.shape)).astype(np.float32) * 0.4))
        return model


def compiled(T: Any, model: Any) -> Any:
    return T.compile(model, backend="eager") if T is torch else tg.compile(model)


def train(T: Any, forward: Callable[[Any], Any], parameters: Any, rounds: int = 8) -> list[float]:
    optimizer = T.optim.AdamW(parameters, lr=0.05)
    x, y = T.tensor(X), T.tensor(Y if T is torch else Y.astype(np.int32))
    losses = []
    for _ in range(rounds):
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(forward(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def module_call(model: Any) -> Any:
    return tg.compile(model, fullgraph=True, dynamic=False, backend="inductor", mode="max-autotune")


def module_in_place(model: Any) -> Any:
    model.compile(mode="reduce-overhead")
    return model


def decorated(model: Any) -> Any:
    @tg.compile(dynamic=True)
    def forward(x: tg.Tensor) -> tg.Tensor:
        found: tg.Tensor = model(x)
        return found

    return forward


def bound_method(model: Any) -> Any:
    return tg.compile(model.forward)


def disabled(model: Any) -> Any:
    assert tg.compile(model, disable=True) is model
    return tg.compile(disable=True)(model)


@pytest.mark.parametrize(
    "how", [module_call, module_in_place, decorated, bound_method, disabled], ids=lambda f: f.__name__
)
def test_a_loop_around_a_compiled_forward_trains_as_the_plain_one(how: Callable[[Any], Any]) -> None:
    results = []
    for make in (how, lambda model: model):
        with session_on("reference") as session:
            model = Net(tg)
            losses = train(tg, make(model), model.parameters())
            before = session.own(Tracer).followed
            x, y = tg.tensor(X), tg.tensor(Y.astype(np.int32))
            assert before >= 4 * 7
            losses.append(tg.nn.functional.cross_entropy(make(model)(x), y).item())
            results.append(losses)
    assert results[0] == results[1]
    model = Net(torch)
    np.testing.assert_allclose(results[0][:-1], train(torch, model, list(model.parameters())), rtol=2e-4)


def test_it_has_the_module_s_attributes_as_pytorch_s_has() -> None:
    for T in (torch, tg):
        model = Net(T)
        module = compiled(T, model)
        assert module._orig_mod is model
        assert isinstance(module, T.nn.Module)
        assert type(module).__name__ == "OptimizedModule"
        assert repr(module).startswith("OptimizedModule(\n  (_orig_mod): Model(")
        assert list(module.state_dict()) == [f"_orig_mod.{name}" for name in model.state_dict()]
        assert [n for n, _ in module.named_parameters()] == [f"_orig_mod.{n}" for n, _ in model.named_parameters()]
        assert all(a is b for a, b in zip(module.parameters(), model.parameters(), strict=True))
        assert module.head is model.head
        assert module.describe() == "scale 1.5"
        module.scale = 2.5
        assert model.scale == 2.5
        assert "scale" not in vars(module)
        del module.scale
        assert not hasattr(model, "scale")
        model.scale = 1.0
        assert module.eval() is module
        assert not model.training and not model.body[1].training and not module.training
        model.train()
        assert module.training
        module.training = False
        assert not model.training
        with pytest.raises(AttributeError, match="no_such"):
            _ = module.no_such
        with pytest.raises(TypeError, match="not subscriptable"):
            module[0]
        assert "describe" in dir(module)
        assert len(compiled(T, T.nn.Sequential(T.nn.Tanh(), T.nn.Tanh()))) == 2


def test_state_dicts_go_both_ways_and_a_wrong_one_raises() -> None:
    model, other = Net(tg), Net(tg)
    module = tg.compile(model)
    with tg.no_grad():
        other.head.weight.fill_(3.0)
    with pytest.raises(tg.TabgradError, match=r'Missing key\(s\) in state_dict: "_orig_mod.body.0.weight"'):
        module.load_state_dict(other.state_dict())
    module.load_state_dict(tg.compile(other).state_dict())
    assert model.head.weight.detach().numpy().min() == 3.0
    theirs = torch.compile(Net(torch), backend="eager").state_dict()
    module.load_state_dict({name: tg.tensor(value.numpy().astype(np.float32)) for name, value in theirs.items()})


def test_copies_and_compiling_again() -> None:
    module = tg.compile(Net(tg))
    assert tg.compile(module) is module
    twin = copy.deepcopy(module)
    assert twin._orig_mod is not module._orig_mod
    np.testing.assert_array_equal(twin(tg.tensor(X)).detach().numpy(), module(tg.tensor(X)).detach().numpy())


def test_gradient_of_evaluation_and_of_training_by_one_function() -> None:
    model = tg.nn.Linear(5, 3)

    @tg.compile
    def forward(x: tg.Tensor) -> tg.Tensor:
        out: tg.Tensor = model(x)
        return out

    assert isinstance(forward, CompiledStep)
    x = tg.tensor(X)
    with tg.no_grad():
        values = forward(x).numpy()
    assert len(forward.recordings) == 1
    forward(x).sum().backward()
    np.testing.assert_allclose(model.weight.grad.numpy(), np.tile(X.sum(0), (3, 1)), rtol=1e-5)
    np.testing.assert_array_equal(forward(x).detach().numpy(), values)
    model.requires_grad_(False)
    np.testing.assert_array_equal(forward(x).numpy(), values)


def test_a_compiled_module_inside_of_a_compiled_step() -> None:
    model = tg.nn.Linear(5, 3)
    module = tg.compile(model)
    optimizer = tg.optim.SGD(module.parameters(), lr=0.1)

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        optimizer.zero_grad()
        loss = (module(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    losses = [step(tg.tensor(X)).item() for _ in range(4)]
    assert losses == sorted(losses, reverse=True)
    assert len(step.recordings) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"backend": "aot_eager"}, "expected backend='tabgrad' .* got 'aot_eager'"),
        ({"backend": lambda graph, inputs: graph}, "expected backend='tabgrad'"),
        ({"mode": "fastest"}, "expected mode as one of default, .* got 'fastest'"),
        ({"mode": "default", "options": {}}, "expected a mode or options, got both"),
        ({"options": {"triton.cudagraphs": True}}, r"expected no options, .* got triton\.cudagraphs"),
        ({"fullgraph": 1}, "expected fullgraph as True or False, got 1"),
        ({"dynamic": "yes"}, "expected dynamic as True or False, got 'yes'"),
        ({"no_such": 1}, "unexpected keyword argument 'no_such'"),
    ],
)
def test_what_cannot_be_honoured_raises(given: dict[str, Any], message: str) -> None:
    model = tg.nn.Linear(5, 3)
    for call in (lambda: tg.compile(model, **given), lambda: tg.compile(**given), lambda: model.compile(**given)):
        with pytest.raises((tg.TabgradError, TypeError), match=message):
            call()
