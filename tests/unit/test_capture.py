"""``tabgrad.compile``: what a replay computes, from values of the step and from outside, and what it returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.nn import functional as F
from unit.compiled_steps import classifier, data, f, product_step, train_step

# Equal to the uncompiled step


@pytest.mark.parametrize("kind", ["sgd", "adam", "adamw"])
def test_compiled_training_equals_eager_training(kind: str) -> None:
    losses, weights = [], []
    for wrap in (lambda step: step, tg.compile):
        model = classifier()
        make = {
            "sgd": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
            "adam": lambda p: optim.Adam(p, lr=0.01),
            "adamw": lambda p: optim.AdamW(p, lr=0.01, weight_decay=0.1),
        }[kind]
        step = wrap(train_step(model, make(model.parameters())))
        losses.append([step(*map(tg.tensor, data(seed=n % 3))).item() for n in range(8)])
        weights.append([p.detach().numpy() for p in model.parameters()])
    assert losses[0] == losses[1]
    for eager, compiled in zip(*weights, strict=True):
        np.testing.assert_array_equal(eager, compiled)


def test_dropout_draws_anew_at_each_replay_as_eager_code_does() -> None:
    def step(x: tg.Tensor) -> tg.Tensor:
        return F.dropout(x, 0.5) + tg.rand(*x.shape)

    compiled = tg.compile(step)
    drawn = []
    for fn in (step, compiled):
        tg.manual_seed(9)
        drawn.append([fn(tg.ones(64)).numpy() for _ in range(4)])
    np.testing.assert_array_equal(drawn[0], drawn[1])
    for earlier, later in zip(drawn[1], drawn[1][1:], strict=False):
        assert (earlier != later).mean() > 0.9


def test_seed_between_replays_restarts_the_numbers() -> None:
    compiled = tg.compile(lambda x: x + tg.rand(8))
    compiled(tg.zeros(8))
    values = []
    for _ in range(2):
        tg.manual_seed(4)
        values.append(compiled(tg.zeros(8)).numpy())
    np.testing.assert_array_equal(*values)


def test_batch_norm_statistics_are_updated_by_each_replay() -> None:
    states = []
    for wrap in (lambda fn: fn, tg.compile):
        norm = nn.BatchNorm1d(4)
        norm(tg.tensor(data(seed=7)[0]))  # an eager call before the first recording
        step = wrap(lambda x, norm=norm: norm(x).sum())
        for n in range(3):
            step(tg.tensor(data(seed=n)[0])).item()
        states.append({name: value.numpy() for name, value in norm.state_dict().items()})
    assert states[0].keys() == {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"}
    for name in states[0]:
        np.testing.assert_allclose(states[0][name], states[1][name], rtol=1e-6, err_msg=name)
    assert states[0]["num_batches_tracked"] == 4


def test_two_optimizers_in_one_step() -> None:
    """A generator and a discriminator that take turns within a step, as a GAN's do."""
    results = []
    for wrap in (lambda fn: fn, tg.compile):
        tg.manual_seed(1)
        generator, discriminator = nn.Linear(2, 4), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        for_g = optim.Adam(generator.parameters(), lr=0.01, betas=(0.5, 0.999))
        for_d = optim.SGD(discriminator.parameters(), lr=0.1, momentum=0.5)

        def step(
            real: tg.Tensor,
            noise: tg.Tensor,
            generator: nn.Module = generator,
            discriminator: nn.Module = discriminator,
            for_g: optim.Optimizer = for_g,
            for_d: optim.Optimizer = for_d,
        ) -> dict[str, tg.Tensor]:
            fake = generator(noise)
            for_d.zero_grad()
            loss_d = F.softplus(-discriminator(real)).mean() + F.softplus(discriminator(fake.detach())).mean()
            loss_d.backward()
            for_d.step()
            for_g.zero_grad()
            loss_g = F.softplus(-discriminator(fake)).mean()  # the discriminator as it is after its update
            loss_g.backward()
            for_g.step()
            return {"d": loss_d.detach(), "g": loss_g.detach()}

        run = wrap(step)
        losses = []
        for n in range(5):
            rng = np.random.default_rng(n)
            real, noise = (tg.tensor(rng.standard_normal((6, k)).astype(np.float32)) for k in (4, 2))
            losses.append({name: value.item() for name, value in run(real, noise).items()})
        results.append((losses, [p.detach().numpy() for m in (generator, discriminator) for p in m.parameters()]))
    assert results[0][0] == results[1][0]
    for eager, compiled in zip(results[0][1], results[1][1], strict=True):
        np.testing.assert_array_equal(eager, compiled)


def test_one_optimizer_twice_in_a_step() -> None:
    values = []
    for wrap in (lambda fn: fn, tg.compile):
        w = tg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = optim.SGD([w], lr=0.1, momentum=0.9)

        @wrap
        def step(x: tg.Tensor, w: tg.Tensor = w, optimizer: optim.Optimizer = optimizer) -> tg.Tensor:
            for _ in range(2):
                optimizer.zero_grad()
                loss = (w * w * x).sum()
                loss.backward()
                optimizer.step()
            return loss.detach()

        values.append([step(f(1, 2)).item() for _ in range(3)] + w.tolist())
    assert values[0] == pytest.approx(values[1], rel=1e-6)


