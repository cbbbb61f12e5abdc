"""The methods of :class:`tabgrad.Tensor` that are functions."""

# Written by build_scripts/stubs.py.

from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad.dtypes import DType
from tabgrad.graph.op import Shape
from tabgrad.ops.reduce import Dims
from tabgrad.ops.sorting import ValuesAndIndices
from tabgrad.random import Generator
from tabgrad.tensor import Tensor

class TensorMethods:
    def abs(self) -> Tensor:
        """Absolute value; gradient 0 at 0."""

    def __abs__(self) -> Tensor: ...
    def abs_(self) -> Tensor:
        """:func:`tabgrad.ops.abs`, in place."""

    def add(self, other: Any, *, alpha: float = 1) -> Tensor:
        """``input + alpha * other``, broadcast; bool operands are combined with *or*, as PyTorch does.

        Args:
            input, other: tensors or numbers, promoted as in PyTorch.
            alpha: a number by which ``other`` is multiplied first.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __add__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def add_(self, other: Any, *, alpha: float = 1) -> Tensor:
        """``input += alpha * other``, in place."""

    def __iadd__(self, other: Any) -> Tensor: ...
    def adjoint(self) -> Tensor:
        """The last two dimensions swapped, as there are no complex numbers."""

    def all(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Whether every element is nonzero; bool."""

    def amax(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Largest element; ties share the gradient.

        Arguments and errors are those of :func:`sum`; a dimension without elements raises, too."""

    def amin(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Smallest element; ties share the gradient.

        Arguments and errors are those of :func:`sum`; a dimension without elements raises, too."""

    def any(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Whether any element is nonzero; bool."""

    def arctan(self) -> Tensor:
        """Inverse tangent."""

    def arctan_(self) -> Tensor:
        """:func:`tabgrad.ops.atan`, in place."""

    def argmax(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Index of the first largest element along ``dim`` (of the flattened tensor by default); int32.

        Raises:
            ShapeError: the dimension does not exist, or has no elements."""

    def argmin(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Index of the first smallest element.

        As :func:`argmax`."""

    def argsort(self, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
        """Where the elements along ``dim`` are, in their order; int32. Equal ones keep their order."""

    def argwhere(self) -> Tensor:
        """As :func:`nonzero`."""

    def as_strided(self, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
        """The element ``storage_offset + i * stride[0] + j * stride[1] + ...`` of memory at ``[i, j, ...]``. A view.

        Without ``storage_offset`` memory begins with the tensor's own first element.

        Raises:
            ArgumentError: places lie outside of what the tensor shows.
            NotImplementedError: its elements do not lie side by side, as after a slice.
            ShapeError: there are not as many strides as sizes, or one is negative."""

    def as_strided_(self, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
        """As :func:`tabgrad.as_strided`, of the tensor itself."""

    def as_strided_scatter(self, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
        """A copy with ``src`` in place of what :func:`as_strided` shows; the last of several values counts.

        Raises:
            ShapeError: ``src`` is not of the shape ``size``."""

    def atan(self) -> Tensor:
        """Inverse tangent."""

    def atan_(self) -> Tensor:
        """:func:`tabgrad.ops.atan`, in place."""

    def backward(self, gradient: Tensor | None = None, retain_graph: bool = False, create_graph: bool = False) -> None:
        """Add d ``tensor`` / d leaf to ``leaf.grad`` for every leaf that requires a gradient.

        Raises:
            GradError: ``tensor`` records nothing, is not a scalar without ``gradient``, or was freed."""

    def bincount(self, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
        """How often each number from 0 on is among the integers ``input`` ``[k]``; or the sum of their ``weights``.

        Args:
            minlength: size of the result. Where the input lies on a device, larger numbers are counted nowhere.

        Raises:
            NotImplementedError: without ``minlength``, where the result's size depends on what lies on a device."""

    def broadcast_to(self, size: Shape) -> Tensor:
        """``input`` repeated along dimensions of size 1 (and new ones in front) to ``size``.

        Raises:
            ShapeError: a size is neither equal nor 1."""

    def ceil(self) -> Tensor:
        """Round up."""

    def ceil_(self) -> Tensor:
        """:func:`tabgrad.ops.ceil`, in place."""

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """At most ``chunks`` consecutive pieces of equal size, the last possibly smaller.

        Returns:
            Views, in order.

        Raises:
            IndexRangeError: ``dim`` does not exist.
            ShapeError: the number of pieces is below 1."""

    def clamp(self, min: float | None = None, max: float | None = None) -> Tensor:
        """``x`` limited to [min, max]; the gradient passes inside the limits, limits included.

        Args:
            min, max: numbers, or None for no limit on that side.

        Raises:
            DTypeError: neither limit is given, or float32 cannot hold one.
            NotImplementedError: a limit is a tensor; use ``maximum`` and ``minimum``."""

    def clamp_(self, min: float | None = None, max: float | None = None) -> Tensor:
        """:func:`tabgrad.ops.clamp`, in place."""

    def clone(self) -> Tensor:
        """The same values, in memory of their own.

        Shape and dtype of ``input``; gradients pass."""

    def contiguous(self, memory_format: Any = None) -> Tensor:
        """The tensor itself, or a copy where its elements do not follow each other in row-major order."""

    def copy_(self, source: Any) -> Tensor:
        """Overwrite the value with ``source``, broadcast to this shape and cast to this dtype.

        Raises:
            GradError: the tensor is a leaf that requires grad, or a view of one; change it under ``no_grad()``.
            RuntimeError: the tensor is expanded, so that several of its elements are one in memory."""

    def cos(self) -> Tensor:
        """Cosine of radians."""

    def cos_(self) -> Tensor:
        """:func:`tabgrad.ops.cos`, in place."""

    def cpu(self, memory_format: Any = None) -> Tensor:
        """``x`` itself: it lies on the session's device; :meth:`numpy` copies its value to the host."""

    def cuda(self, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
        """``x`` itself: it lies on the session's device."""

    def cummax(self, dim: int) -> ValuesAndIndices:
        """The largest element up to each, along ``dim``, and the newest place of it: (values, indices).

        Shapes: both as ``x``; the indices are int32.

        Raises:
            ShapeError: the dimension does not exist."""

    def cummin(self, dim: int) -> ValuesAndIndices:
        """The smallest element up to each, along ``dim``, and the newest place of it: (values, indices).

        Shapes: both as ``x``; the indices are int32.

        Raises:
            ShapeError: the dimension does not exist."""

    def cumprod(self, dim: int, *, dtype: DType | None = None) -> Tensor:
        """Products of the elements up to each, along ``dim``. Bools and narrow integers are multiplied as int32.

        Args:
            dtype: what elements are converted to first.

        Raises:
            ShapeError: the dimension does not exist."""

    def cumprod_(self, dim: int, *, dtype: DType | None = None) -> Tensor:
        """:func:`tabgrad.ops.cumprod`, in place."""

    def cumsum(self, dim: int, *, dtype: DType | None = None) -> Tensor:
        """Sums of the elements up to each, along ``dim``. Bools and narrow integers are summed as int32.

        Args:
            dtype: what elements are converted to first.

        Raises:
            ShapeError: the dimension does not exist."""

    def cumsum_(self, dim: int, *, dtype: DType | None = None) -> Tensor:
        """:func:`tabgrad.ops.cumsum`, in place."""

    def detach(self) -> Tensor:
        """The same memory, outside the record: a change in place of one is seen through the other."""

    def diag(self, diagonal: int = 0) -> Tensor:
        """A copy of a matrix's diagonal; of a vector the matrix that has it there.

        Raises:
            ShapeError: there are neither one nor two dimensions."""

    def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
        """Vectors, along the last dimension, as the diagonals of matrices, which are dimensions ``dim1`` and ``dim2``.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: the two are one, or the tensor has no dimension."""

    def diagflat(self, offset: int = 0) -> Tensor:
        """The matrix that has all elements on its diagonal."""

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
        """The diagonals of the matrices that two dimensions are, as the last dimension. A view.

        Args:
            offset: how far above the main diagonal; below it where it is negative.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: the two are one."""

    def diagonal_scatter(self, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
        """A copy with ``src`` in place of what :func:`diagonal` shows.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: ``src`` is not of that shape."""

    def div(self, other: Any) -> Tensor:
        """``input / other``, broadcast; integers are divided as float32.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __truediv__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def div_(self, other: Any) -> Tensor:
        """``input /= other``, in place."""

    def __itruediv__(self, other: Any) -> Tensor: ...
    def dropout_(
        self, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None
    ) -> Tensor:
        """:func:`tabgrad.ops.dropout`, in place."""

    def dsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """As :func:`hsplit`, along dimension 2."""

    def elu_(self, alpha: float = 1.0, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.elu`, in place."""

    def eq(self, other: Any) -> Tensor:
        """``input == other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def eq_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.eq`, in place."""

    def erf(self) -> Tensor:
        """Gauss error function."""

    def erf_(self) -> Tensor:
        """:func:`tabgrad.ops.erf`, in place."""

    def exp(self) -> Tensor:
        """``e ** x``."""

    def exp_(self) -> Tensor:
        """:func:`tabgrad.ops.exp`, in place."""

    def expand(self, *sizes: Any, size: Any = None, implicit: bool = False) -> Tensor:
        """As :func:`broadcast_to`; -1 keeps the size of a dimension that is there."""

    def expand_as(self, other: Tensor) -> Tensor:
        """As :func:`tabgrad.broadcast_to`, to the shape of ``other``."""

    def expm1(self) -> Tensor:
        """``exp(x) - 1``."""

    def expm1_(self) -> Tensor:
        """:func:`tabgrad.ops.expm1`, in place."""

    def fill_(self, value: float) -> Tensor:
        """Set every element to ``value``, in place."""

    def fill_diagonal_(self, fill_value: float, wrap: bool = False) -> Tensor:
        """Set the elements whose indices along all dimensions are equal.

        Args:
            wrap: of a matrix with more rows than columns: begin again below the diagonal, after one row that stays.

        Raises:
            ShapeError: there are fewer than two dimensions, or more than two that differ."""

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """Dimensions ``start_dim`` to ``end_dim`` as one; the tensor itself where they are one already.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: ``start_dim`` comes after ``end_dim``."""

    def flip(self, *order: Any, dims: Any = None) -> Tensor:
        """A copy, reversed along ``dims``.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: one is named twice."""

    def fliplr(self) -> Tensor:
        """A copy, reversed along dimension 1.

        Raises:
            ShapeError: there are fewer than two dimensions."""

    def flipud(self) -> Tensor:
        """A copy, reversed along dimension 0.

        Raises:
            ShapeError: the tensor has no dimension."""

    def floor(self) -> Tensor:
        """Round down."""

    def floor_(self) -> Tensor:
        """:func:`tabgrad.ops.floor`, in place."""

    def floor_divide(self, other: Any) -> Tensor:
        """``floor(input / other)``, broadcast; no gradient.

        Raises:
            ZeroDivisionError: an integer is divided by the number 0. Zeros in an integer tensor cannot raise."""

    def __floordiv__(self, other: Any) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def floor_divide_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.floor_divide`, in place."""

    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def gather(self, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
        """``out[i][j] = input[index[i][j]][j]`` for ``dim=0``.

        Args:
            sparse_grad: the gradient is dense, which is the same to what follows.

        Raises:
            DTypeError: the index has no integers.
            IndexRangeError: the dimension does not exist, or an index on the host is out of range.
            ShapeError: another dimension of ``index`` is larger than that of ``input``."""

    def ge(self, other: Any) -> Tensor:
        """``input >= other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __ge__(self, other: Any) -> Tensor: ...
    def ge_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.ge`, in place."""

    def __getitem__(self, index: Any) -> Tensor: ...
    def gt(self, other: Any) -> Tensor:
        """``input > other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __gt__(self, other: Any) -> Tensor: ...
    def gt_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.gt`, in place."""

    def hsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along dimension 1, of vectors along 0: equal ones, or those that begin at indices.

        Raises:
            ShapeError: the tensor has too few dimensions, or cannot be split into equal pieces."""

    def index_add(self, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
        """``input`` with ``alpha`` times row ``k`` of ``source`` added to row ``index[k]``, along ``dim``.

        The order of the additions is fixed. Rows that no index in range names stay; indices are not checked on a GPU.

        Raises:
            ShapeError: ``source`` is not ``input`` with as many rows as the index.
            DTypeError: the dtypes differ."""

    def index_add_(self, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
        """:func:`tabgrad.ops.index_add`, in place."""

    def index_copy(self, dim: int, index: Tensor, source: Tensor) -> Tensor:
        """``input`` with row ``k`` of ``source`` at row ``index[k]``, along ``dim``; the last of several counts.

        Raises:
            ShapeError: ``source`` is not ``input`` with as many rows as the index.
            DTypeError: the dtypes differ."""

    def index_copy_(self, dim: int, index: Tensor, source: Tensor) -> Tensor:
        """:func:`tabgrad.ops.index_copy`, in place."""

    def index_fill(self, dim: int, index: Tensor, value: Any) -> Tensor:
        """``input`` with ``value``, a number or a 0-d tensor, in the rows along ``dim`` that the index names.

        Raises:
            ShapeError: ``value`` has dimensions."""

    def index_fill_(self, dim: int, index: Tensor, value: Any) -> Tensor:
        """:func:`tabgrad.ops.index_fill`, in place."""

    def index_put(self, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Tensor:
        """A copy with ``values``, broadcast, where ``input[indices]`` reads, or added there.

        Args:
            indices: one for each of the leading dimensions: tensors of integers or bools, None for all rows.
            accumulate: add, in a fixed order; else the last of several values for one element counts.

        Raises:
            DTypeError: the dtypes differ.
            IndexError: an index on the host is out of range.
            ShapeError: the values do not broadcast."""

    def index_put_(self, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Tensor:
        """:func:`tabgrad.ops.index_put`, in place."""

    def index_reduce(
        self, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
    ) -> Tensor:
        """The rows of ``source`` for each row that the index names, reduced, with the row itself among them or not.

        Args:
            reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
            include_self: whether the row of ``input`` counts where any is named; elsewhere it stays.

        Raises:
            ValueError: there is no such reduction.
            ShapeError: ``source`` is not ``input`` with as many rows as the index."""

    def index_reduce_(
        self, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
    ) -> Tensor:
        """:func:`tabgrad.ops.index_reduce`, in place."""

    def index_select(self, dim: int, index: Tensor) -> Tensor:
        """Rows ``index`` (int, 1-d) of ``input`` along ``dim``. Indices are in [0, n), which is not checked on a GPU.

        Raises:
            IndexRangeError: the dimension does not exist, or an index on the host is out of range.
            ShapeError: the index is not a 1-d tensor of integers."""

    def isfinite(self) -> Tensor:
        """Whether each element is neither infinite nor NaN; bool."""

    def isnan(self) -> Tensor:
        """Whether each element is not a number; bool."""

    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False) -> ValuesAndIndices:
        """The ``k``-th smallest element along ``dim``, counted from 1, and where it was: (values, indices).

        Raises:
            ShapeError: there are fewer than ``k``."""

    def le(self, other: Any) -> Tensor:
        """``input <= other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __le__(self, other: Any) -> Tensor: ...
    def le_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.le`, in place."""

    def leaky_relu_(self, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.leaky_relu`, in place."""

    def log(self) -> Tensor:
        """Natural logarithm."""

    def log1p(self) -> Tensor:
        """``log(1 + x)``."""

    def log1p_(self) -> Tensor:
        """:func:`tabgrad.ops.log1p`, in place."""

    def log_(self) -> Tensor:
        """:func:`tabgrad.ops.log`, in place."""

    def log_softmax(self, dim: int) -> Tensor:
        """``x - log(sum(exp(x)))`` along ``dim``."""

    def logcumsumexp(self, dim: int) -> Tensor:
        """``log(cumsum(exp(x)))`` along ``dim``, without overflow.

        Raises:
            DTypeError: the tensor has no floating-point numbers."""

    def logical_and(self, other: Any) -> Tensor:
        """Both nonzero; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __and__(self, other: Any) -> Tensor: ...
    def logical_and_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.logical_and`, in place."""

    def __iand__(self, other: Any) -> Tensor: ...
    def logical_not(self) -> Tensor:
        """Zero; bool.

        Shape of ``x``."""

    def __invert__(self) -> Tensor: ...
    def logical_not_(self) -> Tensor:
        """:func:`tabgrad.ops.logical_not`, in place."""

    def logical_or(self, other: Any) -> Tensor:
        """Either nonzero; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __or__(self, other: Any) -> Tensor: ...
    def logical_or_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.logical_or`, in place."""

    def __ior__(self, other: Any) -> Tensor: ...
    def logical_xor(self, other: Any) -> Tensor:
        """Exactly one nonzero; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __xor__(self, other: Any) -> Tensor: ...
    def logical_xor_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.logical_xor`, in place."""

    def __ixor__(self, other: Any) -> Tensor: ...
    def logsumexp(self, dim: Dims, keepdim: bool = False) -> Tensor:
        """``log(sum(exp(x)))`` in one pass that does not overflow.

        Arguments and errors are those of :func:`sum`; the result is float32."""

    def lt(self, other: Any) -> Tensor:
        """``input < other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __lt__(self, other: Any) -> Tensor: ...
    def lt_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.lt`, in place."""

    def masked_fill(self, mask: Tensor, value: Any) -> Tensor:
        """``value`` where ``mask`` holds, else ``input``; both are broadcast.

        Args:
            mask: bool, of a shape that broadcasts with that of ``input``.
            value: a number or a 0-d tensor, which is converted to the dtype of ``input``.

        Raises:
            DTypeError: the mask is not bool, or float32 cannot hold the number.
            ShapeError: the shapes do not broadcast, or ``value`` has dimensions."""

    def masked_fill_(self, mask: Tensor, value: Any) -> Tensor:
        """:func:`tabgrad.ops.masked_fill`, in place."""

    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """``input`` with the next element of ``source`` at each place where ``mask`` holds, in row-major order.

        Where the mask lies on a device, a source with too few elements cannot raise: as :func:`written` says.

        Args:
            mask: bool; it and ``input`` are broadcast.
            source: of any shape and the dtype of ``input``; elements beyond the mask's places are not used.

        Raises:
            DTypeError: the mask is not bool, or the dtypes differ.
            ShapeError: the shapes do not broadcast, or a mask on the host has more places than the source elements."""

    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """:func:`tabgrad.ops.masked_scatter`, in place."""

    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements where ``mask`` holds, in row-major order; input and mask are broadcast.

        Raises:
            DeviceError: the mask is read back, and this platform cannot wait.
            DTypeError: the mask is not bool.
            NotImplementedError: a step is being recorded."""

    def matmul(self, other: Tensor) -> Tensor:
        """``input @ other``: ``[..., M, K] @ [..., K, N]``, batch dimensions broadcast, vectors as in PyTorch.

        Raises:
            ShapeError: the inner sizes differ, or an operand is a scalar.
            DTypeError: the operands are not of one floating-point dtype."""

    def __matmul__(self, other: Any) -> Tensor: ...
    def max(self, dim: int | None = None, keepdim: bool = False) -> Any:
        """Largest element; with ``dim`` the pair (values, indices).

        Raises:
            ShapeError: the dimension does not exist, or has no elements."""

    def maximum(self, other: Any) -> Tensor:
        """The larger of two; NaN if either is.

        Equal elements share the gradient.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def mean(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Mean over ``dim`` (all by default) of a float tensor.

        Arguments and errors are those of :func:`sum`.

        Raises:
            DTypeError: the tensor has no floating-point numbers."""

    def median(self, dim: int | None = None, keepdim: bool = False) -> Any:
        """The element in the middle, the lower one of two; with ``dim`` the pair (values, indices). NaN if any is."""

    def min(self, dim: int | None = None, keepdim: bool = False) -> Any:
        """Smallest element; with ``dim`` the pair (values, indices).

        As :func:`max`."""

    def minimum(self, other: Any) -> Tensor:
        """The smaller of two; NaN if either is.

        Equal elements share the gradient.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def moveaxis(self, source: Any, destination: Any) -> Tensor:
        """Dimensions ``source`` moved to the places ``destination``; the others keep their order.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: one is named twice, or there are not as many places as dimensions."""

    def movedim(self, source: Any, destination: Any) -> Tensor:
        """Dimensions ``source`` moved to the places ``destination``; the others keep their order.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: one is named twice, or there are not as many places as dimensions."""

    def msort(self) -> Tensor:
        """Elements along the first dimension in order."""

    def mul(self, other: Any) -> Tensor:
        """``input * other``, broadcast; bool operands are combined with *and*.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __mul__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def mul_(self, other: Any) -> Tensor:
        """``input *= other``, in place."""

    def __imul__(self, other: Any) -> Tensor: ...
    def narrow(self, dim: int, start: Any, length: int) -> Tensor:
        """``length`` elements from ``start``, which may count from the end, along ``dim``.

        A view: writing to one is seen through the other.

        Raises:
            IndexRangeError: the dimension does not exist, or ``start`` lies outside.
            ShapeError: the range does not lie inside the dimension."""

    def narrow_copy(self, dim: int, start: Any, length: int) -> Tensor:
        """A copy of what ``narrow`` shows."""

    def ne(self, other: Any) -> Tensor:
        """``input != other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def ne_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.ne`, in place."""

    def neg(self) -> Tensor:
        """``-x``.

        Raises:
            DTypeError: the tensor is bool; use ``logical_not``."""

    def __neg__(self) -> Tensor: ...
    def neg_(self) -> Tensor:
        """:func:`tabgrad.ops.neg`, in place."""

    def nonzero(self, *, as_tuple: bool = False) -> Any:
        """The indices of all elements that are not zero, in row-major order: one a row, ``[places, ndim]``.

        Args:
            as_tuple: as one index for each dimension, by which the tensor can be indexed; of a 0-d tensor one.

        Raises:
            DeviceError: values are read back, and this platform cannot wait.
            NotImplementedError: a step is being recorded."""

    def nonzero_static(self, *, size: int, fill_value: int = -1) -> Tensor:
        """As :func:`nonzero`, with ``size`` rows: those beyond are left out, and missing ones hold ``fill_value``.

        Raises:
            ShapeError: the size is negative."""

    def normal_(self, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with random numbers from a normal distribution."""

    def numpy(self) -> np.ndarray:
        """The value as a NumPy array; waits for the device.

        Raises:
            GradError: the tensor requires grad; use ``.detach().numpy()``.
            DTypeError: NumPy has no bfloat16; use ``.float().numpy()``.
            DeviceError: this platform cannot wait; use ``await tensor.read()``."""

    def permute(self, *order: Any, dims: Any = None) -> Tensor:
        """Dimensions in another order.

        A view.

        Raises:
            ShapeError: a dimension is missing, named twice, or does not exist."""

    def pin_memory(self, device: Any = None) -> Tensor:
        """``x`` itself: there is no pinned memory here."""

    def pow(self, exponent: Any) -> Tensor:
        """``base ** exponent``; small integer exponents become products."""

    def __pow__(self, exponent: Any) -> Tensor: ...
    def __rpow__(self, exponent: Any) -> Tensor: ...
    def pow_(self, exponent: Any) -> Tensor:
        """:func:`tabgrad.ops.pow`, in place."""

    def __ipow__(self, exponent: Any) -> Tensor: ...
    def prod(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Product over ``dim`` (all by default)."""

    def put(self, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """A copy with ``source`` at the elements with these numbers in row-major order, or added to them.

        Of several values for one element the last one counts.

        Raises:
            DTypeError: the dtypes differ, or the index has no integers.
            ShapeError: there are not as many values as indices."""

    def put_(self, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """:func:`tabgrad.ops.put`, in place."""

    def ravel(self) -> Tensor:
        """All elements as one dimension."""

    async def read(self) -> np.ndarray:
        """The value as a NumPy array, without blocking the event loop."""

    def realize(self) -> Tensor:
        """Compute the value on the device now, and return the tensor as soon as the work is queued.

        Raises:
            RuntimeError: the value depends on the inputs of a compiled step, which exist only while it runs."""

    def reciprocal(self) -> Tensor:
        """``1 / x``."""

    def reciprocal_(self) -> Tensor:
        """:func:`tabgrad.ops.reciprocal`, in place."""

    def relu(self, inplace: bool = False) -> Tensor:
        """``max(x, 0)``; the gradient reads the output, so the input need not be kept."""

    def relu_(self, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.relu`, in place."""

    def remainder(self, other: Any) -> Tensor:
        """``input - other * floor(input / other)``, exact, signed as ``other``. Errors: :func:`floor_divide`."""

    def __mod__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def remainder_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.remainder`, in place."""

    def __imod__(self, other: Any) -> Tensor: ...
    def repeat(self, *sizes: Any, repeats: Any = None) -> Tensor:
        """``input`` tiled ``sizes`` times along each dimension, new dimensions in front.

        A copy.

        Raises:
            ShapeError: there are fewer counts than dimensions, or one is negative."""

    def repeat_interleave(
        self, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
    ) -> Tensor:
        """Each row along ``dim`` so many times as ``repeats`` says, one after the other.

        Args:
            input: alone, or as ``repeats``: the counts, of which the rows' numbers are returned.
            repeats: a number, or a tensor with a number for each row, which is read back.
            dim: without it the elements are one row.
            output_size: the sum of the counts.

        Raises:
            IndexRangeError: ``dim`` does not exist.
            ShapeError: there are not as many counts as rows, or one is negative."""

    def reshape(self, *sizes: Any, shape: Any = None) -> Tensor:
        """The elements in row-major order in another shape; one size may be -1. A view where memory can be viewed so.

        Raises:
            ShapeError: the number of elements differs."""

    def reshape_as(self, other: Tensor) -> Tensor:
        """As :func:`tabgrad.reshape`, in the shape of ``other``."""

    def resize_(self, *sizes: Any, size: Any = None, memory_format: Any = None) -> Tensor:
        """Let the tensor have another shape of as many elements, or of fewer: the first ones.

        Raises:
            GradError: the tensor requires grad.
            NotImplementedError: the shape has more elements than there are."""

    def resize_as_(self, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
        """As :meth:`resize_`, to the shape of another tensor."""

    def roll(self, shifts: Any, dims: Any = None) -> Tensor:
        """A copy with elements moved by ``shifts`` along ``dims``; those that leave at one end come in at the other.

        Args:
            shifts: one number for each dimension.
            dims: without them, the elements are moved as one row.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: there are not as many shifts as dimensions."""

    def rot90(self, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
        """A copy, rotated ``k`` times by 90 degrees from the first towards the second of two dimensions.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: there are not two different ones."""

    def round(self) -> Tensor:
        """Round half to even."""

    def round_(self) -> Tensor:
        """:func:`tabgrad.ops.round`, in place."""

    def rsqrt(self) -> Tensor:
        """``1 / sqrt(x)``."""

    def rsqrt_(self) -> Tensor:
        """:func:`tabgrad.ops.rsqrt`, in place."""

    def scatter(
        self, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
    ) -> Tensor:
        """``out[index[i][j]][j] = src[i][j]`` for ``dim=0``, from ``out = input`` on; the last of several counts.

        Args:
            src: a tensor, or a number for all places; ``value`` is another name of the latter.
            reduce: ``"add"`` or ``"multiply"``, in place of overwriting.

        Raises:
            ShapeError: the index fits neither ``src`` nor ``input``.
            DTypeError: the dtypes differ, or the index has no integers."""

    def scatter_(
        self, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
    ) -> Tensor:
        """:func:`tabgrad.ops.scatter`, in place."""

    def scatter_add(self, dim: int, index: Tensor, src: Tensor) -> Tensor:
        """``out[index[i][j]][j] += src[i][j]`` for ``dim=0``, from ``out = input`` on; in a fixed order.

        Raises:
            ShapeError: the index fits neither ``src`` nor ``input``.
            DTypeError: the dtypes differ, or the index has no integers."""

    def scatter_add_(self, dim: int, index: Tensor, src: Tensor) -> Tensor:
        """:func:`tabgrad.ops.scatter_add`, in place."""

    def scatter_reduce(self, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True) -> Tensor:
        """The elements of ``src`` for each place that the index names, reduced, with ``input`` among them or not.

        Args:
            reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
            include_self: whether the element of ``input`` counts where any is named; elsewhere it stays.

        Raises:
            ValueError: there is no such reduction.
            ShapeError: the index fits neither ``src`` nor ``input``.
            DTypeError: the dtypes differ, or the index has no integers."""

    def scatter_reduce_(
        self, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
    ) -> Tensor:
        """:func:`tabgrad.ops.scatter_reduce`, in place."""

    def select(self, dim: int, index: int) -> Tensor:
        """Row ``index`` along ``dim``, without that dimension.

        Raises:
            IndexRangeError: the dimension or the row does not exist."""

    def select_scatter(self, src: Tensor, dim: int, index: int) -> Tensor:
        """A copy with ``src`` in place of row ``index`` along ``dim``.

        Raises:
            IndexRangeError: the dimension or the row does not exist.
            ShapeError: ``src`` is not of the row's shape."""

    def set_(self, source: Tensor) -> Tensor:
        """Show the memory of ``source`` from now on; what ``input.data = source`` does.

        A parameter that an optimizer holds keeps its memory, and takes the values.

        Raises:
            DTypeError: the dtypes differ.
            ShapeError: an optimizer holds the parameter, and the shapes differ.
            NotImplementedError: a step is being recorded."""

    def __setitem__(self, index: Any, value: Any) -> Tensor: ...
    def sigmoid(self) -> Tensor:
        """``1 / (1 + exp(-x))``."""

    def sigmoid_(self) -> Tensor:
        """:func:`tabgrad.ops.sigmoid`, in place."""

    def sign(self) -> Tensor:
        """-1, 0 or 1."""

    def sign_(self) -> Tensor:
        """:func:`tabgrad.ops.sign`, in place."""

    def silu_(self, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.silu`, in place."""

    def sin(self) -> Tensor:
        """Sine of radians."""

    def sin_(self) -> Tensor:
        """:func:`tabgrad.ops.sin`, in place."""

    def slice_scatter(
        self, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
    ) -> Tensor:
        """A copy with ``src`` in place of the slice ``start:end:step`` along ``dim``.

        Raises:
            IndexRangeError: the dimension does not exist.
            ShapeError: ``src`` is not of the slice's shape, or ``step`` is below 1."""

    def softmax(self, dim: int) -> Tensor:
        """``exp(x) / sum(exp(x))`` along ``dim``; NaN where an element is infinite and positive, as in PyTorch."""

    def sort(self, dim: int = -1, descending: bool = False, stable: bool = False) -> ValuesAndIndices:
        """Elements along ``dim`` in order, and where they were: (values, indices). Equal ones keep their order."""

    def split(self, split_size_or_sections: Any = None, dim: int = 0, *, split_size: Any = None) -> tuple[Tensor, ...]:
        """Consecutive pieces of one size (the last may be smaller), or of the given sizes.

        Args:
            split_size_or_sections: a size, or all sizes; as a keyword of the method ``split_size``.

        Returns:
            Views, in order.

        Raises:
            IndexRangeError: ``dim`` does not exist.
            ShapeError: sizes do not add up to that of ``dim``."""

    def split_with_sizes(self, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
        """As :func:`tabgrad.split` with a list of sizes."""

    def sqrt(self) -> Tensor:
        """Square root."""

    def sqrt_(self) -> Tensor:
        """:func:`tabgrad.ops.sqrt`, in place."""

    def square(self) -> Tensor:
        """``x * x``."""

    def square_(self) -> Tensor:
        """:func:`tabgrad.ops.square`, in place."""

    def squeeze(self, dim: int | Sequence[int] | None = None) -> Tensor:
        """Without dimensions of size 1: all, or those of ``dim`` whose size is 1.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: one is named twice."""

    def squeeze_(self, dim: Any = None) -> Tensor:
        """As :func:`tabgrad.squeeze`, of the tensor itself."""

    def std(self, dim: Dims = None, keepdim: bool = False, *, correction: int = 1) -> Tensor:
        """Square root of :func:`var`."""

    def storage_offset(self) -> int:
        """How many elements of memory lie before the first one that the tensor shows."""

    def sub(self, other: Any, *, alpha: float = 1) -> Tensor:
        """``input - alpha * other``, broadcast.

        Args:
            input, other: tensors or numbers, promoted as in PyTorch.
            alpha: a number by which ``other`` is multiplied first.

        Raises:
            DTypeError: both are bool; use ``logical_xor``.
            ShapeError: the shapes do not broadcast."""

    def __sub__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def sub_(self, other: Any) -> Tensor:
        """``input -= other``, in place."""

    def __isub__(self, other: Any) -> Tensor: ...
    def sum(self, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
        """Sum over ``dim`` (all by default), in a fixed order. Bools and narrow integers are summed as int32.

        Args:
            dim: a dimension or several; None or an empty tuple for all.
            keepdim: they stay, with size 1.
            dtype: what elements are converted to first.

        Raises:
            ShapeError: a dimension does not exist, or is named twice."""

    def sum_to_size(self, *sizes: Any, size: Any = None) -> Tensor:
        """The sum over all dimensions that broadcasting from ``size`` to this shape repeats.

        Raises:
            ShapeError: ``size`` does not broadcast to this shape."""

    def swapaxes(self, axis0: int, axis1: int) -> Tensor:
        """As :func:`tabgrad.transpose`."""

    def swapaxes_(self, axis0: int, axis1: int) -> Tensor:
        """As :func:`tabgrad.transpose`, of the tensor itself."""

    def swapdims(self, dim0: int, dim1: int) -> Tensor:
        """As :func:`tabgrad.transpose`."""

    def swapdims_(self, dim0: int, dim1: int) -> Tensor:
        """As :func:`tabgrad.transpose`, of the tensor itself."""

    def t(self) -> Tensor:
        """A matrix transposed; vectors and scalars as they are.

        Raises:
            ShapeError: there are more than two dimensions; use ``transpose`` or ``mT``."""

    def t_(self) -> Tensor:
        """As :func:`tabgrad.t`, of the tensor itself."""

    def take(self, index: Tensor) -> Tensor:
        """The elements with these numbers row by row, in the shape of ``index``; negative ones count from the end.

        Raises:
            DTypeError: the index has no integers.
            IndexError: an index on the host is out of range."""

    def take_along_dim(self, indices: Tensor, dim: int | None = None) -> Tensor:
        """As :func:`tabgrad.gather`, with both broadcast along other dimensions; negative indices count from the end.

        Args:
            dim: without it the elements are numbered in row-major order.

        Raises:
            ShapeError: the numbers of dimensions differ, or other dimensions do not broadcast."""

    def tan(self) -> Tensor:
        """Tangent of radians."""

    def tan_(self) -> Tensor:
        """:func:`tabgrad.ops.tan`, in place."""

    def tanh(self) -> Tensor:
        """Hyperbolic tangent."""

    def tanh_(self) -> Tensor:
        """:func:`tabgrad.ops.tanh`, in place."""

    def tensor_split(
        self, indices_or_sections: Any = None, dim: int = 0, *, indices: Any = None, sections: Any = None
    ) -> tuple[Tensor, ...]:
        """Consecutive pieces: so many of nearly equal size, or those that begin at the given indices.

        Args:
            indices_or_sections: a number of pieces, or a list or tensor of indices; also by the keywords of either.

        Raises:
            IndexRangeError: ``dim`` does not exist.
            ShapeError: the number of pieces is below 1."""

    def tile(self, *sizes: Any, dims: Any = None) -> Tensor:
        """As :func:`repeat`, missing counts are 1."""

    def to(
        self,
        *target: Any,
        dtype: DType | None = None,
        device: Any = None,
        non_blocking: bool = False,
        copy: bool = False,
        memory_format: Any = None,
    ) -> Tensor:
        """``x`` as another dtype, or itself.

        Args:
            target: a dtype, a device, a device and a dtype, or a tensor whose dtype is taken.
            dtype, device: as keywords.
            non_blocking: nothing waits here.
            copy: whether to make another tensor even if nothing changes.
            memory_format: changes no value.

        Raises:
            DeviceError: it names a device of tabgrad's other than the one in use; all tensors of a session are on one.
            ArgumentError: there is no such device."""

    def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesAndIndices:
        """The ``k`` largest (or smallest) elements along ``dim`` in order, and where they were: (values, indices).

        Args:
            sorted: they are sorted anyway. Of equal elements the first ones are taken.

        Raises:
            ShapeError: there are fewer than ``k``."""

    def trace(self) -> Tensor:
        """The sum of a matrix's diagonal.

        Raises:
            ShapeError: the tensor is no matrix."""

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        """Two dimensions swapped.

        Raises:
            IndexRangeError: one does not exist."""

    def transpose_(self, dim0: int, dim1: int) -> Tensor:
        """As :func:`tabgrad.transpose`, of the tensor itself."""

    def tril(self, diagonal: int = 0) -> Tensor:
        """``x`` with zeros above the diagonal of the last two dimensions.

        Args:
            x: ``[..., n, m]``.
            diagonal: which one bounds them; those above the main one are positive.

        Raises:
            ShapeError: there are fewer than two dimensions."""

    def tril_(self, diagonal: int = 0) -> Tensor:
        """:func:`tabgrad.ops.tril`, in place."""

    def triu(self, diagonal: int = 0) -> Tensor:
        """``x`` with zeros below the diagonal of the last two dimensions.

        Args:
            x: ``[..., n, m]``.
            diagonal: which one bounds them; those above the main one are positive.

        Raises:
            ShapeError: there are fewer than two dimensions."""

    def triu_(self, diagonal: int = 0) -> Tensor:
        """:func:`tabgrad.ops.triu`, in place."""

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """``x`` as another dtype; without one the name of its type, such as ``"torch.FloatTensor"``.

        Args:
            dtype: a dtype, or the name of one of PyTorch's old tensor types.

        Raises:
            ArgumentError: there is no such type here."""

    def type_as(self, other: Tensor) -> Tensor:
        """``x`` in the dtype of ``other``."""

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        """All rows along ``dim``, without that dimension.

        Raises:
            IndexRangeError: the dimension does not exist."""

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Tensor:
        """Dimension ``dim`` split into ``sizes``; one may be -1.

        Raises:
            IndexRangeError: there is no such dimension.
            ShapeError: the sizes do not multiply to that of ``dim``."""

    def unfold(self, dimension: int, size: int, step: int) -> Tensor:
        """Windows of ``size`` elements along a dimension, one every ``step`` elements, as a last dimension.

        A view.

        Raises:
            IndexRangeError: the dimension does not exist.
            ShapeError: no window fits, or ``step`` is below 1."""

    def uniform_(self, a: float = 0, b: float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with random numbers from ``a`` up to ``b``, all as likely."""

    def unsafe_chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """As :func:`tabgrad.chunk`."""

    def unsafe_split(self, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
        """As :func:`tabgrad.split`."""

    def unsafe_split_with_sizes(self, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
        """As :func:`tabgrad.split` with a list of sizes."""

    def unsqueeze(self, dim: int) -> Tensor:
        """With a dimension of size 1 inserted at ``dim``.

        Raises:
            IndexRangeError: there is no such place."""

    def unsqueeze_(self, dim: int) -> Tensor:
        """As :func:`tabgrad.unsqueeze`, of the tensor itself."""

    def var(self, dim: Dims = None, keepdim: bool = False, *, correction: int = 1) -> Tensor:
        """Variance over ``dim``, the sum of squares divided by ``n - correction``.

        Arguments and errors are those of :func:`sum`.

        Raises:
            DTypeError: the tensor has no floating-point numbers."""

    def view(self, *shape: Any, size: Any = None, dtype: DType | None = None) -> Tensor:
        """As :func:`reshape`, of the same memory: writing to one is seen through the other.

        Raises:
            ShapeError: the number of elements differs, or no strides show the elements so (after ``permute``, say).
            NotImplementedError: another dtype, as which memory cannot be shown here."""

    def view_as(self, other: Tensor) -> Tensor:
        """As ``view``, in the shape of ``other``."""

    def vsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """As :func:`hsplit`, along dimension 0 of a tensor with at least two."""

    def where(self, condition: Tensor, other: Any) -> Tensor:
        """``input`` where ``condition`` holds, else ``other``."""

    def zero_(self) -> Tensor:
        """Set every element to 0, in place."""

    @property
    def H(self) -> Tensor: ...
    @property
    def T(self) -> Tensor: ...
    @property
    def mH(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
