"""Numbers that may differ from round to round: what is asked of them is answered as by Python's, and remembered."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from sessions import session_on
from tabgrad.session import Session
from tabgrad.tracing.tracer import Tracer

QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "is": lambda p: (isinstance(p, float), isinstance(p, bool | int), isinstance(p, tg.Tensor)),
    "compare": lambda p: (p == 1, p != 2.5, p < 3, p <= 0.5, p > 0, p >= 7, 1 < p < 5),
    "arithmetic": lambda p: (p + 1 - 2, 2 - p, p * 3, 2 * p, p / 4, 4 / p, p // 2, 9 // p, p % 2, 7 % p),
    "signs": lambda p: (-p, +p, abs(p)),
    "power": lambda p: (p**2, 2**p, p**-1.0),
    "convert": lambda p: (float(p), int(p), bool(p), str(p), f"{p:.2f}", repr(p), hash(p), p.is_integer()),
    "round": lambda p: (round(p), round(p, 1), math.floor(p), math.ceil(p), math.trunc(p), divmod(p, 2)[0]),
    "of math": lambda p: (math.sqrt(p), math.isinf(p), math.copysign(1, p), max(p, 1), min(p, 1), sum([p, 1])),
    "of numpy": lambda p: (np.float32(p), np.asarray(p), np.full(2, p).tolist(), np.sqrt(p)),
    "mixed": lambda p: (p + p, p * p - p, (p + 1) ** 0.5 > p, {p: 1}[p]),
}  # fmt: skip


@pytest.fixture
def session() -> Iterator[Session]:
    with session_on("reference") as session:
        yield session


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_are_those_of_a_float(question: str, session: Session) -> None:
    tracer, ask, kinds = session.own(Tracer), QUESTIONS[question], []

    def called(x: tg.Tensor, p: float) -> tg.Tensor:
        kinds.append(type(p).__name__)
        answers, expected = ask(p), ask(value)
        assert [str(a) for a in answers] == [str(e) for e in expected]
        return x * p

    for value in (0.25, 2.5, 2.25, 4.0, 0.75, 1.5):
        found = tracer.call(called, (tg.ones(3), value), {})
        assert found.tolist() == [value] * 3
    assert "Number" in kinds


def test_a_condition_that_does_not_hold_is_another_call(session: Session) -> None:
    tracer, executed = session.own(Tracer), []

    def called(x: tg.Tensor, p: float) -> tg.Tensor:
        executed.append(float(np.float32(p)) if type(p) is float else "number")
        return x * p if p > 1 else x - p

    values = [2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 0.5, 0.25, 5.0, 0.75, 0.875, 6.0]
    for value in values:
        expected = value * 2 if value > 1 else 2 - value
        assert tracer.call(called, (tg.full((3,), 2.0), value), {}).tolist() == [expected] * 3
    assert executed.count("number") <= 3
    assert len(executed) < len(values)
