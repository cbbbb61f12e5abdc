"""Total and mean times of equal kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabgrad.inspection import variant_of

if TYPE_CHECKING:
    from tabgrad.profiler.profile import ProfiledRun


@dataclass(frozen=True, kw_only=True)
class KernelAverage:
    """All runs of one kernel.

    Attributes:
        label, variant: what it computes, and its template with parameters.
        calls: number of runs.
        total_ms: GPU time of all runs; ``share``: its fraction of all kernels' time.
        flops, bytes_moved: per run, as counted by the compiler.
    """

    label: str
    variant: str
    calls: int
    total_ms: float
    share: float
    flops: int
    bytes_moved: int

    @property
    def mean_us(self) -> float:
        """GPU time of one run."""
        return self.total_ms * 1000 / self.calls

    @property
    def gflops_per_s(self) -> float | None:
        """Operations per second; None if the measured time is 0."""
        return self.flops * self.calls / self.total_ms / 1e6 if self.total_ms else None

    @property
    def gbytes_per_s(self) -> float | None:
        """Bytes moved per second; None if the measured time is 0."""
        return self.bytes_moved * self.calls / self.total_ms / 1e6 if self.total_ms else None


def key_averages(runs: Sequence[ProfiledRun]) -> list[KernelAverage]:
    """Averages by label and variant, the largest total time first."""
    totals: dict[tuple[str, str, int, int], tuple[int, int]] = {}
    for run in runs:
        for n, begin_ns, end_ns in run.intervals:
            d = run.program.dispatches[n]
            key = (d.label, variant_of(run.kernel(n).source), d.flops, d.bytes_moved)
            calls, total_ns = totals.get(key, (0, 0))
            totals[key] = calls + 1, total_ns + end_ns - begin_ns
    all_ns = sum(total_ns for _, total_ns in totals.values()) or 1
    found = [
        KernelAverage(
            label=label,
            variant=variant,
            calls=calls,
            total_ms=total_ns / 1e6,
            share=total_ns / all_ns,
            flops=flops,
            bytes_moved=moved,
        )
        for (label, variant, flops, moved), (calls, total_ns) in totals.items()
    ]
    return sorted(found, key=lambda a: -a.total_ms)
