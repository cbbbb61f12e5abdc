"""``tabgrad.utils.data`` beside PyTorch's: the same program text, run with each package's names."""

from __future__ import annotations

from collections import Counter, namedtuple
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
import torch.utils.data

import tabgrad
import tabgrad.utils.data
from tabgrad import utils
from tabgrad.data import Subset, TensorDataset
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.tensor import Tensor

Point = namedtuple("Point", ["at", "label"])


def plain(value: Any) -> Any:
    """A batch as Python's own types, the kinds of its containers kept."""
    if isinstance(value, Tensor | torch.Tensor):
        return ("tensor", str(value.dtype).split(".")[-1].replace("64", "32"), value.tolist())
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return (type(value).__name__, [plain(one) for one in value])
    return value


def arrays(n: int = 7) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(2 * n, dtype=np.float32).reshape(n, 2), np.arange(n) % 3


def tensors(t: ModuleType, n: int = 7) -> Any:
    return [t.from_numpy(a.astype(np.int32) if a.dtype == np.int64 else a) for a in arrays(n)]


def squares(t: ModuleType, n: int = 5) -> Any:
    """A dataset as tutorials define one, without a call of ``super().__init__``."""

    class Squares(t.utils.data.Dataset):
        def __len__(self) -> int:
            return n

        def __getitem__(self, index: int) -> Any:
            return t.tensor([float(index), index + 0.5]), index * index

    return Squares()


def stream(t: ModuleType, n: int) -> Any:
    class Stream(t.utils.data.IterableDataset):
        def __iter__(self) -> Any:
            return iter(range(n))

    return Stream()


def sevens(t: ModuleType) -> Any:
    return t.utils.data.TensorDataset(*tensors(t))


CASES = {
    "tensors": lambda t, d: d.DataLoader(sevens(t), batch_size=3),
    "tensors, drop_last": lambda t, d: d.DataLoader(sevens(t), 3, drop_last=True, pin_memory=False),
    "a dataset of one's own": lambda t, d: d.DataLoader(squares(t), batch_size=2, shuffle=False),
    "a list": lambda t, d: d.DataLoader([(1.5, 2), (2.5, 3), (3.5, 4)], 2),
    "dicts": lambda t, d: d.DataLoader([{"x": [i, i + 1], "name": str(i)} for i in range(3)], 2),
    "named tuples": lambda t, d: d.DataLoader([Point(t.ones(2) * i, i) for i in range(3)], 2),
    "texts": lambda t, d: d.DataLoader(["a", "bc", "d"], 2),
    "bools and arrays": lambda t, d: d.DataLoader([(True, np.ones(2, np.float32)), (False, np.zeros(2, np.float32))]),
    "sampler": lambda t, d: d.DataLoader(sevens(t), 2, sampler=[5, 1, 3]),
    "batch_sampler": lambda t, d: d.DataLoader(squares(t), batch_sampler=[[0, 4], [1], [2, 3, 3]]),
    "BatchSampler": lambda t, d: d.DataLoader(
        squares(t), batch_sampler=d.BatchSampler(d.SequentialSampler(squares(t)), 2, True)
    ),
    "no batches": lambda t, d: d.DataLoader(squares(t), batch_size=None),
    "a stream": lambda t, d: d.DataLoader(stream(t, 5), batch_size=2),
    "a stream, drop_last": lambda t, d: d.DataLoader(stream(t, 5), batch_size=2, drop_last=True),
    "a stream, no batches": lambda t, d: d.DataLoader(stream(t, 3), batch_size=None),
    "ChainDataset": lambda t, d: d.DataLoader(d.ChainDataset([stream(t, 2), stream(t, 3)]), 4),
    "sum of streams": lambda t, d: d.DataLoader(stream(t, 2) + stream(t, 2), 3),
    "ConcatDataset": lambda t, d: d.DataLoader(d.ConcatDataset([squares(t, 2), squares(t, 3)]), 4),
    "sum of datasets": lambda t, d: d.DataLoader(sevens(t) + sevens(t), 5),
    "StackDataset": lambda t, d: d.DataLoader(d.StackDataset(squares(t, 3), [7, 8, 9]), 2),
    "StackDataset by name": lambda t, d: d.DataLoader(d.StackDataset(a=squares(t, 3), b=[7, 8, 9]), 2),
    "Subset": lambda t, d: d.DataLoader(d.Subset(squares(t), [4, 0, 2]), 2),
    "collate_fn": lambda t, d: d.DataLoader(squares(t), 3, collate_fn=lambda b: t.stack([x for x, _ in b]).sum(0)),
    "collate_fn of samples": lambda t, d: d.DataLoader(squares(t), batch_size=None, collate_fn=lambda s: s[1]),
}


@pytest.mark.parametrize("case", CASES)
def test_batches_are_pytorchs(case: str) -> None:
    make = CASES[case]
    ours, theirs = make(tabgrad, tabgrad.utils.data), make(torch, torch.utils.data)
    found, expected = [plain(batch) for batch in ours], [plain(batch) for batch in theirs]
    assert expected
    assert found == expected
    assert [plain(batch) for batch in ours] == found  # a second epoch
    if not isinstance(ours.dataset, tabgrad.utils.data.IterableDataset):
        assert len(ours) == len(theirs) == len(found)


