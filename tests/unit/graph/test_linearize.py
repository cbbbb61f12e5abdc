"""Graphs as lists: equal structure gives equal keys, and nothing appears twice."""

from __future__ import annotations

import numpy as np
import pytest

import tabgrad as tg
from tabgrad import runtime
from tabgrad.graph.linearize import linearize, topological


def _node(t: tg.Tensor):
    return t._node


def _linear(*tensors: tg.Tensor):
    return linearize([t._node for t in tensors])


def _some(*shape: int) -> tg.Tensor:
    return tg.tensor(np.ones(shape, np.float32))


def test_equal_subexpressions_are_one_entry() -> None:
    x = _some(3)
    linear = _linear((x * 2).exp() + (x * 2).exp())
    assert sorted(e.op.name for e in linear.entries) == ["add", "buffer", "const", "exp", "mul"]


def test_key_ignores_which_memory_is_read() -> None:
    assert _linear(_some(3, 4).relu().sum()).key == _linear(_some(3, 4).relu().sum()).key


def test_key_tells_shared_memory_from_two_equal_ones() -> None:
    x, y = _some(3), _some(3)
    assert _linear(x + x).key != _linear(x + y).key


@pytest.mark.parametrize(
    "other",
    [
        lambda x: x.reshape(4, 3) * 2.0,
        lambda x: x * 3.0,
        lambda x: x + 2.0,
        lambda x: x.transpose(0, 1) * 2.0,
        lambda x: x[:2] * 2.0,
        lambda x: x.int() * 2,
    ],
)
def test_key_tells_different_graphs(other) -> None:
    assert _linear(other(_some(3, 4))).key != _linear(_some(3, 4) * 2.0).key


def test_zero_has_two_signs_and_nan_is_one_value() -> None:
    x = _some(3)
    np.testing.assert_array_equal((x / 0.0).numpy(), np.full(3, np.inf))
    np.testing.assert_array_equal((x / -0.0).numpy(), np.full(3, -np.inf))
    up, down = runtime.read_now(x / 0.0, x / -0.0)
    assert up[0] == -down[0] == np.inf
    assert _linear(x * 0.0, x * -0.0).key != _linear(x * 0.0, x * 0.0).key
    assert _linear(x * float("nan")).key == _linear(x * (np.inf - np.inf)).key


def test_key_tells_the_order_of_results() -> None:
    x = _some(3)
    a, b = x.exp(), x.sin()
    assert _linear(a, b).key != _linear(b, a).key


def test_key_tells_sizes_of_memory() -> None:
    whole, half = _some(8), _some(4)
    whole.numpy()
    view = whole.reshape(8)
    assert _linear(view[:4] * 2).key != _linear(half * 2).key


def test_topological_order_has_arguments_first_and_survives_deep_graphs() -> None:
    x = _some(2)
    y = x
    for _ in range(5000):  # far beyond Python's recursion limit
        y = y + x
    order = topological([_node(y)])
    assert len(order) == 5001
    place = {id(n): i for i, n in enumerate(order)}
    assert all(place[id(a)] < place[id(n)] for n in order for a in n.args)


def test_scalars_are_asked_in_the_order_in_which_they_were_made() -> None:
    asked = []
    first = tg.step_scalar(lambda: asked.append("first") or 1.0)
    second = tg.step_scalar(lambda: asked.append("second") or 2.0)
    assert (second * 10 + first).item() == 21
    assert asked == ["first", "second"]
