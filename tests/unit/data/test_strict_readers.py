"""Files that lenient readers accept, or reject with internal errors, are rejected in one sentence."""

import gzip
import io
import json
import struct
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest
import safetensors

from fuzz.corpus import idx, npz, packed, streamed, versions, wide
from tabgrad.data.idx import read_idx
from tabgrad.data.npz import read_npz
from tabgrad.data.source import read_bytes
from tabgrad.errors import FileFormatError
from tabgrad.interop import load, save
from tabgrad.interop import safetensors as ours
from tabgrad.interop import safetensors_format as fmt

LABELS = np.array([7, 1], np.uint8)
X = np.arange(6, dtype=np.float32)


def refused(read, data, message):
    with pytest.raises(FileFormatError, match=message) as error:
        read(data)
    assert "\n" not in str(error.value)


def with_flags(flags):
    data = bytearray(packed(idx(LABELS)))
    data[3] = flags
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (with_flags(0x20), "unknown header flags"),
        (with_flags(0x80), "unknown header flags"),
        (b"\x1f\x8b\x08\x02" + bytes(6) + b"\1\1" + packed(idx(LABELS))[10:], "header crc mismatch"),
        (packed(idx(LABELS))[:-8] + bytes(8), "incorrect data check"),
        (packed(idx(LABELS))[:-4] + b"\1\0\0\0", "incorrect length check"),
        (packed(idx(LABELS)) + b"garbage", "other bytes behind byte"),
        (packed(idx(LABELS)) + bytes(512), "other bytes behind byte"),
        (packed(idx(LABELS)) + b"\x1f", "truncated"),
        (packed(idx(LABELS)) + gzip.compress(b"x"), "followed by other bytes"),
        (b"\x1f\x8b\x07" + packed(idx(LABELS))[3:], "unknown compression method"),
        (b"\x1f\x8b", "truncated"),
    ],
    ids=["flag 20", "flag 80", "header", "checksum", "length", "garbage", "zeros", "half", "more", "method", "magic"],
)
def test_gzip_is_strict(data, message):
    refused(read_idx, data, message)


@pytest.mark.parametrize("flags", [1, 2, 4 | 8 | 16, 31])
def test_gzip_with_every_header_field_is_read(flags):
    extra = (b"\3\0abc" if flags & 4 else b"") + (b"name\0" if flags & 8 else b"") + (b"note\0" if flags & 16 else b"")
    np.testing.assert_array_equal(read_idx(packed(idx(LABELS), flags=flags, extra=extra)), LABELS)


def test_arrays_of_gzip_and_plain_files_can_be_written_to():
    for dtype in ("u1", "f4"):
        array = np.array([[1, 2], [3, 4]]).astype(dtype)
        for data in (idx(array), gzip.compress(idx(array))):
            found = read_idx(data)
            found += 1
            np.testing.assert_array_equal(found, array + 1)
            assert found.dtype.isnative


def npy(header, values=b"", version=b"\1\0"):
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2 if version[0] == 1 else 4, "little") + text + values


def described(descr="'<f4'", order="False", shape="(6,)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def zipped(*members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", method) as archive:
        warnings.simplefilter("ignore")  # a name twice
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


GOOD = npy(described(), X.tobytes())


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (described(shape="(6L,)"), "a header with descr"),
        (described(shape="(-0, 6)"), "a header with descr"),
        (described(shape="(0x6,)"), "a header with descr"),
        (described(shape="(1_0,)"), "a header with descr"),
        (described(shape="(6)"), "a tuple of sizes"),
        (described(shape="6"), "a header with descr"),
        (described(shape="[6]"), "a header with descr"),
        (described(shape="(06,)"), "a tuple of sizes"),
        (described(shape="(,)"), "a tuple of sizes"),
        (described(shape="(6.0,)"), "a header with descr"),
        (described(shape="(\x0b6,)"), "a header with descr"),
        (described(shape="(True,)"), "a header with descr"),
        (described(order="0"), "a header with descr"),
        (described(descr="[('a', '<f4')]"), "a header with descr"),
        (described(descr="'|O'"), r"got Python objects \(pickles\)"),
        (described(descr="'f4'"), "dtype 'f4'"),
        (described(descr="'=f4'"), "dtype '=f4'"),
        (described(descr="'|f4'"), "dtype '|f4'"),
        (described(descr="'<f16'"), "dtype '<f16'"),
        (described(descr="'|V4'"), r"dtype '\|V4'"),
        (described(descr="'<U0'"), "dtype '<U0'"),
        (described()[:-1] + "'shape': (6,), }", "each once"),
        (described()[:-1] + "'other': (6,), }", "each once"),
        ("{'descr': '<f4', 'shape': (6,), }", "each once"),
        (described() + "}", "each once"),
        (described() + " # why", "each once"),
        ("{", "each once"),
        ("", "each once"),
        ("(" * 500, "each once"),
        ("\0" + described(), "each once"),
        (described(shape="(" + "1, " * 63 + "6, 1)"), "an array that NumPy can hold here|at most 32"),
    ],
)
def test_npy_headers_are_strict(header, message):
    refused(read_npz, zipped(("x.npy", npy(header, X.tobytes()))), message)


