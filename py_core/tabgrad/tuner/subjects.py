"""Which kernels are to be measured, and in which order: the heaviest of the program that came first."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

from tabgrad.compiler.work import Work
from tabgrad.devices.base import Executable
from tabgrad.devices.kernel_trials import KernelSource, source_of
from tabgrad.program import Dispatch
from tabgrad.tuner.check import terms

_FLOPS, _BYTES = 10e12, 500e9  # per second, of some GPU: only their ratio matters


@dataclass(frozen=True)
class Site:
    """One dispatch of a loaded program."""

    executable: weakref.ref[Executable]
    index: int
    work: Work

    @property
    def dispatch(self) -> Dispatch | None:
        """The dispatch, or None if its program is gone."""
        executable = self.executable()
        return None if executable is None else executable.program.dispatches[self.index]


@dataclass
class Subject:
    """A kernel that is to be measured, wherever it is used."""

    key: str
    work: Work
    kernel: KernelSource
    num_scalars: int
    name: str
    order: int  # of the program that it was first seen in
    seconds: float = 0.0  # estimated, per run of the program
    executables: set[int] = field(default_factory=set)


def subject(key: str, order: int, executable: Executable, index: int, work: Work) -> Subject:
    """The kernel of a dispatch."""
    program = executable.program
    dispatch = program.dispatches[index]
    count = terms(work)
    name = f"{dispatch.label} over {count}" if count > 1 else dispatch.label
    return Subject(key, work, source_of(program, dispatch), program.num_scalars, name, order)


def seconds(dispatch: Dispatch) -> float:
    """A rough estimate of what a dispatch costs."""
    return dispatch.flops / _FLOPS + dispatch.bytes_moved / _BYTES


def heaviest(subjects: list[Subject]) -> Subject:
    """The next one to measure."""
    return min(subjects, key=lambda s: (s.order, -s.seconds))
