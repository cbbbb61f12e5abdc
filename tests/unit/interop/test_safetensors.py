import json
import struct

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tabgrad as tg
from tabgrad import dtypes
from tabgrad.errors import DTypeError, FileFormatError, TabgradError
from tabgrad.interop import safetensors as ours
from tabgrad.interop import safetensors_format as fmt

WEIGHT = np.arange(6, dtype=np.float32).reshape(2, 3)


def file_of(header, body=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def test_written_files_are_read_by_the_official_library():
    arrays = {
        "layer.weight": WEIGHT,
        "layer.bias": np.array([1, -1], np.int32),
        "mask": np.array([True, False, True]),
        "scalar": np.float32(3.5).reshape(()),
        "empty": np.zeros((0, 4), np.float32),
    }
    data = fmt.write_bytes(arrays, {"format": "pt", "note": "größer"})
    loaded = safetensors.torch.load(data)
    assert set(loaded) == set(arrays)
    for name, array in arrays.items():
        assert tuple(loaded[name].shape) == array.shape
        np.testing.assert_array_equal(loaded[name].numpy(), array)


def test_files_of_the_official_library_are_read():
    tensors = {"a": torch.randn(3, 5), "b": torch.arange(7), "c": torch.tensor(True), "d": torch.zeros(0, 2)}
    arrays, metadata = fmt.read_bytes(safetensors.torch.save(tensors, {"epoch": "3"}))
    assert metadata == {"epoch": "3"}
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(arrays[name], tensor.numpy())


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.text(min_size=1, max_size=8).filter(lambda s: s != "__metadata__"),
        st.tuples(
            st.sampled_from(["f4", "i4", "?", "f8", "i8", "u1", "f2", "u2"]), st.lists(st.integers(0, 3), max_size=3)
        ),
        max_size=6,
    )
)
def test_round_trip_and_byte_equality_with_the_official_library(spec):
    arrays = {name: np.ones(shape, dtype) for name, (dtype, shape) in spec.items()}
    data = fmt.write_bytes(arrays)
    assert fmt.read_bytes(data)[0].keys() == arrays.keys()
    official = safetensors.numpy.load(data)
    for name, array in fmt.read_bytes(safetensors.numpy.save(arrays))[0].items():
        np.testing.assert_array_equal(array, arrays[name])
        assert official[name].dtype == array.dtype == arrays[name].dtype


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "at least 8 bytes, got 0"),
        (b"\x93NUMPY\x01\x00", "this is not a safetensors file"),
        (struct.pack("<Q", 50) + b"{}", "header of 50 bytes, got 2.*truncated"),
        (file_of(b"\xff\xfe"), "expected a JSON header"),
        (file_of(b"{"), "expected a JSON header"),
        (file_of(b"[]"), "JSON object as header.*got list"),
        (file_of(b'{"a": 1, "a": 2}'), "each name once.*'a' twice"),
        (file_of({"__metadata__": {"a": 1}}), "__metadata__ to map strings to strings"),
        (file_of({"a": 7}), "dtype, shape and data_offsets for tensor 'a'.*got int"),
        (file_of({"a": {"dtype": "F32"}}), r"tensor 'a'.*got \['dtype'\]"),
        (file_of({"a": entry("F33")}), "to have a dtype of F64.*got 'F33'"),
        (file_of({"a": entry([])}), "to have a dtype of"),
        (file_of({"a": entry(shape=[-2])}), "expected sizes as the shape"),
        (file_of({"a": entry(shape=[True])}), "expected sizes as the shape"),
        (file_of({"a": entry(offsets=[8])}), r"expected \[begin, end\]"),
        (file_of({"a": entry(offsets=[0, -1])}), r"expected \[begin, end\]"),
        (file_of({"a": entry(shape=[3])}, bytes(8)), "expected 12 bytes for tensor 'a'.*got 8"),
        (file_of({"a": entry(shape=[2**62, 8])}, bytes(8)), "for tensor 'a'.*got 8"),
        (file_of({"a": entry()}, bytes(7)), "at least 8 bytes of tensors for 'a', got 7.*truncated"),
        (file_of({"a": entry()}, bytes(9)), "expected 8 bytes of tensors, got 9"),
        (file_of({"a": entry(offsets=[4, 12])}, bytes(12)), "tensor 'a' at byte 0, got 4.*a hole"),
        (file_of({"a": entry(), "b": entry(offsets=[4, 12])}, bytes(12)), "tensor 'b' at byte 8, got 4.*overlaps"),
        (file_of({"a": entry("BOOL", [1], [0, 1])}, b"\2"), "bytes 0 and 1 in the BOOL tensor 'a'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "file",
)
def test_malformed_files_are_refused_in_one_sentence(data, message):
    with pytest.raises(FileFormatError, match=message) as error:
        fmt.read_bytes(data, source="model.safetensors")
    assert "\n" not in str(error.value)


