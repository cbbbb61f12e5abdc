"""No case is lost where two stacks share them, and each day has some of all kinds."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest

import daily
from device import stacks
from device.op_cases import OP_CASES, attention
from device.small_bindings import LARGE_CASES, LARGE_WORKLOADS, OWN_CASES
from device.tile_cases import GROUPS

BOTH_STACKS = {name for case in OP_CASES if (name := case.name) not in stacks.IN_NODE_ONLY}
EVERY_OP = {case.name for case in OP_CASES}
TURNS: dict[str, tuple[Callable[[], Iterable[Any]], set[str]]] = {
    "op cases natively": (stacks.native_op_cases, BOTH_STACKS),
    "op cases in node": (stacks.node_op_cases, EVERY_OP),
    "op cases of GPUs natively": (partial(stacks.gpu_op_cases, in_node=False), BOTH_STACKS),
    "op cases of GPUs on the reference": (stacks.gpu_op_cases_on_the_reference, EVERY_OP),
    "op cases of GPUs in node": (partial(stacks.gpu_op_cases, in_node=True), EVERY_OP),
    **{
        f"large cases, {where}": (partial(stacks.large_cases, where), {case.name for case in LARGE_CASES})
        for where in ("native", "reference", "node")
    },
    "large cases of GPUs natively": (stacks.large_gpu_cases_natively, {case.name for case in OWN_CASES}),
    "large workloads in node": (stacks.large_workloads_in_node, {workload.name for workload in LARGE_WORKLOADS}),
} | {
    f"{group}, {in_node=}": (partial(stacks.tile_cases, group, in_node=in_node), {c.name for c in GROUPS[group]})
    for group in GROUPS
    for in_node in (False, True)
}


@pytest.fixture(autouse=True)
def by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases take turns, even in a run of all of them."""
    monkeypatch.setattr(daily, "EVERYTHING", False)


def today(turns: str) -> set[str]:
    return {case.name for case in TURNS[turns][0]()}


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("first", ["2026-11-22", "2026-12-28"])
def test_each_case_has_its_turn_within_eight_days(turns: str, first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[str] = set()
    for number in range(daily.MOST_DAYS):
        monkeypatch.setattr(daily, "SEED", str(datetime.date.fromisoformat(first) + datetime.timedelta(number)))
        assert today(turns)
        seen |= today(turns)
    assert seen == TURNS[turns][1]


@pytest.mark.parametrize("turns", TURNS)
def test_a_run_of_everything_leaves_nothing_out(turns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily, "EVERYTHING", True)
    assert today(turns) == TURNS[turns][1]


def test_each_op_but_some_of_attention_runs_natively_today() -> None:
    assert EVERY_OP - today("op cases natively") < {case.name for case in attention.CASES}


def test_each_op_runs_today_as_gpus_compile_it() -> None:
    assert today("op cases of GPUs on the reference") | today("op cases of GPUs natively") == EVERY_OP
