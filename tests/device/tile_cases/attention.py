"""Attention in every tile size, and in the largest and the smallest; causality in all, columns left out or not."""

from __future__ import annotations

from dataclasses import replace

from device.op_cases import attention
from device.tile_cases.forced import TileCase, attention_choice
from tabgrad.compiler.families.attention_tiles import CHOICES, Choice

EVERYWHERE = {"attention odd", "attention over a tile"}
CAUSAL = {"attention causal over a tile", "attention causal in vectors over two tiles"}
AT_THE_ENDS = {
    "attention wide", "attention one of all", "attention whole tiles", "attention causal few keys over a tile",
    "attention mask bool", "attention mask no key for some", "attention added, no gradient, of pairs",
    "attention mask computed", "attention large scores", "attention shows NaN",
    "attention of one projection over a tile", "attention amid ops",
}  # fmt: skip
LAST = len(CHOICES) - 1

OFFERED: dict[str, Choice] = {f"choice {n}": choice for n, choice in enumerate(CHOICES)}
SKIPPING: dict[str, Choice] = {
    f"{name}, skipping": replace(choice, skip=1)
    for name, choice in OFFERED.items()
    if replace(choice, skip=1) not in CHOICES
}  # what templates can do, though it is no choice

assert any(choice.skip for choice in CHOICES), "under causality, leaving out columns is a choice"


def _choices_for(case: str) -> dict[str, Choice]:
    if case in CAUSAL:
        return OFFERED | SKIPPING
    if case in EVERYWHERE:
        return OFFERED
    return {name: OFFERED[name] for name in ("choice 0", f"choice {LAST}")} if case in AT_THE_ENDS else {}


ATTENTION_CASES = [
    TileCase(case=case, forced=attention_choice(name, choice, alone=case.name in CAUSAL))
    for case in attention.CASES
    for name, choice in _choices_for(case.name).items()
]
assert len({c.case.name for c in ATTENTION_CASES}) == len(CAUSAL | EVERYWHERE | AT_THE_ENDS), "names have changed"
