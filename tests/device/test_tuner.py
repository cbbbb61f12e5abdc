"""Tuning on a real adapter: candidates that fail are rejected, better ones take over, and the losses do not notice."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

import tabgrad as tg
from device import tuner_checks as checks
from tabgrad.devices.base import Device
from tabgrad.runtime import ProgramCache
from tabgrad.session import current
from tabgrad.tuner import current_tuner

pytestmark = pytest.mark.native


@pytest.mark.parametrize("hurried", [False, True])
def test_bad_candidates_are_rejected_and_the_run_goes_on(native: Device, hurried: bool) -> None:
    report = asyncio.run(checks.bad_candidates(hurried=hurried))
    checks.check_bad_candidates(report)


def test_second_start_measures_nothing(native: Device) -> None:
    report = asyncio.run(checks.second_start())
    checks.check_second_start(report)


def test_memory_is_what_it_is_without_tuning(native: Device) -> None:
    def allocated(mode: str) -> int:
        tg.tuning(mode, budget_s=20)
        current().own(ProgramCache).clear()
        gc.collect()
        native.trim()
        before = native.counters.bytes_allocated
        measured = current_tuner().measured
        asyncio.run(checks.train(30, until_tuned=mode != "off"))
        assert (current_tuner().measured > measured) == (mode != "off")
        gc.collect()
        native.trim()
        return native.counters.bytes_allocated - before

    assert allocated("background") == allocated("off")
    assert native.trials.counters.bytes_allocated == 0


def test_unusable_kernel_is_the_askers_problem_only(native: Device) -> None:
    asyncio.run(checks.unusable_kernels())
    assert native.trials.counters.bytes_allocated == 0


def test_off_makes_equal_bits(native: Device) -> None:
    tg.tuning("off")
    first: Any = asyncio.run(checks.train(10, until_tuned=False))
    assert first == asyncio.run(checks.train(10, until_tuned=False))
    assert current_tuner()._task is None
