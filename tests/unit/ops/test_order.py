"""Orders and segments: of random keys and indices in every number of blocks and merges, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import tabgrad as tg
from daily import daily_random
from tabgrad.graph.linearize import linearize
from tabgrad.ops.indexing import last_named
from tabgrad.ops.order import BLOCK, WAYS, first_at_least, inverse, order_of
from tabgrad.ops.segment import CHUNK, ENOUGH, folded, segments


def numbers(name: str) -> np.random.Generator:
    return np.random.default_rng(daily_random(name).randrange(2**32))


SIZES = [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, BLOCK * WAYS, BLOCK * WAYS + 1, 2 * BLOCK * WAYS + 77]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("high", [3, 2**31 - 1], ids=["ties", "few ties"])
def test_order_is_that_of_a_stable_sort(n: int, high: int) -> None:
    keys = numbers("order").integers(-high, high, (3, n)).astype(np.int32)
    order = order_of(tg.tensor(keys))
    expected = np.argsort(keys, axis=1, kind="stable")
    np.testing.assert_array_equal(order.numpy(), expected)
    np.testing.assert_array_equal(inverse(order).numpy(), np.argsort(expected, axis=1))


def test_search_counts_lesser_keys() -> None:
    keys = numbers("search").integers(0, 50, 301).astype(np.int32)
    order, values = order_of(tg.tensor(keys[None])).reshape(-1), np.arange(-3, 60, dtype=np.int32)
    found = first_at_least(tg.tensor(keys), order, tg.tensor(values))
    np.testing.assert_array_equal(found.numpy(), (keys[None] < values[:, None]).sum(1))


@pytest.mark.parametrize("positions", [1, ENOUGH, ENOUGH + 1, CHUNK * ENOUGH + 5])
@pytest.mark.parametrize("kind", ["sum", "max"])
def test_segments_are_folded_in_chunks(positions: int, kind: str) -> None:
    rng = numbers("segments")
    index = np.where(rng.random(positions) < 0.8, 2, rng.integers(-1, 9, positions)).astype(np.int32)
    rows = rng.integers(-9, 9, (2, positions, 3)).astype(np.float32)  # whole numbers: sums are exact
    found = folded(kind, tg.tensor(rows), segments(tg.tensor(index), 7)).numpy()
    for v in range(7):
        named = rows[:, index == v]
        expected = named.sum(1) if kind == "sum" else named.max(1, initial=-np.inf)
        np.testing.assert_array_equal(found[:, v], expected)


def test_last_position_of_each_number() -> None:
    index = numbers("last").integers(0, 9000, 2000).astype(np.int32)  # too many to be compared with each other
    expected = np.full(9000, -1)
    expected[index] = np.arange(index.size)
    np.testing.assert_array_equal(last_named(tg.tensor(index), 9000).numpy(), expected)


def test_equal_indices_are_put_in_order_once() -> None:
    """Two tables that one index is looked up in share its order."""
    index = tg.tensor(numbers("once").integers(0, 60000, 400).astype(np.int32))
    tables = [tg.zeros(60000, 2, requires_grad=True) for _ in range(2)]
    sum((t.index_select(0, index) * 2.0).sum() for t in tables).backward()
    entries = linearize([t.grad._node for t in tables]).entries
    assert sum(e.op.name == "order_blocks" for e in entries) == 1
