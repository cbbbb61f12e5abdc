"""The IDX format of MNIST and its kin: a magic number, dimensions, then the values, big-endian.

Source: https://yann.lecun.com/exdb/mnist/
"""

from __future__ import annotations

import math
import struct
import zlib

import numpy as np

from tabgrad.data.images import ImageDataset
from tabgrad.data.source import Source, read_bytes
from tabgrad.errors import FileFormatError

_DTYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_GZIP_MAGIC = b"\x1f\x8b"


def idx(images: Source, labels: Source) -> ImageDataset:
    """MNIST-format images and labels, plain or gzip, by path or as bytes.

    Returns:
        Samples (float32 ``[1, h, w]`` in 0..1, int32 label).

    Raises:
        FileFormatError: a file is malformed or truncated, is not images or labels, or they differ
            in number.
    """
    pixels = read_idx(images, caller="idx(images)")
    classes = read_idx(labels, caller="idx(labels)")
    if pixels.ndim != 3 or pixels.dtype != np.uint8:
        raise FileFormatError(
            f"idx: expected images as uint8 [n, h, w], got {pixels.dtype} {list(pixels.shape)}; "
            "are images and labels exchanged?"
        )
    if classes.ndim != 1 or classes.dtype.kind not in "iu":
        raise FileFormatError(
            f"idx: expected labels as integers [n], got {classes.dtype} {list(classes.shape)}; "
            "are images and labels exchanged?"
        )
    if len(pixels) != len(classes):
        raise FileFormatError(
            f"idx: expected as many labels as images, got {len(pixels)} images and {len(classes)} labels; "
            "the files are not of one set (training and test mixed?)"
        )
    return ImageDataset(pixels, classes)


def read_idx(source: Source, *, caller: str = "read_idx") -> np.ndarray:
    """One IDX file as an array of its own dtype, in the machine's byte order.

    Raises:
        FileFormatError: no IDX file, an unknown dtype, truncated, or followed by other bytes.
    """
    data, name = read_bytes(source, caller=caller)
    if data[:2] == _GZIP_MAGIC:
        import gzip  # here: its imports would delay a page's start

        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise FileFormatError(
                f"{caller}: expected a complete gzip file, got {name}: {error}; download it again"
            ) from error
    if len(data) < 4 or data[:2] != b"\0\0":
        raise FileFormatError(
            f"{caller}: expected an IDX file starting with bytes 00 00, got {name} starting with "
            f"{data[:4].hex(' ') or 'nothing'}; choose an MNIST-format file, plain or gzip"
        )
    code, ndim = data[2], data[3]
    if code not in _DTYPES:
        raise FileFormatError(
            f"{caller}: expected an IDX dtype code of {', '.join(f'{c:#04x}' for c in _DTYPES)}, "
            f"got {code:#04x} in {name}; the file is damaged or not IDX"
        )
    if ndim == 0 or len(data) < 4 + 4 * ndim:
        raise FileFormatError(
            f"{caller}: expected a header with at least one dimension, got {len(data)} bytes and "
            f"{ndim} dimensions in {name}; the file is truncated or damaged"
        )
    shape = struct.unpack(f">{ndim}I", data[4 : 4 + 4 * ndim])
    dtype = np.dtype(_DTYPES[code])
    expected = 4 + 4 * ndim + math.prod(shape) * dtype.itemsize
    if len(data) != expected:
        state = "truncated" if len(data) < expected else "followed by other bytes"
        raise FileFormatError(
            f"{caller}: expected {expected} bytes for {dtype.newbyteorder('=')} {list(shape)}, "
            f"got {len(data)} in {name}; the file is {state}"
        )
    values = np.frombuffer(data, dtype, offset=4 + 4 * ndim).reshape(shape)
    return values.astype(dtype.newbyteorder("="))
