"""Parts of tensors, and tensors made of parts: slices and pads, and what is joined or repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad.autograd import apply
from tabgrad.errors import ArgumentError, DTypeError, IndexRangeError, ShapeError
from tabgrad.graph.index import Coords, constant, variable
from tabgrad.graph.op import Attrs, Reader, Shape, Text, View
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor, result_dtype
from tabgrad.ops._rare import rare
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.movement import another, broadcast_to, chosen_ints, ints_of, normalize_dim, reshape, unsqueeze, view_op
from tabgrad.ops.placing import put_slice
from tabgrad.tensor import Tensor

# slice: attrs ranges = ((start, step, length), ...) per dimension, step may be negative


def _slice_reference(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    index = []
    for start, step, length in attrs["ranges"]:
        stop = start + step * length
        index.append(slice(start, None if stop < 0 else stop, step) if length else slice(0, 0))
    return x[tuple(index)]


def _slice_grad(g: Tensor, out: Tensor, x: Tensor, ranges: Any) -> tuple[Tensor]:
    for dim, (start, step, length) in enumerate(ranges):
        n = x.shape[dim]
        if (start, step, length) == (0, 1, n):
            continue
        if length == 0:
            return (as_tensor(0.0, x.dtype, x.shape),)
        if step < 0:
            g = flip(g, dim)
            start, step = start + step * (length - 1), -step
        if step > 1:  # spread: [.., L, ..] -> [.., L, step, ..] -> [.., (L-1)*step+1, ..]
            spread = pad_dims(unsqueeze(g, dim + 1), {dim + 1: (0, step - 1)})
            spread = reshape(spread, (*g.shape[:dim], length * step, *g.shape[dim + 1 :]))
            g = narrow(spread, dim, 0, (length - 1) * step + 1)
        g = pad_dims(g, {dim: (start, n - start - g.shape[dim])})
    return (g,)


def _read_sliced(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    pairs = zip(attrs["ranges"], at.dims(reader.bind), strict=True)
    dims = [d.scaled(step) + constant(start) for (start, step, _), d in pairs]
    return reader.value(0, Coords(reader.shapes[0], dims))


def _reverses(attrs: Attrs) -> bool:
    """PyTorch's flip is a copy."""
    return any(step < 0 for _, step, _ in attrs["ranges"])


