"""The control messages that a run takes.

The text below a field is its documentation. After a change: ``build_scripts/message_types.py``.
"""

from __future__ import annotations

from typing import Any, Literal

from tabgrad.dtypes import LARGEST_FLOAT32
from tabgrad.errors import TabgradError
from tabgrad.messages.record import Record

MOST_STEPS = 1000  # that one message can profile


class Control(Record):
    """Base of control messages."""

    def check(self) -> None:
        """Check the values.

        Raises:
            TabgradError: a value is out of range.
        """


class PauseMessage(Control):
    """Pause after the current step."""

    type: Literal["pause"] = "pause"


class ResumeMessage(Control):
    """Resume after a pause."""

    type: Literal["resume"] = "resume"


class StepMessage(Control):
    """Run one step, then pause."""

    type: Literal["step"] = "step"


class StopMessage(Control):
    """End the run after the current step."""

    type: Literal["stop"] = "stop"


class SetLrMessage(Control):
    """Use this learning rate from the next step on."""

    type: Literal["set_lr"] = "set_lr"
    lr: float

    def check(self) -> None:
        """See :meth:`Control.check`."""
        lr = self.lr
        if not isinstance(lr, int | float) or isinstance(lr, bool) or not 0 <= lr <= LARGEST_FLOAT32:
            raise TabgradError(
                f"set_lr: expected a learning rate >= 0 that float32 holds, got {_shown(lr)}; it stays as it was"
            )


class ProfileMessage(Control):
    """Time the kernels of the next training steps."""

    type: Literal["profile"] = "profile"
    steps: int | None = None

    def check(self) -> None:
        """See :meth:`Control.check`."""
        steps = self.steps
        whole = isinstance(steps, int) and not isinstance(steps, bool)
        if steps is not None and not (whole and 1 <= steps <= MOST_STEPS):
            raise TabgradError(f"profile: expected 1 to {MOST_STEPS} steps, got {_shown(steps)}")


class PingMessage(Control):
    """Answer at once, with this id."""

    type: Literal["ping"] = "ping"
    id: Any


ControlMessage = PauseMessage | ResumeMessage | StepMessage | StopMessage | SetLrMessage | ProfileMessage | PingMessage

CONTROLS: dict[str, type[ControlMessage]] = {
    kind.type: kind
    for kind in (PauseMessage, ResumeMessage, StepMessage, StopMessage, SetLrMessage, ProfileMessage, PingMessage)
}


def read_control(message: Any) -> ControlMessage:
    """The control message of a dict; unknown fields are ignored.

    Raises:
        TabgradError: the message's type is unknown, or a value has the wrong type.
    """
    kind = message.get("type") if isinstance(message, dict) else None
    declared = CONTROLS.get(kind) if isinstance(kind, str) else None
    if declared is None:
        raise TabgradError(f"control: expected a message of type {', '.join(CONTROLS)}, got {_shown(message)}")
    request = declared(**{name: message.get(name) for name in declared.__annotations__})
    request.check()
    return request


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
