"""Operations on tensors, under PyTorch's names. One group per file; what a file declares public is found here."""

# Written by build_scripts/stubs.py.

from typing import Any

from tabgrad.dtypes import DType
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
from tabgrad.ops.comparison import where as where
from tabgrad.ops.conv import conv2d as conv2d
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
from tabgrad.ops.rare.adaptive_pooling import adaptive_avg_pool1d as adaptive_avg_pool1d
from tabgrad.ops.rare.adaptive_pooling import adaptive_avg_pool3d as adaptive_avg_pool3d
from tabgrad.ops.rare.adaptive_pooling import adaptive_max_pool1d as adaptive_max_pool1d
from tabgrad.ops.rare.adaptive_pooling import adaptive_max_pool2d as adaptive_max_pool2d
from tabgrad.ops.rare.adaptive_pooling import adaptive_max_pool3d as adaptive_max_pool3d
from tabgrad.ops.rare.adaptive_pooling import adaptive_mean as adaptive_mean
from tabgrad.ops.rare.borders import bordered as bordered
from tabgrad.ops.rare.convolutions import conv1d as conv1d
from tabgrad.ops.rare.convolutions import conv3d as conv3d
from tabgrad.ops.rare.deformable_convolution import deform_conv2d as deform_conv2d
from tabgrad.ops.rare.dropouts import alpha_dropout as alpha_dropout
from tabgrad.ops.rare.dropouts import dropout1d as dropout1d
from tabgrad.ops.rare.dropouts import dropout2d as dropout2d
from tabgrad.ops.rare.dropouts import dropout3d as dropout3d
from tabgrad.ops.rare.dropouts import feature_alpha_dropout as feature_alpha_dropout
from tabgrad.ops.rare.dropouts import feature_dropout as feature_dropout
from tabgrad.ops.rare.fractional_pooling import fractional_max_pool2d as fractional_max_pool2d
from tabgrad.ops.rare.fractional_pooling import fractional_max_pool3d as fractional_max_pool3d
from tabgrad.ops.rare.grids import affine_grid as affine_grid
from tabgrad.ops.rare.grids import grid_sample as grid_sample
from tabgrad.ops.rare.grids import grid_sampler as grid_sampler
from tabgrad.ops.rare.grids import grid_sampler_2d as grid_sampler_2d
from tabgrad.ops.rare.grids import grid_sampler_3d as grid_sampler_3d
from tabgrad.ops.rare.instance_norm import instance_norm as instance_norm
from tabgrad.ops.rare.instance_norm import local_response_norm as local_response_norm
from tabgrad.ops.rare.interpolation import interpolate as interpolate
from tabgrad.ops.rare.interpolation import upsample as upsample
from tabgrad.ops.rare.interpolation import upsample_bilinear as upsample_bilinear
from tabgrad.ops.rare.interpolation import upsample_nearest as upsample_nearest
from tabgrad.ops.rare.pooling import avg_pool1d as avg_pool1d
from tabgrad.ops.rare.pooling import avg_pool3d as avg_pool3d
from tabgrad.ops.rare.pooling import lp_pool1d as lp_pool1d
from tabgrad.ops.rare.pooling import lp_pool2d as lp_pool2d
from tabgrad.ops.rare.pooling import lp_pool3d as lp_pool3d
from tabgrad.ops.rare.pooling import max_pool1d as max_pool1d
from tabgrad.ops.rare.pooling import max_pool1d_with_indices as max_pool1d_with_indices
from tabgrad.ops.rare.pooling import max_pool2d_with_indices as max_pool2d_with_indices
from tabgrad.ops.rare.pooling import max_pool3d as max_pool3d
from tabgrad.ops.rare.pooling import max_pool3d_with_indices as max_pool3d_with_indices
from tabgrad.ops.rare.rearrangement import channel_shuffle as channel_shuffle
from tabgrad.ops.rare.rearrangement import fold as fold
from tabgrad.ops.rare.rearrangement import pixel_shuffle as pixel_shuffle
from tabgrad.ops.rare.rearrangement import pixel_unshuffle as pixel_unshuffle
from tabgrad.ops.rare.rearrangement import unfold as unfold
from tabgrad.ops.rare.rectifiers import celu as celu
from tabgrad.ops.rare.rectifiers import hardshrink as hardshrink
from tabgrad.ops.rare.rectifiers import hardsigmoid as hardsigmoid
from tabgrad.ops.rare.rectifiers import hardswish as hardswish
from tabgrad.ops.rare.rectifiers import hardtanh as hardtanh
from tabgrad.ops.rare.rectifiers import prelu as prelu
from tabgrad.ops.rare.rectifiers import relu6 as relu6
from tabgrad.ops.rare.rectifiers import rrelu as rrelu
from tabgrad.ops.rare.rectifiers import selu as selu
from tabgrad.ops.rare.rectifiers import softshrink as softshrink
from tabgrad.ops.rare.rectifiers import threshold as threshold
from tabgrad.ops.rare.smooth_activations import glu as glu
from tabgrad.ops.rare.smooth_activations import gumbel_softmax as gumbel_softmax
from tabgrad.ops.rare.smooth_activations import logsigmoid as logsigmoid
from tabgrad.ops.rare.smooth_activations import mish as mish
from tabgrad.ops.rare.smooth_activations import softmin as softmin
from tabgrad.ops.rare.smooth_activations import softsign as softsign
from tabgrad.ops.rare.smooth_activations import tanhshrink as tanhshrink
from tabgrad.ops.rare.transposed_convolutions import conv_transpose1d as conv_transpose1d
from tabgrad.ops.rare.transposed_convolutions import conv_transpose2d as conv_transpose2d
from tabgrad.ops.rare.transposed_convolutions import conv_transpose3d as conv_transpose3d
from tabgrad.ops.rare.unpooling import max_unpool1d as max_unpool1d
from tabgrad.ops.rare.unpooling import max_unpool2d as max_unpool2d
from tabgrad.ops.rare.unpooling import max_unpool3d as max_unpool3d
from tabgrad.ops.rare.window_maxima import pooled_with_places as pooled_with_places
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

def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, *, out: Tensor | None = None) -> Tensor:
    """``x`` divided by its ``p``-norm along ``dim``, or by ``eps`` where that is larger."""

def arctan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent."""

def atan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent."""

def tan(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Tangent of radians."""
