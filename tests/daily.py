"""The seed of tests that look at random cases, and of those that take turns: another one each day, the same all day.

It is printed with every run. ``TABGRAD_FUZZ_SEED=2026-11-22`` repeats the random cases, and the choice, of that day;
``TABGRAD_ALL_CASES=1`` runs what takes turns in full.
"""

import datetime
import functools
import os
import random
import zlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
Test = Callable[..., None]

SEED = os.environ.get("TABGRAD_FUZZ_SEED") or datetime.datetime.now(datetime.UTC).date().isoformat()
EVERYTHING = os.environ.get("TABGRAD_ALL_CASES", "") not in ("", "0")
MOST_DAYS = 8  # within which each case has its turn


def daily_random(name: str) -> random.Random:
    """Random numbers of today for one test.

    Args:
        name: of the test, so that each has numbers of its own.
    """
    return random.Random(zlib.crc32(f"{SEED} {name}".encode()))


def of_today(name: str, cases: Sequence[T], days: int) -> list[T]:
    """The cases whose turn it is today, in their order: one of ``days`` shares of about the same size.

    Args:
        name: of the test.
        cases: all of them; each has its turn on one of any ``days`` days in a row.
        days: from 1 to ``MOST_DAYS``; where there are fewer cases, as many as there are.
    """
    assert 1 <= days <= MOST_DAYS, days
    mixed = random.Random(zlib.crc32(name.encode())).sample(range(len(cases)), len(cases))  # the same on all days
    shares = 1 if EVERYTHING else max(1, min(days, len(cases)))
    turn = _day(SEED) % shares
    chosen = {n for place, n in enumerate(mixed) if place % shares == turn}
    return [case for n, case in enumerate(cases) if n in chosen]


def examples_of_today(days: int) -> Callable[[Test], Test]:
    """Decorates a test below Hypothesis' ``given``: of the examples, which are the same each day, those of today run.

    Args:
        days: from 1 to ``MOST_DAYS``; each example has its turn on one of any ``days`` days in a row.
    """
    assert 1 <= days <= MOST_DAYS, days

    def decorated(test: Test) -> Test:
        @functools.wraps(test)
        def run(**values: Any) -> None:
            drawn = {
                name: value for name, value in sorted(values.items()) if isinstance(value, int | tuple | list | set)
            }
            if EVERYTHING or zlib.crc32(repr(drawn).encode()) % days == _day(SEED) % days:
                test(**values)

        return run

    return decorated


def _day(seed: str) -> int:
    """A number that grows by one from day to day; any one for a seed that is no date."""
    try:
        return datetime.date.fromisoformat(seed).toordinal()
    except ValueError:
        return zlib.crc32(seed.encode())
