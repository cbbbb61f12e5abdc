"""Kernel families: each writes the kernels around one kind of heavy value, in one or several variants.

A file of this folder with a ``FAMILY`` is one.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable

from tabgrad.compiler.codegen.outline import Outline
from tabgrad.compiler.families.family import Family
from tabgrad.graph.op import OPS, Heavy, Op

_FILES = {name.partition(".")[0] for name in os.listdir(os.path.dirname(__file__)) if name.endswith((".py", ".pyc"))}
_FOUND: list[Family] = [
    module.FAMILY
    for module in (importlib.import_module(f"{__name__}.{name}") for name in sorted(_FILES - {"__init__"}))
    if hasattr(module, "FAMILY")
]
FAMILIES: dict[type[Heavy] | None, Family] = {family.lowering: family for family in _FOUND}
"""By the lowering that they are for; None for kernels without a heavy value."""

assert len(FAMILIES) == len(_FOUND), "one family for each lowering"


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
        return FAMILIES[None]
    lowering = outline.entries[outline.kernel.heavy].op.lowering
    assert isinstance(lowering, Heavy), lowering
    return FAMILIES[type(lowering)]
