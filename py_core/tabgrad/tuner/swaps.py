"""Other variants of kernels in use: compiled in the background, and launched from the program's next step on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from tabgrad.compiler.variant import Variant
from tabgrad.devices.base import Executable
from tabgrad.devices.kernel_trials import CompiledKernel, KernelSource, KernelTrials, source_of
from tabgrad.errors import DeviceLostError
from tabgrad.messages import TuningRejected
from tabgrad.tuner.measure import limited, reason
from tabgrad.tuner.subjects import Site
from tabgrad.tuner.turns import Turns

AT_ONCE = 2  # kernels that compile side by side: drivers gain nothing from more, and what is asked next need not wait


class Swaps:
    """Swaps kernels of one device's programs.

    Args:
        tell: told of variants that do not compile; they are left out.
    """

    def __init__(self, trials: KernelTrials, turns: Turns, tell: Callable[[TuningRejected], None]) -> None:
        self._trials, self._turns, self._tell = trials, turns, tell

    async def swap(self, sites: Sequence[Site], variant: Variant, compiled: CompiledKernel) -> bool:
        """Bring a measured variant in at all sites; returns whether any did not use it yet."""
        return await self._bring_in([(site, variant) for site in sites], {compiled.kernel: compiled})

    async def bring_in(self, chosen: Sequence[tuple[Site, Variant]]) -> None:
        """Bring variants in, each as soon as it is compiled.

        Raises:
            DeviceLostError: the GPU was lost.
        """
        await self._bring_in(chosen, {})

    def bring_in_now(self, chosen: Sequence[tuple[Site, Variant]]) -> None:
        """As :meth:`bring_in`, while the caller waits; what does not compile is left out."""
        wanted = [(site, kernel) for site, variant in chosen if (kernel := _as_variant(site, variant)) is not None]
        made = self._trials.compile_now(list(dict.fromkeys(kernel for _, kernel in wanted)))
        for site, kernel in wanted:
            if kernel in made:
                self._use(site, kernel, made[kernel])

    def _use(self, site: Site, kernel: KernelSource, made: CompiledKernel) -> bool:
        executable = site.executable()
        if executable is None:
            return False
        self._trials.replace(executable, site.index, made)
        executable.replaced[site.index] = kernel
        return True

    async def _bring_in(
        self, chosen: Sequence[tuple[Site, Variant]], known: dict[KernelSource, CompiledKernel]
    ) -> bool:
        made = {kernel: _done(compiled) for kernel, compiled in known.items()}
        waiting: list[asyncio.Task[bool]] = []
        free = asyncio.Semaphore(AT_ONCE)
        try:
            for site, variant in chosen:
                await free.acquire()  # no more is written than compiles
                async with self._turns.turn() as turn:
                    kernel = _as_variant(site, variant)
                    turn.spent_s = 0.0 if not known else None
                if kernel is None:
                    free.release()
                    continue
                if kernel not in made:
                    made[kernel] = asyncio.ensure_future(limited(self._trials.compile(kernel)))
                waiting.append(asyncio.ensure_future(self._replace(site, variant, kernel, made[kernel], free)))
            return any(await asyncio.gather(*waiting))
        finally:
            tasks: list[asyncio.Future[Any]] = [*waiting, *made.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _replace(
        self,
        site: Site,
        variant: Variant,
        kernel: KernelSource,
        compiled: asyncio.Future[CompiledKernel],
        free: asyncio.Semaphore,
    ) -> bool:
        try:
            made = await asyncio.shield(compiled)
        except DeviceLostError:
            raise
        except Exception as error:  # noqa: BLE001 - it is left out, as any candidate that fails
            text = f"{kernel.label}: {variant} rejected: {reason(error)}"
            self._tell(TuningRejected(text=text, variant=str(variant)))
            return False
        finally:
            free.release()
        return self._use(site, kernel, made)


def _done(compiled: CompiledKernel) -> asyncio.Future[CompiledKernel]:
    future: asyncio.Future[CompiledKernel] = asyncio.get_running_loop().create_future()
    future.set_result(compiled)
    return future


def _as_variant(site: Site, variant: Variant) -> KernelSource | None:
    """The site's kernel in another variant; None if it is already in use, or its program was released."""
    executable = site.executable()
    if executable is None:
        return None
    now = in_use(executable, site.index)
    rendered = site.work.render(variant)
    if rendered.source == now.source and rendered.workgroups == now.workgroups:
        return None
    return KernelSource(
        label=now.label,
        source=rendered.source,
        accesses=now.accesses,
        uses_scalars=now.uses_scalars,
        workgroups=rendered.workgroups,
    )


def in_use(executable: Executable, index: int) -> KernelSource:
    """What a dispatch launches now."""
    program = executable.program
    return executable.replaced.get(index) or source_of(program, program.dispatches[index])
