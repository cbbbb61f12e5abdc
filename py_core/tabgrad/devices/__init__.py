"""Where programs run: on this machine's GPU, on the browser's, or in NumPy.

A device is one file of this package and one entry of ``BACKENDS``.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from tabgrad.devices.base import AdapterInfo, Device, Limits
from tabgrad.devices.clock import Clock, Stamps
from tabgrad.devices.kernel_trials import KernelTrials
from tabgrad.errors import DeviceError


@dataclass(frozen=True, kw_only=True)
class Backend:
    """How a kind of device is opened.

    Attributes:
        module, device: where the :class:`Device` is; imported when it is opened, as its libraries may be missing.
        package: that it needs, as pip knows it.
        platform: where it exists: ``wasm`` is Pyodide, in browsers and Node, ``host`` is everywhere else.
        automatic: whether ``auto`` may choose it.
    """

    module: str
    device: str
    package: str | None = None
    platform: Literal["wasm", "host", "any"] = "any"
    automatic: bool = False

    @property
    def is_here(self) -> bool:
        """Whether it can exist on this platform."""
        return self.platform in ("any", "wasm" if is_in_wasm() else "host")


# By kind; ``auto`` takes the first one that opens.
BACKENDS: Mapping[str, Backend] = MappingProxyType(
    {
        "web": Backend(module="tabgrad.devices.web", device="WebDevice", platform="wasm", automatic=True),
        "native": Backend(
            module="tabgrad.devices.native", device="NativeDevice", package="wgpu", platform="host", automatic=True
        ),
        "reference": Backend(module="tabgrad.devices.reference", device="ReferenceDevice", automatic=True),
    }
)
DeviceKind = Literal["auto", "web", "native", "reference"]  # for editors and type checkers
KINDS = ("auto", *BACKENDS)


def open_device(kind: str) -> Device:
    """A new device of a kind other than ``auto``, which :meth:`tabgrad.session.Session.select` resolves.

    Raises:
        DeviceError: the kind is unknown, or this machine cannot offer it; says why and what to do.
    """
    backend = BACKENDS.get(kind)
    if backend is None:
        raise DeviceError(f"device: expected one of {', '.join(BACKENDS)}, got {kind!r}")
    if backend.package is not None and importlib.util.find_spec(backend.package) is None:
        raise DeviceError(
            f"{kind} device: expected the package {backend.package}, found none; pip install {backend.package}"
        )
    found: Device = getattr(importlib.import_module(backend.module), backend.device)()
    return found


def automatic() -> list[str]:
    """The kinds that ``auto`` tries here, in order."""
    return [kind for kind, backend in BACKENDS.items() if backend.automatic and backend.is_here]


def is_in_wasm() -> bool:
    """Whether Python runs in Pyodide."""
    return sys.platform == "emscripten"


__all__ = [
    "BACKENDS",
    "KINDS",
    "AdapterInfo",
    "Backend",
    "Clock",
    "Device",
    "DeviceKind",
    "KernelTrials",
    "Limits",
    "Stamps",
    "automatic",
    "is_in_wasm",
    "open_device",
]
