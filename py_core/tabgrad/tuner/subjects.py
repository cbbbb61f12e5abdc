"""The queue of kernels to measure: the first program's first, and of these the most expensive."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

from tabgrad.compiler.work import Work
from tabgrad.devices.base import Executable
from tabgrad.devices.kernel_trials import KernelSource, source_of
from tabgrad.program import Dispatch
from tabgrad.tuner.comparison import terms

_FLOPS, _BYTES = 10e12, 500e9  # per second, of a typical GPU; only the ratio matters


@dataclass(frozen=True)
class Site:
    """One dispatch of a loaded program."""

    executable: weakref.ref[Executable]
    index: int
    work: Work

    @property
    def dispatch(self) -> Dispatch | None:
        """The dispatch, or None if its program was released."""
        executable = self.executable()
        return None if executable is None else executable.program.dispatches[self.index]


@dataclass
class Subject:
    """A kernel to measure."""

    key: str
    work: Work
    kernel: KernelSource
    num_scalars: int
    name: str
    order: int  # of the first program that uses it
    seconds: float = 0.0  # estimated, per run of the program


def subject(key: str, order: int, executable: Executable, index: int, work: Work) -> Subject:
    """The kernel of a dispatch."""
    program = executable.program
    dispatch = program.dispatches[index]
    count = terms(work)
    name = f"{dispatch.label} over {count}" if count > 1 else dispatch.label
    return Subject(key, work, source_of(program, dispatch), program.num_scalars, name, order)


def seconds(dispatch: Dispatch) -> float:
    """A rough estimate of a dispatch's time, in seconds."""
    return dispatch.flops / _FLOPS + dispatch.bytes_moved / _BYTES


def heaviest(subjects: list[Subject]) -> Subject:
    """The next kernel to measure."""
    return min(subjects, key=lambda s: (s.order, -s.seconds))
