"""Operations on tensors, under PyTorch's names. One group per file; what a file declares public is found here."""

# Written by build_scripts/stubs.py.

from typing import Any

from tabgrad.dtypes import DType
from tabgrad.host_ops.random_fills import bernoulli_ as bernoulli_
from tabgrad.host_ops.random_fills import cauchy_ as cauchy_
from tabgrad.host_ops.random_fills import exponential_ as exponential_
from tabgrad.host_ops.random_fills import geometric_ as geometric_
from tabgrad.host_ops.random_fills import log_normal_ as log_normal_
from tabgrad.host_ops.random_fills import poisson as poisson
from tabgrad.host_ops.random_fills import random_ as random_
from tabgrad.ops.activation import dropout as dropout
from tabgrad.ops.activation import elu as elu
from tabgrad.ops.activation import gelu as gelu
from tabgrad.ops.activation import leaky_relu as leaky_relu
from tabgrad.ops.activation import log_softmax as log_softmax
from tabgrad.ops.activation import relu as relu
from tabgrad.ops.activation import silu as silu
from tabgrad.ops.activation import softmax as softmax
from tabgrad.ops.activation import softplus as softplus
from tabgrad.ops.arithmetic import clone as clone
from tabgrad.ops.arithmetic import positive as positive
from tabgrad.ops.attention import scaled_dot_product_attention as scaled_dot_product_attention
from tabgrad.ops.comparison import cast as cast
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
from tabgrad.ops.creation import from_numpy as from_numpy
from tabgrad.ops.elementwise import isfinite as isfinite
from tabgrad.ops.elementwise import isnan as isnan
from tabgrad.ops.elementwise import step_scalar as step_scalar
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
from tabgrad.ops.rare.arithmetic_forms import fill as fill
from tabgrad.ops.rare.comparisons import allclose as allclose
from tabgrad.ops.rare.comparisons import equal as equal
from tabgrad.ops.rare.comparisons import isclose as isclose
from tabgrad.ops.rare.comparisons import isinf as isinf
from tabgrad.ops.rare.comparisons import isreal as isreal
from tabgrad.ops.rare.gamma import polygamma_of as polygamma_of
from tabgrad.ops.rare.questions import apply_ as apply_
from tabgrad.ops.rare.questions import data_ptr as data_ptr
from tabgrad.ops.rare.questions import double as double
from tabgrad.ops.rare.questions import get_device as get_device
from tabgrad.ops.rare.questions import is_complex as is_complex
from tabgrad.ops.rare.questions import is_floating_point as is_floating_point
from tabgrad.ops.rare.questions import is_nonzero as is_nonzero
from tabgrad.ops.rare.questions import is_signed as is_signed
from tabgrad.ops.rare.questions import is_tensor as is_tensor
from tabgrad.ops.rare.questions import map_ as map_
from tabgrad.ops.rare.questions import ndimension as ndimension
from tabgrad.ops.rare.questions import nelement as nelement
from tabgrad.ops.rare.questions import numel as numel
from tabgrad.ops.rare.questions import short as short
from tabgrad.ops.rare.tensors_alike import new as new
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
from tabgrad.ops.slicing import cat as cat
from tabgrad.ops.slicing import chunk as chunk
from tabgrad.ops.slicing import flip as flip
from tabgrad.ops.slicing import narrow as narrow
from tabgrad.ops.slicing import pad as pad
from tabgrad.ops.slicing import repeat as repeat
from tabgrad.ops.slicing import split as split
from tabgrad.ops.slicing import stack as stack
from tabgrad.ops.slicing import tile as tile
from tabgrad.ops.sorting import argsort as argsort
from tabgrad.ops.sorting import kthvalue as kthvalue
from tabgrad.ops.sorting import median as median
from tabgrad.ops.sorting import msort as msort
from tabgrad.ops.sorting import sort as sort
from tabgrad.ops.sorting import topk as topk
from tabgrad.random import Generator
from tabgrad.tensor import Tensor

