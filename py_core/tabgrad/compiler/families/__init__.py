"""Kernel families: each writes the kernels around one kind of heavy value, in one or several variants."""

from __future__ import annotations

from tabgrad.compiler.families import attention, gemm, map, pool, reduce
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.gemm import CONTRACTIONS
from tabgrad.compiler.outline import Outline


def family_of(outline: Outline) -> Family:
    """The family that can write a kernel."""
    if outline.kernel.heavy is None:
        return map.FAMILY
    name = outline.entries[outline.kernel.heavy].op.name
    if name in CONTRACTIONS:
        return gemm.FAMILY
    if name in attention.ATTENTION:
        return attention.FAMILY
    return reduce.FAMILY if name == "reduce" else pool.FAMILY
