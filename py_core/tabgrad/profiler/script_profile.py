"""Profiling a script's first steps, and a profile as an event for the page and the terminal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tabgrad.messages import KernelTime, ProfileEvent
from tabgrad.profiler.averages import key_averages
from tabgrad.profiler.profile import Profile
from tabgrad.profiler.table import gpu_ms, remarks, sheet, wall_ms
from tabgrad.profiler.trace import chrome_trace, to_json

DEFAULT_STEPS = 16
SKIPPED = 2  # runs in which drivers compile and memory is first used


async def profiled(work: Awaitable[Any], emit: Callable[[ProfileEvent], None], steps: int = DEFAULT_STEPS) -> None:
    """Run the work and profile its first steps; ``emit`` gets the report when it is ready, at the latest at the end."""
    taken = Profile(steps=steps, skip=SKIPPED, on_ready=lambda p: emit(report(p))).start()
    try:
        await work
    except BaseException:
        taken.stop()
        raise
    await taken.finish()


def report(profile: Profile) -> ProfileEvent:
    """The profile as an event: plain data, with the table as text and the trace as JSON."""
    return ProfileEvent(
        device=profile.device.name,
        steps=len(profile.runs),
        gpu_ms=gpu_ms(profile.runs),
        wall_ms=wall_ms(profile.runs),
        kernels=[
            KernelTime(
                label=a.label,
                variant=a.variant,
                calls=a.calls,
                mean_us=a.mean_us,
                share=a.share,
                gflops_per_s=a.gflops_per_s,
                gbytes_per_s=a.gbytes_per_s,
            )
            for a in key_averages(profile.runs)
        ],
        note=" ".join(remarks(profile)),
        table=str(sheet(profile)),
        trace=to_json(chrome_trace(profile)),
    )
