"""Operations on tensors, under PyTorch's names. One group per file; what a file declares public is found here."""

# Written by build_scripts/stubs.py.

from collections.abc import Sequence
from typing import Any

from tabgrad.dtypes import DType
from tabgrad.host_ops.fill_diagonal import fill_diagonal_ as fill_diagonal_
from tabgrad.host_ops.index_put import index_put as index_put
from tabgrad.host_ops.places import argwhere as argwhere
from tabgrad.host_ops.places import nonzero as nonzero
from tabgrad.host_ops.places import nonzero_static as nonzero_static
from tabgrad.host_ops.places import repeat_interleave as repeat_interleave
from tabgrad.host_ops.shape_in_place import as_strided_ as as_strided_
from tabgrad.host_ops.shape_in_place import resize_ as resize_
from tabgrad.host_ops.shape_in_place import resize_as_ as resize_as_
from tabgrad.host_ops.shape_in_place import squeeze_ as squeeze_
from tabgrad.host_ops.shape_in_place import swapaxes_ as swapaxes_
from tabgrad.host_ops.shape_in_place import swapdims_ as swapdims_
from tabgrad.host_ops.shape_in_place import t_ as t_
from tabgrad.host_ops.shape_in_place import transpose_ as transpose_
from tabgrad.host_ops.shape_in_place import unsqueeze_ as unsqueeze_
from tabgrad.ops.activation import dropout as dropout
from tabgrad.ops.activation import elu as elu
from tabgrad.ops.activation import gelu as gelu
from tabgrad.ops.activation import leaky_relu as leaky_relu
from tabgrad.ops.activation import log_softmax as log_softmax
from tabgrad.ops.activation import relu as relu
from tabgrad.ops.activation import silu as silu
from tabgrad.ops.activation import softmax as softmax
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
from tabgrad.ops.comparison import where_of as where_of
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
from tabgrad.ops.indexed_writes import bincount as bincount
from tabgrad.ops.indexed_writes import index_fill as index_fill
from tabgrad.ops.indexing import embedding as embedding
from tabgrad.ops.indexing import getitem as getitem
from tabgrad.ops.indexing import one_hot as one_hot
from tabgrad.ops.loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from tabgrad.ops.loss import cross_entropy as cross_entropy
from tabgrad.ops.loss import l1_loss as l1_loss
from tabgrad.ops.loss import mse_loss as mse_loss
from tabgrad.ops.loss import nll_loss as nll_loss
from tabgrad.ops.loss import smooth_l1_loss as smooth_l1_loss
from tabgrad.ops.masked import masked_fill as masked_fill
from tabgrad.ops.masked import masked_scatter as masked_scatter
from tabgrad.ops.matmul import bmm as bmm
from tabgrad.ops.matmul import linear as linear
from tabgrad.ops.matmul import matmul as matmul
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
from tabgrad.ops.rare.constant_pad import constant_pad_nd as constant_pad_nd
from tabgrad.ops.rare.diagonals import diag_embed as diag_embed
from tabgrad.ops.rare.diagonals import diagflat as diagflat
from tabgrad.ops.rare.diagonals import diagonal as diagonal
from tabgrad.ops.rare.diagonals import diagonal_scatter as diagonal_scatter
from tabgrad.ops.rare.diagonals import trace as trace
from tabgrad.ops.rare.joined import atleast_1d as atleast_1d
from tabgrad.ops.rare.joined import atleast_2d as atleast_2d
from tabgrad.ops.rare.joined import atleast_3d as atleast_3d
from tabgrad.ops.rare.joined import block_diag as block_diag
from tabgrad.ops.rare.joined import broadcast_shapes as broadcast_shapes
from tabgrad.ops.rare.joined import broadcast_tensors as broadcast_tensors
from tabgrad.ops.rare.joined import cartesian_prod as cartesian_prod
from tabgrad.ops.rare.joined import combinations as combinations
from tabgrad.ops.rare.joined import meshgrid as meshgrid
from tabgrad.ops.rare.parts import dsplit as dsplit
from tabgrad.ops.rare.parts import hsplit as hsplit
from tabgrad.ops.rare.parts import select as select
from tabgrad.ops.rare.parts import split_with_sizes as split_with_sizes
from tabgrad.ops.rare.parts import tensor_split as tensor_split
from tabgrad.ops.rare.parts import unbind as unbind
from tabgrad.ops.rare.parts import unsafe_chunk as unsafe_chunk
from tabgrad.ops.rare.parts import unsafe_split as unsafe_split
from tabgrad.ops.rare.parts import unsafe_split_with_sizes as unsafe_split_with_sizes
from tabgrad.ops.rare.parts import vsplit as vsplit
from tabgrad.ops.rare.picked import index_reduce as index_reduce
from tabgrad.ops.rare.picked import put as put
from tabgrad.ops.rare.picked import unravel_index as unravel_index
from tabgrad.ops.rare.rearranged import adjoint as adjoint
from tabgrad.ops.rare.rearranged import expand_as as expand_as
from tabgrad.ops.rare.rearranged import fliplr as fliplr
from tabgrad.ops.rare.rearranged import flipud as flipud
from tabgrad.ops.rare.rearranged import movedim as movedim
from tabgrad.ops.rare.rearranged import ravel as ravel
from tabgrad.ops.rare.rearranged import reshape_as as reshape_as
from tabgrad.ops.rare.rearranged import roll as roll
from tabgrad.ops.rare.rearranged import rot90 as rot90
from tabgrad.ops.rare.rearranged import sum_to_size as sum_to_size
from tabgrad.ops.rare.rearranged import swapaxes as swapaxes
from tabgrad.ops.rare.rearranged import swapdims as swapdims
from tabgrad.ops.rare.rearranged import view_as as view_as
from tabgrad.ops.rare.scattered_parts import select_scatter as select_scatter
from tabgrad.ops.rare.scattered_parts import slice_scatter as slice_scatter
from tabgrad.ops.rare.strided import as_strided as as_strided
from tabgrad.ops.rare.strided import as_strided_scatter as as_strided_scatter
from tabgrad.ops.rare.strided import storage_offset as storage_offset
from tabgrad.ops.rare.windows import unfold_dim as unfold_dim
from tabgrad.ops.reduce import all as all
from tabgrad.ops.reduce import amax as amax
from tabgrad.ops.reduce import amin as amin
from tabgrad.ops.reduce import any as any
from tabgrad.ops.reduce import argmax as argmax
from tabgrad.ops.reduce import argmin as argmin
from tabgrad.ops.reduce import logsumexp as logsumexp
from tabgrad.ops.reduce import max as max
from tabgrad.ops.reduce import mean as mean
from tabgrad.ops.reduce import min as min
from tabgrad.ops.reduce import prod as prod
from tabgrad.ops.reduce import std as std
from tabgrad.ops.reduce import sum as sum
from tabgrad.ops.reduce import var as var
from tabgrad.ops.scan import cummax as cummax
from tabgrad.ops.scan import cummin as cummin
from tabgrad.ops.scan import cumprod as cumprod
from tabgrad.ops.scan import cumsum as cumsum
from tabgrad.ops.scan import logcumsumexp as logcumsumexp
from tabgrad.ops.slicing import chunk as chunk
from tabgrad.ops.slicing import flip as flip
from tabgrad.ops.slicing import narrow as narrow
from tabgrad.ops.slicing import pad as pad
from tabgrad.ops.slicing import repeat as repeat
from tabgrad.ops.slicing import split as split
from tabgrad.ops.slicing import tile as tile
from tabgrad.ops.sorting import argsort as argsort
from tabgrad.ops.sorting import kthvalue as kthvalue
from tabgrad.ops.sorting import median as median
from tabgrad.ops.sorting import msort as msort
from tabgrad.ops.sorting import sort as sort
from tabgrad.ops.sorting import topk as topk
from tabgrad.random import Generator
from tabgrad.tensor import Tensor

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where ``mask`` holds, in row-major order; input and mask are broadcast.

    Raises:
        DeviceError: the mask is read back, and this platform cannot wait.
        DTypeError: the mask is not bool.
        NotImplementedError: a step is being recorded."""

def where(condition: Tensor, input: Any = None, other: Any = None, *, out: Tensor | None = None) -> Any:
    """``input`` where ``condition`` holds, else ``other``; all broadcast.

    Args:
        condition: bool, or numbers of which those other than 0 count as True. Alone, its places are read back, as
            :func:`tabgrad.nonzero` with ``as_tuple=True`` does.
        input, other: tensors or numbers, promoted as in PyTorch.

    Raises:
        DTypeError: float32 cannot hold a number.
        ShapeError: the shapes do not broadcast."""

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

def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1, out: Tensor | None = None
) -> Tensor:
    """``input`` with ``alpha`` times row ``k`` of ``source`` added to row ``index[k]``, along ``dim``.

    The order of the additions is fixed. Rows that no index in range names stay; indices are not checked on a GPU.

    Raises:
        ShapeError: ``source`` is not ``input`` with as many rows as the index.
        DTypeError: the dtypes differ."""

def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input`` with row ``k`` of ``source`` at row ``index[k]``, along ``dim``; the last of several counts.

    Raises:
        ShapeError: ``source`` is not ``input`` with as many rows as the index.
        DTypeError: the dtypes differ."""

