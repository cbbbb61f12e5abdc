"""Small files that claim large contents."""

import gzip
import io
import struct
import time
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest

from fuzz.corpus import idx, npz
from tabgrad.data.idx import read_idx
from tabgrad.data.npz import read_npz
from tabgrad.errors import FileFormatError
from tabgrad.interop import safetensors_format as fmt

MB = 1 << 20


def refused(read, data, message, *, megabytes=1.0):
    """Check that a file is refused with this message, within a limit of memory beyond the file's size."""
    start = time.process_time()
    with pytest.raises(FileFormatError, match=message) as error:
        read(data)
    assert time.process_time() - start < 2
    text = str(error.value)
    assert "\n" not in text and len(text) < 1000
    if megabytes:
        tracemalloc.start()
        with pytest.raises(FileFormatError):
            read(data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < megabytes * MB, peak


def zeros(count, start=b""):
    """Gzip of ``start`` followed by zeros, made without storing them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(start)]
    parts += [packer.compress(bytes(MB)) for _ in range(count // MB)]
    return b"".join([*parts, packer.flush()])


SMALL = struct.pack(">BBBB3I", 0, 0, 8, 3, 10, 28, 28)  # 7,840 bytes


def test_gzip_is_unpacked_no_further_than_its_header_asks():
    refused(read_idx, zeros(200 * MB, SMALL), "expected 7856 bytes for uint8.*, got more")
    refused(read_idx, gzip.compress(SMALL + bytes(7840)) + zeros(50 * MB), "expected 7856 bytes.* got more")


def test_gzip_that_cannot_hold_what_its_header_claims_is_refused_at_once():
    head = struct.pack(">BBBB2I", 0, 0, 8, 2, 2**20, 2**20)
    refused(read_idx, zeros(MB, head), "expected a complete gzip file of 1099511627788 bytes")
    refused(read_idx, head + bytes(100), r"expected 1099511627788 bytes for uint8 \[1048576, 1048576\], got 112")


def test_thousands_of_gzip_members_take_no_time():
    empty = gzip.compress(b"", mtime=0)
    data = idx(np.zeros((10, 28, 28), np.uint8))
    np.testing.assert_array_equal(read_idx(empty * 20_000 + gzip.compress(data)), np.zeros((10, 28, 28)))
    refused(read_idx, empty * 100_001 + gzip.compress(data), "more than 100000 members", megabytes=None)


@pytest.mark.parametrize("sizes", [(0, *[2**32 - 1] * 3), (1,) * 65, (0,) * 255])
def test_idx_of_impossible_shapes_is_refused(sizes):
    data = bytes([0, 0, 8, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes) + bytes(1)
    refused(read_idx, data, "expected an array that NumPy can hold here")


def npy(shape, values=b"", *, descr="<f4", version=1, header=None):
    text = (header or f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}").encode()
    text = text + b" " * (-len(text) % 64) + b"\n"
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + values


def zipped(*members, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def test_npz_members_are_unpacked_no_further_than_their_headers_ask():
    bomb = zipped(("x.npy", npy("(1,)", bytes(64 * MB))))
    refused(read_npz, bomb, r"expected a complete .* for float32 of shape \[1\]\), got 67108\d{3} in member 'x.npy'")


def test_npz_that_lies_about_its_size_twice_is_refused():
    content = npy("(1,)", bytes(64 * MB))
    whole = npy("(1,)", bytes(4))
    bomb = bytearray(zipped(("x.npy", content)))
    for mark, at in ((b"PK\1\2", 24), (b"PK\3\4", 22)):
        place = bomb.index(mark) + at
        bomb[place : place + 4] = struct.pack("<L", len(whole))
    refused(read_npz, bytes(bomb), "damaged data in member 'x.npy'")


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("(1099511627776,)", r"4398046511\d{3} bytes for float32"),
        ("(1048576, 1048576, 1048576, 1048576)", "an array that NumPy can hold here"),
        ("(0, 9223372036854775807)", "an array that NumPy can hold here"),
        ("(" + "9" * 5000 + ",)", "a tuple of sizes as shape"),
        ("(" + "1, " * 65 + ")", "at most 64 dimensions"),
        ("(" * 3000, "descr, fortran_order and shape"),
        ("(" + "1," * 20_000 + ")", "a header of at most 10000 bytes"),
    ],
    ids=["2**40", "2**80", "0 x huge", "digits", "dimensions", "deep", "long"],
)
def test_npz_of_impossible_shapes_is_refused(shape, message):
    if np.__version__.startswith("1."):
        message = message.replace("64 dim", "32 dim")
    version = 1 if len(shape) < 10_000 else 2
    refused(read_npz, zipped(("x.npy", npy(shape, bytes(16), version=version))), message)


def test_npz_with_many_members_is_bounded():
    one = npz({"x": np.zeros(1, np.int32)})
    start, end = one.index(b"PK\1\2"), one.index(b"PK\5\6")
    entries = one[start:end] * 1000  # all of them one member
    head = struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1000, 1000, len(entries), start, 0)
    refused(read_npz, one[:start] + entries + head, "two members named 'x.npy'")
    renamed = b"".join(one[start:end].replace(b"x.npy", b"%05d" % k) for k in range(1000))
    refused(read_npz, one[:start] + renamed + head, "contradicts the directory")


def header(text, body=b""):
    raw = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(raw)) + raw + body


def tensor(name='"a"', shape="[]", offsets="[0,4]"):
    return f'{{{name}:{{"dtype":"F32","shape":{shape},"data_offsets":{offsets}}}}}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (tensor(shape="[" + "9" * 3_000_000 + "]"), "number out of range"),
        (
            "{" + ",".join(tensor(f'"{k}"', "[" + "9" * 4001 + "]")[1:-1] for k in range(2000)) + "}",
            "number out of range",
        ),
        (tensor(shape="[" + "4294967296," * 40 + "1]"), "fewer bytes than this machine can address"),
        (tensor(shape="[" + "1," * 500_000 + "1]"), "an entry of more than 65536 bytes"),
        ('{"a":' + "[" * 1_000_000, "more than 128 brackets"),
        ('{"a":' * 1_000_000, "more than 128 brackets"),
        ('{"a":[' + "[]," * 1_000_000 + "1]}", "more than 128 brackets"),
        ("{" + ",".join(f'"{k}":[[],[],[]]' for k in range(100_000)) + "}", "for tensor '0'"),
        ('{"__metadata__":{' + ",".join(f'"{k:x}":""' for k in range(100_001)) + "}}", "more than 100000 pairs"),
    ],
    ids=["3M digits", "2000x4001 digits", "product", "sizes", "lists", "objects", "small lists", "entries", "metadata"],
)
def test_hostile_safetensors_headers_are_refused_in_time(text, message):
    # 100,000 names of metadata are kept before the error
    refused(fmt.read_bytes, header(text, bytes(4)), message, megabytes=20 if "pairs" in message else 2)


@pytest.mark.parametrize(
    "broken",
    [
        lambda name: header(tensor(f'"{name}"', "[2]"), bytes(4)),
        lambda name: header(tensor(f'"{name}"')[:-1] + "," + tensor(f'"{name}"')[1:], bytes(4)),
        lambda name: header('{"__metadata__":{"' + name + '":1}}'),
        lambda name: header(tensor().replace("F32", name[:60_000]), bytes(4)),
        lambda name: header(tensor(f'"{name}\\ud800"'), bytes(4)),
        lambda name: header(tensor(f'"{name}"'), bytes(3)),
    ],
    ids=["shape", "twice", "metadata", "dtype", "surrogate", "truncated"],
)
def test_messages_cut_long_names(broken):
    with pytest.raises(FileFormatError) as error:
        fmt.read_bytes(broken("n" * 1_000_000))
    assert len(str(error.value)) < 600


def test_npz_messages_cut_long_names():
    for name in ("n" * 60_000, "n" * 60_000 + ".npy"):
        with pytest.raises(FileFormatError) as error:
            read_npz(zipped((name, npy("(1,)", bytes(3)))))
        assert len(str(error.value)) < 600


def test_large_sound_headers_are_read_in_time():
    count = 20_000
    entries = ",".join(tensor(f'"layers.{k}"', "[1]", f"[{4 * k},{4 * k + 4}]")[1:-1] for k in range(count))
    text = '{"__metadata__":{"note":"' + "x" * 5_000_000 + '"},' + entries + "}" + " " * 5_000_000
    start = time.perf_counter()
    arrays, metadata = fmt.read_bytes(header(text, np.arange(count, dtype=np.float32).tobytes()))
    assert [a.item() for a in arrays.values()] == list(range(count))
    assert len(metadata["note"]) == 5_000_000
    assert time.perf_counter() - start < 5  # 0.2 s on an idle machine
