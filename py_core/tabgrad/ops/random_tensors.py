"""Tensors of random numbers: a function of (seed, draw, element), so the same on every device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.graph.op import Elementwise, Op, register, same_shape
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.creation import full, sizes_of
from tabgrad.ops.draws import Draws, NumbersKind
from tabgrad.random import Generator, threefry2x32
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer

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


def torch_draws(generator: Generator | None) -> Any:
    """What draws PyTorch's numbers, a ``TorchDraws``, if this generator does so."""
    return (generator or current().generator).twister


def fresh_draw(generator: Generator | None = None) -> Sequence[Tensor]:
    """The numbers (draw, seed) that a draw is a function of; uint32 scalars."""
    return current().own(Draws).next(lambda: _drawn(generator or current().generator))


def _drawn(source: Generator) -> tuple[Tensor, Tensor]:
    recording = current().capturing()
    if recording is not None:
        if source.twister is not None:
            source.next_draw()  # refuses
        recording.late(current().own(NumbersKind), lambda: source.twister is None, id(source))
    # A lambda, so that a captured step draws again at each replay.
    draw = ew.step_scalar(lambda: source.next_draw(), dtypes.uint32)
    seed = ew.step_scalar(lambda: source.key, dtypes.uint32)
    return draw, seed


def uniform_of(shape: tuple[int, ...], draw: Tensor, seed: Tensor) -> Tensor:
    """Uniform numbers in [0, 1) of a draw: the same each time."""
    return apply(BITS_TO_UNIFORM, random_bits(shape, draw, seed))


def random_bits(shape: tuple[int, ...], draw: Tensor, seed: Tensor) -> Tensor:
    """Random uint32 numbers of a draw: the same each time."""
    count = math.prod(shape)
    index = ew.iota((count,), 0, dtypes.uint32)
    return apply(RANDOM_BITS, index, draw.expand((count,)), seed.expand((count,))).reshape(shape)


BITS_TO_UNIFORM = ew.elementwise_op(
    "bits_to_uniform",
    "(f32({0} >> 8u) * 5.9604644775390625e-8)",
    lambda b: (b >> np.uint32(8)).astype(np.float32) * np.float32(2**-24),
    None,
    dtypes.float32,
)


BITS_BELOW = ew.elementwise_op("bits_below", "({0} % {1})", np.remainder, None)


def _check_floats(caller: str, dtype: DType | None) -> None:
    if dtype is not None and not dtype.is_floating_point:
        raise DTypeError(
            f"{caller}: expected a floating-point dtype, got {dtype.name}; use randint, or convert the result"
        )


def _finished(out: Tensor, dtype: DType | None, requires_grad: bool) -> Tensor:
    """Random numbers in the dtype that was asked for."""
    out = out if dtype is None else ew.cast(out, dtype)
    return out.requires_grad_() if requires_grad else out


