"""How many recordings a compiled step keeps, and which calls share one."""

from __future__ import annotations

import math
import warnings
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from tabgrad.runtime import ProgramCache, capture
from tabgrad.runtime.recordings import MOST_RECORDINGS, WARN_FROM
from tabgrad.session import Session, current
from unit.compiled_steps import f


def test_floats_one_after_the_other_keep_a_bounded_number_of_recordings_and_warn_once() -> None:
    step = tg.compile(lambda x, rate, *, on=True: x * rate)
    before = len(current().own(ProgramCache))
    for n in range(WARN_FROM - 1):
        step(f(1), n * 0.01)
    with pytest.warns(UserWarning, match="16 values of its argument 'rate'.*as a tensor, for example tabgrad.tensor"):
        step(f(1), (WARN_FROM - 1) * 0.01)
    device = tg.current_session().device
    used = 0
    for n in range(WARN_FROM, 300):  # warnings are errors here: there is no second one
        assert step(f(2), n * 0.01).item() == pytest.approx(n * 0.02, rel=1e-5)
        if n == 100:
            used = device.counters.bytes_allocated
    assert len(step.recordings) == MOST_RECORDINGS
    assert device.counters.bytes_allocated <= used + 4096
    assert len(current().own(ProgramCache)) <= before + MOST_RECORDINGS
    kept = set(map(id, step.recordings))
    step(f(1), 299 * 0.01)
    assert set(map(id, step.recordings)) == kept


def test_the_recording_used_longest_ago_goes_first() -> None:
    step = tg.compile(lambda x: x * 2)

    def call(n: int) -> None:
        assert step(tg.ones(n)).shape == (n,)

    for n in range(1, MOST_RECORDINGS + 1):
        call(n)
    first = step.record(tg.ones(1))
    with pytest.warns(UserWarning, match="65 shapes of its argument 'x'.*pad it to a few shapes"):
        call(MOST_RECORDINGS + 1)
    assert step.record(tg.ones(1)) is first
    assert len(step.recordings) == MOST_RECORDINGS


def test_a_call_like_the_one_before_is_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    step = tg.compile(lambda x, y: x * y)
    assert step(f(2), f(3)).item() == 6

    def looked_up(tree: Any) -> Any:
        raise AssertionError(f"looked up: {tree}")

    with monkeypatch.context() as patched:
        patched.setattr(capture, "signature", looked_up)
        assert [step(f(n), f(3)).item() for n in range(3)] == [0, 3, 6]
        for args in ((tg.ones(2), f(1)), (f(1).int(), f(1)), (f(1), f(1).requires_grad_()), (f(1), 2.0), (f(1),)):
            with pytest.raises(AssertionError, match="looked up"):
                step(*args)
        with pytest.raises(AssertionError, match="looked up"):
            step(f(1), y=f(1))
    assert len(step.recordings) == 1


def test_a_call_like_the_one_before_sees_what_has_changed() -> None:
    factor = {"now": 2.0}
    step = tg.compile(lambda x: x * factor["now"])
    assert [step(f(3)).item() for _ in range(8)] == [6] * 8
    factor["now"] = 5.0
    assert [step(f(3)).item() for _ in range(2)] == [15] * 2
    factor["now"] = 2.0
    assert step(f(3)).item() == 6
    assert len(step.recordings) == 2
    with Session("reference"):
        assert step(f(4)).item() == 8
        assert step(f(4)).item() == 8
    assert step(f(3)).item() == 6
    assert len(step.recordings) == 3


def test_a_recording_that_was_dropped_is_not_used_again() -> None:
    step = tg.compile(lambda x: x * 2)
    x = tg.ones(MOST_RECORDINGS + 5)
    step(x)
    dropped = step.record(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in range(1, MOST_RECORDINGS + 1):
            step.record(tg.ones(n))
    assert dropped not in step.recordings
    assert step(x).shape == x.shape
    assert step.recordings[-1] is not dropped


def test_modes_and_a_few_constants_do_not_warn() -> None:
    step = tg.compile(lambda x, k: x * k)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(WARN_FROM - 1):
            step(f(1), n)
        for n in range(2, 30):
            step(tg.ones(n), 1)


def test_nan_and_zeros_are_recorded_once() -> None:
    step = tg.compile(lambda x, k: x / k)
    for _ in range(3):
        assert math.isnan(step(f(1), float("nan")).item())
        assert math.isnan(step(f(1), np.float32("nan")).item())
        assert step(f(1), 0.0).item() == math.inf
        assert step(f(1), -0.0).item() == -math.inf
    assert len(step.recordings) == 4


def test_named_tuples_pass_through() -> None:
    Batch = namedtuple("Batch", "x y")
    step = tg.compile(lambda batch: Batch(batch.x + batch.y, batch.x))
    with pytest.raises(NotImplementedError, match="got an input returned as it is"):
        step(Batch(f(1), f(2)))
    step = tg.compile(lambda batch: Batch(batch.x + batch.y, batch.x * 2))
    result = step(Batch(f(1), f(2)))
    assert (type(result), result.x.item(), result.y.item()) == (Batch, 3, 2)


@pytest.mark.parametrize("outside", [lambda: tg.ones(2), lambda: f(1, 2) * 2, lambda: (f(1, 2) * 2).realize()])
def test_a_tensor_made_outside_is_not_returned(outside: Any) -> None:
    made = outside()
    with pytest.raises(NotImplementedError, match="got a tensor made outside the step returned as it is; use it where"):
        tg.compile(lambda x: (x * 2, made))(f(1))
    assert tg.compile(lambda x: (x * 2, made.clone()))(f(1))[1].shape == (2,)


def test_what_is_no_plain_function_is_refused() -> None:
    async def waits(x: Any) -> Any:
        return x

    def yields(x: Any) -> Any:
        yield x

    for fn in (waits, yields, 3, None, "step"):
        with pytest.raises(TypeError, match="compile: expected a plain function from tensors to tensors, got"):
            tg.compile(fn)  # type: ignore[arg-type]
    step = tg.compile(lambda x: x + 1)
    assert tg.compile(step) is step
