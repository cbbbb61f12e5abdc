"""The devices that the cases run on here; Node runs the same cases from its own harness."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tabgrad as tg
from tabgrad.devices import Device, open_device
from tabgrad.errors import DeviceError


@pytest.fixture(params=["reference", pytest.param("native", marks=pytest.mark.native)])
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """Each device in turn, selected for the whole process while a test runs."""
    try:
        opened = open_device(request.param)
    except DeviceError as error:
        pytest.skip(str(error))
    tg.device(request.param)
    yield opened
    tg.device("reference")
