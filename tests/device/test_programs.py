"""Hand-made programs, and the behaviour every device must show, on each device in turn."""

from __future__ import annotations

import asyncio

import pytest

from device import program_cases as cases
from device import program_checks as checks
from tabgrad.devices import Device


@pytest.mark.parametrize("case", cases.PROGRAM_CASES, ids=lambda c: c.name)
def test_program_matches(case: cases.ProgramCase, device: Device) -> None:
    asyncio.run(checks.check_case(device, case))


@pytest.mark.parametrize("check", checks.CHECKS, ids=lambda c: c.__name__)
def test_device_behaves(check, device: Device) -> None:
    asyncio.run(check(device))
