"""Plain loops whose numbers, slices, indices and arrays differ in each round: recognised, and nothing is compiled."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from sessions import session_on
from tabgrad.runtime.program_cache import ProgramCache
from tabgrad.session import Session
from tabgrad.tracing.tracer import Tracer

ROWS, ROUNDS, LEARNED = 40, 14, 10  # in the last rounds all is known


@pytest.fixture
def session() -> Iterator[Session]:
    with session_on("reference") as session:
        yield session


class Loop:
    """What a loop's body is given."""

    def __init__(self, T: Any) -> None:
        rng = np.random.default_rng(3)
        self.T, self.F = T, T.nn.functional
        self.model, self.target = self.net(), self.net()
        self.x = T.tensor(rng.normal(size=(ROWS, 5)).astype(np.float32))
        labels = rng.integers(0, 3, ROWS)
        self.y = T.tensor(labels if T is torch else labels.astype(np.int32))
        self.order = T.tensor(rng.permutation(ROWS).astype(np.int64 if T is torch else np.int32))

    def net(self) -> Any:
        T, rng = self.T, np.random.default_rng(7)
        model = T.nn.Sequential(T.nn.Linear(5, 8), T.nn.Tanh(), T.nn.Linear(8, 3))
        with T.no_grad():
            for p in model.parameters():
                p.copy_(T.tensor(rng.normal(size=tuple(p.shape)).astype(np.float32) * 0.4))
        return model

    def loss(self, rows: Any = slice(None)) -> Any:
        return self.F.cross_entropy(self.model(self.x[rows]), self.y[rows])


Body = Callable[[Loop, int], Any]


def annealed(loop: Loop, t: int) -> Any:
    out = loop.model(loop.x)
    return loop.F.cross_entropy(out, loop.y) * (1 - t / 50) + (out**2).mean() * (0.01 * t)


def weighted_kl(loop: Loop, t: int) -> Any:
    out = loop.model(loop.x)
    beta = min(1.0, 0.2 + t / 10)
    return loop.F.cross_entropy(out, loop.y) + beta * (out.exp() - out - 1).mean() / (t + 2)


def powers(loop: Loop, t: int) -> Any:
    return (loop.model(loop.x).abs() + 0.1).pow(1 + t / 50).mean()


def limits(loop: Loop, t: int) -> Any:
    return loop.F.cross_entropy(loop.model(loop.x).clamp(-1.1 - t / 10, max=1.1 + t / 10), loop.y)


def thresholds(loop: Loop, t: int) -> Any:
    out = loop.model(loop.x)
    return loop.F.cross_entropy(loop.T.where(out > 0.03 * t, out, out * 0.5), loop.y)


def cosine_of_numpy(loop: Loop, t: int) -> Any:
    return loop.loss() * float(np.float32(0.5 + t / 50)) + (loop.model(loop.x) ** 2).mean() * np.cos(t / 40)


def slices(loop: Loop, t: int) -> Any:
    return loop.loss(slice(t, t + 4))


def shuffled(loop: Loop, t: int) -> Any:
    return loop.loss(loop.order[t : t + 4])


def rows(loop: Loop, t: int) -> Any:
    return loop.F.cross_entropy(loop.model(loop.x[t][None]), loop.y[t][None])


def arrays(loop: Loop, t: int) -> Any:
    rng = np.random.default_rng(t)
    return loop.loss(rng.integers(0, ROWS, 6))


def lists(loop: Loop, t: int) -> Any:
    return loop.loss([int(i) for i in np.random.default_rng(t).integers(-ROWS, ROWS, 6)])


def factors_in_an_array(loop: Loop, t: int) -> Any:
    factors = np.random.default_rng(t).random(3).astype(np.float32)
    factors = torch.from_numpy(factors) if loop.T is torch else factors
    return loop.F.cross_entropy(loop.model(loop.x) * factors, loop.y)


def gradient_penalty(loop: Loop, t: int) -> Any:
    x = loop.x[:4].clone().requires_grad_()
    gradient = torch.autograd.grad if loop.T is torch else tg.grad
    (found,) = gradient(loop.model(x).sum(), x, create_graph=True)
    return (found**2).sum() * 0.1 + loop.loss()


def averaged(loop: Loop, t: int) -> Any:
    with loop.T.no_grad():
        for ours, p in zip(loop.target.parameters(), loop.model.parameters(), strict=True):
            ours.mul_(0.9 - t / 100).add_(p, alpha=0.1 + t / 100)
        wanted = loop.target(loop.x)
    return loop.loss() + ((loop.model(loop.x) - wanted) ** 2).mean()


def copied_now_and_then(loop: Loop, t: int) -> Any:
    if t % 3 == 0:
        loop.target.load_state_dict(loop.model.state_dict())
    with loop.T.no_grad():
        wanted = loop.target(loop.x)
    return loop.loss() + ((loop.model(loop.x) * 0.9 - wanted) ** 2).mean()


BODIES: list[Body] = [
    annealed, weighted_kl, powers, limits, thresholds, cosine_of_numpy, slices, shuffled, rows, arrays, lists,
    factors_in_an_array, gradient_penalty, averaged, copied_now_and_then,
]  # fmt: skip


