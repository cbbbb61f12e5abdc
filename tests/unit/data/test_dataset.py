import numpy as np
import pytest

from tabgrad.data import DataLoader, ImageDataset, Subset, TensorDataset, random_split
from tabgrad.errors import DTypeError, ShapeError, TabgradError
from tabgrad.random import Generator


def numbers(n=10):
    return TensorDataset(np.arange(n, dtype=np.float32), np.arange(n) * 10)


def test_tensor_dataset_gives_samples_and_batches():
    dataset = numbers()
    assert len(dataset) == 10
    assert dataset[3] == (3.0, 30)
    xs, ys = dataset.gather(np.array([2, 0]))
    assert xs.tolist() == [2, 0]
    assert ys.tolist() == [20, 0]


def test_tensor_dataset_stores_int64_as_int32():
    assert numbers().arrays[1].dtype == np.int32
    assert TensorDataset(np.arange(3, dtype=np.int16)).arrays[0].dtype == np.int32
    assert TensorDataset([0.5, 1.5]).arrays[0].dtype == np.float32  # Python floats are float32


def test_tensor_dataset_refuses_integers_that_do_not_fit():
    with pytest.raises(DTypeError, match=r"TensorDataset: expected integers within int32, got 2147483648"):
        TensorDataset(np.array([1, 2**31]))


def test_tensor_dataset_refuses_other_floats_and_names_the_remedy():
    with pytest.raises(DTypeError, match=r"got float64 of shape \[2\].*astype\(np.float32\)"):
        TensorDataset(np.ones(2))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "float16"])
def test_narrow_data_stays_narrow_up_to_the_device(dtype):
    values = np.arange(6, dtype=dtype).reshape(3, 2)
    (batch,) = DataLoader(TensorDataset(values, np.arange(3)), batch_size=3)
    assert batch[0].dtype.name == dtype
    assert (batch[0].float() / 2).tolist() == (values / 2).tolist()


def test_tensor_dataset_refuses_strings():
    with pytest.raises(DTypeError, match="expected numbers or booleans"):
        TensorDataset(np.array(["a"]))


def test_tensor_dataset_refuses_different_lengths():
    with pytest.raises(ShapeError, match=r"got shapes \[\[3\], \[4\]\]"):
        TensorDataset(np.zeros(3, np.float32), np.zeros(4, np.float32))
    with pytest.raises(ShapeError, match="at least one array"):
        TensorDataset()


def test_subset_of_subset_gathers_through_both():
    subset = Subset(Subset(numbers(), [9, 7, 5, 3]), [3, 0])
    assert len(subset) == 2
    assert subset[0] == (3.0, 30)
    assert subset.gather(np.array([1]))[0].tolist() == [9]


def test_subset_refuses_indices_outside():
    with pytest.raises(TabgradError, match="expected indices below 10, got 10"):
        Subset(numbers(), [0, 10])
    with pytest.raises(TabgradError, match="got -11"):
        Subset(numbers(), [0, -11])


def test_random_split_by_fractions_rounds_as_pytorch():
    import torch
    from torch.utils.data import random_split as torch_split

    for fractions in ([0.8, 0.2], [0.7, 0.2, 0.1], [1 / 3, 1 / 3, 1 / 3]):
        for n in (12, 53, 1797):
            ours = [len(part) for part in random_split(numbers(n), fractions)]
            theirs = [len(part) for part in torch_split(range(n), fractions, torch.Generator())]
            assert ours == theirs, (fractions, n)


def test_random_split_parts_are_disjoint_and_seeded():
    first = [p.indices.tolist() for p in random_split(numbers(100), [80, 20], Generator(0))]
    again = [p.indices.tolist() for p in random_split(numbers(100), [80, 20], Generator(0))]
    other = [p.indices.tolist() for p in random_split(numbers(100), [80, 20], Generator(1))]
    assert first == again != other
    assert sorted(first[0] + first[1]) == list(range(100))


def test_random_split_refuses_wrong_sums():
    with pytest.raises(TabgradError, match=r"fractions that sum to 1, got \[0.8, 0.1\]"):
        random_split(numbers(), [0.8, 0.1])
    with pytest.raises(TabgradError, match=r"the dataset's 10 samples, got \[8, 1\]"):
        random_split(numbers(), [8, 1])


def test_image_dataset_scales_batches():
    dataset = ImageDataset(np.array([[[0, 255], [51, 0]]], np.uint8), np.array([4], np.uint8))
    image, label = dataset[0]
    assert image.shape == (1, 2, 2)
    np.testing.assert_array_equal(image, np.array([[[0, 1], [0.2, 0]]], np.float32))
    assert label == 4
    assert dataset.gather(np.array([0, 0]))[0].shape == (2, 1, 2, 2)
