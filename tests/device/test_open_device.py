"""Which device is chosen, and what is said where there is no choice."""

from __future__ import annotations

import importlib.util
import sys
import types

import pytest

from tabgrad import devices
from tabgrad.devices import open_device
from tabgrad.errors import DeviceError


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing opened yet."""
    monkeypatch.setattr(devices, "_opened", {})


def _without_wgpu(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "wgpu" else find(name))


def test_unknown_kind_lists_the_kinds() -> None:
    with pytest.raises(DeviceError, match="expected one of auto, web, native, reference, got 'cuda'"):
        open_device("cuda")  # type: ignore[arg-type]


def test_device_is_opened_once() -> None:
    assert open_device("reference") is open_device("reference")
    assert open_device("reference").reason is None


def test_auto_is_native_where_there_is_an_adapter() -> None:
    try:
        native = open_device("native")
    except DeviceError as error:
        pytest.skip(str(error))
    assert open_device("auto") is native
    assert native.reason is None


def test_auto_without_wgpu_is_reference_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    _without_wgpu(monkeypatch)
    device = open_device("auto")
    assert device is open_device("reference")
    assert device.reason == "native device: expected the package wgpu, found none; pip install wgpu"
    with pytest.raises(DeviceError, match="pip install wgpu"):
        open_device("native")


def test_web_off_the_browser_is_refused() -> None:
    with pytest.raises(DeviceError, match="Python is not running in a browser"):
        open_device("web")


def test_auto_in_a_browser_without_webgpu_is_reference_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "emscripten")
    executor = types.ModuleType("tabgrad_executor")
    executor.executor, executor.reason = None, "this browser offers no WebGPU adapter"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tabgrad_executor", executor)
    device = open_device("auto")
    assert device.name == "reference"
    assert "this browser offers no WebGPU adapter" in str(device.reason)


def test_auto_in_a_page_without_executor_is_reference_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "emscripten")
    device = open_device("auto")
    assert device.name == "reference"
    assert "expected the JavaScript module tabgrad_executor" in str(device.reason)
