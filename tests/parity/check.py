"""A share of the functions, with samples of today: none may be wrong or crash, and what works in the table works."""

from __future__ import annotations

import collections
import zlib
from typing import Any

import pytest

from daily import EVERYTHING, daily_random, of_today
from parity import table

SHARES = 3  # files of tests, for as many processes
DAYS = 2  # within which each function has its turn
SAMPLES = 6  # of each function, variant and dtype, where not all are run


def share(number: int) -> list[str]:
    """Names of today's functions of one file."""
    of_file = [name for name in table.rows() if zlib.crc32(name.encode()) % SHARES == number]
    return of_today(f"samples {number}", of_file, DAYS)


def check(name: str, record: Any) -> None:
    """Run samples of a function on the reference device; fails where the table does not allow what comes out."""
    import torch

    from parity import functions

    functions.tg.set_default_device("reference")
    limit = None if EVERYTHING else SAMPLES
    seed = daily_random(f"samples of {name}").randrange(2**31)
    known, total, said = table.rows()[name], collections.Counter[str](), []
    for op in functions.op_db:
        if op.name != name:
            continue
        assert functions.variants(op), f"{name} is in the table, and is not there"
        for dtype in (torch.float32, torch.int64, torch.bool):
            if dtype in op.supported_dtypes("cpu"):
                found = list(functions.reports(op, dtype, gradients=True, limit=limit, seed=seed))
                said += found
        if (report := functions.errors(op)) is not None:
            said.append(report)
    for report in said:
        total += report.counts
    record("parity", dict(total))
    worse = [o for o in (functions.WRONG, functions.CRASHED, functions.REFUSED, functions.ACCEPTED) if not known[o]]
    bad = [str(report) for report in said if any(report.counts[o] for o in worse)]
    if bad:
        pytest.fail("\n".join(bad), pytrace=False)


__all__ = ["SHARES", "check", "share"]
