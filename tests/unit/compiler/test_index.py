"""Index arithmetic: the generated WGSL, evaluated as u32 arithmetic, names the element that NumPy names."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daily import examples_of_today
from tabgrad.graph.index import Coords, Deps, Index, constant, strides, variable

U32 = 2**32
few = settings(max_examples=100, deadline=None, derandomize=True, database=None)


@dataclass
class Shader:
    """Stands in for a shader's scope: keeps what is bound, and evaluates it."""

    names: dict[str, str] = field(default_factory=dict)
    deps: dict[str, Deps] = field(default_factory=dict)

    def bind(self, text: str, deps: Deps) -> str:
        if re.fullmatch(r"\w+", text):
            return text
        name = self.names.setdefault(text, f"n{len(self.names)}")
        self.deps[name] = deps
        return name

    def run(self, text: str, variables: dict[str, int]) -> int:
        """The value of an expression, in wrapping u32 arithmetic."""
        known = {name: np.uint32(value) for name, value in variables.items()}
        with np.errstate(over="ignore"):
            for expression, name in self.names.items():
                known[name] = _evaluate(expression, known)
            return int(_evaluate(text, known))


def _evaluate(text: str, known: dict[str, np.uint32]) -> np.uint32:
    python = re.sub(r"(\d+)u", r"u32(\1)", text).replace("/", "//")
    return np.uint32(eval(python, {"u32": np.uint32, "__builtins__": {}}, dict(known)))


