"""How many bytes an array has whose shape a file claims; no file makes Python multiply without limit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MAX_DIMS = 32 if np.__version__.startswith("1.") else 64
_MAX_BYTES = int(np.iinfo(np.intp).max)


def array_bytes(shape: Sequence[int], itemsize: int) -> int | None:
    """The bytes of an array, or ``None`` where NumPy cannot hold it on this machine.

    NumPy wants even the sizes beside a zero to be within its limit.
    """
    if len(shape) > MAX_DIMS:
        return None
    extent = itemsize
    for size in shape:
        extent *= size or 1
        if extent > _MAX_BYTES:
            return None
    return 0 if 0 in shape else extent
