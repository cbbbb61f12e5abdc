"""Batches that processes prepare: the same in number, content and order as those of the training process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
import worker_cases
from daily import of_today
from tabgrad import nn, optim
from tabgrad.data import DataLoader
from tabgrad.errors import TabgradError
from tabgrad.session import Session


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[None]:
    """One session, whose idle processes serve the next test."""
    with Session("reference"):
        yield


@pytest.mark.parametrize("name", worker_cases.LOADERS)
@pytest.mark.parametrize("workers", [1, *of_today("numbers of workers", [2, 7], 2)])
def test_batches_are_the_same(name: str, workers: int) -> None:
    assert worker_cases.epochs(name, workers) == worker_cases.epochs(name, 0)


def test_442_samples_are_one_full_batch() -> None:
    for workers in (0, 1, 2):
        loader = DataLoader([np.float32(i) for i in range(442)], batch_size=442, num_workers=workers)
        assert [len(batch) for batch in loader] == [442]


def test_a_stream_is_shared_out_by_its_workers() -> None:
    for workers in (0, 2):
        loader = DataLoader(worker_cases.Stream(), batch_size=4, num_workers=workers)
        batches = [batch.tolist() for batch in loader]
        assert sorted(v for batch in batches for v in batch) == list(range(worker_cases.LENGTH))
        assert [b.tolist() for b in loader] == batches


def test_random_streams_differ_by_worker_and_epoch_and_follow_the_seed() -> None:
    def epochs() -> list[list[tuple[float, ...]]]:
        tg.manual_seed(5)
        loader = DataLoader(worker_cases.RandomStream(), batch_size=None, num_workers=2)
        return [[tuple(sample.tolist()) for sample in loader] for _ in range(2)]

    found = epochs()
    assert epochs() == found
    samples = [number for epoch in found for sample in epoch for number in sample]
    assert len(set(samples)) == len(samples) == 24


def test_random_numbers_of_the_training_stay_its_own() -> None:
    tg.manual_seed(1)
    before = tg.rand(3).tolist()
    tg.manual_seed(1)
    list(DataLoader(worker_cases.Pictures(), 4))
    assert tg.rand(3).tolist() == before


def test_samples_differ_from_epoch_to_epoch_and_a_resumed_epoch_goes_on() -> None:
    loader = DataLoader(worker_cases.Pictures(), 4, shuffle=True, num_workers=1)
    first, second = ([worker_cases.plain(b) for b in loader] for _ in range(2))
    assert first != second
    begun = iter(loader)
    given = [worker_cases.plain(next(begun)) for _ in range(2)]
    state = loader.state_dict()
    rest = [worker_cases.plain(b) for b in begun]
    resumed = DataLoader(worker_cases.Pictures(), 4, shuffle=True)
    resumed.load_state_dict(state)
    assert [worker_cases.plain(b) for b in resumed] == rest
    assert len(given) + len(rest) == len(loader)


def test_an_epoch_that_is_left_early_leaves_nothing_behind() -> None:
    loader = DataLoader(worker_cases.Ragged(), batch_size=None, num_workers=2, persistent_workers=True)
    for _ in range(2):
        assert next(iter(loader)).shape == (1,)
    assert [len(sample) for sample in loader] == [i % 4 + 1 for i in range(worker_cases.LENGTH)]


def test_workers_know_themselves() -> None:
    loader = DataLoader(worker_cases.Told(), num_workers=2, worker_init_fn=worker_cases.tagged)
    assert {tuple(int(v) for v in batch) for batch in loader} <= {(2, 0), (2, 100)}


def test_classes_of_a_script_travel() -> None:
    class Mine(worker_cases.Told):
        def __getitem__(self, i: int) -> Any:
            return offset + i

    offset = 10
    assert [int(v) for v in DataLoader(Mine(), num_workers=1, collate_fn=lambda b: b[0])] == [10, 11, 12, 13]


def test_a_worker_that_dies_is_named_and_replaced_once_and_loses_nothing(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match=r"worker \d is started again, once: it ended with status 7"):
        found = list(DataLoader(worker_cases.Dies(str(tmp_path / "died")), num_workers=2))
    assert [int(batch) for batch in found] == list(range(6))
    with (
        pytest.warns(RuntimeWarning, match="started again"),
        pytest.raises(TabgradError, match=r"expected worker \d to prepare a batch, got none, a second time: it ended"),
    ):
        list(DataLoader(worker_cases.Dies(None), num_workers=1))


def test_a_worker_that_hangs_is_named_and_replaced_once(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match=r"worker \d is started again, once: it has not given batch \d within 1 s"):
        found = list(DataLoader(worker_cases.Hangs(str(tmp_path / "hung")), num_workers=2, timeout=1))
    assert [int(batch) for batch in found] == list(range(6))


def test_errors_of_the_dataset_are_raised_with_their_class_and_traceback() -> None:
    with pytest.raises(KeyError, match=r"Caught KeyError in DataLoader worker process \d\.") as raised:
        list(DataLoader(worker_cases.Raises(), num_workers=1))
    assert 'raise KeyError("no second sample")' in str(raised.value)
    assert "\n" in str(raised.value)


def test_async_for_gives_the_same_and_lets_other_tasks_run() -> None:
    async def both() -> tuple[list[Any], int]:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0.001)

        counting = asyncio.ensure_future(count())
        loader = DataLoader(worker_cases.Ragged(), batch_size=None, num_workers=1)
        found = [sample.tolist() async for sample in loader]
        counting.cancel()
        return found, turns

    found, turns = asyncio.run(both())
    assert found == [sample.tolist() for sample in DataLoader(worker_cases.Ragged(), batch_size=None)]
    assert turns > 1


class _Pairs(worker_cases.Pictures):
    def __getitem__(self, i: int) -> Any:
        sample = super().__getitem__(i)
        return sample["picture"].reshape(-1), np.int32(sample["label"])


def test_a_trainer_trains_as_without_workers() -> None:
    losses = []
    for workers in (0, 2):
        tg.manual_seed(0)
        model = nn.Linear(6, 3)
        trainer = tg.train.Trainer(model, nn.CrossEntropyLoss(), optim.SGD(model.parameters(), lr=0.01))
        loader = DataLoader(_Pairs(), 4, shuffle=True, num_workers=workers)
        asyncio.run(trainer.fit(loader, epochs=2, validation=DataLoader(_Pairs(), 8, num_workers=workers)))
        losses.append([p.tolist() for p in model.parameters()])
    assert losses[0] == losses[1]
