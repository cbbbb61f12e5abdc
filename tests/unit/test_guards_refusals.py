"""What a compiled step may not do, with which words it is refused, and what it may: nothing is frozen in silence."""

from __future__ import annotations

import datetime
import gc
import os
import random
import secrets
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from sessions import session_on
from tabgrad import TabgradError, nn, optim
from tabgrad.data import DataLoader, TensorDataset
from unit.changing_steps import assert_as_torch, batch, losses, net, training
from unit.compiled_steps import f

COUNT = 0


# Counters and other state in Python


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def forward(self, x: tg.Tensor) -> tg.Tensor:
        self.steps += 1
        return x / self.steps


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = f(1)

    def forward(self, x: tg.Tensor) -> tg.Tensor:
        self.hidden = self.hidden * 0.5 + x
        return self.hidden * 1


class Reassigned(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("average", f(1))

    def forward(self, x: tg.Tensor) -> tg.Tensor:
        self.average = self.average * 0.5 + x.detach()
        return x * self.average


@dataclass
class Plain:
    steps: int = 0
    kept: list[Any] = field(default_factory=list)

    def count(self, x: tg.Tensor) -> tg.Tensor:
        self.steps = self.steps + 1
        return x

    def keep(self, x: tg.Tensor) -> tg.Tensor:
        self.kept.append(1)
        return x * len(self.kept)


def counts_globally(x: tg.Tensor) -> tg.Tensor:
    global COUNT
    COUNT += 1
    return x * COUNT


def counts_in_a_closure() -> Callable[[tg.Tensor], tg.Tensor]:
    n, seen = 0, {"steps": 0}

    def step(x: tg.Tensor) -> tg.Tensor:
        nonlocal n
        n += 1
        seen["steps"] += 1
        return x * n

    return step


def counts_in_a_dict() -> Callable[[tg.Tensor], tg.Tensor]:
    seen = {"steps": 0}

    def step(x: tg.Tensor) -> tg.Tensor:
        seen["steps"] += 1
        return x * seen["steps"]

    return step


COUNTERS: dict[str, tuple[Callable[[], Any], str]] = {
    "of a module": (Counting, r"'steps' of Counting, a value that it reads \(0 before, 1 after\)"),
    "hidden state": (Recurrent, r"'hidden' of Recurrent, a value that it reads \(a tensor \[1\] before"),
    "buffer": (Reassigned, r"'average' of Reassigned, a value that it reads \(a tensor \[1\] before"),
    "of an object": (lambda: Plain().count, r"'steps' of Plain, a value that it reads \(0 before, 1 after\)"),
    "list": (lambda: Plain().keep, r"what 'kept' of Plain holds"),
    "global": (lambda: counts_globally, r"the global variable 'COUNT', a value that it reads \(\d+ before"),
    "closure": (counts_in_a_closure, r"the variable 'n', a value that it reads \(0 before, 1 after\)"),
    "dict": (counts_in_a_dict, r"what the variable 'seen' holds"),
}


@pytest.mark.parametrize("kind", COUNTERS)
def test_a_counter_is_refused(kind: str) -> None:
    make, words = COUNTERS[kind]
    counter = make()
    step = tg.compile(lambda x: counter(x) * 2)
    expected = (
        rf"compile: expected a step that changes nothing but tensors, got '<lambda>', which changes {words}.*; replays "
        r"would not repeat that: change it where the step is called, or keep it in a tensor"
    )
    with pytest.raises(TabgradError, match=expected):
        step(f(1))
    assert tg.compile(lambda x: x * 2)(f(1)).item() == 2  # nothing is left half recorded


def test_a_counter_and_a_state_in_tensors_count_at_each_replay() -> None:
    def story(T: Any) -> Iterator[Any]:
        class Counted(T.nn.Module):  # type: ignore[misc,name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.body = net(T)
                self.register_buffer("steps", T.tensor(0.0))
                self.register_buffer("hidden", T.tensor([0.0, 0.0]))

            def forward(self, x: Any) -> Any:
                with T.no_grad():
                    self.steps.add_(1)
                out = self.body(x) / self.steps.clone() + self.hidden.clone()
                with T.no_grad():
                    self.hidden.copy_(out.detach().mean(0))
                return out

        model = Counted()
        step = training(T, T.optim.SGD(model.body.parameters(), lr=0.1), lambda x, y: ((model(x) - y) ** 2).mean())
        yield from losses(T, step, 5)
        yield from (model.steps, model.hidden)

    assert_as_torch(story)


def test_what_is_filled_once_is_recorded_again_and_stays() -> None:
    def story(T: Any) -> Iterator[Any]:
        class Lazy(T.nn.Module):  # type: ignore[misc,name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.body, self.width, self.ready, self.masks = net(T), None, False, {}

            def forward(self, x: Any) -> Any:
                if self.width is None:
                    self.width = x.shape[1]
                if len(x) not in self.masks:
                    self.masks[len(x)] = 0.5
                out = self.body(x) * self.masks[len(x)]
                if not self.ready:
                    self.ready = True
                    return out * 3  # at the first step only
                return out / self.width

        model = Lazy()
        step = training(T, T.optim.SGD(model.parameters(), lr=0.1), lambda x, y: ((model(x) - y) ** 2).mean())
        yield from losses(T, step, 5)
        yield from model.parameters()
        assert T is not tg or [bool(r.changed) for r in step.recordings] == [False]

    assert_as_torch(story)


def test_a_flag_that_changes_at_each_step_is_refused() -> None:
    flag = False

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        nonlocal flag
        flag = not flag
        return x * (2 if flag else 3)

    assert step(f(1)).item() == 2
    with pytest.raises(TabgradError, match="which changes the variable 'flag'; replays would not repeat"):
        step(f(1))


def test_what_a_step_sets_and_then_reads_is_its_own() -> None:
    def story(T: Any) -> Iterator[Any]:
        class Auxiliary(T.nn.Module):  # type: ignore[misc,name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.body, self.penalty, self.count = net(T), None, 0

            def forward(self, x: Any) -> Any:
                out = self.body(x)
                self.penalty = (out**2).mean()
                self.count = 1
                self.count += 1
                return out

        model = Auxiliary()
        step = training(
            T,
            T.optim.SGD(model.parameters(), lr=0.1),
            lambda x, y: ((model(x) - y) ** 2).mean() + model.penalty * model.count,
        )
        yield from losses(T, step, 4)
        assert T is not tg or len(step.recordings) == 1

    assert_as_torch(story)


# Side effects


def test_side_effects_happen_once_and_values_that_were_kept_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    kept: list[tg.Tensor] = []

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        loss = (x * 2).sum()
        kept.append(loss)
        print("in the step")
        return loss

    for n in range(3):
        assert step(f(n)).item() == 2 * n
    assert capsys.readouterr().out == "in the step\n"
    assert len(kept) == 1
    with pytest.raises(RuntimeError, match=r"got one that it computed and did not return .*; return it from"):
        kept[0].item()


# Numbers that differ at each call


class Noisy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rng = np.random.default_rng(0)

    def forward(self, x: tg.Tensor) -> tg.Tensor:
        return x * float(self.rng.normal())


OWN, ARRAYS, MODEL, GENERATOR = random.Random(0), np.random.RandomState(0), Noisy(), tg.Generator()

DRAWN: dict[str, tuple[Callable[[tg.Tensor], Any], str]] = {
    "random": (lambda x: x * random.random(), "numbers drawn from Python's random"),
    "random.Random": (lambda x: x * OWN.gauss(0, 1), r"numbers drawn from a random\.Random"),
    "numpy.random": (lambda x: x * float(np.random.rand()), r"numbers drawn from numpy\.random"),
    "RandomState": (lambda x: x * float(ARRAYS.rand()), r"numbers drawn from a numpy\.RandomState"),
    "Generator": (lambda x: MODEL(x), r"numbers drawn from a numpy\.Generator"),
    "initial weights": (lambda x: nn.Linear(1, 1)(x), r"numbers drawn from tabgrad's generator for use .*"),
    "tabgrad.Generator": (lambda x: x * float(GENERATOR.permutation(9)[0]), r"numbers drawn from a tabgrad\.Generator"),
    "time": (lambda x: x * time.time(), r"a call of time\.time\(\)"),
    "perf_counter": (lambda x: x * perf_counter(), r"a call of time\.perf_counter\(\)"),
    "now": (lambda x: x * datetime.datetime.now().microsecond, r"a call of .*now\(\)"),
    "urandom": (lambda x: x * os.urandom(1)[0], r"a call of posix\.urandom\(\)"),
    "uuid": (lambda x: x * (uuid.uuid4().int % 7), r"a call of posix\.urandom\(\)"),
    "secrets": (lambda x: x * secrets.randbelow(7), r"a call of .*\(\)"),
}


@pytest.mark.parametrize("source", DRAWN)
def test_python_random_numbers_and_clocks_are_refused(source: str) -> None:
    step, words = DRAWN[source]
    profiler = sys.getprofile()
    expected = (
        rf"compile: expected a step without numbers that Python draws at each call, got {words} in '<lambda>', "
        r"which each replay would repeat; draw with tabgrad\.rand or tabgrad\.randn, or pass the number as a tensor"
    )
    with pytest.raises(TabgradError, match=expected):
        tg.compile(step)(f(1))
    assert sys.getprofile() is profiler


def test_generators_and_clocks_that_are_not_used_are_no_matter() -> None:
    talkative = False

    def step(x: tg.Tensor) -> tg.Tensor:
        if talkative:
            print(time.time(), OWN.random())
        return x * 2 + (MODEL.rng is None)

    assert tg.compile(step)(f(1)).item() == 2
    assert sys.getprofile() is None


def test_seeds_and_batches_inside_are_refused() -> None:
    def seeds(x: tg.Tensor) -> tg.Tensor:
        tg.manual_seed(0)
        return x + tg.rand(1)

    expected = "manual_seed: expected a call outside of compiled steps, got one in 'seeds'"
    with pytest.raises(TabgradError, match=expected):
        tg.compile(seeds)(f(1))
    loader = DataLoader(TensorDataset(np.ones((4, 1), np.float32)), batch_size=2)
    with pytest.raises(TabgradError, match="DataLoader: expected to be iterated outside of compiled steps"):
        tg.compile(lambda x: x + next(iter(loader))[0].sum())(f(1))
    batches = iter([f(1), f(2)])
    with pytest.raises(TabgradError, match=r"got list_iterator the variable 'batches' in '<lambda>'.*call next\(\)"):
        tg.compile(lambda x: x + next(batches))(f(1))


# Optimizers


def test_learning_rates_that_a_step_sets_are_refused() -> None:
    model = net(tg)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    schedule = optim.lr_scheduler.StepLR(optimizer, 1, 0.5)

    def scheduled(x: tg.Tensor, y: tg.Tensor) -> None:
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
        schedule.step()

    def halved(x: tg.Tensor, y: tg.Tensor) -> None:
        ((model(x) - y) ** 2).mean().backward()
        for group in optimizer.param_groups:
            group["lr"] *= 0.5
        optimizer.step()

    for step in (scheduled, halved):
        with pytest.raises(
            TabgradError, match=r"which changes the numbers of \w+; replays would not repeat that: change"
        ):
            tg.compile(step)(*batch(tg))


def test_a_learning_rate_that_a_step_reads_is_guarded() -> None:
    def story(T: Any) -> Iterator[Any]:
        model = net(T)
        optimizer = T.optim.SGD(model.parameters(), lr=0.1)
        step = training(T, optimizer, lambda x, y: ((model(x) - y) ** 2).mean() * (1 + optimizer.param_groups[0]["lr"]))
        yield from losses(T, step)
        optimizer.param_groups[0]["lr"] = 0.5
        yield from losses(T, step)

    assert_as_torch(story)


# Large containers


def test_a_container_that_is_too_large_to_be_compared_is_refused() -> None:
    table = list(range(200_000))
    with pytest.raises(TabgradError, match=r"expected at most 100000 elements .* got more with the variable 'table'"):
        tg.compile(lambda x: x * table[3])(f(1))


# Nothing stays behind


def test_classes_are_as_they_were_after_a_recording_and_after_an_error() -> None:
    def fails(x: tg.Tensor) -> tg.Tensor:
        raise KeyError("from the script")

    plain = Plain()
    for step in (lambda x: x * (plain.steps + 1), fails):
        try:
            tg.compile(step)(f(1))
        except KeyError:
            pass
        for kind in (Plain, nn.Module, nn.Linear):
            assert kind.__getattribute__ is object.__getattribute__
            assert "__getattribute__" not in vars(kind)
        assert Plain.__setattr__ is object.__setattr__
        assert "__setattr__" in vars(nn.Module)


def test_two_threads_record_at_once() -> None:
    """One ends while the other still records: what it reads is seen nevertheless."""
    shared = Plain(1)
    both, ended = threading.Barrier(2), threading.Event()
    results: dict[str, Any] = {}

    def run(name: str) -> None:
        def step(x: tg.Tensor) -> tg.Tensor:
            both.wait(10)
            if name == "waits":
                assert ended.wait(10)
            return x * shared.steps

        with session_on("reference"):
            results[name] = tg.compile(step)
            results[name](f(1))
            ended.set()

    threads = [threading.Thread(target=run, args=(name,)) for name in ("waits", "ends")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert Plain.__getattribute__ is object.__getattribute__
    holding = [results[name].recordings[0].holds() for name in ("waits", "ends")]
    shared.steps = 5
    assert holding == [True, True]
    assert [results[name].recordings[0].holds() for name in ("waits", "ends")] == [False, False]


def test_a_model_goes_with_its_step_at_once() -> None:
    """Nothing of a recording waits for Python to look for cycles: tensors lie on a device."""
    model: Any = net(tg)
    step: Any = training(tg, optim.SGD(model.parameters(), lr=0.1), lambda x, y: ((model(x) - y) ** 2).mean())
    gc.disable()
    try:
        for _ in range(4):
            list(losses(tg, step))
        weight = weakref.ref(model[0].weight)
        del step
        model = None
        assert weight() is None
    finally:
        gc.enable()