@pytest.mark.parametrize(
    "header",
    [
        "{'shape':(6,),'fortran_order':False,'descr':'<f4'}",
        '{"descr": "<f4", "fortran_order": False, "shape": (6,)}' + " " * 60,
        "{ 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 6 , ) , }",
        described(shape="(2, 3)"),
        described(shape="(2, 3,)", order="True"),
    ],
)
def test_npy_headers_of_other_writers_are_read(header):
    for version in (b"\1\0", b"\2\0", b"\3\0"):
        data = zipped(("x.npy", npy(header, X.tobytes(), version)))
        with np.load(io.BytesIO(data)) as expected:
            np.testing.assert_array_equal(read_npz(data)["x"], expected["x"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD + b"\0", "got 93 in member"),
        (GOOD[:-1], "got 91 in member"),
        (GOOD[:6] + b"\4\0" + GOOD[8:], "version bytes 04 00"),
        (GOOD[:8], "a header of at most"),
        (GOOD[:9], "a header of at most"),
        (GOOD[:30], "ends with a line feed"),
        (b"", "starts with nothing"),
        (b"text", "starts with 74 65 78 74"),
        (GOOD.replace(b" }\n", b" } "), "ends with a line feed"),
        (npy(described("'|b1'", shape="(2,)"), b"\1\2"), "booleans of bytes 0 and 1"),
    ],
)
def test_members_hold_one_whole_array(content, message):
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        refused(read_npz, zipped(("x.npy", content), method=method), message)


def patched(data, mark, at, value):
    """An archive with other bytes at an offset after a signature of its first member."""
    data = bytearray(data)
    place = data.index(mark) + at
    data[place : place + len(value)] = value
    return bytes(data)


def both(data, central, local, value):
    return patched(patched(data, b"PK\1\2", central, value), b"PK\3\4", local, value)


ONE = zipped(("x.npy", GOOD))
DEFLATED = zipped(("x.npy", GOOD), method=zipfile.ZIP_DEFLATED)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped(("x.npy", GOOD), ("x.npy", GOOD)), "two members named 'x.npy'"),
        (zipped(("x.npy", GOOD), ("x", GOOD)), "only .npy members, got 'x'"),
        (zipped(("x.npy", GOOD), ("x.npy/", b"")), "only .npy members"),
        (zipped(("x.npy", GOOD), method=zipfile.ZIP_BZIP2), "packed by method 12"),
        (zipped(("x.npy", GOOD), method=zipfile.ZIP_LZMA), "packed by method 14"),
        (both(ONE, 8, 6, b"\1\0"), "encrypted or with unknown flags"),
        (both(ONE, 8, 6, b"\x20\0"), "encrypted or with unknown flags"),
        (patched(ONE, b"PK\3\4", 14, bytes(4)), "contradicts the directory"),
        (both(ONE, 16, 14, bytes(4)), "damaged data in member"),
        (both(DEFLATED, 16, 14, bytes(4)), "damaged data in member"),
        (patched(ONE, b"PK\3\4", 8, b"\x08"), "contradicts the directory"),
        (patched(ONE, b"PK\3\4", 30, b"y"), "contradicts the directory"),
        (both(ONE, 24, 22, b"\1"), r"92 bytes for the \d+ bytes"),
        (patched(ONE, b"PK\1\2", 34, b"\1"), "a damaged directory entry"),
        (patched(ONE, b"PK\1\2", 42, b"\1"), "contradicts the directory"),
        (patched(ONE, b"PK\1\2", 42, b"\xf0\xff\xff\xff"), "outside of the file"),
        (patched(ONE, b"PK\1\2", 42, b"\xff\xff\xff\xff"), "a damaged directory entry"),
        (patched(ONE, b"PK\1\2", 28, b"\xff\xff"), "a damaged directory"),
        (patched(ONE, b"PK\5\6", 4, b"\1"), "does not fit"),
        (patched(ONE, b"PK\5\6", 10, b"\2"), "does not fit"),
        (patched(ONE, b"PK\5\6", 16, b"\1"), "does not fit"),
        (ONE[:-1] + b"\1x", "does not fit|truncated or followed"),
        (ONE + b"\0", "truncated or followed by other bytes"),
        (ONE + ONE, "does not fit"),
        (b"PK" + ONE, "does not fit"),
    ],
)
def test_archives_are_strict(data, message):
    refused(read_npz, data, message)


