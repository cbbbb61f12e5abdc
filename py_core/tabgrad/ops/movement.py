"""Views of all elements in another shape or order: they become index arithmetic in other kernels."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad.autograd import apply
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentTypeError, IndexRangeError, ShapeError
from tabgrad.graph.build import Builder
from tabgrad.graph.index import Coords, Index, constant
from tabgrad.graph.op import Attrs, Op, Reader, Shape, Text, View, first_dtype, register
from tabgrad.memory import regrouped
from tabgrad.names import public
from tabgrad.placement import check_placement
from tabgrad.tensor import Tensor


def view_op(name: str, lowering: View, shape_rule: Any, reference: Any, grad: Any) -> Op:
    """Enter an op that moves elements; the result's dtype is the first argument's."""
    return register(
        Op(name=name, lowering=lowering, shape_rule=shape_rule, dtype_rule=first_dtype, reference=reference, grad=grad)
    )


def normalize_dim(dim: int, ndim: int, caller: str) -> int:
    """``dim`` counted from the front.

    Raises:
        IndexRangeError: there is no such dimension.
    """
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise IndexRangeError(f"{caller}: expected dim in [{-n}, {n - 1}], got {dim}")
    return dim % n


def ints_of(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes or dimensions that were given one by one, or as one sequence."""
    given = args[0] if len(args) == 1 and isinstance(args[0], Sequence) else args
    try:
        return tuple([int(n) if isinstance(n, Tensor) else operator.index(n) for n in given])
    except TypeError:
        raise ArgumentTypeError(f"sizes, dimensions: expected whole numbers, got {list(given)}") from None


def chosen_ints(caller: str, args: tuple[Any, ...], name: str, keyword: Any) -> tuple[int, ...]:
    """As :func:`ints_of`, of what was given by position or, together, by keyword.

    Raises:
        TypeError: in both ways.
    """
    if keyword is None:
        return ints_of(args)
    if args:
        raise TypeError(f"{caller}: expected {name} once, got it by position and by keyword")
    return ints_of((keyword,))


# reshape


