"""A known call: what it is given, what it changes, what it returns, and the calls that have followed it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tabgrad.dtypes import DType
from tabgrad.sizes import Size
from tabgrad.tensor import Tensor
from tabgrad.tracing.number import Numbers
from tabgrad.tracing.pattern import Part

if TYPE_CHECKING:
    from tabgrad.tracing.segment import Segment

Provider = Callable[[], Any]


class Made(NamedTuple):
    """A tensor that a call returns, or leaves as a gradient."""

    shape: Size
    dtype: DType
    requires_grad: bool
    is_view: bool  # of a part of another one's memory, or in another order
    record: Callable[[Tensor], Any] | None  # of the op that a gradient goes back through, when one has


class Launch(Protocol):
    """A program that ran as part of a call, and runs again in each round."""

    writes: bool  # whether it overwrites memory
    computes: set[int]  # slots
    settled: tuple[int, ...]  # tensors from outside whose writes it does
    overwritten: frozenset[int]  # tensors from outside whose memory it writes

    def prepare(self, outside: Sequence[Tensor], segment: Segment) -> bool:
        """Take this round's tensors; False if they do not suit the program."""

    def run(self, segment: Segment) -> None:
        """Queue it, and give the segment its results.

        Raises:
            DTypeError: a number does not fit.
        """


class Position:
    """A place in the tree: the calls that have come next."""

    __slots__ = ("calls", "fixed", "siblings")

    def __init__(self) -> None:
        self.calls: dict[Callable[..., Any], list[Call]] = {}
        self.siblings: list[Position] = []  # where calls before them had other numbers, which here may differ
        self.fixed: set[Callable[..., Any]] = set()  # functions whose numbers decide what they do


@dataclass(frozen=True, slots=True)
class Round:
    """The program of a call, and what is left to do after it."""

    launch: Launch
    history: frozenset[int]  # slots through which gradients may still flow
    kept: tuple[int, ...]  # of a program that writes: earlier calls that may still have to be executed
    groups: tuple[tuple[int, ...], ...]  # slots over one memory


@dataclass(eq=False, slots=True)
class Call:
    """One call of a trace."""

    fn: Callable[..., Any]
    names: tuple[str, ...]  # of keyword arguments
    count: int  # of positional arguments
    parts: tuple[Part, ...]  # of the arguments, then of what else it reads
    records: bool  # whether ops are recorded for gradients
    owners: tuple[Part, ...]  # tensors whose .grad it reads or sets
    before: tuple[Part, ...]  # their gradients
    after: tuple[Part, ...]
    result: Part | None
    made: tuple[Made, ...]  # by slots, of the result and of gradients
    first: int  # slot
    changed: tuple[Part, ...]  # tensors that are changed in place
    asked: tuple[bool, ...]  # whether a gradient is asked of them then
    numbers: tuple[Provider, ...]  # asked each time, in order, after those that it is given
    checks: tuple[tuple[int, Callable[[Tensor], None]], ...]  # of values of tensors from outside, by their index
    aliased: set[int]  # places of tensors that show another one's memory from then on, or theirs is shown
    varied: Numbers | None = None  # those that it is given and that may differ
    is_immediate: bool = False  # executed each time: it makes tensors over memory from outside
    rounds: dict[frozenset[int] | None, Round] = field(default_factory=dict)  # by slots that were alive and lazy
    next: Position = field(default_factory=Position)


__all__ = ["Call", "Launch", "Made", "Position", "Provider", "Round"]
