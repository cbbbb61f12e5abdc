"""Arguments for each function of the array API standard, drawn at random: arrays as NumPy's, dtypes by their names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

FLOATS = ("float32", "float64")
INTEGERS = ("int8", "int16", "int32", "uint8")
NUMBERS = (*INTEGERS, *FLOATS)
ALL = ("bool", *NUMBERS)
SPECIAL = (0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 2.5, -2.5, 1e30, -1e30)


class Dtype(str):
    """The name of a dtype, which each namespace has as its own."""

    __slots__ = ()


class Call(NamedTuple):
    """The arguments of one call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def call(*args: Any, **kwargs: Any) -> Call:
    return Call(args, kwargs)


class Draw:
    """Random arguments."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def integer(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high + 1))

    def one(self, choices: Any) -> Any:
        return list(choices)[self.integer(0, len(list(choices)) - 1)]

    def dtype(self, kinds: tuple[str, ...]) -> Dtype:
        return Dtype(self.one(kinds))

    def pair(self, kinds: tuple[str, ...]) -> tuple[str, str]:
        """Two dtypes of one kind, which promote."""
        first = self.one(kinds)
        alike = [k for k in kinds if next(g for g in (("bool",), INTEGERS, FLOATS) if k in g) == _kind(first)]
        return first, self.one(alike)

    def shape(self, low: int = 0, high: int = 4, side: int = 0) -> tuple[int, ...]:
        sides = [self.integer(side, 4) if self.integer(0, 5) else side for _ in range(self.integer(low, high))]
        return tuple(sides)

    def broadcastable(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts with another one."""
        cut = self.integer(0, len(shape))
        return tuple(n if self.integer(0, 2) else 1 for n in shape[cut:])

    def array(self, dtype: str, shape: tuple[int, ...], low: float = -9, high: float = 9) -> np.ndarray:
        if dtype == "bool":
            return np.asarray(self.random.integers(0, 2, shape), np.bool_)
        if dtype in FLOATS:
            return np.asarray(self.random.uniform(low, high, shape), dtype)
        return np.asarray(self.random.integers(max(low, 0) if dtype == "uint8" else low, high + 1, shape), dtype)

    def any(self, kinds: tuple[str, ...] = ALL, low: int = 0, high: int = 4, side: int = 0) -> np.ndarray:
        return self.array(self.one(kinds), self.shape(low, high, side))

    def axis(self, ndim: int) -> int:
        return self.integer(-ndim, ndim - 1)

    def axes(self, ndim: int) -> int | tuple[int, ...] | None:
        """One axis, several, or none."""
        kind = self.integer(0, 2)
        if kind == 0 or ndim == 0:
            return None
        if kind == 1:
            return self.axis(ndim)
        return tuple(int(a) for a in self.random.permutation(ndim)[: self.integer(1, ndim)])

    def keywords(self, **made: Callable[[], Any]) -> dict[str, Any]:
        """Some of the keywords."""
        return {name: make() for name, make in made.items() if self.integer(0, 1)}

    def matrices(
        self, rows: int | None = None, columns: int | None = None, kinds: tuple[str, ...] = FLOATS
    ) -> np.ndarray:
        sides = (rows or self.integer(1, 4), columns or self.integer(1, 4))
        return self.array(self.one(kinds), (*self.shape(0, 2, 1), *sides))

    def square(self) -> np.ndarray:
        """Matrices that are far from singular."""
        n = self.integer(1, 4)
        return self.matrices(n, n) + np.eye(n, dtype=np.float32) * 40

    def symmetric(self) -> np.ndarray:
        x = self.square()
        return x + np.swapaxes(x, -1, -2)


def _kind(dtype: str) -> tuple[str, ...]:
    return ("bool",) if dtype == "bool" else INTEGERS if dtype in INTEGERS else FLOATS


def _unary(kinds: tuple[str, ...], low: float = -9, high: float = 9) -> Callable[[Draw], Call]:
    return lambda d: call(d.array(d.one(kinds), d.shape(), low, high))


