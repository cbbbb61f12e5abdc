"""What only the native device does: waiting in the driver, timing, and what it says when something is refused."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tabgrad
from device import program_cases as cases
from device import program_checks as checks
from sessions import opened, session_on
from tabgrad.devices.base import Device
from tabgrad.errors import DeviceError, DeviceLostError
from tabgrad.program import Program

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def native() -> Device:
    if importlib.util.find_spec("wgpu") is None:
        pytest.skip("needs the package wgpu (pip install wgpu)")
    try:
        return opened("native")
    except DeviceError as error:
        pytest.skip(str(error))


def test_read_now_equals_read(native: Device) -> None:
    data = np.arange(64, dtype=np.float32)
    (held,) = cases.upload(native, (data,))
    (now,) = native.read_now([(held, 8, 16)])
    np.testing.assert_array_equal(now.view(np.float32), data[2:6])
    native.free(held)


def test_info_names_the_adapter_and_its_limits(native: Device) -> None:
    assert native.info.name
    assert native.info.kind in ("gpu", "software")
    assert native.limits.max_storage_buffers >= 8
    assert native.limits.max_binding_bytes >= 128 << 20
    assert native.limits.max_invocations >= 256


def test_timed_run_reports_gpu_time(native: Device) -> None:
    if "timestamp-query" not in native.info.features:
        pytest.skip("needs an adapter with timestamp-query")
    case = cases.PROGRAM_CASES[0]
    buffers = cases.upload(native, case.before)
    bound = native.bind(native.load(case.program), buffers)
    assert native.clock is not None
    native.clock.gpu_ms = None
    native.clock.run(bound, case.scalars)
    asyncio.run(native.fence())
    assert native.gpu_ms is not None
    assert 0 <= native.gpu_ms < 10_000


SLOW = """
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var v = x[id.x];
  for (var k = 0u; k < 30000u; k++) { v = v * 0.999 + 0.5; }
  x[id.x] = v;
}
"""


def _slow_program() -> Program:
    count = 64 * 256
    return Program(
        buffers=(cases.buffer("x", "state", count),),
        shaders=(SLOW,),
        dispatches=(cases.dispatch("slow", 0, (cases.binding(0, "read_write", count),), (), workgroups=(256, 1, 1)),),
        scalars=(),
    )


def test_waiting_read_lets_other_tasks_run_and_does_not_spin(native: Device) -> None:
    (held,) = cases.upload(native, (np.zeros(64 * 256, np.float32),))
    bound = native.bind(native.load(_slow_program()), [held])
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    async def main() -> tuple[float, float]:
        native.run(bound, cases.NO_SCALARS)
        reading = asyncio.create_task(native.read([(held, 0, 4)]))
        await asyncio.sleep(0)  # until the copy is submitted: some drivers hold a second submit back
        other = asyncio.create_task(tick())
        started, used = time.perf_counter(), time.thread_time()
        await reading
        other.cancel()
        return time.perf_counter() - started, time.thread_time() - used

    elapsed, used = asyncio.run(main())
    assert used < 0.02 + 0.5 * elapsed  # this thread slept; a spinning one would have used it all
    if elapsed < 0.05:
        pytest.skip(f"needs an adapter that is slow and queues submits, not {native.info.name}")
    assert ticks >= 5


def test_cancelled_read_leaves_the_device_usable(native: Device) -> None:
    (held,) = cases.upload(native, (np.zeros(64 * 256, np.float32),))
    bound = native.bind(native.load(_slow_program()), [held])

    async def main() -> None:
        native.run(bound, cases.NO_SCALARS)
        task = asyncio.create_task(native.read([(held, 0, 4)]))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await checks.check_batched_read(native)

    asyncio.run(main())


def test_load_async_reports_progress_and_compiles_off_the_loop(native: Device) -> None:
    source = "\n// another source, so that nothing is cached"
    case = cases.PROGRAM_CASES[2]
    program = Program(
        buffers=case.program.buffers,
        shaders=tuple(s + source for s in case.program.shaders),
        dispatches=case.program.dispatches,
        scalars=(),
    )
    seen: list[tuple[int, int]] = []
    before = native.counters.pipelines_created
    asyncio.run(native.load_async(program, lambda done, total: seen.append((done, total))))
    assert seen == [(0, 2), (1, 2), (2, 2)]
    assert native.counters.pipelines_created - before == 2
    native.load(program)
    assert native.counters.pipelines_created - before == 2


def _broken(shader: str) -> Program:
    return Program(
        buffers=(cases.buffer("out", "output"),),
        shaders=(shader,),
        dispatches=(cases.dispatch("broken_kernel", 0, (cases.binding(0, "read_write"),), ()),),
        scalars=(),
    )


@pytest.mark.parametrize(
    ("shader", "message"),
    [
        (cases.wgsl(["read_write f32"], "b0[i] = undefined_name;"), "(?s)kernel 'broken_kernel'.*undefined_name"),
        (cases.wgsl(["read f32"], "let x = b0[i];"), "kernel 'broken_kernel'"),  # access other than bound
        ("fn other() {}", "kernel 'broken_kernel'"),  # no entry point
    ],
)
def test_kernel_that_does_not_compile_is_named(native: Device, shader: str, message: str) -> None:
    with pytest.raises(DeviceError, match=message):
        native.load(_broken(shader))
    with pytest.raises(DeviceError, match=message):
        asyncio.run(native.load_async(_broken(shader)))
    asyncio.run(cases.check_case(native, cases.PROGRAM_CASES[0]))


def test_misuse_says_what_was_expected(native: Device) -> None:
    case = cases.PROGRAM_CASES[0]
    buffers = cases.upload(native, case.before)
    executable = native.load(case.program)
    with pytest.raises(DeviceError, match="bind: expected 3 buffers, got 1"):
        native.bind(executable, buffers[:1])
    small = native.allocate(4)
    with pytest.raises(DeviceError, match=r"bind: expected at least 4012 bytes for 'out', got 256"):
        native.bind(executable, [*buffers[:2], small])
    with pytest.raises(DeviceError, match="run: expected 2 scalars of 4 bytes, got 0"):
        native.run(native.bind(executable, buffers), cases.NO_SCALARS)
    with pytest.raises(DeviceError, match="write: expected whole words"):
        native.write(small, np.zeros(3, np.uint8))
    with pytest.raises(DeviceError, match="read: expected a range inside 256 bytes, got 8 bytes at 252"):
        native.read_now([(small, 252, 8)])
    with pytest.raises(DeviceError, match="expected a buffer of at most"):
        native.allocate(1 << 50)


def test_conflicting_bindings_are_refused(native: Device) -> None:
    program = Program(
        buffers=(cases.buffer("x", "state"),),
        shaders=(cases.wgsl(["read f32", "read_write f32"], "b1[i] = b0[i];"),),
        dispatches=(cases.dispatch("alias", 0, (cases.binding(0), cases.binding(0, "read_write")), ()),),
        scalars=(),
    )
    held = native.allocate(4 * cases.N)
    with pytest.raises(DeviceError, match="refused a program"):
        native.run(native.bind(native.load(program), [held]), cases.NO_SCALARS)
    asyncio.run(cases.check_case(native, cases.PROGRAM_CASES[0]))


def test_dropped_programs_give_their_memory_back(native: Device) -> None:
    case = cases.PROGRAM_CASES[2]
    asyncio.run(cases.check_case(native, case))
    held = native.counters.bytes_allocated
    for _ in range(5):
        asyncio.run(cases.check_case(native, case))
    assert native.counters.bytes_allocated == held


def test_lost_device_says_so(native: Device, caplog: pytest.LogCaptureFixture) -> None:
    from tabgrad.devices.native import NativeDevice

    device = NativeDevice()
    case = cases.PROGRAM_CASES[0]
    buffers = cases.upload(device, case.before)
    bound = device.bind(device.load(case.program), buffers)
    with caplog.at_level(logging.CRITICAL, logger="wgpu"):
        device._gpu.destroy()
    with pytest.raises(DeviceLostError, match="got a lost one"):
        device.run(bound, case.scalars)
    with pytest.raises(DeviceLostError):
        device.allocate(1 << 20)
    with pytest.raises(DeviceLostError):
        device.read_now([(buffers[0], 0, 4)])


@pytest.mark.parametrize("moment", ["step", "read", "data", "between"])
def test_device_lost_during_a_fit_says_so(
    native: Device, moment: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import tabgrad as tg
    from tabgrad import nn, optim
    from tabgrad.data import DataLoader, TensorDataset
    from tabgrad.devices.native import NativeDevice
    from tabgrad.metrics import Collector
    from tabgrad.train import Trainer, control

    device = NativeDevice()

    class Losing(Collector):
        seen = 0

        def on_measure(self, kind: str, start_ms: float, end_ms: float) -> None:
            self.seen += kind == moment
            if self.seen == 2:
                device._gpu.destroy()

    async def fit() -> None:
        tg.manual_seed(0)
        x = np.zeros((64, 3), np.float32)
        model = nn.Linear(3, 1)
        trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1), collectors=[Losing()])
        if moment == "between":
            asyncio.get_running_loop().call_later(0.3, device._gpu.destroy)
        await trainer.fit(DataLoader(TensorDataset(x, x[:, :1]), batch_size=4), epochs=100_000)

    with (
        session_on(device),
        caplog.at_level(logging.CRITICAL, logger="wgpu"),
        pytest.raises(DeviceLostError, match="what it held is gone, so run the script again in a new process"),
    ):
        asyncio.run(fit())
    assert not control.listening()


def test_buffers_of_collected_garbage_can_be_used_again(native: Device) -> None:
    """The collector finalizes a cycle's tensors and their buffers' handles in any order."""
    from tabgrad.graph.storage import Storage

    storage = Storage(256, np.zeros(64, np.float32))
    buffer = storage.on(native)
    number = buffer.id
    cycle: list[Any] = [storage, buffer]
    cycle.append(cycle)
    del storage, buffer, cycle
    gc.collect()
    (again,) = [b for b in native._pool[256] if b.id == number]
    handle: Any = again.handle
    assert handle._internal is not None
    native.write(again, np.ones(64, np.float32))
    assert native.read_now([(again, 0, 4)])[0].view(np.float32)[0] == 1


def test_drivers_do_not_complain_of_a_missing_folder(native: Device) -> None:
    """In a process of its own, as a driver is loaded once."""
    code = "import os, tabgrad; tabgrad.set_default_device('native'); print(os.environ.get('XDG_RUNTIME_DIR'))"
    package = Path(tabgrad.__file__).resolve().parents[1]
    env = {**os.environ, "PYTHONPATH": str(package)}
    env.pop("XDG_RUNTIME_DIR", None)
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("None\n", "")


def test_adapter_variable_names_what_there_is(native: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    from tabgrad.devices.native import NativeDevice

    monkeypatch.setenv("TABGRAD_ADAPTER", "no such adapter")
    with pytest.raises(DeviceError, match="TABGRAD_ADAPTER='no such adapter'.*" + native.info.name.split()[0]):
        NativeDevice()
    monkeypatch.setenv("TABGRAD_ADAPTER", native.info.name[:4].upper())
    assert NativeDevice().info.name


def test_no_adapter_says_what_to_install(native: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    import wgpu

    from tabgrad.devices.native import NativeDevice

    monkeypatch.setattr(wgpu.gpu, "enumerate_adapters_sync", list)
    with pytest.raises(DeviceError, match=r"found none.*mesa-vulkan-drivers"):
        NativeDevice()


def _several(*bodies: str) -> Program:
    """A kernel for each body, all over one buffer."""
    return Program(
        buffers=(cases.buffer("out", "output"),),
        shaders=tuple(cases.wgsl(["read_write f32"], body) for body in bodies),
        dispatches=tuple(
            cases.dispatch(f"kernel_{n}", n, (cases.binding(0, "read_write"),), ()) for n in range(len(bodies))
        ),
        scalars=(),
    )


def test_load_compiles_distinct_kernels_once_each_side_by_side(native: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    from tabgrad.devices.native_kernels import KernelCache

    both = threading.Barrier(2, timeout=10)  # broken, and raising, if one compilation waits for the other
    compile_one = KernelCache._compile
    labels = []

    def compiled(cache: KernelCache, source: str, layout: Any, label: str) -> Any:
        labels.append(label)
        both.wait()
        return compile_one(cache, source, layout, label)

    monkeypatch.setattr(KernelCache, "_compile", compiled)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    before = native.counters.pipelines_created
    program = _several("b0[i] = 71.0;", "b0[i] = 72.0;", "b0[i] = 71.0;")
    native.load(program)
    native.load(program)
    assert sorted(labels) == ["kernel_0", "kernel_1"]
    assert native.counters.pipelines_created - before == 2


def test_kernel_that_does_not_compile_is_named_among_many(native: Device) -> None:
    fine = [f"b0[i] = {n}.5;" for n in range(8)]
    program = _several(*fine[:5], "b0[i] = undefined_name;", *fine[5:])
    for _ in range(3):
        with pytest.raises(DeviceError, match=r"(?s)kernel 'kernel_5'.*undefined_name"):
            native.load(program)
    native.load(_several(*fine))


def test_no_thread_is_left_after_the_device(native: Device) -> None:
    from tabgrad.devices.native import NativeDevice

    before = threading.active_count()
    device = NativeDevice()
    asyncio.run(cases.check_case(device, cases.PROGRAM_CASES[0]))
    device.close()
    del device
    assert threading.active_count() <= before + 1  # asyncio's executor may keep an idle thread
