"""A target that takes the machine's adapter for a small GPU, so that a software adapter runs a GPU's kernels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tabgrad import runtime
from tabgrad.compiler.target import Target
from tabgrad.devices.base import AdapterInfo, Limits


class SmallGpu(Target):
    """Few threads fill it, so that small tensors take the paths of big ones: vec4s, parts, whole rows."""

    @property
    def busy_threads(self) -> int:
        return 16


@contextmanager
def gpu_variants(max_storage_buffers: int = 8) -> Iterator[None]:
    """Programs compiled inside are those for a GPU; none are shared with the outside."""
    before, programs = runtime.target_of, dict(runtime._programs)

    def target_of(info: AdapterInfo, limits: Limits) -> Target:
        return SmallGpu(
            limits=replace(limits, max_storage_buffers=max_storage_buffers),
            software=False,
            renders=info.kind != "numpy",
        )

    runtime._programs.clear()
    runtime.target_of = target_of
    try:
        yield
    finally:
        runtime.target_of = before
        runtime._programs.clear()
        runtime._programs.update(programs)
