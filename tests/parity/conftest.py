"""The totals of the run, at its end."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

import pytest

import tabgrad as tg


@pytest.fixture(autouse=True)
def same_device() -> Iterator[None]:
    """Each test chooses its device; the next one begins on the one before."""
    session = tg.current_session()
    before = session.device
    yield
    session.select(before)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Counts of all samples that ran, by device, in whichever process."""
    totals: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            for key, counts in getattr(report, "user_properties", []):
                if key.startswith("parity") and report.when == "call":
                    totals[key.removeprefix("parity")].update(counts)
    for device, total in sorted(totals.items()):
        words = ", ".join(f"{count} {name}" for name, count in total.items())
        terminalreporter.write_line(f"PyTorch's samples{device}: {words}")