def _binary(kinds: tuple[str, ...], low: float = -9, high: float = 9) -> Callable[[Draw], Call]:
    def drawn(d: Draw) -> Call:
        one, other = d.pair(kinds)
        shape = d.shape()
        arrays = [d.array(one, shape, low, high), d.array(other, d.broadcastable(shape), low, high)]
        return call(*(arrays if d.integer(0, 1) else arrays[::-1]))

    return drawn


def _nonzero_right(d: Draw) -> Call:
    one, other = _binary(NUMBERS)(d).args
    return call(one, np.where(other == 0, np.asarray(3, other.dtype), other))


def _shift(d: Draw) -> Call:
    shape = d.shape()
    return call(d.array(d.one(INTEGERS), shape), d.array(d.one(INTEGERS), d.broadcastable(shape), 0, 6))


def _power(d: Draw) -> Call:
    one, other = d.pair(NUMBERS)
    shape = d.shape()
    low = 0 if one in INTEGERS else -3
    return call(d.array(one, shape, low and 0.1, 4), d.array(other, d.broadcastable(shape), low, 3))


def _reduction(kinds: tuple[str, ...], side: int = 0, dtype: bool = False) -> Callable[[Draw], Call]:
    def drawn(d: Draw) -> Call:
        x = d.array(d.one(kinds), d.shape(0, 4, side), -3, 3)
        kwargs = d.keywords(axis=lambda: d.axes(x.ndim), keepdims=lambda: bool(d.integer(0, 1)))
        if dtype and d.integer(0, 2) == 0:
            kwargs["dtype"] = Dtype(x.dtype.name) if x.dtype.name in FLOATS else d.dtype(("int32",))
        return call(x, **kwargs)

    return drawn


def _moment(d: Draw) -> Call:
    x = d.array(d.one(FLOATS), d.shape(1, 4, 2))
    return call(
        x, **d.keywords(axis=lambda: d.axes(x.ndim), keepdims=lambda: True, correction=lambda: d.one((0.0, 1, 0.5)))
    )


def _running(d: Draw) -> Call:
    x = d.array(d.one(NUMBERS), d.shape(1, 3), -2, 2)
    kwargs = {"axis": d.axis(x.ndim)} if x.ndim > 1 or d.integer(0, 1) else {}
    return call(x, **kwargs, **d.keywords(include_initial=lambda: bool(d.integer(0, 1))))


def _place(d: Draw) -> Call:
    x = d.any(NUMBERS, 1, 3, 1)
    return call(x, **d.keywords(axis=lambda: d.axis(x.ndim), keepdims=lambda: bool(d.integer(0, 1))))


def _order(d: Draw) -> Call:
    x = d.any(NUMBERS, 1, 3)
    return call(x, **d.keywords(axis=lambda: d.axis(x.ndim), descending=lambda: bool(d.integer(0, 1))))


def _creation(d: Draw) -> Call:
    return call(d.one((d.shape(), d.integer(0, 4))), **d.keywords(dtype=lambda: d.dtype(ALL)))


def _like(d: Draw) -> Call:
    return call(d.any(), **d.keywords(dtype=lambda: d.dtype(ALL)))


def _full(d: Draw) -> Call:
    return call(d.shape(), d.one((True, 7, 2.5)))


def _full_dtype(d: Draw) -> Call:
    dtype = d.dtype(ALL)
    return call(d.shape(), {"b": True, "i": 7, "u": 7, "f": 2.5}[np.dtype(dtype).kind], dtype=dtype)


def _arange(d: Draw) -> Call:
    if d.integer(0, 2) == 0:
        return call(d.integer(-3, 9))
    number = (lambda: d.integer(-9, 9)) if d.integer(0, 1) else (lambda: d.integer(-36, 36) / 4)
    step = number() or 1
    return call(number(), number(), step)


