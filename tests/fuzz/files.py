"""Damaged files against the readers: ``python tests/fuzz/files.py --count 10000``.

Every file must be read or refused by a tabgrad error of one short line, in two seconds, within four times the memory
that it needs; and none may be accepted that a strict second reader refuses. A file *needs* its own bytes, those of
the arrays that its headers claim (as far as so many packed bytes can hold them), a kilobyte per array, and 128 KB.
"""

import argparse
import collections
import itertools
import sys
import time
import tracemalloc
from pathlib import Path
from unittest import mock

import numpy as np

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "py_core")]

from daily import SEED, daily_random
from fuzz import opinions
from fuzz.mutations import mutated
from tabgrad.data import array_size, idx, npy
from tabgrad.data.idx import read_idx
from tabgrad.data.npz import read_npz
from tabgrad.dtypes import float32
from tabgrad.errors import TabgradError
from tabgrad.interop import safetensors, safetensors_header
from tabgrad.interop import safetensors_format as fmt

MAX_SECONDS, MAX_TIMES = 2.0, 4
MAX_RATIO = 1032  # of Deflate
READERS = {
    "idx": lambda data: {"": read_idx(data)},
    "npz": read_npz,
    "safetensors": lambda data: fmt.read_bytes(data)[0],
}


class Claims:
    """The bytes of all arrays that headers claim while a file is read."""

    def __init__(self):
        self.sizes = []

    def __call__(self, shape, itemsize):
        size = array_size.array_bytes(shape, itemsize)
        self.sizes.append(size or 0)
        return size


def read(kind, data):
    """(Arrays or the refusal, seconds, the most memory taken, memory needed)."""
    claims = Claims()
    with (
        mock.patch.object(npy, "array_bytes", claims),
        mock.patch.object(idx, "array_bytes", claims),
        mock.patch.object(safetensors_header, "array_bytes", claims),
    ):
        tracemalloc.start()
        start = time.process_time()
        try:
            result = READERS[kind](data)
        except TabgradError as error:
            result = str(error)
        seconds = time.process_time() - start
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    possible = MAX_RATIO * len(data)
    claimed = sum(size for size in claims.sizes if size <= possible)
    return result, seconds, peak, len(data) + min(claimed, possible) + 1024 * len(claims.sizes) + 128 * 1024


def check(kind, data):
    """Read a file, and compare with a second opinion; (what happened, seconds, memory as a multiple of the need)."""
    result, seconds, peak, needed = read(kind, data)
    assert seconds < MAX_SECONDS, f"{seconds:.1f} s"
    assert peak <= MAX_TIMES * needed, f"{peak} bytes taken, {needed} needed"
    if isinstance(result, str):
        assert len(result) < 1500 and "\n" not in result, result
        if kind == "safetensors":
            tensors = opinions.official(data)
            excuse = isinstance(tensors, str) or opinions.forbidden_by_the_text(data, tensors)
            assert excuse, f"the official library accepts what is refused: {result}"
        return "refused", seconds, peak / needed
    if kind == "safetensors":
        _compare_tensors(result, data)
    else:
        other = opinions.idx(data) if kind == "idx" else opinions.npz(data)
        assert not isinstance(other, str), f"a strict reader refuses what is accepted: {other}"
        other = {"": other} if kind == "idx" else other
        assert list(result) == list(other)
        for name, array in result.items():
            assert array.shape == other[name].shape and array.dtype == other[name].dtype.newbyteorder("=")
            np.testing.assert_array_equal(array, other[name])
    return "accepted", seconds, peak / needed


def _compare_tensors(result, data):
    tensors = opinions.official(data)
    assert not isinstance(tensors, str), f"the official library refuses what is accepted: {tensors}"
    assert result.keys() == tensors.keys()
    names = fmt.dtype_names(data)
    for name, array in result.items():
        assert (names[name], array.shape, array.tobytes()) == tensors[name]
    try:
        safetensors.load(data, dtype=float32)
    except TabgradError:
        pass  # integers that int32 does not hold


def fuzz(count, keep=None):
    """Check so many files: (what happened how often, what is wrong, most seconds, most memory as a multiple).

    Args:
        keep: a folder for the files in which something is wrong.
    """
    rng = daily_random("fuzz files")
    seen, wrong, slowest, largest = collections.Counter(), [], 0.0, 0.0
    for number, kind in zip(range(count), itertools.cycle(READERS), strict=False):
        data = mutated(rng, kind)
        try:
            what, seconds, multiple = check(kind, data)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
            wrong.append(f"file {number}, {kind}, {len(data)} bytes: {type(error).__name__}: {str(error)[:400]}")
            if keep is not None:
                (keep / f"{kind}-{number}.bin").write_bytes(data)
        else:
            seen[kind, what] += 1
            slowest, largest = max(slowest, seconds), max(largest, multiple)
    return seen, wrong, slowest, largest


def _main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="files to check")
    parser.add_argument("--keep", type=Path, help="folder for the files in which something is wrong")
    options = parser.parse_args()
    seen, wrong, slowest, largest = fuzz(options.count, options.keep)
    for (kind, what), times in sorted(seen.items()):
        print(f"{kind:12} {what:9} {times}")
    print(*wrong, sep="\n")
    print(f"{len(wrong)} wrong; slowest {slowest:.2f} s; at most {largest:.2f} times the memory needed; seed {SEED}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(_main())
