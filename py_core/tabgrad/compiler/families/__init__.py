"""Kernel families: each writes the kernels around one kind of heavy value, in one or several variants."""

from __future__ import annotations

from collections.abc import Iterable

from tabgrad.compiler.codegen.outline import Outline
from tabgrad.compiler.families import attention, gemm, map, order, pool, reduce, scan, segment
from tabgrad.compiler.families.family import Family
from tabgrad.graph.op import OPS, Heavy, Op
from tabgrad.ops.attention import Attention
from tabgrad.ops.matmul import Gemm
from tabgrad.ops.order import Order
from tabgrad.ops.pool import Pool
from tabgrad.ops.reduce import Reduce
from tabgrad.ops.scan import Scan
from tabgrad.ops.segment import Segment

FAMILIES: dict[type[Heavy], Family] = {
    Attention: attention.FAMILY,
    Gemm: gemm.FAMILY,
    Order: order.FAMILY,
    Pool: pool.FAMILY,
    Reduce: reduce.FAMILY,
    Scan: scan.FAMILY,
    Segment: segment.FAMILY,
}


def require_families(ops: Iterable[Op]) -> None:
    """See that each op that needs a kernel family has one.

    Raises:
        TypeError: one has none.
    """
    for op in ops:
        if isinstance(op.lowering, Heavy) and type(op.lowering) not in FAMILIES:
            raise TypeError(f"op {op.name!r}: expected a lowering that a kernel family is for, got {op.lowering}")


require_families(OPS.values())


def family_of(outline: Outline) -> Family:
    """The family that can write a kernel."""
    if outline.kernel.heavy is None:
        return map.FAMILY
    lowering = outline.entries[outline.kernel.heavy].op.lowering
    assert isinstance(lowering, Heavy), lowering
    return FAMILIES[type(lowering)]
