"""What the compiler knows of the adapter it compiles for."""

from __future__ import annotations

from dataclasses import dataclass

from tabgrad.devices.base import AdapterInfo, Limits

LONGEST_LOOP = 65000  # turns of a loop; Mesa's llvmpipe ends a thread's loops after 65,535


@dataclass(frozen=True, kw_only=True)
class Target:
    """An adapter's limits, and whether it emulates a GPU on a CPU (barriers and large code are expensive)."""

    limits: Limits
    software: bool
    renders: bool  # False for a device that interprets instructions and needs no WGSL

    @property
    def busy_threads(self) -> int:
        """Threads that fill the adapter."""
        return 256 if self.software else 16384


def target_of(info: AdapterInfo, limits: Limits) -> Target:
    """The target for an adapter."""
    return Target(limits=limits, software=info.kind != "gpu", renders=info.kind != "numpy")
