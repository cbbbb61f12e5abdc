"""Who may look on while programs are compiled and run; :class:`tabgrad.session.Session` holds those who do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from tabgrad.compiler.compile import Compiled
from tabgrad.devices.base import BoundProgram, Buffer, Device
from tabgrad.graph.linearize import Linear


class Launch(NamedTuple):
    """One run of a program, with what :meth:`tabgrad.devices.base.Device.run` is given for it."""

    bound: BoundProgram
    scalars: np.ndarray
    writes: Sequence[tuple[Buffer, np.ndarray]] = ()
    timed: bool = False
    name: str = ""  # of the compiled step, if it is one

    def on(self, device: Device) -> None:
        """Queue it."""
        runner = device.clock if self.timed and device.clock is not None else device
        runner.run(self.bound, self.scalars, self.writes)


class Profiler(Protocol):
    """Runs programs as the device would, and notes when what happened; see :mod:`tabgrad.profiler`."""

    def run(self, launch: Launch) -> None:
        """Queue a run."""

    def span(self, what: str, start_s: float) -> None:
        """The host was busy with something from ``start_s``, on the clock of ``time.perf_counter``, until now."""


class Observer:
    """Looks at programs before they run, as :mod:`tabgrad.command_line.script_graphs` does.

    What it does not override is of no interest to it.
    """

    def graph(self, linear: Linear) -> None:
        """This graph is about to be compiled."""

    def compiled(self, compiled: Compiled) -> None:
        """This is what it was compiled to."""

    def recorded(self) -> None:
        """A trainer has recorded all of its programs and is about to train."""
