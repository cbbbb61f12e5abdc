"""Timing in blocks: much work is queued, one wait ends it; the median of several blocks is reported."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import tabgrad as tg

WARM_UP = 8  # calls before the clock starts: each batch with each set of buffers that results alternate between
MOST_CALLS = 100  # in a block: what is queued ahead of the GPU takes memory
CREATED = ("buffers_created", "bind_groups_created", "layouts_created", "pipelines_created")


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How long to measure."""

    blocks: int
    seconds: float  # a block, roughly
    fewest_calls: int


FULL = Effort(blocks=5, seconds=1.0, fewest_calls=10)
QUICK = Effort(blocks=2, seconds=0.05, fewest_calls=4)


@dataclass(frozen=True, kw_only=True)
class Timing:
    """What the blocks have shown, per call."""

    calls: int  # in each block
    ms: list[float]  # of each block
    host_ms: list[float]  # time in which the caller was busy with asking
    counters: dict[str, float]

    @property
    def median_ms(self) -> float:
        """The block in the middle."""
        return statistics.median(self.ms)

    def report(self) -> dict[str, Any]:
        """What every benchmark says of its timing."""
        host_ms = statistics.median(self.host_ms)
        return {
            "host_ms": round(host_ms, 3),
            "host_share": round(host_ms / self.median_ms, 3),
            "submits": round(self.counters["submits"], 3),
            "objects_created": round(sum(self.counters[name] for name in CREATED), 3),
            "crossings": round(self.counters["crossings"], 3),
            "bytes_uploaded": round(self.counters["bytes_uploaded"]),
            "peak_gpu_bytes": tg.current_session().device.counters.snapshot()[
                "bytes_allocated"
            ],  # nothing is given back on the way
            "blocks": len(self.ms),
            "calls_per_block": self.calls,
        }


async def first(call: Callable[[], Any], finish: Callable[[Any], Awaitable[Any]]) -> tuple[Any, float]:
    """What waiting for the first call gives, and how many ms it took: tracing, compilation and the run."""
    start = time.perf_counter()
    got = await finish(call())
    return got, (time.perf_counter() - start) * 1000


async def measure(call: Callable[[int], Any], finish: Callable[[Any], Awaitable[Any]], effort: Effort) -> Timing:
    """Time ``call(0)``, ``call(1)``, ...; ``await finish(result)`` of its last call ends each block.

    A result is kept until the next one is there, as in a loop that looks at its loss now and then. Counters are of
    the calls alone: what waiting adds is measured apart.
    """
    device = tg.current_session().device
    number = 0
    result: Any = None

    async def block(calls: int) -> tuple[float, float]:
        nonlocal number, result
        start, busy = time.perf_counter(), 0.0
        for _ in range(calls):
            asked = time.perf_counter()
            result = call(number)
            busy += time.perf_counter() - asked
            number += 1
        await finish(result)
        return (time.perf_counter() - start) * 1000 / calls, busy * 1000 / calls

    await block(WARM_UP)
    once_ms, _ = await block(2)
    calls = max(effort.fewest_calls, min(MOST_CALLS, int(effort.seconds * 1000 / once_ms)))
    marks = [device.counters.snapshot()]
    await finish(result)
    marks.append(device.counters.snapshot())
    times = [await block(calls) for _ in range(effort.blocks)]
    marks.append(device.counters.snapshot())
    waiting, all_of_it = ({k: float(b[k] - a[k]) for k in b} for a, b in itertools.pairwise(marks))
    grown = {name: value - waiting[name] * effort.blocks for name, value in all_of_it.items()}
    return Timing(
        calls=calls,
        ms=[ms for ms, _ in times],
        host_ms=[host_ms for _, host_ms in times],
        counters={name: value / (calls * effort.blocks) for name, value in grown.items()},
    )