def _linspace(d: Draw) -> Call:
    kwargs = d.keywords(dtype=lambda: d.dtype(FLOATS), endpoint=lambda: bool(d.integer(0, 1)))
    return call(d.integer(-9, 9) / 2, d.integer(-9, 9), d.integer(0, 9), **kwargs)


def _eye(d: Draw) -> Call:
    sides = [d.integer(0, 5) for _ in range(d.integer(1, 2))]
    return call(*sides, **d.keywords(k=lambda: d.integer(-6, 6), dtype=lambda: d.dtype(ALL)))


def _triangle(d: Draw) -> Call:
    return call(d.any(ALL, 2, 4), **d.keywords(k=lambda: d.integer(-5, 5)))


def _meshgrid(d: Draw) -> Call:
    dtype = d.one(NUMBERS)
    arrays = [d.array(dtype, (d.integer(0, 3),)) for _ in range(d.integer(1, 3))]
    return call(*arrays, **d.keywords(indexing=lambda: d.one(("xy", "ij"))))


def _several(d: Draw) -> tuple[list[np.ndarray], int]:
    one, other = d.pair(ALL)
    shape = d.shape(1, 3)
    return [d.array(one, shape), d.array(other, shape), d.array(one, shape)][: d.integer(1, 3)], len(shape)


def _concat(d: Draw) -> Call:
    arrays, ndim = _several(d)
    return call(arrays, **d.keywords(axis=lambda: d.one((None, d.axis(ndim)))))


def _stack(d: Draw) -> Call:
    arrays, ndim = _several(d)
    return call(arrays, **d.keywords(axis=lambda: d.axis(ndim + 1)))


def _broadcast_to(d: Draw) -> Call:
    shape = d.shape()
    return call(d.array(d.one(ALL), d.broadcastable(shape)), shape)


def _broadcast_arrays(d: Draw) -> Call:
    shape = d.shape()
    return call(*(d.array(d.one(ALL), d.broadcastable(shape)) for _ in range(3)), d.array("int8", shape))


def _expand(d: Draw) -> Call:
    x = d.any()
    return call(x, axis=d.axis(x.ndim + 1))


def _flip(d: Draw) -> Call:
    x = d.any()
    return call(x, **d.keywords(axis=lambda: d.axes(x.ndim)))


def _moveaxis(d: Draw) -> Call:
    x = d.any(ALL, 1)
    if d.integer(0, 1):
        return call(x, d.axis(x.ndim), d.axis(x.ndim))
    n = d.integer(1, x.ndim)
    return call(x, *(tuple(int(a) for a in d.random.permutation(x.ndim)[:n]) for _ in range(2)))


def _permute(d: Draw) -> Call:
    x = d.any()
    return call(x, tuple(int(a) for a in d.random.permutation(x.ndim)))


def _repeat(d: Draw) -> Call:
    x = d.any(ALL, 1, 3)
    axis = d.axis(x.ndim)
    size = x.shape[axis] if d.integer(0, 1) else x.size
    repeats: Any = d.integer(0, 3) if d.integer(0, 1) else d.array("int32", (size,), 0, 3)
    return (
        call(x, repeats)
        if isinstance(repeats, np.ndarray) and size != x.shape[axis]
        else call(x, repeats, **_axis(x, size, axis))
    )


def _axis(x: np.ndarray, size: int, axis: int) -> dict[str, Any]:
    return {"axis": axis} if size == x.shape[axis] else {}


def _reshape(d: Draw) -> Call:
    x = d.any()
    sides = [int(n) for n in d.random.permutation([*list(x.shape), 1])]
    if x.size and d.integer(0, 1):
        sides[d.integer(0, len(sides) - 1)] = -1
    return call(x, tuple(sides), **d.keywords(copy=lambda: d.one((None, True))))


def _roll(d: Draw) -> Call:
    x = d.any()
    axes = d.axes(x.ndim)
    if isinstance(axes, tuple):
        return call(x, tuple(d.integer(-6, 6) for _ in axes), axis=axes)
    return call(x, d.integer(-6, 6), axis=axes)


