"""Values larger than a binding: the geometry of cutting them, random graphs in parts, memory written in place."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tabgrad as tg
from daily import examples_of_today
from device.small_bindings import Parts, small_bindings
from sessions import session_on
from tabgrad import runtime
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.passes import fit
from tabgrad.compiler.passes.large.grid import boxes, every, flat_cuts, runs, shape_of, shortened, uncut, unflattened
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Limits
from tabgrad.errors import DeviceError
from tabgrad.graph.linearize import linearize
from tabgrad.runtime import ProgramCache
from tabgrad.session import current
from unit.compiler.recipes import grow, leaves, recipes, writes_of
from unit.compiler.recipes import step as take_step
from unit.compiler.strict_device import StrictDevice

few = settings(max_examples=40, deadline=None, derandomize=True, database=None)
DAYS = 4  # within which all examples have run
shapes = st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple)

MOST = 1024  # bytes of a binding: the largest leaves fill several
SCALE = 6  # of the leaves' sizes
RTOL, ATOL = 5e-4, 5e-4  # float32 against float64; values are kept near 1, graphs have at most 14 ops


@given(shape=shapes, ends=st.tuples(st.integers(0, 2400), st.integers(0, 2400)))
def test_runs_cover_a_range_once_and_in_order(shape: tuple[int, ...], ends: tuple[int, int]) -> None:
    size = math.prod(shape)
    start, end = sorted(n % (size + 1) for n in ends)
    positions = np.arange(size).reshape(shape)
    found = [positions[tuple(slice(a, b) for a, b in box)].ravel() for box in runs(shape, start, end)]
    np.testing.assert_array_equal(np.concatenate([np.zeros(0, int), *found]), np.arange(start, end))


@given(shape=shapes, limit=st.integers(1, 50))
def test_shortened_cells_are_within_the_limit_and_follow_each_other(shape: tuple[int, ...], limit: int) -> None:
    cuts = shortened([uncut(n) for n in shape], range(len(shape)), limit)
    cells = [box for _, box in boxes(cuts)]
    assert all(math.prod(shape_of(box)) <= limit for box in cells)
    flat = flat_cuts(shape, cuts)
    assert flat is not None
    assert [b - a for a, b in itertools.pairwise(flat)] == [math.prod(shape_of(box)) for box in cells]
    again = unflattened(flat, shape)
    assert again is not None
    assert flat_cuts(shape, again) == flat


def test_a_grid_over_columns_is_not_flat() -> None:
    assert flat_cuts((4, 6), [uncut(4), every(6, 3)]) is None
    assert unflattened((0, 5, 24), (4, 6)) is None
    assert unflattened((0, 12, 24), (2, 12)) == ((0, 1, 2), (0, 12))


def _check(ours: list[np.ndarray], theirs: list[torch.Tensor]) -> None:
    for found, expected in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(found, expected.detach().numpy(), rtol=RTOL, atol=ATOL)


@pytest.fixture(scope="module")
def parts() -> Iterator[Parts]:
    """A device that refuses large bindings, for all examples of a test."""
    with session_on(StrictDevice(8, "gpu", MOST)), small_bindings(MOST, software=False) as found:
        yield found


@few
@given(recipe=recipes, seed=st.integers(0, 99))
@examples_of_today(DAYS)
def test_values(parts: Parts, recipe, seed: int) -> None:
    arrays = leaves(seed, SCALE)
    ours = grow(tg, [tg.tensor(a) for a in arrays], recipe)
    theirs = grow(torch, [torch.tensor(a, dtype=torch.float64) for a in arrays], recipe)
    _check(runtime.read_now(*ours[-2:]), theirs[-2:])
    _check(runtime.read_now(*ours), theirs)  # some of which read what has been computed


@few
@given(recipe=recipes, seed=st.integers(0, 99))
@examples_of_today(DAYS)
def test_gradients(parts: Parts, recipe, seed: int) -> None:
    arrays = leaves(seed, SCALE)
    ours = [tg.tensor(a, requires_grad=True) for a in arrays]
    theirs = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]
    for T, start in ((tg, ours), (torch, theirs)):
        sum((v.sin() * 0.1).sum() for v in grow(T, start, recipe)[-4:]).backward()
    pairs = [(a.grad, b.grad) for a, b in zip(ours, theirs, strict=True) if b.grad is not None]
    current().own(ProgramCache).clear()  # the same example may come again
    before = parts.splits
    _check(runtime.read_now(*(a for a, _ in pairs)), [b for _, b in pairs])
    assert parts.splits > before or all(b.numel() * 4 <= MOST for _, b in pairs)


@few
@given(recipe=recipes, seed=st.integers(0, 99), writes=writes_of)
@examples_of_today(DAYS)
def test_writes_in_a_compiled_step(parts: Parts, recipe, seed: int, writes: list[int]) -> None:
    ours, theirs = [tg.tensor(a) for a in leaves(seed, SCALE)], [torch.tensor(a).double() for a in leaves(seed, SCALE)]

    @tg.compile
    def step(*inputs: tg.Tensor) -> list[tg.Tensor]:
        return [v + 0.0 * v for v in take_step(tg, ours, list(inputs), recipe, writes)] or [inputs[0] * 1.0]

    for turn in range(2):
        inputs = leaves(seed + turn, SCALE)
        expected = take_step(torch, theirs, [torch.tensor(a).double() for a in inputs], recipe, writes)
        results = step(*map(tg.tensor, inputs))
        _check(runtime.read_now(*ours), theirs)
        _check(runtime.read_now(*results), expected or [torch.tensor(inputs[0])])


def test_large_memory_is_written_in_place(parts: Parts) -> None:
    """An optimizer's buffers are cut where its gradients are: every part is overwritten where it lies."""
    model = tg.nn.Sequential(tg.nn.Linear(40, 33), tg.nn.Tanh(), tg.nn.Linear(33, 7))
    optimizer = tg.optim.Adam(model.parameters())

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        optimizer.zero_grad()
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    x = tg.rand(50, 40).realize()
    before = len(parts.programs)
    first = step(x).item()
    program = max(parts.programs[before:], key=lambda p: len(p.dispatches))
    assert not [d.label for d in program.dispatches if d.label.startswith("copy")]
    state = {n for n, b in enumerate(program.buffers) if b.role == "state" and b.size_bytes > MOST}
    assert len(state) == 3
    written = [b for d in program.dispatches for b in d.bindings if b.buffer in state and b.access == "read_write"]
    for n in state:
        windows = sorted({(b.offset, b.size_bytes) for b in written if b.buffer == n})
        assert len(windows) > 3
        assert all(a + size <= b for (a, size), (b, _) in itertools.pairwise(windows))
    for _ in range(20):
        last = step(x).item()
    assert last < first / 2


