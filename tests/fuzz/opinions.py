"""Second, strict opinions on files: what they refuse may not be accepted, and what both accept must be equal."""

import gzip
import io
import json
import math
import warnings
import zipfile
import zlib

import numpy as np
import safetensors

from fuzz.corpus import IDX_CODES
from tabgrad.data.array_size import MAX_DIMS
from tabgrad.interop.safetensors_header import DTYPES

_IDX = {code: np.dtype(f">{name}") for name, code in IDX_CODES.items()}


def idx(data):
    """An IDX file's array by the format's text, or the reason why it is none."""
    if data[:2] == b"\x1f\x8b":
        try:
            inside, rest = b"", data
            while rest:
                member = zlib.decompressobj(wbits=31)
                inside += member.decompress(rest)
                if not member.eof:
                    return "truncated"
                rest = member.unused_data
            assert inside == gzip.decompress(data)  # which does not look at flags and the header's checksum
        except (OSError, EOFError, zlib.error) as error:
            return str(error)
        data = inside
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] not in _IDX or not data[3] or len(data) < 4 + 4 * data[3]:
        return "header"
    shape = tuple(int.from_bytes(data[4 + 4 * k : 8 + 4 * k], "big") for k in range(data[3]))
    dtype = _IDX[data[2]]
    if len(data) != 4 + 4 * data[3] + math.prod(shape) * dtype.itemsize:
        return "length"
    try:
        return np.frombuffer(data, dtype, offset=4 + 4 * data[3]).reshape(shape)
    except ValueError as error:
        return str(error)


def npz(data):
    """An archive's arrays by NumPy and zipfile together, or the reason why they refuse it."""
    try:
        with warnings.catch_warnings(), zipfile.ZipFile(io.BytesIO(data)) as archive:
            warnings.simplefilter("error")  # NumPy warns of headers of Python 2
            names = archive.namelist()
            if archive.testzip() is not None:
                return "checksum"
            if len(set(names)) < len(names) or not all(name.endswith(".npy") for name in names):
                return "names"
            if archive.comment or any(info.flag_bits & 1 for info in archive.infolist()):
                return "comment or encrypted"
            arrays = {}
            for name in names:
                member = io.BytesIO(archive.read(name))
                arrays[name.removesuffix(".npy")] = np.lib.format.read_array(member, allow_pickle=False)
                if member.read():
                    return "bytes behind an array"
        with np.load(io.BytesIO(data), allow_pickle=False) as loaded:
            for name in loaded.files:
                np.testing.assert_array_equal(loaded[name], arrays[name])
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a refusal
        return f"{type(error).__name__}: {error}"
    return arrays


def official(data):
    """A safetensors file's tensors by the official library: ``{name: (dtype, shape, bytes)}``, or its refusal."""
    try:
        return {name: (t["dtype"], tuple(t["shape"]), bytes(t["data"])) for name, t in safetensors.deserialize(data)}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a refusal
        return str(error)


def forbidden_by_the_text(data, tensors):
    """Why a file that the official library accepts may be refused; see :mod:`tabgrad.interop.safetensors_header`."""
    size = int.from_bytes(data[:8], "little")
    text = data[8 : 8 + size].decode()
    twice = []

    def unique(pairs):
        twice.extend(pairs if len(dict(pairs)) < len(pairs) else ())
        return dict(pairs)

    header = json.loads(text, object_pairs_hook=unique)
    if text[:1] != "{":
        return "anything before {"
    if twice:
        return "a name twice"
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        if not isinstance(entry, dict) or not isinstance(entry["dtype"], str):
            return "described by a list"
        if entry["dtype"] not in DTYPES:
            return "a dtype that is not supported"
        if len(json.dumps(entry)) > 60_000:
            return "an entry too long"
        if len(entry["shape"]) > MAX_DIMS:
            return "a shape beyond NumPy"
        try:
            if 0 in entry["shape"]:
                np.empty(0, DTYPES[entry["dtype"]]).reshape(entry["shape"])
        except ValueError:
            return "a shape beyond NumPy"
    if any(dtype == "BOOL" and set(raw) - {0, 1} for dtype, _, raw in tensors.values()):
        return "booleans of other bytes"
    return None
