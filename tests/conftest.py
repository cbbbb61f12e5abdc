"""What all tests share. Skips are counted and listed with their reasons at the end of a run (``-ra``)."""

import os

import daily

collect_ignore = ["bench"]  # benchmarks are programs of their own and never fail a run

# Equal runs give equal bits only without tuning, and the user's cache is none of the tests' business.
os.environ.setdefault("TABGRAD_TUNING", "off")

os.environ.setdefault("TABGRAD_FUZZ_SEED", daily.SEED)  # two processes of one run begin on the same day


def pytest_report_header() -> str:
    """The seed of today's cases, so that a failure can be repeated on another day."""
    everything = "; all cases (TABGRAD_ALL_CASES)" if daily.EVERYTHING else ""
    return f"random cases and turns: TABGRAD_FUZZ_SEED={daily.SEED}{everything}"