def test_eager_and_compiled_steps_may_alternate() -> None:
    reference, mixed = classifier(), classifier()
    plain = train_step(reference, optim.Adam(reference.parameters(), lr=0.01))
    step = train_step(mixed, optim.Adam(mixed.parameters(), lr=0.01))
    compiled = tg.compile(step)
    for n in range(6):
        batch = data(seed=n)
        expected = plain(*map(tg.tensor, batch)).item()
        assert (compiled if n % 2 else step)(*map(tg.tensor, batch)).item() == expected


def test_results_keep_the_structure_of_the_return_value() -> None:
    @tg.compile
    def step(batch: dict[str, Any], scale: float) -> Any:
        x = batch["x"] * scale
        return {"double": x * 2, "pair": (x, [x + 1]), "note": "text"}

    out = step({"x": f(1, 2)}, 3.0)
    assert out["double"].tolist() == [6, 12]
    assert out["pair"][0].tolist() == [3, 6]
    assert out["pair"][1][0].tolist() == [4, 7]
    assert out["note"] == "text"
    assert step({"x": f(5, 5)}, 3.0)["double"].tolist() == [30, 30]


def test_step_without_tensor_arguments() -> None:
    count = f(0)

    @tg.compile
    def step() -> None:
        count.add_(1)

    for _ in range(3):
        step()
    assert count.tolist() == [3]


# Values from outside the step


def test_lazy_value_from_before_is_read_and_not_computed_again() -> None:
    w = f(1, 2)
    scale = w * 2  # lazy when the step is recorded

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        w.copy_(w + 1)
        return x * scale

    assert [step(f(1, 1)).tolist() for _ in range(3)] == [[2, 4]] * 3
    assert scale.tolist() == [2, 4]
    assert w.tolist() == [4, 5]


def test_write_that_waits_happens_once_and_before_the_step() -> None:
    w = f(1, 2)
    (w * 1).realize()
    w.add_(1)  # waits when the step is recorded

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        w.copy_(w + x)
        return w * 1

    assert [step(f(1, 1)).tolist() for _ in range(3)] == [[3, 4], [4, 5], [5, 6]]


def test_writes_between_replays_are_seen() -> None:
    read_only, written = f(1), f(1)
    (read_only + written).realize()

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        written.add_(x)
        return written + 100 * read_only

    assert step(f(1)).tolist() == [102]
    read_only.add_(1)
    written.mul_(10)
    assert step(f(1)).tolist() == [221]
    read_only.copy_(np.array([5], np.float32))
    assert step(f(1)).tolist() == [522]


def test_lazy_value_from_before_a_replay_keeps_its_value() -> None:
    w = tg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=1.0)

    step = tg.compile(product_step(w, optimizer))

    step(f(1, 1))
    before = (w * 10).detach()
    step(f(1, 1))
    assert before.tolist() == [0, 10]
    assert w.tolist() == [-1, 0]


# Results


def test_results_are_not_overwritten_while_they_live() -> None:
    step = tg.compile(lambda x: x * 2)
    kept = [step(f(n, n)) for n in range(8)]
    assert [t.tolist() for t in kept] == [[2 * n, 2 * n] for n in range(8)]


@pytest.mark.parametrize(
    "keep",
    [
        lambda r: r.reshape(4).realize(),
        lambda r: r.detach(),
        lambda r: r[0],
        lambda r: r.reshape(4).realize().reshape(1, 4).realize(),
        lambda r: r.add_(0).realize(),
    ],
)
def test_what_shares_a_results_memory_is_not_overwritten(keep: Any) -> None:
    step = tg.compile(lambda x: x * 2)
    kept = keep(step(tg.tensor(np.ones((2, 2), np.float32))))
    for n in range(6):
        step(tg.tensor(np.full((2, 2), n, np.float32)))
    assert set(kept.reshape(-1).tolist()) == {2}


def test_a_result_may_be_the_next_input() -> None:
    step = tg.compile(lambda x, y: (x + y, x * 0.5))
    x, y = f(8), f(16)
    for _ in range(4):
        x, y = step(x, y)
    p, q = 8.0, 16.0
    for _ in range(4):
        p, q = p + q, p * 0.5
    assert (x.item(), y.item()) == (p, q)


def test_inputs_may_lie_on_the_host_or_the_device_or_be_lazy() -> None:
    step = tg.compile(lambda x: x.sum())
    device = (f(1, 2) * 1).realize()
    for x in (f(1, 2), device, f(1, 2) * 1, device.reshape(2), device.detach()):
        assert step(x).item() == 3


def test_one_tensor_in_two_places_is_two_inputs() -> None:
    step = tg.compile(lambda a, b: a - b * 10)
    x, y = f(1), f(2)
    assert [step(a, b).item() for a, b in ((x, x), (x, y), (y, x), (y, y))] == [-9, -19, -8, -18]


def test_gradient_of_an_input() -> None:
    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        loss = (x**3).sum()
        (gradient,) = tg.grad(loss, x)
        return gradient

    x = tg.tensor([1.0, 2.0], requires_grad=True)
    assert step(x).tolist() == [3, 12]
    assert step(tg.tensor([3.0, 4.0], requires_grad=True)).tolist() == [27, 48]
