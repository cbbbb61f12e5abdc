"""Text of a language with one rule: after t comes 7 t + 3 (modulo the vocabulary), in 85 % of the places."""

from __future__ import annotations

import numpy as np

from workloads.streams import INPUTS, LABELS, stream
from workloads.workload import Batch

OBEYED = 0.85


def text(which: int, size: int, *, context: int, vocabulary: int) -> Batch:
    """Batch ``which``: int64 tokens ``[size, context]``, and the token after each ``[size * context]``."""
    chance = stream(LABELS + which, size * (context + 1)).reshape(size, context + 1)
    drawn = (stream(INPUTS + which, size * (context + 1)) * vocabulary).astype(np.int64).reshape(size, context + 1)
    tokens = drawn.copy()
    for i in range(1, context + 1):
        tokens[:, i] = np.where(chance[:, i] < OBEYED, (tokens[:, i - 1] * 7 + 3) % vocabulary, drawn[:, i])
    return tokens[:, :-1].copy(), tokens[:, 1:].reshape(-1)