def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Numbers from normal distributions.

    Args:
        mean, std: numbers with ``size``; or tensors, of which one may be a number, and no ``size``.

    Raises:
        ArgumentError: ``std`` is negative.
        ShapeError: the shapes do not broadcast."""

def add(input: Any, other: Any, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """``input + alpha * other``, broadcast; bool operands are combined with *or*, as PyTorch does.

    Args:
        input, other: tensors or numbers, promoted as in PyTorch.
        alpha: a number by which ``other`` is multiplied first.

    Raises:
        ShapeError: the shapes do not broadcast."""

def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``input`` limited to [min, max]; the gradient passes inside the limits, limits included.

    Args:
        min, max: numbers, tensors that broadcast, or None for no limit on that side.

    Raises:
        DTypeError: neither limit is given, float32 cannot hold one, or the tensor is bool."""

def clip(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``input`` limited to [min, max]; the gradient passes inside the limits, limits included.

    Args:
        min, max: numbers, tensors that broadcast, or None for no limit on that side.

    Raises:
        DTypeError: neither limit is given, float32 cannot hold one, or the tensor is bool."""

def div(input: Any, other: Any, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """``input / other``, broadcast; integers are divided as float32, unless the quotient is rounded.

    Args:
        rounding_mode: None; ``"trunc"``, toward 0; or ``"floor"``, down, as :func:`floor_divide`.

    Raises:
        ArgumentError: there is no such rounding mode.
        ShapeError: the shapes do not broadcast."""

def divide(input: Any, other: Any, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """``input / other``, broadcast; integers are divided as float32, unless the quotient is rounded.

    Args:
        rounding_mode: None; ``"trunc"``, toward 0; or ``"floor"``, down, as :func:`floor_divide`.

    Raises:
        ArgumentError: there is no such rounding mode.
        ShapeError: the shapes do not broadcast."""

def floor_divide(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``floor(input / other)``, broadcast; no gradient.

    Raises:
        ZeroDivisionError: an integer is divided by the number 0. Zeros in an integer tensor cannot raise."""

def maximum(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The larger of two; NaN if either is.

    Equal elements share the gradient.

    Raises:
        ShapeError: the shapes do not broadcast."""

def minimum(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two; NaN if either is.

    Equal elements share the gradient.

    Raises:
        ShapeError: the shapes do not broadcast."""

def mul(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input * other``, broadcast; bool operands are combined with *and*.

    Raises:
        ShapeError: the shapes do not broadcast."""

def multiply(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input * other``, broadcast; bool operands are combined with *and*.

    Raises:
        ShapeError: the shapes do not broadcast."""

def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-input``.

    Raises:
        DTypeError: the tensor is bool; use ``logical_not``."""

def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-input``.

    Raises:
        DTypeError: the tensor is bool; use ``logical_not``."""

def remainder(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input - other * floor(input / other)``, exact, signed as ``other``. Errors: :func:`floor_divide`."""

def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input * input``; of bools int64."""

def sub(input: Any, other: Any, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """``input - alpha * other``, broadcast.

    Args:
        input, other: tensors or numbers, promoted as in PyTorch.
        alpha: a number by which ``other`` is multiplied first.

    Raises:
        DTypeError: both are bool; use ``logical_xor``.
        ShapeError: the shapes do not broadcast."""

def subtract(input: Any, other: Any, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """``input - alpha * other``, broadcast.

    Args:
        input, other: tensors or numbers, promoted as in PyTorch.
        alpha: a number by which ``other`` is multiplied first.

    Raises:
        DTypeError: both are bool; use ``logical_xor``.
        ShapeError: the shapes do not broadcast."""

def true_divide(input: Any, other: Any, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """``input / other``, broadcast; integers are divided as float32, unless the quotient is rounded.

    Args:
        rounding_mode: None; ``"trunc"``, toward 0; or ``"floor"``, down, as :func:`floor_divide`.

    Raises:
        ArgumentError: there is no such rounding mode.
        ShapeError: the shapes do not broadcast."""

def bitwise_and(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The bits that both have, broadcast; of bools the logical *and*.

    Raises:
        DTypeError: an operand is floating point.
        ShapeError: the shapes do not broadcast."""

def bitwise_left_shift(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input * 2 ** other`` of integers, broadcast; 0 if ``other`` is not in [0, 32).

    Raises:
        DTypeError: an operand is floating point, or both are bool.
        ShapeError: the shapes do not broadcast."""

def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All bits changed; of bools the logical *not*.

    Raises:
        DTypeError: the tensor is floating point."""

def bitwise_or(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The bits that either has, broadcast; of bools the logical *or*. Errors: :func:`bitwise_and`."""

def bitwise_right_shift(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input / 2 ** other`` of integers, rounded down, broadcast. Errors: :func:`bitwise_left_shift`."""

def bitwise_xor(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The bits that one of both has, broadcast; of bools the logical *xor*. Errors: :func:`bitwise_and`."""

def eq(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input == other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def ge(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input >= other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def greater(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input > other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def greater_equal(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input >= other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def gt(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input > other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def le(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input <= other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def less(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input < other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def less_equal(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input <= other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def logical_and(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Both nonzero; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def logical_not(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Zero; bool.

    Shape of ``input``."""

def logical_or(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Either nonzero; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def logical_xor(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Exactly one nonzero; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def lt(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input < other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def ne(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input != other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def not_equal(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input != other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def where(condition: Tensor, input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input`` where ``condition`` holds, else ``other``; all broadcast.

    Args:
        condition: bool, or numbers of which those other than 0 count as True.
        input, other: tensors or numbers, promoted as in PyTorch.

    Raises:
        DTypeError: float32 cannot hold a number.
        ShapeError: the shapes do not broadcast."""

def arange(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """``start, start + step, ...`` below ``end`` (or ``0, 1, ...`` below ``start``).

    int32 if all are integers, else float32.

    Raises:
        ShapeError: the step does not lead from ``start`` to ``end``."""

def empty(
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """As :func:`zeros`: there is no uninitialised memory here."""

def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The identity matrix ``[n, m]``.

    ``m`` is ``n`` by default; float32 by default."""

def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """``size`` filled with ``fill_value``.

    Args:
        size: a size, or several.
        fill_value: a number, or a 0-d tensor.
        dtype: that of ``fill_value`` by default: bool, int32 or float32.

    Raises:
        DTypeError: the dtype cannot hold the number.
        ShapeError: a size is negative."""

def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Filled with ``fill_value``, in the shape and dtype of ``input``."""

def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """``steps`` numbers from ``start`` to ``end``, both included; float32 by default.

    Raises:
        ShapeError: ``steps`` is negative."""

def ones(
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Filled with 1."""

def ones_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Filled with 1, in the shape and dtype of ``input``."""

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

def tril(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """``input`` with zeros above the diagonal of the last two dimensions.

    Args:
        input: ``[..., n, m]``.
        diagonal: which one bounds them; those above the main one are positive.

    Raises:
        ShapeError: there are fewer than two dimensions."""

def triu(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """``input`` with zeros below the diagonal of the last two dimensions.

    Args:
        input: ``[..., n, m]``.
        diagonal: which one bounds them; those above the main one are positive.

    Raises:
        ShapeError: there are fewer than two dimensions."""

def zeros(
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Filled with 0.

    float32 by default.

    Raises:
        ShapeError: a size is negative."""

def zeros_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Filled with 0, in the shape and dtype of ``input``."""

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Absolute value; gradient 0 at 0.

    Raises:
        DTypeError: the tensor is bool."""

def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Absolute value; gradient 0 at 0.

    Raises:
        DTypeError: the tensor is bool."""

def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Round up; integers stay as they are."""

def cos(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Cosine of radians."""

def erf(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Gauss error function."""

def exp(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``e ** x``."""

def expm1(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``exp(x) - 1``."""

def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Round down; integers stay as they are."""

def log(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm."""

def log1p(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + x)``."""

def pow(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """``input ** exponent``; small integer exponents become products.

    Raises:
        ArgumentError: an integer tensor, and a number below 0 as exponent.
        DTypeError: bools alone."""

def reciprocal(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``1 / x``."""

def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """Round half to even; integers stay as they are.

    Args:
        decimals: how many of a float's digits after the point are kept; of a negative number, zeros before it.

    Raises:
        DTypeError: the tensor is bool, or of integers, and ``decimals`` is not 0."""

def rsqrt(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``1 / sqrt(x)``."""

def sigmoid(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``."""

def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1; 0 of NaN. A bool tensor is its own."""

def sin(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Sine of radians."""

def sqrt(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Square root."""

def tanh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent."""

def bernoulli(input: Tensor, p: Any = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """1 with probability ``input`` (elementwise), or with probability ``p``, else 0; dtype of ``input``.

    Raises:
        DTypeError: probabilities that are integers."""

def rand(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Uniform numbers in [0, 1); the same on every device for one seed.

    float32 by default.

    Raises:
        DTypeError: the dtype is not floating point.
        ShapeError: a size is negative."""

def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """As :func:`rand`, in the shape and dtype of ``input``."""

def randint(
    low: Any,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Integers in [low, high): ``randint(low, high, size)``, or ``randint(high, size)`` from 0.

    int32 by default. Of more than 2**24 different ones, the lower ones are more likely by at most 2**-8.

    Raises:
        ShapeError: the range is empty, or beyond 32 bits."""

def randn(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Numbers from the standard normal distribution (Box and Muller 1958). Errors: :func:`rand`."""

def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """As :func:`randn`, in the shape and dtype of ``input``."""

def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The integers below ``n`` in a random order; int32 by default: the places of random numbers that are sorted."""

def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1, out: Tensor | None = None) -> Tensor:
    """``input + value * tensor1 / tensor2``, broadcast.

    Raises:
        DTypeError: both that are divided are integers.
        ShapeError: the shapes do not broadcast."""

def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1, out: Tensor | None = None) -> Tensor:
    """``input + value * tensor1 * tensor2``, broadcast.

    Raises:
        ShapeError: the shapes do not broadcast."""

def clamp_max(input: Tensor, max: Any, *, out: Tensor | None = None) -> Tensor:
    """``input``, or ``max`` where that is less: a number or a tensor."""

def clamp_min(input: Tensor, min: Any, *, out: Tensor | None = None) -> Tensor:
    """``input``, or ``min`` where that is larger: a number or a tensor."""

def copysign(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The size of ``input`` with the sign of ``other``, broadcast; a float.

    Raises:
        ShapeError: the shapes do not broadcast."""

def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Round toward 0; integers stay as they are."""

def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two, broadcast; the other one where one is NaN.

    Raises:
        ShapeError: the shapes do not broadcast."""

def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two, broadcast; the other one where one is NaN. Errors: :func:`fmax`."""

def fmod(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """What is left of ``input`` after whole multiples of ``other``, exact, signed as ``input``, broadcast.

    Raises:
        ShapeError: the shapes do not broadcast.
        ZeroDivisionError: an integer is divided by the number 0. Zeros in an integer tensor cannot raise."""

def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What lies behind the point, with the sign of ``input``.

    Raises:
        DTypeError: the tensor is not floating point."""

def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 below 0, 1 above, and ``values`` at 0; broadcast, no gradient.

    Raises:
        DTypeError: the dtypes differ."""

def lerp(input: Tensor, end: Tensor, weight: Any, *, out: Tensor | None = None) -> Tensor:
    """``input + weight * (end - input)``, broadcast.

    Args:
        weight: a number or a tensor.

    Raises:
        DTypeError: the dtypes differ, or are not floating point.
        ShapeError: the shapes do not broadcast."""

def nan_to_num(
    input: Tensor,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with numbers in place of NaN and infinities: by default 0 and the dtype's largest and lowest."""

def rsub(input: Any, other: Any, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """``other - alpha * input``, broadcast.

    Raises:
        ShapeError: the shapes do not broadcast."""

def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """:func:`sign`, as there are no complex numbers."""

def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the sign is set, also of zeros; bool."""

def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Round toward 0; integers stay as they are."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0."""

def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is negative infinity; bool."""

def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is positive infinity; bool."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 - erf(x)``, exact where that is small, too."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of :func:`erf`; infinite at -1 and 1, NaN beyond."""

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of :func:`lgamma`; NaN at negative integers, and an infinity at 0."""

def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised lower incomplete gamma function of shape ``input``, up to some 100, at ``other``.

    Raises:
        NotImplementedError: a gradient by ``input`` is wanted."""

def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised upper incomplete gamma function. As :func:`igamma`."""

def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the size of the gamma function."""

def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension ``p``.

    Raises:
        ArgumentError: ``p`` is less than 1."""

def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The ``n``-th derivative of :func:`digamma`.

    Raises:
        ArgumentError: ``n`` is negative."""

def frexp(input: Tensor, *, out: Tensor | None = None) -> Any:
    """The pair (mantissa, exponent) with ``input = mantissa * 2 ** exponent`` and the mantissa in [1/2, 1).

    Raises:
        DTypeError: the tensor is not floating point."""

def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor of integers, broadcast.

    Raises:
        DTypeError: an operand is floating point or bool.
        ShapeError: the shapes do not broadcast."""

def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple of integers, broadcast. Errors: :func:`gcd`."""

def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The float next to ``input`` in the direction of ``other``, broadcast; no gradient.

    Raises:
        DTypeError: they are not float32."""

def exp2(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``2 ** x``."""

def float_power(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """Refused: ``input ** exponent`` in float64, which no device computes.

    Raises:
        NotImplementedError: always; ``pow`` computes in float32."""

def ldexp(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input * 2 ** other``, broadcast; a float."""

def log10(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of base 10."""

def log2(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of base 2."""

def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(exp(input) + exp(other))``, broadcast, without overflow.

    Raises:
        ShapeError: the shapes do not broadcast."""

def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log2(2 ** input + 2 ** other)``, broadcast, without overflow. Errors: :func:`logaddexp`."""

def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """``log(x / (1 - x))``, of ``x`` limited to [eps, 1 - eps] if ``eps`` is given; NaN outside of [0, 1]."""

def xlogy(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input * log(other)``, and 0 where ``input`` is 0, unless ``other`` is NaN.

    Raises:
        ShapeError: the shapes do not broadcast."""

def as_tensor(
    data: Any,
    dtype: DType | None = None,
    *,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """``data`` as a tensor: itself if it is one of that dtype, else a copy (memory is not shared with NumPy)."""

def asarray(
    obj: Any,
    *,
    dtype: DType | None = None,
    copy: bool | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """As :func:`as_tensor`; ``copy=True`` makes another tensor of a tensor.

    Raises:
        ArgumentError: ``copy=False`` of what is no tensor, as memory is not shared."""

def empty_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """As :func:`zeros_like`: there is no uninitialised memory here."""

def empty_permuted(
    size: Any,
    physical_layout: Any,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """As :func:`empty`, with the dimensions in memory in the order of ``physical_layout``.

    Raises:
        ArgumentError: the order does not name each dimension once."""

def empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """As :func:`empty`, where the strides are those of row-major order.

    Raises:
        NotImplementedError: other strides."""

def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """``base`` to the power of ``steps`` numbers from ``start`` to ``end``, both included."""

def new_empty(
    input: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """As :func:`new_zeros`: there is no uninitialised memory here."""

def new_empty_strided(
    input: Tensor,
    size: Any,
    stride: Any,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """As :func:`empty_strided`, in the dtype of ``input``."""

def new_full(
    input: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """``size`` filled with ``fill_value``, in the dtype of ``input``."""

def new_ones(
    input: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Filled with 1, in the dtype of ``input``."""

def new_tensor(
    input: Tensor,
    data: Any,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """A tensor with a copy of ``data``, in the dtype of ``input``."""

def new_zeros(
    input: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Filled with 0, in the dtype of ``input``."""

def randint_like(
    input: Tensor,
    low: Any,
    high: Any = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """As :func:`randint`, in the shape and dtype of ``input``: ``randint_like(x, high)`` or ``(x, low, high)``."""

def scalar_tensor(
    s: Any,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """A 0-d tensor of a number; float32 by default."""

def tril_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DType | None = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Rows and columns, ``[2, n]``, of the elements on and below a diagonal of a matrix ``[row, col]``."""

def triu_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DType | None = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Rows and columns, ``[2, n]``, of the elements on and above a diagonal of a matrix ``[row, col]``."""

def acos(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse cosine."""

def acosh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic cosine; NaN below 1."""

def arccos(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse cosine."""

def arccosh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic cosine; NaN below 1."""

def arcsin(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse sine."""

def arcsinh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic sine."""

def arctan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent."""

def arctan2(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians, from -pi to pi, of the points (other, input)."""

def arctanh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic tangent; NaN outside of [-1, 1]."""

def asin(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse sine."""

def asinh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic sine."""

def atan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent."""

def atan2(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians, from -pi to pi, of the points (other, input)."""

def atanh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic tangent; NaN outside of [-1, 1]."""

def cosh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic cosine."""

def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees as radians."""

def hypot(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``sqrt(input ** 2 + other ** 2)``."""

def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians as degrees."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(pi x) / (pi x)``, and 1 at 0."""

def sinh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic sine."""

def tan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Tangent of radians."""