def _squeeze(d: Draw) -> Call:
    shape = (1, *d.shape(0, 2), 1)
    return call(d.array(d.one(ALL), shape), d.one((0, -1, (0, -1), (-len(shape),))))


def _tile(d: Draw) -> Call:
    return call(d.any(ALL, 0, 3), tuple(d.integer(0, 3) for _ in range(d.integer(0, 4))))


def _unstack(d: Draw) -> Call:
    x = d.any(ALL, 1)
    return call(x, **d.keywords(axis=lambda: d.axis(x.ndim)))


def _searchsorted(d: Draw) -> Call:
    dtype = d.one(NUMBERS)
    x = np.sort(d.array(dtype, (d.integer(1, 6),)))
    sought = d.array(dtype, d.shape(0, 2))
    if d.integer(0, 1):
        order = d.random.permutation(x.size)
        return call(x[order], sought, sorter=np.argsort(order).astype(np.int32), **d.keywords(side=lambda: "right"))
    return call(x, sought, **d.keywords(side=lambda: d.one(("left", "right"))))


def _take(d: Draw) -> Call:
    x = d.any(ALL, 1, 3, 1)
    axis = d.axis(x.ndim)
    return call(x, d.array("int32", (d.integer(0, 4),), -x.shape[axis], x.shape[axis] - 1), axis=axis)


def _take_along(d: Draw) -> Call:
    x = d.any(ALL, 1, 3, 1)
    axis = d.axis(x.ndim)
    shape = list(x.shape)
    shape[axis] = d.integer(1, 4)
    return call(x, d.array("int32", tuple(shape), -x.shape[axis], x.shape[axis] - 1), axis=axis)


def _where(d: Draw) -> Call:
    one, other = d.pair(ALL)
    shape = d.shape()
    return call(d.array("bool", d.broadcastable(shape)), d.array(one, shape), d.array(other, d.broadcastable(shape)))


def _clip(d: Draw) -> Call:
    x = d.any(NUMBERS)
    number = (lambda low, high: float(d.integer(low, high))) if x.dtype.kind == "f" else d.integer
    low, high = number(0, 3), number(4, 8)
    if d.integer(0, 1):
        return call(x, d.one((None, low)), d.one((None, high)))
    shape = d.broadcastable(x.shape)
    return call(x, np.full(shape, low, x.dtype), np.full(shape, high, x.dtype))


def _diff(d: Draw) -> Call:
    x = d.any(NUMBERS, 1, 3, 1)
    return call(x, axis=d.axis(x.ndim), **d.keywords(n=lambda: d.integer(0, 2)))


def _isin(d: Draw) -> Call:
    dtype = d.one(INTEGERS)
    return call(d.array(dtype, d.shape()), d.array(dtype, d.shape(1, 1)))


def _set(d: Draw) -> Call:
    x = d.array(d.one(ALL), d.shape(0, 3), -2, 2)
    return call(x if x.dtype.kind == "b" else np.asarray(np.trunc(x), x.dtype))


def _astype(d: Draw) -> Call:
    return call(d.array(d.one(ALL), d.shape(), 0, 9), d.dtype(ALL), **d.keywords(copy=lambda: bool(d.integer(0, 1))))


def _matmul(d: Draw) -> Call:
    one, other = d.pair(NUMBERS)
    n, k, m = (d.integer(0, 4) for _ in range(3))
    batch = d.shape(0, 2)
    left = (k,) if d.integer(0, 3) == 0 else (*batch, n, k)
    right = (k,) if d.integer(0, 3) == 0 else (*d.broadcastable(batch), k, m)
    return call(d.array(one, left), d.array(other, right))


