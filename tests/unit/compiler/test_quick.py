"""A program's first steps run on kernels that compile fast; those that run fast replace them between steps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from device.patched import patched
from sessions import gpu, session_on
from steps import step_of
from tabgrad import nn, optim
from tabgrad.compiler.compile import Compiled
from tabgrad.compiler.families import gemm
from tabgrad.devices.base import Executable
from tabgrad.nn import functional as F
from tabgrad.runtime import ProgramCache
from tabgrad.runtime.quick_start import PATIENCE
from tabgrad.session import Session, current
from tabgrad.tracing.tracer import Tracer
from tabgrad.tuner import TunerRegistry, current_tuner
from unit.compiler.scripted_device import ScriptedDevice

BATCH = np.random.default_rng(0).standard_normal((8, 2, 12, 12)).astype(np.float32)
LABELS = np.arange(8) % 3


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabgrad.tuner.turns.SHARE", 1.0)
    monkeypatch.setattr("tabgrad.tuner.turns.HOLD_S", 0.0)


@pytest.fixture(params=["register", "tile"])
def products(request: pytest.FixtureRequest) -> Iterator[None]:
    """Which quick kernels products get: those of short ones, or of long ones."""
    with patched((gemm, "LONG_PRODUCT", 1 if request.param == "tile" else gemm.LONG_PRODUCT)):
        yield


def training() -> Callable[[tg.Tensor, tg.Tensor], tg.Tensor]:
    """A compiled step with convolutions and products that tiles in workgroup memory suit."""
    tg.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(2, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(1600, 32), nn.Tanh(), nn.Linear(32, 3)
    )
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    return tg.compile(step_of(optimizer, lambda x, y: F.cross_entropy(model(x), y)))


def batch() -> tuple[tg.Tensor, tg.Tensor]:
    return tg.tensor(BATCH), tg.tensor(LABELS)


def program_of(step: Any) -> tuple[Compiled, Executable]:
    cached = step.record(*batch()).cached
    return cached.compiled, cached.executable


def tiled(sources: Any) -> int:
    return sum("// gemm/tiled" in source for source in sources)


async def until_idle(step: Callable[..., tg.Tensor], steps: int = 400) -> list[float]:
    """Losses, of as many steps as it takes until nothing is left to do in the background."""
    losses = []
    for _ in range(steps):
        losses.append(float(await step(*batch()).read()))
        await asyncio.sleep(0)
        if len(losses) > 3 and not current_tuner()._has_work():
            break
    await current_tuner().stop()
    return losses


@pytest.mark.native
def test_fast_kernels_replace_quick_ones_while_training_goes_on(products: None) -> None:
    async def run() -> tuple[list[float], Compiled, Executable]:
        tg.tuning(budget_s=0)  # nothing is measured
        step = training()
        losses = await until_idle(step)
        return losses, *program_of(step)

    with session_on("reference"):
        plain = asyncio.run(until_idle(training()))
    with session_on("native", gpu, tuning="background"):
        losses, compiled, executable = asyncio.run(run())
    assert compiled.quick
    heavy = [n for n, d in enumerate(compiled.program.dispatches) if "matmul" in d.label or "conv2d" in d.label]
    assert len(heavy) >= 6
    assert set(executable.replaced) == set(heavy)
    assert tiled(kernel.source for kernel in executable.replaced.values()) == len(
        [n for n in heavy if "gemm/tiled" in compiled.works[n].render().source]
    )
    for n, kernel in executable.replaced.items():
        assert kernel.source == compiled.works[n].render().source
    np.testing.assert_allclose(losses[:4], plain[:4], rtol=1e-4)


@pytest.mark.native
@pytest.mark.parametrize("width", [8, 160])  # of attention: with the tiles of narrow and of wide rows
def test_quick_kernels_give_the_same_values(products: None, width: int) -> None:
    """Nothing is swapped in here, as no step runs often enough."""

    def values() -> list[np.ndarray]:
        tg.manual_seed(1)
        a, b = (tg.randn(3, 40, 50, requires_grad=True), tg.randn(3, 50, 33, requires_grad=True))
        x, w = tg.randn(2, 4, 9, 9, requires_grad=True), tg.randn(6, 4, 3, 3, requires_grad=True)
        q, k, v = (tg.randn(2, 3, 37, width, requires_grad=True) for _ in range(3))
        loss = (a @ b).tanh().sum() + F.conv2d(x, w, stride=2, padding=1).sigmoid().sum()
        loss = loss + F.scaled_dot_product_attention(q, k, v, is_causal=True).sin().sum()
        loss.backward()
        return [loss.detach().numpy(), *(t.grad.numpy() for t in (a, b, x, w, q, k, v))]

    async def quick() -> list[np.ndarray]:
        found = values()
        programs = [p for known in current().own(ProgramCache)._known.values() for p in known.values()]
        sources = [source for p in programs if p.compiled.quick for source in p.compiled.program.shaders]
        assert sum("unknown_zero() ->" in source for source in sources) >= 8
        return found

    with session_on("reference"):
        expected = values()
    with session_on("native", gpu, tuning="background"):
        for value, want in zip(asyncio.run(quick()), expected, strict=True):
            np.testing.assert_allclose(value, want, rtol=2e-4, atol=1e-5)


def compiled_with(mode: str, *, looped: bool) -> Compiled:
    async def in_a_loop() -> Compiled:
        return once()

    def once() -> Compiled:
        step = training()
        step(*batch())
        return program_of(step)[0]

    with session_on(ScriptedDevice(), gpu, tuning=mode):
        return asyncio.run(in_a_loop()) if looped else once()


def test_only_background_tuning_begins_quickly() -> None:
    quick, final = compiled_with("background", looped=True), compiled_with("off", looped=True)
    assert quick.quick
    assert not final.quick
    assert tiled(final.program.shaders) > tiled(quick.program.shaders) == 0
    assert not compiled_with("before", looped=True).quick


def test_without_an_event_loop_programs_begin_with_what_runs_fast() -> None:
    assert not compiled_with("background", looped=False).quick


def test_switching_tuning_off_compiles_again_what_is_looked_up_again(products: None) -> None:
    async def run() -> None:
        x = tg.randn(32, 32).realize()
        cache = current().own(ProgramCache)
        current().own(Tracer).enabled = False  # which would not look it up
        (x @ x).realize()
        assert [p.compiled.quick for known in cache._known.values() for p in known.values()].count(True) == 1
        tg.tuning("off")
        (x @ x).realize()
        assert not any(p.compiled.quick for known in cache._known.values() for p in known.values())

    with session_on(ScriptedDevice(), gpu, tuning="background"):
        asyncio.run(run())


def test_switching_tuning_off_brings_fast_kernels_into_what_runs() -> None:
    async def run() -> Executable:
        step = training()
        step(*batch())
        tg.tuning("off")
        await until_idle(step)
        compiled, executable = program_of(step)
        assert compiled.quick
        return executable

    with session_on(ScriptedDevice({8: 1.0, 64: 1.0, 128: 0.1, 256: 1.0}), gpu, tuning="background") as session:
        assert len(asyncio.run(run()).replaced) >= 6
        assert isinstance(session.device, ScriptedDevice)
        assert not [line for line in session.device.log if line.startswith("launch")]


@pytest.fixture
def session() -> Iterator[Session]:
    with session_on(ScriptedDevice({8: 1.0, 64: 1.0, 128: 1.0, 256: 1.0}), gpu, tuning="background") as session:
        tg.tuning(budget_s=0)
        yield session


def test_no_more_than_two_kernels_compile_at_once(session: Session) -> None:
    device = session.device
    assert isinstance(device, ScriptedDevice)
    device.compile_s = 0.002
    asyncio.run(until_idle(training()))
    assert device.most_compiling == 2
    assert len([line for line in device.log if line.startswith("swap")]) >= 6
    assert not [line for line in device.log if line.startswith("launch")]  # nothing is measured


def test_a_fast_kernel_that_does_not_compile_is_told_of_and_left_out(session: Session) -> None:
    events: list[dict[str, Any]] = []

    def listen(event: dict[str, Any]) -> bool:
        events.append(event)
        return True

    session.own(TunerRegistry).listener = listen
    assert isinstance(session.device, ScriptedDevice)
    session.device.ms = {256: 1.0}
    losses = asyncio.run(until_idle(training()))
    assert losses[-1] < losses[0]
    assert events
    assert {e["phase"] for e in events} == {"rejected"}
    assert "does not compile" in events[0]["text"]


def test_a_program_that_is_gone_is_left_out(session: Session) -> None:
    async def run() -> None:
        step = training()
        for _ in range(4):
            step(*batch())
        del step
        current().own(ProgramCache).clear()
        await until_idle(lambda *_: tg.zeros(()))

    asyncio.run(run())
    assert isinstance(session.device, ScriptedDevice)
    assert not [line for line in session.device.log if line.startswith("swap")]


@pytest.mark.native
def test_a_loop_that_never_waits_goes_on_with_fast_kernels_too() -> None:
    async def run() -> tuple[list[float], Compiled, Executable]:
        step = training()
        losses = [step(*batch()).item() for _ in range(4 + 2 * PATIENCE)]  # nothing else gets to run
        return losses, *program_of(step)

    with session_on("reference"):
        plain, *_ = asyncio.run(run())
    with session_on("native", gpu, tuning="background"):
        losses, compiled, executable = asyncio.run(run())
    assert compiled.quick
    assert set(executable.replaced) == {n for n, work in enumerate(compiled.works) if work.quick is not None}
    np.testing.assert_allclose(losses, plain, rtol=2e-3)


@pytest.mark.parametrize("waits", [False, True])
def test_a_loop_that_waits_is_never_held_up(session: Session, waits: bool) -> None:
    async def run() -> None:
        step = training()
        for _ in range(4 + 6 * PATIENCE):
            step(*batch())
            if waits:
                await asyncio.sleep(0)
        await current_tuner().stop()

    asyncio.run(run())
    assert isinstance(session.device, ScriptedDevice)
    log = session.device.log
    assert any(line.endswith("now") for line in log) is not waits
    assert any(line.startswith("swap") for line in log)


def test_runs_are_not_counted_any_more_once_all_kernels_are_fast(session: Session) -> None:
    async def run() -> None:
        step = training()
        await until_idle(step)
        cached: Any = step.record(*batch()).cached  # type: ignore[attr-defined]
        for _ in range(2 * PATIENCE):
            step(*batch())
            await asyncio.sleep(0)
        assert cached._quick is None

    asyncio.run(run())
    assert isinstance(session.device, ScriptedDevice)
    assert not [line for line in session.device.log if line.endswith("now")]


def test_a_fast_kernel_that_does_not_compile_at_once_is_left_out(session: Session) -> None:
    async def run() -> Executable:
        step = training()
        for _ in range(4 + 6 * PATIENCE):
            step(*batch())
        return program_of(step)[1]

    assert isinstance(session.device, ScriptedDevice)
    session.device.ms = {256: 1.0}
    executable = asyncio.run(run())
    assert [line for line in session.device.log if line.endswith("now")]
    assert len([line for line in session.device.log if line.startswith("swap")]) == len(executable.replaced) < 6
