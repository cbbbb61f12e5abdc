"""The table of primitive ops: for each a shape rule, a NumPy reference, a lowering and a gradient.

The table is total: :class:`Op` has no defaults, so that whoever adds an op states all four,
or states ``None`` for a gradient that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from tabgrad.dtypes import DType

Shape = tuple[int, ...]
Attrs = dict[str, Any]


class Kind(Enum):
    """How the compiler treats an op."""

    SOURCE = "source"  # no inputs: a buffer, a constant, an index, a scalar of the step
    ELEMENTWISE = "elementwise"  # one output element from the same element of each input
    VIEW = "view"  # moves elements: lowered to index arithmetic in the kernel that reads them
    HEAVY = "heavy"  # a kernel family of its own: reductions, contractions, pooling
    PACK = "pack"  # places its inputs side by side in one buffer
    ASSIGN = "assign"  # writes its value over a buffer that outlives the step


@dataclass(frozen=True)
class Op:
    """One primitive.

    ``shape_rule(attrs, *shapes)`` and ``dtype_rule(attrs, *dtypes)`` give the output's type;
    ``reference(attrs, *arrays)`` computes it in NumPy; ``lowering`` is WGSL for an elementwise op
    and the name of the kernel family or view rule for the others;
    ``grad(grad, out, *inputs, **attrs)`` returns one gradient (or None) per input, written in ops.

    In WGSL ``{0}`` is the first argument, ``{t}`` its type, ``{dtype}`` the output's. A shader's compiler may assume
    that numbers are finite, and folds ``x * 0.0`` to 0: what it must not know is marked. ``{0!}`` is an argument that
    it must not know to be 0, infinite or NaN; ``{1?}`` one that it must not know to be the first argument, or a side of
    the comparison that is the first argument.
    """

    name: str
    kind: Kind
    shape_rule: Callable[..., Shape]
    dtype_rule: Callable[..., DType]
    reference: Callable[..., np.ndarray] | None
    lowering: str
    grad: Callable[..., tuple[Any, ...]] | None

    def __repr__(self) -> str:
        return f"Op({self.name})"


OPS: dict[str, Op] = {}


def register(op: Op) -> Op:
    """Enter an op into the table; names are unique."""
    assert op.name not in OPS, op.name
    OPS[op.name] = op
    return op


def same_shape(_attrs: Attrs, *shapes: Shape) -> Shape:
    """Shape rule of elementwise ops: inputs are broadcast before."""
    assert all(s == shapes[0] for s in shapes), shapes
    return shapes[0]


def first_dtype(_attrs: Attrs, *dtypes: DType) -> DType:
    """Dtype rule: the output has the first input's dtype."""
    return dtypes[0]
