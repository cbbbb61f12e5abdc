"""Which of two WebGPU stacks runs a case today: this machine's own (``wgpu``), or Node's (Dawn).

Drivers that play a GPU take seconds to compile a GPU's kernels. Each such case runs on one of the stacks every day,
and on both over the days. What compiles quickly runs on all stacks every day.
"""

from __future__ import annotations

from daily import halves_of_today, of_today
from device.op_cases import OP_CASES, OpCase, attention
from device.tile_cases import GROUPS, TileCase

TILES_IN_NODE = 0.2  # of a group, all in one run of Node, which has five minutes
GPU_CASES_IN_NODE = 0.25
ATTENTION_NATIVELY = 0.25  # of the kernels without tiles, all of which Node runs: lavapipe takes up to 40 s for one
# lavapipe takes three minutes for so long a row; natively, test_attention_tiles shortens the rows that tiles hold.
IN_NODE_ONLY = {"attention wider than a tile"}


def tile_cases(group: str, *, in_node: bool) -> list[TileCase]:
    """A group's cases that run there today; products in the same tile stay together, for they share kernels."""
    together = {case.name: case.forced.name if group == "products" else case.name for case in GROUPS[group]}
    halves = halves_of_today(f"tiles, {group}", list(dict.fromkeys(together.values())), TILES_IN_NODE)
    chosen = set(halves[0 if in_node else 1])
    return [case for case in GROUPS[group] if together[case.name] in chosen]


def gpu_op_cases(*, in_node: bool) -> list[OpCase]:
    """The op cases that run there today as GPUs compile them."""
    for_node, natively = halves_of_today("op cases of GPUs", OP_CASES, GPU_CASES_IN_NODE)
    if in_node:
        return for_node + [case for case in natively if case.name in IN_NODE_ONLY]
    return [case for case in natively if case.name not in IN_NODE_ONLY]


def native_op_cases() -> list[OpCase]:
    """The op cases that run natively today, as this machine's adapter compiles them; Node runs all of them."""
    by_turns = [case for case in attention.CASES if case.name not in IN_NODE_ONLY]
    today = of_today("attention natively", by_turns, ATTENTION_NATIVELY)
    return [case for case in OP_CASES if case not in attention.CASES or case in today]


assert {case.name for case in attention.CASES} >= IN_NODE_ONLY, "names of cases have changed"
