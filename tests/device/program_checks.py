"""What every device must do, beyond giving right results; importable without pytest or torch.

Each check raises AssertionError. ``run_all`` is what the Node harness calls.
"""

from __future__ import annotations

import asyncio
import gc
import time
from typing import Any

import numpy as np

from device.program_cases import PROGRAM_CASES, N, check_case, upload
from tabgrad.devices.base import Device
from tabgrad.train.fence_mark import set_mark


async def check_steady_state(device: Device) -> None:
    """Forty runs and reads create nothing, and memory stays as it is."""
    for case in PROGRAM_CASES:
        buffers = upload(device, case.before)
        bound = device.bind(device.load(case.program), buffers)
        requests = [(b, 0, 4) for b in buffers]

        async def step(bound: Any = bound, buffers: Any = buffers, requests: Any = requests, case: Any = case) -> None:
            (device.clock or device).run(bound, case.scalars, [(buffers[0], case.before[0])])
            await device.read(requests)

        await step()
        before = device.counters.snapshot()
        for _ in range(40):
            await step()
        after = device.counters.snapshot()
        made = {name: after[name] - before[name] for name in after if "created" in name or name == "bytes_allocated"}
        assert not any(made.values()), f"{case.name}: created {made}"
        assert after["dispatches"] - before["dispatches"] == 40 * len(case.program.dispatches)
        for b in buffers:
            device.free(b)


async def check_runs_submit_once(device: Device) -> None:
    """A run is one submit, however many dispatches and writes it has."""
    case = PROGRAM_CASES[2]
    buffers = upload(device, case.before)
    bound = device.bind(device.load(case.program), buffers)
    before = device.counters.snapshot()
    for _ in range(10):
        device.run(bound, case.scalars, [(buffers[0], case.before[0])])
    after = device.counters.snapshot()
    assert after["submits"] - before["submits"] == 10
    assert after["bytes_uploaded"] - before["bytes_uploaded"] == 10 * case.before[0].nbytes
    for b in buffers:
        device.free(b)


async def check_batched_read(device: Device) -> None:
    """Many ranges, odd sizes and offsets among them, come back in one map."""
    data = np.arange(512, dtype=np.uint8)
    held = device.allocate(data.nbytes)
    device.write(held, data)
    ranges = [(0, 512), (4, 8), (5, 3), (511, 1), (0, 0), (3, 6)]
    before = device.counters.maps
    arrays = await device.read([(held, offset, size) for offset, size in ranges])
    assert device.counters.maps - before <= 1
    for (offset, size), got in zip(ranges, arrays, strict=True):
        assert got.dtype == np.uint8
        np.testing.assert_array_equal(got, data[offset : offset + size])
    device.free(held)


async def check_order(device: Device) -> None:
    """A write after a run does not reach that run; a read sees every run before it."""
    case = PROGRAM_CASES[1]
    buffers = upload(device, case.before)
    bound = device.bind(device.load(case.program), buffers)
    device.run(bound, case.scalars)
    device.write(buffers[0], np.zeros(N, np.float32))
    device.run(bound, case.scalars)
    (got,) = await device.read([(buffers[1], 0, 4 * N)])
    np.testing.assert_array_equal(got.view(np.float32), case.before[1] + case.before[0])
    for b in buffers:
        device.free(b)


async def check_profile(device: Device) -> None:
    """A profiled run is one run, with one interval for each dispatch; another one creates nothing."""
    assert device.clock is not None
    for case in PROGRAM_CASES:
        buffers = upload(device, case.before)
        bound = device.bind(device.load(case.program), buffers)
        seen = []
        for _ in range(3):
            for buffer, data in zip(buffers, case.before, strict=True):
                device.write(buffer, data)
            before = device.counters.snapshot()
            stamps = device.clock.profile(bound, case.scalars)
            counted = {name: n - before[name] for name, n in device.counters.snapshot().items()}
            assert counted["submits"] == 1
            raw, *values = await device.read([stamps.request, *((b, 0, 4) for b in buffers)])
            device.free(stamps.buffer)
            intervals = stamps.intervals(raw)
            launched = [n for n, d in enumerate(case.program.dispatches) if 0 not in d.workgroups]
            assert counted["dispatches"] in (len(launched), len(case.program.dispatches))
            assert [i.dispatch for i in intervals] in (launched, list(range(len(case.program.dispatches))))
            times = [t for i in intervals for t in (i.begin_ns, i.end_ns)]
            assert times == sorted(times)
            assert times[0] > 0
            seen.append((values, counted["buffers_created"], counted["bytes_allocated"]))
        assert seen[1][1:] == seen[2][1:] == (0, 0)
        for buffer, data in zip(buffers, case.before, strict=True):
            device.write(buffer, data)
        device.run(bound, case.scalars)
        expected = await device.read([(b, 0, 4) for b in buffers])
        for values, *_ in seen:
            np.testing.assert_array_equal(values, expected)
        for b in buffers:
            device.free(b)


async def check_dropped_programs(device: Device) -> None:
    """A program that nobody holds gives its memory back, for the next one."""
    case = PROGRAM_CASES[2]  # it has scratch buffers
    held = []
    for _ in range(4):
        await check_case(device, case)
        gc.collect()
        held.append(device.counters.bytes_allocated)
    assert held[1:] == held[:1] * 3, held


async def check_waiting(device: Device) -> None:
    """Fences and breaths return, also when nothing is under way."""
    await device.fence()
    await device.breathe()


async def check_marks(device: Device) -> None:
    """A mark is reached after the work before it, whether it is waited for, asked, or left alone; so is one that waits
    for nothing.
    """
    start_s = time.perf_counter()
    buffer = device.allocate(256)
    device.write(buffer, np.zeros(64, np.uint32))
    first, dropped, last = (set_mark(device) for _ in range(3))
    await dropped.drop()
    await last.wait()
    reached = [mark.reached_s() for mark in (first, last)]
    assert None not in reached, reached
    assert start_s - 0.01 <= reached[0] <= reached[1] <= time.perf_counter() + 0.01, (start_s, reached)
    assert [mark.reached_s() for mark in (first, last)] == reached
    asked = set_mark(device)
    while asked.reached_s() is None:
        await device.breathe()
    await asked.wait()
    device.free(buffer)


async def check_cancelled_reads(device: Device) -> None:
    """Who no longer waits for a read harms nobody: later reads give what is there."""
    buffer = device.allocate(1 << 16)
    device.write(buffer, np.arange(1 << 14, dtype=np.uint32))
    for turns in range(4):
        reading = asyncio.ensure_future(device.read([(buffer, 0, 1 << 16)]))
        for _ in range(turns):
            await asyncio.sleep(0)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        others = [np.zeros(1 << 16, np.uint8) for _ in range(4)]  # where the read's memory was, if it was given back
        await device.fence()
        assert not any(other.any() for other in others), turns
    (found,) = await device.read([(buffer, 0, 1 << 16)])
    np.testing.assert_array_equal(found.view(np.uint32), np.arange(1 << 14))
    device.free(buffer)


CHECKS = (
    check_steady_state,
    check_runs_submit_once,
    check_batched_read,
    check_order,
    check_profile,
    check_dropped_programs,
    check_waiting,
    check_marks,
    check_cancelled_reads,
)


async def run_all(device: Device) -> list[str]:
    """Run every case and check; the names of those that passed. The first failure raises."""
    for case in PROGRAM_CASES:
        await check_case(device, case)
    for check in CHECKS:
        await check(device)
    return [case.name for case in PROGRAM_CASES] + [check.__name__ for check in CHECKS]
