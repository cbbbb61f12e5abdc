"""Where programs run: on this machine's GPU, on the browser's, or in NumPy."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Literal

from tabgrad.devices.base import AdapterInfo, Device, Limits
from tabgrad.errors import DeviceError

DeviceKind = Literal["auto", "web", "native", "reference"]
_KINDS = ("auto", "web", "native", "reference")

_opened: dict[str, Device] = {}


def open_device(kind: DeviceKind = "auto") -> Device:
    """The process's device of a kind, opened at the first request.

    ``auto`` is WebGPU where there is any: ``web`` inside Pyodide, ``native`` elsewhere. Where
    there is none it is ``reference``, and :attr:`Device.reason` says why.

    Raises:
        DeviceError: the kind is unknown, or this machine cannot offer it; says why and what to do.
    """
    if kind not in _KINDS:
        raise DeviceError(f"device: expected one of {', '.join(_KINDS)}, got {kind!r}")
    if kind != "auto":
        if kind not in _opened:
            _opened[kind] = _open(kind)
        return _opened[kind]
    try:
        return open_device("web" if _in_wasm() else "native")
    except DeviceError as error:
        device = open_device("reference")
        device.reason = str(error)
        return device


def _open(kind: str) -> Device:
    # Imported late: each needs a library that exists only where its device does.
    if kind == "web":
        from tabgrad.devices.web import WebDevice

        _require_executor()
        return WebDevice()
    if kind == "native":
        if importlib.util.find_spec("wgpu") is None:
            raise DeviceError("native device: expected the package wgpu, found none; pip install wgpu")
        from tabgrad.devices.native import NativeDevice

        return NativeDevice()
    from tabgrad.devices.reference import ReferenceDevice

    return ReferenceDevice()


def _in_wasm() -> bool:
    return sys.platform == "emscripten"


def _require_executor() -> None:
    if not _in_wasm():
        return  # WebDevice says so in its own words
    try:
        importlib.import_module("tabgrad_executor")
    except ImportError as error:
        raise DeviceError(
            "web: expected the JavaScript module tabgrad_executor, found none; "
            "the page must register it with pyodide.registerJsModule before scripts run"
        ) from error


__all__ = ["AdapterInfo", "Device", "DeviceKind", "Limits", "open_device"]