@public(creates=True, out=True, draws=True)
def rand(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Uniform numbers in [0, 1); the same on every device for one seed.

    float32 by default.

    Raises:
        DTypeError: the dtype is not floating point.
        ShapeError: a size is negative.
    """
    shape = sizes_of(sizes, size)
    _check_floats("rand", dtype)
    if (torch := torch_draws(generator)) is not None:
        return _finished(torch.rand(shape, dtype), dtype, requires_grad)
    return _finished(uniform_of(shape, *fresh_draw(generator)), dtype, requires_grad)


@public(creates=True, out=True, draws=True)
def randn(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from the standard normal distribution (Box and Muller 1958). Errors: :func:`rand`."""
    shape = sizes_of(sizes, size)
    _check_floats("randn", dtype)
    if (torch := torch_draws(generator)) is not None:
        return _finished(torch.normal_tensor(shape, dtype), dtype, requires_grad)
    radius = ew.sqrt(ew.log(1.0 - rand(shape, generator=generator)) * -2.0)
    out = radius * ew.cos(rand(shape, generator=generator) * (2 * math.pi))
    return _finished(out, dtype, requires_grad)


@public(creates=True, out=True, draws=True)
def randint(
    low: Any,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Integers in [low, high): ``randint(low, high, size)``, or ``randint(high, size)`` from 0.

    int32 by default. Of more than 2**24 different ones, the lower ones are more likely by at most 2**-8.

    Raises:
        ShapeError: the range is empty, or beyond 32 bits.
    """
    if isinstance(high, tuple | list):
        high, size = None, high if size is None else size
    if high is None:
        low, high = 0, low
    if size is None:
        raise TypeError("randint: expected size, the shape of the result, got nothing; write randint(low, high, size)")
    low, high = (v.item() if isinstance(v, Tensor) else v for v in (low, high))
    shape = sizes_of(() if size is None else (size,))
    if not 0 < high - low < 2**32 or low < -(2**31) or high > 2**31:
        raise ShapeError(f"randint: expected 1 or more possible values, of 32 bits, got [{low}, {high})")
    if (torch := torch_draws(generator)) is not None:
        return _finished(torch.integers_tensor(shape, dtype or dtypes.int32, low, high), dtype, requires_grad)
    if high - low <= 2**24:
        out = ew.cast(rand(shape, generator=generator) * (high - low), dtypes.int32) + low
    else:
        bits = random_bits(shape, *fresh_draw(generator))
        out = ew.cast(apply(BITS_BELOW, bits, full(shape, high - low, dtype=dtypes.uint32)), dtypes.int32) + low
    return _finished(out, dtype, requires_grad)


@public(creates=True, out=True, draws=True)
def randperm(
    n: int, *, generator: Generator | None = None, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """The integers below ``n`` in a random order; int32 by default: the places of random numbers that are sorted."""
    if (torch := torch_draws(generator)) is not None:
        return _finished(torch.permutation_tensor(*sizes_of((n,)), dtype or dtypes.int32), dtype, requires_grad)
    keys = ew.cast(random_bits(sizes_of((n,)), *fresh_draw(generator)), dtypes.int32)
    return _finished(keys.argsort(), dtype or dtypes.int32, requires_grad)


@public(method=True, out=True, draws=True)
def bernoulli(input: Tensor, p: Any = None, *, generator: Generator | None = None) -> Tensor:
    """1 with probability ``input`` (elementwise), or with probability ``p``, else 0; dtype of ``input``.

    Raises:
        DTypeError: probabilities that are integers.
    """
    if p is None and not input.dtype.is_floating_point:
        raise DTypeError(f"bernoulli: expected probabilities as floats, got {input.dtype.name}; convert them first")
    if p is None:
        current().own(Tracer).check(input, _check_probabilities)
    elif not isinstance(p, Tensor) and not 0 <= p <= 1:
        raise ArgumentError(f"bernoulli: expected p in [0, 1], got {p}")
    if (torch := torch_draws(generator)) is not None:
        drawn: Tensor = torch.bernoulli(input if p is None else p, input.shape, input.dtype)
        return drawn
    hit = ew.lt(rand(input.shape, generator=generator), input.detach() if p is None else p)
    return ew.cast(hit, input.dtype)


def _check_probabilities(given: Tensor) -> None:
    """Raise for numbers outside [0, 1], where they lie on the host and looking costs nothing."""
    values = given._node.host_elements()
    if values is not None and values.size and not (values.min() >= 0 and values.max() <= 1):
        raise ArgumentError(f"bernoulli: expected probabilities in [0, 1], got {values.min():g} to {values.max():g}")


@public(creates=True, draws=True)
def rand_like(
    input: Tensor, *, generator: Generator | None = None, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """As :func:`rand`, in the shape and dtype of ``input``."""
    if (torch := torch_draws(generator)) is not None:
        return _finished(torch.rand(input.shape, dtype or input.dtype, input), None, requires_grad)
    return rand(input.shape, generator=generator, dtype=dtype or input.dtype, requires_grad=requires_grad)


@public(creates=True, draws=True)
def randn_like(
    input: Tensor, *, generator: Generator | None = None, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """As :func:`randn`, in the shape and dtype of ``input``."""
    if (torch := torch_draws(generator)) is not None:
        made = torch.normal_tensor(input.shape, dtype or input.dtype, like=input)
        return _finished(made, None, requires_grad)
    return randn(input.shape, generator=generator, dtype=dtype or input.dtype, requires_grad=requires_grad)
