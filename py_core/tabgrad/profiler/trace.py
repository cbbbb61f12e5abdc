"""A profile in Chrome's trace event format: a track of kernels, a track of the host.

Source: the Trace Event Format, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tabgrad.inspection import variant_of

if TYPE_CHECKING:
    from tabgrad.profiler.profile import Profile

_HOST, _GPU = 1, 2  # "processes", one track each


@dataclass(frozen=True)
class Slice:
    """One run of one kernel, in ns of the host's clock."""

    label: str
    begin_ns: int
    end_ns: int
    details: dict[str, Any]


def slices(profile: Profile) -> list[Slice]:
    """Kernels in order, none overlapping another.

    The offset of the device's clock is unknown. The smallest one is used with which no kernel starts before the host
    queued its step.
    """
    timed = [run for run in profile.runs if run.intervals]
    ahead = max((round(run.start_s * 1e9) - run.intervals[0].begin_ns for run in timed), default=0)
    found = []
    last = 0
    for number, run in enumerate(timed):
        for n, begin_ns, end_ns in run.intervals:
            begin = max(begin_ns + ahead, last)
            last = max(end_ns + ahead, begin)
            d, kernel = run.program.dispatches[n], run.kernel(n)
            elapsed_ns = end_ns - begin_ns
            details: dict[str, Any] = {
                "step": number,
                "program": run.name,
                "kernel": n,
                "variant": variant_of(kernel.source),
                "workgroups": "×".join(map(str, kernel.workgroups)),
                "flops": d.flops,
                "bytes": d.bytes_moved,
            }
            if elapsed_ns:
                details |= {"GFLOP/s": round(d.flops / elapsed_ns, 3), "GB/s": round(d.bytes_moved / elapsed_ns, 3)}
            found.append(Slice(d.label, begin, last, details))
    return found


def chrome_trace(profile: Profile) -> dict[str, Any]:
    """The trace as data."""
    kernels = slices(profile)
    spans = [(s.what, round(s.start_s * 1e9), round(s.end_s * 1e9)) for s in profile.spans]
    zero = min([s.begin_ns for s in kernels] + [start for _, start, _ in spans], default=0)
    events: list[dict[str, Any]] = [
        _named("process_name", _HOST, "host"),
        _named("thread_name", _HOST, "Python"),
        _named("process_name", _GPU, profile.device.info.name),
        _named("thread_name", _GPU, "kernels"),
    ]
    for n, (what, start, end) in enumerate(sorted(spans, key=lambda s: (s[1], -s[2]))):
        if what == "read":  # waiting overlaps with other work
            shared = {"name": what, "cat": "host", "id": n, "pid": _HOST, "tid": 1}
            events += [{**shared, "ph": "b", "ts": _us(start - zero)}, {**shared, "ph": "e", "ts": _us(end - zero)}]
        else:
            events.append(_complete(what, "host", _HOST, start - zero, end - start, {}))
    for s in kernels:
        events.append(_complete(s.label, "kernel", _GPU, s.begin_ns - zero, s.end_ns - s.begin_ns, s.details))
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def to_json(trace: dict[str, Any]) -> str:
    """The trace as JSON text."""
    return json.dumps(trace, ensure_ascii=False, separators=(",", ":"))


def _complete(name: str, category: str, pid: int, ts_ns: int, dur_ns: int, args: dict[str, Any]) -> dict[str, Any]:
    place = {"pid": pid, "tid": 1, "ts": _us(ts_ns), "dur": _us(dur_ns)}
    return {"name": name, "cat": category, "ph": "X", **place, "args": args}


def _named(kind: str, pid: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": pid, "tid": 1, "args": {"name": name}}


def _us(ns: int) -> float:
    return ns / 1000
