"""The events that tabgrad sends. Times are in ms unless the name says otherwise.

The text below a field is its documentation. After a change: ``build_scripts/message_types.py``.
"""

from __future__ import annotations

from typing import Any, Literal

from tabgrad.messages.record import Record

AdapterKind = Literal["gpu", "software", "numpy"]
RunState = Literal["running", "paused", "stopped", "finished", "failed"]
Task = Literal["classification", "regression"]


class DeviceEvent(Record):
    """The device that a run uses."""

    type: Literal["device"] = "device"
    device: str
    adapter: str
    kind: AdapterKind
    reason: str | None
    """The reason why it is not WebGPU, as a clause."""


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
    """A run starts."""

    type: Literal["fit_start"] = "fit_start"
    epochs: int
    steps_per_epoch: int
    train_samples: int
    val_samples: int | None
    parameters: int
    batch_size: int
    metrics: list[str]
    """Names of the loss (first) and the metrics; a script may have chosen them."""
    lr: float
    task: Task


class MetricPoint(Record):
    """The loss and metrics of one training step."""

    inlined = "metrics"

    step: int
    epoch: float
    loss: float
    metrics: dict[str, float]
    """By name; in JSON they are fields of the event itself."""

    # Not the general code: an event may have a thousand points, and this is three times as fast.

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
    """By name; in JSON they are fields of the event itself."""


class SampleItem(Record):
    """A validation sample and the model's prediction."""

    pixels: list[float] | None
    """Row by row, 0 black to 1 white; null if the sample is not an image."""
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
    """The tuner measures a kernel while training continues."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["measuring"] = "measuring"
    text: str
    done: int
    total: int
    kernel: str


class TuningFound(Record):
    """A faster variant is in use from now on."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["found"] = "found"
    text: str
    kernel: str
    variant: str
    before_ms: float
    ms: float


class TuningRejected(Record):
    """A variant failed, or computed wrong values."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["rejected"] = "rejected"
    text: str
    variant: str
    kernel: str | None = None
    reason: str | None = None


class TuningSkipped(Record):
    """A kernel, or the whole run, is not tuned."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["skipped"] = "skipped"
    text: str
    kernel: str | None = None
    reason: str | None = None


class TuningFailed(Record):
    """An error ended tuning."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["failed"] = "failed"
    text: str


class TuningDone(Record):
    """All kernels are measured, or the budget is spent."""

    type: Literal["tuning"] = "tuning"
    phase: Literal["done"] = "done"
    text: str
    done: int
    left: int


TuningEvent = TuningMeasuring | TuningFound | TuningRejected | TuningSkipped | TuningFailed | TuningDone


class KernelTime(Record):
    """One kernel's totals over all profiled steps."""

    label: str
    variant: str
    """The template and its parameters; empty for a kernel without a template."""
    calls: int
    mean_us: float
    share: float
    """Fraction of all kernels' time, 0 to 1."""
    gflops_per_s: float | None
    """Null if the measured time is 0."""
    gbytes_per_s: float | None


class ProfileEvent(Record):
    """The profile of some steps: time by kernel."""

    type: Literal["profile"] = "profile"
    device: str
    steps: int
    gpu_ms: float | None
    """Time in kernels per step; null if the adapter has no timestamps."""
    wall_ms: float | None
    """Time between the starts of two steps; null for a single step."""
    kernels: list[KernelTime]
    """The slowest kernel first."""
    note: str
    """Limits of the measurement, in sentences; may be empty."""
    table: str
    """The whole profile as text."""
    trace: str
    """JSON in Chrome's trace event format."""


class ErrorEvent(Record):
    """An error ended the script."""

    type: Literal["error"] = "error"
    message: str
    traceback: str
    line: int | None
    """Line of the user's script, counted from 1."""


class StateEvent(Record):
    """A run started, paused, resumed or ended."""

    type: Literal["state"] = "state"
    state: RunState
    step: int


class PongEvent(Record):
    """The answer to a ping."""

    type: Literal["pong"] = "pong"
    id: Any
    step: int
    """Steps started so far; 0 without a run."""


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
