"""Operations on tensors, under PyTorch's names. One group per file; what a file declares public is found here."""

# Written by build_scripts/stubs.py.

from typing import Any

from tabgrad.dtypes import DType
from tabgrad.host_ops.exponentials import matrix_exp as matrix_exp
from tabgrad.host_ops.lu_use import lu as lu
from tabgrad.host_ops.lu_use import lu_unpack as lu_unpack
from tabgrad.host_ops.pseudo_inverses import pinverse as pinverse
from tabgrad.host_ops.solving import triangular_solve as triangular_solve
from tabgrad.host_ops.unique import unique as unique
from tabgrad.host_ops.unique import unique_consecutive as unique_consecutive
from tabgrad.ops.activation import dropout as dropout
from tabgrad.ops.activation import elu as elu
from tabgrad.ops.activation import gelu as gelu
from tabgrad.ops.activation import leaky_relu as leaky_relu
from tabgrad.ops.activation import relu as relu
from tabgrad.ops.activation import silu as silu
from tabgrad.ops.activation import softplus as softplus
from tabgrad.ops.arithmetic import add as add
from tabgrad.ops.arithmetic import clamp as clamp
from tabgrad.ops.arithmetic import clone as clone
from tabgrad.ops.arithmetic import div as div
from tabgrad.ops.arithmetic import floor_divide as floor_divide
from tabgrad.ops.arithmetic import maximum as maximum
from tabgrad.ops.arithmetic import minimum as minimum
from tabgrad.ops.arithmetic import mul as mul
from tabgrad.ops.arithmetic import neg as neg
from tabgrad.ops.arithmetic import remainder as remainder
from tabgrad.ops.arithmetic import square as square
from tabgrad.ops.arithmetic import sub as sub
from tabgrad.ops.attention import scaled_dot_product_attention as scaled_dot_product_attention
from tabgrad.ops.comparison import cast as cast
from tabgrad.ops.comparison import eq as eq
from tabgrad.ops.comparison import ge as ge
from tabgrad.ops.comparison import gt as gt
from tabgrad.ops.comparison import le as le
from tabgrad.ops.comparison import logical_and as logical_and
from tabgrad.ops.comparison import logical_not as logical_not
from tabgrad.ops.comparison import logical_or as logical_or
from tabgrad.ops.comparison import logical_xor as logical_xor
from tabgrad.ops.comparison import lt as lt
from tabgrad.ops.comparison import ne as ne
from tabgrad.ops.comparison import where as where
from tabgrad.ops.conv import conv1d as conv1d
from tabgrad.ops.conv import conv2d as conv2d
from tabgrad.ops.conv import conv_transpose2d as conv_transpose2d
from tabgrad.ops.conversion import cpu as cpu
from tabgrad.ops.conversion import cuda as cuda
from tabgrad.ops.conversion import pin_memory as pin_memory
from tabgrad.ops.conversion import to as to
from tabgrad.ops.conversion import type as type
from tabgrad.ops.conversion import type_as as type_as
from tabgrad.ops.creation import bernoulli as bernoulli
from tabgrad.ops.creation import from_numpy as from_numpy
from tabgrad.ops.creation import tril as tril
from tabgrad.ops.creation import triu as triu
from tabgrad.ops.elementwise import abs as abs
from tabgrad.ops.elementwise import isfinite as isfinite
from tabgrad.ops.elementwise import isnan as isnan
from tabgrad.ops.elementwise import pow as pow
from tabgrad.ops.elementwise import sign as sign
from tabgrad.ops.elementwise import step_scalar as step_scalar
from tabgrad.ops.folds import Dims
from tabgrad.ops.indexed_writes import bincount as bincount
from tabgrad.ops.indexed_writes import index_add as index_add
from tabgrad.ops.indexed_writes import index_copy as index_copy
from tabgrad.ops.indexed_writes import index_fill as index_fill
from tabgrad.ops.indexed_writes import scatter as scatter
from tabgrad.ops.indexed_writes import scatter_add as scatter_add
from tabgrad.ops.indexed_writes import scatter_reduce as scatter_reduce
from tabgrad.ops.indexing import embedding as embedding
from tabgrad.ops.indexing import gather as gather
from tabgrad.ops.indexing import getitem as getitem
from tabgrad.ops.indexing import index_select as index_select
from tabgrad.ops.indexing import one_hot as one_hot
from tabgrad.ops.loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from tabgrad.ops.loss import cross_entropy as cross_entropy
from tabgrad.ops.loss import l1_loss as l1_loss
from tabgrad.ops.loss import mse_loss as mse_loss
from tabgrad.ops.loss import nll_loss as nll_loss
from tabgrad.ops.loss import smooth_l1_loss as smooth_l1_loss
from tabgrad.ops.masked import masked_fill as masked_fill
from tabgrad.ops.masked import masked_scatter as masked_scatter
from tabgrad.ops.matmul import linear as linear
from tabgrad.ops.movement import broadcast_to as broadcast_to
from tabgrad.ops.movement import contiguous as contiguous
from tabgrad.ops.movement import expand as expand
from tabgrad.ops.movement import flatten as flatten
from tabgrad.ops.movement import permute as permute
from tabgrad.ops.movement import reshape as reshape
from tabgrad.ops.movement import squeeze as squeeze
from tabgrad.ops.movement import t as t
from tabgrad.ops.movement import transpose as transpose
from tabgrad.ops.movement import unflatten as unflatten
from tabgrad.ops.movement import unsqueeze as unsqueeze
from tabgrad.ops.movement import view as view
from tabgrad.ops.norm import batch_norm as batch_norm
from tabgrad.ops.norm import group_norm as group_norm
from tabgrad.ops.norm import layer_norm as layer_norm
from tabgrad.ops.norm import rms_norm as rms_norm
from tabgrad.ops.pack import pack as pack
from tabgrad.ops.pool import adaptive_avg_pool2d as adaptive_avg_pool2d
from tabgrad.ops.pool import avg_pool2d as avg_pool2d
from tabgrad.ops.pool import max_pool2d as max_pool2d
from tabgrad.ops.rare.bins import isin as isin
from tabgrad.ops.rare.differences import cumulative_trapezoid as cumulative_trapezoid
from tabgrad.ops.rare.differences import gradient as gradient
from tabgrad.ops.rare.differences import trapezoid as trapezoid
from tabgrad.ops.rare.einsum import einsum as einsum
from tabgrad.ops.rare.statistics import corrcoef as corrcoef
from tabgrad.ops.rare.statistics import count_nonzero as count_nonzero
from tabgrad.ops.rare.statistics import cov as cov
from tabgrad.ops.rare.statistics import std_mean as std_mean
from tabgrad.ops.rare.statistics import trace as trace
from tabgrad.ops.rare.statistics import var_mean as var_mean
from tabgrad.ops.rare.vandermonde import vander as vander
from tabgrad.ops.rare.vector_norms import cdist as cdist
from tabgrad.ops.rare.vector_norms import dist as dist
from tabgrad.ops.rare.vector_norms import pdist as pdist
from tabgrad.ops.result_types import QR, USV, Histogram, MinAndMax, SignAndLogarithm, ValuesAndIndices
from tabgrad.ops.slicing import cat as cat
from tabgrad.ops.slicing import chunk as chunk
from tabgrad.ops.slicing import flip as flip
from tabgrad.ops.slicing import narrow as narrow
from tabgrad.ops.slicing import pad as pad
from tabgrad.ops.slicing import repeat as repeat
from tabgrad.ops.slicing import split as split
from tabgrad.ops.slicing import stack as stack
from tabgrad.ops.slicing import tile as tile
from tabgrad.random import Generator
from tabgrad.tensor import Tensor

