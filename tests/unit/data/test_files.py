import gzip
import io
import struct

import numpy as np
import pytest

from tabgrad.data import datasets, random_split
from tabgrad.data.idx import read_idx
from tabgrad.data.npz import read_npz
from tabgrad.errors import DTypeError, FileFormatError, TabgradError
from tabgrad.random import Generator

CODES = {"uint8": 0x08, "int8": 0x09, "int16": 0x0B, "int32": 0x0C, "float32": 0x0D, "float64": 0x0E}


def idx_bytes(array):
    head = struct.pack(f">BBBB{array.ndim}I", 0, 0, CODES[array.dtype.name], array.ndim, *array.shape)
    return head + array.astype(array.dtype.newbyteorder(">")).tobytes()


IMAGES = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
LABELS = np.array([7, 1], np.uint8)


@pytest.mark.parametrize("dtype", sorted(CODES))
def test_idx_reads_every_dtype(dtype):
    array = np.array([[1, 2, 3], [4, 5, 100]]).astype(dtype)
    result = read_idx(idx_bytes(array))
    assert result.dtype == array.dtype
    np.testing.assert_array_equal(result, array)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_idx_reads_images_and_labels(pack, tmp_path):
    images, labels = pack(idx_bytes(IMAGES)), pack(idx_bytes(LABELS))
    (tmp_path / "images").write_bytes(images)
    (tmp_path / "labels").write_bytes(labels)
    for dataset in (
        datasets.idx(images, labels),
        datasets.idx(tmp_path / "images", str(tmp_path / "labels")),
        datasets.idx(io.BytesIO(images), memoryview(labels)),
    ):
        assert len(dataset) == 2
        x, y = dataset.gather(np.array([0, 1]))
        assert x.shape == (2, 1, 3, 4)
        np.testing.assert_array_equal(x[:, 0], IMAGES.astype(np.float32) / np.float32(255))
        assert y.tolist() == [7, 1]
        assert y.dtype == np.int32


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "starting with nothing"),
        (b"PNG.....", "expected an IDX file starting with bytes 00 00"),
        (b"\0\0\x07\x01\0\0\0\0", "dtype code of 0x08.*got 0x07"),
        (b"\0\0\x08\0", "at least one dimension"),
        (b"\0\0\x08\x03\0\0\0\x01", "truncated or damaged"),
        (idx_bytes(IMAGES)[:-1], "expected 40 bytes for uint8.*got 39.*truncated"),
        (idx_bytes(IMAGES) + b"x", "followed by other bytes"),
        (gzip.compress(idx_bytes(IMAGES))[:-9], "expected a complete gzip file"),
        (gzip.compress(idx_bytes(IMAGES))[:20] + b"\xff" * 30, "expected a complete gzip file"),
        (idx_bytes(LABELS), "images and labels exchanged"),
        (idx_bytes(IMAGES.astype(np.float32)), "images and labels exchanged"),
        (idx_bytes(IMAGES[:1]), "got 1 images and 2 labels"),
    ],
    ids=lambda value: value if isinstance(value, str) else "file",
)
def test_idx_refuses_bad_images_in_one_sentence(data, message):
    with pytest.raises(FileFormatError, match=message) as error:
        datasets.idx(data, idx_bytes(LABELS))
    assert "\n" not in str(error.value)


def test_idx_refuses_bad_labels():
    with pytest.raises(FileFormatError, match="expected labels as integers"):
        datasets.idx(idx_bytes(IMAGES), idx_bytes(IMAGES))


def test_idx_names_a_missing_file(tmp_path):
    with pytest.raises(FileFormatError, match=r"expected a readable file at .*nowhere, got: No such file"):
        datasets.idx(tmp_path / "nowhere", idx_bytes(LABELS))
    with pytest.raises(FileFormatError, match="mode 'rb'"):
        datasets.idx(io.StringIO("text"), idx_bytes(LABELS))


def npz_bytes(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def test_npz_gives_arrays_in_order():
    data = npz_bytes(y=np.arange(3), x=np.ones((3, 2), np.float32))
    assert [a.shape for a in datasets.npz(data).arrays] == [(3,), (3, 2)]
    assert [a.shape for a in datasets.npz(data, "x", "y").arrays] == [(3, 2), (3,)]


def test_npz_names_what_is_missing():
    with pytest.raises(FileFormatError, match=r"expected the arrays \['x'\], got \['y'\]"):
        datasets.npz(npz_bytes(y=np.arange(3)), "x")


def test_npz_keeps_the_dtype_rule():
    with pytest.raises(DTypeError, match="float64"):
        datasets.npz(npz_bytes(x=np.ones(3)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "got 0 bytes in memory starting with nothing"),
        (b"hello", "expected a NumPy .npz archive"),
        (npz_bytes(x=np.arange(300))[:200], "expected a complete archive"),
        (npz_bytes(x=np.array([object()])), "expected a complete archive of plain arrays"),
        (npz_bytes(), "empty archive"),
    ],
    ids=lambda value: value if isinstance(value, str) else "file",
)
def test_npz_refuses_bad_files(data, message):
    with pytest.raises(FileFormatError, match=message):
        read_npz(data)


def test_npz_refuses_damaged_contents():
    data = bytearray(npz_bytes(x=np.arange(300, dtype=np.int32)))
    data[300] ^= 0xFF
    with pytest.raises(FileFormatError, match="expected a complete archive"):
        read_npz(bytes(data))


@pytest.fixture
def bundled():
    from tabgrad.data import bundled

    if not (bundled._FILES / "digits.npz").exists():
        pytest.skip("needs tabgrad/data/files/*.npz, which build_scripts/datasets.py makes")


@pytest.mark.usefixtures("bundled")
def test_digits_are_scikit_learns():
    from sklearn.datasets import load_digits

    images, labels = datasets.digits().arrays
    expected = load_digits()
    assert images.shape == (1797, 1, 8, 8)
    assert images.dtype == np.float32
    assert (images.min(), images.max()) == (0, 1)
    np.testing.assert_array_equal(images[:, 0] * 16, expected.images)
    np.testing.assert_array_equal(labels, expected.target)


@pytest.mark.usefixtures("bundled")
def test_digits_split_holds_out_a_fifth():
    train, val = random_split(datasets.digits(), [0.8, 0.2], Generator(0))
    assert (len(train), len(val)) == (1438, 359)
    held_out = val.gather(np.arange(len(val)))[1]
    assert np.bincount(held_out).min() > 20  # every digit is there


@pytest.mark.usefixtures("bundled")
def test_diabetes_is_scikit_learns():
    from sklearn.datasets import load_diabetes

    expected = load_diabetes(scaled=False)
    features, target = datasets.diabetes(standardize=False).arrays
    np.testing.assert_array_equal(features, expected.data.astype(np.float32))
    np.testing.assert_array_equal(target[:, 0], expected.target.astype(np.float32))


@pytest.mark.usefixtures("bundled")
def test_diabetes_is_standardized():
    for array, width in zip(datasets.diabetes().arrays, (10, 1), strict=True):
        assert array.shape == (442, width)
        np.testing.assert_allclose(array.mean(0), 0, atol=5e-6)  # float32 sums of 442 values
        np.testing.assert_allclose(array.std(0), 1, atol=5e-6)


def test_bundled_file_that_is_missing_is_explained(monkeypatch, tmp_path):
    monkeypatch.setattr("tabgrad.data.bundled._FILES", tmp_path)
    with pytest.raises(TabgradError, match="it is made when the package is built"):
        datasets.digits()