def _positions(shape: tuple[int, ...], most: int = 40) -> list[tuple[int, ...]]:
    every = list(itertools.islice(np.ndindex(*shape), 2000))
    return every[:: max(1, len(every) // most)]


def _at(shape: tuple[int, ...], position: tuple[int, ...]) -> dict[str, int]:
    return {f"i{d}": at for d, at in enumerate(position) if shape[d] != 1}


def _coords(shape: tuple[int, ...], *, flat: bool) -> Coords:
    if flat:
        return Coords(shape, flat=variable("e", max(math.prod(shape), 1)))
    return Coords(shape, [variable(f"i{d}", n) for d, n in enumerate(shape)])


def _variables(shape: tuple[int, ...], position: tuple[int, ...]) -> dict[str, int]:
    linear = int(np.ravel_multi_index(position, shape)) if shape else 0
    return {**_at(shape, position), "e": linear}


sizes = st.lists(st.integers(1, 7), min_size=0, max_size=4).map(tuple)


@st.composite
def regrouped(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes of as many elements: the prime factors of one, grouped anew, with ones strewn in."""
    factors = draw(st.lists(st.sampled_from([1, 2, 2, 3, 3, 5, 7]), min_size=1, max_size=6))

    def group(order: list[int]) -> tuple[int, ...]:
        out = [1]
        for n in order:
            if draw(st.booleans()):
                out.append(n)
            else:
                out[-1] *= n
        return tuple(out)

    return group(factors), group(draw(st.permutations(factors)) if draw(st.booleans()) else factors)


@few
@given(shapes=regrouped(), flat=st.booleans())
@examples_of_today(4)
def test_reshape_names_the_same_element(shapes: tuple[tuple[int, ...], tuple[int, ...]], flat: bool) -> None:
    old, new = shapes
    shader = Shader()
    moved = _coords(old, flat=flat).reshaped(new, shader.bind)
    dims = moved.dims(shader.bind)
    for position in _positions(old):
        variables = _variables(old, position)
        expected = np.unravel_index(variables["e"], new)
        assert [shader.run(d.text(), variables) for d in dims] == [int(n) for n in expected]
        assert shader.run(moved.flat().text(), variables) == variables["e"]


@few
@given(shapes=st.lists(regrouped(), min_size=1, max_size=1), order=st.randoms(use_true_random=False))
@examples_of_today(4)
def test_reshape_permute_reshape_names_the_same_element(shapes, order) -> None:
    """A permutation between two reshapes leaves sums with gaps, which division must see through."""
    old, middle = shapes[0]
    dims = list(range(len(middle)))
    order.shuffle(dims)
    shader = Shader()
    # from the result back to the source, as lowering goes: result -> middle (permuted) -> old
    shape = tuple(middle[d] for d in dims)
    at = _coords(shape, flat=False).dims(shader.bind)
    back = [constant(0)] * len(middle)
    for to, index in zip(dims, at, strict=True):
        back[to] = index
    found = Coords(middle, back).reshaped(old, shader.bind)
    source = np.arange(math.prod(old)).reshape(middle).transpose(dims)
    for position in _positions(shape):
        variables = _at(shape, position)
        assert shader.run(found.flat().text(), variables) == source[position]
        in_old = [shader.run(d.text(), variables) for d in found.dims(shader.bind)]
        assert in_old == [int(n) for n in np.unravel_index(source[position], old)]


@few
@given(shape=sizes, flat=st.booleans())
def test_dims_and_flat_agree(shape: tuple[int, ...], flat: bool) -> None:
    shader = Shader()
    coords = _coords(shape, flat=flat)
    for position in _positions(shape):
        variables = _variables(shape, position)
        assert [shader.run(d.text(), variables) for d in coords.dims(shader.bind)] == list(position)
        assert shader.run(coords.flat().text(), variables) == variables["e"]


@st.composite
def sums(draw: st.DrawFn) -> tuple[Index, dict[str, int]]:
    """``const + sum(c * v)`` that is never negative, and the bounds of its variables."""
    bounds = {f"v{k}": draw(st.integers(1, 12)) for k in range(draw(st.integers(0, 4)))}
    total = constant(0)
    for name, bound in bounds.items():
        total = total + variable(name, bound).scaled(draw(st.integers(-9, 30)))
    return total + constant(max(0, -total.low) + draw(st.integers(0, 20))), bounds


@few
@given(made=sums(), d=st.integers(1, 24), data=st.data())
def test_division_and_remainder(made: tuple[Index, dict[str, int]], d: int, data: st.DataObject) -> None:
    index, bounds = made
    values = {name: data.draw(st.integers(0, bound - 1), label=name) for name, bound in bounds.items()}
    shader = Shader()
    quotient, rest = index.divided(d, shader.bind), index.modulo(d, shader.bind)
    true = index.const + sum(c * values[a.text] for c, a in index.terms)
    assert index.low <= true <= index.high
    assert shader.run(index.text(), values) == true
    assert shader.run(index.hoisted(shader.bind), values) == true
    for part, expected in ((quotient, true // d), (rest, true % d)):
        assert shader.run(part.text(), values) == expected
        assert part.low <= expected <= part.high, "bounds are what later simplification relies on"


@few
@given(made=sums(), d=st.integers(2, 24))
def test_bound_values_name_all_their_variables(made: tuple[Index, dict[str, int]], d: int) -> None:
    index, bounds = made
    shader = Shader()
    for part in (index.divided(d, shader.bind), index.modulo(d, shader.bind)):
        used = set(re.findall(r"v\d", part.text()))
        for name in set(re.findall(r"n\d+", part.text())):
            expression = next(text for text, n in shader.names.items() if n == name)
            used |= set(re.findall(r"v\d", expression))
        assert used <= part.deps
        assert part.deps <= set(bounds)


@few
@given(made=sums(), factor=st.integers(0, 9), other=sums())
def test_sums_and_products(
    made: tuple[Index, dict[str, int]], factor: int, other: tuple[Index, dict[str, int]]
) -> None:
    (a, bounds), (b, more) = made, other
    values = {name: min(n, bounds.get(name, n), more.get(name, n)) - 1 for name, n in {**bounds, **more}.items()}
    shader = Shader()

    def value(index: Index) -> int:
        return index.const + sum(c * values[atom.text] for c, atom in index.terms)

    assert shader.run((a + b).text(), values) == value(a) + value(b)
    assert shader.run(a.scaled(factor).text(), values) == value(a) * factor


def test_division_that_needs_no_division_has_none() -> None:
    """Positions of a [6, 8] tensor, seen as [2, 3, 4, 2], come without a division or remainder in the text."""
    shader = Shader()
    flat = variable("i", 6).scaled(8) + variable("j", 8)
    assert flat.divided(8, shader.bind).text() == "i"
    assert flat.modulo(8, shader.bind).text() == "j"
    assert not shader.names


def test_one_element_needs_no_arithmetic() -> None:
    assert Coords((1, 1), flat=variable("e", 1)).flat().text() == "0u"
    assert variable("i", 1).text() == "0u"
    assert Coords(()).flat().text() == "0u"


@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4), (1, 7, 1)])
def test_strides_are_numpys(shape: tuple[int, ...]) -> None:
    zeros = np.zeros(shape, np.uint8)
    assert [s for s, n in zip(strides(shape), shape, strict=True) if n > 1] == [
        s for s, n in zip(zeros.strides, shape, strict=True) if n > 1
    ]
