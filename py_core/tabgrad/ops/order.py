"""Order: which element comes first, second and so on along the last dimension; stable, by integer keys.

Short blocks are sorted by counting; runs that are sorted are merged, several at a time. Both find each element's rank
by reading alone, without barriers, and write its position there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply, no_grad
from tabgrad.errors import DTypeError
from tabgrad.graph.op import Attrs, Heavy, Op, Roles, Shape, register, same_shape
from tabgrad.ops import elementwise as ew
from tabgrad.tensor import Tensor

BLOCK = 128  # elements that are sorted by counting
WAYS = 8  # runs that are merged at a time


class Step(Enum):
    """The kernels of the family; each has a template of this name."""

    BLOCKS = "blocks"  # keys -> positions, in the order of their keys within each block
    MERGE = "merge"  # keys, positions in sorted runs -> positions in runs several times as long
    SEARCH = "search"  # keys, their order, values -> for each value how many keys are less
    INVERT = "invert"  # positions, each once -> where each stands among them


@dataclass(frozen=True, kw_only=True)
class Order(Heavy):
    """One step of a sort along the last of two dimensions, or what is done with the order that it gives.

    ``attrs``: ``size`` of a block; ``run`` of sorted elements, of which ``ways`` are merged.
    """

    step: Step

    @property
    def rereads(self) -> int:
        return {Step.BLOCKS: 1, Step.MERGE: 2, Step.SEARCH: 2, Step.INVERT: 1}[self.step]

    def roles(self, attrs: Attrs, shapes: Sequence[Shape]) -> Roles:
        if self.step is Step.SEARCH:
            return Roles(("values",), ((None,), (None,), ("values",)))
        return Roles(("row", None), (("row", None),) * len(shapes))


def _key_order(keys: np.ndarray, start: int, end: int) -> np.ndarray:
    return np.argsort(keys[:, start:end], axis=1, kind="stable") + start


def _blocks_reference(attrs: Attrs, keys: np.ndarray) -> np.ndarray:
    n, size = keys.shape[1], attrs["size"]
    parts = [_key_order(keys, start, start + size) for start in range(0, n, size)]
    return np.concatenate(parts, axis=1).astype(np.int32)


def _merge_reference(attrs: Attrs, keys: np.ndarray, positions: np.ndarray) -> np.ndarray:
    out = np.empty_like(positions)
    length = attrs["run"] * attrs["ways"]
    for start in range(0, keys.shape[1], length):
        part = positions[:, start : start + length]
        by_key = np.argsort(np.take_along_axis(keys, part, 1), axis=1, kind="stable")
        out[:, start : start + length] = np.take_along_axis(part, by_key, 1)
    return out


def _search_reference(attrs: Attrs, keys: np.ndarray, order: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.searchsorted(keys[order], values, side="left").astype(np.int32)


def _invert_reference(attrs: Attrs, positions: np.ndarray) -> np.ndarray:
    out = np.empty_like(positions)
    np.put_along_axis(out, positions, np.arange(positions.shape[1], dtype=np.int32)[None], 1)
    return out


def _order_op(step: Step, shape_rule: Any, reference: Any, flops: Any) -> Op:
    return register(
        Op(
            name=f"order_{step.value}",
            lowering=Order(step=step, flops=flops, terms=lambda attrs, out, *args: 1),
            shape_rule=shape_rule,
            dtype_rule=lambda attrs, *_: dtypes.int32,
            reference=reference,
            grad=None,
        )
    )


ORDER_BLOCKS = _order_op(
    Step.BLOCKS, same_shape, _blocks_reference, lambda attrs, out, keys: math.prod(out) * attrs["size"]
)
ORDER_MERGE = _order_op(
    Step.MERGE, same_shape, _merge_reference,
    lambda attrs, out, keys, positions: math.prod(out) * attrs["ways"] * attrs["run"].bit_length(),
)  # fmt: skip
ORDER_SEARCH = _order_op(
    Step.SEARCH, lambda attrs, keys, order, values: values, _search_reference,
    lambda attrs, out, keys, order, values: math.prod(out) * keys[0].bit_length(),
)  # fmt: skip
ORDER_INVERT = _order_op(Step.INVERT, same_shape, _invert_reference, lambda attrs, out, positions: 0)


def order_of(keys: Tensor) -> Tensor:
    """Positions ``[rows, n]`` of the ``keys`` ``[rows, n]``, smallest key first; equal keys keep their order."""
    assert keys.dtype in (dtypes.int32, dtypes.float64)
    n = keys.shape[1]
    with no_grad():
        order = apply(ORDER_BLOCKS, keys, size=min(BLOCK, n))
        run = BLOCK
        while run < n:
            ways = min(WAYS, -(-n // run))
            order = apply(ORDER_MERGE, keys, order, run=run, ways=ways)
            run *= ways
    return order


def first_at_least(keys: Tensor, order: Tensor, values: Tensor) -> Tensor:
    """For each of ``values``: how many of the ``keys`` ``[n]``, whose order is known, are less."""
    return apply(ORDER_SEARCH, keys, order, values)


def inverse(positions: Tensor) -> Tensor:
    """Where each position of a row stands; each must be there once."""
    return apply(ORDER_INVERT, positions)


# Keys: integers in the order of other values


def _float_key(x: np.ndarray) -> np.ndarray:
    bits = np.where(np.isnan(x), np.float32(np.nan), x + np.float32(0)).astype(np.float32).view(np.int32)
    return np.where(np.isnan(x), np.int32(0x7FFFFFFF), bits ^ ((bits >> np.int32(31)) & np.int32(0x7FFFFFFF)))


FLOAT_KEY = ew.elementwise_op("float_key", "float_key_f32({0})", _float_key, None, dtypes.int32, cost=4)


def sort_keys(x: Tensor, *, descending: bool = False) -> Tensor:
    """int32 numbers in the order of ``x``: NaN is the largest, -0.0 equals 0.0; in the other one if ``descending``.

    Raises:
        DTypeError: ``x`` is float64, whose order does not fit in 32 bits; :func:`order_of` takes it as it is.
    """
    if x.dtype is dtypes.float64:
        raise DTypeError("order: expected float32, got float64, whose order does not fit in 32 bits; convert it first")
    if x.dtype.is_floating_point:
        keys = apply(FLOAT_KEY, ew.cast(x.detach(), dtypes.float32))
    elif x.dtype is dtypes.uint32:
        keys = ew.cast(x, dtypes.int32) + -(2**31)  # wraps around
    else:
        keys = ew.cast(x, dtypes.int32)
    return -1 - keys if descending else keys


__all__ = [
    "Order", "Step", "first_at_least", "inverse", "order_of", "sort_keys",
]  # fmt: skip
