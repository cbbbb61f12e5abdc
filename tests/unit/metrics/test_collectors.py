import sys
import types
from types import SimpleNamespace

import pytest

from tabgrad.devices.base import AdapterInfo, Counters
from tabgrad.errors import TabgradError
from tabgrad.metrics import Basic, Collector, Nvml, RunInfo, Web, pick_collectors


@pytest.fixture
def run():
    info = AdapterInfo(name="NVIDIA H200 (driver 570)", vendor="nvidia", backend="Vulkan", kind="gpu")
    return RunInfo(device=SimpleNamespace(counters=Counters(), gpu_ms=None, info=info), batch_size=8)


def test_basic_reports_means_since_the_last_values(run):
    collector = Basic()
    collector.start(run)
    run.device.counters.bytes_allocated = 4096
    collector.on_measure("compile", 0, 50)
    for i in range(4):
        collector.on_measure("step", 100 + 10 * i, 104 + 10 * i)
        run.device.counters.submits += 1
    values = collector.values()
    assert values["compile_ms"] == 50
    assert values["step_ms"] == 4
    assert values["samples_per_s"] == pytest.approx(4 * 8 / 0.034)
    assert values["submits_per_step"] == 1
    assert values["device_bytes"] == 4096
    assert "gpu_ms" not in values
    run.device.gpu_ms = 2.5
    collector.on_measure("step", 140, 146)
    values = collector.values()
    assert values["step_ms"] == 6
    assert values["samples_per_s"] == pytest.approx(8 / 0.012)  # since the end of the step before
    assert values["gpu_ms"] == 2.5
    assert "compile_ms" not in values


def test_basic_without_steps_has_no_rates(run):
    collector = Basic()
    collector.start(run)
    assert collector.values() == {"device_bytes": 0}


def test_a_collector_of_ones_own_needs_only_what_it_overrides(run):
    class Battery(Collector):
        name = "battery"

        def values(self):
            return {"percent": 80.0}

    collectors = pick_collectors(["basic", Battery()])
    for collector in collectors:
        collector.start(run)
        collector.on_measure("step", 0, 1)
    assert [c.name for c in collectors] == ["basic", "battery"]
    assert collectors[1].values() == {"percent": 80.0}
    for collector in collectors:
        collector.stop()


def test_layers_are_picked_by_platform(monkeypatch):
    monkeypatch.setattr(Nvml, "missing", classmethod(lambda cls: "no driver"))
    assert [type(c) for c in pick_collectors()] == [Basic]
    monkeypatch.setitem(sys.modules, "pyodide", types.ModuleType("pyodide"))
    assert [type(c) for c in pick_collectors()] == [Basic, Web]
    monkeypatch.delitem(sys.modules, "pyodide")
    monkeypatch.setattr(Nvml, "missing", classmethod(lambda cls: None))
    assert [type(c) for c in pick_collectors()] == [Basic, Nvml]


def test_layers_that_cannot_work_are_explained(monkeypatch):
    with pytest.raises(TabgradError, match="got 'web': it needs a browser or Node"):
        pick_collectors(["web"])
    with pytest.raises(TabgradError, match="expected one of basic, web, nvml or a Collector, got 'tpu'"):
        pick_collectors(["tpu"])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(TabgradError, match=r"got 'nvml': the package nvidia-ml-py is not installed; pip install"):
        pick_collectors(["nvml"])


class FakeNvml(types.ModuleType):
    """The part of pynvml that the collector uses, with two GPUs, of which the second has no power meter."""

    NVML_TEMPERATURE_GPU = 0

    class NVMLError(Exception):
        pass

    class NVMLError_NotSupported(NVMLError):
        pass

    def __init__(self):
        super().__init__("pynvml")
        self.open = 0

    def nvmlInit(self):
        self.open += 1

    def nvmlShutdown(self):
        self.open -= 1

    def nvmlDeviceGetCount(self):
        return 2

    def nvmlDeviceGetHandleByIndex(self, index):
        return index

    def nvmlDeviceGetName(self, handle):
        return ("NVIDIA T4", "NVIDIA H200")[handle]

    def nvmlDeviceGetUtilizationRates(self, handle):
        return SimpleNamespace(gpu=35)

    def nvmlDeviceGetMemoryInfo(self, handle):
        return SimpleNamespace(used=2**30)

    def nvmlDeviceGetPowerUsage(self, handle):
        if handle == 1:
            raise self.NVMLError_NotSupported
        return 61500

    def nvmlDeviceGetTemperature(self, handle, sensor):
        return 40


@pytest.fixture
def nvml(monkeypatch):
    fake = FakeNvml()
    monkeypatch.setitem(sys.modules, "pynvml", fake)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr(sys, "platform", "linux")
    return fake


def test_nvml_reads_the_gpu_that_the_run_uses(nvml, run):
    assert Nvml.missing() is None
    collector = Nvml()
    collector.start(run)
    assert collector.values() == {"gpu_percent": 35, "memory_bytes": 2**30, "temperature_c": 40}
    collector.stop()
    assert nvml.open == 0


def test_nvml_takes_an_index(nvml, run):
    collector = Nvml(index=0)
    collector.start(run)
    assert collector.values()["power_w"] == 61.5
    with pytest.raises(TabgradError, match="expected an index below 2, got 2"):
        Nvml(index=2).start(run)


def test_nvml_without_a_driver_is_explained(nvml, monkeypatch):
    def refuse():
        raise nvml.NVMLError("driver not loaded")

    monkeypatch.setattr(nvml, "nvmlInit", refuse)
    assert Nvml.missing() == "the NVIDIA driver does not answer (driver not loaded)"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "it needs Linux" in Nvml.missing()


class FakePerformance:
    def __init__(self):
        self.entries = []

    def now(self):
        return 1000.0

    def mark(self, name):
        self.entries.append((name, None, None))

    def measure(self, name, options):
        self.entries.append((name, options.start, options.end))

    def clearMeasures(self, name):
        self.entries = [e for e in self.entries if e[0] != name]


@pytest.fixture
def performance(monkeypatch):
    fake = FakePerformance()
    empty = SimpleNamespace(new=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "js", SimpleNamespace(performance=fake, Object=empty))
    monkeypatch.setattr("time.perf_counter", lambda: 0.4)
    return fake


def test_web_puts_measures_on_the_timeline_when_values_are_asked(performance, run):
    collector = Web()
    collector.start(run)
    collector.on_measure("compile", 410.0, 430.0)
    collector.on_measure("step", 430.0, 435.0)
    assert performance.entries == [("tabgrad:start", None, None)]
    run.device.gpu_ms = 1.5
    values = collector.values()
    assert values == {"device_bytes": 0, "skipped_measures": 0, "gpu_ms": 1.5}
    # Python's 400 ms are the timeline's 1000
    assert performance.entries[1:] == [("tabgrad:compile", 1010.0, 1030.0), ("tabgrad:step", 1030.0, 1035.0)]
    collector.stop()
    assert performance.entries[-1] == ("tabgrad:end", None, None)


def test_web_keeps_the_timeline_bounded(performance, run):
    collector = Web()
    collector.start(run)
    for i in range(10_000):
        collector.on_measure("step", 500 + i, 501 + i)
        if i % 100 == 99:
            collector.values()
    assert len(performance.entries) < 2200
    for i in range(300):
        collector.on_measure("step", 20_000 + i, 20_001 + i)
    assert collector.values()["skipped_measures"] == 300 - 256
