"""A slice's values placed in the whole, and what a write to a slice makes of the whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.autograd import apply
from tabgrad.graph.index import Coords, constant, variable
from tabgrad.graph.op import Attrs, Op, Reader, Text, View, first_dtype, register
from tabgrad.ops.comparison import WHERE
from tabgrad.ops.elementwise import iota
from tabgrad.tensor import Tensor


def _read_placed(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    source = reader.shapes[0]
    dims, tests, deps = [], [], frozenset[str]()
    for (start, step, length), d in zip(attrs["ranges"], at.dims(reader.bind), strict=True):
        shifted = d + constant(-start)
        exact = (shifted.const % step, *(c % step for c, _ in shifted.terms)) == (0,) * (len(shifted.terms) + 1)
        if exact and shifted.low >= 0 and shifted.high < step * length:
            dims.append(shifted.divided(step, reader.bind))
            continue
        # u32 wraps around, so one comparison covers both sides
        offset = reader.bind(f"{d.text()} - {start}u" if start else d.text(), d.deps)
        inside = f"{offset} < {step * length}u" + ("" if step == 1 else f" && {offset} % {step}u == 0u")
        tests.append(reader.bind(f"({inside})", d.deps))
        local = offset if step == 1 else f"{offset} / {step}u"
        dims.append(variable(reader.bind(f"select(0u, {local}, {tests[-1]})", d.deps), length, d.deps))
        deps |= d.deps
    inner, inner_deps = reader.value(0, Coords(source, dims))
    deps |= inner_deps
    return (reader.bind(f"select({reader.outside(0)}, {inner}, {' && '.join(tests)})", deps) if tests else inner), deps


def _slices(ranges: Any) -> tuple[slice, ...]:
    return tuple(slice(start, start + step * length, step) for start, step, length in ranges)


def _placed(attrs: Attrs, part: np.ndarray) -> np.ndarray:
    whole = np.zeros(attrs["shape"], part.dtype)
    whole[_slices(attrs["ranges"])] = part
    return whole


PLACE = register(
    Op(
        name="place",
        lowering=View(read=_read_placed, moves_one=True, follows=None, outside=lambda attrs: 0),
        shape_rule=lambda attrs, part: attrs["shape"],
        dtype_rule=first_dtype,
        reference=_placed,
        grad=lambda g, out, part, ranges, shape: (g[_slices(ranges)],),
    )
)
"""The argument where the slice of steps above 0 and at least one element is, 0 elsewhere."""


def put_slice(attrs: Attrs, whole: Tensor, part: Tensor) -> Tensor:
    """``part`` where the slice of these attributes is, else ``whole``."""
    ranges = attrs["ranges"]
    inside: Any = None
    for dim, (start, step, length) in enumerate(ranges):
        if (start, step, length) == (0, 1, whole.shape[dim]):
            continue
        at = iota(whole.shape, dim) - start
        here = (at >= 0).logical_and(at < step * length)
        here = here if step == 1 else here.logical_and(at % step == 0)
        inside = here if inside is None else inside.logical_and(here)
    if inside is None or not part.numel():
        return part if inside is None else whole
    placed = apply(PLACE, part, ranges=ranges, shape=whole.shape)
    return apply(WHERE, inside, placed, whole, part=(whole.shape, ranges))


__all__ = ["PLACE", "put_slice"]
