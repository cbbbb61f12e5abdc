import subprocess
import sys
from types import SimpleNamespace

import pytest

from tabgrad.command_line import doctor


class FakeGpu:
    def __init__(self, adapters):
        self.adapters = adapters

    def enumerate_adapters_sync(self):
        if isinstance(self.adapters, Exception):
            raise self.adapters
        return self.adapters


def adapter(name, kind="CPU", backend="Vulkan"):
    limits = {key: 2**27 if "size" in key else 8 for key, _ in doctor._LIMITS}
    return SimpleNamespace(info={"device": name, "adapter_type": kind, "backend_type": backend}, limits=limits)


@pytest.fixture
def wgpu_with(monkeypatch):
    def install(adapters):
        monkeypatch.setitem(sys.modules, "wgpu", SimpleNamespace(__version__="0.32.0", gpu=FakeGpu(adapters)))
        return list(doctor.adapters())

    return install


def test_adapters_are_named_with_their_limits(wgpu_with):
    library, found = wgpu_with([adapter("llvmpipe"), adapter("llvmpipe", backend="OpenGL")])
    assert library.found == "0.32.0"
    assert found.state == "ok"
    assert found.found.startswith("llvmpipe (software, Vulkan)\nlargest buffer 128 MiB")
    assert "storage buffers per kernel 8" in found.found


@pytest.mark.parametrize("adapters", [[], [adapter("x", backend="OpenGL")], RuntimeError("no loader")])
def test_missing_adapters_come_with_a_remedy(wgpu_with, adapters):
    check = wgpu_with(adapters)[-1]
    assert check.state == "missing"
    assert "mesa-vulkan-drivers" in check.remedy


def test_missing_wgpu_comes_with_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "wgpu", None)
    (check,) = doctor.adapters()
    assert (check.state, check.remedy) == ("missing", "pip install wgpu")


def test_vulkan_drivers_follow_the_environment(monkeypatch, tmp_path):
    (tmp_path / "lvp_icd.x86_64.json").write_text("{}")
    monkeypatch.setenv("VK_DRIVER_FILES", str(tmp_path / "lvp_icd.x86_64.json"))
    assert doctor._vulkan_drivers().found == "lvp"
    monkeypatch.setenv("VK_DRIVER_FILES", str(tmp_path / "gone.json"))
    check = doctor._vulkan_drivers()
    assert check.state == "missing"
    assert "gone.json, which does not exist" in check.found
    monkeypatch.delenv("VK_DRIVER_FILES")
    monkeypatch.setattr(doctor, "_ICD_FOLDERS", (str(tmp_path),))
    monkeypatch.setattr(doctor, "_SWIFTSHADER", ())
    assert doctor._vulkan_drivers().found == "lvp"


@pytest.mark.parametrize(("version", "state"), [("v22.1.0", "ok"), ("v18.20.1", "missing"), (None, "missing")])
def test_node_must_be_new_enough(monkeypatch, version, state):
    monkeypatch.setattr(doctor, "_version", lambda program: version)
    check = doctor._node()
    assert check.state == state
    if state == "missing":
        assert "Node 20 or newer" in check.remedy


def test_version_of_a_program_that_hangs_or_fails_is_none(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: name)

    def hang(*args, **kwargs):
        raise subprocess.TimeoutExpired("x", 20)

    monkeypatch.setattr("subprocess.run", hang)
    assert doctor._version("chromium") is None
    monkeypatch.setattr("subprocess.run", lambda *a, **k: SimpleNamespace(returncode=1, stdout="1.0"))
    assert doctor._version("chromium") is None


def test_every_missing_part_has_a_remedy(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    found = list(doctor.checks())
    assert {"Python", "numpy", "wgpu", "Node", "Chromium", "Vulkan drivers"} <= {check.name for check in found}
    assert all(check.remedy for check in found if check.state == "missing")