def _tensordot(d: Draw) -> Call:
    one, other = d.pair(NUMBERS)
    if d.integer(0, 1):
        return call(d.array(one, (2, 3, 4)), d.array(other, (4, 3, 2)), axes=((1, d.one((0, -3))), (1, d.one((2, -1)))))
    n = d.integer(0, 2)
    shared = tuple(d.integer(1, 3) for _ in range(n))
    return call(d.array(one, (*d.shape(0, 2), *shared)), d.array(other, (*shared, *d.shape(0, 2))), axes=n)


def _vecdot(d: Draw) -> Call:
    one, other = d.pair(NUMBERS)
    shape = d.shape(1, 3)
    return call(d.array(one, shape), d.array(other, (*d.broadcastable(shape[:-1]), shape[-1])), axis=-1)


def _transposed(d: Draw) -> Call:
    return call(d.any(ALL, 2, 4))


def _cross(d: Draw) -> Call:
    one, other = d.pair(NUMBERS)
    shape = (*d.shape(0, 2), 3)
    return call(d.array(one, shape), d.array(other, shape))


def _outer(d: Draw) -> Call:
    one, other = d.pair(NUMBERS)
    return call(d.array(one, d.shape(1, 1)), d.array(other, d.shape(1, 1)))


def _solve(d: Draw) -> Call:
    x = d.square()
    n = x.shape[-1]
    shape = (n,) if d.integer(0, 1) else (*d.broadcastable(x.shape[:-2]), n, d.integer(1, 4))
    return call(x, d.array(x.dtype.name, shape))


def _vector_norm(d: Draw) -> Call:
    x = d.array(d.one(FLOATS), d.shape(1, 3, 1))
    orders = (2, 1, math.inf, -math.inf, 3, 0.5, 0)
    return call(x, **d.keywords(axis=lambda: d.axes(x.ndim), keepdims=lambda: True, ord=lambda: d.one(orders)))


def _trace(d: Draw) -> Call:
    return call(d.array(d.one(NUMBERS), (*d.shape(0, 2), 3, 4)), **d.keywords(offset=lambda: d.integer(-2, 3)))


def _positive_definite(d: Draw) -> Call:
    return call(d.symmetric(), **d.keywords(upper=lambda: bool(d.integer(0, 1))))


