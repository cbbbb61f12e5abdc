"""Kernel families: each writes the kernels around one kind of heavy value, in one or several variants."""

from __future__ import annotations

from tabgrad.compiler.families import attention, gemm, map, pool, reduce
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.gemm import CONTRACTIONS
from tabgrad.compiler.schedule import Kernel
from tabgrad.graph.linearize import Entry


def family_of(entries: list[Entry], kernel: Kernel) -> Family:
    """The family that can write a kernel."""
    if kernel.heavy is None:
        return map.FAMILY
    name = entries[kernel.heavy].op.name
    if name in CONTRACTIONS:
        return gemm.FAMILY
    if name in attention.ATTENTION:
        return attention.FAMILY
    return reduce.FAMILY if name == "reduce" else pool.FAMILY
