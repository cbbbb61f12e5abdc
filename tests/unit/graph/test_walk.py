"""Walks meet each value once, however often it is needed and however deep it lies."""

from __future__ import annotations

from tabgrad.graph.walk import in_order, reached

NEEDS = {"d": ("b", "c"), "c": ("a", "b"), "b": ("a",), "a": (), "x": ("b", "x2"), "x2": ()}


def test_reached_values_come_once() -> None:
    asked: list[str] = []

    def onward(value: str) -> tuple[str, ...]:
        asked.append(value)
        return NEEDS[value]

    found = list(reached(["d", "c"], onward))
    assert sorted(found) == ["a", "b", "c", "d"]
    assert sorted(asked) == sorted(found)


def test_reach_ends_where_there_is_nowhere_to_go_on() -> None:
    assert set(reached(["d"], lambda v: NEEDS[v] if v != "c" else ())) == {"a", "b", "c", "d"}
    assert set(reached(["d"], lambda v: ("c",) if v == "d" else ())) == {"c", "d"}


def test_looking_for_one_value_goes_no_further() -> None:
    asked: list[int] = []

    def onward(n: int) -> list[int]:
        asked.append(n)
        return [n + 1]

    assert 5 in reached([0], onward)  # of infinitely many
    assert asked == [0, 1, 2, 3, 4]


def test_order_has_arguments_first_and_the_first_root_first() -> None:
    assert in_order(["d", "x"], NEEDS.__getitem__) == ["a", "b", "c", "d", "x2", "x"]
    assert in_order([], NEEDS.__getitem__) == []


def test_deep_graphs_need_no_deep_stack() -> None:
    assert in_order([20_000], lambda n: (n - 1,) if n else ()) == list(range(20_001))
