"""Assumed peak rates of adapters, which give lower bounds of kernels' times."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Peaks:
    """Peak rates, and the time of an empty kernel."""

    flops_per_s: float
    bytes_per_s: float
    launch_s: float

    @property
    def balance(self) -> float:
        """Floating-point operations per byte above which a kernel is limited by arithmetic."""
        return self.flops_per_s / self.bytes_per_s

    def seconds(self, flops: float, moved_bytes: float) -> float:
        """The lower bound of a kernel's time."""
        return max(flops / self.flops_per_s, moved_bytes / self.bytes_per_s, self.launch_s)

    def bound(self, flops: float, moved_bytes: float) -> str:
        """What limits the kernel: ``arithmetic``, ``memory``, or ``launch`` if it has little work."""
        arithmetic, memory = flops / self.flops_per_s, moved_bytes / self.bytes_per_s
        if max(arithmetic, memory) < self.launch_s:
            return "launch"
        return "arithmetic" if arithmetic >= memory else "memory"


PEAKS: dict[str, Peaks] = {
    # a laptop's discrete GPU: 10 TFLOP/s in float32, 400 GB/s, so 25 operations a byte
    "gpu": Peaks(flops_per_s=10e12, bytes_per_s=400e9, launch_s=2e-6),
    # SwiftShader on two cores
    "software": Peaks(flops_per_s=2e9, bytes_per_s=4e9, launch_s=20e-6),
    # NumPy runs one op at a time, each through memory
    "numpy": Peaks(flops_per_s=20e9, bytes_per_s=8e9, launch_s=10e-6),
}
"""By adapter kind. These are estimates; :func:`tabgrad.profile` measures."""
