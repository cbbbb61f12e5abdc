"""No case is lost where two stacks share them."""

from __future__ import annotations

import pytest

import daily
from device import stacks
from device.op_cases import BY_NAME, OP_CASES, attention
from device.tile_cases import GROUPS

DAYS = [f"2026-{month:02}-{day:02}" for month in range(1, 7) for day in range(1, 29)]


@pytest.mark.parametrize("group", GROUPS)
def test_each_tile_runs_on_one_stack_today(group: str) -> None:
    there, here = (stacks.tile_cases(group, in_node=in_node) for in_node in (True, False))
    assert sorted(case.name for case in there + here) == sorted(case.name for case in GROUPS[group])
    assert there and here


def test_each_op_runs_as_on_a_gpu_on_one_stack_today() -> None:
    there, here = (stacks.gpu_op_cases(in_node=in_node) for in_node in (True, False))
    assert sorted(case.name for case in there + here) == sorted(BY_NAME)
    assert there and here


def test_each_op_but_some_of_attention_runs_natively_today() -> None:
    left_out = BY_NAME.keys() - {case.name for case in stacks.native_op_cases()}
    assert left_out < {case.name for case in attention.CASES}


def test_each_case_has_its_turn_on_both_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    here: set[str] = set()
    there: set[str] = set()
    without_tiles: set[str] = set()
    for day in DAYS:
        monkeypatch.setattr(daily, "SEED", day)
        here |= {case.name for case in stacks.gpu_op_cases(in_node=False)}
        there |= {case.name for case in stacks.gpu_op_cases(in_node=True)}
        without_tiles |= {case.name for case in stacks.native_op_cases()}
    everything = {case.name for case in OP_CASES}
    assert there == everything
    assert here == without_tiles == everything - stacks.IN_NODE_ONLY
