"""Where this machine has Chromium and a software Vulkan driver, which the tests use where there is no GPU."""

import os
import shutil
import sys
from pathlib import Path

import debian

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_CHROMIUM_FOLDERS = ("/usr/lib/chromium", "/usr/lib/chromium-browser", "/opt/google/chrome")
_VULKAN_FOLDERS = ("/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d")

# WebGPU on Chromium's own software adapter. Its sandbox refuses to run as root, as containers and CI do.
CHROMIUM_ARGS = (
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-features=Vulkan",
    *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
)


def chromium() -> str | None:
    """The browser's executable."""
    return next((path for name in _BROWSERS if (path := shutil.which(name))), None)


def swiftshader_icd() -> str | None:
    """The Vulkan driver manifest of SwiftShader, which comes with Chromium: for Dawn in Node (``VK_DRIVER_FILES``)."""
    candidates = [Path(folder) / "vk_swiftshader_icd.json" for folder in _CHROMIUM_FOLDERS]
    return next((str(path) for path in candidates if path.is_file()), None)


def has_vulkan_driver() -> bool:
    """Whether native WebGPU has something to run on."""
    if not sys.platform.startswith("linux"):
        return True  # Metal or Direct3D
    return any(
        path.suffix == ".json" for folder in _VULKAN_FOLDERS if Path(folder).is_dir() for path in Path(folder).iterdir()
    )


def ensure() -> None:
    """Install Chromium and Mesa's software driver where they are missing.

    Raises:
        BuildError: they are missing and may not be installed.
    """
    missing = []
    if chromium() is None or (sys.platform.startswith("linux") and swiftshader_icd() is None):
        missing.append("chromium")
    if not has_vulkan_driver():
        missing.append("mesa-vulkan-drivers")
    if missing:
        debian.install(missing, reason=" and ".join(missing))
