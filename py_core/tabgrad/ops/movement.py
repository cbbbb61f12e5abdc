"""Views of all elements in another shape or order: they become index arithmetic in other kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad.autograd import apply
from tabgrad.errors import ShapeError
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
        ShapeError: there is no such dimension.
    """
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise ShapeError(f"{caller}: expected dim in [{-n}, {n - 1}], got {dim}")
    return dim % n


def ints_of(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes or dimensions that were given one by one, or as one sequence."""
    if len(args) == 1 and isinstance(args[0], Sequence):
        return tuple(int(n) for n in args[0])
    return tuple(int(n) for n in args)


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
def reshape(x: Tensor, *shape: Any) -> Tensor:
    """The elements in row-major order in another shape; one size may be -1. A view where memory can be viewed so.

    Raises:
        ShapeError: the number of elements differs.
    """
    sizes = ints_of(shape)
    known = math.prod(n for n in sizes if n != -1)
    if sizes.count(-1) == 1 and known and x.numel() % known == 0:
        sizes = tuple(x.numel() // known if n == -1 else n for n in sizes)
    if -1 in sizes or math.prod(sizes) != x.numel():
        raise ShapeError(f"reshape: expected a shape with {x.numel()} elements, got {list(sizes)} for {list(x.shape)}")
    return x if sizes == x.shape else apply(RESHAPE, x, shape=sizes)


@public(top=False, method=True, another=another)
def view(x: Tensor, *shape: Any) -> Tensor:
    """As :func:`reshape`, of the same memory: writing to one is seen through the other.

    Raises:
        ShapeError: the number of elements differs, or no strides show the elements so (after ``permute``, say).
    """
    out = reshape(x, *shape)
    if out is not x and out._memory is None:
        raise ShapeError(
            f"view: expected a shape that shows memory as it lies, got {list(out.shape)} of {list(x.shape)} with "
            f"strides {list(x.stride())}; use reshape, which copies"
        )
    return out


@public(method=True)
def flatten(x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions ``start_dim`` to ``end_dim`` as one; the tensor itself where they are one already.

    Raises:
        ShapeError: a dimension does not exist, or ``start_dim`` comes after ``end_dim``.
    """
    if x.ndim == 0:
        return reshape(x, 1)
    start, end = normalize_dim(start_dim, x.ndim, "flatten"), normalize_dim(end_dim, x.ndim, "flatten")
    if start > end:
        raise ShapeError(f"flatten: expected start_dim <= end_dim, got {start_dim} and {end_dim}")
    return reshape(x, (*x.shape[:start], math.prod(x.shape[start : end + 1]), *x.shape[end + 1 :]))


@public(method=True, another=another)
def squeeze(x: Tensor, dim: int | None = None) -> Tensor:
    """Without dimensions of size 1 (all, or ``dim`` where its size is 1)."""
    if dim is None:
        return reshape(x, tuple(n for n in x.shape if n != 1))
    d = normalize_dim(dim, x.ndim, "squeeze")
    return reshape(x, x.shape[:d] + x.shape[d + 1 :]) if x.ndim and x.shape[d] == 1 else x


@public(method=True)
def unsqueeze(x: Tensor, dim: int) -> Tensor:
    """With a dimension of size 1 inserted at ``dim``."""
    d = normalize_dim(dim, x.ndim + 1, "unsqueeze")
    return reshape(x, (*x.shape[:d], 1, *x.shape[d:]))


@public(method=True, another=another)
def unflatten(x: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Dimension ``dim`` split into ``sizes``; one may be -1.

    Raises:
        ShapeError: the sizes do not multiply to that of ``dim``.
    """
    d = normalize_dim(dim, x.ndim, "unflatten")
    known = math.prod(n for n in sizes if n != -1)
    filled = tuple(x.shape[d] // known if n == -1 else n for n in sizes)
    return reshape(x, x.shape[:d] + filled + x.shape[d + 1 :])


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
def broadcast_to(x: Tensor, shape: Shape) -> Tensor:
    """``x`` repeated along dimensions of size 1 (and new ones in front) to ``shape``.

    Raises:
        ShapeError: a size is neither equal nor 1.
    """
    if x.shape == shape:
        return x
    if not isinstance(shape, tuple | list) or not all(isinstance(n, int | np.integer) for n in shape):
        raise TypeError(f"broadcast_to: expected a shape of whole numbers, got {shape!r}")
    lead = len(shape) - x.ndim
    if lead < 0 or any(a not in (1, b) for a, b in zip(x.shape, shape[lead:], strict=True)):
        raise ShapeError(f"expand: expected a shape that {list(x.shape)} broadcasts to, got {list(shape)}")
    if lead:
        x = reshape(x, (1,) * lead + x.shape)
    return apply(EXPAND, x, shape=tuple(shape)) if x.shape != shape else x


@public(top=False, method=True, another=another)
def expand(x: Tensor, *sizes: Any) -> Tensor:
    """As :func:`broadcast_to`; -1 keeps a size."""
    shape = ints_of(sizes)
    lead = len(shape) - x.ndim
    return broadcast_to(x, tuple(x.shape[i - lead] if n == -1 else n for i, n in enumerate(shape)))


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
def permute(x: Tensor, *dims: Any) -> Tensor:
    """Dimensions in another order.

    A view.

    Raises:
        ShapeError: a dimension is missing, named twice, or does not exist.
    """
    order = tuple(normalize_dim(d, x.ndim, "permute") for d in ints_of(dims))
    if sorted(order) != list(range(x.ndim)):
        raise ShapeError(f"permute: expected each of {x.ndim} dimensions once, got {list(ints_of(dims))}")
    return x if order == tuple(range(x.ndim)) else apply(PERMUTE, x, dims=order)


@public(top=False, method=True)
def contiguous(x: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself, or a copy where its elements do not follow each other in row-major order."""
    check_placement("contiguous", {"memory_format": memory_format})
    return x if x.is_contiguous() else x.clone()


@public(method=True, another=another)
def transpose(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions swapped."""
    if x.ndim == 0:
        return x
    order = list(range(x.ndim))
    a, b = normalize_dim(dim0, x.ndim, "transpose"), normalize_dim(dim1, x.ndim, "transpose")
    order[a], order[b] = b, a
    return permute(x, order)


@public(method=True, another=another)
def t(x: Tensor) -> Tensor:
    """A matrix transposed; vectors and scalars as they are.

    Raises:
        ShapeError: there are more than two dimensions; use ``transpose`` or ``mT``.
    """
    if x.ndim > 2:
        raise ShapeError(f"t: expected at most 2 dimensions, got {list(x.shape)}; use transpose or mT")
    return transpose(x, 0, 1) if x.ndim == 2 else x
