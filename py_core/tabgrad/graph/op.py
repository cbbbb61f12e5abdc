"""What a primitive op is: one declaration with every fact that any layer needs.

Type rules, NumPy reference and gradient are of every op. How the compiler treats it is its ``lowering``, a class for
each kind, whose fields have no defaults where an answer is needed: a declaration states them, or states
``None`` for a gradient that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from tabgrad.dtypes import DType
from tabgrad.graph.roles import Names, Roles, numbered

if TYPE_CHECKING:
    from tabgrad.graph.index import Coords, Deps

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
    ACCESS = "access"  # of a program alone: reads or writes a dispatch's binding


class Lowering:
    """How the compiler treats an op; see the subclasses."""

    kind: ClassVar[Kind]

    def roles(self, attrs: Attrs, shapes: Sequence[Shape]) -> Roles | None:
        """Which dimensions of the operands go with which of the result; None where that cannot be said.

        Args:
            shapes: of the operands.
        """
        return None


@dataclass(frozen=True)
class Source(Lowering):
    """No inputs: the compiler knows each of these few by itself."""

    kind = Kind.SOURCE


@dataclass(frozen=True)
class Pack(Lowering):
    """``attrs["offsets"]``: where each input starts in the one buffer."""

    kind = Kind.PACK


@dataclass(frozen=True)
class Assign(Lowering):
    """Arguments: the buffer, and its new value."""

    kind = Kind.ASSIGN


@dataclass(frozen=True)
class Access(Lowering):
    """``attrs["binding"]``: of the dispatch, by its position."""

    kind = Kind.ACCESS


@dataclass(frozen=True, kw_only=True)
class Elementwise(Lowering):
    """One element from the same element of each argument.

    In ``wgsl``, ``{0}`` is the first argument, ``{t}`` its type, ``{dtype}`` the output's, ``{convert}`` the argument
    as the output's. A shader's compiler may
    assume that numbers are finite, and folds ``x * 0.0`` to 0: what it must not know is marked. ``{0!}`` is an argument
    that it must not know to be 0, infinite or NaN; ``{1?}`` one that it must not know to be the first argument, or a
    side of the comparison that is the first argument.
    """

    kind = Kind.ELEMENTWISE
    wgsl: str
    cost: int  # of computing it again, in operations per element, roughly
    neutral: tuple[float | None, ...] = ()  # of two arguments: the number that leaves the other one as it is
    converts: bool = False  # the argument may be of any dtype: it is made one of the output's
    chooses: bool = False  # the first argument says which of the other two is the result

    def roles(self, attrs: Attrs, shapes: Sequence[Shape]) -> Roles:
        names = numbered(len(shapes[0]))
        return Roles(names, (names,) * len(shapes))


Text = tuple[str, "Deps"]  # a WGSL expression, and the loop variables that it depends on


class Reader(Protocol):
    """What a view needs from the code that writes a kernel."""

    @property
    def shapes(self) -> Sequence[Shape]:
        """Of the arguments."""

    def value(self, n: int, at: Coords) -> Text:
        """The element of argument ``n`` at a position."""

    def outside(self, value: float) -> str:
        """A number of the result's dtype."""

    def bind(self, text: str, deps: Deps = frozenset()) -> str:
        """A name for an expression's value."""


@dataclass(frozen=True, kw_only=True)
class View(Lowering):
    """Moves elements. ``read(reader, attrs, at)`` is the element of the result at the position ``at``."""

    kind = Kind.VIEW
    read: Callable[[Reader, Attrs, Coords], Text]
    moves_one: bool  # all elements are those of the first argument, at places that no value decides, or a constant
    follows: Callable[[Attrs, Attrs], Attrs] | None  # attributes of one such view in place of two: (later, earlier)
    outside: Callable[[Attrs], float] | None = None  # the value of elements that are not the argument's
    # Of a view whose result shares the argument's memory, as PyTorch's does: its strides, given the argument's shape
    # and strides, or None where no strides show it; and the argument, a tensor, with others where the result shows it.
    strides: Callable[[Attrs, Shape, tuple[int, ...]], tuple[int, ...] | None] | None = None
    put: Callable[[Attrs, Any, Any], Any] | None = None
    copies: Callable[[Attrs], bool] | None = None  # whether no strides show it, whatever the argument's
    dims: Callable[[Attrs], Sequence[int]] | None = None  # the argument's dimension at each of the result's, if so

    def leaves(self, attrs: Attrs, source: Shape, out: Shape) -> bool:
        """Whether every element stays where it is."""
        if self.dims is not None:
            return tuple(self.dims(attrs)) == tuple(range(len(out)))
        return self.follows is not None and source == out

    def roles(self, attrs: Attrs, shapes: Sequence[Shape]) -> Roles | None:
        if self.dims is None:
            return None
        names = numbered(len(shapes[0]))
        return Roles(tuple(names[d] for d in self.dims(attrs)), (names,))