def _read_reshaped(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    return reader.value(0, at.reshaped(reader.shapes[0], reader.bind))


def _reshape_grad(g: Tensor, out: Tensor, x: Tensor, shape: Shape) -> tuple[Tensor]:
    return (reshape(g, x.shape),)


RESHAPE = view_op(
    "reshape",
    View(
        read=_read_reshaped,
        moves_one=True,
        follows=lambda later, earlier: later,
        strides=lambda attrs, shape, steps: regrouped(shape, steps, attrs["shape"]),
        put=lambda attrs, whole, part: part.reshape(whole.shape),
    ),
    lambda attrs, _: attrs["shape"],
    lambda attrs, x: x.reshape(attrs["shape"]),
    _reshape_grad,
)


def reshaped_entry(build: Builder, index: int, shape: Shape) -> int:
    """The value in another shape, in a graph that is being built."""
    return build.op(RESHAPE, (index,), {"shape": shape}, shape)


def another(x: Tensor) -> Tensor:
    """A tensor that shows the same memory in the same way, as PyTorch's views do that change nothing."""
    return apply(RESHAPE, x, shape=x.shape)


@public(method=True, another=another)
def reshape(input: Tensor, *sizes: Any, shape: Any = None) -> Tensor:
    """The elements in row-major order in another shape; one size may be -1. A view where memory can be viewed so.

    Raises:
        ShapeError: the number of elements differs.
    """
    wanted = chosen_ints("reshape", sizes, "shape", shape)
    known = math.prod(n for n in wanted if n != -1)
    if wanted.count(-1) == 1 and known and input.numel() % known == 0:
        wanted = tuple(input.numel() // known if n == -1 else n for n in wanted)
    if -1 in wanted or math.prod(wanted) != input.numel() or (wanted and min(wanted) < 0):
        raise ShapeError(
            f"reshape: expected a shape with {input.numel()} elements, got {list(wanted)} for {list(input.shape)}"
        )
    return input if wanted == input.shape else apply(RESHAPE, input, shape=wanted)


@public(top=False, method=True, another=another)
def view(input: Tensor, *shape: Any, size: Any = None, dtype: DType | None = None) -> Tensor:
    """As :func:`reshape`, of the same memory: writing to one is seen through the other.

    Raises:
        ShapeError: the number of elements differs, or no strides show the elements so (after ``permute``, say).
        NotImplementedError: another dtype, as which memory cannot be shown here.
    """
    if dtype is not None or (len(shape) == 1 and isinstance(shape[0], DType)):
        target = shape[0] if dtype is None else dtype
        if target is not input.dtype:
            raise NotImplementedError(
                f"view: expected {input.dtype.name}, got {target.name}: memory cannot be shown as another dtype; "
                f"use .to({target}), which converts the numbers"
            )
        return input
    out = reshape(input, *shape, shape=size)
    if out is not input and out._memory is None:
        raise ShapeError(
            f"view: expected a shape that shows memory as it lies, got {list(out.shape)} of {list(input.shape)} with "
            f"strides {list(input.stride())}; use reshape, which copies"
        )
    return out


@public(method=True)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions ``start_dim`` to ``end_dim`` as one; the tensor itself where they are one already.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: ``start_dim`` comes after ``end_dim``.
    """
    start, end = normalize_dim(start_dim, input.ndim, "flatten"), normalize_dim(end_dim, input.ndim, "flatten")
    if input.ndim == 0:
        return reshape(input, 1)
    if start > end:
        raise ShapeError(f"flatten: expected start_dim <= end_dim, got {start_dim} and {end_dim}")
    return reshape(input, (*input.shape[:start], math.prod(input.shape[start : end + 1]), *input.shape[end + 1 :]))


@public(method=True, another=another)
def squeeze(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Without dimensions of size 1: all, or those of ``dim`` whose size is 1.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: one is named twice.
    """
    if dim is None:
        return reshape(input, tuple(n for n in input.shape if n != 1))
    given = dim if isinstance(dim, Sequence) else (dim,)
    dims = [normalize_dim(d, input.ndim, "squeeze") for d in given]
    if len(set(dims)) != len(dims):
        raise ShapeError(f"squeeze: expected each dimension once, got {list(given)}")
    return reshape(input, tuple(n for d, n in enumerate(input.shape) if n != 1 or d not in dims))


@public(method=True)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With a dimension of size 1 inserted at ``dim``.

    Raises:
        IndexRangeError: there is no such place.
    """
    d = normalize_dim(dim, input.ndim + 1, "unsqueeze")
    return reshape(input, (*input.shape[:d], 1, *input.shape[d:]))


@public(method=True, another=another)
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Dimension ``dim`` split into ``sizes``; one may be -1.

    Raises:
        IndexRangeError: there is no such dimension.
        ShapeError: the sizes do not multiply to that of ``dim``.
    """
    if not input.ndim:
        raise IndexRangeError("unflatten: expected a tensor with dimensions, got a 0-d one")
    d, parts = normalize_dim(dim, input.ndim, "unflatten"), ints_of((sizes,))
    n, known = input.shape[d], math.prod(n for n in parts if n != -1)
    filled = tuple(n // known if k == -1 and known else k for k in parts)
    if not parts or parts.count(-1) > 1 or math.prod(filled) != n or min(filled) < 0:
        raise ShapeError(f"unflatten: expected sizes that multiply to {n}, that of dim {dim}, got {list(parts)}")
    return reshape(input, input.shape[:d] + filled + input.shape[d + 1 :])


# expand


def _expand_grad(g: Tensor, out: Tensor, x: Tensor, shape: Shape) -> tuple[Tensor]:
    dims = tuple(i for i, (a, b) in enumerate(zip(x.shape, shape, strict=True)) if a == 1 and b != 1)
    return (g.sum(dims, keepdim=True) if dims else g,)


def _read_expanded(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    source = reader.shapes[0]
    dims = [constant(0) if n == 1 else d for n, d in zip(source, at.dims(reader.bind), strict=True)]
    return reader.value(0, Coords(source, dims))


EXPAND = view_op(
    "expand",
    View(
        read=_read_expanded,
        moves_one=True,
        follows=lambda later, earlier: later,
        strides=lambda attrs, shape, steps: tuple(
            step if a == b else 0 for a, b, step in zip(shape, attrs["shape"], steps, strict=True)
        ),
    ),
    lambda attrs, _: attrs["shape"],
    lambda attrs, x: np.broadcast_to(x, attrs["shape"]),
    _expand_grad,
)


@public(method=True, another=another)
def broadcast_to(input: Tensor, size: Shape) -> Tensor:
    """``input`` repeated along dimensions of size 1 (and new ones in front) to ``size``.

    Raises:
        ShapeError: a size is neither equal nor 1.
    """
    if input.shape == size:
        return input
    if not isinstance(size, tuple | list) or not all(isinstance(n, int | np.integer) for n in size):
        raise TypeError(f"broadcast_to: expected a shape of whole numbers, got {size!r}")
    lead = len(size) - input.ndim
    if lead < 0 or any(a not in (1, b) for a, b in zip(input.shape, size[lead:], strict=True)) or -1 in size[:lead]:
        raise ShapeError(f"expand: expected a shape that {list(input.shape)} broadcasts to, got {list(size)}")
    if lead:
        input = reshape(input, (1,) * lead + input.shape)
    return apply(EXPAND, input, shape=tuple(size)) if input.shape != tuple(size) else input


@public(top=False, method=True, another=another)
def expand(input: Tensor, *sizes: Any, size: Any = None, implicit: bool = False) -> Tensor:
    """As :func:`broadcast_to`; -1 keeps the size of a dimension that is there."""
    shape = chosen_ints("expand", sizes, "size", size)
    lead = len(shape) - input.ndim
    return broadcast_to(
        input, tuple(input.shape[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(shape))
    )


# permute


def _inverse(dims: Sequence[int]) -> tuple[int, ...]:
    out = [0] * len(dims)
    for i, d in enumerate(dims):
        out[d] = i
    return tuple(out)


def _read_permuted(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    source = reader.shapes[0]
    dims: list[Index] = [constant(0)] * len(source)
    for to, d in zip(attrs["dims"], at.dims(reader.bind), strict=True):
        dims[to] = d
    return reader.value(0, Coords(source, dims))


def _permute_grad(g: Tensor, out: Tensor, x: Tensor, dims: tuple[int, ...]) -> tuple[Tensor]:
    return (permute(g, _inverse(dims)),)


def _permuted_twice(later: Attrs, earlier: Attrs) -> Attrs:
    return {"dims": tuple(earlier["dims"][d] for d in later["dims"])}


PERMUTE = view_op(
    "permute",
    View(
        read=_read_permuted,
        moves_one=True,
        follows=_permuted_twice,
        dims=lambda attrs: attrs["dims"],
        strides=lambda attrs, _, steps: tuple(steps[d] for d in attrs["dims"]),
        put=lambda attrs, whole, part: part.permute(_inverse(attrs["dims"])),
    ),
    lambda attrs, s: tuple(s[d] for d in attrs["dims"]),
    lambda attrs, x: x.transpose(attrs["dims"]),
    _permute_grad,
)


@public(method=True, another=another)
def permute(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    """Dimensions in another order.

    A view.

    Raises:
        ShapeError: a dimension is missing, named twice, or does not exist.
    """
    given = chosen_ints("permute", order, "dims", dims)
    places = tuple(normalize_dim(d, input.ndim, "permute") for d in given)
    if sorted(places) != list(range(input.ndim)):
        raise ShapeError(f"permute: expected each of {input.ndim} dimensions once, got {list(given)}")
    return input if places == tuple(range(input.ndim)) else apply(PERMUTE, input, dims=places)


@public(top=False, method=True)
def contiguous(input: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself, or a copy where its elements do not follow each other in row-major order."""
    check_placement("contiguous", {"memory_format": memory_format})
    return input if input.is_contiguous() else input.clone()


@public(method=True, another=another)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions swapped.

    Raises:
        IndexRangeError: one does not exist.
    """
    a, b = normalize_dim(dim0, input.ndim, "transpose"), normalize_dim(dim1, input.ndim, "transpose")
    if input.ndim == 0:
        return input
    order = list(range(input.ndim))
    order[a], order[b] = b, a
    return permute(input, order)


@public(method=True, another=another)
def t(input: Tensor) -> Tensor:
    """A matrix transposed; vectors and scalars as they are.

    Raises:
        ShapeError: there are more than two dimensions; use ``transpose`` or ``mT``.
    """
    if input.ndim > 2:
        raise ShapeError(f"t: expected at most 2 dimensions, got {list(input.shape)}; use transpose or mT")
    return transpose(input, 0, 1) if input.ndim == 2 else input
