"""Streams of numbers that any language can make: mulberry32 in counter form."""

from __future__ import annotations

import numpy as np

LABELS, INPUTS = 2000, 3000  # first streams of the batches; parameters take those from 0


def mulberry(seed: int, count: int, start: int = 0) -> np.ndarray:
    """``count`` float32 numbers in [0, 1): mulberry32, each from its own state ``seed + i * 0x6D2B79F5``."""
    state = (seed + np.arange(start + 1, start + count + 1, dtype=np.uint64) * 0x6D2B79F5).astype(np.uint32)
    with np.errstate(over="ignore"):
        mixed = (state ^ (state >> np.uint32(15))) * (state | np.uint32(1))
        mixed ^= mixed + (mixed ^ (mixed >> np.uint32(7))) * (mixed | np.uint32(61))
    mixed ^= mixed >> np.uint32(14)
    return (mixed / 2.0**32).astype(np.float32)


def stream(number: int, count: int, start: int = 0) -> np.ndarray:
    """``count`` numbers of a stream, in float64; seeds are multiples of 2**32 over the golden ratio."""
    return mulberry(0x9E3779B9 * (number + 1) % 2**32, count, start).astype(np.float64)