def test_a_checksum_counts_where_the_header_was_changed_with_it():
    data = npz({"x": X})
    place = data.index(b"'<f4'")
    refused(read_npz, data[: place + 1] + b">" + data[place + 2 :], "damaged data in member 'x.npy'")


def test_names_that_are_no_utf8_are_refused():
    data = zipped(("ü.npy", GOOD))
    refused(read_npz, data.replace("ü".encode(), b"\xff\xfe"), "a name that is not UTF-8")
    refused(read_npz, zipped(("a.npy", GOOD)).replace(b"a.npy", b"a\0npy"), "a name with a NUL")


def test_archives_of_every_writer_are_read():
    arrays = {"x": X, "big": X.astype(">f8"), "fortran": np.asfortranarray(X.reshape(2, 3)), "names": np.array(["é"])}
    for data in (npz(arrays), npz(arrays, np.savez_compressed), streamed(arrays), wide(arrays)):
        found = read_npz(data)
        assert list(found) == list(arrays)
        for name, array in arrays.items():
            np.testing.assert_array_equal(found[name], array)
            assert found[name].dtype.isnative
    assert list(read_npz(versions(X))) == ["v1", "v2", "v3"]


def header(text, body=bytes(8)):
    raw = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(raw)) + raw + body


FIELDS = '"dtype":"F32","shape":[2],"data_offsets":[0,8]'
ENTRY = '"a":{' + FIELDS + "}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (' {"a":{' + FIELDS + "}}", "in place of {"),
        ("\ufeff{" + ENTRY + "}", "in place of {"),
        ("", "in place of {"),
        ("{" + ENTRY + "} x", "other bytes behind its end"),
        ("{" + ENTRY + "}\0", "other bytes behind its end"),
        ("{" + ENTRY + ",}", "in place of a name"),
        ("{,}", "in place of a name"),
        ("{" + ENTRY + "," + ENTRY + "}", "'a' twice"),
        ("{" + ENTRY + ',"\\u0061":{' + FIELDS + "}}", "'a' twice"),
        ('{"a":{"dtype":"F32",' + FIELDS + "}}", "a name twice in one entry"),
        ('{"__metadata__":{},"__metadata__":{},' + ENTRY + "}", "'__metadata__' twice"),
        ('{"__metadata__":{"x":"","x":""},' + ENTRY + "}", "'x' twice"),
        ('{"__metadata__":[],' + ENTRY + "}", "to map strings to strings"),
        ("{" + ENTRY.replace("[2]", "[NaN]") + "}", "NaN, which is no JSON"),
        ("{" + ENTRY.replace("[2]", "[-Infinity]") + "}", "-Infinity, which is no JSON"),
        ("{" + ENTRY.replace("[2]", "[2.0]") + "}", "expected sizes"),
        ("{" + ENTRY.replace("[2]", "[2e0]") + "}", "expected sizes"),
        ("{" + ENTRY.replace("[2]", "[true,2]") + "}", "expected sizes"),
        ("{" + ENTRY.replace("[2]", "[02]") + "}", "invalid JSON"),
        ("{" + ENTRY.replace("[2]", "[-0,2]").replace("8", "0") + "}", "expected sizes"),
        ("{" + ENTRY.replace("[0,8]", "[0.0,8]") + "}", r"expected \[begin, end\]"),
        ("{" + ENTRY.replace("[0,8]", "[false,8]") + "}", r"expected \[begin, end\]"),
        ("{" + ENTRY.replace("[0,8]", "[-0,8]") + "}", r"expected \[begin, end\]"),
        ("{" + ENTRY.replace("[0,8]", "[0,8,8]") + "}", r"expected \[begin, end\]"),
        ("{" + ENTRY.replace("[2]", "[0,18446744073709551616]") + "}", "expected sizes"),
        ("{" + ENTRY.replace("[2]", "[0,9223372036854775807]") + "}", "this machine can address"),
        ("{" + ENTRY.replace("[2]", "[" + "1," * 64 + "2]") + "}", "at most (64|32)"),
        ('{"\\ud800":{' + FIELDS + "}}", "not Unicode"),
        ('{"__metadata__":{"x":"\\udc00"},' + ENTRY + "}", "not Unicode"),
        (b'{"\xff":{' + FIELDS.encode() + b"}}", "not Unicode"),
        (('{"a":{' + FIELDS + ',"x":"').encode() + b'\xff"}}', "not Unicode"),
        ('{"a":{' + FIELDS + ',"x":"\\ud800"}}', "not Unicode"),
        ('{"a":{' + FIELDS + ',"x":1e400}}', "number out of range"),
        ('{"a":{' + FIELDS + ',"x":' + "[" * 126 + "]" * 126 + "}}", "more than 128 brackets"),
        ('{"a\x01":{' + FIELDS + "}}", "in place of a name"),
        ('{"a\\x":{' + FIELDS + "}}", "in place of a name"),
        ("{\x0b" + ENTRY + "}", "in place of a name"),
        ('{"a":["F32",[2],[0,8]]}', "got list"),
        ('{"a":null}', "got NoneType"),
        ("{" + ENTRY.replace('"F32"', '{"F32":null}') + "}", "to have a dtype of"),
    ],
)
def test_safetensors_headers_are_strict(text, message):
    refused(fmt.read_bytes, header(text), message)


