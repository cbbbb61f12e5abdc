"""Roles: which dimensions of an op's operands go with which of its result, so that boxes of it can be computed alone.

Each role is a letter. One in operands alone is contracted: boxes along it give partial results. A dimension without
a role is needed whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tabgrad.graph.linearize import Entry
from tabgrad.graph.op import Kind, Shape

Names = tuple[str | None, ...]  # one for each dimension


@dataclass(frozen=True)
class Roles:
    """The roles of the result's dimensions, and of each operand's."""

    out: Names
    args: tuple[Names, ...]

    def extents(self, shapes: Sequence[Shape]) -> dict[str, int]:
        """The size of each role, from the operands' shapes."""
        found = {}
        for names, shape in zip(self.args, shapes, strict=True):
            found.update({r: n for r, n in zip(names, shape, strict=True) if r is not None})
        return found


def roles_of(e: Entry, shapes: Sequence[Shape]) -> Roles | None:
    """The roles in an op of operands of these shapes; None for ops that have rules of their own."""
    name = e.op.name
    if e.op.kind is Kind.ELEMENTWISE:
        out = _numbered(len(e.shape))
        return Roles(out, (out,) * len(shapes))
    if name == "permute":
        arg = _numbered(len(e.shape))
        return Roles(tuple(arg[d] for d in e.attrs["dims"]), (arg,))
    if name == "reduce":
        whole = "arg" in e.attrs["kind"]  # an index cannot be put together from indices of parts
        arg = tuple(None if whole and d in e.attrs["dims"] else r for d, r in enumerate(_numbered(len(e.shape))))
        return Roles(tuple(None if d in e.attrs["dims"] else r for d, r in enumerate(arg)), (arg,))
    if name == "matmul":
        return Roles(("b", "m", "n"), (("b", "m", "k"), ("b", "k", "n")))
    if "pool" in name:
        return Roles(_IMAGES, (_IMAGES,) * len(shapes))
    if name.startswith("conv2d"):
        return _convolution(name, e.attrs["groups"])
    return None


_IMAGES: Names = ("n", "c", None, None)


def _numbered(n: int) -> Names:
    return tuple(f"d{i}" for i in range(n))


def _convolution(name: str, groups: int) -> Roles:
    """Roles of images, input and output channels; channels stay together where they are in groups."""
    o, c = ("o", "c") if groups == 1 else (None, None)
    x, w, y = ("n", c, None, None), (o, c, None, None), ("n", o, None, None)
    if name == "conv2d":
        return Roles(y, (x, w))
    return Roles(x, (y, w)) if name == "conv2d_input_grad" else Roles(w, (y, x))
