"""Chains of values that are too long for one kernel."""

from __future__ import annotations

import numpy as np
import pytest

import tabgrad as tg
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.passes.depth import MOST_MOVES, MOST_VALUES
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Limits
from tabgrad.graph.linearize import linearize
from tabgrad.nn import functional as F
from unit.compiler.strict_device import check_program

TARGET = Target(limits=Limits(max_storage_buffers=8), software=False, renders=True)


def _launches(out: tg.Tensor) -> int:
    program = compile_graph(linearize([out._node]), TARGET).program
    check_program(program, 8)
    return len(program.dispatches)


@pytest.mark.parametrize(("length", "launches"), [(MOST_VALUES // 2 - 1, 1), (3 * MOST_VALUES, 6)])
def test_chain_of_elementwise_values_ends_at_a_depth(length: int, launches: int) -> None:
    y = tg.tensor(np.linspace(-1, 1, 7, dtype=np.float32))
    for n in range(length):
        y = (y + n).sin()
    assert launches <= _launches(y) <= launches + 1


def test_recurrence_over_neighbours_is_stored_every_few_steps() -> None:
    steps = 40
    y = tg.tensor(np.linspace(-1, 1, 7, dtype=np.float32)) * 2.0
    for _ in range(steps):
        y = (y + F.pad(y[:-1], (1, 0))).sin()
    assert steps // (MOST_MOVES + 1) <= _launches(y) <= steps // 2
