"""What tabgrad reports. Times are in ms unless a name says otherwise.

The text below a field is its documentation. After a change: ``build_scripts/message_types.py``.
"""

from __future__ import annotations

from typing import Any, Literal

from tabgrad.messages.record import Record

AdapterKind = Literal["gpu", "software", "numpy"]
RunState = Literal["running", "paused", "stopped", "finished", "failed"]
Task = Literal["classification", "regression"]


class DeviceEvent(Record):
    """What a run computes on."""

    type: Literal["device"] = "device"
    device: str
    adapter: str
    kind: AdapterKind
    reason: str | None
    """Why it is not WebGPU, as a clause."""


class CompilingEvent(Record):
    """Kernels are compiled."""

    type: Literal["status"] = "status"
    phase: Literal["compiling"] = "compiling"
    done: int
    total: int


class PhaseEvent(Record):
    """What a run does from now on."""

    type: Literal["status"] = "status"
    phase: Literal["training", "validating", "saving"]


StatusEvent = CompilingEvent | PhaseEvent


class FitStartEvent(Record):
    """A run begins."""

    type: Literal["fit_start"] = "fit_start"
    epochs: int
    steps_per_epoch: int
    train_samples: int
    val_samples: int | None
    parameters: int
    batch_size: int
    metrics: list[str]
    """Names of what is measured, the loss first; a script may have chosen them."""
    lr: float
    task: Task


class MetricPoint(Record):
    """What one training step measured."""

    inlined = "metrics"

    step: int
    epoch: float
    loss: float
    metrics: dict[str, float]
    """By name; in JSON they stand beside the other fields."""

    # Written out, as an event may have a thousand of them: three times as fast.

    def __init__(self, *, step: int, epoch: float, loss: float, metrics: dict[str, float]) -> None:
        self.step, self.epoch, self.loss, self.metrics = step, epoch, loss, metrics

    def to_json(self) -> dict[str, float]:
        """See :meth:`Record.to_json`."""
        return {"step": self.step, "epoch": self.epoch, "loss": self.loss, **self.metrics}


class MetricsEvent(Record):
    """Training steps since the last report."""

    type: Literal["metrics"] = "metrics"
    points: list[MetricPoint]
    step_ms: float
    samples_per_s: float
    host_ms: float
    gpu_ms: float | None
    lr: float
    step: int
    total_steps: int
    eta_s: float


class ValidationEvent(Record):
    """Means over the validation samples."""

    inlined = "metrics"

    type: Literal["validation"] = "validation"
    step: int
    epoch: float
    loss: float
    metrics: dict[str, float]
    """By name; in JSON they stand beside the other fields."""


class SampleItem(Record):
    """A validation sample and what the model says of it."""

    pixels: list[float] | None
    """Row by row, 0 black to 1 white; null where a sample is no image."""
    label: float
    prediction: float
    probability: float | None


class SamplesEvent(Record):
    """Some validation samples."""

    type: Literal["samples"] = "samples"
    shape: tuple[int, int] | None
    """Height and width."""
    items: list[SampleItem]


class TuningMeasuring(Record):
    """The tuner of kernels measures one, beside the training."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["measuring"] = "measuring"
    text: str
    done: int
    total: int
    kernel: str


class TuningFound(Record):
    """A faster variant runs from now on."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["found"] = "found"
    text: str
    kernel: str
    variant: str
    before_ms: float
    ms: float


class TuningRejected(Record):
    """A variant failed, or computed something else."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["rejected"] = "rejected"
    text: str
    variant: str
    kernel: str | None = None
    reason: str | None = None


class TuningSkipped(Record):
    """A kernel, or everything, is not tuned."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["skipped"] = "skipped"
    text: str
    kernel: str | None = None
    reason: str | None = None


class TuningFailed(Record):
    """Tuning has ended by an error."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["failed"] = "failed"
    text: str


class TuningDone(Record):
    """All is measured, or the budget is spent."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["done"] = "done"
    text: str
    done: int
    left: int


TuningEvent = TuningMeasuring | TuningFound | TuningRejected | TuningSkipped | TuningFailed | TuningDone


class KernelTime(Record):
    """One kernel, over all profiled steps."""

    label: str
    variant: str
    """The template and its numbers; empty where nothing is rendered."""
    calls: int
    mean_us: float
    share: float
    """Of all kernels' time, 0 to 1."""
    gflops_per_s: float | None
    """Null where the time reads as 0."""
    gbytes_per_s: float | None


class ProfileEvent(Record):
    """Where the time of some steps went."""

    type: Literal["profile"] = "profile"
    device: str
    steps: int
    gpu_ms: float | None
    """In kernels, per step; null where the adapter keeps no time."""
    wall_ms: float | None
    """Between the starts of two steps; null of a single one."""
    kernels: list[KernelTime]
    """The one with the most time first."""
    note: str
    """What limits the numbers, in sentences; may be empty."""
    table: str
    """All of this as text."""
    trace: str
    """JSON in Chrome's trace event format."""


class ErrorEvent(Record):
    """The script has ended by an error."""

    type: Literal["error"] = "error"
    message: str
    traceback: str
    line: int | None
    """Of the user's script, counted from 1."""


class StateEvent(Record):
    """A run began, rests, goes on or has ended."""

    type: Literal["state"] = "state"
    state: RunState
    step: int


class PongEvent(Record):
    """The answer to a ping."""

    type: Literal["pong"] = "pong"
    id: Any
    step: int
    """Steps begun by now; 0 without a run."""


class CollectorEvent(Record):
    """A collector's newest values."""

    type: Literal["collector"] = "collector"
    name: str
    values: dict[str, Any]


TabgradEvent = (
    DeviceEvent
    | StatusEvent
    | FitStartEvent
    | MetricsEvent
    | ValidationEvent
    | SamplesEvent
    | TuningEvent
    | ProfileEvent
    | ErrorEvent
    | StateEvent
    | PongEvent
    | CollectorEvent
)
