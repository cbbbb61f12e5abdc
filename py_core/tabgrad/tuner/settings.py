"""A session's setting for tuning: mode and budget."""

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
    """The mode, and the budget for measuring and compiling, in seconds."""

    mode: str = "background"
    budget_s: float = DEFAULT_BUDGET_S

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise TabgradError(f"tuning: expected one of {', '.join(MODES)}, got {self.mode!r}")
        if not (isinstance(self.budget_s, int | float) and math.isfinite(self.budget_s) and self.budget_s >= 0):
            raise TabgradError(f"tuning: expected a budget of seconds >= 0, got {self.budget_s!r}")


class Settings:
    """The current setting, and the rest of its budget."""

    def __init__(self) -> None:
        self._chosen: Tuning | None = None
        self._spent_s = 0.0

    @property
    def tuning(self) -> Tuning:
        """The setting that was chosen last, or that of the environment variable.

        Raises:
            TabgradError: the environment variable is not a setting.
        """
        return self._chosen or _from_environment()

    def choose(self, mode: str | None, budget_s: float | None) -> None:
        """Change the setting and start a new budget; None leaves a part unchanged.

        Raises:
            TabgradError: an unknown mode, or a budget that is not a number of seconds.
        """
        now = self.tuning
        self._chosen = Tuning(mode=mode or now.mode, budget_s=now.budget_s if budget_s is None else budget_s)
        self._spent_s = 0.0

    @property
    def is_off(self) -> bool:
        """Whether tuning is off: no measuring, and no use of earlier winners."""
        return self.tuning.mode == "off"

    @property
    def spent_s(self) -> float:
        """Seconds taken from the budget."""
        return self._spent_s

    @property
    def is_spent(self) -> bool:
        """Whether the budget is spent."""
        return self._spent_s >= self.tuning.budget_s

    def spend(self, seconds: float) -> None:
        """Take seconds from the budget."""
        self._spent_s += seconds


def parse(text: str, caller: str) -> Tuning:
    """``MODE`` or ``MODE:SECONDS`` as a setting.

    Raises:
        TabgradError: the text is neither.
    """
    mode, _, seconds = text.strip().partition(":")
    try:
        return Tuning(mode=mode, budget_s=float(seconds) if seconds else DEFAULT_BUDGET_S)
    except ValueError as error:
        raise TabgradError(
            f"{caller}: expected off, background or before, with :SECONDS if need be, got {text!r}"
        ) from error


def _from_environment() -> Tuning:
    text = os.environ.get(VARIABLE, "")
    return parse(text, VARIABLE) if text else Tuning()
