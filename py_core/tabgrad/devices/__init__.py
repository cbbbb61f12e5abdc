"""Where programs run: on this machine's GPU, on the browser's, or in NumPy."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Literal

from tabgrad.devices.base import AdapterInfo, Device, Limits
from tabgrad.errors import DeviceError

DeviceKind = Literal["auto", "web", "native", "reference"]
KINDS: tuple[DeviceKind, ...] = ("auto", "web", "native", "reference")


def open_device(kind: DeviceKind) -> Device:
    """A new device of a kind other than ``auto``, which :meth:`tabgrad.session.Session.select` resolves.

    Raises:
        DeviceError: the kind is unknown, or this machine cannot offer it; says why and what to do.
    """
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
    if kind == "reference":
        from tabgrad.devices.reference import ReferenceDevice

        return ReferenceDevice()
    raise DeviceError(f"device: expected one of {', '.join(KINDS[1:])}, got {kind!r}")


def is_in_wasm() -> bool:
    """Whether Python runs in Pyodide."""
    return sys.platform == "emscripten"


def _require_executor() -> None:
    if not is_in_wasm():
        return  # WebDevice says so in its own words
    try:
        importlib.import_module("tabgrad_executor")
    except ImportError as error:
        raise DeviceError(
            "web: expected the JavaScript module tabgrad_executor, found none; "
            "the page must register it with pyodide.registerJsModule before scripts run"
        ) from error


__all__ = ["KINDS", "AdapterInfo", "Device", "DeviceKind", "Limits", "is_in_wasm", "open_device"]
