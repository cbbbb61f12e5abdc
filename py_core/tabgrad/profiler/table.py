"""A profile as a table, with notes on its accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabgrad.profiler.averages import key_averages
from tabgrad.sheet import Sheet

if TYPE_CHECKING:
    from tabgrad.profiler.profile import Profile, ProfiledRun

_STEPS_OF_TIME = (65_536, 100_000)  # ns to which browsers round: Chrome, and the specification


def sheet(profile: Profile, row_limit: int | None = None) -> Sheet:
    """Kernels by their total time."""
    found = key_averages(profile.runs)
    shown = found[:row_limit]
    rows = [
        (
            a.label,
            str(a.calls),
            f"{a.total_ms:.3f}",
            f"{a.mean_us:.1f}",
            f"{100 * a.share:.1f} %",
            _rate(a.gflops_per_s),
            _rate(a.gbytes_per_s),
        )
        for a in shown
    ]
    notes = []
    if len(shown) < len(found):
        notes.append(f"{len(found) - len(shown)} more kernels with {sum(a.total_ms for a in found[row_limit:]):.3f} ms")
    return Sheet(
        title=summary(profile),
        columns=("kernel", ">calls", ">total ms", ">mean µs", ">share", ">GFLOP/s", ">GB/s"),
        rows=rows,
        notes=[*notes, *remarks(profile)],
    )


def summary(profile: Profile) -> str:
    """The number of runs of each step, and their time."""
    if not profile.runs:
        return "profile: no step ran"
    parts = []
    for name in dict.fromkeys(run.name for run in profile.runs):
        runs = [run for run in profile.runs if run.name == name]
        text = f"{len(runs)} × {name}"
        times = []
        if gpu_ms(runs) is not None:
            times.append(f"{gpu_ms(runs):.3f} ms in kernels")
        if wall_ms(runs) is not None:
            times.append(f"{wall_ms(runs):.3f} ms wall")
        parts.append(f"{text}: {', '.join(times)} each" if times else text)
    return "\n".join(parts)


def gpu_ms(runs: list[ProfiledRun]) -> float | None:
    """Mean time in kernels per run; None if none was measured."""
    timed = [run for run in runs if run.intervals]
    if not timed:
        return None
    return sum(end - begin for run in timed for _, begin, end in run.intervals) / 1e6 / len(timed)


def wall_ms(runs: list[ProfiledRun]) -> float | None:
    """Mean time between the starts of runs of the same name; None for a single run."""
    if len(runs) < 2:
        return None
    return (runs[-1].start_s - runs[0].start_s) * 1000 / (len(runs) - 1)


def remarks(profile: Profile) -> list[str]:
    """Limits of the measurement, in sentences."""
    if not profile.keeps_time:
        name = profile.device.info.name
        return [f"{name} keeps no GPU time (the feature timestamp-query is missing): whole steps only."]
    step_ns = resolution_ns(profile)
    if step_ns is None:
        return []
    intervals = [i for run in profile.runs for i in run.intervals]
    empty = sum(i.end_ns == i.begin_ns for i in intervals)
    return [
        f"Times are rounded to {step_ns / 1000:g} µs here, so {empty} of {len(intervals)} read as 0:",
        "only means over many steps tell short kernels apart; profile more of them.",
    ]


def resolution_ns(profile: Profile) -> int | None:
    """The step to which the browser rounds the GPU's times; None if it does not."""
    times = {t for run in profile.runs for _, begin, end in run.intervals for t in (begin, end)}
    if len(times) < 2:
        return _STEPS_OF_TIME[0] if times and all(t % _STEPS_OF_TIME[0] == 0 for t in times) else None
    return next((step for step in _STEPS_OF_TIME if all(t % step == 0 for t in times)), None)


def _rate(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}"
