"""The page's types are what Python declares."""

from __future__ import annotations

from typing import get_args

import pytest

import message_types
from tabgrad.messages import CONTROLS, ControlMessage, Record


def test_types_are_those_that_the_script_writes() -> None:
    found = message_types.TARGET.read_text(encoding="utf-8")
    assert found == message_types.message_types(), "run build_scripts/message_types.py"


def test_types_say_what_json_has() -> None:
    text = message_types.message_types()
    for part in (
        'export type RunState = "running" | "paused" | "stopped" | "finished" | "failed";',
        "export type StatusEvent = CompilingEvent | PhaseEvent;",
        "  shape: [number, number] | null;",
        "  items: SampleItem[];",
        "  /** Line of the user's script, counted from 1. */\n  line: number | null;",  # always there
        "  kernel?: string;",  # left out where there is none
        "} & Record<string, number>;",
        "export type ControlMessage =\n  | PauseMessage\n",
    ):
        assert part in text


def test_a_type_without_a_form_is_refused() -> None:
    with pytest.raises(TypeError, match="expected a type that has a form in TypeScript, got <class 'complex'>"):
        message_types._type(complex)


def test_every_control_message_can_be_read() -> None:
    assert set(CONTROLS.values()) == set(get_args(ControlMessage))
    assert all(issubclass(kind, Record) and kind.type == name for name, kind in CONTROLS.items())