@pytest.mark.parametrize(
    "text",
    [
        "{" + ENTRY + "}  \n\t",
        "{ \n" + ENTRY.replace(",", " ,\t").replace(":", "\r: ") + "\n}",
        '{"a":{' + FIELDS + ',"x":1,"y":-1.5e3,"z":{"":[null,true,"}]"]}}}',
        '{"a":{' + FIELDS + ',"x":' + "[" * 125 + "]" * 125 + "}}",
        '{"a":{' + FIELDS + ',"x":"' + "é}" * 3000 + '"}}',
        '{"a":{' + FIELDS + ',"x":' + "1" * 300 + "}}",
        '{"__metadata__":null,' + ENTRY + "}",
        '{"__metadata__":{"":"\\ud83d\\ude00"},' + ENTRY + "}",
        '{"\\ud83d\\ude00\\u0000":{' + FIELDS + "}}",
        '{"":{' + FIELDS + "}}",
        '{"a":{"\\u0064type":"F\\u0033\\u0032","shape":[1,2,1],"data_offsets":[0,8]}}',
        '{"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
    ],
)
def test_what_the_official_library_accepts_is_read(text):
    data = header(text, np.array([1.5, -2], np.float32).tobytes())
    expected = {name: (tuple(t["shape"]), bytes(t["data"])) for name, t in safetensors.deserialize(data)}
    found, _ = fmt.read_bytes(data)
    assert {name: (array.shape, array.tobytes()) for name, array in found.items()} == expected
    assert ours.load(data).keys() == expected.keys()  # also if they begin at odd addresses


def test_headers_that_the_official_library_cannot_read_are_not_written():
    with pytest.raises(FileFormatError, match="half of a surrogate pair"):
        fmt.write_bytes({"\ud800": X})
    with pytest.raises(FileFormatError, match="fit a header of 100000000 bytes"):
        fmt.write_bytes({"a": X}, {"note": "x" * 100_000_000})


def test_sources_that_cannot_be_read_are_refused(tmp_path):
    closed = io.BytesIO(b"text")
    closed.close()
    for source, message in (
        ("/dev/zero", "got a device"),
        (tmp_path, "Is a directory"),
        ("a\0b", "embedded null"),
        ("n" * 1_000_000, "File name too long"),
        (closed, "closed file"),
        ((tmp_path / "written").open("wb"), "readable file"),
    ):
        with pytest.raises(FileFormatError, match=message) as error:
            read_bytes(source, caller="read_idx")
        assert len(str(error.value)) < 700
        if hasattr(source, "close"):
            source.close()
    with pytest.raises(FileFormatError, match="load_file: expected a readable file at /dev/zero, got a device"):
        load("/dev/zero")


def test_a_file_larger_than_memory_is_refused(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 34)
    script = """
import resource, sys
import tabgrad as tg
resource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33))
try:
    tg.load(sys.argv[1])
except tg.FileFormatError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=60)
    assert "expected a file that fits in memory" in done.stdout, done.stderr


def test_save_and_load_survive_names_of_every_kind(tmp_path):
    names = ["", "a\0b", "größe", "😀", "\\", '"', "n" * 5000, "__metadata", "\x7f"]
    save(dict.fromkeys(names, X), tmp_path / "model")
    assert sorted(load(tmp_path / "model")) == sorted(names)
    assert json.loads((tmp_path / "model").read_bytes()[8:].split(b"}}")[0] + b"}}").keys() == set(names)
