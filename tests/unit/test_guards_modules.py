"""A compiled step sees each change of the modules that it uses: training goes on as PyTorch's does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tabgrad as tg
from unit.changing_steps import assert_as_torch, compiled, losses, net, started, training

# Freezing


def freeze_parameters(layer: Any, mode: bool) -> None:
    for parameter in layer.parameters():
        parameter.requires_grad = mode


@pytest.mark.parametrize(
    "set_mode",
    [
        lambda layer, mode: layer.requires_grad_(mode),
        freeze_parameters,
        lambda layer, mode: layer.weight.requires_grad_(mode),
    ],
    ids=["layer", "parameters", "one parameter"],
)
def test_layers_are_frozen_and_unfrozen(set_mode: Callable[[Any, bool], None]) -> None:
    def story(T: Any) -> Iterator[Any]:
        model = net(T)
        step = training(T, T.optim.SGD(model.parameters(), lr=0.1), lambda x, y: ((model(x) - y) ** 2).mean())
        yield from losses(T, step)
        for mode in (False, True):
            set_mode(model[0], mode)
            yield from losses(T, step)
            yield from model.parameters()

    assert_as_torch(story)


def test_a_tensor_that_no_optimizer_holds_is_frozen() -> None:
    def story(T: Any) -> Iterator[Any]:
        a, b = (T.tensor([1.0, -2.0], requires_grad=True) for _ in range(2))
        gradient = tg.grad if T is tg else T.autograd.grad

        def step(x: Any, y: Any) -> Any:
            wanted = [t for t in (a, b) if t.requires_grad]
            return gradient(((a * x[:, :2] + b - y) ** 2).mean(), wanted)[0]

        run = compiled(T, step)
        for mode in (True, False, True):
            a.requires_grad_(mode)
            yield from losses(T, run)

    assert_as_torch(story)


def test_modes_and_flags_that_a_step_sets_itself() -> None:
    """As a generator's step does with the discriminator: they are set back before it ends."""

    def story(T: Any) -> Iterator[Any]:
        model, critic = net(T), started(T, T.nn.Sequential(T.nn.Linear(2, 1), T.nn.Dropout(1.0)))

        def loss_of(x: Any, y: Any) -> Any:
            critic.eval()
            for parameter in critic.parameters():
                parameter.requires_grad = False
            loss = critic(model(x) - y).square().mean()
            critic.train()
            for parameter in critic.parameters():
                parameter.requires_grad = True
            return loss

        step = training(T, T.optim.SGD(model.parameters(), lr=0.1), loss_of)
        yield from losses(T, step, 4)
        yield from [float(p.requires_grad) for p in critic.parameters()]
        assert T is not tg or len(step.recordings) == 1

    assert_as_torch(story)


def test_a_step_that_leaves_another_mode_behind() -> None:
    def story(T: Any) -> Iterator[Any]:
        model = started(T, T.nn.Sequential(T.nn.Linear(3, 2), T.nn.Dropout(1.0)))

        def loss_of(x: Any, y: Any) -> Any:
            model.eval()
            return ((model(x) - y) ** 2).mean()

        step = training(T, T.optim.SGD(model.parameters(), lr=0.1), loss_of)
        for _ in range(2):
            model.train()
            yield from losses(T, step)
            yield float(model[1].training)

    assert_as_torch(story)


# Plain attributes


def scaled(T: Any) -> Any:
    """A model with attributes of many kinds."""

    class Scaled(T.nn.Module):  # type: ignore[misc,name-defined]
        factor = 1.0

        def __init__(self) -> None:
            super().__init__()
            self.body = T.nn.Linear(3, 2)
            self.scale, self.name, self.on = 1.0, "sum", True
            self.weights, self.config = [1.0, 0.5], {"power": 2, "inner": {"shift": 0.0}}
            self.drop = T.nn.Dropout(0.0)
            self.act = T.tanh
            self.mask = T.tensor([1.0, 1.0])

        def forward(self, x: Any) -> Any:
            x = self.drop(self.body(x)) * self.scale * self.factor * self.mask
            x = self.act(x) if self.on else x
            x = x * self.weights[0] + x**2 * self.weights[1] + self.config["inner"]["shift"]
            x = x ** self.config["power"]
            return x * 2 if self.name == "sum" else x

    return started(T, Scaled())