def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    *,
    value: Any = None,
    reduce: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """``out[index[i][j]][j] = src[i][j]`` for ``dim=0``, from ``out = input`` on; the last of several counts.

    Args:
        src: a tensor, or a number for all places; ``value`` is another name of the latter.
        reduce: ``"add"`` or ``"multiply"``, in place of overwriting.

    Raises:
        ShapeError: the index fits neither ``src`` nor ``input``.
        DTypeError: the dtypes differ, or the index has no integers."""

def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``out[index[i][j]][j] += src[i][j]`` for ``dim=0``, from ``out = input`` on; in a fixed order.

    Raises:
        ShapeError: the index fits neither ``src`` nor ``input``.
        DTypeError: the dtypes differ, or the index has no integers."""

def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """The elements of ``src`` for each place that the index names, reduced, with ``input`` among them or not.

    Args:
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether the element of ``input`` counts where any is named; elsewhere it stays.

    Raises:
        ValueError: there is no such reduction.
        ShapeError: the index fits neither ``src`` nor ``input``.
        DTypeError: the dtypes differ, or the index has no integers."""

def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, out: Tensor | None = None) -> Tensor:
    """``out[i][j] = input[index[i][j]][j]`` for ``dim=0``.

    Args:
        sparse_grad: the gradient is dense, which is the same to what follows.

    Raises:
        DTypeError: the index has no integers.
        IndexRangeError: the dimension does not exist, or an index on the host is out of range.
        ShapeError: another dimension of ``index`` is larger than that of ``input``."""

def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Rows ``index`` (int, 1-d) of ``input`` along ``dim``. Indices are in [0, n), which is not checked on a GPU.

    Raises:
        IndexRangeError: the dimension does not exist, or an index on the host is out of range.
        ShapeError: the index is not a 1-d tensor of integers."""

