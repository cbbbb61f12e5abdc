"""A program's time with kernels that compile fast, and its end where nothing gets to run in the background."""

from __future__ import annotations

import asyncio

from tabgrad.compiler.compile import Compiled
from tabgrad.devices.base import Executable
from tabgrad.tuner import Tuner

PATIENCE = 16  # runs within which the event loop must have had a turn


class QuickStart:
    """Counts a program's runs. A loop that never waits leaves the background no time: then what runs fast is compiled
    at once, while the loop waits for it.
    """

    def __init__(self, tuner: Tuner, compiled: Compiled, executable: Executable) -> None:
        self._tuner, self._compiled, self._executable = tuner, compiled, executable
        dispatches = zip(compiled.program.dispatches, compiled.works, strict=True)
        self._begun = {n for n, (d, work) in enumerate(dispatches) if work.quick is not None and 0 not in d.workgroups}
        self._runs = 0
        self._seen = True  # whether the event loop had a turn since the last count

    def over_after(self) -> bool:
        """Count a run; returns whether this time is over."""
        self._runs += 1
        if self._runs % PATIENCE:
            return False
        if self._begun <= self._executable.replaced.keys():
            return True
        if not self._seen:
            self._tuner.bring_in_now(self._compiled, self._executable)
            return True
        self._seen = False
        try:
            asyncio.get_running_loop().call_soon(self._look)
        except RuntimeError:
            pass  # it has ended: at the next count it had no turn
        return False

    def _look(self) -> None:
        self._seen = True


__all__ = ["QuickStart"]
