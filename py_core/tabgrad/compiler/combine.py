"""Combine: a contraction's or reduction's result from those of its parts, always in the same order."""

from __future__ import annotations

import math

from tabgrad.compiler.parting import Parting
from tabgrad.graph.linearize import Entry

_PAIRWISE = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}


def combined(make: Parting, e: Entry, partial: list[int]) -> int:
    """The entry of the whole from the entries of its parts.

    Args:
        e: the op, of which each part is one.
    """
    kind = e.attrs["kind"] if e.op.name == "reduce" else "sum"
    if len(partial) == 1:
        return partial[0]
    if kind == "m2":
        return _squares(make, partial)
    total = partial[0]
    for part in partial[1:]:
        shape = make.entries[part].shape
        if kind in _PAIRWISE:
            total = make.op(_PAIRWISE[kind], [total, part], {}, shape)
        else:
            total = make.op("reduce", [make.joined([total, part], e.attrs["dims"][0])], e.attrs, shape)
    return total


def _squares(make: Parting, partial: list[int]) -> int:
    """Sums of squared deviations within the parts, and of the parts' means: Chan, Golub & LeVeque 1979."""

    def op(name: str, a: int, b: int) -> int:
        return make.op(name, [a, b], {}, shape)

    def number(value: float) -> int:
        return make.constant(value, shape, dtype)

    count, total, mean = 0, -1, -1
    for part in partial:
        e = make.entries[part]
        source, shape, dtype = make.entries[e.args[0]], e.shape, e.dtype
        more = math.prod(source.shape) // math.prod(shape)
        sums = make.op("reduce", e.args, {**e.attrs, "kind": "sum"}, shape)
        own = op("div", sums, number(float(more)))
        if not count:
            count, total, mean = more, part, own
            continue
        apart = op("sub", own, mean)
        weight = number(count * more / (count + more))
        total = op("add", op("add", total, part), op("mul", op("mul", apart, apart), weight))
        mean = op("add", mean, op("mul", apart, number(more / (count + more))))
        count += more
    return total