def test_every_truncation_is_refused():
    data = fmt.write_bytes({"a": WEIGHT, "b": np.array([True])})
    for length in range(len(data)):
        with pytest.raises(FileFormatError):
            fmt.read_bytes(data[:length])


def test_every_broken_header_byte_is_refused_or_harmless():
    data = fmt.write_bytes({"a": WEIGHT})
    for i in range(8 + int.from_bytes(data[:8], "little")):
        broken = bytearray(data)
        broken[i] ^= 0x15
        try:
            fmt.read_bytes(bytes(broken))
        except FileFormatError:
            continue


def test_write_refuses_what_the_format_cannot_hold():
    with pytest.raises(DTypeError, match="for 'a', got complex64"):
        fmt.write_bytes({"a": np.zeros(1, np.complex64)})
    with pytest.raises(FileFormatError, match="cannot be named '__metadata__'"):
        fmt.write_bytes({"__metadata__": WEIGHT})
    with pytest.raises(FileFormatError, match="metadata of strings"):
        fmt.write_bytes({}, {"epoch": 3})


def test_load_applies_the_dtype_rule_to_integers():
    data = safetensors.torch.save({"a": torch.tensor([1, -5]), "b": torch.tensor([200], dtype=torch.int16)})
    loaded = ours.load(data)
    assert {t.dtype for t in loaded.values()} == {dtypes.int32}
    too_big = safetensors.torch.save({"a": torch.tensor([2**31])})
    with pytest.raises(DTypeError, match=r"tensor 'a' of the data: expected integers within int32, got 2147483648"):
        ours.load(too_big)


def test_load_explains_other_floats():
    data = safetensors.torch.save({"a": torch.tensor([1.5, -3.0], dtype=torch.float64)})
    with pytest.raises(DTypeError, match=r"F16 or BF16 for tensor 'a' of the data, got F64.*float32, which rounds"):
        ours.load(data)
    assert ours.load(data, dtype=dtypes.float32)["a"].dtype is dtypes.float32


@pytest.mark.parametrize("name", ["float16", "bfloat16", "uint8", "int8"])
def test_narrow_tensors_go_to_pytorch_and_back(name):
    theirs = torch.arange(7).to(getattr(torch, name))
    loaded = ours.load(safetensors.torch.save({"a": theirs}))["a"]
    assert loaded.dtype.name == name
    assert (loaded * 1).tolist() == theirs.tolist()
    data = ours.save({"a": loaded * 2, "b": WEIGHT})
    assert torch.equal(safetensors.torch.load(data)["a"], theirs * 2)
    wide = ours.load(data, dtype=dtypes.float32)["a"].dtype
    assert wide is (dtypes.float32 if loaded.dtype.is_floating_point else loaded.dtype)


def test_bfloat16_bits_become_the_same_numbers():
    values = torch.randn(100).to(torch.bfloat16)
    data = safetensors.torch.save({"a": values})
    arrays, _ = fmt.read_bytes(data)
    held = ours._held("a", arrays["a"], fmt.dtype_names(data)["a"], dtypes.float32, "the data")
    np.testing.assert_array_equal(held, values.float().numpy())


def test_save_file_leaves_the_old_file_when_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    ours.save_file({"a": WEIGHT}, path)
    before = path.read_bytes()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        ours.save_file({"a": WEIGHT + 1}, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_load_file_names_a_missing_file(tmp_path):
    with pytest.raises(FileFormatError, match=r"expected a readable file at .*nothing.safetensors, got: No such file"):
        ours.load_file(tmp_path / "nothing.safetensors")


def test_save_refuses_what_is_no_tensor():
    with pytest.raises(TabgradError, match="expected tensors by name, got 'lr': float"):
        ours.save({"lr": 0.1})


def test_load_takes_bytes_of_every_kind_and_says_where_paths_go():
    data = ours.save({"a": WEIGHT})
    for held in (data, bytearray(data), memoryview(data)):
        np.testing.assert_array_equal(ours.load(held)["a"].numpy(), WEIGHT)
    with pytest.raises(TabgradError, match="got str; load_file takes a path"):
        ours.load("model.safetensors")


def test_tensors_round_trip(tmp_path):
    path = tmp_path / "model.safetensors"
    ours.save_file({"weight": tg.tensor(WEIGHT), "steps": tg.tensor(np.int32(4))}, path, {"format": "pt"})
    theirs = safetensors.torch.load_file(path)
    np.testing.assert_array_equal(theirs["weight"].numpy(), WEIGHT)
    again = ours.load_file(path)
    np.testing.assert_array_equal(again["weight"].numpy(), WEIGHT)
    assert again["steps"].item() == 4