def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """A copy of a matrix's diagonal; of a vector the matrix that has it there.

    Raises:
        ShapeError: there are neither one nor two dimensions."""

def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors beside each other, along dimension 1; vectors are columns."""

def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors along dimension 2, which is added where it is missing."""

def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors beside each other: along dimension 1, vectors along 0."""

def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors below each other, along dimension 0; vectors are rows."""

def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors below each other, along dimension 0; vectors are rows."""

def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements with these numbers row by row, in the shape of ``index``; negative ones count from the end.

    Raises:
        DTypeError: the index has no integers.
        IndexError: an index on the host is out of range."""

def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """As :func:`tabgrad.gather`, with both broadcast along other dimensions; negative indices count from the end.

    Args:
        dim: without it the elements are numbered in row-major order.

    Raises:
        ShapeError: the numbers of dimensions differ, or other dimensions do not broadcast."""

def moveaxis(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions ``source`` moved to the places ``destination``; the others keep their order.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: one is named twice, or there are not as many places as dimensions."""

def arctan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent."""

def atan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent."""

def tan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Tangent of radians."""

def alias_copy(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of what ``alias`` shows."""

def as_strided_copy(
    input: Tensor, size: Any, stride: Any, storage_offset: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """A copy of what ``as_strided`` shows."""

def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of what ``detach`` shows."""

def diagonal_copy(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of what ``diagonal`` shows."""

def expand_copy(
    input: Tensor, *sizes: Any, size: Any = None, implicit: bool = False, out: Tensor | None = None
) -> Tensor:
    """A copy of what ``expand`` shows."""

def narrow_copy(input: Tensor, dim: int, start: Any, length: int, *, out: Tensor | None = None) -> Tensor:
    """A copy of what ``narrow`` shows."""

def permute_copy(input: Tensor, *order: Any, dims: Any = None, out: Tensor | None = None) -> Tensor:
    """A copy of what ``permute`` shows."""

def select_copy(input: Tensor, dim: int, index: int, *, out: Tensor | None = None) -> Tensor:
    """A copy of what ``select`` shows."""

def split_copy(
    tensor: Tensor,
    split_size_or_sections: Any = None,
    dim: int = 0,
    *,
    split_size: Any = None,
    out: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """A copy of what ``split`` shows."""

def split_with_sizes_copy(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0, *, out: Tensor | None = None
) -> tuple[Tensor, ...]:
    """A copy of what ``split_with_sizes`` shows."""

def squeeze_copy(input: Tensor, dim: int | Sequence[int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """A copy of what ``squeeze`` shows."""

def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of what ``t`` shows."""

def transpose_copy(input: Tensor, dim0: int, dim1: int, *, out: Tensor | None = None) -> Tensor:
    """A copy of what ``transpose`` shows."""

def unbind_copy(input: Tensor, dim: int = 0, *, out: Tensor | None = None) -> tuple[Tensor, ...]:
    """A copy of what ``unbind`` shows."""

def unfold_copy(input: Tensor, dimension: int, size: int, step: int, *, out: Tensor | None = None) -> Tensor:
    """A copy of what ``unfold`` shows."""

def unsqueeze_copy(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """A copy of what ``unsqueeze`` shows."""

def view_copy(
    input: Tensor, *shape: Any, size: Any = None, dtype: DType | None = None, out: Tensor | None = None
) -> Tensor:
    """A copy of what ``view`` shows."""

def cat(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along ``dim``. Of shape ``[0]`` those fit all, as in PyTorch.

    Raises:
        IndexRangeError: ``dim`` does not exist.
        ShapeError: none were given, or another dimension differs."""

def concat(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along ``dim``. Of shape ``[0]`` those fit all, as in PyTorch.

    Raises:
        IndexRangeError: ``dim`` does not exist.
        ShapeError: none were given, or another dimension differs."""

def concatenate(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along ``dim``. Of shape ``[0]`` those fit all, as in PyTorch.

    Raises:
        IndexRangeError: ``dim`` does not exist.
        ShapeError: none were given, or another dimension differs."""

def stack(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors of one shape along a new dimension.

    Args:
        dim: where the new dimension is; the result has one more than the tensors.

    Raises:
        IndexRangeError: there is no such place for it.
        ShapeError: none were given, or the shapes differ."""
