"""The seed of tests that look at random cases: another one each day, the same one all day, printed with every run."""

import datetime
import os
import random
import zlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

SEED = os.environ.get("TABGRAD_FUZZ_SEED") or datetime.datetime.now(datetime.UTC).date().isoformat()


def daily_random(name: str) -> random.Random:
    """Random numbers of today for one test; ``TABGRAD_FUZZ_SEED=2026-11-22`` repeats those of another day.

    Args:
        name: of the test, so that each has numbers of its own.
    """
    return random.Random(zlib.crc32(f"{SEED} {name}".encode()))


def of_today(name: str, cases: Sequence[T], share: float) -> list[T]:
    """A share of the cases, in their order: those of today.

    Args:
        name: of the test.
        cases: all of them; elsewhere, or over many days, each one runs.
        share: above 0; at least one case is chosen.
    """
    return halves_of_today(name, cases, share)[0]


def halves_of_today(name: str, cases: Sequence[T], share: float) -> tuple[list[T], list[T]]:
    """What :func:`of_today` chooses, and all other cases: each runs in one of two places every day."""
    chosen = set(daily_random(name).sample(range(len(cases)), max(1, round(share * len(cases)))))
    return [c for n, c in enumerate(cases) if n in chosen], [c for n, c in enumerate(cases) if n not in chosen]
