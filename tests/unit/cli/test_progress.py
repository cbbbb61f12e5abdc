import io

import pytest
from rich.console import Console

from tabgrad.command_line.progress import RunDisplay

FIT = {
    "type": "fit_start",
    "epochs": 2,
    "steps_per_epoch": 10,
    "train_samples": 1438,
    "val_samples": 359,
    "parameters": 37706,
    "batch_size": 64,
    "metrics": ["loss", "accuracy"],
    "lr": 1e-3,
    "task": "classification",
}
METRICS = {
    "type": "metrics",
    "points": [{"step": 7, "epoch": 0.7, "loss": 0.5, "accuracy": 0.875}],
    "step_ms": 12.5,
    "samples_per_s": 5120.0,
    "host_ms": 1.25,
    "gpu_ms": None,
    "lr": 1e-3,
    "step": 7,
    "total_steps": 20,
    "eta_s": 0.2,
}


def shown(events, terminal):
    stream = io.StringIO()
    with RunDisplay(Console(file=stream, force_terminal=terminal, width=120)) as display:
        for event in events:
            display.show(event)
    return stream.getvalue(), display


EVENTS = [
    {"type": "device", "device": "reference", "adapter": "NumPy", "kind": "numpy", "reason": "no adapter"},
    FIT,
    {"type": "status", "phase": "compiling", "done": 3, "total": 9},
    {"type": "state", "state": "running", "step": 0},
    METRICS,
    {"type": "collector", "name": "basic", "values": {}},
    {"type": "validation", "step": 10, "epoch": 1, "loss": 0.25, "accuracy": 0.9721},
    {"type": "status", "phase": "training"},
    {"type": "validation", "step": 20, "epoch": 2, "loss": 0.3, "accuracy": 0.96},
    {"type": "state", "state": "finished", "step": 20},
]


@pytest.mark.parametrize("terminal", [True, False])
def test_a_run_is_shown_and_summed_up(terminal):
    text, display = shown(EVENTS, terminal)
    for part in (
        "device reference: NumPy (no WebGPU: no adapter)",
        "37,706 parameters, 1,438 samples, 2 epochs of 10 steps",
        "epoch 1/2  validation loss 0.25  accuracy 97.21 %",
        "finished at step 20",
        "loss 0.25  accuracy 97.21 %  (epoch 1)",
        "12.50 step, 1.25 host",
        "5,120 samples/s",
    ):
        assert part in text, part
    assert not display.running


def test_a_run_that_stops_before_its_first_metrics_is_summed_up():
    text, _ = shown([FIT, {"type": "state", "state": "stopped", "step": 0}], terminal=False)
    assert "stopped at step 0" in text


def test_pausing_counts_as_running():
    _, display = shown([FIT, {"type": "state", "state": "paused", "step": 3}], terminal=False)
    assert display.running


def test_two_fits_in_one_script_have_a_summary_each():
    text, _ = shown(EVENTS + EVENTS[1:], terminal=False)
    assert text.count("finished at step 20") == 2


def test_names_of_metrics_are_text():
    named = {"type": "validation", "step": 10, "epoch": 1, "loss": 0.25, "[red]bold[/red]": 0.5}
    text, _ = shown([FIT, named, {"type": "state", "state": "finished", "step": 20}], False)
    assert "epoch 1/2  validation loss 0.25  [red]bold[/red] 0.5" in text
    assert text.count("[red]bold[/red] 0.5") == 3
