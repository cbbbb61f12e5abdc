"""Messages are constructed from keywords and convert to plain JSON."""

from __future__ import annotations

import json

import pytest

from tabgrad.messages import (
    MetricPoint,
    MetricsEvent,
    PongEvent,
    SampleItem,
    SamplesEvent,
    TuningRejected,
    ValidationEvent,
    read_control,
)


def test_what_may_be_left_out_is_left_out() -> None:
    event = TuningRejected(text="no", variant="tile 8")
    assert event.to_json() == {"type": "tuning", "phase": "rejected", "text": "no", "variant": "tile 8"}
    named = TuningRejected(text="no", variant="tile 8", kernel="a", reason="b")
    assert named.to_json() == {**event.to_json(), "kernel": "a", "reason": "b"}


def test_null_is_sent_where_it_says_something() -> None:
    assert PongEvent(id=None, step=0).to_json() == {"type": "pong", "id": None, "step": 0}


def test_parts_and_tuples_become_plain() -> None:
    item = SampleItem(pixels=[0.0, 0.5], label=3, prediction=4, probability=None)
    found = SamplesEvent(shape=(1, 2), items=[item, item]).to_json()
    expected = {"pixels": [0.0, 0.5], "label": 3, "prediction": 4, "probability": None}
    assert found == {"type": "samples", "shape": [1, 2], "items": [expected, expected]}
    assert json.loads(json.dumps(found)) == found


def test_metrics_stand_beside_the_loss() -> None:
    metrics = {"mae": 0.5, "metrics": 2.0}
    point = {"step": 1, "epoch": 0.5, "loss": 0.25, **metrics}
    event = ValidationEvent(step=1, epoch=0.5, loss=0.25, metrics=metrics)
    assert event.to_json() == {"type": "validation", **point}
    assert event.metrics == metrics
    made = MetricPoint(step=1, epoch=0.5, loss=0.25, metrics=metrics)
    assert made.to_json() == point
    numbers = {"step_ms": 1.0, "samples_per_s": 1.0, "host_ms": 1.0, "lr": 0.1, "step": 1, "total_steps": 2}
    report = MetricsEvent(points=[made], gpu_ms=None, eta_s=0.0, **numbers)  # type: ignore[arg-type]
    assert report.to_json() == {"type": "metrics", "points": [point], "gpu_ms": None, "eta_s": 0.0, **numbers}


def test_values_that_are_missing_or_unknown_are_refused() -> None:
    with pytest.raises(TypeError, match="PongEvent: expected type, id, step, got type, id"):
        PongEvent(id=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="PongEvent: expected type, id, step, got type, id, step, lr"):
        PongEvent(id=1, step=2, lr=3)  # type: ignore[call-arg]


def test_a_message_is_read_and_what_else_it_has_is_ignored() -> None:
    assert read_control({"type": "set_lr", "lr": 0.5, "more": 1}).to_json() == {"type": "set_lr", "lr": 0.5}
    assert read_control({"type": "profile"}).to_json() == {"type": "profile"}
    assert read_control({"type": "ping"}).to_json() == {"type": "ping", "id": None}
