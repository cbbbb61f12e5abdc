"""How deep a kernel's expressions may be: values below, which are stored so that a chain ends there.

A chain of elementwise values becomes nested expressions, which are written recursively. A value that is read through
views that move elements is computed again in each place: a recurrence over neighbours would be computed in more places
with every step.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from tabgrad.compiler.passes.kernel import keeps_elements
from tabgrad.graph.entry import Entry
from tabgrad.graph.op import Kind
from tabgrad.ops.movement import EXPAND

MOST_VALUES = 128  # on a chain from what a kernel reads to what it stores
MOST_MOVES = 4  # views on it that read a value that several others read, too, in another place


def too_deep(entries: Sequence[Entry], users: Sequence[Sequence[int]], stored: Set[int]) -> set[int]:
    """Elementwise values that end chains that are too long.

    Args:
        users: of each value, through reshapes.
        stored: values that are stored already, and end chains.
    """
    found: set[int] = set()
    values, moves = [0] * len(entries), [0] * len(entries)  # of the longest chain down from each

    def measure(i: int) -> None:
        e = entries[i]
        if i in found or i in stored or e.op.kind not in (Kind.ELEMENTWISE, Kind.VIEW):
            values[i] = moves[i] = 0
            return
        values[i] = 1 + max((values[a] for a in e.args), default=0)
        moves[i] = _moves(i) + max((moves[a] for a in e.args), default=0)

    def _moves(i: int) -> int:
        e = entries[i]
        moved = e.op.kind is Kind.VIEW and not keeps_elements(e) and e.op is not EXPAND
        return int(moved and any(values[a] and len(users[a]) > 1 for a in e.args))

    for i in range(len(entries)):
        measure(i)
        while values[i] > MOST_VALUES or moves[i] > MOST_MOVES:
            deepest = moves if moves[i] > MOST_MOVES else values
            cut = _cut(entries, users, deepest, i)
            if cut is None:
                break
            found.add(cut)
            for j in range(cut, i + 1):
                measure(j)
    return found


def longest_chain(entries: Sequence[Entry], values: Set[int], ends: Set[int]) -> int:
    """How many of a kernel's values are computed in one expression, at most.

    Args:
        values: that the kernel computes.
        ends: those of them that are computed before others, and named.
    """
    length: dict[int, int] = {}
    for i in sorted(values):
        below = (length[a] for a in entries[i].args if a in length and a not in ends)
        length[i] = 1 + max(below, default=0) if entries[i].op.kind in (Kind.ELEMENTWISE, Kind.VIEW) else 0
    return max(length.values(), default=0)


def _cut(entries: Sequence[Entry], users: Sequence[Sequence[int]], depth: Sequence[int], top: int) -> int | None:
    """Where to end the chain down from ``top``: at the highest value that several others read, or else the highest."""
    chain = []
    at = top
    while depth[at] and entries[at].args:
        at = max(entries[at].args, key=lambda a: depth[a])
        if depth[at] and entries[at].op.kind is Kind.ELEMENTWISE and entries[at].size:
            chain.append(at)
    shared = [i for i in chain if len(users[i]) > 1 and 2 * depth[i] >= depth[top]]
    return next(iter(shared or chain), None)