def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """Products of ``n`` square matrices; of a negative number those of the inverse, which the host computes."""

def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle L with ``L Lᵀ = input``, or its transpose if ``upper``; computed on the host.

    Raises:
        SingularError: a matrix is not positive definite."""

def cholesky_inverse(L: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``A``, given its Cholesky factor; computed on the host."""

def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """``X`` with ``A X = B``, given Cholesky's factor of ``A``; computed on the host."""

def qr(input: Tensor, some: bool = True, *, out: Tensor | None = None) -> QR:
    """Orthonormal columns and an upper triangle whose product is the matrix: (Q, R); computed on the host."""

def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``X`` with ``A X = b``, given what ``linalg.lu_factor(A)`` returns; computed on the host."""

def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    dtype: DType | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``sum(|x| ** p) ** (1 / p)`` over ``dim`` (all by default), also where that is a pair.

    Args:
        p: any number, infinite ones too; ``fro`` for 2; ``nuc`` for the sum of a matrix's singular values, which
            the host computes.
        dtype: what elements are converted to first.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
        ShapeError: a dimension does not exist."""

def svd(input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Tensor | None = None) -> USV:
    """Singular vectors and values: (U, S, V) with ``A = U diag(S) Vᵀ``; computed on the host."""

def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Determinants of square matrices ``[..., N, N]``, on the host; with a gradient also where one is 0."""

def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """As ``linalg.inv``."""

def logdet(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of determinants; NaN of negative ones."""

