"""The seed of tests that look at random cases: another one each day, the same one all day, printed with every run."""

import datetime
import os
import random
import zlib

SEED = os.environ.get("TABGRAD_FUZZ_SEED") or datetime.datetime.now(datetime.UTC).date().isoformat()


def daily_random(name: str) -> random.Random:
    """Random numbers of today for one test; ``TABGRAD_FUZZ_SEED=2026-11-22`` repeats those of another day.

    Args:
        name: of the test, so that each has numbers of its own.
    """
    return random.Random(zlib.crc32(f"{SEED} {name}".encode()))
