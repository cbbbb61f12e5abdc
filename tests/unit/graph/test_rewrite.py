"""The builder has each value once; the rewriter keeps what its rule leaves alone."""

from __future__ import annotations

import math

from tabgrad.dtypes import bool_, float32, int32
from tabgrad.graph.build import Builder
from tabgrad.graph.entry import Entry
from tabgrad.graph.node import BUFFER, CONST
from tabgrad.graph.rewrite import Graph, pruned, rewritten
from tabgrad.ops.arithmetic import ADD, MUL, NEG


def buffer(slot: int) -> Entry:
    return Entry(BUFFER, (), {}, (3,), float32, slot)


def test_equal_entries_are_one() -> None:
    build = Builder()
    x, y = build.add(buffer(0)), build.add(buffer(1))
    assert build.add(buffer(0)) == x
    total = build.op(ADD, (x, y), {}, (3,))
    assert build.op(ADD, (x, y), {}, (3,)) == total
    assert build.op(ADD, (y, x), {}, (3,)) != total
    assert build.entries[total].dtype is float32
    assert len(build.entries) == 4


def test_constants_are_numbers_of_their_dtype() -> None:
    build = Builder()
    values = [(1, float32), (1.0, int32), (1, bool_), (0.0, float32), (-0.0, float32), (math.nan, float32)]
    numbers = [build.constant(value, (), dtype) for value, dtype in values]
    assert len(set(numbers)) == len(values)  # 0.0 is not -0.0
    assert [type(build.entries[n].attrs["value"]) for n in numbers[:3]] == [float, int, bool]
    assert build.constant(math.nan, (), float32) == numbers[-1]


def graph() -> Graph:
    """``-x + -y``, written over a buffer, too; and a value that nobody needs."""
    entries = [
        buffer(0),
        buffer(1),
        Entry(NEG, (0,), {}, (3,), float32),
        Entry(NEG, (1,), {}, (3,), float32),
        Entry(MUL, (2, 3), {}, (3,), float32),
        Entry(ADD, (2, 3), {}, (3,), float32),
    ]
    return Graph(entries, [5], {(1, 0): 5})


def test_a_rule_that_leaves_all_alone_changes_nothing() -> None:
    assert rewritten(graph(), Builder(), lambda build, e: None) == graph()


def test_users_follow_what_an_entry_becomes() -> None:
    def halved(build: Builder, e: Entry) -> int | None:
        if e.op is not NEG:
            return None
        half = build.op(MUL, (e.args[0], build.constant(0.5, e.shape, e.dtype)), {}, e.shape)
        return build.op(NEG, (half,), {}, e.shape)

    made = rewritten(graph(), Builder(), halved)
    (output,) = made.outputs
    assert made.effects == {(1, 0): output}
    assert made.entries[output].op is ADD
    for arg in made.entries[output].args:
        assert made.entries[arg].op is NEG
        assert made.entries[made.entries[arg].args[0]].op is MUL
    assert [e.op for e in made.entries].count(CONST) == 1


def test_pruning_drops_what_nobody_needs() -> None:
    made = pruned(graph())
    assert [e.op for e in made.entries] == [BUFFER, NEG, BUFFER, NEG, ADD]
    assert made.outputs == [4]
    assert made.effects == {(1, 0): 4}