def other_forward(self: Any, x: Any) -> Any:
    return self.body(x) * 3


CHANGES: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "number": (lambda T, m: setattr(m, "scale", 0.5), lambda T, m: setattr(m, "scale", 1.0)),
    "number of another type": (lambda T, m: setattr(m, "scale", 2), lambda T, m: setattr(m, "scale", 1.0)),
    "string": (lambda T, m: setattr(m, "name", "mean"), lambda T, m: setattr(m, "name", "sum")),
    "flag": (lambda T, m: setattr(m, "on", False), lambda T, m: setattr(m, "on", True)),
    "function": (lambda T, m: setattr(m, "act", T.sigmoid), lambda T, m: setattr(m, "act", T.tanh)),
    "dropout": (lambda T, m: setattr(m.drop, "p", 1.0), lambda T, m: setattr(m.drop, "p", 0.0)),
    "item of a list": (lambda T, m: m.weights.__setitem__(0, 3.0), lambda T, m: m.weights.__setitem__(0, 1.0)),
    "order of a list": (lambda T, m: m.weights.reverse(), lambda T, m: m.weights.reverse()),
    "item of a dict": (lambda T, m: m.config.update(power=1), lambda T, m: m.config.update(power=2)),
    "dict in a dict": (
        lambda T, m: m.config["inner"].update(shift=0.5),
        lambda T, m: m.config["inner"].update(shift=0.0),
    ),
    "class": (lambda T, m: setattr(type(m), "factor", 0.25), lambda T, m: setattr(type(m), "factor", 1.0)),
    "hides the class's": (lambda T, m: setattr(m, "factor", 3.0), lambda T, m: delattr(m, "factor")),
    "method": (
        lambda T, m: (setattr(type(m), "old", type(m).forward), setattr(type(m), "forward", other_forward)),
        lambda T, m: setattr(type(m), "forward", type(m).old),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_plain_attributes_change_and_change_back(change: str) -> None:
    forth, back = CHANGES[change]

    def story(T: Any) -> Iterator[Any]:
        model = scaled(T)
        step = training(T, T.optim.SGD(model.parameters(), lr=0.05), lambda x, y: ((model(x) - y) ** 2).mean())
        yield from losses(T, step)
        forth(T, model)
        yield from losses(T, step)
        back(T, model)
        yield from losses(T, step)
        yield from model.parameters()
        assert T is not tg or len(step.recordings) == 2  # the first one serves again

    assert_as_torch(story)


def test_plain_attributes_that_hold_other_objects() -> None:
    def story(T: Any) -> Iterator[Any]:
        model = scaled(T)
        step = training(T, T.optim.SGD(model.parameters(), lr=0.05), lambda x, y: ((model(x) - y) ** 2).mean())
        yield from losses(T, step)
        model.mask = T.tensor([0.0, 1.0])
        yield from losses(T, step)
        model.weights = [2.0, 0.5]
        yield from losses(T, step)
        model.config = {"power": 1, "inner": {"shift": 0.25}}
        yield from losses(T, step)

    assert_as_torch(story)


def test_an_attribute_that_is_not_read_does_not_record_anew() -> None:
    model = scaled(tg)
    step = training(tg, tg.optim.SGD(model.parameters(), lr=0.05), lambda x, y: ((model(x) - y) ** 2).mean())
    for n in range(3):
        model.epoch = n
        list(losses(tg, step))
    assert len(step.recordings) == 1


def test_statistics_of_batch_norm_by_its_numbers() -> None:
    def story(T: Any) -> Iterator[Any]:
        model = started(T, T.nn.Sequential(T.nn.Linear(3, 2), T.nn.BatchNorm1d(2)))
        step = training(T, T.optim.SGD(model.parameters(), lr=0.05), lambda x, y: ((model(x) - y) ** 2).mean())
        yield from losses(T, step)
        model[1].momentum = 0.9
        yield from losses(T, step)
        model[1].eps = 0.5
        yield from losses(T, step)
        yield from (model[1].running_mean, model[1].running_var)

    assert_as_torch(story)


# Replaced layers and parameters


def made_of_parts(T: Any) -> Any:
    class Parts(T.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.body = T.nn.Sequential(T.nn.Linear(3, 4), T.nn.Tanh())
            self.layers = T.nn.ModuleList([T.nn.Linear(4, 4) for _ in range(2)])
            self.named = T.nn.ModuleDict({"a": T.nn.Linear(4, 4), "b": T.nn.Linear(4, 4)})
            self.head = T.nn.Linear(4, 2)
            self.gain = T.nn.Parameter(T.tensor([1.0, 2.0]))

        def forward(self, x: Any) -> Any:
            x = self.layers[1](self.layers[0](self.body(x)))
            x = sum(layer(x) for layer in self.named.values()) + self.named["b"](x)
            return self.head(x) * self.gain

    return started(T, Parts())


def linear(T: Any, inputs: int, outputs: int) -> Any:
    return started(T, T.nn.Linear(inputs, outputs), seed=9)


REPLACED: dict[str, Callable[[Any, Any], Any]] = {
    "attribute": lambda T, m: setattr(m, "head", linear(T, 4, 2)),
    "of a sequence": lambda T, m: m.body.__setitem__(0, linear(T, 3, 4)),
    "added to a sequence": lambda T, m: m.body.append(linear(T, 4, 4)),
    "of a list": lambda T, m: m.layers.__setitem__(1, linear(T, 4, 4)),
    "of a dict": lambda T, m: m.named.__setitem__("b", linear(T, 4, 4)),
    "added to a dict": lambda T, m: m.named.__setitem__("c", linear(T, 4, 4)),
    "parameter": lambda T, m: setattr(m, "gain", T.nn.Parameter(T.tensor([0.5, -1.0]))),
    "parameter of a layer": lambda T, m: setattr(m.layers[0], "bias", None),
}


@pytest.mark.parametrize("which", REPLACED)
def test_replaced_parts_are_used_from_then_on(which: str) -> None:
    def story(T: Any) -> Iterator[Any]:
        model = made_of_parts(T)
        optimizer = T.optim.SGD(model.parameters(), lr=0.02)

        def loss_of(x: Any, y: Any) -> Any:
            penalty = sum((p**2).sum() for p in model.parameters() if p.requires_grad)
            return ((model(x) - y) ** 2).mean() + 0.01 * penalty

        step = training(T, optimizer, loss_of)
        forward = compiled(T, lambda x, y: model(x).detach())
        yield from losses(T, step)
        yield from losses(T, forward)
        REPLACED[which](T, model)
        yield from losses(T, forward)
        known = {id(p) for group in optimizer.param_groups for p in group["params"]}
        added = [p for p in model.parameters() if id(p) not in known]
        if added:
            optimizer.add_param_group({"params": added})
        yield from losses(T, step, 3)
        yield from model.parameters()

    assert_as_torch(story)


def test_a_penalty_over_parameters_follows_replaced_ones() -> None:
    """The sum reads the table as a whole, and no forward."""

    def story(T: Any) -> Iterator[Any]:
        model = net(T)
        norm = compiled(T, lambda x, y: sum((p * p).sum() for p in model.parameters()).detach())
        yield from losses(T, norm)
        model[2] = linear(T, 4, 2)
        yield from losses(T, norm)
        model[0].weight = T.nn.Parameter(T.tensor([[1.0, 2.0, 3.0]]))
        yield from losses(T, norm)

    assert_as_torch(story)
