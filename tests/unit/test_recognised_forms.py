"""Ways of writing a loop's step that are recognised: once known, no call of it is executed, and PyTorch's losses."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from programs.step_watch import StepWatch
from sessions import session_on
from tabgrad.tracing import pending
from tabgrad.tracing.tracer import Tracer

Step = Callable[[int], Any]
WARM_UP, STEPS = 6, 10


def linear(T: Any) -> Any:
    layer = T.nn.Linear(4, 3)
    with T.no_grad():
        layer.weight.copy_(T.arange(12.0).reshape(3, 4) * 0.1 - 0.5)
        layer.bias.fill_(0.1)
    return layer


def batch(T: Any, n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    return T.tensor(rng.normal(size=(6, 4)).astype(np.float32)), T.tensor(rng.integers(0, 3, 6).tolist())


def moved_to_a_device(T: Any) -> Step:
    device = T.device("cpu")
    model = linear(T).to(device)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)

    def step(n: int) -> Any:
        x, y = batch(T, n)
        x, y = x.to(device, non_blocking=True), y.to(device)
        extra = T.zeros(6, 4, device=device).to(memory_format=T.contiguous_format)
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x + extra), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def with_constants(T: Any) -> Step:
    """Of which nobody has ever asked the values."""
    model = linear(T)
    factors = T.cumprod(1 - T.linspace(0.01, 0.2, 6), 0).sqrt()
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)

    def step(n: int) -> Any:
        x, y = batch(T, n)
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x * factors[:, None] + factors.gather(0, y)[:, None]), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def with_accuracy_behind(T: Any) -> Step:
    """What the metrics were made of is not read, and lasts into the next round."""
    model = linear(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    kept: list[Any] = []

    def step(n: int) -> Any:
        x, y = batch(T, n)
        optimizer.zero_grad()
        out = model(x)
        loss = T.nn.functional.cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        loss.item()
        values, predicted = out.max(1)
        assert 0 <= predicted.eq(y).sum().item() <= 6
        kept[:] = [out, values, predicted]
        return loss

    return step


def with_a_sum_behind(T: Any) -> Step:
    """A running sum on the device, read now and then."""
    model = linear(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)
    total = T.zeros(())

    def step(n: int) -> Any:
        nonlocal total
        x, y = batch(T, n)
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        loss.item()
        total = total + loss.detach()
        return total if n == STEPS - 1 else loss

    return step


def with_an_average_of_weights(T: Any) -> Step:
    """Kept as another model, by its ``state_dict``."""
    model, average = linear(T), linear(T)
    optimizer = T.optim.AdamW(model.parameters(), lr=0.1)

    def step(n: int) -> Any:
        x, y = batch(T, n)
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        with T.no_grad():
            for kept, new in zip(average.state_dict().values(), model.state_dict().values(), strict=True):
                kept.mul_(0.9).add_(new, alpha=0.1)
            return loss + average(x).sum()

    return step


def with_a_target_network(T: Any) -> Step:
    """Which is loaded with a mean of both."""
    model, target = linear(T), linear(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)

    def step(n: int) -> Any:
        x, _ = batch(T, n)
        with T.no_grad():
            wanted = target(x) * 0.9 + 1
        optimizer.zero_grad()
        loss = T.nn.functional.smooth_l1_loss(model(x), wanted)
        loss.backward()
        optimizer.step()
        ours, theirs = model.state_dict(), target.state_dict()
        target.load_state_dict({key: ours[key] * 0.3 + theirs[key] * 0.7 for key in ours})
        return loss

    return step


def by_hand_through_data(T: Any) -> Step:
    model = linear(T)

    def step(n: int) -> Any:
        x, y = batch(T, n)
        model.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        for p in model.parameters():
            p.data.add_(p.grad.data, alpha=-0.1)
        return loss

    return step


def with_a_write_to_a_result(T: Any) -> Step:
    """Through which the gradient flows."""
    model = linear(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)

    def step(n: int) -> Any:
        x, y = batch(T, n)
        out = T.roll(T.cumprod(model(x).sigmoid(), -1), 1, -1)
        out[..., 0] = 1.0
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        return loss

    return step


FORMS: dict[str, Callable[[Any], Step]] = {
    f.__name__: f
    for f in (
        moved_to_a_device, with_constants, with_accuracy_behind, with_a_sum_behind, with_an_average_of_weights,
        with_a_target_network, by_hand_through_data, with_a_write_to_a_result,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_a_step_is_recognised(name: str) -> None:
    with session_on("reference"):
        step, watch = FORMS[name](tg), StepWatch(tg)
        with watch.watching():
            losses = [step(n).item() for n in range(STEPS)]
        steps = watch.steps()
    assert len(steps) == STEPS
    assert [s["executed"] for s in steps[WARM_UP:]] == [0] * (STEPS - WARM_UP)
    assert min(s["created"] for s in steps[WARM_UP:]) == 0  # memory is used again when Python lets go of it
    with session_on("reference") as session:
        session.own(Tracer).enabled = False
        step = FORMS[name](tg)
        assert losses == [step(n).item() for n in range(STEPS)]
    theirs = FORMS[name](torch)
    np.testing.assert_allclose(losses, [theirs(n).item() for n in range(STEPS)], rtol=1e-5)


def test_garbage_collected_while_calls_are_executed_late_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    take = pending._take

    def take_and_collect(*args: Any) -> None:
        take(*args)
        gc.collect()

    with session_on("reference") as session:
        x = tg.tensor([1.0, 2.0])
        for _ in range(5):
            held: list[Any] = [x * 2]
            held.append(held)  # so that only a collection lets go of it
            x.copy_(held[0] + 1)
            assert x.sum().item() > 0
        followed = session.own(Tracer).followed
        held = [x * 2]
        held.append(held)
        x.copy_(held[0] + 1)
        assert session.own(Tracer).followed == followed + 3
        del held
        monkeypatch.setattr(pending, "_take", take_and_collect)
        assert x.tolist() == [127, 191]


def test_a_graph_of_an_earlier_round_knows_that_its_weights_have_changed() -> None:
    weight = tg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    optimizer = tg.optim.SGD([weight], lr=0.1)
    x = tg.ones(3, 2)
    for _ in range(6):
        optimizer.zero_grad()
        (tg.mm(x, weight) ** 2).mean().backward()
        optimizer.step()
        before = (tg.mm(x.requires_grad_(), weight) ** 2).mean()  # as a validation without no_grad()
        assert before.item() >= 0
    optimizer.step()
    with pytest.raises(RuntimeError, match="changed"):
        before.backward()
