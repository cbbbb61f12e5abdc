"""Changes of a slice run over that slice alone, in place: counted on what a GPU would be given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from sessions import gpu, session_on
from tabgrad.compiler.compile import Compiled
from tabgrad.runtime.observers import Observer
from tabgrad.session import Session

ROWS, COLUMNS = 40, 50
FLOAT = 4  # bytes


class _Programs(Observer):
    def __init__(self) -> None:
        self.seen: list[Compiled] = []

    def compiled(self, compiled: Compiled) -> None:
        self.seen.append(compiled)


@pytest.fixture
def session() -> Iterator[Session]:
    with session_on("reference", gpu) as session:
        yield session


def _changed(session: Session, change: Callable[[Any], None]) -> Compiled:
    """The program that changes a computed tensor, whose values are compared with NumPy's."""
    start = np.arange(ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS)
    x, expected = tg.tensor(start), start.copy()
    x.mul_(1).realize()
    (x * 1).realize()  # it lies on the device
    programs = session.observer = _Programs()
    change(x)
    x.realize()
    session.observer = None
    change(expected)
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-6)
    (program,) = programs.seen
    return program


def _add(index: Any, value: float = 1) -> Callable[[Any], None]:
    def change(x: Any) -> None:
        x[index] += value

    return change


def _set(index: Any) -> Callable[[Any], None]:
    def change(x: Any) -> None:
        x[index] = 7

    return change


CHANGES: dict[str, tuple[Callable[[Any], None], int]] = {
    "rows": (_add(slice(3, 5)), 2 * COLUMNS),
    "a row": (_add(7), COLUMNS),
    "the last row": (_set(-1), COLUMNS),
    "columns": (_add((slice(None), slice(10, 13))), ROWS * 3),
    "every third column": (_add((slice(None), slice(1, None, 3))), ROWS * 17),
    "a block": (_add((slice(2, 10, 2), slice(5, 9))), 4 * 4),
    "an element": (_set((3, 4)), 1),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_a_slice_moves_no_more_than_the_slice(session: Session, name: str) -> None:
    change, elements = CHANGES[name]
    program = _changed(session, change).program
    (dispatch,) = program.dispatches
    assert dispatch.bytes_moved == elements * FLOAT
    assert [b.role for b in program.buffers] == ["state"]  # nothing is copied to, on the way or at the end


def _swap(x: Any) -> None:
    x[1:] = x[:-1] * 2


def test_a_slice_that_is_computed_of_other_elements_is_computed_before_it_is_written(session: Session) -> None:
    program = _changed(session, _swap).program
    assert sorted(b.role for b in program.buffers) == ["scratch", "state"]


def test_a_whole_that_others_still_need_is_copied(session: Session) -> None:
    x = tg.tensor(np.ones((ROWS, COLUMNS), np.float32))
    (x * 1).realize()
    before = x.clone()
    x[0] += 1
    x.realize()
    np.testing.assert_array_equal(before.numpy(), 1)
    assert x[0].tolist() == [2] * COLUMNS
