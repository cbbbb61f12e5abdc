"""Plain loops, of which known calls are not executed again: PyTorch's losses, and those of execution to the bit."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
import workloads
from sessions import session_on
from tabgrad.graph.node import Node
from tabgrad.session import Session
from tabgrad.tracing.tracer import Tracer

Losses = list[float]


@pytest.fixture
def session() -> Iterator[Session]:
    with session_on("reference") as session:
        yield session


def tracer_of(session: Session) -> Tracer:
    return session.own(Tracer)


def batch(n: int, rows: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.normal(size=(rows, 5)).astype(np.float32), rng.integers(0, 3, rows).astype(np.int64)


def net(T: Any, *extra: Any) -> Any:
    """The same initial values in both libraries."""
    model = T.nn.Sequential(T.nn.Linear(5, 8), *extra, T.nn.Tanh(), T.nn.Linear(8, 3))
    rng = np.random.default_rng(7)
    with T.no_grad():
        for p in model.parameters():
            p.copy_(T.tensor(rng.normal(size=tuple(p.shape)).astype(np.float32) * 0.4))
    return model


def tensors(T: Any, n: int, rows: int = 6) -> tuple[Any, Any]:
    x, y = batch(n, rows)
    return T.tensor(x), T.tensor(y if T is torch else y.astype(np.int32))


def plain(T: Any) -> Losses:
    model = net(T)
    optimizer = T.optim.AdamW(model.parameters(), lr=0.05)
    losses = []
    for n in range(8):
        x, y = tensors(T, n)
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def read_before_backward(T: Any) -> Losses:
    model = net(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for n in range(8):
        x, y = tensors(T, n)
        loss = T.nn.functional.cross_entropy(model(x), y)
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        losses.append(sum(p.grad.abs().sum().item() for p in model.parameters()))
        optimizer.step()
    return losses


def scheduled(T: Any) -> Losses:
    model = net(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.2)
    scheduler = T.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)
    losses = []
    for n in range(9):
        x, y = tensors(T, n)
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        T.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses


def accumulated(T: Any) -> Losses:
    model = net(T)
    optimizer = T.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for n in range(12):
        x, y = tensors(T, n)
        loss = T.nn.functional.cross_entropy(model(x), y) / 3
        loss.backward()
        losses.append(loss.item())
        if n % 3 == 2:
            optimizer.step()
            optimizer.zero_grad()
    return losses


def batches_of_changing_size(T: Any) -> Losses:
    model = net(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for n in range(12):
        x, y = tensors(T, n, 6 if n % 3 else 4)
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def batch_norm(T: Any) -> Losses:
    model = net(T, T.nn.BatchNorm1d(8))
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        model.train()
        for n in range(4):
            x, y = tensors(T, n)
            optimizer.zero_grad()
            T.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        model.eval()
        with T.no_grad():
            for n in range(4, 7):
                x, y = tensors(T, n)
                out = model(x)
                losses += [T.nn.functional.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()]
    losses.append(model[1].running_mean.sum().item())
    losses.append(float(model[1].num_batches_tracked.item()))
    return losses


def two_optimizers(T: Any) -> Losses:
    maker, judge = net(T, T.nn.BatchNorm1d(8)), T.nn.Sequential(T.nn.Linear(3, 1))
    with T.no_grad():
        judge[0].weight.fill_(0.3)
        judge[0].bias.fill_(-0.1)
    first = T.optim.Adam(maker.parameters(), lr=0.02)
    second = T.optim.Adam(judge.parameters(), lr=0.05)
    loss_of = T.nn.functional.binary_cross_entropy_with_logits
    losses = []
    for n in range(8):
        x, _ = tensors(T, n)
        real = T.tensor(np.random.default_rng(50 + n).normal(size=(6, 3)).astype(np.float32))
        ones, zeros = T.ones(6, 1), T.zeros(6, 1)
        made = maker(x)
        second.zero_grad()
        judged = loss_of(judge(real), ones) + loss_of(judge(made.detach()), zeros)
        judged.backward()
        second.step()
        first.zero_grad()
        fooled = loss_of(judge(made), ones)
        fooled.backward()
        first.step()
        losses += [judged.item(), fooled.item()]
    return losses


def several_losses(T: Any) -> Losses:
    model = net(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)
    total, kept = T.zeros(()), []
    for n in range(8):
        x, y = tensors(T, n)
        optimizer.zero_grad()
        out = model(x)
        first = T.nn.functional.cross_entropy(out, y)
        second = (out**2).mean()
        first.backward(retain_graph=True)
        (second * 0.1).backward()
        optimizer.step()
        total = total + first.detach()
        kept.append(second.detach())
    return [total.item(), *(k.item() for k in kept)]


def python_decides(T: Any) -> Losses:
    model = net(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.3)
    losses = []
    for n in range(12):
        x, y = tensors(T, n % 4)
        loss = T.nn.functional.cross_entropy(model(x), y)
        if loss > 0.9:
            loss = loss * 2
        optimizer.zero_grad()
        loss.backward()
        if n % 5 == 4:
            for p in model.parameters():
                p.grad.mul_(0.5)
        optimizer.step()
        losses.append(loss.item())
    return losses


def by_hand(T: Any) -> Losses:
    model = net(T)
    losses = []
    for n in range(8):
        x, y = tensors(T, n)
        loss = T.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        with T.no_grad():
            for p in model.parameters():
                p -= 0.1 * p.grad
                p.grad = None
        losses.append(loss.item())
    return losses


def frozen_for_a_while(T: Any) -> Losses:
    model = net(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for n in range(12):
        model[0].requires_grad_(n not in (4, 5))
        x, y = tensors(T, n)
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def slices_of_one_tensor(T: Any) -> Losses:
    model = net(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)
    x, y = tensors(T, 0, 12)
    losses = []
    for _ in range(4):
        for start in (0, 4, 8):
            part, labels = x[start : start + 4], y[start : start + 4]
            optimizer.zero_grad()
            loss = T.nn.functional.cross_entropy(model(part), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


LOOPS: dict[str, Callable[[Any], Losses]] = {
    f.__name__: f
    for f in (
        plain, read_before_backward, scheduled, accumulated, batches_of_changing_size, batch_norm, two_optimizers,
        several_losses, python_decides, by_hand, frozen_for_a_while, slices_of_one_tensor,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_losses_are_those_of_pytorch_and_of_execution(name: str, session: Session) -> None:
    traced = LOOPS[name](tg)
    assert tracer_of(session).followed
    with session_on("reference") as other:
        tracer_of(other).enabled = False
        executed = LOOPS[name](tg)
    assert traced == executed
    np.testing.assert_allclose(traced, LOOPS[name](torch), rtol=2e-4, atol=2e-5)


def step_of_a_new_net() -> Callable[[int], tg.Tensor]:
    model = net(tg)
    optimizer = tg.optim.AdamW(model.parameters(), lr=0.05)

    def step(n: int) -> tg.Tensor:
        x, y = tensors(tg, n)
        optimizer.zero_grad()
        loss = tg.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def test_a_known_step_makes_no_node_and_nothing_on_the_device(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = step_of_a_new_net()
    for n in range(6):
        loss = step(n)
    made = []
    original = Node.__init__
    monkeypatch.setattr(Node, "__init__", lambda self, *args: (made.append(args[0]), original(self, *args))[1])
    counters, followed = session.device.counters.snapshot(), tracer_of(session).followed
    for n in range(6, 10):
        loss = step(n)
    after = session.device.counters.snapshot()
    assert {op.name for op in made} == {"buffer"}  # of batches and results
    assert len(made) <= 4 * (2 + 6)
    assert tracer_of(session).followed - followed == 4 * 6  # three layers, the loss, backward() and step()
    assert after["submits"] - counters["submits"] == 4
    assert after["buffers_created"] == counters["buffers_created"]
    assert after["bytes_allocated"] == counters["bytes_allocated"]
    assert np.isfinite(loss.item())


def test_an_exception_amid_a_step_leaves_a_loop_that_goes_on(session: Session) -> None:
    model = net(tg)
    optimizer = tg.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for n in range(9):
        x, y = tensors(tg, n)
        optimizer.zero_grad()
        try:
            loss = tg.nn.functional.cross_entropy(model(x if n not in (4, 7) else x[:, :3]), y)
        except tg.TabgradError:
            continue
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    expected = net(torch)
    other = torch.optim.SGD(expected.parameters(), lr=0.1)
    theirs = []
    for n in range(9):
        if n in (4, 7):
            continue
        x, y = tensors(torch, n)
        other.zero_grad()
        loss = torch.nn.functional.cross_entropy(expected(x), y)
        loss.backward()
        other.step()
        theirs.append(loss.item())
    np.testing.assert_allclose(losses, theirs, rtol=2e-4)


def test_a_learning_rate_that_does_not_fit_raises_and_changes_nothing(session: Session) -> None:
    model = net(tg)
    optimizer = tg.optim.SGD(model.parameters(), lr=0.1)
    x, y = tensors(tg, 0)
    for n in range(6):
        optimizer.zero_grad()
        tg.nn.functional.cross_entropy(model(x), y).backward()
        if n == 4:
            before = model[0].weight.detach().numpy().copy()
            optimizer.param_groups[0]["lr"] = 1e300
            with pytest.raises(tg.DTypeError, match="that float32 holds"):
                optimizer.step()
            np.testing.assert_array_equal(model[0].weight.detach().numpy(), before)
            assert model[0].weight.grad is not None
            optimizer.param_groups[0]["lr"] = 0.1
        optimizer.step()
    assert not np.array_equal(model[0].weight.detach().numpy(), before)


def test_memory_of_a_model_that_is_gone_is_given_back(session: Session) -> None:
    step = step_of_a_new_net()
    for n in range(6):
        step(n)
    stored = weakref.ref(step.__closure__[0].cell_contents[0].weight._node.storage)  # type: ignore[index]
    del step
    gc.collect()
    (tg.ones(3) + 1).realize()  # the next call of any kind
    gc.collect()
    assert stored() is None


def test_several_steps_on_each_batch_do_not_begin_anew(session: Session) -> None:
    step = step_of_a_new_net()
    model, optimizer = (cell.cell_contents for cell in step.__closure__)  # type: ignore[union-attr]
    executed = 0
    for n in range(8):
        x, y = tensors(tg, n)
        before = tracer_of(session).followed
        for _ in range(3):
            optimizer.zero_grad()
            tg.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        executed = 3 * 6 - (tracer_of(session).followed - before)
    assert executed == 0


def test_calls_that_look_at_values_are_executed_each_time(session: Session) -> None:
    def is_large(x: tg.Tensor) -> bool:
        return bool(x.item() > 5)

    tracer = tracer_of(session)
    found = []
    for n in range(3, 9):
        found.append(tracer.call(is_large, (tg.tensor(float(n)),), {}))
        (tg.tensor([1.0]) + 1).tolist()  # runs a program, which ends a round
    assert found == [False, False, False, True, True, True]


def test_changing_values_on_the_host_are_looked_at_each_time(session: Session) -> None:
    x = tg.tensor(batch(0)[0][:, :3])
    for n in range(6):
        labels = tg.tensor(np.array([0, 1, 2, 0, 1, 3 if n == 5 else 2], np.int32))
        if n == 5:
            with pytest.raises(tg.TabgradError, match="expected labels from 0 to 2"):
                tg.nn.functional.cross_entropy(x, labels)
        else:
            tg.nn.functional.cross_entropy(x, labels).item()


def test_random_numbers_are_drawn_in_each_round(session: Session) -> None:
    tg.manual_seed(3)
    layer = tg.nn.Dropout(0.5)
    rounds = [layer(tg.ones(64)).tolist() for _ in range(5)]
    tg.manual_seed(3)
    tracer_of(session).enabled = False
    assert [layer(tg.ones(64)).tolist() for _ in range(5)] == rounds
    assert len({tuple(r) for r in rounds}) == 5


@pytest.mark.parametrize("workload", [workloads.SMALL_MLP, workloads.SMALL_CNN], ids=lambda w: w.name)
def test_losses_are_those_of_the_compiled_step(workload: workloads.Workload, session: Session) -> None:
    losses = []
    for step in (workloads.training_step(workload), workloads.plain_step(tg, workload)):
        batches = [tuple(tg.tensor(a) for a in arrays) for arrays in workload.batches()]
        losses.append([step(*batches[n % len(batches)]).item() for n in range(8)])
    assert losses[0] == losses[1]
    assert tracer_of(session).followed
