"""Which device is chosen, and what is said where there is no choice."""

from __future__ import annotations

import importlib.util
import sys
import types

import pytest

from tabgrad.errors import DeviceError
from tabgrad.session import Session


def _without_wgpu(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "wgpu" else find(name))


def test_unknown_kind_lists_the_kinds() -> None:
    with pytest.raises(DeviceError, match="expected one of auto, web, native, reference, got 'cuda'"):
        Session("cuda")  # type: ignore[arg-type]
    with pytest.raises(DeviceError, match="expected one of auto, web, native, reference, got 'cuda'"):
        Session().select("cuda")  # type: ignore[arg-type]


def test_a_session_opens_a_device_once() -> None:
    session = Session("reference")
    device = session.device
    assert session.select("reference") is device
    assert session.reason is None
    assert Session("reference").device is not device


def test_auto_is_native_where_there_is_an_adapter() -> None:
    session = Session("native")
    try:
        native = session.device
    except DeviceError as error:
        pytest.skip(str(error))
    assert session.select("auto") is native
    assert session.reason is None


def test_auto_without_wgpu_is_reference_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    _without_wgpu(monkeypatch)
    session = Session()
    device = session.device
    assert session.reason == "native device: expected the package wgpu, found none; pip install wgpu"
    assert device is session.select("reference")
    assert session.reason is None  # it was asked for
    with pytest.raises(DeviceError, match="pip install wgpu"):
        Session("native").select("native")


def test_web_off_the_browser_is_refused() -> None:
    with pytest.raises(DeviceError, match="Python is not running in a browser"):
        Session("web").select("web")


def test_auto_in_a_browser_without_webgpu_is_reference_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "emscripten")
    executor = types.ModuleType("tabgrad_executor")
    executor.executor, executor.reason = None, "this browser offers no WebGPU adapter"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tabgrad_executor", executor)
    session = Session()
    assert session.device.name == "reference"
    assert "this browser offers no WebGPU adapter" in str(session.reason)


def test_auto_in_a_page_without_executor_is_reference_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "emscripten")
    session = Session()
    assert session.device.name == "reference"
    assert "expected the JavaScript module tabgrad_executor" in str(session.reason)
