"""The collector for NVIDIA GPUs: load, memory, power and temperature."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from tabgrad.errors import TabgradError
from tabgrad.metrics.collector import Collector, RunInfo

_INSTALL = "pip install 'tabgrad[nvml]'"


class Nvml(Collector):
    """Reads NVIDIA's management library through the optional package ``nvidia-ml-py``.

    Args:
        index: of the GPU; default the first with the name of the run's adapter, else 0.
    """

    name = "nvml"

    def __init__(self, index: int | None = None) -> None:
        self.index = index

    @classmethod
    def missing(cls) -> str | None:
        if not sys.platform.startswith("linux"):
            return "it needs Linux with an NVIDIA driver"
        if importlib.util.find_spec("pynvml") is None:
            return f"the package nvidia-ml-py is not installed; {_INSTALL}"
        import pynvml

        try:
            pynvml.nvmlInit()
        except pynvml.NVMLError as error:
            return f"the NVIDIA driver does not answer ({error})"
        try:
            return None if pynvml.nvmlDeviceGetCount() else "there is no NVIDIA GPU"
        finally:
            pynvml.nvmlShutdown()

    def start(self, run: RunInfo) -> None:
        import pynvml

        self._nvml: Any = pynvml
        pynvml.nvmlInit()
        self._handle = self._choose(str(run.device.info.name))

    def values(self) -> dict[str, float]:
        nvml, handle = self._nvml, self._handle
        readings = {
            "gpu_percent": lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu,
            "memory_bytes": lambda: nvml.nvmlDeviceGetMemoryInfo(handle).used,
            "power_w": lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
            "temperature_c": lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
        }
        result = {}
        for name, reading in readings.items():
            try:
                result[name] = float(reading())
            except nvml.NVMLError_NotSupported:  # for example, GPUs of notebooks have no power meter
                continue
        return result

    def stop(self) -> None:
        self._nvml.nvmlShutdown()

    def _choose(self, adapter: str) -> Any:
        nvml = self._nvml
        handles = [nvml.nvmlDeviceGetHandleByIndex(i) for i in range(nvml.nvmlDeviceGetCount())]
        if self.index is not None:
            if not 0 <= self.index < len(handles):
                raise TabgradError(f"Nvml: expected an index below {len(handles)}, got {self.index}")
            return handles[self.index]
        names = [nvml.nvmlDeviceGetName(handle) for handle in handles]
        return next((h for h, n in zip(handles, names, strict=True) if n in adapter or adapter in n), handles[0])
