"""The size in bytes of an array whose shape comes from a file, computed in bounded time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MAX_DIMS = 32 if np.__version__.startswith("1.") else 64
_MAX_BYTES = int(np.iinfo(np.intp).max)


def array_bytes(shape: Sequence[int], itemsize: int) -> int | None:
    """The size of an array in bytes, or ``None`` if NumPy cannot hold it on this machine.

    NumPy applies its limit to the other sizes even if one size is 0.
    """
    if len(shape) > MAX_DIMS:
        return None
    extent = itemsize
    for size in shape:
        extent *= size or 1
        if extent > _MAX_BYTES:
            return None
    return 0 if 0 in shape else extent
