"""A device of one's own: all that it takes is the interface, here over NumPy's device, and one entry of the table."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import Sequence
from types import MappingProxyType
from typing import get_args

import numpy as np
import pytest

import tabgrad as tg
from tabgrad import devices, nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.devices.base import AdapterInfo, BoundProgram, Buffer, Device, Executable, Limits, Ranges, Raw, Writes
from tabgrad.devices.reference import ReferenceDevice
from tabgrad.program import Program
from tabgrad.session import Session
from tabgrad.train import Trainer


class Counting(Device):
    """Complete: what a device must have, and nothing more. It keeps no time, swaps no kernels and cannot wait."""

    name = "counting"
    info = AdapterInfo(name="counts calls", vendor="test", backend="numpy", kind="numpy")
    limits = Limits()

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()
        self._inner = ReferenceDevice()

    def _create_buffer(self, size_bytes: int) -> object:
        self.calls["create"] += 1
        return self._inner.allocate(size_bytes)

    def _destroy_buffer(self, handle: object) -> None:
        assert isinstance(handle, Buffer)
        self._inner.free(handle)

    def write(self, buffer: Buffer, data: Raw, offset: int = 0) -> None:
        self.calls["write"] += 1
        self._inner.write(_held(buffer), data.reshape(-1).view(np.uint8), offset)

    def load(self, program: Program, *, may_suspend: bool = False) -> Executable:
        self.calls["load"] += 1
        sent = Program.from_json(program.to_json())  # as if it ran on another machine
        return Executable(program, self._inner.load(sent))

    def bind(self, executable: Executable, buffers: Sequence[Buffer]) -> BoundProgram:
        self.calls["bind"] += 1
        inner = executable.handle
        assert isinstance(inner, Executable)
        return BoundProgram(executable, tuple(buffers), self._inner.bind(inner, [_held(b) for b in buffers]))

    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        self.calls["run"] += 1
        inner = bound.handle
        assert isinstance(inner, BoundProgram)
        self._inner.run(inner, scalars, [(_held(b), data) for b, data in writes])

    async def read(self, ranges: Ranges) -> list[Raw]:
        self.calls["read"] += 1
        return await self._inner.read([(_held(b), start, size) for b, start, size in ranges])

    async def fence(self) -> None:
        self.calls["fence"] += 1


def _held(buffer: Buffer) -> Buffer:
    assert isinstance(buffer.handle, Buffer)
    return buffer.handle


def small_run() -> tuple[Trainer, DataLoader]:
    tg.manual_seed(0)
    x = np.random.default_rng(0).standard_normal((32, 3)).astype(np.float32)
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Dropout(0.1), nn.Linear(8, 1))
    trainer = Trainer(model, nn.MSELoss(), optim.Adam(model.parameters(), lr=0.01), collectors=[])
    return trainer, DataLoader(TensorDataset(x, x[:, :1] * 2), batch_size=8)


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table with one entry more."""
    added = devices.Backend(module=__name__, device="Counting", platform="host")
    table = MappingProxyType({**devices.BACKENDS, "counting": added})
    monkeypatch.setattr(devices, "BACKENDS", table)


async def _losses(session: Session) -> list[float]:
    with session:
        trainer, loader = small_run()
        history = await trainer.fit(loader, epochs=3)
        return [point["loss"] for point in history["train"]]


def test_a_device_of_ones_own_trains_a_model(entered: None) -> None:
    device = devices.open_device("counting")
    assert isinstance(device, Counting)
    losses = asyncio.run(_losses(Session(device)))
    assert losses == asyncio.run(_losses(Session("reference")))
    assert losses[-1] < losses[0]
    assert set(device.calls) == {"create", "write", "load", "bind", "run", "read", "fence"}


def test_a_step_is_one_call(entered: None) -> None:
    device = Counting()
    with Session(device):
        layer = nn.Linear(4, 2)
        optimizer = optim.Adam(layer.parameters())

        @tg.compile
        def step(x: tg.Tensor) -> tg.Tensor:
            optimizer.zero_grad()
            loss = (layer(x) ** 2).mean()
            loss.backward()
            optimizer.step()
            return loss

        inputs = [tg.tensor(np.full((3, 4), n, np.float32)) for n in range(8)]
        for x in inputs[:3]:
            step(x)
        device.calls.clear()
        for x in inputs[3:]:
            step(x)
        assert device.calls == {"run": 5}


def test_tables_of_devices_agree() -> None:
    assert get_args(devices.DeviceKind) == devices.KINDS == ("auto", *devices.BACKENDS)
    assert devices.automatic() == ["native", "reference"]


def test_the_interface_is_small() -> None:
    """What every device has, in public; whatever tunes or times is an object of its own."""
    methods = {name for name, _ in inspect.getmembers(Device, inspect.isfunction) if not name.startswith("_")}
    assert methods == {
        "allocate", "bind", "breathe", "close", "fence", "free", "load", "load_async", "read", "read_now", "run",
        "suspends", "trim", "write",
    }  # fmt: skip
    assert Device.__abstractmethods__ == {
        "_create_buffer", "_destroy_buffer", "bind", "fence", "load", "read", "run", "write"
    }  # fmt: skip
