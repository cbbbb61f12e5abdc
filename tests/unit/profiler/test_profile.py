import asyncio
import json
import time
from types import SimpleNamespace

import numpy as np
import pytest

import tabgrad as tg
from steps import step_of
from tabgrad import nn, optim
from tabgrad.devices.base import Buffer
from tabgrad.devices.clock import Stamps
from tabgrad.errors import TabgradError
from tabgrad.nn import functional as F
from tabgrad.profiler import Profile, profiled, report
from tabgrad.runtime import ProgramCache
from tabgrad.session import current

BATCH = np.random.default_rng(0).standard_normal((8, 6)).astype(np.float32)


def plain_step():
    tg.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = optim.Adam(model.parameters(), lr=1e-2)
    return step_of(optimizer, lambda x, y: F.cross_entropy(model(x), y))


def batch():
    return tg.tensor(BATCH), tg.tensor(np.arange(8) % 3)


def losses(step, count=6):
    return [step(*batch()).item() for _ in range(count)]


def labels(step):
    return [d.label for d in step.recordings[0].compiled.program.dispatches]


def test_profiled_steps_are_real_steps():
    expected = losses(tg.compile(plain_step()))
    step = tg.compile(plain_step())
    before = losses(step, 2)
    counted = tg.current_session().device.counters.snapshot()
    with tg.profile() as prof:
        during = losses(step, 2)
    more = {name: n - counted[name] for name, n in tg.current_session().device.counters.snapshot().items()}
    assert before + during + losses(step, 2) == expected
    assert len(prof.runs) == more["submits"] == 2
    assert more["dispatches"] == 2 * len(labels(step))


def test_outside_of_the_block_nothing_is_left():
    step = tg.compile(plain_step())
    with tg.profile() as prof:
        losses(step, 3)
    assert current().profiler is None
    prof.table()
    counted = tg.current_session().device.counters.snapshot()
    losses(step, 3)
    more = {
        name: n - counted[name]
        for name, n in tg.current_session().device.counters.snapshot().items()
        if n != counted[name]
    }
    assert set(more) == {"submits", "dispatches", "bytes_uploaded", "bytes_read"}
    assert len(prof.runs) == 3


def test_averages_cover_every_kernel():
    step = tg.compile(plain_step())
    with tg.profile(skip=1) as prof:
        losses(step, 5)
    averages = prof.key_averages()
    program = step.recordings[0].compiled.program
    assert sum(a.calls for a in averages) == 4 * len(program.dispatches)
    assert {a.label for a in averages} == set(labels(step))
    assert sum(a.share for a in averages) == pytest.approx(1)
    assert [a.total_ms for a in averages] == sorted((a.total_ms for a in averages), reverse=True)
    for a in averages:
        d = next(d for d in program.dispatches if d.label == a.label)
        assert (a.flops, a.bytes_moved) == (d.flops, d.bytes_moved)
        assert a.mean_us == pytest.approx(1000 * a.total_ms / a.calls)
        assert a.gflops_per_s == pytest.approx(d.flops / a.mean_us / 1000)
    text = prof.table()
    assert "4 × step: " in text
    assert all(len(line) <= 100 for line in text.splitlines())
    assert all(label in text for label in labels(step))
    assert "more kernels with" in prof.table(row_limit=2)


def test_trace_is_what_perfetto_reads(tmp_path):
    current().own(ProgramCache).clear()  # as if nothing had been compiled before
    step = tg.compile(plain_step())
    with tg.profile() as prof:
        losses(step, 3)
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(path)
    events = json.loads(path.read_text())["traceEvents"]
    kernels = [e for e in events if e.get("cat") == "kernel"]
    assert [e["name"] for e in kernels] == 3 * labels(step)
    assert [(e["args"]["step"], e["args"]["kernel"]) for e in kernels] == [
        (s, k) for s in range(3) for k in range(len(labels(step)))
    ]
    assert {(e["ph"], e["pid"], e["tid"]) for e in kernels} == {("X", 2, 1)}
    end = 0.0
    for e in kernels:
        assert e["ts"] >= end - 1e-6
        assert e["dur"] >= 0
        end = e["ts"] + e["dur"]
    submits = [e for e in events if e["name"] == "submit"]
    firsts = kernels[:: len(labels(step))]
    assert all(k["ts"] >= s["ts"] - 1e-6 for k, s in zip(firsts, submits, strict=True))  # queued before it runs
    host = [e["name"] for e in events if e.get("cat") == "host" and e["ph"] == "X"]
    assert host.count("replay") == host.count("submit") == 3
    assert host.count("record") == host.count("compile") == 1
    reads = [e["ph"] for e in events if e["name"] == "read"]
    assert sorted(reads) == 3 * ["b"] + 3 * ["e"]
    assert {e["args"]["name"] for e in events if e["ph"] == "M"} >= {"kernels", "Python"}


