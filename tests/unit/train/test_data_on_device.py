"""Data that lies on the device during a run: the same batches as from the host, and nothing that changes unseen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from sessions import session_on
from tabgrad import nn, optim
from tabgrad.data import DataLoader, Dataset, Sampler, Subset, TensorDataset, random_split
from tabgrad.data.images import ImageDataset
from tabgrad.devices.reference import ReferenceDevice
from tabgrad.train import Trainer
from tabgrad.train.data_on_device import DeviceBatches, batches_of
from unit.train.harness import logged

Data = Callable[[], Dataset]


class Floats(nn.Module):
    def forward(self, x: tg.Tensor) -> tg.Tensor:
        return x.float()


def fitted(data: Data, epochs: int = 3, inputs: int = 6, **options: Any) -> tuple[list[float], list[Any], bool]:
    """Losses, parameters, and whether the data lay on the device."""
    tg.manual_seed(3)
    model = nn.Sequential(Floats(), nn.Flatten(), nn.Linear(inputs, 8), nn.Dropout(0.2), nn.Tanh(), nn.Linear(8, 4))
    trainer = Trainer(model, nn.CrossEntropyLoss(), optim.Adam(model.parameters(), lr=0.01), collectors=[])
    loader = DataLoader(data(), **{"batch_size": 4, "shuffle": True, **options})
    history = asyncio.run(trainer.fit(loader, epochs=epochs))
    resident = isinstance(batches_of(loader, trainer.steps), DeviceBatches)
    return [p["loss"] for p in history["train"]], [p.tolist() for p in model.parameters()], resident


def made(kind: str, count: int = 23) -> Dataset:
    random = np.random.default_rng(5)
    labels = random.integers(0, 4, count)
    if kind == "images":
        return ImageDataset(random.integers(0, 256, (count, 2, 3)).astype(np.uint8), labels)
    dtype = {"float32": np.float32, "float16": np.float16, "uint8": np.uint8, "bool": np.bool_, "int32": np.int32}[kind]
    numbers = random.standard_normal((count, 6)) if "float" in kind else random.integers(0, 2, (count, 6))
    return TensorDataset(numbers.astype(dtype), labels)


class Weighted(Sampler):
    """Draws of its own, some of which count from the end."""

    def __init__(self, data: Dataset, counts: list[int]) -> None:
        self.data, self.counts = data, counts
        self.random = np.random.default_rng(1)

    def __len__(self) -> int:
        return self.counts[0]

    def __iter__(self) -> Any:
        n = len(self.data)
        return iter(self.random.integers(-n, n, self.counts[0]).tolist())

    def next_order(self) -> np.ndarray:
        count = self.counts.pop(0) if len(self.counts) > 1 else self.counts[0]
        return self.random.integers(-len(self.data), len(self.data), count)


@pytest.mark.parametrize("kind", ["float32", "float16", "uint8", "bool", "int32", "images"])
@pytest.mark.parametrize("part", ["all", "split"])
def test_losses_are_those_of_data_on_the_host_bit_for_bit(
    kind: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def data() -> Dataset:
        whole = made(kind)
        return whole if part == "all" else random_split(Subset(whole, np.arange(22)[::-1]), [0.7, 0.3])[0]

    losses, parameters, on_device = fitted(data)
    monkeypatch.setattr("tabgrad.train.data_on_device.MOST_BYTES", 0)
    from_host, same, left = fitted(data)
    assert (on_device, left) == (True, False)
    assert losses == from_host and parameters == same
    assert len(set(losses)) == len(losses) > 9


@pytest.mark.parametrize("counts", [[17], [17, 9, 17, 17], [9, 17, 30, 17]], ids=str)
def test_a_sampler_of_ones_own_decides(counts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> tuple[list[float], list[Any], bool]:
        data = made("float32")
        return fitted(lambda: data, shuffle=False, sampler=Weighted(data, list(counts)), epochs=4)

    ours = run()
    monkeypatch.setattr("tabgrad.train.data_on_device.MOST_BYTES", 0)
    assert ours[:2] == run()[:2]


def test_a_loader_continues_in_the_middle_of_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> list[float]:
        tg.manual_seed(0)
        loader = DataLoader(made("float32"), batch_size=4, shuffle=True)
        first = loader.numpy_batches()
        next(first), next(first)
        other = DataLoader(made("float32"), batch_size=4, shuffle=True)
        other.load_state_dict(loader.state_dict())
        model = nn.Linear(6, 4)
        trainer = Trainer(model, nn.CrossEntropyLoss(), optim.SGD(model.parameters(), lr=0.1), collectors=[])
        return [p["loss"] for p in asyncio.run(trainer.fit(other, epochs=2))["train"]]

    ours = run()
    monkeypatch.setattr("tabgrad.train.data_on_device.MOST_BYTES", 0)
    assert ours == run()
    assert len(ours) == 4 + 6


def test_a_wrong_index_raises_at_its_batch() -> None:
    data = made("float32")
    with logged() as log, pytest.raises(IndexError, match="index 23 is out of bounds"):
        fitted(lambda: data, shuffle=False, sampler=[0, 1, 2, 3, 4, 23], drop_last=False)
    assert log.states()[-1] == "failed"


def test_data_that_is_made_for_each_batch_stays_on_the_host() -> None:
    class Noisy(TensorDataset):
        def gather(self, indices: np.ndarray) -> tuple[np.ndarray, ...]:
            asked.append(len(indices))
            return super().gather(indices)

    asked: list[int] = []
    x, y = made("float32").arrays  # type: ignore[attr-defined]
    _, _, on_device = fitted(lambda: Noisy(x, y), epochs=2)
    assert not on_device
    assert sum(asked) >= 2 * 23


def test_a_step_uploads_nothing_but_its_place_in_the_order() -> None:
    device = ReferenceDevice()
    with session_on(device):
        tg.manual_seed(0)
        model = nn.Linear(6, 4)
        trainer = Trainer(model, nn.CrossEntropyLoss(), optim.SGD(model.parameters(), lr=0.1), collectors=[])
        loader = DataLoader(made("float32", 40), batch_size=4, shuffle=True)
        uploads = []
        for epochs in (2, 12):
            before = device.counters.bytes_uploaded
            asyncio.run(trainer.fit(loader, epochs=epochs))
            uploads.append(device.counters.bytes_uploaded - before)
        order = 4 * 40  # of each epoch; scalars are no uploads on this device
        assert uploads[1] - uploads[0] <= 10 * order + 256


def test_arrays_are_read_only_until_the_run_ends() -> None:
    own = np.random.default_rng(0).standard_normal((30, 6)).astype(np.float32)
    labels = np.zeros(20, np.int32)
    data = TensorDataset(own[5:25], labels)
    assert data.arrays[0].base is own
    seen = []

    def look(event: dict[str, Any]) -> None:
        if event["type"] == "metrics":
            for array in (own, *data.arrays):
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 1
                seen.append(1)

    with logged() as log:
        log.on("metrics", look)
        fitted(lambda: data, epochs=1)
    assert seen
    own[7] = 1
    data.arrays[1][0] = 1


def test_arrays_that_are_parts_of_one_are_given_back() -> None:
    own = np.zeros((2, 6, 4), np.float32)
    model = nn.Linear(4, 4)
    trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1), collectors=[])
    data = TensorDataset(own[0], own[1])
    asyncio.run(trainer.fit(DataLoader(data, batch_size=3), epochs=1))
    for array in (own, *data.arrays):
        array[:] = 1


def test_arrays_can_be_written_to_after_a_failure() -> None:
    x, y = made("float32").arrays  # type: ignore[attr-defined]
    x[3, 2] = np.nan
    with pytest.raises(tg.NotFiniteError, match="the input batch"):
        fitted(lambda: TensorDataset(x, y))
    x[3, 2] = 0