def test_samples_of_tensors_keep_their_gradient() -> None:
    weight = tabgrad.ones(3, requires_grad=True)
    batch = tabgrad.utils.data.default_collate([weight * 2, weight * 3])
    batch.sum().backward()
    assert weight.grad is not None
    assert weight.grad.tolist() == [5, 5, 5]


def test_tensors_of_a_dataset_may_be_written_to() -> None:
    x = tabgrad.zeros(4)
    dataset = TensorDataset(x, np.arange(4))
    assert isinstance(dataset[0][0], Tensor)
    x.add_(2)
    assert next(iter(tabgrad.utils.data.DataLoader(dataset, 4)))[0].tolist() == [2, 2, 2, 2]


def test_a_subclass_decides_its_samples() -> None:
    class Doubled(TensorDataset):
        def __getitem__(self, index: int) -> Any:
            return (super().__getitem__(index)[0] * 2,)

    class Backwards(Subset):
        def __getitem__(self, index: int) -> Any:
            return super().__getitem__(len(self) - 1 - index)

    class Evens(tabgrad.utils.data.RandomSampler):
        def __iter__(self) -> Any:
            return iter(range(0, len(self.data_source), 2))

    data = TensorDataset(np.arange(4, dtype=np.float32))
    loaders = [
        tabgrad.utils.data.DataLoader(Doubled(*data.arrays), 4),
        tabgrad.utils.data.DataLoader(Backwards(data, [0, 1]), 4),
        tabgrad.utils.data.DataLoader(data, 4, sampler=Evens(data)),
    ]
    assert [next(iter(loader))[0].tolist() for loader in loaders] == [[0, 2, 4, 6], [1, 0], [0, 2]]


def test_random_samplers_draw_as_they_say() -> None:
    data = tabgrad.utils.data
    tabgrad.manual_seed(3)
    assert sorted(data.SubsetRandomSampler([7, 5, 9])) == [5, 7, 9]
    subset = data.SubsetRandomSampler(range(50))
    assert list(subset) != list(subset)
    weighted = data.WeightedRandomSampler([0, 1, 3], 4000)
    counts = Counter(weighted)
    assert set(counts) == {1, 2}
    assert counts[2] == pytest.approx(3000, abs=5 * 4000**0.5 * 0.43)  # five standard deviations
    once = data.WeightedRandomSampler(tabgrad.tensor([0.1, 5.0, 0.0, 2.0]), 3, replacement=False)
    assert sorted(once) == [0, 1, 3]
    again = data.WeightedRandomSampler([1, 1, 1], 9)
    again.load_state_dict(weighted.state_dict() | {"epoch": 0})
    first = list(again)
    again.load_state_dict(weighted.state_dict() | {"epoch": 0})
    assert list(again) == first


def test_default_convert_is_pytorchs() -> None:
    sample = {"a": np.ones(2, np.float32), "b": (np.int32(3), "text", [1.5, None])}
    ours, theirs = tabgrad.utils.data.default_convert(sample), torch.utils.data.default_convert(sample)
    assert plain(ours) == plain(theirs)


WRONG = {
    "both orders": (lambda d: d.DataLoader([1], batch_sampler=[[0]], shuffle=True), "expected batch_sampler alone"),
    "a stream shuffled": (lambda d: d.DataLoader(stream(tabgrad, 2), shuffle=True), "expected neither shuffle nor"),
    "no batches dropped": (lambda d: d.DataLoader([1], batch_size=None, drop_last=True), "drop_last=False"),
    "prefetch": (lambda d: d.DataLoader([1], prefetch_factor=2), "expected num_workers above 0 with prefetch_factor"),
    "None": (lambda d: list(d.DataLoader([None, None], 2)), "expected samples of tensors, arrays, numbers"),
    "uneven stack": (lambda d: d.StackDataset([1], [1, 2]), r"expected datasets of one length, got \[1, 2\]"),
    "nothing": (lambda d: d.ConcatDataset([]), "expected at least one dataset"),
    "concatenated streams": (lambda d: d.ConcatDataset([stream(tabgrad, 1)]), "use ChainDataset"),
    "far away": (lambda d: d.ConcatDataset([[1]])[1], "expected an index from -1 to 0, got 1"),
    "no weights": (lambda d: d.WeightedRandomSampler([0.0, 0.0], 1), "expected weights as numbers of at least 0"),
    "too few": (lambda d: d.WeightedRandomSampler([0.0, 1.0], 2, False), "num_samples of at most 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_misuse_is_named(case: str) -> None:
    call, message = WRONG[case]
    with pytest.raises((TabgradError, TypeError, ValueError, ShapeError), match=message):
        call(tabgrad.utils.data)


def test_import_paths_of_programs() -> None:
    from tabgrad.utils.data.dataloader import default_collate
    from tabgrad.utils.data.dataset import random_split
    from tabgrad.utils.data.sampler import SubsetRandomSampler

    assert default_collate is utils.data.default_collate
    assert random_split is utils.data.random_split
    assert SubsetRandomSampler is utils.data.SubsetRandomSampler
    assert utils.data.get_worker_info() is None