def slogdet(input: Tensor, *, out: Tensor | None = None) -> SignAndLogarithm:
    """Sign of determinants, and logarithm of their absolute values: (sign, logabsdet); computed on the host."""

def log_softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: Any = 3,
    dtype: DType | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``x - log(sum(exp(x)))`` along ``dim``. Arguments and errors are those of :func:`softmax`."""

def softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: Any = 3,
    dtype: DType | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``exp(x) / sum(exp(x))`` along ``dim``; NaN where an element is infinite and positive, as in PyTorch.

    Args:
        dim: the first dimension or the second one by default, with a warning.
        dtype: what elements are converted to first.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
        ShapeError: the dimension does not exist."""

def arange(
    start: float,
    end: float | None = None,
    step: float = 1,
    *,
    dtype: DType | None = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """``start, start + step, ...`` below ``end`` (or ``0, 1, ...`` below ``start``).

    int32 if all are integers, else float32.

    Raises:
        ShapeError: the step does not lead from ``start`` to ``end``."""

def empty(
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """As :func:`zeros`: there is no uninitialised memory here."""

def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DType | None = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """The identity matrix ``[n, m]``.

    ``m`` is ``n`` by default; float32 by default."""

def full(
    size: Any,
    value: float,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """``size`` filled with ``value``.

    Args:
        size: a size, or several.
        dtype: that of ``value`` by default: bool, int32 or float32.

    Raises:
        DTypeError: the dtype cannot hold the number.
        ShapeError: a size is negative."""

def full_like(
    x: Tensor,
    value: float,
    *,
    dtype: DType | None = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Filled with ``value``, in the shape and dtype of ``x``."""

def linspace(
    start: float,
    end: float,
    steps: int,
    *,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """``steps`` numbers from ``start`` to ``end``, both included."""

def ones(
    *size: Any,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Filled with 1."""

def ones_like(
    x: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Filled with 1, in the shape and dtype of ``x``."""

def rand(
    *size: Any,
    generator: Generator | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Uniform numbers in [0, 1); the same on every device for one seed.

    float32.

    Raises:
        ShapeError: a size is negative."""

def rand_like(
    x: Tensor, *, device: Any = None, layout: Any = None, pin_memory: bool | None = None, memory_format: Any = None
) -> Tensor:
    """As :func:`rand`, in the shape of ``x``."""

def randint(
    low: int,
    high: int | None = None,
    size: Any = (),
    *,
    generator: Generator | None = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Integers in [low, high), or [0, low); at most 2**24 different ones.

    int32.

    Raises:
        ShapeError: the range is empty or too large."""

def randn(
    *size: Any,
    generator: Generator | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Numbers from the standard normal distribution (Box and Muller 1958)."""

def randn_like(
    x: Tensor, *, device: Any = None, layout: Any = None, pin_memory: bool | None = None, memory_format: Any = None
) -> Tensor:
    """As :func:`randn`, in the shape of ``x``."""

def tensor(
    data: Any,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """A tensor with a copy of ``data``: numbers, nested sequences or a NumPy array.

    Raises:
        DTypeError: float64 arrays (pass ``dtype=tabgrad.float32``), or integers beyond 32 bits."""

def zeros(
    *size: Any,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Filled with 0.

    float32 by default.

    Raises:
        ShapeError: a size is negative."""

def zeros_like(
    x: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Filled with 0, in the shape and dtype of ``x``."""

def ceil(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Round up."""

def cos(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Cosine of radians."""

def erf(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Gauss error function."""

def exp(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``e ** x``."""

def expm1(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``exp(x) - 1``."""

def floor(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Round down."""

def log(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm."""

def log1p(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + x)``."""

def reciprocal(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``1 / x``."""

def round(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Round half to even."""

def rsqrt(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``1 / sqrt(x)``."""

def sigmoid(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``."""

def sin(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Sine of radians."""

def sqrt(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Square root."""

def tanh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent."""

def amax(input: Tensor, dim: Dims = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Largest element; ties share the gradient.

    Arguments and errors are those of :func:`sum`; a dimension without elements raises, too."""

def amin(input: Tensor, dim: Dims = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Smallest element; ties share the gradient.

    Arguments and errors are those of :func:`sum`; a dimension without elements raises, too."""

def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Index of the first largest element along ``dim`` (of the flattened tensor by default); int32.

    Raises:
        ShapeError: the dimension does not exist, or has no elements."""

def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Index of the first smallest element.

    As :func:`argmax`."""

def max(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None, out: Tensor | None = None
) -> Any:
    """Largest element; with ``dim`` the pair (values, indices); of two tensors :func:`maximum`.

    Args:
        dim: a dimension, None for the whole tensor, or the other tensor.

    Raises:
        ShapeError: the dimension does not exist, or has no elements."""

def min(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None, out: Tensor | None = None
) -> Any:
    """Smallest element; with ``dim`` the pair (values, indices); of two tensors :func:`minimum`.

    As :func:`max`."""

def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``[B, M, K] @ [B, K, N]`` without broadcasting.

    Raises:
        ShapeError: an operand is not 3-dimensional, or the batches differ."""

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of products of two vectors of one size, as :func:`matmul`."""

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input @ other``: ``[..., M, K] @ [..., K, N]``, batch dimensions broadcast, vectors as in PyTorch.

    Integers are summed as int32, one thread for each element of the result.

    Raises:
        ShapeError: the inner sizes differ, or an operand is a scalar.
        DTypeError: the operands are of two dtypes, or bool."""

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``[M, K] @ [K, N]``, as :func:`matmul`, and of matrices alone."""

def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``[M, K] @ [K]``, as :func:`matmul`, and of a matrix and a vector alone."""

def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Tensor | None = None
) -> Tensor:
    """Which of the intervals between the sorted ``boundaries`` ``[N]`` each number lies in; int32.

    Args:
        right: of a number that equals a boundary the interval above it, and not that below."""

def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0, *, out: Tensor | None = None) -> Tensor:
    """How many elements lie in each of ``bins`` equal intervals from ``min`` to ``max``; others are not counted.

    Args:
        min, max: if both are 0, the smallest and the largest element."""

def histogram(
    input: Tensor,
    bins: Any,
    *,
    range: Any = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: Tensor | None = None,
) -> Histogram:
    """How many elements, or which sum of their weights, lie in each interval: (hist, bin_edges).

    Args:
        bins: how many equal intervals, or their edges ``[bins + 1]``.
        range: (smallest, largest) edge; those of the elements by default.
        density: divided by the sum and by each interval's width."""

def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Where numbers would be put into sorted lines: before equal elements, or after them if ``right``; int32.

    Args:
        sorted_sequence: ``[..., N]``, sorted along the last dimension; or ``[N]``, for all numbers.
        input: ``[..., M]``, or a number.
        sorter: indices that sort ``sorted_sequence``.

    Raises:
        ShapeError: other dimensions than the last differ."""

def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Differences of neighbours along ``dim``, ``n`` times; of bools whether they differ.

    Args:
        prepend, append: put before and after the elements first.

    Raises:
        ShapeError: the tensor has no dimension."""

def trapz(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The integral along ``dim`` by trapezoids, at coordinates ``x`` or ``dx`` apart."""

def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """As ``linalg.multi_dot`` of its arguments."""

def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
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

def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * sum of the products of a batch``; as :func:`addmm`."""

def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``; ``input`` broadcasts, and is not read where ``beta`` is 0."""

def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``; as :func:`addmm`."""

def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``; as :func:`addmm`. Of bools: *or* of *and*."""

def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * bmm(batch1, batch2)``; as :func:`addmm`."""

def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of three along ``dim``, the first dimension of size 3 by default.

    Raises:
        ShapeError: there is no such dimension."""

def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element of a vector times each of another one: ``[N]``, ``[M]`` to ``[N, M]``.

    Raises:
        ShapeError: one of them is no vector."""

def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sums of products along the last dimensions; of a scalar the product.

    Raises:
        ShapeError: the last sizes differ."""

def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Kronecker's product: each element of ``input`` times all of ``other``."""

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element of a vector times each of another one: ``[N]``, ``[M]`` to ``[N, M]``.

    Raises:
        ShapeError: one of them is no vector."""

def tensordot(a: Tensor, b: Tensor, dims: Any = 2, *, out: Tensor | None = None) -> Tensor:
    """Sums of products over pairs of dimensions.

    Args:
        dims: how many last dimensions of ``a`` and first ones of ``b``; or two sequences of dimensions.

    Raises:
        ShapeError: sizes of a pair differ."""

def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """As ``dot``: nothing is complex here."""

def mode(input: Tensor, dim: int = -1, keepdim: bool = False, *, out: Tensor | None = None) -> ValuesAndIndices:
    """The most frequent element along ``dim``, the smallest of several, and its last place: (values, indices)."""

def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None) -> Any:
    """As ``median``, of the elements that are not NaN; NaN where all are."""

def nanquantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """As :func:`quantile`, of the elements that are not NaN; NaN where all are."""

def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The elements below which fractions ``q`` of those along ``dim`` (of all by default) lie; NaN if any is.

    Args:
        q: a number in [0, 1], or a float32 tensor ``[k]`` of such: the result has a first dimension k then.
        interpolation: between neighbours: ``linear``, ``lower``, ``higher``, ``midpoint`` or ``nearest``.

    Raises:
        DTypeError: the tensor is not float32.
        ShapeError: there is no element."""

def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False, out: Tensor | None = None) -> MinAndMax:
    """The smallest and the largest element along ``dim`` (of all by default): (min, max)."""

def nanmean(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None
) -> Tensor:
    """Mean of the elements that are not NaN; NaN where none is."""

def nansum(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None
) -> Tensor:
    """As ``sum``, where NaN counts as 0."""

def arctan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent."""

def atan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent."""

def tan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Tangent of radians."""

def renorm(input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None) -> Tensor:
    """Scale each slice along ``dim`` whose norm of order ``p`` is larger than ``maxnorm`` down to it."""

def all(input: Tensor, dim: Dims = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether every element is nonzero; bool, of uint8 tensors uint8."""

def any(input: Tensor, dim: Dims = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether any element is nonzero; bool, of uint8 tensors uint8."""

def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """``log(sum(exp(x)))`` in one pass that does not overflow.

    Arguments and errors are those of :func:`sum`; integers become float32."""

def mean(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None
) -> Tensor:
    """Mean over ``dim`` (all by default) of a float tensor.

    Arguments and errors are those of :func:`sum`.

    Raises:
        DTypeError: the tensor has no floating-point numbers."""

def prod(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Product over ``dim`` (all by default). Arguments and errors: :func:`sum`; one dimension at most."""

def sum(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None
) -> Tensor:
    """Sum over ``dim`` (all by default), in a fixed order. Bools and narrow integers are summed as int32.

    Args:
        dim: a dimension or several; None or an empty tuple for all.
        keepdim: they stay, with size 1.
        dtype: what elements are converted to first.

    Raises:
        ShapeError: a dimension does not exist, or is named twice."""

def cummax(input: Tensor, dim: int, *, out: Tensor | None = None) -> ValuesAndIndices:
    """The largest element up to each, along ``dim``, and the newest place of it: (values, indices).

    Shapes: both as ``input``; the indices are int32.

    Raises:
        ShapeError: the dimension does not exist."""

def cummin(input: Tensor, dim: int, *, out: Tensor | None = None) -> ValuesAndIndices:
    """The smallest element up to each, along ``dim``, and the newest place of it: (values, indices).

    Shapes: both as ``input``; the indices are int32.

    Raises:
        ShapeError: the dimension does not exist."""

def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """Products of the elements up to each, along ``dim``. Bools and narrow integers are multiplied as int32.

    Args:
        dtype: what elements are converted to first.

    Raises:
        ShapeError: the dimension does not exist."""

def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """Sums of the elements up to each, along ``dim``. Bools and narrow integers are summed as int32.

    Args:
        dtype: what elements are converted to first.

    Raises:
        ShapeError: the dimension does not exist."""

def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """``log(cumsum(exp(x)))`` along ``dim``, without overflow.

    Raises:
        DTypeError: the tensor has no floating-point numbers."""

def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Where the elements along ``dim`` are, in their order; int32. Equal ones keep their order."""

def kthvalue(
    input: Tensor, k: int, dim: int = -1, keepdim: bool = False, *, out: Tensor | None = None
) -> ValuesAndIndices:
    """The ``k``-th smallest element along ``dim``, counted from 1, and where it was: (values, indices).

    Raises:
        ShapeError: there are fewer than ``k``."""

def median(input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None) -> Any:
    """The element in the middle, the lower one of two; with ``dim`` the pair (values, indices). NaN if any is."""

def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Elements along the first dimension in order."""

def sort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None, *, out: Tensor | None = None
) -> ValuesAndIndices:
    """Elements along ``dim`` in order, and where they were: (values, indices). Equal ones keep their order."""

def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, out: Tensor | None = None
) -> ValuesAndIndices:
    """The ``k`` largest (or smallest) elements along ``dim`` in order, and where they were: (values, indices).

    Args:
        sorted: they are sorted anyway. Of equal elements the first ones are taken.

    Raises:
        ShapeError: there are fewer than ``k``."""

def std(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Square root of :func:`var`, whose arguments it has; the gradient of a deviation of 0 is 0."""

def var(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    out: Tensor | None = None,
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
