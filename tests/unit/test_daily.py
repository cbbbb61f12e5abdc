"""Cases that take turns: each has its own within so many days, and a day's choice can be repeated."""

from __future__ import annotations

import datetime

import pytest

import daily


@pytest.fixture(autouse=True)
def by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases take turns, even in a run of all of them."""
    monkeypatch.setattr(daily, "EVERYTHING", False)


def chosen(seed: str, count: int, days: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    monkeypatch.setattr(daily, "SEED", seed)
    return daily.of_today("a test", range(count), days)


@pytest.mark.parametrize(("count", "days"), [(17, 4), (8, 8), (3, 5), (1, 2)])
def test_each_case_has_one_turn_in_so_many_days(count: int, days: int, monkeypatch: pytest.MonkeyPatch) -> None:
    days = min(days, count)  # fewer cases are through sooner
    dates = [str(datetime.date(2026, 12, 30) + datetime.timedelta(n)) for n in range(days)]
    by_day = [chosen(date, count, days, monkeypatch) for date in dates]
    assert sorted(case for cases in by_day for case in cases) == list(range(count))
    assert max(map(len, by_day)) - min(map(len, by_day)) <= 1
    assert all(cases == sorted(cases) for cases in by_day)


def test_a_days_choice_is_repeated_by_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in ("2026-11-22", "any text"):
        assert chosen(seed, 20, 4, monkeypatch) == chosen(seed, 20, 4, monkeypatch) != []
    assert chosen("2026-11-22", 20, 4, monkeypatch) != chosen("2026-11-23", 20, 4, monkeypatch)


def test_everything_is_chosen_on_request_and_nothing_of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen("2026-11-22", 0, 4, monkeypatch) == []
    monkeypatch.setattr(daily, "EVERYTHING", True)
    assert chosen("2026-11-22", 20, 4, monkeypatch) == list(range(20))
