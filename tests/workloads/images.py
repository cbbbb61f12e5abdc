"""Labelled images: noise, in which the label is the place of a brighter band of rows."""

from __future__ import annotations

import numpy as np

from workloads.streams import INPUTS, LABELS, stream
from workloads.workload import Batch

CLASSES = 10


def images(which: int, size: int, *, channels: int, side: int, flat: bool = False) -> Batch:
    """Batch ``which``: float32 ``[size, channels, side, side]`` (rows of pixels if ``flat``), int64 labels ``[size]``.

    Noise in [-0.5, 0.5), raised by 0.5 in the tenth of the rows that the label names.
    """
    labels = (stream(LABELS + which, size) * CLASSES).astype(np.int64)
    noise = stream(INPUTS + which, size * channels * side * side).reshape(size, channels, side, side) - 0.5
    bright = np.arange(side) * CLASSES // side == labels[:, None]  # [size, side]
    pixels = (noise + 0.5 * bright[:, None, :, None]).astype(np.float32)
    return (pixels.reshape(size, -1) if flat else pixels), labels
