"""Scans: running sums, products and extremes along a dimension.

A line is scanned in blocks, each element of which is computed of those before it; the blocks' last elements are
scanned likewise, and what comes before a block is put to its elements. The order is fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply, no_grad, record
from tabgrad.dtypes import DType
from tabgrad.errors import DTypeError
from tabgrad.graph.op import Attrs, Heavy, Op, Roles, Shape, register
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import as_tensor
from tabgrad.ops.indexed_writes import scatter_add
from tabgrad.ops.indexing import gather
from tabgrad.ops.movement import broadcast_to, normalize_dim, reshape
from tabgrad.ops.order import sort_keys
from tabgrad.ops.result_types import ValuesAndIndices
from tabgrad.ops.slicing import flip, narrow, pad_dims
from tabgrad.tensor import Tensor

BLOCK = 64  # elements that a thread scans one after the other


@dataclass(frozen=True, kw_only=True)
class Running:
    """One kind of scan.

    ``step``: WGSL that takes in ``x``, the element of index ``k``, into ``s`` (and ``at``); ``pairs``: what makes one
    value of what came before a block and an element's own.
    """

    initial: str
    step: str
    reference: Callable[[np.ndarray], np.ndarray]  # along axis 1
    pairs: Callable[[Tensor, Tensor], Tensor] | None
    neutral: float
    finds: bool = False  # an index rather than a value


def _found_largest(x: np.ndarray) -> np.ndarray:
    place = np.arange(x.shape[1], dtype=np.int32)[None, :, None]
    return np.maximum.accumulate(np.where(x == np.maximum.accumulate(x, 1), place, 0), 1)


def _log_add(a: Tensor, b: Tensor) -> Tensor:
    """``log(exp(a) + exp(b))``, also of infinities."""
    high, low = ew.maximum(a, b), ew.minimum(a, b)
    return ew.where(ew.eq(high, low), high + math.log(2), high + ew.log1p(ew.exp(low - high)))


RUNNING: dict[str, Running] = {
    "sum": Running(
        initial="0", step="s += x;", reference=lambda x: np.cumsum(x, 1, dtype=x.dtype), pairs=ew.add, neutral=0
    ),
    "prod": Running(
        initial="1", step="s *= x;", reference=lambda x: np.cumprod(x, 1, dtype=x.dtype), pairs=ew.mul, neutral=1
    ),
    "logsumexp": Running(
        initial="-inf_f32()", step="s = log_add_f32(s, x);", reference=lambda x: np.logaddexp.accumulate(x, 1),
        pairs=_log_add, neutral=-math.inf,
    ),
    # of integers; the newest of equal ones
    "argmax": Running(
        initial="0", step="if (k == 0u || x >= s) { s = x; at = i32(k); }",
        reference=_found_largest, pairs=None, neutral=0, finds=True,
    ),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Scan(Heavy):
    """Of ``[a, n, d]`` along the second dimension; ``attrs["kind"]`` names the :data:`RUNNING` entry."""

    def roles(self, attrs: Attrs, shapes: Sequence[Shape]) -> Roles:
        names = ("a", None, "d")
        return Roles(names, (names,))

    def title(self, name: str, attrs: Attrs) -> str:
        return f"scan {attrs['kind']}"


SCAN = register(
    Op(
        name="scan",
        lowering=Scan(
            flops=lambda attrs, out, x: math.prod(x),
            terms=lambda attrs, out, x: x[1],
        ),
        shape_rule=lambda attrs, x: x,
        dtype_rule=lambda attrs, d: dtypes.int32 if RUNNING[attrs["kind"]].finds else d,
        reference=lambda attrs, x: (
            RUNNING[attrs["kind"]].reference(x).astype(np.int32 if RUNNING[attrs["kind"]].finds else x.dtype)
        ),
        grad=None,
    )
)


def _blocks(x: Tensor, neutral: float) -> Tensor:
    """``[a, n, d]`` as ``[a blocks, BLOCK, d]``, filled up at the end."""
    a, n, d = x.shape
    count = -(-n // BLOCK)
    filled = pad_dims(x, {1: (0, count * BLOCK - n)}, neutral) if n % BLOCK else x
    return reshape(filled, (a * count, BLOCK, d))


def _scanned(kind: str, x: Tensor) -> Tensor:
    """The scan of ``[a, n, d]`` along n."""
    a, n, d = x.shape
    if n <= BLOCK:
        return apply(SCAN, x, kind=kind)
    running = RUNNING[kind]
    assert running.pairs is not None
    count = -(-n // BLOCK)
    own = reshape(apply(SCAN, _blocks(x, running.neutral), kind=kind), (a, count, BLOCK, d))
    before = _scanned(kind, reshape(narrow(own, 2, BLOCK - 1, 1), (a, count, d)))
    before = pad_dims(narrow(before, 1, 0, count - 1), {1: (1, 0)}, running.neutral)
    whole = running.pairs(reshape(before, (a, count, 1, d)), own)
    return narrow(reshape(whole, (a, count * BLOCK, d)), 1, 0, n)


def _largest_so_far(x: Tensor) -> Tensor:
    """For each of the integers ``[a, n, d]`` the index of the largest one up to it, the newest of equal ones."""
    a, n, d = x.shape
    if n <= BLOCK:
        return apply(SCAN, x, kind="argmax")
    count = -(-n // BLOCK)
    held = pad_dims(x, {1: (0, count * BLOCK - n)}) if n % BLOCK else x
    own = reshape(apply(SCAN, reshape(held, (a * count, BLOCK, d)), kind="argmax"), (a, count, BLOCK, d))
    own = reshape(own + ew.iota(own.shape, 1) * BLOCK, (a, count * BLOCK, d))
    top = gather(held, 1, own)
    ends = reshape(own, (a, count, BLOCK, d))
    last = reshape(narrow(ends, 2, BLOCK - 1, 1), (a, count, d))
    best = _largest_so_far(gather(held, 1, last))  # which block's last element
    known = gather(last, 1, best)
    before = pad_dims(narrow(known, 1, 0, count - 1), {1: (1, 0)})
    spread = reshape(broadcast_to(reshape(before, (a, count, 1, d)), ends.shape), (a, count * BLOCK, d))
    previous = gather(held, 1, spread)
    return narrow(ew.where(ew.ge(top, previous), own, spread), 1, 0, n)


def _along(scan: Callable[[Tensor], Tensor], x: Tensor, dim: int) -> Tensor:
    """A scan of ``[a, n, d]`` along any dimension."""
    lines = (math.prod(x.shape[:dim]), x.shape[dim], math.prod(x.shape[dim + 1 :]))
    return reshape(scan(reshape(x, lines)), x.shape)


def _operand(caller: str, x: Tensor, dim: int, dtype: DType | None) -> tuple[Tensor, int]:
    d = normalize_dim(dim, max(x.ndim, 1), caller)
    if dtype is not None:
        x = ew.cast(x, dtype)
    elif x.dtype.category < 2 and x.dtype is not dtypes.uint32:
        x = ew.cast(x, dtypes.int32)
    return x, d


def _run(kind: str, x: Tensor, dim: int, grad: Callable[..., tuple[Any, ...]]) -> Tensor:
    if x.ndim == 0:
        return x * 1
    if x.dtype.is_narrow:  # rounded once
        return ew.cast(_run(kind, ew.cast(x, x.dtype.computed), dim, grad), x.dtype)
    with no_grad():
        out = _along(lambda lines: _scanned(kind, lines), x.detach(), dim) if x.numel() else x * 1
    record(out, f"cum{kind}", grad, (x,), {"dim": dim})
    return out


def _backward_sum(x: Tensor, dim: int) -> Tensor:
    return flip(cumsum(flip(x, dim), dim), dim)


@public(method=True, out=True)
def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """Sums of the elements up to each, along ``dim``. Bools and narrow integers are summed as int32.

    Args:
        dtype: what elements are converted to first.

    Raises:
        ShapeError: the dimension does not exist.
    """
    y, d = _operand("cumsum", input, dim, dtype)
    return _run("sum", y, d, lambda g, out, x, dim: (_backward_sum(g, dim),))


def _cumprod_grad(g: Tensor, out: Tensor, x: Tensor, dim: int) -> tuple[Any, ...]:
    """Products without one factor; up to the first zero of a line that is the product over the factor."""
    zero = ew.eq(x, 0)
    seen = cumsum(ew.cast(zero, dtypes.int32), dim)
    before = ew.eq(seen, 0)
    first = ew.logical_and(zero, ew.eq(seen, 1))
    plain = _backward_sum(ew.where(before, g * out, 0.0), dim) / ew.where(zero, 1.0, x)
    without = cumprod(ew.where(first, 1.0, x), dim)
    at_zero = _backward_sum(ew.where(before, 0.0, g * without), dim)
    return (ew.where(before, plain, ew.where(first, at_zero, 0.0)),)


@public(method=True, out=True)
def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """Products of the elements up to each, along ``dim``. Bools and narrow integers are multiplied as int32.

    Args:
        dtype: what elements are converted to first.

    Raises:
        ShapeError: the dimension does not exist.
    """
    y, d = _operand("cumprod", input, dim, dtype)
    return _run("prod", y, d, _cumprod_grad)


def _logcumsumexp_grad(g: Tensor, out: Tensor, x: Tensor, dim: int) -> tuple[Any, ...]:
    # sum over j >= i of g[j] exp(x[i] - out[j]): by logarithms, positive and negative parts apart
    def part(sign: float) -> Tensor:
        signed = g * sign
        logs = ew.where(ew.gt(signed, 0), ew.log(ew.where(ew.gt(signed, 0), signed, 1.0)), -1e38)
        return ew.exp(flip(logcumsumexp(flip(logs - out, dim), dim), dim) + x)

    return (part(1.0) - part(-1.0),)


@public(method=True, out=True)
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """``log(cumsum(exp(x)))`` along ``dim``, without overflow.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
    """
    if not input.dtype.is_floating_point:
        raise DTypeError(f"logcumsumexp: expected a floating-point tensor, got {input.dtype.name}; use x.float()")
    y, d = _operand("logcumsumexp", input, dim, None)
    return _run("logsumexp", y, d, _logcumsumexp_grad)


def _extreme(caller: str, x: Tensor, dim: int, *, smallest: bool) -> ValuesAndIndices:
    d = normalize_dim(dim, max(x.ndim, 1), caller)
    if x.ndim == 0:
        return ValuesAndIndices(ew.clone(x), ew.iota((1,), 0).reshape(()))
    if not x.numel():
        return ValuesAndIndices(ew.clone(x), ew.iota(x.shape, d))
    with no_grad():
        whole = not x.dtype.is_floating_point
        keys = sort_keys(x, descending=smallest) if whole else sort_keys(-x.detach() if smallest else x)
        index = _along(_largest_so_far, keys, d)
        values = gather(x.detach(), d, index)
    record(values, caller, _extreme_grad, (x, index), {"dim": d})
    return ValuesAndIndices(values, index)


def _extreme_grad(g: Tensor, out: Tensor, x: Tensor, index: Tensor, dim: int) -> tuple[Any, ...]:
    return scatter_add(as_tensor(0.0, g.dtype, g.shape), dim, index, g), None


@public(method=True, out=True)
def cummax(input: Tensor, dim: int) -> ValuesAndIndices:
    """The largest element up to each, along ``dim``, and the newest place of it: (values, indices).

    Shapes: both as ``input``; the indices are int32.

    Raises:
        ShapeError: the dimension does not exist.
    """
    return _extreme("cummax", input, dim, smallest=False)


@public(method=True, out=True)
def cummin(input: Tensor, dim: int) -> ValuesAndIndices:
    """The smallest element up to each, along ``dim``, and the newest place of it: (values, indices).

    Shapes: both as ``input``; the indices are int32.

    Raises:
        ShapeError: the dimension does not exist.
    """
    return _extreme("cummin", input, dim, smallest=True)