def test_a_window_of_large_memory_is_copied(parts: Parts) -> None:
    x = np.arange(3000, dtype=np.float32)
    ours, small = tg.tensor(x), tg.zeros(256).realize()
    small.copy_(ours[512:768])
    found = runtime.read_now(ours[256:512], ours[1:1001], ours[512:768].reshape(16, 16), small, ours)
    for a, b in zip(found, (x[256:512], x[1:1001], x[512:768].reshape(16, 16), x[512:768], x), strict=True):
        np.testing.assert_array_equal(a, b)


GPU = Target(limits=Limits(), software=False, renders=True)


def test_virtual_values_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that no kernel stores may be of any size: a mask of 2**30 elements that a sum reads."""
    monkeypatch.setattr(fit, "split_large", None)
    table = tg.tensor(np.zeros((1000, 1), np.float32), requires_grad=True)
    tg.nn.functional.embedding(tg.arange(2**20), table).sum().backward()
    assert table.grad is not None
    program = compile_graph(linearize([table.grad._node]), GPU).program
    assert max(b.size_bytes for d in program.dispatches for b in d.bindings) <= 2**22


def _compiled(*tensors: tg.Tensor) -> list[int]:
    program = compile_graph(linearize([t._node for t in tensors]), GPU).program
    return [b.size_bytes for d in program.dispatches for b in d.bindings]


def test_parts_fill_bindings() -> None:
    assert _compiled(tg.rand(2**26).sin()) == [2**27] * 2


def test_a_result_larger_than_a_buffer_is_refused() -> None:
    with pytest.raises(DeviceError, match=r"sin \[80000000\]: expected .* of at most 268435456 bytes.* got 320000000"):
        _compiled(tg.rand(80_000_000).sin())


def test_a_value_larger_than_a_buffer_may_come_in_between() -> None:
    hidden = tg.rand(2**26, 4) @ tg.rand(4, 2)  # 512 MiB
    sizes = _compiled((hidden.relu() @ tg.rand(2, 1)).sum())
    assert max(sizes) <= 2**27


def test_a_row_larger_than_a_binding_cannot_be_searched() -> None:
    message = (
        r"reduce \[1, 1\]: expected tensors of at most 134217728 bytes on this adapter.*use a smaller batch or model"
    )
    with pytest.raises(DeviceError, match=message):
        _compiled((tg.rand(2**26, 2) @ tg.rand(2, 1)).argmax(0))
