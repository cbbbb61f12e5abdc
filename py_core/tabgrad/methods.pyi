"""The methods of :class:`tabgrad.Tensor` that are functions."""

# Written by build_scripts/stubs.py.

from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad.dtypes import DType
from tabgrad.graph.op import Shape
from tabgrad.ops.folds import Dims
from tabgrad.ops.result_types import (
    QR,
    USV,
    Histogram,
    MinAndMax,
    SignAndLogarithm,
    SolutionAndMatrix,
    ValuesAndIndices,
)
from tabgrad.placement import Layout
from tabgrad.random import Generator
from tabgrad.tensor import Tensor

class TensorMethods:
    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The namespace of the Python array API standard for tensors.

        Raises:
            ArgumentError: it does not follow that version."""

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        """A capsule with a copy of the values in the host's memory; waits for the device.

        Raises:
            BufferError: the tensor requires a gradient, the values are asked for without a copy, or on another device."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """The host, whatever device computes: the values are read from it."""

    def abs(self) -> Tensor:
        """Absolute value; gradient 0 at 0.

        Raises:
            DTypeError: the tensor is bool."""

    def __abs__(self) -> Tensor: ...
    def abs_(self) -> Tensor:
        """:func:`tabgrad.ops.abs`, in place."""

    def absolute(self) -> Tensor:
        """Absolute value; gradient 0 at 0.

        Raises:
            DTypeError: the tensor is bool."""

    def absolute_(self) -> Tensor:
        """:func:`tabgrad.ops.abs`, in place."""

    def acos(self) -> Tensor:
        """Inverse cosine."""

    def acos_(self) -> Tensor:
        """:func:`tabgrad.ops.acos`, in place."""

    def acosh(self) -> Tensor:
        """Inverse hyperbolic cosine; NaN below 1."""

    def acosh_(self) -> Tensor:
        """:func:`tabgrad.ops.acosh`, in place."""

    def add(self, other: Tensor | float, *, alpha: float = 1) -> Tensor:
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
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """``beta * input + alpha * sum of the products of a batch``; as :func:`addmm`."""

    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """:func:`tabgrad.ops.addbmm`, in place."""

    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
        """``input + value * tensor1 / tensor2``, broadcast.

        Raises:
            DTypeError: both that are divided are integers.
            ShapeError: the shapes do not broadcast."""

    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
        """:func:`tabgrad.ops.addcdiv`, in place."""

    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
        """``input + value * tensor1 * tensor2``, broadcast.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
        """:func:`tabgrad.ops.addcmul`, in place."""

    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """``beta * input + alpha * (mat1 @ mat2)``; ``input`` broadcasts, and is not read where ``beta`` is 0."""

    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """:func:`tabgrad.ops.addmm`, in place."""

    def addmv(self, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """``beta * input + alpha * (mat @ vec)``; as :func:`addmm`."""

    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """:func:`tabgrad.ops.addmv`, in place."""

    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """``beta * input + alpha * outer(vec1, vec2)``; as :func:`addmm`. Of bools: *or* of *and*."""

    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """:func:`tabgrad.ops.addr`, in place."""

    def adjoint(self) -> Tensor:
        """The last two dimensions swapped, as there are no complex numbers."""

    def all(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Whether every element is nonzero; bool, of uint8 tensors uint8."""

    def allclose(self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
        """Whether :func:`isclose` holds everywhere: a bool of Python's, so it waits for the device."""

    def alpha_dropout_(
        self, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: Generator | None = None
    ) -> Tensor:
        """:func:`tabgrad.ops.alpha_dropout`, in place."""

    def amax(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Largest element; ties share the gradient.

        Arguments and errors are those of :func:`sum`; a dimension without elements raises, too."""

    def amin(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Smallest element; ties share the gradient.

        Arguments and errors are those of :func:`sum`; a dimension without elements raises, too."""

    def aminmax(self, *, dim: int | None = None, keepdim: bool = False) -> MinAndMax:
        """The smallest and the largest element along ``dim`` (of all by default): (min, max)."""

    def any(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Whether any element is nonzero; bool, of uint8 tensors uint8."""

    def apply_(self, callable: Any) -> Tensor:
        """Refused: a function of Python's cannot run on a device.

        Raises:
            NotImplementedError: always."""

    def arccos(self) -> Tensor:
        """Inverse cosine."""

    def arccos_(self) -> Tensor:
        """:func:`tabgrad.ops.acos`, in place."""

    def arccosh(self) -> Tensor:
        """Inverse hyperbolic cosine; NaN below 1."""

    def arccosh_(self) -> Tensor:
        """:func:`tabgrad.ops.acosh`, in place."""

    def arcsin(self) -> Tensor:
        """Inverse sine."""

    def arcsin_(self) -> Tensor:
        """:func:`tabgrad.ops.asin`, in place."""

    def arcsinh(self) -> Tensor:
        """Inverse hyperbolic sine."""

    def arcsinh_(self) -> Tensor:
        """:func:`tabgrad.ops.asinh`, in place."""

    def arctan(self) -> Tensor:
        """Inverse tangent."""

    def arctan2(self, other: Tensor) -> Tensor:
        """The angle in radians, from -pi to pi, of the points (other, input)."""

    def arctan2_(self, other: Tensor) -> Tensor:
        """:func:`tabgrad.ops.atan2`, in place."""

    def arctan_(self) -> Tensor:
        """:func:`tabgrad.ops.atan`, in place."""

    def arctanh(self) -> Tensor:
        """Inverse hyperbolic tangent; NaN outside of [-1, 1]."""

    def arctanh_(self) -> Tensor:
        """:func:`tabgrad.ops.atanh`, in place."""

    def argmax(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Index of the first largest element along ``dim`` (of the flattened tensor by default); int32.

        Raises:
            ShapeError: the dimension does not exist, or has no elements."""

    def argmin(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Index of the first smallest element.

        As :func:`argmax`."""

    def argsort(self, dim: int = -1, descending: bool = False, stable: bool | None = None) -> Tensor:
        """Where the elements along ``dim`` are, in their order; int32. Equal ones keep their order."""

    def argwhere(self) -> Tensor:
        """As :func:`nonzero`."""

    def as_strided(self, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
        """The element ``storage_offset + i * stride[0] + j * stride[1] + ...`` of memory at ``[i, j, ...]``. A view.

        Without ``storage_offset`` memory begins with the tensor's own first element.

        Raises:
            ArgumentError: places lie outside of memory.
            GradError: of a tensor that requires grad, they lie outside of what it shows, or that has gaps in memory.
            ShapeError: there are not as many strides as sizes, or one is negative."""

    def as_strided_(self, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
        """As :func:`tabgrad.as_strided`, of the tensor itself."""

    def as_strided_scatter(self, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
        """A copy with ``src`` in place of what :func:`as_strided` shows; the last of several values counts.

        Raises:
            ShapeError: ``src`` is not of the shape ``size``."""

    def asin(self) -> Tensor:
        """Inverse sine."""

    def asin_(self) -> Tensor:
        """:func:`tabgrad.ops.asin`, in place."""

    def asinh(self) -> Tensor:
        """Inverse hyperbolic sine."""

    def asinh_(self) -> Tensor:
        """:func:`tabgrad.ops.asinh`, in place."""

    def atan(self) -> Tensor:
        """Inverse tangent."""

    def atan2(self, other: Tensor) -> Tensor:
        """The angle in radians, from -pi to pi, of the points (other, input)."""

    def atan2_(self, other: Tensor) -> Tensor:
        """:func:`tabgrad.ops.atan2`, in place."""

    def atan_(self) -> Tensor:
        """:func:`tabgrad.ops.atan`, in place."""

    def atanh(self) -> Tensor:
        """Inverse hyperbolic tangent; NaN outside of [-1, 1]."""

    def atanh_(self) -> Tensor:
        """:func:`tabgrad.ops.atanh`, in place."""

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Tensor | Sequence[Tensor] | None = None,
    ) -> None:
        """Add d ``tensor`` / d leaf to ``leaf.grad`` for every leaf that requires a gradient.

        Args:
            tensor: what is differentiated; a scalar, or of the shape of ``gradient``.
            gradient: of what is computed from it further on.
            retain_graph: keep the records for another pass; as ``create_graph`` if not given.
            create_graph: record the gradients too, for derivatives of higher order.
            inputs: tensors whose ``.grad`` alone is added to; they need not be leaves.

        Raises:
            GradError: ``tensor`` records nothing, is not a scalar without ``gradient``, or was freed."""

    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """``beta * input + alpha * bmm(batch1, batch2)``; as :func:`addmm`."""

    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """:func:`tabgrad.ops.baddbmm`, in place."""

    def bernoulli(self, p: Any = None, *, generator: Generator | None = None) -> Tensor:
        """1 with probability ``input`` (elementwise), or with probability ``p``, else 0; dtype of ``input``.

        Raises:
            DTypeError: probabilities that are integers."""

    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1 with probability ``p``, a number or a tensor, and else 0.

        Raises:
            ArgumentError: ``p`` is not in [0, 1]."""

    def bincount(self, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
        """How often each number from 0 on is among the integers ``input`` ``[k]``; or the sum of their ``weights``.

        Args:
            minlength: size of the result. Where the input lies on a device, larger numbers are counted nowhere.

        Raises:
            NotImplementedError: without ``minlength``, where the result's size depends on what lies on a device."""

    def bitwise_and(self, other: Tensor | float) -> Tensor:
        """The bits that both have, broadcast; of bools the logical *and*.

        Raises:
            NoSuchDTypeError: an operand is floating point.
            ShapeError: the shapes do not broadcast."""

    def __and__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def bitwise_and_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.bitwise_and`, in place."""

    def __iand__(self, other: Any) -> Tensor: ...
    def bitwise_left_shift(self, other: Tensor | float) -> Tensor:
        """``input * 2 ** other`` of integers, broadcast; 0 if ``other`` is not in [0, 32).

        Raises:
            NoSuchDTypeError: an operand is floating point, or both are bool.
            ShapeError: the shapes do not broadcast."""

    def __lshift__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def bitwise_left_shift_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.bitwise_left_shift`, in place."""

    def __ilshift__(self, other: Any) -> Tensor: ...
    def bitwise_not(self) -> Tensor:
        """All bits changed; of bools the logical *not*.

        Raises:
            NoSuchDTypeError: the tensor is floating point."""

    def __invert__(self) -> Tensor: ...
    def bitwise_not_(self) -> Tensor:
        """:func:`tabgrad.ops.bitwise_not`, in place."""

    def bitwise_or(self, other: Tensor | float) -> Tensor:
        """The bits that either has, broadcast; of bools the logical *or*. Errors: :func:`bitwise_and`."""

    def __or__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def bitwise_or_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.bitwise_or`, in place."""

    def __ior__(self, other: Any) -> Tensor: ...
    def bitwise_right_shift(self, other: Tensor | float) -> Tensor:
        """``input / 2 ** other`` of integers, rounded down, broadcast. Errors: :func:`bitwise_left_shift`."""

    def __rshift__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def bitwise_right_shift_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.bitwise_right_shift`, in place."""

    def __irshift__(self, other: Any) -> Tensor: ...
    def bitwise_xor(self, other: Tensor | float) -> Tensor:
        """The bits that one of both has, broadcast; of bools the logical *xor*. Errors: :func:`bitwise_and`."""

    def __xor__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def bitwise_xor_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.bitwise_xor`, in place."""

    def __ixor__(self, other: Any) -> Tensor: ...
    def bmm(self, mat2: Tensor) -> Tensor:
        """``[B, M, K] @ [B, K, N]`` without broadcasting.

        Raises:
            ShapeError: an operand is not 3-dimensional, or the batches differ."""

    def broadcast_to(self, size: Shape) -> Tensor:
        """``input`` repeated along dimensions of size 1 (and new ones in front) to ``size``.

        Raises:
            ShapeError: a size is neither equal nor 1."""

    def cauchy_(self, median: float = 0, sigma: float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers from a Cauchy distribution.

        Raises:
            ArgumentError: ``sigma`` is not positive."""

    def ceil(self) -> Tensor:
        """Round up; integers stay as they are."""

    def ceil_(self) -> Tensor:
        """:func:`tabgrad.ops.ceil`, in place."""

    def celu_(self, alpha: float = 1.0, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.celu`, in place."""

    def cholesky(self, upper: bool = False) -> Tensor:
        """The lower triangle L with ``L Lᵀ = input``, or its transpose if ``upper``; computed on the host.

        Raises:
            SingularError: a matrix is not positive definite."""

    def cholesky_inverse(self, upper: bool = False) -> Tensor:
        """The inverse of ``A``, given its Cholesky factor; computed on the host."""

    def cholesky_solve(self, L: Tensor, upper: bool = False) -> Tensor:
        """``X`` with ``A X = input``, given Cholesky's factor of ``A``; computed on the host."""

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """At most ``chunks`` consecutive pieces of equal size, the last possibly smaller.

        Returns:
            Views, in order.

        Raises:
            IndexRangeError: ``dim`` does not exist.
            ShapeError: the number of pieces is below 1."""

    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """``input`` limited to [min, max]; the gradient passes inside the limits, limits included.

        Args:
            min, max: numbers, tensors that broadcast, or None for no limit on that side.

        Raises:
            DTypeError: neither limit is given, float32 cannot hold one, or the tensor is bool."""

    def clamp_(self, min: Any = None, max: Any = None) -> Tensor:
        """:func:`tabgrad.ops.clamp`, in place."""

    def clamp_max(self, max: Any) -> Tensor:
        """``input``, or ``max`` where that is less: a number or a tensor."""

    def clamp_max_(self, max: Any) -> Tensor:
        """:func:`tabgrad.ops.clamp_max`, in place."""

    def clamp_min(self, min: Any) -> Tensor:
        """``input``, or ``min`` where that is larger: a number or a tensor."""

    def clamp_min_(self, min: Any) -> Tensor:
        """:func:`tabgrad.ops.clamp_min`, in place."""

    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """``input`` limited to [min, max]; the gradient passes inside the limits, limits included.

        Args:
            min, max: numbers, tensors that broadcast, or None for no limit on that side.

        Raises:
            DTypeError: neither limit is given, float32 cannot hold one, or the tensor is bool."""

    def clip_(self, min: Any = None, max: Any = None) -> Tensor:
        """:func:`tabgrad.ops.clamp`, in place."""

    def clone(self, *, memory_format: Any = None) -> Tensor:
        """The same values, in memory of their own.

        Shape and dtype of ``input``; gradients pass. ``memory_format`` changes no value."""

    def contiguous(self, memory_format: Any = None) -> Tensor:
        """The tensor itself, or a copy where its elements do not follow each other in row-major order."""

    def copy_(self, other: Any, non_blocking: bool = False) -> Tensor:
        """Overwrite the value with ``other``, broadcast to this shape and cast to this dtype.

        Args:
            non_blocking: changes nothing, as nothing waits.

        Raises:
            GradError: the tensor is a leaf that requires grad, or a view of one; change it under ``no_grad()``.
            RuntimeError: the tensor is expanded, so that several of its elements are one in memory."""

    def copysign(self, other: Tensor | float) -> Tensor:
        """The size of ``input`` with the sign of ``other``, broadcast; a float.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def copysign_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.copysign`, in place."""

    def corrcoef(self) -> Tensor:
        """Pearson's correlations of the variables, which are the rows of ``input`` ``[variables, observations]``."""

    def cos(self) -> Tensor:
        """Cosine of radians."""

    def cos_(self) -> Tensor:
        """:func:`tabgrad.ops.cos`, in place."""

    def cosh(self) -> Tensor:
        """Hyperbolic cosine."""

    def cosh_(self) -> Tensor:
        """:func:`tabgrad.ops.cosh`, in place."""

    def count_nonzero(self, dim: Dims = None) -> Tensor:
        """How many elements along ``dim`` (of all by default) are not 0; int32."""

    def cov(self, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """Covariances of the variables, which are the rows of ``input`` ``[variables, observations]``.

        Args:
            correction: subtracted from the number of observations.
            fweights: integers ``[observations]``, how often each was made.
            aweights: floats ``[observations]``, how much each counts.

        Raises:
            ShapeError: the weights are not one for each observation."""

    def cpu(self, memory_format: Any = None) -> Tensor:
        """``x`` itself: it lies on the session's device; :meth:`numpy` copies its value to the host."""

    def cross(self, other: Tensor, dim: int | None = None) -> Tensor:
        """The cross product of vectors of three along ``dim``, the first dimension of size 3 by default.

        Raises:
            ShapeError: there is no such dimension."""

    def cuda(self, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
        """``x`` itself: it lies on the session's device."""

    def cummax(self, dim: int) -> ValuesAndIndices:
        """The largest element up to each, along ``dim``, and the newest place of it: (values, indices).

        Shapes: both as ``input``; the indices are int32.

        Raises:
            ShapeError: the dimension does not exist."""

    def cummin(self, dim: int) -> ValuesAndIndices:
        """The smallest element up to each, along ``dim``, and the newest place of it: (values, indices).

        Shapes: both as ``input``; the indices are int32.

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

    def data_ptr(self) -> Any:
        """Refused: a tensor has no address.

        Raises:
            NotImplementedError: always."""

    def deg2rad(self) -> Tensor:
        """Degrees as radians."""

    def deg2rad_(self) -> Tensor:
        """:func:`tabgrad.ops.deg2rad`, in place."""

    def det(self) -> Tensor:
        """Determinants of square matrices ``[..., N, N]``, on the host; with a gradient also where one is 0."""

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

    def diff(self, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """Differences of neighbours along ``dim``, ``n`` times; of bools whether they differ.

        Args:
            prepend, append: put before and after the elements first.

        Raises:
            ShapeError: the tensor has no dimension."""

    def digamma(self) -> Tensor:
        """The derivative of :func:`lgamma`; NaN at negative integers, and an infinity at 0."""

    def digamma_(self) -> Tensor:
        """:func:`tabgrad.ops.digamma`, in place."""

    def dist(self, other: Tensor, p: float = 2) -> Tensor:
        """The norm of order ``p`` of ``input - other``, broadcast."""

    def div(self, other: Tensor | float, *, rounding_mode: str | None = None) -> Tensor:
        """``input / other``, broadcast; integers are divided as float32, unless the quotient is rounded.

        Args:
            rounding_mode: None; ``"trunc"``, toward 0; or ``"floor"``, down, as :func:`floor_divide`.

        Raises:
            ArgumentError: there is no such rounding mode.
            ShapeError: the shapes do not broadcast."""

    def __truediv__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def div_(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """``input /= other``, in place."""

    def __itruediv__(self, other: Any) -> Tensor: ...
    def divide(self, other: Tensor | float, *, rounding_mode: str | None = None) -> Tensor:
        """``input / other``, broadcast; integers are divided as float32, unless the quotient is rounded.

        Args:
            rounding_mode: None; ``"trunc"``, toward 0; or ``"floor"``, down, as :func:`floor_divide`.

        Raises:
            ArgumentError: there is no such rounding mode.
            ShapeError: the shapes do not broadcast."""

    def divide_(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """``input /= other``, in place."""

    def dot(self, tensor: Tensor) -> Tensor:
        """The sum of products of two vectors of one size, as :func:`matmul`."""

    def dropout_(
        self, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None
    ) -> Tensor:
        """:func:`tabgrad.ops.dropout`, in place."""

    def dsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """As :func:`hsplit`, along dimension 2."""

    def elu_(self, alpha: float = 1.0, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.elu`, in place."""

    def eq(self, other: Tensor | float) -> Tensor:
        """``input == other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def eq_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.eq`, in place."""

    def equal(self, other: Tensor) -> Any:
        """Whether shapes and elements are equal: a bool of Python's, so it waits for the device."""

    def erf(self) -> Tensor:
        """Gauss error function."""

    def erf_(self) -> Tensor:
        """:func:`tabgrad.ops.erf`, in place."""

    def erfc(self) -> Tensor:
        """``1 - erf(x)``, exact where that is small, too."""

    def erfc_(self) -> Tensor:
        """:func:`tabgrad.ops.erfc`, in place."""

    def erfinv(self) -> Tensor:
        """The inverse of :func:`erf`; infinite at -1 and 1, NaN beyond."""

    def erfinv_(self) -> Tensor:
        """:func:`tabgrad.ops.erfinv`, in place."""

    def exp(self) -> Tensor:
        """``e ** x``."""

    def exp2(self) -> Tensor:
        """``2 ** x``."""

    def exp2_(self) -> Tensor:
        """:func:`tabgrad.ops.exp2`, in place."""

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

    def exponential_(self, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers from an exponential distribution of mean ``1 / lambd``.

        Raises:
            ArgumentError: ``lambd`` is not positive."""

    def feature_alpha_dropout_(
        self, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: Generator | None = None
    ) -> Tensor:
        """:func:`tabgrad.ops.feature_alpha_dropout`, in place."""

    def feature_dropout_(self, p: float, train: bool, *, generator: Generator | None = None) -> Tensor:
        """:func:`tabgrad.ops.feature_dropout`, in place."""

    def fill_(self, value: Any) -> Tensor:
        """Set every element to ``value``, a number or a 0-d tensor, in place."""

    def fill_diagonal_(self, fill_value: float, wrap: bool = False) -> Tensor:
        """Set the elements whose indices along all dimensions are equal.

        Args:
            wrap: of a matrix with more rows than columns: begin again below the diagonal, after one row that stays.

        Raises:
            ShapeError: there are fewer than two dimensions, or more than two that differ."""

    def fix(self) -> Tensor:
        """Round toward 0; integers stay as they are."""

    def fix_(self) -> Tensor:
        """:func:`tabgrad.ops.trunc`, in place."""

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

    def float_power(self, exponent: Tensor | float) -> Tensor:
        """``input ** exponent`` in float64, which the reference device alone computes.

        Raises:
            DTypeError: a GPU computes; ``pow(input.float(), exponent)`` is in float32."""

    def float_power_(self, exponent: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.float_power`, in place."""

    def floor(self) -> Tensor:
        """Round down; integers stay as they are."""

    def floor_(self) -> Tensor:
        """:func:`tabgrad.ops.floor`, in place."""

    def floor_divide(self, other: Tensor | float) -> Tensor:
        """``floor(input / other)``, broadcast; no gradient.

        Raises:
            ZeroDivisionError: an integer is divided by the number 0. Zeros in an integer tensor cannot raise."""

    def __floordiv__(self, other: Any) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def floor_divide_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.floor_divide`, in place."""

    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def fmax(self, other: Tensor) -> Tensor:
        """The larger of two, broadcast; the other one where one is NaN.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of two, broadcast; the other one where one is NaN. Errors: :func:`fmax`."""

    def fmod(self, other: Tensor | float) -> Tensor:
        """What is left of ``input`` after whole multiples of ``other``, exact, signed as ``input``, broadcast.

        Raises:
            ShapeError: the shapes do not broadcast.
            ZeroDivisionError: an integer is divided by the number 0. Zeros in an integer tensor cannot raise."""

    def fmod_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.fmod`, in place."""

    def frac(self) -> Tensor:
        """What lies behind the point, with the sign of ``input``.

        Raises:
            DTypeError: the tensor is not floating point."""

    def frac_(self) -> Tensor:
        """:func:`tabgrad.ops.frac`, in place."""

    def frexp(self) -> Any:
        """The pair (mantissa, exponent) with ``input = mantissa * 2 ** exponent`` and the mantissa in [1/2, 1).

        Raises:
            DTypeError: the tensor is not floating point."""

    def gather(self, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
        """``out[i][j] = input[index[i][j]][j]`` for ``dim=0``.

        Args:
            sparse_grad: the gradient is dense, which is the same to what follows.

        Raises:
            DTypeError: the index has no integers.
            IndexRangeError: the dimension does not exist, or an index on the host is out of range.
            ShapeError: another dimension of ``index`` is larger than that of ``input``."""

    def gcd(self, other: Tensor) -> Tensor:
        """The greatest common divisor of integers, broadcast.

        Raises:
            DTypeError: an operand is floating point or bool.
            ShapeError: the shapes do not broadcast."""

    def gcd_(self, other: Tensor) -> Tensor:
        """:func:`tabgrad.ops.gcd`, in place."""

    def ge(self, other: Tensor | float) -> Tensor:
        """``input >= other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __ge__(self, other: Any) -> Tensor: ...
    def ge_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.ge`, in place."""

    def geometric_(self, p: float, *, generator: Generator | None = None) -> Tensor:
        """Fill with how many trials of probability ``p`` there are up to the first success.

        Raises:
            ArgumentError: ``p`` is not between 0 and 1."""

    def ger(self, vec2: Tensor) -> Tensor:
        """Each element of a vector times each of another one: ``[N]``, ``[M]`` to ``[N, M]``.

        Raises:
            ShapeError: one of them is no vector."""

    def get_device(self) -> Any:
        """The index of its device: 0, or -1 where NumPy computes."""

    def __getitem__(self, index: Any) -> Tensor: ...
    def greater(self, other: Tensor | float) -> Tensor:
        """``input > other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def greater_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.gt`, in place."""

    def greater_equal(self, other: Tensor | float) -> Tensor:
        """``input >= other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def greater_equal_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.ge`, in place."""

    def gt(self, other: Tensor | float) -> Tensor:
        """``input > other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __gt__(self, other: Any) -> Tensor: ...
    def gt_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.gt`, in place."""

    def hardsigmoid_(self, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.hardsigmoid`, in place."""

    def hardswish_(self, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.hardswish`, in place."""

    def hardtanh_(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.hardtanh`, in place."""

    def heaviside(self, values: Tensor) -> Tensor:
        """0 below 0, 1 above, and ``values`` at 0; broadcast, no gradient.

        Raises:
            DTypeError: the dtypes differ."""

    def heaviside_(self, values: Tensor) -> Tensor:
        """:func:`tabgrad.ops.heaviside`, in place."""

    def histc(self, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
        """How many elements lie in each of ``bins`` equal intervals from ``min`` to ``max``; others are not counted.

        Args:
            min, max: if both are 0, the smallest and the largest element."""

    def histogram(
        self, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
    ) -> Histogram:
        """How many elements, or which sum of their weights, lie in each interval: (hist, bin_edges).

        Args:
            bins: how many equal intervals, or their edges ``[bins + 1]``.
            range: (smallest, largest) edge; those of the elements by default.
            density: divided by the sum and by each interval's width."""

    def hsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along dimension 1, of vectors along 0: equal ones, or those that begin at indices.

        Raises:
            ShapeError: the tensor has too few dimensions, or cannot be split into equal pieces."""

    def hypot(self, other: Tensor) -> Tensor:
        """``sqrt(input ** 2 + other ** 2)``."""

    def hypot_(self, other: Tensor) -> Tensor:
        """:func:`tabgrad.ops.hypot`, in place."""

    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind of order 0."""

    def i0_(self) -> Tensor:
        """:func:`tabgrad.ops.i0`, in place."""

    def igamma(self, other: Tensor) -> Tensor:
        """The regularised lower incomplete gamma function of shape ``input``, up to some 100, at ``other``.

        Raises:
            NotImplementedError: a gradient by ``input`` is wanted."""

    def igamma_(self, other: Tensor) -> Tensor:
        """:func:`tabgrad.ops.igamma`, in place."""

    def igammac(self, other: Tensor) -> Tensor:
        """The regularised upper incomplete gamma function. As :func:`igamma`."""

    def igammac_(self, other: Tensor) -> Tensor:
        """:func:`tabgrad.ops.igammac`, in place."""

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

    def inner(self, other: Tensor) -> Tensor:
        """Sums of products along the last dimensions; of a scalar the product.

        Raises:
            ShapeError: the last sizes differ."""

    def inverse(self) -> Tensor:
        """As ``linalg.inv``."""

    def is_complex(self) -> Any:
        """Whether the dtype is complex; False."""

    def is_floating_point(self) -> Any:
        """Whether the dtype is floating point."""

    def is_nonzero(self) -> Any:
        """Whether the only element is not 0; waits for the device.

        Raises:
            ShapeError: there are other numbers of elements."""

    def is_signed(self) -> Any:
        """Whether the dtype has negative numbers."""

    def isclose(self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
        """Whether ``|input - other| <= atol + rtol * |other|``, broadcast; bool.

        Raises:
            ArgumentError: a tolerance is negative.
            DTypeError: the dtypes differ."""

    def isfinite(self) -> Tensor:
        """Whether each element is neither infinite nor NaN; bool."""

    def isinf(self) -> Tensor:
        """Whether each element is infinite; bool."""

    def isnan(self) -> Tensor:
        """Whether each element is not a number; bool."""

    def isneginf(self) -> Tensor:
        """Whether each element is negative infinity; bool."""

    def isposinf(self) -> Tensor:
        """Whether each element is positive infinity; bool."""

    def isreal(self) -> Tensor:
        """True everywhere, as there are no complex numbers."""

    def kron(self, other: Tensor) -> Tensor:
        """Kronecker's product: each element of ``input`` times all of ``other``."""

    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False) -> ValuesAndIndices:
        """The ``k``-th smallest element along ``dim``, counted from 1, and where it was: (values, indices).

        Raises:
            ShapeError: there are fewer than ``k``."""

    def lcm(self, other: Tensor) -> Tensor:
        """The least common multiple of integers, broadcast. Errors: :func:`gcd`."""

    def lcm_(self, other: Tensor) -> Tensor:
        """:func:`tabgrad.ops.lcm`, in place."""

    def ldexp(self, other: Tensor) -> Tensor:
        """``input * 2 ** other``, broadcast; a float."""

    def ldexp_(self, other: Tensor) -> Tensor:
        """:func:`tabgrad.ops.ldexp`, in place."""

    def le(self, other: Tensor | float) -> Tensor:
        """``input <= other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __le__(self, other: Any) -> Tensor: ...
    def le_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.le`, in place."""

    def leaky_relu_(self, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.leaky_relu`, in place."""

    def lerp(self, end: Tensor, weight: Any) -> Tensor:
        """``input + weight * (end - input)``, broadcast.

        Args:
            weight: a number or a tensor.

        Raises:
            DTypeError: the dtypes differ, or are not floating point.
            ShapeError: the shapes do not broadcast."""

    def lerp_(self, end: Tensor, weight: Any) -> Tensor:
        """:func:`tabgrad.ops.lerp`, in place."""

    def less(self, other: Tensor | float) -> Tensor:
        """``input < other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def less_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.lt`, in place."""

    def less_equal(self, other: Tensor | float) -> Tensor:
        """``input <= other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def less_equal_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.le`, in place."""

    def lgamma(self) -> Tensor:
        """The logarithm of the size of the gamma function."""

    def lgamma_(self) -> Tensor:
        """:func:`tabgrad.ops.lgamma`, in place."""

    def log(self) -> Tensor:
        """Natural logarithm."""

    def log10(self) -> Tensor:
        """Logarithm of base 10."""

    def log10_(self) -> Tensor:
        """:func:`tabgrad.ops.log10`, in place."""

    def log1p(self) -> Tensor:
        """``log(1 + x)``."""

    def log1p_(self) -> Tensor:
        """:func:`tabgrad.ops.log1p`, in place."""

    def log2(self) -> Tensor:
        """Logarithm of base 2."""

    def log2_(self) -> Tensor:
        """:func:`tabgrad.ops.log2`, in place."""

    def log_(self) -> Tensor:
        """:func:`tabgrad.ops.log`, in place."""

    def log_normal_(self, mean: float = 1, std: float = 2, *, generator: Generator | None = None) -> Tensor:
        """Fill with exponentials of numbers from a normal distribution.

        Raises:
            ArgumentError: ``std`` is not positive."""

    def log_softmax(self, dim: int | None = None, _stacklevel: Any = 3, dtype: DType | None = None) -> Tensor:
        """``x - log(sum(exp(x)))`` along ``dim``. Arguments and errors are those of :func:`softmax`."""

    def logaddexp(self, other: Tensor) -> Tensor:
        """``log(exp(input) + exp(other))``, broadcast, without overflow.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def logaddexp2(self, other: Tensor) -> Tensor:
        """``log2(2 ** input + 2 ** other)``, broadcast, without overflow. Errors: :func:`logaddexp`."""

    def logcumsumexp(self, dim: int) -> Tensor:
        """``log(cumsum(exp(x)))`` along ``dim``, without overflow.

        Raises:
            DTypeError: the tensor has no floating-point numbers."""

    def logdet(self) -> Tensor:
        """Logarithm of determinants; NaN of negative ones."""

    def logical_and(self, other: Any) -> Tensor:
        """Both nonzero; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def logical_and_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.logical_and`, in place."""

    def logical_not(self) -> Tensor:
        """Zero; bool.

        Shape of ``input``."""

    def logical_not_(self) -> Tensor:
        """:func:`tabgrad.ops.logical_not`, in place."""

    def logical_or(self, other: Any) -> Tensor:
        """Either nonzero; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def logical_or_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.logical_or`, in place."""

    def logical_xor(self, other: Any) -> Tensor:
        """Exactly one nonzero; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def logical_xor_(self, other: Any) -> Tensor:
        """:func:`tabgrad.ops.logical_xor`, in place."""

    def logit(self, eps: float | None = None) -> Tensor:
        """``log(x / (1 - x))``, of ``x`` limited to [eps, 1 - eps] if ``eps`` is given; NaN outside of [0, 1]."""

    def logit_(self, eps: float | None = None) -> Tensor:
        """:func:`tabgrad.ops.logit`, in place."""

    def logsumexp(self, dim: Dims, keepdim: bool = False) -> Tensor:
        """``log(sum(exp(x)))`` in one pass that does not overflow.

        Arguments and errors are those of :func:`sum`; integers become float32."""

    def lt(self, other: Tensor | float) -> Tensor:
        """``input < other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __lt__(self, other: Any) -> Tensor: ...
    def lt_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.lt`, in place."""

    def lu(self, pivot: bool = True, get_infos: bool = False) -> Any:
        """As ``linalg.lu_factor``; with ``get_infos`` also, as a third tensor, where the first 0 on U's diagonal is."""

    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """``X`` with ``A X = input``, given what ``linalg.lu_factor(A)`` returns; computed on the host."""

    def map_(self, tensor: Tensor, callable: Any) -> Tensor:
        """Refused: a function of Python's cannot run on a device.

        Raises:
            NotImplementedError: always."""

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

        Integers are summed as int32, one thread for each element of the result.

        Raises:
            ShapeError: the inner sizes differ, or an operand is a scalar.
            DTypeError: the operands are of two dtypes, or bool."""

    def __matmul__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Tensor: ...
    def matrix_exp(self) -> Tensor:
        """As ``linalg.matrix_exp``."""

    def matrix_power(self, n: int) -> Tensor:
        """Products of ``n`` square matrices; of a negative number those of the inverse, which the host computes."""

    def max(self, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
        """Largest element; with ``dim`` the pair (values, indices); of two tensors :func:`maximum`.

        Args:
            dim: a dimension, None for the whole tensor, or the other tensor.

        Raises:
            ShapeError: the dimension does not exist, or has no elements."""

    def maximum(self, other: Any) -> Tensor:
        """The larger of two; NaN if either is.

        Equal elements share the gradient.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def mean(self, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
        """Mean over ``dim`` (all by default) of a float tensor.

        Arguments and errors are those of :func:`sum`.

        Raises:
            DTypeError: the tensor has no floating-point numbers."""

    def median(self, dim: int | None = None, keepdim: bool = False) -> Any:
        """The element in the middle, the lower one of two; with ``dim`` the pair (values, indices). NaN if any is."""

    def min(self, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
        """Smallest element; with ``dim`` the pair (values, indices); of two tensors :func:`minimum`.

        As :func:`max`."""

    def minimum(self, other: Any) -> Tensor:
        """The smaller of two; NaN if either is.

        Equal elements share the gradient.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def mish_(self, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.mish`, in place."""

    def mm(self, mat2: Tensor) -> Tensor:
        """``[M, K] @ [K, N]``, as :func:`matmul`, and of matrices alone."""

    def mode(self, dim: int = -1, keepdim: bool = False) -> ValuesAndIndices:
        """The most frequent element along ``dim``, the smallest of several, and its last place: (values, indices)."""

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

    def mul(self, other: Tensor | float) -> Tensor:
        """``input * other``, broadcast; bool operands are combined with *and*.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __mul__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def mul_(self, other: Any) -> Tensor:
        """``input *= other``, in place."""

    def __imul__(self, other: Any) -> Tensor: ...
    def multinomial(self, num_samples: int, replacement: bool = False, *, generator: Generator | None = None) -> Tensor:
        """Places of ``num_samples`` random elements of each row, as likely as the row's numbers say; int32.

        With replacement, uniform numbers are looked up among the running sums. Without, the elements with the largest
        ``p / e``, e drawn from an exponential distribution, are taken (Efraimidis & Spirakis 2006). It runs on the
        device: negative weights, and rows with fewer nonzero weights than samples, cannot raise there.

        Args:
            input: weights ``[N]`` or ``[rows, N]``, not negative; they need not sum to 1.

        Returns:
            ``[num_samples]`` or ``[rows, num_samples]``.

        Raises:
            DTypeError: the weights are no floats.
            ShapeError: without replacement there are fewer than ``num_samples`` elements."""

    def multiply(self, other: Tensor | float) -> Tensor:
        """``input * other``, broadcast; bool operands are combined with *and*.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def multiply_(self, other: Any) -> Tensor:
        """``input *= other``, in place."""

    def mv(self, vec: Tensor) -> Tensor:
        """``[M, K] @ [K]``, as :func:`matmul`, and of a matrix and a vector alone."""

    def mvlgamma(self, p: int) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension ``p``.

        Raises:
            ArgumentError: ``p`` is less than 1."""

    def mvlgamma_(self, p: int) -> Tensor:
        """:func:`tabgrad.ops.mvlgamma`, in place."""

    def nan_to_num(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
        """``input`` with numbers in place of NaN and infinities: by default 0 and the dtype's largest and lowest."""

    def nan_to_num_(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
        """:func:`tabgrad.ops.nan_to_num`, in place."""

    def nanmean(self, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
        """Mean of the elements that are not NaN; NaN where none is."""

    def nanmedian(self, dim: int | None = None, keepdim: bool = False) -> Any:
        """As ``median``, of the elements that are not NaN; NaN where all are."""

    def nanquantile(
        self, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
    ) -> Tensor:
        """As :func:`quantile`, of the elements that are not NaN; NaN where all are."""

    def nansum(self, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
        """As ``sum``, where NaN counts as 0."""

    def narrow(self, dim: int, start: Any, length: int) -> Tensor:
        """``length`` elements from ``start``, which may count from the end, along ``dim``.

        A view: writing to one is seen through the other.

        Raises:
            IndexRangeError: the dimension does not exist, or ``start`` lies outside.
            ShapeError: the range does not lie inside the dimension."""

    def narrow_copy(self, dim: int, start: Any, length: int) -> Tensor:
        """A copy of what ``narrow`` shows."""

    def ndimension(self) -> Any:
        """Number of dimensions."""

    def ne(self, other: Tensor | float) -> Tensor:
        """``input != other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def ne_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.ne`, in place."""

    def neg(self) -> Tensor:
        """``-input``.

        Raises:
            DTypeError: the tensor is bool; use ``logical_not``."""

    def __neg__(self) -> Tensor: ...
    def neg_(self) -> Tensor:
        """:func:`tabgrad.ops.neg`, in place."""

    def negative(self) -> Tensor:
        """``-input``.

        Raises:
            DTypeError: the tensor is bool; use ``logical_not``."""

    def negative_(self) -> Tensor:
        """:func:`tabgrad.ops.neg`, in place."""

    def nelement(self) -> Any:
        """Number of elements."""

    def new(self, *data: Any) -> Tensor:
        """Of sizes, filled with 0, or of a sequence of values; in the dtype of ``input``."""

    def new_empty(
        self, *sizes: Any, size: Any = None, dtype: DType | None = None, requires_grad: bool = False
    ) -> Tensor:
        """As :func:`new_zeros`: there is no uninitialised memory here."""

    def new_empty_strided(
        self, size: Any, stride: Any, *, dtype: DType | None = None, requires_grad: bool = False
    ) -> Tensor:
        """As :func:`empty_strided`, in the dtype of ``input``."""

    def new_full(
        self, size: Any, fill_value: Any, *, dtype: DType | None = None, requires_grad: bool = False
    ) -> Tensor:
        """``size`` filled with ``fill_value``, in the dtype of ``input``."""

    def new_ones(
        self, *sizes: Any, size: Any = None, dtype: DType | None = None, requires_grad: bool = False
    ) -> Tensor:
        """Filled with 1, in the dtype of ``input``."""

    def new_tensor(self, data: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
        """A tensor with a copy of ``data``, in the dtype of ``input``."""

    def new_zeros(
        self, *sizes: Any, size: Any = None, dtype: DType | None = None, requires_grad: bool = False
    ) -> Tensor:
        """Filled with 0, in the dtype of ``input``."""

    def nextafter(self, other: Tensor) -> Tensor:
        """The float next to ``input`` in the direction of ``other``, broadcast. The gradient is 1 where it moves.

        Raises:
            DTypeError: they are neither float32 nor float64."""

    def nextafter_(self, other: Tensor) -> Tensor:
        """:func:`tabgrad.ops.nextafter`, in place."""

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

    def norm(self, p: Any = "fro", dim: Dims = None, keepdim: bool = False, dtype: DType | None = None) -> Tensor:
        """``sum(|x| ** p) ** (1 / p)`` over ``dim`` (all by default), also where that is a pair.

        Args:
            p: any number, infinite ones too; ``fro`` for 2; ``nuc`` for the sum of a matrix's singular values, which
                the host computes.
            dtype: what elements are converted to first.

        Raises:
            DTypeError: the tensor has no floating-point numbers.
            ShapeError: a dimension does not exist."""

    def normal_(self, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with random numbers from a normal distribution."""

    def not_equal(self, other: Tensor | float) -> Tensor:
        """``input != other``, broadcast; bool.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def not_equal_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.ne`, in place."""

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The value as a NumPy array; waits for the device.

        Args:
            force: as ``input.detach().numpy()``.

        Raises:
            GradError: the tensor requires grad; use ``.detach().numpy()``.
            DTypeError: NumPy has no bfloat16; use ``.float().numpy()``.
            DeviceError: this platform cannot wait; use ``await tensor.read()``."""

    def outer(self, vec2: Tensor) -> Tensor:
        """Each element of a vector times each of another one: ``[N]``, ``[M]`` to ``[N, M]``.

        Raises:
            ShapeError: one of them is no vector."""

    def permute(self, *order: Any, dims: Any = None) -> Tensor:
        """Dimensions in another order.

        A view.

        Raises:
            ShapeError: a dimension is missing, named twice, or does not exist."""

    def pin_memory(self, device: Any = None) -> Tensor:
        """``x`` itself: there is no pinned memory here."""

    def pinverse(self, rcond: float = 1e-15) -> Tensor:
        """As ``linalg.pinv``."""

    def polygamma_(self, n: int) -> Tensor:
        """The ``n``-th derivative of :func:`digamma`, in place. Errors: :func:`polygamma`."""

    def polygamma(self, n: int) -> Tensor:
        """The ``n``-th derivative of :func:`digamma`. Errors: :func:`polygamma`."""

    def positive(self) -> Tensor:
        """``input`` itself.

        Raises:
            DTypeError: the tensor is bool."""

    def __pos__(self) -> Tensor: ...
    def pow(self, exponent: Tensor | float) -> Tensor:
        """``input ** exponent``; small integer exponents become products.

        Raises:
            ArgumentError: an integer tensor, and a number below 0 as exponent.
            DTypeError: bools alone."""

    def __pow__(self, exponent: Any) -> Tensor: ...
    def __rpow__(self, exponent: Any) -> Tensor: ...
    def pow_(self, exponent: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.pow`, in place."""

    def __ipow__(self, exponent: Any) -> Tensor: ...
    def prelu(self, weight: Tensor) -> Tensor:
        """``x`` where positive, else ``weight * x``.

        Args:
            weight: one number, or ``[C]`` for the second dimension.

        Raises:
            ShapeError: another number of weights. Source: https://arxiv.org/abs/1502.01852"""

    def prod(self, dim: int | None = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
        """Product over ``dim`` (all by default). Arguments and errors: :func:`sum`; one dimension at most."""

    def put(self, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """A copy with ``source`` at the elements with these numbers in row-major order, or added to them.

        Of several values for one element the last one counts.

        Raises:
            DTypeError: the dtypes differ, or the index has no integers.
            ShapeError: there are not as many values as indices."""

    def put_(self, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """:func:`tabgrad.ops.put`, in place."""

    def qr(self, some: bool = True) -> QR:
        """Orthonormal columns and an upper triangle whose product is the matrix: (Q, R); computed on the host."""

    def quantile(
        self, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
    ) -> Tensor:
        """The elements below which fractions ``q`` of those along ``dim`` (of all by default) lie; NaN if any is.

        Args:
            q: a number in [0, 1], or a float32 tensor ``[k]`` of such: the result has a first dimension k then.
            interpolation: between neighbours: ``linear``, ``lower``, ``higher``, ``midpoint`` or ``nearest``.

        Raises:
            DTypeError: the tensor is not float32.
            ShapeError: there is no element."""

    def rad2deg(self) -> Tensor:
        """Radians as degrees."""

    def rad2deg_(self) -> Tensor:
        """:func:`tabgrad.ops.rad2deg`, in place."""

    def random_(self, *limits: Any, generator: Generator | None = None, **named: Any) -> Tensor:
        """Fill with integers: ``random_()`` up to the dtype's largest, ``random_(to)``, or ``random_(from, to)``.

        Raises:
            ShapeError: the range is empty, or beyond 32 bits."""

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

    def register_hook(self, hook: Any) -> Any:
        """Call ``hook(grad)`` whenever the gradient of this tensor is computed; it may return another gradient.

        Of several hooks each is given what the one before returned. In a plain loop they are called in each round; a
        step of ``tabgrad.compile`` records the tensor code in them, and refuses what looks at values.

        Raises:
            GradError: the tensor requires no gradient.
            TypeError: the hook cannot be called."""

    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call ``hook(tensor)`` after each backward pass has set or changed ``tensor.grad``, of a leaf.

        Raises:
            GradError: the tensor requires no gradient, or is the result of an op.
            TypeError: the hook cannot be called."""

    def relu(self, inplace: bool = False) -> Tensor:
        """``max(x, 0)``; the gradient reads the output, so the input need not be kept."""

    def relu_(self, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.relu`, in place."""

    def remainder(self, other: Tensor | float) -> Tensor:
        """``input - other * floor(input / other)``, exact, signed as ``other``. Errors: :func:`floor_divide`."""

    def __mod__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def remainder_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.remainder`, in place."""

    def __imod__(self, other: Any) -> Tensor: ...
    def renorm(self, p: float, dim: int, maxnorm: float) -> Tensor:
        """Scale each slice along ``dim`` whose norm of order ``p`` is larger than ``maxnorm`` down to it."""

    def renorm_(self, p: float, dim: int, maxnorm: float) -> Tensor:
        """:func:`tabgrad.ops.renorm`, in place."""

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

    def round(self, *, decimals: int = 0) -> Tensor:
        """Round half to even; integers stay as they are.

        Args:
            decimals: how many of a float's digits after the point are kept; of a negative number, zeros before it.

        Raises:
            DTypeError: the tensor is bool, or of integers, and ``decimals`` is not 0."""

    def round_(self, *, decimals: int = 0) -> Tensor:
        """:func:`tabgrad.ops.round`, in place."""

    def rrelu_(
        self,
        lower: float = 0.125,
        upper: float = 0.3333333333333333,
        training: bool = False,
        inplace: bool = False,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """:func:`tabgrad.ops.rrelu`, in place."""

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

    def selu_(self, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.selu`, in place."""

    def set_(self, source: Tensor) -> Tensor:
        """Show the memory of ``source`` from now on; what ``input.data = source`` does.

        A parameter that an optimizer holds keeps its memory, and takes the values.

        Raises:
            DTypeError: the dtypes differ, unless both are floating-point and no optimizer holds the parameter.
            ShapeError: an optimizer holds the parameter, and the shapes differ.
            NotImplementedError: a step is being recorded."""

    def __setitem__(self, index: Any, value: Any) -> Tensor: ...
    def sgn(self) -> Tensor:
        """:func:`sign`, as there are no complex numbers."""

    def sgn_(self) -> Tensor:
        """:func:`tabgrad.ops.sgn`, in place."""

    def sigmoid(self) -> Tensor:
        """``1 / (1 + exp(-x))``."""

    def sigmoid_(self) -> Tensor:
        """:func:`tabgrad.ops.sigmoid`, in place."""

    def sign(self) -> Tensor:
        """-1, 0 or 1; 0 of NaN. A bool tensor is its own."""

    def sign_(self) -> Tensor:
        """:func:`tabgrad.ops.sign`, in place."""

    def signbit(self) -> Tensor:
        """Whether the sign is set, also of zeros; bool."""

    def silu_(self, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.silu`, in place."""

    def sin(self) -> Tensor:
        """Sine of radians."""

    def sin_(self) -> Tensor:
        """:func:`tabgrad.ops.sin`, in place."""

    def sinc(self) -> Tensor:
        """``sin(pi x) / (pi x)``, and 1 at 0."""

    def sinc_(self) -> Tensor:
        """:func:`tabgrad.ops.sinc`, in place."""

    def sinh(self) -> Tensor:
        """Hyperbolic sine."""

    def sinh_(self) -> Tensor:
        """:func:`tabgrad.ops.sinh`, in place."""

    def slice_scatter(
        self, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
    ) -> Tensor:
        """A copy with ``src`` in place of the slice ``start:end:step`` along ``dim``.

        Raises:
            IndexRangeError: the dimension does not exist.
            ShapeError: ``src`` is not of the slice's shape, or ``step`` is below 1."""

    def slogdet(self) -> SignAndLogarithm:
        """Sign of determinants, and logarithm of their absolute values: (sign, logabsdet); computed on the host."""

    def softmax(self, dim: int | None = None, _stacklevel: Any = 3, dtype: DType | None = None) -> Tensor:
        """``exp(x) / sum(exp(x))`` along ``dim``; NaN where an element is infinite and positive, as in PyTorch.

        Args:
            dim: the first dimension or the second one by default, with a warning.
            dtype: what elements are converted to first.

        Raises:
            DTypeError: the tensor has no floating-point numbers.
            ShapeError: the dimension does not exist."""

    def sort(self, dim: int = -1, descending: bool = False, stable: bool | None = None) -> ValuesAndIndices:
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
        """``input * input``; of bools int64."""

    def square_(self) -> Tensor:
        """:func:`tabgrad.ops.square`, in place."""

    def squeeze(self, dim: int | Sequence[int] | None = None) -> Tensor:
        """Without dimensions of size 1: all, or those of ``dim`` whose size is 1.

        Raises:
            IndexRangeError: a dimension does not exist.
            ShapeError: one is named twice."""

    def squeeze_(self, dim: Any = None) -> Tensor:
        """As :func:`tabgrad.squeeze`, of the tensor itself."""

    def std(
        self, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None
    ) -> Tensor:
        """Square root of :func:`var`, whose arguments it has; the gradient of a deviation of 0 is 0."""

    def storage_offset(self) -> int:
        """How many elements of memory lie before the first one that the tensor shows."""

    def sub(self, other: Tensor | float, *, alpha: float = 1) -> Tensor:
        """``input - alpha * other``, broadcast.

        Args:
            input, other: tensors or numbers, promoted as in PyTorch.
            alpha: a number by which ``other`` is multiplied first.

        Raises:
            DTypeError: both are bool; use ``logical_xor``.
            ShapeError: the shapes do not broadcast."""

    def __sub__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def sub_(self, other: Any, *, alpha: float = 1) -> Tensor:
        """``input -= alpha * other``, in place."""

    def __isub__(self, other: Any) -> Tensor: ...
    def subtract(self, other: Tensor | float, *, alpha: float = 1) -> Tensor:
        """``input - alpha * other``, broadcast.

        Args:
            input, other: tensors or numbers, promoted as in PyTorch.
            alpha: a number by which ``other`` is multiplied first.

        Raises:
            DTypeError: both are bool; use ``logical_xor``.
            ShapeError: the shapes do not broadcast."""

    def subtract_(self, other: Any, *, alpha: float = 1) -> Tensor:
        """``input -= alpha * other``, in place."""

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

    def svd(self, some: bool = True, compute_uv: bool = True) -> USV:
        """Singular vectors and values: (U, S, V) with ``A = U diag(S) Vᵀ``; computed on the host."""

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

    def threshold_(self, threshold: float, value: float, inplace: bool = False) -> Tensor:
        """:func:`tabgrad.ops.threshold`, in place."""

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

    def to_device(self, device: Any, *, stream: Any = None) -> Tensor:
        """The tensor as it is: each device stands for its session's.

        Raises:
            ArgumentError: there is no such device, or a stream is named."""

    def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesAndIndices:
        """The ``k`` largest (or smallest) elements along ``dim`` in order, and where they were: (values, indices).

        Args:
            sorted: they are sorted anyway. Of equal elements the first ones are taken.

        Raises:
            ShapeError: there are fewer than ``k``."""

    def trace(self) -> Tensor:
        """The sum of a matrix's diagonal.

        Raises:
            ShapeError: it is no matrix."""

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        """Two dimensions swapped.

        Raises:
            IndexRangeError: one does not exist."""

    def transpose_(self, dim0: int, dim1: int) -> Tensor:
        """As :func:`tabgrad.transpose`, of the tensor itself."""

    def triangular_solve(
        self, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
    ) -> SolutionAndMatrix:
        """``X`` with ``A X = b``, A triangular: (solution, cloned_coefficient)."""

    def tril(self, diagonal: int = 0) -> Tensor:
        """``input`` with zeros above the diagonal of the last two dimensions.

        Args:
            input: ``[..., n, m]``.
            diagonal: which one bounds them; those above the main one are positive.

        Raises:
            ShapeError: there are fewer than two dimensions."""

    def tril_(self, diagonal: int = 0) -> Tensor:
        """:func:`tabgrad.ops.tril`, in place."""

    def triu(self, diagonal: int = 0) -> Tensor:
        """``input`` with zeros below the diagonal of the last two dimensions.

        Args:
            input: ``[..., n, m]``.
            diagonal: which one bounds them; those above the main one are positive.

        Raises:
            ShapeError: there are fewer than two dimensions."""

    def triu_(self, diagonal: int = 0) -> Tensor:
        """:func:`tabgrad.ops.triu`, in place."""

    def true_divide(self, other: Tensor | float, *, rounding_mode: str | None = None) -> Tensor:
        """``input / other``, broadcast; integers are divided as float32, unless the quotient is rounded.

        Args:
            rounding_mode: None; ``"trunc"``, toward 0; or ``"floor"``, down, as :func:`floor_divide`.

        Raises:
            ArgumentError: there is no such rounding mode.
            ShapeError: the shapes do not broadcast."""

    def true_divide_(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """``input /= other``, in place."""

    def trunc(self) -> Tensor:
        """Round toward 0; integers stay as they are."""

    def trunc_(self) -> Tensor:
        """:func:`tabgrad.ops.trunc`, in place."""

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

    def uniform_(self, from_: float = 0, to: float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with random numbers from ``from_`` up to ``to``, all as likely."""

    def unique(
        self, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
    ) -> Any:
        """The different elements in order, or slices along ``dim``; waits for the device, as ``item()`` does.

        Args:
            sorted: they are sorted anyway.
            return_inverse: also which of them each element is; int32.
            return_counts: also how often each is there; int32.

        Raises:
            DeviceError: this platform cannot wait; use NumPy on what ``await tabgrad.read(x)`` gives."""

    def unique_consecutive(
        self, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
    ) -> Any:
        """The elements (slices along ``dim``) without those that equal the one before; waits for the device.

        Arguments and errors are those of :func:`unique`."""

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

    def var(
        self, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None
    ) -> Tensor:
        """Variance over ``dim``, the sum of squares divided by ``n - correction``.

        Args:
            dim: a dimension, several, or None for all; or, as in ``x.var(False)``, what ``unbiased`` is.
            unbiased: the older way to say ``correction``: True for 1, False for 0.
            keepdim: the dimensions stay, with size 1.
            correction: 1 by default.

        Raises:
            DTypeError: the tensor has no floating-point numbers.
            ShapeError: a dimension does not exist, or is named twice."""

    def vdot(self, other: Tensor) -> Tensor:
        """As ``dot``: nothing is complex here."""

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

    def xlogy(self, other: Tensor | float) -> Tensor:
        """``input * log(other)``, and 0 where ``input`` is 0, unless ``other`` is NaN.

        Raises:
            ShapeError: the shapes do not broadcast."""

    def xlogy_(self, other: Tensor | float) -> Tensor:
        """:func:`tabgrad.ops.xlogy`, in place."""

    def zero_(self) -> Tensor:
        """Set every element to 0, in place."""

    @property
    def T(self) -> Tensor: ...
    @property
    def H(self) -> Tensor: ...
    @property
    def mH(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def layout(self) -> Layout: ...
    @property
    def is_cuda(self) -> bool: ...
    @property
    def is_cpu(self) -> bool: ...
    @property
    def is_sparse(self) -> bool: ...
    @property
    def is_quantized(self) -> bool: ...
    @property
    def is_meta(self) -> bool: ...
    @property
    def is_mps(self) -> bool: ...