def train(T: Any, body: Body, at: Callable[[int], None] = lambda t: None) -> list[float]:
    loop = Loop(T)
    optimizer = T.optim.SGD(loop.model.parameters(), lr=0.1)
    losses = []
    for t in range(ROUNDS):
        at(t)
        optimizer.zero_grad()
        loss = body(loop, t)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_a_loop_is_followed_and_makes_nothing(body: Body, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[str] = []
    compiled: list[int] = []
    execute, compile_ = Tracer._execute, ProgramCache._compile
    monkeypatch.setattr(
        Tracer, "_execute", lambda s, asked, known: (executed.append(asked.fn), execute(s, asked, known))[1]
    )
    monkeypatch.setattr(
        ProgramCache, "_compile", lambda s, *args, **options: (compiled.append(1), compile_(s, *args, **options))[1]
    )
    counters: dict[str, int] = {}

    def at(t: int) -> None:
        if t == LEARNED:
            executed.clear()
            compiled.clear()
            counters.update(session.device.counters.snapshot())

    losses = train(tg, body, at)
    assert executed == []
    assert compiled == []
    after = session.device.counters.snapshot()
    assert after["bytes_allocated"] == counters["bytes_allocated"]
    assert after["buffers_created"] == counters["buffers_created"]
    with session_on("reference") as other:
        other.own(Tracer).enabled = False
        assert train(tg, body) == losses
    np.testing.assert_allclose(losses, train(torch, body), rtol=2e-4, atol=2e-5)


def test_a_number_that_decides_what_a_call_does_stays_a_constant(session: Session) -> None:
    x = tg.tensor(np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4))
    for n, norm in enumerate((2.0, 3.0, 1.0, 0.5, 2.0, 1.0, 4.0, 3.0)):
        found = (x.abs() ** norm).sum() + x.sum(n % 2).amax()
        expected = (np.abs(x.numpy()) ** norm).sum() + x.numpy().sum(n % 2).max()
        np.testing.assert_allclose(found.item(), expected, rtol=1e-5)


@pytest.mark.parametrize("special", [0.0, -0.0, 1.0, -1.0, math.inf, math.nan, 1e-40, 3e38])
def test_special_numbers_have_the_bits_of_constants(special: float, session: Session) -> None:
    tracer = session.own(Tracer)
    x = tg.tensor(np.array([-0.0, 1.5, -3.0, 1e-38], np.float32))
    results = []
    for number in (0.5, 0.25, 0.75, 0.625, special, 0.875):
        for f in (lambda a, b: a + b, lambda a, b: a * b, lambda a, b: b - a, lambda a, b: a / b):
            tracer.enabled = True
            ours = f(x, number).numpy()
            tracer.enabled = False
            results.append((ours.tobytes(), f(x, number).numpy().tobytes()))
    assert all(a == b for a, b in results)


def test_a_number_that_float32_does_not_hold_raises_as_a_constant_does(session: Session) -> None:
    x = tg.ones(3)
    for high in (1.5, 2.5, 3.5, 4.5):
        x.clamp(max=high).tolist()
    with pytest.raises(tg.DTypeError, match="clamp: expected numbers that float32 holds"):
        x.clamp(max=1e300)
    assert x.clamp(max=0.5).tolist() == [0.5] * 3


def test_a_slice_is_a_view_also_where_its_place_differs(session: Session) -> None:
    for T in (torch, tg):
        x = T.zeros(12)
        for t in range(8):
            part = x[t : t + 3]
            part += 1
            x[t + 1] *= 2
            seen = x[t + 1 : t + 3]
            x.mul_(2)
            assert (seen.numpy() == x[t + 1 : t + 3].numpy()).all()
        found = x.tolist() if T is torch else found  # noqa: F821 - PyTorch comes first
    assert x.tolist() == found


def test_strides_of_a_slice_whose_place_differs(session: Session) -> None:
    x = tg.zeros(6, 8)
    for t in range(6):
        column = x[:, t : t + 2]
        assert column.stride() == (8, 1)
        assert not column.is_contiguous()
        column.sum().item()


def test_indices_outside_raise_in_each_round(session: Session) -> None:
    x = tg.tensor(np.arange(10, dtype=np.float32))
    for t in range(10):
        assert (x[t] * 2).item() == 2 * t
    with pytest.raises(IndexError, match="index 10 is out of bounds"):
        x[10]
    for t in range(5):
        assert (x[np.array([t, -1 - t])] + 1).tolist() == [t + 1, 10 - t]
    with pytest.raises(IndexError, match="index 12 is out of bounds"):
        x[np.array([3, 12])] + 1
    with pytest.raises(IndexError, match="index 12 is out of bounds"):
        x[[3, 12]] + 1


def test_the_last_batch_of_another_size_has_a_program_of_its_own(session: Session) -> None:
    x = tg.tensor(np.arange(10, dtype=np.float32))
    for _ in range(6):
        sums = [(x[i : i + 4] * 2).sum().item() for i in range(0, 10, 4)]
        assert sums == [12.0, 44.0, 34.0]


def test_integers_and_floats_of_numpy_are_python_numbers(session: Session) -> None:
    x = tg.tensor(np.array([3, 4], np.int32))
    for t in range(6):
        assert (x * np.float32(0.5)).tolist() == [1.5, 2.0]
        assert (x + np.int64(t)).tolist() == [3 + t, 4 + t]
        assert (x * np.array([0.5, t], np.float32)).tolist() == [1.5, 4.0 * t]


def test_a_retained_record_keeps_its_numbers(session: Session) -> None:
    w = tg.tensor([1.0, 2.0], requires_grad=True)
    kept = []
    for t in range(8):
        kept.append((w * (0.5 + t)).clamp(-0.25 - t, 0.75 + t).sum())
        (w * (2.5 + t)).sum().item()
    for t, loss in enumerate(kept):
        w.grad = None
        loss.backward()
        inside = np.array([1.0, 2.0]) * (0.5 + t) <= 0.75 + t
        np.testing.assert_array_equal(w.grad.numpy(), np.where(inside, np.float32(0.5 + t), 0))
