"""Events of a run as a progress bar, a line per epoch, and a summary."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

_TIMES = ("step_ms", "host_ms", "gpu_ms")


class RunDisplay:
    """Shows events; hand :meth:`show` to ``tabgrad.train.events.set_sink``, inside a ``with`` block.

    On a terminal a bar moves; elsewhere there is a line per validation and the summary.
    """

    def __init__(self, console: Console) -> None:
        self.running = False
        self._console = console
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[numbers]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._device = ""
        self._fit: dict[str, Any] = {}
        self._metrics: dict[str, Any] = {}
        self._validations: list[dict[str, Any]] = []
        self._started = 0.0

    def __enter__(self) -> RunDisplay:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, event: dict[str, Any]) -> None:
        """Show one event; kinds that a terminal has no use for (samples, collectors) are passed over."""
        handler = getattr(self, f"_on_{event['type']}", None)
        if handler is not None:
            handler(event)

    def _on_device(self, event: dict[str, Any]) -> None:
        self._device = f"{event['device']}: {event['adapter']}"
        reason = f" (no WebGPU: {event['reason']})" if event.get("reason") else ""
        self._console.print(f"device {self._device}{reason}", highlight=False, markup=False)

    def _on_status(self, event: dict[str, Any]) -> None:
        if event["phase"] == "compiling":
            self._update(description="compiling", completed=event["done"], total=event["total"], numbers="kernels")
        elif self._fit:
            total = self._fit["epochs"] * self._fit["steps_per_epoch"]
            self._update(description=event["phase"], completed=self._metrics.get("step", 0), total=total)

    def _on_fit_start(self, event: dict[str, Any]) -> None:
        self._fit, self._metrics, self._validations = event, {}, []
        self._started = time.monotonic()
        self._console.print(
            f"{event['parameters']:,} parameters, {event['train_samples']:,} samples, "
            f"{event['epochs']} epochs of {event['steps_per_epoch']} steps",
            highlight=False,
        )
        self._update(description="training", completed=0, total=event["epochs"] * event["steps_per_epoch"], numbers="")

    def _on_metrics(self, event: dict[str, Any]) -> None:
        self._metrics = event
        newest = event["points"][-1] if event["points"] else {}
        numbers = f"{_scores(newest)}  {event['step_ms']:.1f} ms/step  {event['samples_per_s']:,.0f} samples/s"
        self._update(description="training", completed=event["step"], total=event["total_steps"], numbers=numbers)

    def _on_validation(self, event: dict[str, Any]) -> None:
        self._validations.append(event)
        epochs = self._fit.get("epochs", "?")
        self._console.print(f"epoch {event['epoch']}/{epochs}  validation {_scores(event)}", highlight=False)

    def _on_tuning(self, event: dict[str, Any]) -> None:
        if event["phase"] != "measuring":
            self._console.print(event["text"], style="dim", highlight=False, markup=False)
        elif not self._metrics:  # before the first step: this is what is being waited for
            self._update(description="tuning", completed=event["done"], total=event["total"], numbers=event["kernel"])

    def _on_state(self, event: dict[str, Any]) -> None:
        self.running = event["state"] in ("running", "paused")
        if self.running or not self._fit:
            return
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
        self._console.print(self._summary(event))
        self._fit = {}

    def _on_profile(self, event: dict[str, Any]) -> None:
        self._console.print(event["table"], highlight=False, markup=False, soft_wrap=True)

    def _summary(self, event: dict[str, Any]) -> Table:
        table = Table(title=f"{event['state']} at step {event['step']}", show_header=False, title_justify="left")
        newest = self._metrics["points"][-1] if self._metrics.get("points") else {}
        table.add_row("device", self._device or "unknown")
        table.add_row("parameters", f"{self._fit['parameters']:,}")
        table.add_row("time", f"{time.monotonic() - self._started:.1f} s")
        if newest:
            table.add_row("training", _scores(newest))
        if self._validations:
            best = min(self._validations, key=lambda v: v["loss"])
            table.add_row("validation", _scores(self._validations[-1]))
            table.add_row("best validation", f"{_scores(best)}  (epoch {best['epoch']})")
        times = {key: self._metrics[key] for key in _TIMES if self._metrics.get(key) is not None}
        if times:
            table.add_row("ms per step", ", ".join(f"{ms:.2f} {key.removesuffix('_ms')}" for key, ms in times.items()))
            table.add_row("throughput", f"{self._metrics['samples_per_s']:,.0f} samples/s")
        return table

    def _update(self, **fields: Any) -> None:
        if self._task is None:
            self._task = self._progress.add_task(fields.get("description", ""), total=fields.get("total"), numbers="")
        self._progress.update(self._task, **fields)


def _scores(values: dict[str, Any]) -> str:
    """``loss 0.1234  accuracy 97.5 %`` of a point or a validation."""
    parts = []
    for key, value in values.items():
        if key in ("type", "step", "epoch") or not isinstance(value, int | float):
            continue
        parts.append(f"{key} {100 * value:.2f} %" if key == "accuracy" else f"{key} {value:.4g}")
    return "  ".join(parts)
