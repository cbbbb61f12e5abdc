"""The devices that the cases run on here; Node runs the same cases from its own harness."""

from __future__ import annotations

import weakref
from collections.abc import Iterator

import pytest

import tabgrad as tg
from tabgrad import runtime
from tabgrad.compiler.target import Target
from tabgrad.devices import Device, open_device
from tabgrad.devices.base import AdapterInfo, Limits
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


@pytest.fixture
def as_gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The native device, taken for a real GPU; programs compiled for it are not shared with other tests."""
    try:
        open_device("native")
    except DeviceError as error:
        pytest.skip(str(error))

    def target(info: AdapterInfo, limits: Limits) -> Target:
        return Target(limits=limits, software=False, renders=True)

    monkeypatch.setattr(runtime, "target_of", target)
    monkeypatch.setattr(runtime, "_programs", weakref.WeakKeyDictionary())
    tg.device("native")
    yield
    tg.device("reference")
