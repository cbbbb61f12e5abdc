"""A Python number that differs from round to round: an argument that becomes a scalar of the program.

The function that is called gets a :class:`Number` in its place. Used as an operand, it becomes a scalar of the graph.
Whatever else asks for its value gets it, and from then on the answer is a condition of the known call: ``p == 1`` must
be answered in the same way, ``1 - p`` is a number itself, and ``float(p)`` must give the same float.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tabgrad.dtypes import LARGEST_FLOAT32, DType, float32, int32
from tabgrad.graph.node import Node

if TYPE_CHECKING:
    from tabgrad.tracing.segment import Segment

Formula = tuple[Any, ...]
"""How a number is computed: ``(_GIVEN, index)`` of those that the call is given, ``(_CONSTANT, value, its repr)``, or a
function and the formulas of its arguments."""

_GIVEN, _CONSTANT = range(2)
_SMALLEST = 2.0**-126  # below it, float32 loses precision, and devices may take a number for zero
_MOST = 2**31 - 1  # of int32
_MOST_EXACT = 2**24  # integers up to it are float32's


class Numbers:
    """The numbers of a known call that may differ from round to round, and the conditions under which they may."""

    def __init__(self, count: int, base: int) -> None:
        self.count = count
        self.base = base  # place of the first among the numbers of a segment
        self.is_fixed = False  # whether one of them decides what the call does, so that none may differ
        self._conditions: dict[Formula, Any] = {}

    def hold(self, values: Sequence[Any]) -> bool:
        """Whether the call does the same with these."""
        if self.is_fixed:
            return False
        try:
            return all(value_of(formula, values) == answer for formula, answer in self._conditions.items())
        except (ArithmeticError, TypeError, ValueError):
            return False

    def require(self, formula: Formula, answer: Any) -> Any:
        """From now on it must have this value."""
        self._conditions[formula] = answer
        return answer


class Computed:
    """Gives a number that is computed of those of a call, in each round."""

    def __init__(self, numbers: Numbers, formula: Formula, segment: Callable[[], Segment]) -> None:
        self._numbers, self._formula, self._segment = numbers, formula, segment

    def __call__(self) -> Any:
        """What it is in the round that is under way."""
        base = self._numbers.base
        return value_of(self._formula, self._segment().numbers[base : base + self._numbers.count])


class Number:
    """One of them, or what was computed of one, in one round."""

    __slots__ = ("_formula", "_nodes", "_numbers", "_segment", "value")

    def __init__(self, numbers: Numbers, segment: Segment, value: Any, formula: Formula) -> None:
        self.value = value
        self._numbers, self._segment, self._formula = numbers, segment, formula
        self._nodes: dict[DType, Node] = {}

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # so that isinstance(x, float) holds
        return type(self.value)

    @property
    def place(self) -> int:
        """Where the number lies among the segment's; -1 of one that was computed."""
        kind, index, *_ = self._formula
        return self._numbers.base + index if kind == _GIVEN else -1

    def scalar(self, dtype: DType) -> Node | None:
        """The scalar of the graph; None if the number is to be a constant of the program."""
        node = self._nodes.get(dtype)
        if node is not None or not self._is_noted:
            return node
        is_float = dtype is float32
        fits = is_float or (dtype is int32 and isinstance(self.value, int))
        question = (may_vary, self._formula, constant(is_float))
        if self._numbers.is_fixed or not fits or not self._require(question, may_vary(self.value, is_float)):
            self.pinned()
            return None
        node = self._nodes[dtype] = self._segment.tracer.scalar_of(self, dtype)
        return node

    def provider(self) -> Computed:
        """What gives it in other rounds."""
        tracer = self._segment.tracer
        return Computed(self._numbers, self._formula, lambda: tracer.segment)

    def pinned(self) -> Any:
        """The value, which from now on must be the same in each round."""
        if self.place < 0:
            self._require((repr, self._formula), repr(self.value))
        elif self._is_noted:
            self._numbers.is_fixed = True
        return self.value

    @property
    def _is_noted(self) -> bool:
        """Whether what is done with it now is done by a call that may come again."""
        tracer = self._segment.tracer
        return tracer.is_learning and tracer.segment is self._segment

    def _require(self, formula: Formula, answer: Any) -> Any:
        return self._numbers.require(formula, answer) if self._is_noted else answer

    def __eq__(self, other: object) -> Any:
        return self._ask(operator.eq, other)

    def __ne__(self, other: object) -> Any:
        return self._ask(operator.ne, other)

    def __lt__(self, other: object) -> Any:
        return self._ask(operator.lt, other)

    def __le__(self, other: object) -> Any:
        return self._ask(operator.le, other)

    def __gt__(self, other: object) -> Any:
        return self._ask(operator.gt, other)

    def __ge__(self, other: object) -> Any:
        return self._ask(operator.ge, other)

    def __bool__(self) -> bool:
        return bool(self._require((bool, self._formula), bool(self.value)))

    def __float__(self) -> float:
        return float(self.pinned())

    def __int__(self) -> int:
        return int(self.pinned())

    def __index__(self) -> int:
        return operator.index(self.pinned())

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.pinned(), digits)

    def __trunc__(self) -> int:
        return math.trunc(self.pinned())

    def __floor__(self) -> int:
        return math.floor(self.pinned())

    def __ceil__(self) -> int:
        return math.ceil(self.pinned())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.pinned(), dtype)

    def __hash__(self) -> int:
        return hash(self.pinned())

    def __repr__(self) -> str:
        return repr(self.pinned())

    def __format__(self, spec: str) -> str:
        return format(self.pinned(), spec)

    def __getattr__(self, name: str) -> Any:
        if not hasattr(self.value, name):
            raise AttributeError(f"{type(self.value).__name__!r} object has no attribute {name!r}")
        return getattr(self.pinned(), name)  # is_integer, real

    def __neg__(self) -> Number:
        return self._of(operator.neg)

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return self._of(abs)

    def __add__(self, other: Any) -> Any:
        return self._with(operator.add, other)

    def __radd__(self, other: Any) -> Any:
        return self._with(operator.add, other, swapped=True)

    def __sub__(self, other: Any) -> Any:
        return self._with(operator.sub, other)

    def __rsub__(self, other: Any) -> Any:
        return self._with(operator.sub, other, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._with(operator.mul, other)

    def __rmul__(self, other: Any) -> Any:
        return self._with(operator.mul, other, swapped=True)

    def __truediv__(self, other: Any) -> Any:
        return self._with(operator.truediv, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(operator.truediv, other, swapped=True)

    def __floordiv__(self, other: Any) -> Any:
        return self._with(operator.floordiv, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._with(operator.floordiv, other, swapped=True)

    def __mod__(self, other: Any) -> Any:
        return self._with(operator.mod, other)

    def __rmod__(self, other: Any) -> Any:
        return self._with(operator.mod, other, swapped=True)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __pow__(self, other: Any) -> Any:
        return self._with(operator.pow, other)

    def __rpow__(self, other: Any) -> Any:
        return self._with(operator.pow, other, swapped=True)

    def _ask(self, question: Callable[[Any, Any], Any], other: Any) -> Any:
        found = self._operand(other)
        if found is None:
            return NotImplemented
        value, formula = found
        return self._require((question, self._formula, formula), question(self.value, value))

    def _of(self, function: Callable[[Any], Any]) -> Number:
        return Number(self._numbers, self._segment, function(self.value), (function, self._formula))

    def _with(self, function: Callable[[Any, Any], Any], other: Any, *, swapped: bool = False) -> Any:
        found = self._operand(other)
        if found is None:
            return NotImplemented
        pairs = [(self.value, self._formula), found]
        (a, first), (b, second) = reversed(pairs) if swapped else pairs
        return Number(self._numbers, self._segment, function(a, b), (function, first, second))

    def _operand(self, other: Any) -> tuple[Any, Formula] | None:
        """A number and how it is computed; that of another call is taken as it is."""
        if type(other) is Number:
            if other._numbers is self._numbers:
                return other.value, other._formula
            other = other.pinned()
        return (other, constant(other)) if isinstance(other, bool | int | float) else None


def value_of(formula: Formula, given: Sequence[Any]) -> Any:
    """The number that a formula gives."""
    kind, first, *rest = formula
    if kind == _GIVEN:
        return given[first]
    if kind == _CONSTANT:
        return first
    return kind(value_of(first, given), *[value_of(f, given) for f in rest])


def constant(value: Any) -> Formula:
    """The formula of a number that does not differ."""
    return _CONSTANT, value, repr(value)  # 1, 1.0 and True are equal, as 0.0 and -0.0 are


def given(numbers: Numbers, segment: Segment, value: Any, index: int) -> Number:
    """The number that a call is given as the ``index``-th that may differ."""
    plain = float(value) if isinstance(value, float) else value  # NumPy's float64 has a shape
    return Number(numbers, segment, plain, (_GIVEN, index))


def may_vary(value: Any, is_float: bool) -> bool:
    """Whether a program gives the same with the number as a scalar as with it as a constant.

    Constants of 0 and 1 may vanish from a program, and what float32 does not hold becomes something else.
    """
    if isinstance(value, float):
        return value != 1 and _SMALLEST <= abs(value) <= LARGEST_FLOAT32
    return abs(value) <= (_MOST_EXACT if is_float else _MOST) and not (is_float and value in (0, 1))


__all__ = ["Computed", "Number", "Numbers", "given", "may_vary"]
