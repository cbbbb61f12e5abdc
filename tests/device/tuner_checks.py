"""Tuning on whichever WebGPU device is in use; shared by the native tests and Node, importable without pytest."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable
from typing import Any

import numpy as np

import tabgrad as tg
from device.patched import patched
from steps import step_of
from tabgrad import nn, optim
from tabgrad.compiler.families import FAMILIES
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.rendered import Rendered
from tabgrad.compiler.variant import variant
from tabgrad.devices.kernel_trials import CompiledKernel, KernelSource
from tabgrad.errors import DeviceError
from tabgrad.runtime import ProgramCache
from tabgrad.session import current
from tabgrad.tuner import TunerRegistry, current_tuner, measure
from tabgrad.tuner import turns as tuners_turns
from tabgrad.tuner.store import MemoryStore

BAD = ("broken", "wrong", "forgetful", "raising", "hanging", "greedy")
MOST_STEPS = 5000
LIMIT_S = 1.5  # for a candidate that hangs; a good one must answer in less on a busy machine
SHARE = 0.8  # of the time for the tuner: with as little as usual, four fifths of these tests would be training steps
CREATED = ("buffers_created", "bind_groups_created", "layouts_created", "pipelines_created", "bytes_allocated")


def with_bad_candidates() -> Family:
    """The elementwise family with a good variant more, and with one for each way to be bad."""
    honest = FAMILIES[None]

    def variants(shader: Any, target: Any) -> list[Any]:
        return [*honest.variants(shader, target)[:2], *(variant(f"test/{name}") for name in BAD)]

    def render(shader: Any, target: Any, chosen: Any) -> Rendered:
        if not chosen.template.startswith("test/"):
            return honest.render(shader, target, chosen)
        good = honest.render(shader, target, variant("elementwise/map", workgroup=64, wide=0))
        name = chosen.template.removeprefix("test/")
        source, groups = good.source, good.workgroups
        if name == "broken":
            source += "\nthis is no WGSL"
        elif name == "wrong":  # the last store is of something else
            at = source.rindex(" = ")
            source = source[:at] + " = 3.5 + " + source[at + 3 :]
        elif name == "forgetful":  # half of the elements are never written
            source = source.replace("if (i >=", "if (i % 2u == 1u || i >=")
        elif name == "raising":
            raise ZeroDivisionError("a template that divides by zero")
        elif name == "hanging":
            source += "\n// hanging"
        elif name == "greedy":  # more workgroups than any adapter launches
            groups = (1 << 20, 1, 1)
        return Rendered(source=source, workgroups=groups)

    return Family(None, variants, render)


async def train(least_steps: int, *, until_tuned: bool) -> list[float]:
    """Losses of a small training; with tuning in the background, until there is nothing left to tune."""
    tg.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 33), nn.Tanh(), nn.Linear(33, 1))
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    rng = np.random.default_rng(0)
    x = tg.tensor(rng.standard_normal((64, 6)).astype(np.float32))
    y = tg.tensor(rng.standard_normal((64, 1)).astype(np.float32))
    step = tg.compile(step_of(optimizer, lambda x, y: ((model(x) - y) ** 2).mean()))
    losses = []
    tuner = current_tuner()
    made: list[dict[str, int]] = []
    with patched((tuners_turns, "SHARE", SHARE)):
        for n in range(MOST_STEPS):
            if n == 4:
                made.append(tg.current_session().device.counters.snapshot())
            losses.append(float((await step(x, y).read()).item()))
            idle = tuner._task is None or tuner._task.done()
            if n + 1 >= least_steps and (not until_tuned or (n > 5 and idle)):
                break
        await tuner.stop()
    made.append(tg.current_session().device.counters.snapshot())
    grown = {name: made[1][name] - made[0][name] for name in CREATED}
    assert grown == dict.fromkeys(CREATED, 0), f"steps that are tuned create things: {grown}"
    return losses


def listening(events: list[dict[str, Any]]) -> None:
    def listen(event: dict[str, Any]) -> bool:
        events.append(event)
        return True

    current().own(TunerRegistry).listener = listen


async def bad_candidates(*, hurried: bool = False) -> dict[str, Any]:
    """Train with bad candidates about, then without tuning; ``hurried``: with several of them compiling at once."""
    current().own(TunerRegistry).store = MemoryStore()  # not the user's
    events: list[dict[str, Any]] = []
    listening(events)
    current().own(ProgramCache).clear()  # what is known of kernels from before knows no bad candidates
    honest, FAMILIES[None] = FAMILIES[None], with_bad_candidates()
    limit, measure.LIMIT_S = measure.LIMIT_S, LIMIT_S
    trials = tg.current_session().device.trials
    assert trials is not None
    compile_kernel = trials.compile

    async def hang(kernel: KernelSource) -> CompiledKernel:
        if "// hanging" in kernel.source:
            await asyncio.Event().wait()
        return await compile_kernel(kernel)

    trials.compile = hang  # type: ignore[method-assign]
    turns = current_tuner().turns
    if hurried:
        turns.hurry(True)
    try:
        tg.tuning("background", budget_s=60)
        current().own(ProgramCache).clear()
        tuned = await train(30, until_tuned=True)
        tg.tuning("off")
        plain = await train(len(tuned), until_tuned=False)
    finally:
        if hurried:
            turns.hurry(False)
        del trials.compile
        FAMILIES[None], measure.LIMIT_S = honest, limit
        current().own(ProgramCache).clear()
        current().own(TunerRegistry).listener = None
    return {"tuned": tuned, "plain": plain, "events": events, "left": trials.counters.bytes_allocated}


def check_bad_candidates(report: dict[str, Any]) -> None:
    rejected = [e for e in report["events"] if e["phase"] == "rejected"]
    measured = [e for e in report["events"] if e["phase"] == "measuring"]
    assert measured, report["events"]
    by_name: dict[str, set[str]] = {}
    for event in rejected:
        by_name.setdefault(event["variant"].removeprefix("test/"), set()).add(event["reason"])
    assert set(by_name) == set(BAD), by_name
    assert all("kernel" in why or "compile" in why for why in by_name["broken"]), by_name
    assert all(why.startswith("wrong: ") for why in by_name["wrong"] | by_name["forgetful"]), by_name
    assert by_name["raising"] == {"ZeroDivisionError: a template that divides by zero"}
    assert by_name["hanging"] == {f"no answer within {LIMIT_S} s"}
    assert not [e for e in report["events"] if e["phase"] == "failed"]
    assert len(report["tuned"]) == len(report["plain"])
    for a, b in zip(report["tuned"], report["plain"], strict=True):
        assert math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6), (a, b)
    assert report["left"] == 0


async def second_start() -> dict[str, Any]:
    """Train twice, as two processes that share a store do."""
    current().own(TunerRegistry).store = MemoryStore()
    counted = []
    trials = tg.current_session().device.trials
    assert trials is not None
    swapped: list[int] = []
    replace = trials.replace
    trials.replace = lambda *args: (swapped.append(1), replace(*args))[1]  # type: ignore[method-assign,assign]
    try:
        for _ in range(2):
            current().own(ProgramCache).clear()
            current().own(TunerRegistry).forget_winners()
            tg.tuning("background", budget_s=60)
            before = trials.counters.snapshot()
            losses = await train(30, until_tuned=True)
            after = trials.counters.snapshot()
            counted.append({name: after[name] - before[name] for name in after} | {"swapped": len(swapped)})
    finally:
        del trials.replace
    return {"first": counted[0], "second": counted[1], "loss": losses[-1]}


def check_second_start(report: dict[str, Any]) -> None:
    assert report["first"]["dispatches"] > 0
    assert report["second"] == dict.fromkeys(report["second"], 0) | {"swapped": report["first"]["swapped"]}
    assert math.isfinite(report["loss"])


async def refused(asked: Awaitable[Any]) -> str:
    """What the device says of something that it cannot do."""
    message = ""
    try:
        await asked
    except DeviceError as error:
        message = str(error)
    return message


async def unusable_kernels() -> None:
    """What the device objects to is raised to the asker, and no later step hears of it."""
    device = tg.current_session().device
    trials = device.trials
    assert trials is not None
    good = (
        "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] = 2.0; }"
    )

    def kernel(source: str, groups: tuple[int, int, int] = (1, 1, 1)) -> KernelSource:
        return KernelSource(
            label="trial", source=source, accesses=("read_write",), uses_scalars=False, workgroups=groups
        )

    assert "trial" in await refused(trials.compile(kernel("nonsense")))
    compiled = await trials.compile(kernel(good, (1 << 20, 1, 1)))
    bench = trials.open_bench([256], ["read_write"], None)
    assert await refused(bench.run(compiled, 1))
    fine = await trials.compile(kernel(good))
    bench.write(0, 0, np.zeros(64, np.float32))
    assert await bench.run(fine, 3) >= 0
    (raw,) = await bench.read([(0, 0, 256)])
    assert (raw.view(np.float32) == 2.0).all()
    bench.close()
    x = tg.tensor(np.ones(3, np.float32)) * 2.0
    assert (await x.read()).tolist() == [2.0, 2.0, 2.0]
    await device.fence()
