"""The devices that the cases run on here; Node runs the same cases from its own harness."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sessions import gpu, opened, session_on
from tabgrad.devices import BACKENDS, Device
from tabgrad.errors import DeviceError


def device_or_skip(kind: str) -> Device:
    try:
        return opened(kind)
    except DeviceError as error:
        pytest.skip(str(error))


_KINDS = [
    pytest.param(kind, marks=[pytest.mark.native] if backend.platform == "host" else [])
    for kind, backend in reversed(BACKENDS.items())
    if backend.is_here
]


@pytest.fixture(params=_KINDS)
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """Each device in turn, that of the current session while a test runs."""
    with session_on(device_or_skip(request.param)) as session:
        yield session.device


@pytest.fixture
def native() -> Iterator[Device]:
    """This machine's adapter."""
    with session_on(device_or_skip("native")) as session:
        yield session.device


@pytest.fixture
def as_gpu() -> Iterator[None]:
    """The native device, taken for a real GPU."""
    with session_on(device_or_skip("native"), gpu):
        yield
