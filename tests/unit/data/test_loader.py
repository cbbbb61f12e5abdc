import numpy as np
import pytest

from tabgrad.data import DataLoader, Dataset, SequentialSampler, Subset, TensorDataset
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.random import Generator
from tabgrad.tensor import Tensor


def numbers(n=10):
    return TensorDataset(np.arange(n, dtype=np.float32)[:, None], np.arange(n))


class Squares(Dataset):
    """A dataset without arrays: samples are made one by one."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return np.full(2, index, np.float32), index * index


def ids(loader):
    return [batch[1].tolist() for batch in loader.numpy_batches()]


@pytest.mark.parametrize(("n", "batch_size", "drop_last"), [(10, 3, False), (10, 3, True), (9, 3, False), (2, 5, True)])
def test_loader_batches_as_pytorch(n, batch_size, drop_last):
    from torch.utils.data import DataLoader as TorchLoader

    ours = DataLoader(numbers(n), batch_size, drop_last=drop_last)
    theirs = TorchLoader(range(n), batch_size, drop_last=drop_last)
    assert len(ours) == len(theirs)
    assert ids(ours) == [batch.tolist() for batch in theirs]


def test_loader_yields_tensors():
    batches = list(DataLoader(numbers(5), batch_size=2))
    assert all(isinstance(t, Tensor) for batch in batches for t in batch)
    assert [tuple(x.shape) for x, _ in batches] == [(2, 1), (2, 1), (1, 1)]


def test_loader_makes_no_tensor_for_numpy_batches(monkeypatch):
    monkeypatch.setattr("tabgrad.data.fetch.to_tensors", None)
    x, y = next(DataLoader(numbers(5), batch_size=2).numpy_batches())
    assert x.dtype == np.float32
    assert y.dtype == np.int32


def test_loader_gives_the_same_batches_with_and_without_the_fast_path():
    samples = [(np.array([i], np.float32), i) for i in range(10)]
    fast = DataLoader(numbers(), 3, shuffle=True, generator=Generator(5))
    slow = DataLoader(samples, 3, shuffle=True, generator=Generator(5))
    for (x1, y1), (x2, y2) in zip(fast.numpy_batches(), slow.numpy_batches(), strict=True):
        np.testing.assert_array_equal(x1, x2)
        np.testing.assert_array_equal(y1, y2)


def test_loader_shuffles_again_each_epoch_and_the_same_for_a_seed():
    a = DataLoader(numbers(), 4, shuffle=True, generator=Generator(7))
    b = DataLoader(numbers(), 4, shuffle=True, generator=Generator(7))
    first, second = ids(a), ids(a)
    assert first != second
    assert [ids(b), ids(b)] == [first, second]


def test_loader_resumes_in_the_middle_of_an_epoch():
    whole = DataLoader(numbers(), 3, shuffle=True, generator=Generator(2))
    expected = [ids(whole) for _ in range(3)]
    interrupted = DataLoader(numbers(), 3, shuffle=True, generator=Generator(2))
    ids(interrupted)
    batches = interrupted.numpy_batches()
    given = [next(batches)[1].tolist(), next(batches)[1].tolist()]
    state = interrupted.state_dict()
    resumed = DataLoader(numbers(), 3, shuffle=True)
    resumed.load_state_dict(state)
    assert resumed.state_dict() == state
    assert given + ids(resumed) == expected[1]
    assert ids(resumed) == expected[2]


def test_loader_starts_afresh_after_an_abandoned_epoch():
    loader = DataLoader(numbers(), 3)
    next(loader.numpy_batches())
    assert ids(loader)[0] == [0, 1, 2]


def test_loader_refuses_foreign_states():
    loader = DataLoader(numbers(), 3)
    with pytest.raises(TabgradError, match="expected the keys"):
        loader.load_state_dict({"epoch": 1})
    with pytest.raises(TabgradError, match="at most 4 batches, got 9"):
        loader.load_state_dict({"sampler": {}, "batches": 9})


def test_loader_of_one_full_batch_makes_one_iteration():
    assert len(DataLoader(numbers(442), batch_size=442)) == 1
    assert len(ids(DataLoader(numbers(442), batch_size=442, shuffle=True))) == 1


def test_loader_takes_samplers():
    assert ids(DataLoader(numbers(), 2, sampler=[4, 2, 0])) == [[4, 2], [0]]
    assert ids(DataLoader(numbers(3), 2, sampler=SequentialSampler(range(3)))) == [[0, 1], [2]]
    with pytest.raises(TabgradError, match="either sampler or shuffle"):
        DataLoader(numbers(), sampler=[1], shuffle=True)


def test_loader_collates_samples():
    xs, ys = next(DataLoader(Squares(4), batch_size=4).numpy_batches())
    assert xs.shape == (4, 2)
    assert ys.tolist() == [0, 1, 4, 9]
    assert ys.dtype == np.int32
    assert next(DataLoader(Subset(Squares(4), [3, 1]), batch_size=2).numpy_batches())[1].tolist() == [9, 1]


def test_loader_uses_collate_fn():
    loader = DataLoader(Squares(3), 2, collate_fn=lambda samples: (np.array([s[1] for s in samples], np.int32),))
    assert [batch[0].tolist() for batch in loader.numpy_batches()] == [[0, 1], [4]]
    odd = DataLoader(Squares(3), 2, collate_fn=len)
    assert list(odd) == [2, 1]
    with pytest.raises(TabgradError, match="expected a tuple of NumPy arrays from collate_fn, got int"):
        next(odd.numpy_batches())


def test_loader_refuses_ragged_samples_and_strings():
    with pytest.raises(ShapeError, match=r"samples of one shape, got \[\[1\], \[2\]\]"):
        next(DataLoader([(np.zeros(1, np.float32),), (np.zeros(2, np.float32),)], 2).numpy_batches())
    with pytest.raises(NotImplementedError, match="samples of type str"):
        next(DataLoader(["a", "b"], 2).numpy_batches())


def test_loader_names_what_it_does_not_support():
    for wrong in (0, -1, 2.0, True):
        with pytest.raises(TabgradError, match="expected batch_size of at least 1"):
            DataLoader(numbers(), wrong)
