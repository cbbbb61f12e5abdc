"""What simplification removes, and that it changes no value."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import tabgrad as tg
from sessions import session_on
from tabgrad.compiler.passes.simplify import simplify
from tabgrad.graph.linearize import linearize
from tabgrad.graph.rewrite import Graph
from tabgrad.tracing.tracer import Tracer

VALUES = np.array([[1.5, -2.0, 0.0], [np.inf, -np.inf, np.nan]], np.float32)


def _x() -> tg.Tensor:
    return tg.tensor(VALUES)


def _simplified(*wanted: tg.Tensor) -> Graph:
    return simplify(linearize([t._node for t in wanted]))


def _names(*wanted: tg.Tensor) -> list[str]:
    return [e.op.name for e in _simplified(*wanted).entries]


NEUTRAL: dict[str, Callable[[tg.Tensor], tg.Tensor]] = {
    "x + 0": lambda x: x + 0,
    "0 + x": lambda x: 0 + x,
    "x - 0": lambda x: x - 0,
    "x * 1": lambda x: x * 1.0,
    "1 * x": lambda x: 1 * x,
    "x / 1": lambda x: x / 1,
    "reshape there and back": lambda x: x.reshape(6).reshape(2, 3),
    "permute there and back": lambda x: x.transpose(0, 1).transpose(0, 1),
    "where, condition known": lambda x: tg.where(tg.full((2, 3), True), x, x * 2),
}


@pytest.mark.parametrize("name", NEUTRAL)
def test_neutral_operations_vanish(name: str) -> None:
    x = _x()
    y = NEUTRAL[name](x)
    assert _names(y.exp()) == ["buffer", "exp"]
    np.testing.assert_array_equal(y.numpy(), VALUES)


def test_multiplication_with_zero_keeps_infinities_and_nan() -> None:
    found = (_x() * 0).numpy()
    np.testing.assert_array_equal(found, [[0, 0, 0], [np.nan] * 3])


CONSTANT: dict[str, tuple[Callable[[], tg.Tensor], float]] = {
    "arithmetic": (lambda: (tg.full((3,), 2.0) + 1) * 4 - 0.5, 11.5),
    "float32, not float64": (lambda: tg.full((3,), 0.1) + 0.2, float(np.float32(0.1) + np.float32(0.2))),
    "division by zero": (lambda: tg.ones(3) / 0, math.inf),
    "nothing over nothing": (lambda: tg.zeros(3) / 0, math.nan),
    "views": (lambda: tg.full((2, 3), 7.0).transpose(0, 1)[1:].reshape(4).expand(3, 4), 7.0),
    "padding with itself": (lambda: tg.nn.functional.pad(tg.full((3,), 5.0), (1, 1), value=5.0), 5.0),
    "comparison": (lambda: tg.ones(3) > tg.zeros(3), 1.0),
    "integer division": (lambda: tg.full((3,), -7) // 2, -4),
    "cast": (lambda: tg.full((3,), -2.7).int(), -2),
}


@pytest.mark.parametrize("name", CONSTANT)
def test_constants_are_folded(name: str) -> None:
    make, expected = CONSTANT[name]
    with session_on() as session:
        session.own(Tracer).enabled = False  # which takes numbers that have differed for scalars
        made = make()
        assert _names(made * _x()[0, 0] if made.dtype is tg.float32 else made)[0] in ("buffer", "const")
        assert set(_names(make())) == {"const"}
        np.testing.assert_array_equal(made.numpy(), np.full(made.shape, expected, made.numpy().dtype))


EMPTY: dict[str, tuple[Callable[[], tg.Tensor], float]] = {
    "sum": (lambda: tg.tensor(np.zeros((2, 0), np.float32)).sum(1), 0.0),
    "prod": (lambda: tg.tensor(np.zeros((2, 0), np.float32)).prod(1), 1.0),
    "logsumexp": (lambda: tg.logsumexp(tg.tensor(np.zeros((2, 0), np.float32)), 1), -math.inf),
    "product of matrices": (lambda: tg.tensor(np.zeros((2, 0), np.float32)) @ tg.zeros(0, 2), 0.0),
    "padding": (lambda: tg.nn.functional.pad(tg.tensor(np.zeros((2, 0), np.float32)), (1, 1), value=3.0), 3.0),
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty_inputs_give_constants(name: str) -> None:
    make, expected = EMPTY[name]
    assert set(_names(make())) == {"const"}
    assert set(np.ravel(make().numpy())) == {expected}


def test_chains_of_views_become_one() -> None:
    x = tg.tensor(np.arange(24, dtype=np.float32))
    y = x.reshape(2, 12).reshape(4, 6).reshape(2, 3, 4).permute(2, 0, 1).permute(1, 2, 0)
    assert _names(y * 2) == ["buffer", "reshape", "const", "mul"]
    np.testing.assert_array_equal(y.numpy(), np.arange(24).reshape(2, 3, 4))


def test_equal_values_are_computed_once() -> None:
    x = _x()
    assert _names((x + 0).exp() + (x * 1).exp()) == ["buffer", "exp", "add"]


def test_unused_values_are_dropped() -> None:
    x = _x()
    x.sin().cos()
    assert _names(x.exp()) == ["buffer", "exp"]


def test_a_write_is_an_effect_and_its_readers_read_the_value() -> None:
    a = tg.tensor(np.ones(3, np.float32))
    (a * 1).realize()
    a.mul_(2)
    graph = _simplified(a, a + 1)
    assert list(graph.effects) == [(0, 0)]
    assert [e.op.name for e in graph.entries] == ["buffer", "const", "mul", "const", "add"]
    (written,) = graph.effects.values()
    assert graph.entries[written].op.name == "mul"
    assert len(graph.outputs) == 1
    assert a.tolist() == [2, 2, 2]


def test_only_the_last_of_several_writes_happens() -> None:
    a = tg.tensor(np.ones(3, np.float32))
    (a * 1).realize()
    for n in range(4):
        a.copy_(a + n)
    graph = _simplified(a)
    assert len(graph.effects) == 1
    assert a.tolist() == [7, 7, 7]


def test_a_copy_of_memory_is_a_copy() -> None:
    a, b = (tg.tensor(np.full(3, n, np.float32)) for n in (1, 2))
    (a * b).realize()
    a.copy_(b)
    assert _names(a) == ["buffer", "copy"]
    b.add_(5)
    assert a.tolist() == [2, 2, 2]
