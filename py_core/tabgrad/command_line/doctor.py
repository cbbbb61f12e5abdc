"""The checks of ``tabgrad doctor``: what is installed, and how to get what is missing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tabgrad.command_line import checkout
from tabgrad.devices.native_drivers import quiet_drivers
from tabgrad.metrics import Nvml

State = Literal["ok", "missing", "optional"]

_ICD_FOLDERS = ("/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d")
_SWIFTSHADER = ("/usr/lib/chromium/vk_swiftshader_icd.json", "/usr/lib/chromium-browser/vk_swiftshader_icd.json")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_DRIVER = "install your GPU's driver, or a software one: apt-get install mesa-vulkan-drivers"
_LIMITS = (
    ("max-buffer-size", "largest buffer"),
    ("max-storage-buffer-binding-size", "largest binding"),
    ("max-storage-buffers-per-shader-stage", "storage buffers per kernel"),
    ("max-compute-invocations-per-workgroup", "threads per workgroup"),
    ("max-compute-workgroup-storage-size", "workgroup memory"),
)


@dataclass(frozen=True, kw_only=True)
class Check:
    """One line of the report. ``optional``: absent, and not needed."""

    name: str
    state: State
    found: str
    remedy: str = ""


def checks() -> Iterator[Check]:
    """All checks in the order of the report; each runs when the iterator reaches it."""
    yield _python()
    for package in ("tabgrad", "numpy", "jinja2"):
        yield _package(package)
    yield from adapters()
    yield _vulkan_drivers()
    yield _node()
    yield _dawn()
    yield _chromium()
    yield _nvml()


def adapters() -> Iterator[Check]:
    """The native GPU library, and each adapter with its limits."""
    try:
        import wgpu
    except ImportError as error:
        yield Check(name="wgpu", state="missing", found=f"cannot be imported: {error}", remedy="pip install wgpu")
        return
    yield Check(name="wgpu", state="ok", found=str(wgpu.__version__))
    try:
        with quiet_drivers():
            found = wgpu.gpu.enumerate_adapters_sync()
    except RuntimeError as error:
        yield Check(name="GPU adapters", state="missing", found=f"wgpu could not look: {error}", remedy=_DRIVER)
        return
    usable = [adapter for adapter in found if adapter.info["backend_type"] != "OpenGL"]
    if not usable:
        yield Check(name="GPU adapters", state="missing", found="none; --device native cannot run", remedy=_DRIVER)
    for adapter in usable:
        info = adapter.info
        kind = "software" if info["adapter_type"] == "CPU" else info["adapter_type"]
        limits = ", ".join(f"{label} {_size(key, adapter.limits[key])}" for key, label in _LIMITS)
        found_text = f"{info['device']} ({kind}, {info['backend_type']})\n{limits}"
        yield Check(name="GPU adapter", state="ok", found=found_text)


def _python() -> Check:
    return Check(
        name="Python", state="ok", found=f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    )


def _package(name: str) -> Check:
    try:
        return Check(name=name, state="ok", found=importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        if name == "tabgrad":
            return Check(name=name, state="ok", found="used from its source, not installed")
        return Check(name=name, state="missing", found="not installed", remedy=f"pip install {name}")


def _vulkan_drivers() -> Check:
    named = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES")
    if named:
        files = [Path(file) for file in named.split(os.pathsep)]
        absent = [str(file) for file in files if not file.exists()]
        if absent:
            return Check(
                name="Vulkan drivers",
                state="missing",
                found=f"VK_DRIVER_FILES names {', '.join(absent)}, which does not exist",
                remedy="correct or unset VK_DRIVER_FILES",
            )
    else:
        files = [file for folder in _ICD_FOLDERS for file in sorted(Path(folder).glob("*.json"))]
        files += [Path(file) for file in _SWIFTSHADER if Path(file).exists()]
    if not files:
        if sys.platform != "linux":
            return Check(name="Vulkan drivers", state="optional", found="not needed on this system")
        return Check(name="Vulkan drivers", state="missing", found="none", remedy=_DRIVER)
    return Check(name="Vulkan drivers", state="ok", found=", ".join(_driver_name(file) for file in files))


def _driver_name(file: Path) -> str:
    """``lvp`` of ``lvp_icd.x86_64.json``."""
    return re.sub(r"_icd(\..*)?$", "", file.stem)


def _node() -> Check:
    version = _version("node")
    major = int(match.group(1)) if version and (match := re.match(r"v?(\d+)", version)) else 0
    if major >= 20:
        return Check(name="Node", state="ok", found=str(version))
    return Check(
        name="Node",
        state="missing",
        found=version or "not found",
        remedy="install Node 20 or newer; the page's build and --device web need it",
    )


def _dawn() -> Check:
    harness = checkout.find("web/node/run.mjs")
    if harness is None:
        return Check(name="Node harness", state="optional", found="not here", remedy=checkout.HOW_TO_GET)
    if (harness.parent.parent / "node_modules" / "webgpu").is_dir():
        return Check(name="Node harness", state="ok", found=f"{harness}, with Dawn")
    return Check(
        name="Node harness",
        state="missing",
        found=f"{harness}, without Dawn (the npm package webgpu)",
        remedy="python3 build_scripts/serve.py sets it up",
    )


def _chromium() -> Check:
    for name in _BROWSERS:
        version = _version(name)
        if version:
            return Check(name="Chromium", state="ok", found=version)
    return Check(
        name="Chromium",
        state="optional",
        found="not found",
        remedy="apt-get install chromium; the page's tests need it, and Dawn can run on its software driver",
    )


def _nvml() -> Check:
    missing = Nvml.missing()
    if missing is None:
        return Check(name="NVML metrics", state="ok", found="available")
    return Check(name="NVML metrics", state="optional", found=missing)


def _version(program: str) -> str | None:
    """What ``program --version`` prints, or None where it is not there or does not answer."""
    path = shutil.which(program)
    if path is None:
        return None
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else None


def _size(key: str, value: int) -> str:
    if "size" not in key:
        return f"{value:,}"
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= scale:
            return f"{value / scale:g} {unit}" if value % scale == 0 else f"{value / scale:.1f} {unit}"
    return f"{value} B"
