"""``tabgrad.explain``: a step's program, without running it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import heuristic
from tabgrad.devices.base import Device, Limits
from tabgrad.errors import TabgradError
from tabgrad.graph.linearize import Linear
from tabgrad.inspection.describe import describe
from tabgrad.inspection.explanation import Explanation
from tabgrad.inspection.peaks import PEAKS, Peaks
from tabgrad.runtime.capture import CompiledStep, RecordedStep
from tabgrad.session import current
from tabgrad.tuner import current_tuner

TARGETS = ("gpu", "software")


def explain(
    step: CompiledStep | RecordedStep | Linear,
    *args: Any,
    target: str | None = None,
    tflops: float | None = None,
    gbps: float | None = None,
    **kwargs: Any,
) -> Explanation:
    """Explain the program of a compiled step: kernels, bytes, operations, memory, estimated time. Nothing runs.

    For the device in use, kernels are shown as they run there. If the tuner found a faster variant than the
    heuristic's, that variant is shown and both are named.

    Args:
        step: a function made by :func:`tabgrad.compile`, or one of its recordings.
        args, kwargs: select the recording for these arguments, which is made if needed. Without them, the existing
            recording with the most operations.
        target: the adapter kind to compile for, ``"gpu"`` or ``"software"``. Default: the device in use, or ``"gpu"``
            if that is NumPy, which has no kernels.
        tflops, gbps: peak rates of the adapter, in TFLOP/s and GB/s; default :data:`tabgrad.inspection.PEAKS`.

    Raises:
        TabgradError: there is no recording yet, or no such target.
    """
    if target is not None and target not in TARGETS:
        raise TabgradError(f"explain: expected a target {' or '.join(TARGETS)}, got {target!r}")
    device = current().device
    kind, compiled_for = _target(device, target)
    peaks = _peaks(kind, tflops, gbps)
    # the tuner measured on the device in use
    choose = current_tuner().choice if kind == device.info.kind else heuristic

    def of(linear: Linear) -> Explanation:
        return describe(linear, compile_graph(linear, compiled_for, choose), kind, peaks, choose)

    if isinstance(step, Linear):
        return of(step)
    if isinstance(step, RecordedStep):
        return of(step.linear)
    if args or kwargs:
        return of(step.record(*args, **kwargs).linear)
    if not step.recordings:
        raise TabgradError(
            "explain: expected a step that has been called, got one without a recording; "
            "pass its arguments too: explain(step, x, y)"
        )
    return max((of(recorded.linear) for recorded in step.recordings), key=lambda e: e.flops)


def _target(device: Device, wanted: str | None) -> tuple[str, Target]:
    own = device.info.kind
    kind = wanted or ("gpu" if own == "numpy" else own)
    limits = device.limits if own != "numpy" else Limits()
    return kind, Target(limits=limits, software=kind == "software", renders=True)


def _peaks(kind: str, tflops: float | None, gbps: float | None) -> Peaks:
    peaks = PEAKS[kind]
    for name, value in (("tflops", tflops), ("gbps", gbps)):
        if value is not None and value <= 0:
            raise TabgradError(f"explain: expected {name} above 0, got {value}")
    return replace(
        peaks,
        flops_per_s=peaks.flops_per_s if tflops is None else tflops * 1e12,
        bytes_per_s=peaks.bytes_per_s if gbps is None else gbps * 1e9,
    )
