"""Random numbers of a dataset: they depend on the seed, the epoch and the sample, and on nothing else.

So batches are the same whoever prepares them, in whatever order, and a run that is resumed goes on as it would have.
"""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from tabgrad.random import threefry2x32
from tabgrad.session import current

T = TypeVar("T")


class SampleChance:
    """Seeds the generators that datasets use: Python's, NumPy's and the session's.

    Args:
        seed: of the loader's generator.
        epoch: counted by the loader.
    """

    def __init__(self, seed: int, epoch: int) -> None:
        self.seed, self.epoch = seed, epoch

    def drawn(self, sample: Any, fetch: Callable[[], T]) -> T:
        """What ``fetch`` returns for this sample, an index or whatever names it."""
        index = sample if isinstance(sample, int) else zlib.crc32(repr(sample).encode())
        seed = int(threefry2x32(self.seed, index & 0xFFFFFFFF, self.epoch))
        knew_numpy = self._sow(seed)
        fetched = fetch()
        if not knew_numpy and "numpy.random" in sys.modules:  # which loads when it is first used
            self._sow(seed)
            fetched = fetch()
        return fetched

    def begin_stream(self, worker: int) -> None:
        """Seed the generators for a worker's share of a dataset without indices, whose samples have no names."""
        self._sow(int(threefry2x32(self.seed, worker, self.epoch)))

    def _sow(self, seed: int) -> bool:
        random.seed(seed)
        current().generator.manual_seed(seed)
        numpy_random = sys.modules.get("numpy.random")
        if numpy_random is not None:
            numpy_random.seed(seed)
        return numpy_random is not None

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Keeps the generators of the training as they are."""
        generator = current().generator
        before, python = generator.get_state(), random.getstate()
        numpy_random = sys.modules.get("numpy.random")
        numpys = None if numpy_random is None else numpy_random.get_state()
        try:
            yield
        finally:
            generator.set_state(before)
            random.setstate(python)
            if numpy_random is not None:
                numpy_random.set_state(numpys)


__all__ = ["SampleChance"]
