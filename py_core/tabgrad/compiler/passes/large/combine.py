"""Combine: a contraction's or reduction's result from those of its parts, always in the same order."""

from __future__ import annotations

import math

from tabgrad.compiler.passes.large.builder import GridBuilder
from tabgrad.graph.entry import Entry
from tabgrad.graph.op import Heavy, Op
from tabgrad.ops.arithmetic import ADD, DIV, MUL, SUB
from tabgrad.ops.reduce import FOLDS, REDUCE


def combined(make: GridBuilder, e: Entry, partial: list[int]) -> int:
    """The entry of the whole from the entries of its parts.

    Args:
        e: the op, of which each part is one.
    """
    if len(partial) == 1:
        return partial[0]
    assert isinstance(e.op.lowering, Heavy), e
    kind = e.op.lowering.combines(e.attrs)
    pairs = FOLDS[kind].pairs
    if kind == "m2":
        return _squares(make, partial)
    total = partial[0]
    for part in partial[1:]:
        shape = make.entries[part].shape
        if pairs is not None:
            total = make.op(pairs, [total, part], {}, shape)
        else:
            total = make.op(REDUCE, [make.joined([total, part], e.attrs["dims"][0])], e.attrs, shape)
    return total


def _squares(make: GridBuilder, partial: list[int]) -> int:
    """Sums of squared deviations within the parts, and of the parts' means: Chan, Golub & LeVeque 1979."""

    def op(op: Op, a: int, b: int) -> int:
        return make.op(op, [a, b], {}, shape)

    def number(value: float) -> int:
        return make.constant(value, shape, dtype)

    count, total, mean = 0, -1, -1
    for part in partial:
        e = make.entries[part]
        source, shape, dtype = make.entries[e.args[0]], e.shape, e.dtype
        more = math.prod(source.shape) // math.prod(shape)
        sums = make.op(REDUCE, e.args, {**e.attrs, "kind": "sum"}, shape)
        own = op(DIV, sums, number(float(more)))
        if not count:
            count, total, mean = more, part, own
            continue
        apart = op(SUB, own, mean)
        weight = number(count * more / (count + more))
        total = op(ADD, op(ADD, total, part), op(MUL, op(MUL, apart, apart), weight))
        mean = op(ADD, mean, op(MUL, apart, number(more / (count + more))))
        count += more
    return total
