"""Attention in every tile size, and in the largest and the smallest."""

from __future__ import annotations

from device.op_cases import attention
from device.tile_cases.forced import TileCase, attention_choice
from tabgrad.compiler.families import attention_tiles

EVERYWHERE = {"attention odd", "attention over a tile", "attention causal in vectors over two tiles"}
AT_THE_ENDS = {
    "attention wide", "attention causal over a tile", "attention one of all", "attention whole tiles",
    "attention causal few keys over a tile", "attention mask bool",
    "attention mask no key for some", "attention added, no gradient, of pairs", "attention mask computed",
    "attention large scores", "attention shows NaN", "attention of one projection over a tile", "attention amid ops",
}  # fmt: skip
LAST = len(attention_tiles.CHOICES) - 1

ATTENTION_CASES = [
    TileCase(case=case, forced=attention_choice(n))
    for case in attention.CASES
    for n in range(LAST + 1)
    if case.name in EVERYWHERE or (case.name in AT_THE_ENDS and n in (0, LAST))
]
assert len(ATTENTION_CASES) == len(EVERYWHERE) * (LAST + 1) + len(AT_THE_ENDS) * 2, "names of cases have changed"
