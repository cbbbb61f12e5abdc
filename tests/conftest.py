"""What all tests share. Skips are counted and listed with their reasons at the end of a run (``-ra``)."""

import os

import pytest

import daily

collect_ignore = ["bench"]  # benchmarks are programs of their own and never fail a run

# Equal runs give equal bits only without tuning, and the user's cache is none of the tests' business.
os.environ.setdefault("TABGRAD_TUNING", "off")

os.environ.setdefault("TABGRAD_FUZZ_SEED", daily.SEED)  # two processes of one run begin on the same day

# Of the last folder, the files that take longest: they come first there, so that the processes end at about one time.
LONGEST = ("unit/test_workloads.py", "unit/test_recipes.py", "unit/test_plain_loops.py")


def _turn(path: str) -> int:
    for number, name in enumerate(LONGEST):
        if path.endswith(name):
            return number
    return len(LONGEST)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = [n for n, item in enumerate(items) if "/tests/unit/" in item.path.as_posix()]
    ordered = sorted((items[n] for n in places), key=lambda item: _turn(item.path.as_posix()))
    for n, item in zip(places, ordered, strict=True):
        items[n] = item


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What programs written for PyTorch took, which fails no test."""
    reports = [r for outcome in ("passed", "failed") for r in terminalreporter.getreports(outcome) if r.when == "call"]
    rows = sorted(str(row) for report in reports for name, row in report.user_properties if name == "program")
    if rows:
        terminalreporter.section("programs: largest difference to PyTorch's losses, first step in s, later ones in ms")
        for row in rows:
            terminalreporter.line(row)


def pytest_report_header() -> str:
    """The seed of today's cases, so that a failure can be repeated on another day."""
    everything = "; all cases (TABGRAD_ALL_CASES)" if daily.EVERYTHING else ""
    return f"random cases and turns: TABGRAD_FUZZ_SEED={daily.SEED}{everything}"
