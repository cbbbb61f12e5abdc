"""The IDX format of MNIST and similar data sets: a magic number, dimensions, then the values, big-endian.

Source: https://yann.lecun.com/exdb/mnist/
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable

import numpy as np

from tabgrad.data.array_size import array_bytes
from tabgrad.data.gunzip import MAGIC, Gunzip
from tabgrad.data.images import ImageDataset
from tabgrad.data.inflate import MAX_RATIO
from tabgrad.data.source import Source, read_bytes
from tabgrad.errors import FileFormatError, shortened

_DTYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def idx(images: Source, labels: Source) -> ImageDataset:
    """MNIST-format images and labels, plain or gzip, by path or as bytes.

    Returns:
        Samples (float32 ``[1, h, w]`` in 0..1, int32 label).

    Raises:
        FileFormatError: a file is malformed or truncated, does not hold images or labels, or their
            counts differ.
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
    """One IDX file as an array of the file's dtype, in the machine's byte order.

    A gzip file is decompressed to the size in the header plus one byte, which detects extra data.

    Raises:
        FileFormatError: not an IDX file, an unknown dtype, truncated, or followed by other bytes.
    """
    data, name = read_bytes(source, caller=caller)
    try:
        return _read(data, caller, name)
    except MemoryError as error:
        raise FileFormatError(
            f"{caller}: expected an array that fits in memory, got a larger one in {name}; split the file"
        ) from error


def _read(data: bytes, caller: str, name: str) -> np.ndarray:
    packed = data[:2] == MAGIC
    read = Gunzip(data, caller=caller, name=name).read if packed else io.BytesIO(data).read
    dtype, shape, start = _header(read, caller, name)
    size = array_bytes(shape, dtype.itemsize)
    what = f"{dtype.newbyteorder('=')} {shortened(list(shape))}"
    if size is None:
        raise FileFormatError(
            f"{caller}: expected an array that NumPy can hold here, got {what} in {name}; the file is damaged"
        )
    if packed and size > MAX_RATIO * len(data):
        raise FileFormatError(
            f"{caller}: expected a complete gzip file of {start + size} bytes for {what}, got one of {len(data)} bytes "
            f"in {name}, which holds at most {MAX_RATIO} times as many; download it again"
        )
    if packed:
        body: bytes | bytearray | memoryview = read(size + 1)
        found = f"{start + len(body)}" if len(body) <= size else "more"
    else:
        body = memoryview(data)[start:]
        found = f"{len(data)}"
    if len(body) != size:
        state = "truncated" if len(body) < size else "followed by other bytes"
        raise FileFormatError(
            f"{caller}: expected {start + size} bytes for {what}, got {found} in {name}; the file is {state}"
        )
    values = np.frombuffer(body, dtype).reshape(shape)
    native = dtype.newbyteorder("=")
    if not packed:
        return values.astype(native)  # also where that is a copy: the caller may write to it
    return values if dtype == native else values.byteswap(inplace=True).view(native)


def _header(read: Callable[[int], bytes | bytearray], caller: str, name: str) -> tuple[np.dtype, tuple[int, ...], int]:
    """Dtype, shape, and the header's length."""
    magic = read(4)
    if len(magic) < 4 or magic[:2] != b"\0\0":
        raise FileFormatError(
            f"{caller}: expected an IDX file starting with bytes 00 00, got {name} starting with "
            f"{magic.hex(' ') or 'nothing'}; choose an MNIST-format file, plain or gzip"
        )
    code, ndim = magic[2], magic[3]
    if code not in _DTYPES:
        raise FileFormatError(
            f"{caller}: expected an IDX dtype code of {', '.join(f'{c:#04x}' for c in _DTYPES)}, "
            f"got {code:#04x} in {name}; the file is damaged or not IDX"
        )
    sizes = read(4 * ndim)
    if ndim == 0 or len(sizes) < 4 * ndim:
        raise FileFormatError(
            f"{caller}: expected a header with at least one dimension, got {4 + len(sizes)} bytes and "
            f"{ndim} dimensions in {name}; the file is truncated or damaged"
        )
    return np.dtype(_DTYPES[code]), struct.unpack(f">{ndim}I", sizes), 4 + 4 * ndim
