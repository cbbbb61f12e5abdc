"""Whether and when kernels are tuned: one setting for the process."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from tabgrad.errors import TabgradError

VARIABLE = "TABGRAD_TUNING"
MODES = ("off", "background", "before")
DEFAULT_BUDGET_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """When kernels are measured, and for how many seconds of measuring and compiling at most."""

    mode: str = "background"
    budget_s: float = DEFAULT_BUDGET_S

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise TabgradError(f"tuning: expected one of {', '.join(MODES)}, got {self.mode!r}")
        if not (isinstance(self.budget_s, int | float) and math.isfinite(self.budget_s) and self.budget_s >= 0):
            raise TabgradError(f"tuning: expected a budget of seconds >= 0, got {self.budget_s!r}")


_setting: Tuning | None = None
_spent_s = 0.0


def tuning(mode: str | None = None, *, budget_s: float | None = None) -> Tuning:
    """How kernels are tuned from now on; returns the setting in force. Without arguments nothing changes.

    Each kernel can be written in several ways, of which the adapter decides the fastest. A first step always runs
    at once, with ways that suit adapters of its kind.

    Args:
        mode: ``"off"``: neither measure nor use what was measured before, so that equal runs give equal bits on
            one adapter. ``"background"`` (the default): measure between steps, and let the running program use
            what is faster; that changes how later steps round. ``"before"``: measure before the first step of
            ``Trainer.fit`` and in ``await step.ready(...)``; a program that runs without either is measured in
            the background.
        budget_s: seconds of measuring and compiling, counted from now.

    The environment variable ``TABGRAD_TUNING`` (``off``, ``background``, ``before``, or ``background:30`` with a
    budget) is what holds until a script calls this.

    Raises:
        TabgradError: an unknown mode, or a budget that is no number of seconds.
    """
    global _setting, _spent_s
    current = _setting or _from_environment()
    if mode is None and budget_s is None:
        return current
    _setting = Tuning(mode=mode or current.mode, budget_s=current.budget_s if budget_s is None else budget_s)
    _spent_s = 0.0
    return _setting


def reset() -> None:
    """Back to what the environment says, with the whole budget."""
    global _setting, _spent_s
    _setting, _spent_s = None, 0.0


def parse(text: str, caller: str) -> Tuning:
    """``MODE`` or ``MODE:SECONDS`` as a setting.

    Raises:
        TabgradError: it is neither.
    """
    mode, _, seconds = text.strip().partition(":")
    try:
        return Tuning(mode=mode, budget_s=float(seconds) if seconds else DEFAULT_BUDGET_S)
    except ValueError as error:
        raise TabgradError(
            f"{caller}: expected off, background or before, with :SECONDS if need be, got {text!r}"
        ) from error


def spend(seconds: float) -> None:
    """Take from the budget."""
    global _spent_s
    _spent_s += seconds


def spent_s() -> float:
    """What has been taken from the budget."""
    return _spent_s


def is_spent() -> bool:
    """Whether nothing is left of the budget."""
    return _spent_s >= tuning().budget_s


def _from_environment() -> Tuning:
    text = os.environ.get(VARIABLE, "")
    return parse(text, VARIABLE) if text else Tuning()
