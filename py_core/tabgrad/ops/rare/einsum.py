"""Einstein's summation: products of tensors with dimensions named by letters."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any

from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import broadcast_to, permute, reshape
from tabgrad.ops.reduce import sum
from tabgrad.tensor import Tensor

Labels = tuple[Any, ...]  # of dimensions: letters, and negative numbers for those of the ellipsis, from the right


def _labels(text: str) -> list[Any]:
    compact = text.replace(" ", "")
    before, dots, after = compact.partition("...")
    letters = [*before, *([Ellipsis] if dots else []), *after]
    strange = [c for c in letters if c is not Ellipsis and c not in string.ascii_letters]
    if strange:
        raise ArgumentError(f"einsum: expected letters and at most one '...' for each operand, got {text!r}")
    return letters


def _sublist(given: Sequence[Any]) -> list[Any]:
    letters = string.ascii_uppercase + string.ascii_lowercase
    if any(i is not Ellipsis and not 0 <= i < len(letters) for i in given):
        raise ArgumentError(f"einsum: expected subscripts from 0 to {len(letters) - 1}, got {list(given)}")
    return [i if i is Ellipsis else letters[i] for i in given]


def _parsed(equation: Any, operands: tuple[Any, ...]) -> tuple[list[Tensor], list[list[Any]], list[Any] | None]:
    """Operands, the labels of each, and of the result, if they were given."""
    if isinstance(equation, str):
        tensors = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], list | tuple) else list(operands)
        inputs, arrow, output = equation.partition("->")
        return tensors, [_labels(part) for part in inputs.split(",")], _labels(output) if arrow else None
    given = [equation, *operands]
    result = _sublist(given.pop()) if len(given) % 2 else None
    return given[0::2], [_sublist(s) for s in given[1::2]], result


def _named(x: Tensor, labels: list[Any], position: int) -> tuple[Tensor, list[Any]]:
    """The labels of an operand's dimensions, each once: of a repeated one the diagonal is taken."""
    spelt = len([one for one in labels if one is not Ellipsis])
    missing = x.ndim - spelt
    if missing < 0 or (missing and Ellipsis not in labels):
        raise ShapeError(f"einsum: expected operand {position} with {spelt} dimensions, got {list(x.shape)}")
    names: list[Any] = []
    for one in labels:
        names += range(-missing, 0) if one is Ellipsis else [one]
    while len(set(names)) < len(names):
        first = next(k for k, name in enumerate(names) if name in names[k + 1 :])
        second = names.index(names[first], first + 1)
        if x.shape[first] != x.shape[second]:
            raise ShapeError(f"einsum: expected equal sizes of {names[first]!r}, got {list(x.shape)}")
        on = ew.eq(ew.iota(x.shape, first), ew.iota(x.shape, second))
        x = sum(ew.where(on, x, 0), second)
        del names[second]
    return x, names


def _summed(x: Tensor, names: list[Any], kept: set[Any]) -> tuple[Tensor, list[Any]]:
    """Without the dimensions that nothing else has."""
    gone = [k for k, name in enumerate(names) if name not in kept]
    return (sum(x, gone), [n for n in names if n in kept]) if gone else (x, names)


def _pair(a: Tensor, an: list[Any], b: Tensor, bn: list[Any], kept: set[Any]) -> tuple[Tensor, list[Any]]:
    """The product of two, summed over what neither the result nor another operand has: a batched matrix product."""
    sizes = dict(zip(an, a.shape, strict=True))
    for name, n in zip(bn, b.shape, strict=True):
        sizes[name] = n if sizes.get(name, 1) == 1 else sizes[name]
    # a dimension of size 1 that is broadcast is summed away where the other one has more
    a, an = _summed(a, an, {n for n in an if n in kept or n in bn})
    b, bn = _summed(b, bn, {n for n in bn if n in kept or n in an})
    both = [n for n in an if n in bn]
    batch = [n for n in both if n in kept]
    inner = [n for n in both if n not in kept]
    left = [n for n in an if n not in bn]
    right = [n for n in bn if n not in an]

    def laid(x: Tensor, names: list[Any], order: list[Any], shape: tuple[int, ...]) -> Tensor:
        x = permute(x, tuple(names.index(n) for n in order))
        return reshape(broadcast_to(x, tuple(sizes[n] for n in order)), shape)

    count, m, k, n = (math.prod(sizes[name] for name in group) for group in (batch, left, inner, right))
    x = laid(a, an, [*batch, *left, *inner], (count, m, k))
    y = laid(b, bn, [*batch, *inner, *right], (count, k, n))
    out = matmul(x, y) if inner else x * y
    names = [*batch, *left, *right]
    return reshape(out, tuple(sizes[name] for name in names)), names


@public()
def einsum(equation: Any, *operands: Any) -> Tensor:
    """Sums of products of tensors whose dimensions are named: ``einsum("bik,bkj->bij", a, b)``.

    Two operands at a time are multiplied, from left to right, each as one batched matrix product.

    Args:
        equation: a letter for each dimension of each operand, and of the result after ``->``; ``...`` stands for
            dimensions that are broadcast. Without ``->`` the result has the letters that are there once, in
            alphabetical order. Or an operand, followed by a list of numbers for its dimensions, and so on.

    Raises:
        ArgumentError: the equation cannot be read, or a letter of the result is in no operand.
        ShapeError: an operand has another number of dimensions, or sizes of one letter differ.
    """
    tensors, labels, result = _parsed(equation, operands)
    if len(tensors) != len(labels) or not tensors:
        raise ArgumentError(f"einsum: expected {len(labels)} operands, got {len(tensors)}")
    parts = [_named(x, names, k) for k, (x, names) in enumerate(zip(tensors, labels, strict=True))]
    spelt = [one for names in labels for one in names if one is not Ellipsis]
    dots = sorted({n for _, names in parts for n in names if isinstance(n, int)})
    if result is None:
        output = [*dots, *sorted({n for n in spelt if spelt.count(n) == 1})]
    else:
        output = [n for one in result for n in (dots if one is Ellipsis else [one])]
    sizes: dict[Any, int] = {}
    for x, names in parts:
        for name, n in zip(names, x.shape, strict=True):
            if n != 1 and sizes.get(name, 1) not in (1, n):
                raise ShapeError(f"einsum: expected one size of {name!r}, got {sizes[name]} and {n}")
            sizes[name] = max(n, sizes.get(name, n)) if n != 0 else 0
    if len(set(output)) != len(output) or any(n not in sizes for n in output):
        raise ArgumentError(f"einsum: expected each letter of the result once, and in an operand, got {equation!r}")
    found, names = parts[0]
    for k, (x, other) in enumerate(parts[1:], start=1):
        later = {n for _, rest in parts[k + 1 :] for n in rest}
        found, names = _pair(found, names, x, other, later | set(output))
    found, names = _summed(found, names, set(output))
    return permute(found, tuple(names.index(n) for n in output)) if output else found