def _slice_strides(attrs: Attrs, _: Shape, steps: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(stride * step for stride, (_, step, _) in zip(steps, attrs["ranges"], strict=True))


SLICE = view_op(
    "slice",
    View(read=_read_sliced, moves_one=True, follows=None, strides=_slice_strides, put=put_slice, copies=_reverses),
    lambda attrs, _: tuple(n for _, _, n in attrs["ranges"]),
    _slice_reference,
    _slice_grad,
)


def slice_dims(x: Tensor, ranges: dict[int, tuple[int, int, int]]) -> Tensor:
    """``(start, step, length)`` of some dimensions; the others whole."""
    full = tuple(ranges.get(d, (0, 1, n)) for d, n in enumerate(x.shape))
    if all(r == (0, 1, n) for r, n in zip(full, x.shape, strict=True)):
        return x
    return apply(SLICE, x, ranges=full)


@public(method=True, another=another)
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """``length`` elements from ``start``, which may count from the end, along ``dim``.

    A view: writing to one is seen through the other.

    Raises:
        IndexRangeError: the dimension does not exist, or ``start`` lies outside.
        ShapeError: the range does not lie inside the dimension.
    """
    if not input.ndim:
        raise ShapeError("narrow: expected a tensor with dimensions, got a 0-d one")
    d = normalize_dim(dim, input.ndim, "narrow")
    if isinstance(start, Tensor) and (start.ndim or start.dtype.category != 1):
        raise DTypeError(f"narrow: expected start as one integer, got {start.dtype.name} {list(start.shape)}")
    (first,), n = ints_of((start,)), input.shape[d]
    if not -n <= first <= n:
        raise IndexRangeError(f"narrow: expected start in [{-n}, {n}], got {first}")
    first = first + n if first < 0 else first
    if not first <= first + length <= n:
        raise ShapeError(f"narrow: expected a range inside [0, {n}], got [{first}, {first + length}]")
    return slice_dims(input, {d: (first, 1, length)})


@public(method=True)
def flip(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    """A copy, reversed along ``dims``.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: one is named twice.
    """
    given = chosen_ints("flip", order, "dims", dims)
    chosen = [normalize_dim(d, input.ndim, "flip") for d in given]
    if len(set(chosen)) != len(chosen):
        raise ShapeError(f"flip: expected each dimension once, got {list(given)}")
    reversed_dims = {d: (input.shape[d] - 1, -1, input.shape[d]) for d in chosen if input.ndim and input.shape[d]}
    return slice_dims(input, reversed_dims) if reversed_dims else clone(input)


@public(method=True, another=another)
def split(
    tensor: Tensor, split_size_or_sections: Any = None, dim: int = 0, *, split_size: Any = None
) -> tuple[Tensor, ...]:
    """Consecutive pieces of one size (the last may be smaller), or of the given sizes.

    Args:
        split_size_or_sections: a size, or all sizes; as a keyword of the method ``split_size``.

    Returns:
        Views, in order.

    Raises:
        IndexRangeError: ``dim`` does not exist.
        ShapeError: sizes do not add up to that of ``dim``.
    """
    size = split_size_or_sections if split_size is None else split_size
    if not tensor.ndim:
        raise ShapeError("split: expected a tensor with dimensions, got a 0-d one")
    d = normalize_dim(dim, tensor.ndim, "split")
    n = tensor.shape[d]
    if isinstance(size, Sequence):
        sizes = list(ints_of((size,)))
        if sum(sizes) != n or min(sizes, default=0) < 0:
            raise ShapeError(f"split: expected sizes that add up to {n}, got {sizes}")
    else:
        (step,) = ints_of((size,))
        if step < 0 or (step == 0 and n):
            raise ShapeError(f"split: expected a size above 0, got {step}")
        sizes = [min(step, n - i) for i in range(0, n, step)] if n else [0]
    starts = np.cumsum([0, *sizes])
    return tuple(slice_dims(tensor, {d: (int(s), 1, int(k))}) for s, k in zip(starts, sizes, strict=False))


@public(method=True, another=another)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most ``chunks`` consecutive pieces of equal size, the last possibly smaller.

    Returns:
        Views, in order.

    Raises:
        IndexRangeError: ``dim`` does not exist.
        ShapeError: the number of pieces is below 1.
    """
    if not input.ndim or chunks < 1:
        raise ShapeError(f"chunk: expected dimensions, and chunks above 0, got {list(input.shape)} and {chunks}")
    n = input.shape[normalize_dim(dim, input.ndim, "chunk")]
    return split(input, -(-n // chunks) if n else [0] * chunks, dim)


def _copied(found: Tensor, x: Tensor) -> Tensor:
    """In memory of its own what was made of ``x``, and may be a view of it."""
    return clone(found) if found is x or found._memory is not None else found


# pad: attrs pads = ((before, after), ...), value


def _read_padded(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    source = reader.shapes[0]
    dims, tests, deps = [], [], frozenset[str]()
    for (before, after), n, d in zip(attrs["pads"], source, at.dims(reader.bind), strict=True):
        if not (before or after):
            dims.append(d)
            continue
        # u32 wraps around, so one comparison covers both sides
        shifted = reader.bind(f"{d.text()} - {before}u" if before else d.text(), d.deps)
        tests.append(reader.bind(f"({shifted} < {n}u)", d.deps))
        dims.append(variable(reader.bind(f"select(0u, {shifted}, {tests[-1]})", d.deps), n, d.deps))
        deps |= d.deps
    inner, inner_deps = reader.value(0, Coords(source, dims))
    outside = reader.outside(attrs["value"])
    deps |= inner_deps
    return reader.bind(f"select({outside}, {inner}, {' && '.join(tests)})", deps), deps


PAD = view_op(
    "pad",
    View(read=_read_padded, moves_one=True, follows=None, outside=lambda attrs: attrs["value"]),
    lambda attrs, s: tuple(n + a + b for n, (a, b) in zip(s, attrs["pads"], strict=True)),
    lambda attrs, x: np.pad(x, attrs["pads"], constant_values=attrs["value"]),
    lambda g, out, x, pads, value: (slice_dims(g, {d: (a, 1, x.shape[d]) for d, (a, _) in enumerate(pads)}),),
)


def pad_dims(x: Tensor, pads: dict[int, tuple[int, int]], value: float = 0) -> Tensor:
    """``value`` before and after some dimensions; negative amounts crop."""
    crop = {d: (max(0, -a), 1, x.shape[d] - max(0, -a) - max(0, -b)) for d, (a, b) in pads.items() if a < 0 or b < 0}
    x = slice_dims(x, crop)
    full = tuple((max(0, pads.get(d, (0, 0))[0]), max(0, pads.get(d, (0, 0))[1])) for d in range(x.ndim))
    return apply(PAD, x, pads=full, value=value) if any(a or b for a, b in full) else x


@public(functional=True)
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """As ``torch.nn.functional.pad``: (before, after) pairs from the last dimension backwards.

    A copy; negative amounts crop.

    Args:
        mode: ``"constant"``, or of the last 1 to 3 dimensions ``"reflect"``, ``"replicate"`` or ``"circular"``.
        value: what ``"constant"`` adds, 0 by default.

    Raises:
        ShapeError: an odd number of amounts, or more pairs than dimensions.
        ArgumentError: another ``mode``.
    """
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise ShapeError(f"pad: expected at most {input.ndim} (before, after) pairs, got {list(pad)}")
    if mode != "constant":
        if value is not None:
            raise ArgumentError(f"pad: expected value with mode='constant' only, got {value} with mode={mode!r}")
        return _copied(rare("bordered")(input, pad, mode), input)
    sizes = {input.ndim - 1 - i: (pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2)}
    for d, (before, after) in sizes.items():
        if input.shape[d] + before + after < 0:
            raise ShapeError(f"pad: expected a size that is not negative along dim {d}, got {list(pad)}")
    return _copied(pad_dims(input, sizes, 0 if value is None else value), input)


# cat


def _cat_shape(attrs: Attrs, *shapes: Shape) -> Shape:
    d = attrs["dim"]
    return (*shapes[0][:d], sum(s[d] for s in shapes), *shapes[0][d + 1 :])


def _cat_grad(g: Tensor, out: Tensor, *xs: Tensor, dim: int) -> tuple[Tensor, ...]:
    return split(g, [x.shape[dim] for x in xs], dim)


def _read_joined(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    dim = attrs["dim"]
    position = at.dims(reader.bind)
    along = position[dim]
    text, deps, start = "", along.deps, 0
    for n, source in enumerate(reader.shapes):
        shifted = reader.bind(f"{along.text()} - {start}u" if start else along.text(), along.deps)
        inside = reader.bind(f"({shifted} < {source[dim]}u)", along.deps)
        local = variable(reader.bind(f"select(0u, {shifted}, {inside})", along.deps), source[dim], along.deps)
        part, part_deps = reader.value(n, Coords(source, [*position[:dim], local, *position[dim + 1 :]]))
        text = part if n == 0 else f"select({text}, {part}, {inside})"
        deps |= part_deps
        start += source[dim]
    return reader.bind(text, deps), deps


CAT = view_op(
    "cat",
    View(read=_read_joined, moves_one=False, follows=None),
    _cat_shape,
    lambda attrs, *xs: np.concatenate(xs, attrs["dim"]),
    _cat_grad,
)


@public(out=True, aliases=("concat", "concatenate"))
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors one after the other along ``dim``. Of shape ``[0]`` those fit all, as in PyTorch.

    Raises:
        IndexRangeError: ``dim`` does not exist.
        ShapeError: none were given, or another dimension differs.
    """
    if not isinstance(tensors, Sequence) or not all(isinstance(x, Tensor) for x in tensors):
        raise TypeError(f"cat: expected a list or tuple of tensors, got {type(tensors).__name__}")
    if not tensors:
        raise ShapeError("cat: expected at least one tensor, got none")
    dtype = result_dtype(*tensors)
    shaped = [x for x in tensors if x.shape != (0,)] or tensors[:1]
    first = shaped[0].shape
    if not first:
        raise ShapeError("cat: expected tensors with dimensions, got a 0-d one; use stack")
    d = normalize_dim(dim, len(first), "cat")
    for x in shaped:
        if x.ndim != len(first) or any(a != b for i, (a, b) in enumerate(zip(x.shape, first, strict=True)) if i != d):
            raise ShapeError(f"cat: expected {list(first)} except at dim {d}, got {list(x.shape)}")
    parts = [as_tensor(x, dtype) for x in shaped if x.shape[d]] or [as_tensor(shaped[0], dtype)]
    return clone(parts[0]) if len(parts) == 1 else apply(CAT, *parts, dim=d)


@public(out=True)
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension.

    Args:
        dim: where the new dimension is; the result has one more than the tensors.

    Raises:
        IndexRangeError: there is no such place for it.
        ShapeError: none were given, or the shapes differ.
    """
    if not tensors:
        raise ShapeError("stack: expected at least one tensor, got none")
    first = tensors[0].shape
    if any(x.shape != first for x in tensors):
        raise ShapeError(f"stack: expected tensors of one shape, got {[list(x.shape) for x in tensors]}")
    return cat([unsqueeze(x, dim) for x in tensors], normalize_dim(dim, tensors[0].ndim + 1, "stack"))


@public(top=False, method=True)
def repeat(input: Tensor, *sizes: Any, repeats: Any = None) -> Tensor:
    """``input`` tiled ``sizes`` times along each dimension, new dimensions in front.

    A copy.

    Raises:
        ShapeError: there are fewer counts than dimensions, or one is negative.
    """
    counts = chosen_ints("repeat", sizes, "repeats", repeats)
    if len(counts) < input.ndim or min(counts, default=0) < 0:
        raise ShapeError(f"repeat: expected at least {input.ndim} counts, none below 0, got {list(counts)}")
    shape = (1,) * (len(counts) - input.ndim) + input.shape
    inner = tuple(n for s in shape for n in (1, s))
    outer = tuple(n for c, s in zip(counts, shape, strict=True) for n in (c, s))
    whole = tuple(c * s for c, s in zip(counts, shape, strict=True))
    return _copied(reshape(broadcast_to(reshape(input, inner), outer), whole), input)


@public(method=True)
def tile(input: Tensor, *sizes: Any, dims: Any = None) -> Tensor:
    """As :func:`repeat`, missing counts are 1."""
    counts = chosen_ints("tile", sizes, "dims", dims)
    return repeat(input, (1,) * max(0, input.ndim - len(counts)) + counts)
