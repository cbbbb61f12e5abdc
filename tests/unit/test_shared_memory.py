"""Random programs of detach, clone, views, changes in place and reads give PyTorch's values, whenever one looks."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from daily import daily_random
from sessions import session_on
from tabgrad import nn, runtime

SIZE = 4


def test_clone_of_a_detached_tensor_survives_a_change() -> None:
    a = tg.tensor([1.0, 2.0])
    v = a.detach()
    c = v.clone()
    a.add_(1)
    assert (v - c).tolist() == [1, 1]
    assert (a.tolist(), v.tolist(), c.tolist()) == ([2, 3], [2, 3], [1, 2])


def test_state_dict_with_clones_survives_a_change() -> None:
    model = nn.Linear(2, 1)
    state = model.state_dict()
    kept = {name: t.clone() for name, t in state.items()}
    before = {name: t.tolist() for name, t in kept.items()}
    kept = {name: t.clone() for name, t in state.items()}
    with tg.no_grad():
        for p in model.parameters():
            p.add_(1)
    for name, t in state.items():
        np.testing.assert_allclose((t - kept[name]).numpy(), 1, rtol=1e-6)
        assert kept[name].tolist() == before[name]


def test_equal_values_computed_together_are_changed_apart() -> None:
    a = tg.tensor([1.0, 2.0])
    x, y = a * 3, a * 3
    runtime.realize_all([x, y])
    x.add_(1)
    assert (x.tolist(), y.tolist()) == ([4, 7], [3, 6])
    y.add_(2)
    assert (x.tolist(), y.tolist()) == ([4, 7], [5, 8])


def test_source_of_a_copy_is_not_changed_with_it() -> None:
    source, target = tg.tensor([1.0, 2.0]) * 3, tg.zeros(2)
    target.copy_(source)
    runtime.realize_all([target])
    target.add_(1)
    assert (source.tolist(), target.tolist()) == ([3, 6], [4, 7])


@pytest.mark.parametrize("order", ["before", "after", "both"])
def test_a_view_shows_what_its_memory_holds_whenever_it_is_read(order: str) -> None:
    a = tg.tensor([1.0, 2.0])
    v = a.reshape(2, 1)
    if order != "after":
        assert v.tolist() == [[1], [2]]
    a.add_(1)
    if order == "both":
        assert a.tolist() == [2, 3]
    assert v.tolist() == [[2], [3]]
    assert a.tolist() == [2, 3]
    v.mul_(2)
    assert a.tolist() == [4, 6]
    a.copy_(np.array([7, 8], np.float32))
    assert v.tolist() == [[7], [8]]


def test_a_view_of_a_detached_tensor_changes_all_of_them() -> None:
    a = tg.tensor([1.0, 2.0])
    part = a.detach().reshape(2, 1)
    part.add_(1)
    assert a.tolist() == [2, 3]
    del part
    a.add_(1)
    assert a.tolist() == [3, 4]


@pytest.mark.parametrize("read", [False, True])
def test_a_view_shows_what_a_compiled_step_wrote(read: bool) -> None:
    a = tg.tensor([1.0, 2.0])
    v, row, doubled = a.reshape(2, 1), a[1:], a * 2
    step = tg.compile(lambda: a.mul_(2).sum())
    for n in (1, 2, 3):
        if read:
            assert v.tolist() == [[2 ** (n - 1)], [2**n]]
        step()
        assert v.tolist() == [[2**n], [2 * 2**n]]
        assert row.tolist() == [2 * 2**n]
        assert doubled.tolist() == [2, 4]


def test_a_view_of_a_parameter_shows_its_updates_and_changes_it() -> None:
    layer = nn.Linear(2, 2, bias=False)
    layer.weight.data.fill_(1.0)
    row = layer.weight.data[1]
    optimizer = tg.optim.SGD(layer.parameters(), lr=0.5)
    for n in (1, 2):
        optimizer.zero_grad()
        layer(tg.ones(1, 2)).sum().backward()
        optimizer.step()
        assert row.tolist() == [1 - 0.5 * n] * 2
    row.fill_(7.0)
    assert layer.weight.tolist() == [[0, 0], [7, 7]]


def test_a_write_that_only_a_view_waits_for_is_done_once() -> None:
    x = tg.tensor([1.0, 2.0, 3.0])
    v = x.reshape(3, 1).reshape(3)
    del x
    w = v.reshape(1, 3)
    v[1] += 10
    assert v.tolist() == [1, 12, 3]
    assert w.tolist() == [[1, 12, 3]]


def test_a_write_that_waits_reads_what_was_there_before() -> None:
    x, other = tg.tensor([1.0, 2.0, 3.0]), tg.tensor([4.0, 5.0])
    v = x.reshape(3, 1).reshape(3)
    del x
    w = v.reshape(1, 3)
    v[1:] = other * 2
    other.mul_(0)
    assert other.tolist() == [0, 0]
    assert (v.tolist(), w.tolist()) == ([1, 8, 10], [[1, 8, 10]])


def test_a_step_writes_memory_that_only_a_view_shows() -> None:
    x = tg.tensor([1.0, 2.0, 3.0, 4.0])
    v = x.reshape(2, 2).t()
    del x
    step = tg.compile(lambda: v.copy_(v * 2).sum())
    assert [step().item() for _ in range(3)] == [20, 40, 80]
    assert v.tolist() == [[8, 24], [16, 32]]


def test_views_of_values_that_were_not_computed_are_kept_before_a_write() -> None:
    x = tg.tensor([1.0, 2.0])
    doubled = x * 2
    view = doubled.reshape(2, 1)
    del doubled
    x.fill_(0)
    x.numpy()
    view.add_(1)
    assert view.tolist() == [[3], [5]]


def test_views_that_were_read_leave_nothing_behind() -> None:
    with session_on("reference") as session:
        x = tg.tensor(np.arange(50, dtype=np.float32))
        kept = [x[n] for n in range(3)]
        assert [x[n].item() for n in range(50)] == list(range(50))
        assert [v.item() for v in kept] == [0, 1, 2]
        assert len(session.views) == 3
        x.add_(1)
        assert [v.item() for v in kept] == [1, 2, 3]


def test_a_view_of_a_view_that_was_read_shows_what_is_written() -> None:
    x = tg.tensor([1.0, 2.0, 3.0, 4.0])
    step = tg.compile(lambda: x.mul_(2).sum())
    step()
    turned = x.reshape(2, 2).t()
    part = turned[0]
    assert turned.tolist() == [[2, 6], [4, 8]]
    step()
    assert part.tolist() == [4, 12]


class Pair:
    def __init__(self, ours: tg.Tensor, theirs: torch.Tensor) -> None:
        self.ours, self.theirs = ours, theirs

    def compare(self) -> None:
        np.testing.assert_allclose(self.ours.detach().numpy(), self.theirs.numpy(), rtol=1e-5)


VIEWS: list[tuple[str, Callable[[Any], Any]]] = [
    ("halves", lambda t: t.reshape(2, SIZE // 2)[1].reshape(1, SIZE // 2).expand(2, SIZE // 2).reshape(SIZE)),
    ("turned", lambda t: t.reshape(SIZE, 1).t().reshape(SIZE)),
    ("reshape", lambda t: t.reshape(2, SIZE // 2).reshape(SIZE)),
    ("square", lambda t: t.reshape(2, 2).transpose(0, 1).reshape(SIZE)),
    ("slices", lambda t: t[0:SIZE].reshape(SIZE)),
    ("itself", lambda t: t.reshape(SIZE)),
]


DEEDS = [
    "part",
    "item",
    "mask",
    "places",
    "fresh",
    "equal",
    "add",
    "mul",
    "array",
    "fill",
    "all",
    "realize",
    "drop",
    "step",
]
DEEDS += ["lazy", "detach", "clone", "view", "copy", "read", "replay"] * 2


def play(rng: random.Random, length: int, told: list[str]) -> None:
    """A program on both libraries; ``told`` what is done, for the message of a failure."""
    pairs: list[Pair] = []
    steps: list[tuple[Any, Pair]] = []

    def add(ours: tg.Tensor, theirs: torch.Tensor) -> None:
        pairs.append(Pair(ours, theirs))

    def fresh() -> None:
        values = np.array([rng.randrange(1, 9) for _ in range(SIZE)], np.float32)
        add(tg.tensor(values), torch.tensor(values))

    fresh()
    for _ in range(length):
        what = rng.choice(DEEDS)
        n, m = rng.randrange(len(pairs)), rng.randrange(len(pairs))
        a, b = pairs[n], pairs[m]
        told.append(f"{what} {n} {m}")
        if what == "fresh":
            fresh()
        elif what == "lazy":
            add(a.ours + b.ours * 0.5, a.theirs + b.theirs * 0.5)
        elif what == "equal":
            add(a.ours * 0.5, a.theirs * 0.5)
        elif what == "detach":
            add(a.ours.detach(), a.theirs.detach())
        elif what == "clone":
            add(a.ours.clone(), a.theirs.clone())
        elif what == "view":
            name, view = rng.choice(VIEWS)
            told[-1] += f" {name}"
            add(view(a.ours), view(a.theirs))
        elif what in ("add", "mul", "copy", "array", "fill"):
            values = np.array([rng.randrange(1, 9) for _ in range(SIZE)], np.float32)
            if what == "add":
                a.ours.add_(b.ours)
                a.theirs.add_(b.theirs)
            elif what == "mul":
                a.ours.mul_(0.5)
                a.theirs.mul_(0.5)
            elif what == "copy":
                a.ours.copy_(b.ours)
                a.theirs.copy_(b.theirs)
            elif what == "array":
                a.ours.copy_(values)
                a.theirs.copy_(torch.tensor(values))
            else:
                a.ours.fill_(float(values[0]))
                a.theirs.fill_(float(values[0]))
        elif what == "part":
            at = rng.randrange(SIZE - 1)
            a.ours[at : at + 2] = b.ours[:2] * 2
            a.theirs[at : at + 2] = b.theirs[:2] * 2
        elif what == "item":
            at = rng.randrange(SIZE)
            a.ours[at] += 1
            a.theirs[at] += 1
        elif what == "mask":
            a.ours[b.ours > 4] = 2.0
            a.theirs[b.theirs > 4] = 2.0
        elif what == "places":
            order = [b.ours.detach().argsort(stable=True).argsort(), b.theirs.argsort(stable=True).argsort()]
            a.ours[order[0] < 3] = b.ours[1:]
            a.theirs[order[1] < 3] = b.theirs[1:].clone()
        elif what == "read":
            a.compare()
        elif what == "all":
            for pair, values in zip(pairs, runtime.read_now(*(p.ours for p in pairs)), strict=True):
                np.testing.assert_allclose(values, pair.theirs.numpy(), rtol=1e-5)
        elif what == "realize":
            runtime.realize_all([a.ours, b.ours])
        elif what == "drop" and len(pairs) > 1:
            del pairs[n]
        elif what == "step" and len(steps) < 3:
            steps.append((tg.compile(lambda t=a.ours: t.copy_(t * 0.5 + 1).sum()), a))
        elif what == "replay" and steps:
            step, pair = rng.choice(steps)
            total = step()
            pair.theirs.copy_(pair.theirs * 0.5 + 1)
            told[-1] += f" {[p is pair for p in pairs]}"
            np.testing.assert_allclose(total.numpy(), pair.theirs.sum().numpy(), rtol=1e-5)
    for pair in pairs:
        pair.compare()


@pytest.mark.parametrize("case", range(30))
def test_random_programs_on_shared_memory(case: int) -> None:
    rng = daily_random(f"shared memory {case}")
    for _ in range(4):
        told: list[str] = []
        try:
            play(rng, rng.randrange(3, 25), told)
        except Exception as error:
            error.add_note("\n".join(told))
            raise
