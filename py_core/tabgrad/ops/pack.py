"""Pack: tensors side by side in one flat buffer, each starting where a binding may start.

The compiler lets each producer write straight into its place, so packing costs no pass.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabgrad.autograd import apply
from tabgrad.dtypes import float32
from tabgrad.errors import DTypeError
from tabgrad.graph.op import Attrs, Op, Pack, first_dtype, register
from tabgrad.names import public
from tabgrad.tensor import Tensor

ALIGNMENT = 256 // float32.itemsize  # elements: WebGPU's minStorageBufferOffsetAlignment


def offsets(sizes: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """Where each of several pieces starts, and the total length, in elements."""
    starts, at = [], 0
    for n in sizes:
        starts.append(at)
        at += -(-max(n, 1) // ALIGNMENT) * ALIGNMENT
    return tuple(starts), at


def _reference(attrs: Attrs, *xs: np.ndarray) -> np.ndarray:
    out = np.zeros(attrs["total"], xs[0].dtype)
    for start, x in zip(attrs["offsets"], xs, strict=True):
        out[start : start + x.size] = x.ravel()
    return out


PACK = register(
    Op(
        name="pack",
        lowering=Pack(),
        shape_rule=lambda attrs, *_: (attrs["total"],),
        dtype_rule=first_dtype,
        reference=_reference,
        grad=None,
    )
)


@public(top=False)
def pack(tensors: Sequence[Tensor]) -> Tensor:
    """One flat tensor with the elements of all, at :func:`offsets`; the gaps hold undefined values.

    Raises:
        DTypeError: elements are of one or two bytes.
    """
    if any(t.dtype.itemsize != float32.itemsize for t in tensors):
        raise DTypeError(f"pack: expected tensors of four bytes an element, got {[t.dtype.name for t in tensors]}")
    starts, total = offsets([t.numel() for t in tensors])
    return apply(PACK, *tensors, offsets=starts, total=total)