@dataclass(frozen=True, kw_only=True)
class Heavy(Lowering):
    """A kernel family of its own; each family has a subclass.

    ``flops(attrs, out, *args)`` and ``terms(attrs, out, *args)`` are given shapes: how many operations the op takes,
    and how many terms an element of the result sums, from which tolerances follow.
    """

    kind = Kind.HEAVY
    flops: Callable[..., int]
    terms: Callable[..., int]

    @property
    def rereads(self) -> int | None:
        """How many leading arguments a kernel reads again and again, so that they are worth storing; None: all."""
        return None

    def title(self, name: str, attrs: Attrs) -> str:
        """What kernels around it are called."""
        return name

    def label(self, title: str, attrs: Attrs, out: Shape, *args: Shape) -> str:
        """The title, and the sizes that matter."""
        return f"{title} {list(out)}"

    def of_nothing(self, attrs: Attrs) -> float:
        """An element of a result that was computed from an empty argument."""
        return 0

    def combines(self, attrs: Attrs) -> str:
        """The reduction that makes the whole of partial results."""
        return "sum"


@dataclass(frozen=True, kw_only=True, eq=False)
class Op:
    """One primitive.

    ``shape_rule(attrs, *shapes)`` and ``dtype_rule(attrs, *dtypes)`` give the output's type;
    ``reference(attrs, *arrays)`` computes it in NumPy; ``grad(grad, out, *inputs, **attrs)`` returns one gradient (or
    None) per input, written in ops.
    """

    name: str
    lowering: Lowering
    shape_rule: Callable[..., Shape]
    dtype_rule: Callable[..., DType]
    reference: Callable[..., np.ndarray] | None
    grad: Callable[..., tuple[Any, ...]] | None
    kind: Kind = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", self.lowering.kind)

    def __repr__(self) -> str:
        return repr(self.name)


OPS: dict[str, Op] = {}


def register(op: Op) -> Op:
    """Enter an op into the table.

    Raises:
        ValueError: the name is taken, or the declaration contradicts itself.
    """
    if op.name in OPS:
        raise ValueError(f"op {op.name!r}: expected a name of its own, got one that another op has")
    if (op.reference is None) != (op.kind in (Kind.SOURCE, Kind.ASSIGN, Kind.ACCESS)):
        raise ValueError(f"op {op.name!r}: expected a NumPy reference for what computes, and none for what does not")
    OPS[op.name] = op
    return op


def same_shape(_attrs: Attrs, *shapes: Shape) -> Shape:
    """Shape rule of elementwise ops: inputs are broadcast before."""
    assert all(s == shapes[0] for s in shapes), shapes
    return shapes[0]


def first_dtype(_attrs: Attrs, *dtypes: DType) -> DType:
    """Dtype rule: the output has the first input's dtype."""
    return dtypes[0]


def elementwise_op(
    name: str,
    wgsl: str,
    reference: Callable[..., np.ndarray],
    grad: Callable[..., tuple[Any, ...]] | None,
    dtype: DType | None = None,
    *,
    cost: int = 1,
    neutral: tuple[float | None, ...] = (),
) -> Op:
    """Enter an elementwise primitive; ``dtype`` fixes the output's, otherwise it is the first input's."""
    return register(
        Op(
            name=name,
            lowering=Elementwise(wgsl=wgsl, cost=cost, neutral=neutral),
            shape_rule=same_shape,
            dtype_rule=first_dtype if dtype is None else lambda *_: dtype,
            reference=lambda attrs, *xs: reference(*xs),
            grad=grad,
        )
    )


__all__ = [
    "OPS", "Access", "Assign", "Attrs", "Elementwise", "Heavy", "Kind", "Lowering", "Names", "Op", "Pack", "Reader",
    "Roles", "Shape", "Source", "Text", "View", "first_dtype", "register", "same_shape",
]  # fmt: skip
