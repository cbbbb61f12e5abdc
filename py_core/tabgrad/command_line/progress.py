"""A run's events as a progress bar, a line per epoch, and a summary."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tabgrad.command_line.bar import Bar

_TIMES = ("step_ms", "host_ms", "gpu_ms")


class RunDisplay:
    """Shows events. Pass :meth:`show` to ``tabgrad.train.events.set_sink`` inside a ``with`` block.

    A terminal shows a bar; a file or pipe gets a line per validation and the summary.
    """

    def __init__(self, console: Console) -> None:
        self.running = False
        self._exit_status: int | None = None
        self._console = console
        self._bar = Bar(console)
        self._open = ExitStack()
        self._device = ""
        self._fit: dict[str, Any] = {}
        self._metrics: dict[str, Any] = {}
        self._validations: list[dict[str, Any]] = []
        self._started = 0.0

    def __enter__(self) -> RunDisplay:
        self._open.enter_context(self._bar.shown())
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def show(self, event: dict[str, Any]) -> None:
        """Show one event; those for the page alone (samples, collectors) are ignored.

        A closed terminal or pipe does not end the run: nothing is shown from then on.
        """
        handler = getattr(self, f"_on_{event['type']}", None)
        if handler is None:
            return
        try:
            handler(event)
        except OSError:
            self._console.quiet = True
        if self._exit_status is not None and not self.running:
            raise SystemExit(self._exit_status)

    def then_exit(self, status: int) -> None:
        """End the program with this status after the current fit."""
        self._exit_status = status

    def say(self, text: str) -> None:
        """Print a line."""
        self._print(text, highlight=False, markup=False)

    def _print(self, *content: Any, **options: Any) -> None:
        with self._bar.line():
            self._console.print(*content, **options)

    def _on_device(self, event: dict[str, Any]) -> None:
        self._device = f"{event['device']}: {event['adapter']}"
        reason = f" (no WebGPU: {event['reason']})" if event.get("reason") else ""
        self._print(f"device {self._device}{reason}", highlight=False, markup=False)

    def _on_status(self, event: dict[str, Any]) -> None:
        if event["phase"] == "compiling":
            self._bar.update(description="compiling", completed=event["done"], total=event["total"], numbers="kernels")
        elif self._fit:
            total = self._fit["epochs"] * self._fit["steps_per_epoch"]
            self._bar.update(description=event["phase"], completed=self._metrics.get("step", 0), total=total)

    def _on_fit_start(self, event: dict[str, Any]) -> None:
        self._fit, self._metrics, self._validations = event, {}, []
        self._started = time.monotonic()
        self._print(
            f"{event['parameters']:,} parameters, {event['train_samples']:,} samples, "
            f"{event['epochs']} epochs of {event['steps_per_epoch']} steps",
            highlight=False,
        )
        self._bar.update(
            description="training", completed=0, total=event["epochs"] * event["steps_per_epoch"], numbers=""
        )

    def _on_metrics(self, event: dict[str, Any]) -> None:
        self._metrics = event
        newest = event["points"][-1] if event["points"] else {}
        numbers = f"{_scores(newest)}  {event['step_ms']:.1f} ms/step  {event['samples_per_s']:,.0f} samples/s"
        self._bar.update(description="training", completed=event["step"], total=event["total_steps"], numbers=numbers)

    def _on_validation(self, event: dict[str, Any]) -> None:
        self._validations.append(event)
        epochs = self._fit.get("epochs", "?")
        self._print(f"epoch {event['epoch']}/{epochs}  validation {_scores(event)}", highlight=False, markup=False)

    def _on_tuning(self, event: dict[str, Any]) -> None:
        if event["phase"] != "measuring":
            self._print(event["text"], style="dim", highlight=False, markup=False)
        elif not self._metrics:  # before the first step, which waits for this
            self._bar.update(
                description="tuning", completed=event["done"], total=event["total"], numbers=event["kernel"]
            )

    def _on_state(self, event: dict[str, Any]) -> None:
        self.running = event["state"] in ("running", "paused")
        if self.running or not self._fit:
            return
        self._bar.remove()
        self._print(self._summary(event))
        self._fit = {}

    def _on_profile(self, event: dict[str, Any]) -> None:
        self._print(event["table"], highlight=False, markup=False, soft_wrap=True)

    def _summary(self, event: dict[str, Any]) -> Table:
        table = Table(title=f"{event['state']} at step {event['step']}", show_header=False, title_justify="left")
        newest = self._metrics["points"][-1] if self._metrics.get("points") else {}
        table.add_row("device", self._device or "unknown")
        table.add_row("parameters", f"{self._fit['parameters']:,}")
        table.add_row("time", f"{time.monotonic() - self._started:.1f} s")
        if newest:
            table.add_row("training", Text(_scores(newest)))
        if self._validations:
            best = min(self._validations, key=lambda v: v["loss"])
            table.add_row("validation", Text(_scores(self._validations[-1])))
            table.add_row("best validation", Text(f"{_scores(best)}  (epoch {best['epoch']})"))
        times = {key: self._metrics[key] for key in _TIMES if self._metrics.get(key) is not None}
        if times:
            table.add_row("ms per step", ", ".join(f"{ms:.2f} {key.removesuffix('_ms')}" for key, ms in times.items()))
            table.add_row("throughput", f"{self._metrics['samples_per_s']:,.0f} samples/s")
        return table


def _scores(values: dict[str, Any]) -> str:
    """``loss 0.1234  accuracy 97.5 %`` of a point or a validation."""
    parts = []
    for key, value in values.items():
        if key in ("type", "step", "epoch") or not isinstance(value, int | float):
            continue
        parts.append(f"{key} {100 * value:.2f} %" if key == "accuracy" else f"{key} {value:.4g}")
    return "  ".join(parts)
