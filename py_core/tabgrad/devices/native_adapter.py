"""Which GPU the native device runs on, and in which words to say that there is none."""

from __future__ import annotations

import os

import wgpu

from tabgrad.devices.base import AdapterInfo, Limits
from tabgrad.devices.native_drivers import quiet_drivers
from tabgrad.errors import DeviceError

ADAPTER_VARIABLE = "TABGRAD_ADAPTER"
WANTED_FEATURES = ("timestamp-query", "shader-f16", "subgroup")

_INSTALL = (
    "install a Vulkan driver: the GPU vendor's, or a software one (Debian and Ubuntu: "
    "apt-get install mesa-vulkan-drivers); or train with tabgrad.set_default_device('reference')"
)
_PREFERENCE = ("DiscreteGPU", "IntegratedGPU", "VirtualGPU", "unknown", "CPU")
_STANDARD_NAMES = {"subgroup": "subgroups"}  # wgpu's name -> WebGPU's


def choose_adapter() -> wgpu.GPUAdapter:
    """The best adapter: a discrete GPU before an integrated one before a software adapter.

    The environment variable ``TABGRAD_ADAPTER`` narrows the choice to adapters whose
    description contains its value, in any case of letters. OpenGL adapters are left out: wgpu
    offers only part of WebGPU on them.

    Raises:
        DeviceError: no adapter, or none that matches; says what to install or which there are.
    """
    try:
        with quiet_drivers():
            adapters = [a for a in wgpu.gpu.enumerate_adapters_sync() if a.info["backend_type"] != "OpenGL"]
    except RuntimeError as error:
        raise DeviceError(
            f"native device: expected a GPU adapter, but wgpu could not look ({error}); {_INSTALL}"
        ) from error
    if not adapters:
        raise DeviceError(f"native device: expected a GPU adapter, found none; {_INSTALL}")
    wanted = os.environ.get(ADAPTER_VARIABLE, "").strip()
    matching = [a for a in adapters if wanted.lower() in a.summary.lower()]
    if not matching:
        names = "; ".join(repr(a.summary) for a in adapters)
        raise DeviceError(
            f"native device: expected an adapter whose name contains {ADAPTER_VARIABLE}={wanted!r}, "
            f"found {names}; change or unset {ADAPTER_VARIABLE}"
        )
    return min(matching, key=_rank)


def open_adapter(adapter: wgpu.GPUAdapter) -> wgpu.GPUDevice:
    """A logical device with the adapter's own limits and every feature that kernels can use.

    Raises:
        DeviceError: the driver refused.
    """
    features = [name for name in WANTED_FEATURES if name in adapter.features]
    try:
        with quiet_drivers():
            return adapter.request_device_sync(
                label="tabgrad", required_features=features, required_limits=dict(adapter.limits)
            )
    except (RuntimeError, wgpu.GPUError) as error:
        raise DeviceError(
            f"native device: expected {adapter.summary!r} to open, got: {error}; "
            f"choose another adapter with {ADAPTER_VARIABLE}, or update its driver"
        ) from error


def describe(adapter: wgpu.GPUAdapter, device: wgpu.GPUDevice) -> AdapterInfo:
    """The adapter in words; a CPU adapter (llvmpipe, SwiftShader) is of kind ``software``."""
    info = adapter.info
    return AdapterInfo(
        name=info["device"],
        vendor=info["vendor"],
        backend=info["backend_type"],
        kind="software" if info["adapter_type"] == "CPU" else "gpu",
        features=tuple(sorted(_STANDARD_NAMES.get(name, name) for name in device.features)),
    )


def limits_of(device: wgpu.GPUDevice) -> Limits:
    """What the device granted."""
    limits = device.limits
    return Limits(
        max_storage_buffers=limits["max-storage-buffers-per-shader-stage"],
        max_binding_bytes=limits["max-storage-buffer-binding-size"],
        max_buffer_bytes=limits["max-buffer-size"],
        max_workgroups=limits["max-compute-workgroups-per-dimension"],
        max_invocations=limits["max-compute-invocations-per-workgroup"],
        max_workgroup_bytes=limits["max-compute-workgroup-storage-size"],
    )


def _rank(adapter: wgpu.GPUAdapter) -> int:
    kind = adapter.info["adapter_type"]
    return _PREFERENCE.index(kind if kind in _PREFERENCE else "unknown")
