"""Tensors made from nothing: constants, ranges and random numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply
from tabgrad.dtypes import DType
from tabgrad.errors import ShapeError
from tabgrad.graph import node as graph
from tabgrad.graph.op import Elementwise, Op, register, same_shape
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import as_tensor, scalar_dtype
from tabgrad.ops.draws import Draws
from tabgrad.random import Generator, threefry2x32
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.number import Number


@public(traced=False, creates=True)
def tensor(data: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of ``data``: numbers, nested sequences or a NumPy array.

    Raises:
        DTypeError: float64 arrays (pass ``dtype=tabgrad.float32``), or integers beyond 32 bits.
    """
    made = Tensor._of(data, dtype)
    return made.requires_grad_() if requires_grad else made


@public(traced=False)
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor with a copy of a NumPy array (memory is not shared, unlike PyTorch's)."""
    return Tensor._of(array)


def _sizes(size: tuple[Any, ...]) -> tuple[int, ...]:
    shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], tuple | list) else size
    if any(not isinstance(n, int | np.integer) or n < 0 for n in shape):
        raise ShapeError(f"tensor creation: expected sizes >= 0, got {list(shape)}")
    if any(n >= 2**31 for n in shape):
        raise ShapeError(f"tensor creation: expected sizes below 2**31, got {list(shape)}")
    return tuple(int(n) for n in shape)


