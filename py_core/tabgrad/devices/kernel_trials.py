"""Kernels apart from any program: compiled and measured on buffers of their own, while programs run beside them.

What a bench makes is counted in :attr:`KernelTrials.counters`, so that the counters of training stay its own, and
is gone when the bench is closed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tabgrad.devices.base import Counters, Executable
from tabgrad.program import Access, Dispatch, Program


@dataclass(frozen=True, kw_only=True)
class KernelSource:
    """One way to write one dispatch: the shader, and how it is launched. Bindings are as a program's."""

    label: str = field(compare=False)
    source: str
    accesses: tuple[Access, ...]
    uses_scalars: bool
    workgroups: tuple[int, int, int]


def source_of(program: Program, dispatch: Dispatch) -> KernelSource:
    """A dispatch of a program, as the program has it."""
    return KernelSource(
        label=dispatch.label,
        source=program.shaders[dispatch.shader],
        accesses=tuple(b.access for b in dispatch.bindings),
        uses_scalars=dispatch.uses_scalars,
        workgroups=dispatch.workgroups,
    )


class CompiledKernel:
    """A pipeline that no program uses yet; ``handle`` belongs to the device."""

    def __init__(self, kernel: KernelSource, handle: object) -> None:
        self.kernel = kernel
        self.handle = handle


class Bench(ABC):
    """Buffers for the bindings of one kernel, on which all its variants can be run.

    Its errors are raised to the caller that measures, and never reach a program's run.
    """

    uses_wall_clock: bool
    """Without GPU timestamps a time counts only if nothing else was submitted meanwhile."""

    @abstractmethod
    def write(self, binding: int, offset: int, data: np.ndarray) -> None:
        """Queue an upload of a C-contiguous array of whole words."""

    @abstractmethod
    def write_scalars(self, words: np.ndarray) -> None:
        """Queue an upload of the program's scalars, as u32."""

    @abstractmethod
    async def run(self, kernel: CompiledKernel, repeats: int) -> float:
        """Launch a kernel several times in one submit; returns the time of all launches together, in ms.

        Browsers quantise it, so few launches may take 0.

        Raises:
            DeviceError: the GPU refused.
        """

    @abstractmethod
    async def read(self, ranges: Sequence[tuple[int, int, int]]) -> list[np.ndarray]:
        """Read ``(binding, offset, size_bytes)``; uint8 arrays come back."""

    @abstractmethod
    def close(self) -> None:
        """Release everything, at once."""


class KernelTrials(ABC):
    """What :attr:`tabgrad.devices.base.Device.trials` offers to those who look for faster kernels.

    Attributes:
        counters: of this work; it is not among the device's own.
    """

    counters: Counters

    @abstractmethod
    async def compile(self, kernel: KernelSource) -> CompiledKernel:
        """Compile off the caller's thread, or take what a program has compiled already.

        Raises:
            DeviceError: it does not compile; a program's run never hears of it.
        """

    @abstractmethod
    def compile_now(self, kernels: Sequence[KernelSource]) -> dict[KernelSource, CompiledKernel]:
        """As :meth:`compile`, while the caller waits; those that are seen not to compile are left out."""

    @abstractmethod
    def open_bench(self, sizes: Sequence[int], accesses: Sequence[Access], num_scalars: int | None) -> Bench:
        """Buffers for one kernel's bindings, of these sizes in bytes; ``None`` scalars: it uses none.

        Raises:
            DeviceError: there is no memory for them (a browser says so at the first run).
        """

    @abstractmethod
    def replace(self, executable: Executable, index: int, kernel: CompiledKernel) -> None:
        """Let dispatch ``index`` launch another kernel with the same bindings from the next run on.

        Everything that is bound to the executable changes with it. Its program stays as it was compiled;
        :attr:`Executable.replaced` says what runs instead.
        """


__all__ = ["Bench", "CompiledKernel", "KernelSource", "KernelTrials", "source_of"]
