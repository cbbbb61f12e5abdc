"""Which of two WebGPU stacks runs a case today: this machine's own (``wgpu``), or Node's (Dawn).

Drivers that play a GPU take seconds to compile a GPU's kernels. Both stacks run the same WGSL: what a stack leaves out
today the other one runs, or its next days do. Each case has its turn on both within ``daily.MOST_DAYS``.
"""

from __future__ import annotations

import daily
from daily import of_today
from device.op_cases import OP_CASES, OpCase, attention
from device.small_bindings import LARGE_CASES, LARGE_WORKLOADS, OWN_CASES
from device.tile_cases import GROUPS, TileCase
from workloads import Workload

# Days within which each case has its turn there.
TILES_IN_NODE = 8
TILES_NATIVELY = 8  # lavapipe takes 5 s of a processor to compile attention in one of its tiles
GPU_CASES_IN_NODE = 8
GPU_CASES_NATIVELY = 4  # the reference runs the others
CASES_IN_NODE = 8  # natively, all of them run every day
ATTENTION_IN_NODE = 3
LARGE_IN_NODE = 8
LARGE_ELSEWHERE = 6
LARGE_OF_GPUS_NATIVELY = 8  # lavapipe takes up to 40 s for one; the reference runs all of them every day
ATTENTION_NATIVELY = 8  # of the kernels without tiles: lavapipe takes up to 40 s for one, Dawn none
# lavapipe takes three minutes for so long a row; natively, test_attention_tiles shortens the rows that tiles hold.
IN_NODE_ONLY = {"attention wider than a tile"}


def tile_cases(group: str, *, in_node: bool) -> list[TileCase]:
    """A group's cases that run there today; products in the same tile stay together, for they share kernels."""
    together = {case.name: case.forced.name if group == "products" else case.name for case in GROUPS[group]}
    days = TILES_IN_NODE if in_node else TILES_NATIVELY
    chosen = set(of_today(f"tiles, {group}, {in_node=}", list(dict.fromkeys(together.values())), days))
    return [case for case in GROUPS[group] if together[case.name] in chosen]


def gpu_op_cases(*, in_node: bool) -> list[OpCase]:
    """The op cases that run there today as GPUs compile them."""
    if in_node:
        return of_today("op cases of GPUs in node", OP_CASES, GPU_CASES_IN_NODE)
    natively = [case for case in OP_CASES if case.name not in IN_NODE_ONLY]
    return of_today("op cases of GPUs natively", natively, GPU_CASES_NATIVELY)


def gpu_op_cases_on_the_reference() -> list[OpCase]:
    """Those that do not run natively today: on one of the two, each case runs every day as GPUs compile it."""
    natively = {case.name for case in gpu_op_cases(in_node=False)}
    return [case for case in OP_CASES if daily.EVERYTHING or case.name not in natively]


def native_op_cases() -> list[OpCase]:
    """The op cases that run natively today, as this machine's adapter compiles them: all but most of attention's."""
    by_turns = [case for case in attention.CASES if case.name not in IN_NODE_ONLY]
    today = of_today("attention natively", by_turns, ATTENTION_NATIVELY)
    return [case for case in OP_CASES if case not in attention.CASES or case in today]


def node_op_cases() -> list[OpCase]:
    """The op cases that run in Node today, as its adapter compiles them."""
    others = [case for case in OP_CASES if case not in attention.CASES]
    return [
        *of_today("op cases in node", others, CASES_IN_NODE),
        *of_today("attention in node", attention.CASES, ATTENTION_IN_NODE),
    ]


def large_cases(where: str) -> list[OpCase]:
    """The cases larger than a binding that run today: ``native``, on the ``reference``, or in ``node``."""
    return of_today(f"large cases, {where}", LARGE_CASES, LARGE_IN_NODE if where == "node" else LARGE_ELSEWHERE)


def large_gpu_cases_natively() -> list[OpCase]:
    """The cases whose kernels of GPUs work in parts natively today."""
    return of_today("large cases of GPUs natively", OWN_CASES, LARGE_OF_GPUS_NATIVELY)


def large_workloads_in_node() -> list[Workload]:
    """The workload whose tensors are larger than a binding in Node today; natively and on the reference all are."""
    return of_today("large workloads in node", LARGE_WORKLOADS, LARGE_IN_NODE)


assert {case.name for case in attention.CASES} >= IN_NODE_ONLY, "names of cases have changed"
