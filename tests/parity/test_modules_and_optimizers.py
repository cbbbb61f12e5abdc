"""Samples of today's share of PyTorch's modules and optimizers: none may be worse than the table says."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from daily import EVERYTHING, daily_random, of_today
from parity import table

DAYS = 8
SAMPLES = 2  # of each kind


def check(kind: str, name: str, record: Any) -> None:
    """Run samples of a class; fails where the table does not allow what comes out."""
    import collections

    from parity import functions, modules, optimizers

    modules.tg.set_default_device("reference")
    source: Any = modules if kind == "module" else optimizers
    infos = modules.in_scope() if kind == "module" else optimizers.optim_db
    limit, known = None if EVERYTHING else SAMPLES, table.rows(kind)[name]
    seed = daily_random(f"samples of {name}").randrange(2**31)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = [r for info in infos if info.name == name for r in source.reports(info, limit=limit, seed=seed)]
    assert said, f"{name} is in the table, and is not there"
    record("parity", dict(sum((report.counts for report in said), collections.Counter())))
    worse = [o for o in (functions.WRONG, functions.CRASHED, functions.REFUSED, functions.ACCEPTED) if not known[o]]
    bad = [str(report) for report in said if any(report.counts[o] for o in worse)]
    if bad:
        pytest.fail("\n".join(bad), pytrace=False)


@pytest.mark.parametrize("name", of_today("samples of modules", list(table.rows("module")), DAYS))
def test_modules(name: str, record_property: Any) -> None:
    check("module", name, record_property)


@pytest.mark.parametrize("name", of_today("samples of optimizers", list(table.rows("optimizer")), DAYS))
def test_optimizers(name: str, record_property: Any) -> None:
    check("optimizer", name, record_property)