CASES: dict[str, Callable[[Draw], Call]] = {
    **dict.fromkeys(("abs", "negative", "positive", "square", "sign"), _unary(NUMBERS)),
    **dict.fromkeys(("ceil", "floor", "round", "trunc", "isfinite", "isinf", "isnan"), _unary(NUMBERS)),
    **dict.fromkeys(("asinh", "atan", "cos", "cosh", "exp", "expm1", "sin", "sinh", "tan", "tanh"), _unary(FLOATS)),
    **dict.fromkeys(("acos", "asin", "atanh"), _unary(FLOATS, -0.9, 0.9)),
    **dict.fromkeys(("log", "log1p", "log2", "log10", "sqrt"), _unary(FLOATS, 0.1, 50)),
    "acosh": _unary(FLOATS, 1, 50),
    **dict.fromkeys(("signbit", "reciprocal"), _unary(FLOATS)),
    "logical_not": _unary(("bool",)),
    "bitwise_invert": _unary(("bool", *INTEGERS)),
    **dict.fromkeys(("add", "subtract", "multiply", "maximum", "minimum"), _binary(NUMBERS)),
    **dict.fromkeys(("greater", "greater_equal", "less", "less_equal"), _binary(NUMBERS)),
    **dict.fromkeys(("equal", "not_equal"), _binary(ALL)),
    **dict.fromkeys(("atan2", "copysign", "divide", "hypot", "logaddexp", "nextafter"), _binary(FLOATS)),
    **dict.fromkeys(("floor_divide", "remainder"), _nonzero_right),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), _binary(("bool",))),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), _binary(("bool", *INTEGERS))),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), _shift),
    "pow": _power,
    "clip": _clip,
    **dict.fromkeys(("all", "any"), _reduction(ALL)),
    **dict.fromkeys(("max", "min"), _reduction(NUMBERS, side=1)),
    "mean": _reduction(FLOATS, side=1),
    **dict.fromkeys(("sum", "prod"), _reduction(NUMBERS, dtype=True)),
    "count_nonzero": _reduction(ALL),
    **dict.fromkeys(("std", "var"), _moment),
    **dict.fromkeys(("cumulative_sum", "cumulative_prod"), _running),
    "diff": _diff,
    **dict.fromkeys(("argmax", "argmin"), _place),
    **dict.fromkeys(("argsort", "sort"), _order),
    "nonzero": lambda d: call(d.any(ALL, 1)),
    "searchsorted": _searchsorted,
    "take": _take,
    "take_along_axis": _take_along,
    "where": _where,
    "isin": _isin,
    **dict.fromkeys(("unique_all", "unique_counts", "unique_inverse", "unique_values"), _set),
    "astype": _astype,
    "arange": _arange,
    "linspace": _linspace,
    "eye": _eye,
    **dict.fromkeys(("ones", "zeros"), _creation),
    **dict.fromkeys(("ones_like", "zeros_like"), _like),
    "full": lambda d: (_full if d.integer(0, 1) else _full_dtype)(d),
    "full_like": lambda d: call(d.any(NUMBERS), 7),
    **dict.fromkeys(("tril", "triu"), _triangle),
    "meshgrid": _meshgrid,
    "asarray": lambda d: call(d.any(), **d.keywords(copy=lambda: True)),
    "broadcast_to": _broadcast_to,
    "broadcast_arrays": _broadcast_arrays,
    "concat": _concat,
    "stack": _stack,
    "expand_dims": _expand,
    "flip": _flip,
    "moveaxis": _moveaxis,
    "permute_dims": _permute,
    "repeat": _repeat,
    "reshape": _reshape,
    "roll": _roll,
    "squeeze": _squeeze,
    "tile": _tile,
    "unstack": _unstack,
    "matmul": _matmul,
    "matrix_transpose": _transposed,
    "tensordot": _tensordot,
    "vecdot": _vecdot,
    "linalg.matmul": _matmul,
    "linalg.matrix_transpose": _transposed,
    "linalg.tensordot": _tensordot,
    "linalg.vecdot": _vecdot,
    "linalg.cholesky": _positive_definite,
    "linalg.cross": _cross,
    **dict.fromkeys(("linalg.det", "linalg.inv", "linalg.slogdet"), lambda d: call(d.square())),
    "linalg.diagonal": lambda d: call(d.any(ALL, 2, 4), **d.keywords(offset=lambda: d.integer(-3, 3))),
    "linalg.eigvalsh": lambda d: call(d.symmetric()),
    "linalg.eigh": lambda d: call(d.symmetric()),
    "linalg.matrix_norm": lambda d: call(
        d.matrices(), **d.keywords(keepdims=lambda: True, ord=lambda: d.one(("fro", "nuc", 1, -1, 2, -2, math.inf)))
    ),
    "linalg.matrix_power": lambda d: call(d.square(), d.integer(-2, 3)),
    "linalg.matrix_rank": lambda d: call(d.matrices(), **d.keywords(rtol=lambda: 1e-3)),
    "linalg.outer": _outer,
    "linalg.pinv": lambda d: call(d.matrices(), **d.keywords(rtol=lambda: 1e-4)),
    "linalg.qr": lambda d: call(d.matrices(), **d.keywords(mode=lambda: d.one(("reduced", "complete")))),
    "linalg.solve": _solve,
    "linalg.svd": lambda d: call(d.matrices(), **d.keywords(full_matrices=lambda: bool(d.integer(0, 1)))),
    "linalg.svdvals": lambda d: call(d.matrices()),
    "linalg.trace": _trace,
    "linalg.vector_norm": _vector_norm,
}
"""By function: arguments that the standard says something of."""

__all__ = ["ALL", "CASES", "FLOATS", "INTEGERS", "NUMBERS", "SPECIAL", "Call", "Draw", "Dtype", "call"]
