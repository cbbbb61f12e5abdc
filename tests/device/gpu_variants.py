"""A target that takes the machine's adapter for a small GPU, so that a software adapter runs a GPU's kernels.

Few threads fill it, and few elements are many for it: small tensors take the paths of big ones.
Importable without pytest or torch, as the cases are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from device.patched import Change, patched
from sessions import session_on
from tabgrad.compiler.passes import memory, split_reductions
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Device


class SmallGpu(Target):
    """Few threads fill it, so that small tensors take the paths of big ones: vec4s, parts, whole rows."""

    @property
    def busy_threads(self) -> int:
        return 16


@contextmanager
def gpu_variants(max_storage_buffers: int = 8) -> Iterator[None]:
    """Programs compiled inside are those for a GPU; none are shared with the outside."""

    def target(device: Device) -> Target:
        few = replace(device.limits, max_storage_buffers=max_storage_buffers)
        return SmallGpu(limits=few, software=False, renders=device.info.kind != "numpy")

    small: list[Change] = [(split_reductions, name, 6) for name in ("LONG_ROW", "LONG_COLUMN")]
    small += [(split_reductions, name, 2) for name in ("ROW_THREADS", "COLUMN_THREADS", "LEAST_ROW", "LEAST_COLUMN")]
    small += [(memory, "LARGE_BYTES", 4)]
    with session_on(target=target), patched(*small):
        yield