def test_steps_ends_the_profile():
    step = tg.compile(plain_step())
    with tg.profile(steps=2, skip=1) as prof:
        losses(step, 2)
        assert current().profiler is prof
        losses(step, 1)
        assert current().profiler is None
        losses(step, 4)
    assert len(prof.runs) == 2


def test_a_loop_without_compile_is_profiled_too():
    step = plain_step()
    losses(step, 2)
    with tg.profile(steps=3) as prof:
        losses(step, 8)
    assert {run.name for run in prof.runs} == {"eager"}
    assert any(label.startswith("matmul") for label in (a.label for a in prof.key_averages()))


def test_async_block_reads_the_times():
    step = tg.compile(plain_step())

    async def work():
        async with tg.profile() as prof:
            for _ in range(2):
                step(*batch())
        return prof

    prof = asyncio.run(work())
    assert all(len(run.intervals) == len(labels(step)) for run in prof.runs)


def test_report_comes_as_soon_as_the_steps_are_made():
    step = tg.compile(plain_step())
    events = []

    async def script():
        for n in range(12):
            await step(*batch()).read()
            await asyncio.sleep(0)
            if n == 8:
                assert len(events) == 1

    asyncio.run(profiled(script(), lambda event: events.append(event.to_json()), steps=4))
    (event,) = events
    assert (event["type"], event["steps"]) == ("profile", 4)
    assert json.loads(json.dumps(event)) == event
    assert {k["label"] for k in event["kernels"]} == set(labels(step))
    assert json.loads(event["trace"])["traceEvents"]


def test_report_of_too_few_steps_says_so():
    events = []

    async def script():
        pass

    asyncio.run(profiled(script(), lambda event: events.append(event.to_json())))
    assert events[0]["steps"] == 0
    assert events[0]["table"].startswith("profile: no step ran")
    assert events[0]["gpu_ms"] is None


def test_an_error_of_the_script_ends_the_profile():
    async def script():
        raise KeyError("x")

    with pytest.raises(KeyError):
        asyncio.run(profiled(script(), print))
    assert current().profiler is None


def test_rounded_times_are_pointed_out(monkeypatch):
    rounded = SimpleNamespace(perf_counter_ns=lambda: time.perf_counter_ns() // 65536 * 65536)
    step = tg.compile(plain_step())
    with tg.profile() as fine:
        losses(step, 3)
    assert "rounded" not in fine.table()
    monkeypatch.setattr("tabgrad.devices.reference.time", rounded)
    with tg.profile() as prof:
        losses(step, 3)
    assert "Times are rounded to 65.536 µs here, so " in prof.table()
    assert "profile more of them" in report(prof).note


def test_without_timestamps_there_are_whole_steps(monkeypatch):
    monkeypatch.setattr(tg.current_session().device, "clock", None)
    expected = losses(tg.compile(plain_step()), 3)
    step = tg.compile(plain_step())
    with tg.profile() as prof:
        assert losses(step, 3) == expected
    assert prof.key_averages() == []
    text = prof.table()
    assert "ms wall each" in text
    assert "keeps no GPU time (the feature timestamp-query is missing)" in text
    assert report(prof).gpu_ms is None


def test_one_profile_at_a_time():
    with tg.profile(), pytest.raises(TabgradError, match="expected no other profile under way"), tg.profile():
        pass
    assert current().profiler is None
    with pytest.raises(TabgradError, match="expected at least one step"):
        Profile(steps=0)


def test_intervals_are_made_to_follow_one_another():
    stamps = Stamps(buffer=Buffer(None, 256), dispatches=(0, 2, 3), tick_ns=2.0)
    raw = np.array([10, 20, 15, 30, 29, 25], np.uint64).view(np.uint8)
    assert stamps.intervals(raw) == [(0, 20, 40), (2, 40, 60), (3, 60, 60)]
