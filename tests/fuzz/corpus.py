"""Small sound files of every kind that is read, from which the fuzzer starts."""

import gzip
import io
import struct
import zipfile
import zlib
from unittest import mock

import numpy as np
import safetensors.torch
import torch

from tabgrad.interop import safetensors_format as fmt

IDX_CODES = {"u1": 0x08, "i1": 0x09, "i2": 0x0B, "i4": 0x0C, "f4": 0x0D, "f8": 0x0E}


def idx(array):
    """An array as an IDX file."""
    code = IDX_CODES[array.dtype.str[1:]]
    head = struct.pack(f">BBBB{array.ndim}I", 0, 0, code, array.ndim, *array.shape)
    return head + array.astype(array.dtype.newbyteorder(">")).tobytes()


def packed(data, *, flags=0, extra=b""):
    """A gzip member with optional header fields, as gzip(1) may write them."""
    head = b"\x1f\x8b\x08" + bytes([flags]) + bytes(4) + b"\0\3" + extra
    if flags & 2:
        head += struct.pack("<H", zlib.crc32(head) & 0xFFFF)
    deflate = zlib.compressobj(wbits=-15)
    return head + deflate.compress(data) + deflate.flush() + struct.pack("<LL", zlib.crc32(data), len(data))


def npz(arrays, save=np.savez):
    """Arrays by name as an archive."""
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


class _Stream(io.RawIOBase):
    """A file that cannot go back, as a pipe: sizes then follow each member."""

    def __init__(self):
        self.parts = []

    def writable(self):
        return True

    def write(self, data):
        self.parts.append(bytes(data))
        return len(data)


def streamed(arrays):
    """As :func:`npz`, written to a pipe."""
    file = _Stream()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array)
            archive.writestr(f"{name}.npy", member.getvalue())
    return b"".join(file.parts)


def wide(arrays):
    """As :func:`npz`, with numbers of 64 bits wherever the zip format has them."""
    file = io.BytesIO()
    with (
        mock.patch.object(zipfile, "ZIP64_LIMIT", 0),
        mock.patch.object(zipfile, "ZIP_FILECOUNT_LIMIT", 0),
        zipfile.ZipFile(file, "w") as archive,
    ):
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array)
            archive.writestr(f"{name}.npy", member.getvalue())
    return file.getvalue()


def versions(array):
    """An archive of one array in each version of NumPy's format."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for version in ((1, 0), (2, 0), (3, 0)):
            member = io.BytesIO()
            np.lib.format.write_array(member, array, version=version)
            archive.writestr(f"v{version[0]}.npy", member.getvalue())
    return file.getvalue()


IMAGES = np.arange(60, dtype=np.uint8).reshape(3, 4, 5)
ARRAYS = {
    "x": np.arange(12, dtype=np.float32).reshape(3, 4),
    "y": np.array([3, 1, 2]),
    "mask": np.array([True, False]),
    "half": np.ones((2, 1, 2), np.float16),
    "fortran": np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)),
    "big": np.arange(4, dtype=">f8"),
    "scalar": np.float32(2.5),
    "none": np.zeros((0, 3), np.int32),
    "names": np.array(["a", "größer"]),
    "bytes": np.array([b"ab", b"c"]),
    "when": np.array(["2026-11-22"], "M8[D]"),
    "z": np.ones(2, np.complex64),
}
STATE = {
    "layer.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
    "layer.bias": np.array([1, -1], np.int32),
    "mask": np.array([True, False, True]),
    "größe": np.float32(3.5).reshape(()),
    "empty": np.zeros((0, 4), np.float32),
    "steps": np.array(7, np.int64),
}

CORPUS = {
    "idx": [
        idx(IMAGES),
        idx(np.array([7, 1, 0], np.uint8)),
        *(idx(np.array([[1, 2, 3], [4, 5, 100]]).astype(code)) for code in IDX_CODES),
        gzip.compress(idx(IMAGES), mtime=0),
        gzip.compress(idx(np.zeros((4, 28, 28), np.uint8)), mtime=0),
        packed(idx(IMAGES), flags=8, extra=b"images\0"),
        packed(idx(IMAGES), flags=2 | 4 | 16, extra=b"\3\0abcnote\0"),
        gzip.compress(idx(IMAGES)[:30], mtime=0) + gzip.compress(idx(IMAGES)[30:], mtime=0),
    ],
    "npz": [
        npz(ARRAYS),
        npz(ARRAYS, np.savez_compressed),
        npz({"x": np.zeros((20, 50), np.float32)}, np.savez_compressed),
        npz({"x": ARRAYS["x"]}),
        streamed({"x": ARRAYS["x"], "y": ARRAYS["y"]}),
        versions(ARRAYS["x"]),
        wide({"x": ARRAYS["x"], "y": ARRAYS["y"]}),
    ],
    "safetensors": [
        fmt.write_bytes(STATE),
        fmt.write_bytes(STATE, {"format": "pt", "note": 'größer than "x"\n'}),
        fmt.write_bytes({"a": STATE["layer.weight"]}),
        fmt.write_bytes({}),
        safetensors.torch.save(
            {
                "a": torch.arange(6.0).reshape(2, 3),
                "b": torch.ones(3, dtype=torch.bfloat16),
                "c": torch.ones(2, dtype=torch.float16),
                "d": torch.tensor([True, False]),
                "e": torch.zeros(2, 0, dtype=torch.float64),
                "f": torch.tensor([1, 2], dtype=torch.uint8),
            },
            {"epoch": "3"},
        ),
    ],
}
