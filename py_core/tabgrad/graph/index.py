"""Index arithmetic: sums of products of loop variables, kept as small as their bounds allow.

All indices are u32. A term's ``deps`` name the loop variables it depends on, so that each part of a sum
can be computed in the outermost loop in which it is constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Deps = frozenset[str]
Bind = Callable[[str, Deps], str]


class Atom:
    """A WGSL u32 expression in [0, bound)."""

    __slots__ = ("_hash", "bound", "deps", "text")

    def __init__(self, text: str, bound: int, deps: Deps) -> None:
        self.text, self.bound, self.deps = text, bound, deps
        self._hash = hash((text, bound, deps))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Atom):
            return NotImplemented
        return self.text == other.text and self.bound == other.bound and self.deps == other.deps


class Index:
    """``const + sum(coefficient * atom)``; no atom twice, no coefficient 0."""

    __slots__ = ("_hash", "_range", "const", "terms")

    def __init__(self, const: int, terms: tuple[tuple[int, Atom], ...]) -> None:
        self.const, self.terms = const, terms
        self._hash: int | None = None
        self._range: tuple[int, int] | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.const, self.terms))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Index):
            return NotImplemented
        return self.const == other.const and self.terms == other.terms

    def _bounds(self) -> tuple[int, int]:
        if self._range is None:
            low = high = self.const
            for c, a in self.terms:
                if c < 0:
                    low += c * (a.bound - 1)
                else:
                    high += c * (a.bound - 1)
            self._range = low, high
        return self._range

    @property
    def low(self) -> int:
        """The least value it can take."""
        return self._bounds()[0]

    @property
    def high(self) -> int:
        """The greatest value it can take."""
        return self._bounds()[1]

    @property
    def deps(self) -> Deps:
        """All loop variables in it."""
        if len(self.terms) == 1:
            return self.terms[0][1].deps
        return frozenset().union(*[a.deps for _, a in self.terms])

    def __add__(self, other: Index) -> Index:
        if not other.terms:
            return self if not other.const else Index(self.const + other.const, self.terms)
        if not self.terms:
            return other if not self.const else Index(self.const + other.const, other.terms)
        merged = {a: c for c, a in self.terms}
        for c, a in other.terms:
            merged[a] = merged.get(a, 0) + c
        return Index(self.const + other.const, tuple([(c, a) for a, c in merged.items() if c]))

    def scaled(self, factor: int) -> Index:
        """The index times a constant."""
        if factor == 1:
            return self
        return Index(self.const * factor, tuple([(c * factor, a) for c, a in self.terms]) if factor else ())

    def divided(self, d: int, bind: Bind) -> Index:
        """Floor division by a constant; the index is known to be >= 0."""
        if d == 1:
            return self
        factor, quotient, _ = self._factored(d)
        if factor == d:
            return quotient
        if factor > 1:
            return quotient.divided(d // factor, bind)
        whole = Index(self.const // d, tuple((c // d, a) for c, a in self.terms if c % d == 0))
        rest = Index(self.const % d, tuple((c, a) for c, a in self.terms if c % d))
        if rest.low < 0:
            whole, rest = constant(0), self
        return whole + variable(bind(f"({rest.text()}) / {d}u", rest.deps), rest.high // d + 1, rest.deps)

    def modulo(self, d: int, bind: Bind) -> Index:
        """Remainder by a constant; the index is known to be >= 0."""
        if d == 1:
            return constant(0)
        if self.low >= 0 and self.high < d:
            return self
        factor, quotient, rest = self._factored(d)
        if factor == d:
            return rest
        if factor > 1:
            return quotient.modulo(d // factor, bind).scaled(factor) + rest
        rest = Index(self.const % d, tuple((c, a) for c, a in self.terms if c % d))
        if rest.low < 0:
            rest = self
        return variable(bind(f"({rest.text()}) % {d}u", rest.deps), d, rest.deps)

    def _factored(self, d: int) -> tuple[int, Index, Index]:
        """``(f, q, r)`` with ``self == f q + r`` and ``0 <= r < f``, for the largest such divisor ``f`` of ``d``."""
        for f in sorted({d, *[math.gcd(d, c) for c, _ in self.terms]}, reverse=True):
            if f == 1:
                break
            rest = Index(self.const % f, tuple([term for term in self.terms if term[0] % f]))
            low, high = rest._bounds()
            if low >= 0 and high < f:
                whole = tuple([(c // f, a) for c, a in self.terms if c % f == 0])
                return f, Index((self.const - rest.const) // f, whole), rest
        return 1, self, constant(0)

    def text(self) -> str:
        """As one WGSL expression; where it has negative parts, u32 wraps around on the way."""
        positive = [_product(c, a.text) for c, a in self.terms if c > 0]
        negative = [_product(-c, a.text) for c, a in self.terms if c < 0]
        return _total(positive, negative, self.const)

    def hoisted(self, bind: Bind) -> str:
        """As WGSL, with each group of terms of equal ``deps`` computed where it is constant."""
        groups: dict[tuple[bool, Deps], list[tuple[int, Atom]]] = {}
        for c, a in self.terms:
            groups.setdefault((c < 0, a.deps), []).append((abs(c), a))
        if len({deps for _, deps in groups}) < 2:
            return self.text()
        sums: dict[bool, list[str]] = {False: [], True: []}
        for (negative, deps), terms in groups.items():
            sums[negative].append(bind(Index(0, tuple(terms)).text(), deps))
        return _total(sums[False], sums[True], self.const)


def _total(positive: list[str], negative: list[str], const: int) -> str:
    if const > 0 or not positive:
        positive = [*positive, f"{max(const, 0)}u"]
    if const < 0:
        negative = [*negative, f"{-const}u"]
    return " - ".join([" + ".join(positive), *negative])


def _product(c: int, text: str) -> str:
    return text if c == 1 else f"{text} * {c}u"


def constant(value: int) -> Index:
    """An index that is always ``value``."""
    return Index(value, ())


def variable(text: str, bound: int, deps: Deps | None = None) -> Index:
    """A loop variable (or bound expression) in [0, bound)."""
    if bound == 1:
        return constant(0)
    return Index(0, ((1, Atom(text, bound, frozenset((text,)) if deps is None else deps)),))


def quad(at: Index, size: int = 4) -> tuple[Index, int] | None:
    """Which group of ``size`` elements of a buffer holds an element, and where in it; None where that differs from
    thread to thread.
    """
    if any(c % size for c, _ in at.terms):
        return None
    return Index(at.const // size, tuple((c // size, a) for c, a in at.terms)), at.const % size


def strides(shape: Sequence[int]) -> list[int]:
    """Row-major strides in elements."""
    out, step = [], 1
    for n in reversed(shape):
        out.append(step)
        step *= n
    return out[::-1]


class Coords:
    """A position in a tensor of some shape: per dimension, or as a flat row-major index, or both."""

    def __init__(self, shape: Sequence[int], dims: Sequence[Index] | None = None, flat: Index | None = None) -> None:
        self.shape = tuple(shape)
        self._dims = list(dims) if dims is not None else None
        self._flat = flat
        if not self.shape and dims is None and flat is None:
            self._dims = []

    def flat(self) -> Index:
        """The row-major index."""
        if self._flat is None:
            assert self._dims is not None
            total = constant(0)
            for index, step in zip(self._dims, strides(self.shape), strict=True):
                total = total + index.scaled(step)
            self._flat = total
        return self._flat

    def dims(self, bind: Bind) -> list[Index]:
        """One index per dimension."""
        if self._dims is None:
            assert self._flat is not None
            out = []
            for n, step in zip(self.shape, strides(self.shape), strict=True):
                out.append(constant(0) if n <= 1 else self._flat.divided(step, bind).modulo(n, bind))
            self._dims = out
        return self._dims

    def reshaped(self, shape: Sequence[int], bind: Bind) -> Coords:
        """The same element in another shape of as many elements."""
        if self._flat is not None or self._dims is None:
            return Coords(shape, flat=self.flat())
        dims: list[Index] = []
        for old, new in matching_groups(self.shape, tuple(shape)):
            part = Coords([self.shape[i] for i in old], [self._dims[i] for i in old])
            if len(old) == len(new) == 1:
                dims.append(self._dims[old[0]])
            else:
                dims.extend(Coords([shape[i] for i in new], flat=part.flat()).dims(bind))
        return Coords(shape, dims)

    def key(self) -> object:
        """Equal keys mean the same position."""
        return self._flat if self._dims is None else tuple(self._dims)


def matching_groups(old: tuple[int, ...], new: tuple[int, ...]) -> list[tuple[list[int], list[int]]]:
    """Smallest runs of dimensions of both shapes that hold equally many elements."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        left, right, a, b = [], [], 1, 1
        if i < len(old):
            left.append(i)
            a, i = old[i], i + 1
        if j < len(new):
            right.append(j)
            b, j = new[j], j + 1
        while a != b:
            if a < b and i < len(old):
                left.append(i)
                a, i = a * old[i], i + 1
            elif j < len(new):
                right.append(j)
                b, j = b * new[j], j + 1
            else:
                left.append(i)
                a, i = a * old[i], i + 1
        groups.append((left, right))
    return groups