@public(creates=True)
def full(size: Any, value: float, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """``size`` filled with ``value``.

    Args:
        size: a size, or several.
        dtype: that of ``value`` by default: bool, int32 or float32.

    Raises:
        DTypeError: the dtype cannot hold the number.
        ShapeError: a size is negative.
    """
    target = dtype or scalar_dtype(value)
    dtypes.check_fits("full", value)
    sizes = _sizes((size,) if isinstance(size, int) else tuple(size))
    number: Any = value
    if type(number) is Number:  # one that differs from round to round of a loop
        out = as_tensor(number, target, sizes)
    else:
        out = Tensor._from_node(graph.const(dtypes.constant(value, target, "full"), sizes, target))
    return out.requires_grad_() if requires_grad else out


@public(creates=True)
def zeros(*size: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Filled with 0.

    float32 by default.

    Raises:
        ShapeError: a size is negative.
    """
    return full(_sizes(size), 0.0, dtype=dtype, requires_grad=requires_grad)


@public(creates=True)
def ones(*size: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Filled with 1."""
    return full(_sizes(size), 1.0, dtype=dtype, requires_grad=requires_grad)


@public(creates=True)
def empty(*size: Any, dtype: DType | None = None) -> Tensor:
    """As :func:`zeros`: there is no uninitialised memory here."""
    return zeros(*size, dtype=dtype)


@public(creates=True)
def full_like(x: Tensor, value: float, *, dtype: DType | None = None) -> Tensor:
    """Filled with ``value``, in the shape and dtype of ``x``."""
    return full(x.shape, value, dtype=dtype or x.dtype)


@public(creates=True)
def zeros_like(x: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Filled with 0, in the shape and dtype of ``x``."""
    return full_like(x, 0, dtype=dtype)


@public(creates=True)
def ones_like(x: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Filled with 1, in the shape and dtype of ``x``."""
    return full_like(x, 1, dtype=dtype)


@public(creates=True)
def arange(start: float, end: float | None = None, step: float = 1, *, dtype: DType | None = None) -> Tensor:
    """``start, start + step, ...`` below ``end`` (or ``0, 1, ...`` below ``start``).

    int32 if all are integers, else float32.

    Raises:
        ShapeError: the step does not lead from ``start`` to ``end``.
    """
    if end is None:
        start, end = 0, start
    dtypes.check_fits("arange", start, end, step)
    if step == 0 or (end - start) * step < 0:
        raise ShapeError(f"arange: expected a step that leads from {start} to {end}, got {step}")
    whole = all(isinstance(v, int) for v in (start, end, step))
    count = max(0, math.ceil((end - start) / step))
    target = dtype or (dtypes.int32 if whole else dtypes.float32)
    index = ew.cast(ew.iota((count,), 0), target if whole else dtypes.float32)
    out = index if step == 1 else index * step
    return ew.cast(out if start == 0 else out + start, target)


@public(creates=True)
def linspace(start: float, end: float, steps: int) -> Tensor:
    """``steps`` numbers from ``start`` to ``end``, both included."""
    dtypes.check_fits("linspace", start, end, end - start)
    if steps == 1:
        return full((1,), float(start))
    return ew.cast(ew.iota((steps,), 0), dtypes.float32) * ((end - start) / (steps - 1)) + float(start)


@public(creates=True)
def eye(n: int, m: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """The identity matrix ``[n, m]``.

    ``m`` is ``n`` by default; float32 by default.
    """
    shape = _sizes((n, n if m is None else m))
    return ew.cast(ew.eq(ew.iota(shape, 0), ew.iota(shape, 1)), dtype or dtypes.float32)


def _check_matrix(caller: str, x: Tensor, diagonal: Any) -> None:
    if x.ndim < 2:
        raise ShapeError(f"{caller}: expected two dimensions or more, got {list(x.shape)}")
    if not isinstance(diagonal, int | np.integer):
        raise TypeError(f"{caller}: expected diagonal as a whole number, got {diagonal!r}")


@public(method=True)
def tril(x: Tensor, diagonal: int = 0) -> Tensor:
    """``x`` with zeros above the diagonal of the last two dimensions.

    Args:
        x: ``[..., n, m]``.
        diagonal: which one bounds them; those above the main one are positive.

    Raises:
        ShapeError: there are fewer than two dimensions.
    """
    _check_matrix("tril", x, diagonal)
    row, col = ew.iota(x.shape, x.ndim - 2), ew.iota(x.shape, x.ndim - 1)
    return ew.where(ew.le(col, row + diagonal), x, 0)


@public(method=True)
def triu(x: Tensor, diagonal: int = 0) -> Tensor:
    """``x`` with zeros below the diagonal of the last two dimensions.

    Args:
        x: ``[..., n, m]``.
        diagonal: which one bounds them; those above the main one are positive.

    Raises:
        ShapeError: there are fewer than two dimensions.
    """
    _check_matrix("triu", x, diagonal)
    row, col = ew.iota(x.shape, x.ndim - 2), ew.iota(x.shape, x.ndim - 1)
    return ew.where(ew.ge(col, row + diagonal), x, 0)


# Random numbers: a function of (seed, draw, element), so the same on every device.

RANDOM_BITS = register(
    Op(
        name="random_bits",
        lowering=Elementwise(wgsl="threefry2x32({2}, {0}, {1})", cost=40),
        shape_rule=same_shape,
        dtype_rule=lambda attrs, *_: dtypes.uint32,
        reference=lambda attrs, index, draw, seed: threefry2x32(seed, index, draw),
        grad=None,
    )
)


def fresh_draw(generator: Generator | None = None) -> tuple[Tensor, Tensor]:
    """The numbers (draw, seed) that a draw is a function of; uint32 scalars."""
    return current().own(Draws).next(lambda: _drawn(generator or current().generator))


def _drawn(source: Generator) -> tuple[Tensor, Tensor]:
    # A lambda, so that a captured step draws again at each replay.
    draw = ew.step_scalar(lambda: source.next_draw(), dtypes.uint32)
    seed = ew.step_scalar(lambda: source.seed, dtypes.uint32)
    return draw, seed


def uniform_of(shape: tuple[int, ...], draw: Tensor, seed: Tensor) -> Tensor:
    """Uniform numbers in [0, 1) of a draw: the same each time."""
    count = math.prod(shape)
    index = ew.iota((count,), 0, dtypes.uint32)
    bits = apply(RANDOM_BITS, index, draw.expand((count,)), seed.expand((count,)))
    return apply(BITS_TO_UNIFORM, bits.reshape(shape))


BITS_TO_UNIFORM = ew.elementwise_op(
    "bits_to_uniform",
    "(f32({0} >> 8u) * 5.9604644775390625e-8)",
    lambda b: (b >> np.uint32(8)).astype(np.float32) * np.float32(2**-24),
    None,
    dtypes.float32,
)


@public(creates=True)
def rand(*size: Any, generator: Generator | None = None, requires_grad: bool = False) -> Tensor:
    """Uniform numbers in [0, 1); the same on every device for one seed.

    float32.

    Raises:
        ShapeError: a size is negative.
    """
    out = uniform_of(_sizes(size), *fresh_draw(generator))
    return out.requires_grad_() if requires_grad else out


@public(creates=True)
def randn(*size: Any, generator: Generator | None = None, requires_grad: bool = False) -> Tensor:
    """Numbers from the standard normal distribution (Box and Muller 1958)."""
    radius = ew.sqrt(ew.log(1.0 - rand(*size, generator=generator)) * -2.0)
    out = radius * ew.cos(rand(*size, generator=generator) * (2 * math.pi))
    return out.requires_grad_() if requires_grad else out


@public(creates=True)
def randint(low: int, high: int | None = None, size: Any = (), *, generator: Generator | None = None) -> Tensor:
    """Integers in [low, high), or [0, low); at most 2**24 different ones.

    int32.

    Raises:
        ShapeError: the range is empty or too large.
    """
    if high is None:
        low, high = 0, low
    if not 0 < high - low <= 2**24:
        raise ShapeError(f"randint: expected 1 to 2**24 possible values, got [{low}, {high})")
    return ew.cast(rand(*_sizes((size,)), generator=generator) * (high - low), dtypes.int32) + low


@public()
def bernoulli(p: Tensor, *, generator: Generator | None = None) -> Tensor:
    """1.0 with probability ``p`` (elementwise), else 0.0."""
    return ew.cast(ew.lt(rand(p.shape, generator=generator), p), dtypes.float32)


@public(creates=True)
def rand_like(x: Tensor) -> Tensor:
    """As :func:`rand`, in the shape of ``x``."""
    return rand(x.shape)


@public(creates=True)
def randn_like(x: Tensor) -> Tensor:
    """As :func:`randn`, in the shape of ``x``."""
    return randn(x.shape)
