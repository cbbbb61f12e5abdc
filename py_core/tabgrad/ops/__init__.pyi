"""Operations on tensors, under PyTorch's names. One group per file; what a file declares public is found here."""

# Written by build_scripts/stubs.py.

from collections.abc import Sequence
from typing import Any

from tabgrad.dtypes import DType
from tabgrad.host_ops.array_protocols import __array_namespace__ as __array_namespace__
from tabgrad.host_ops.array_protocols import __dlpack__ as __dlpack__
from tabgrad.host_ops.array_protocols import __dlpack_device__ as __dlpack_device__
from tabgrad.host_ops.array_protocols import from_dlpack as from_dlpack
from tabgrad.host_ops.array_protocols import to_device as to_device
from tabgrad.host_ops.class_count import class_count as class_count
from tabgrad.host_ops.exponentials import matrix_exp as matrix_exp
from tabgrad.host_ops.fill_diagonal import fill_diagonal_ as fill_diagonal_
from tabgrad.host_ops.highest_degree import highest_degree as highest_degree
from tabgrad.host_ops.index_put import index_put as index_put
from tabgrad.host_ops.lu_use import lu as lu
from tabgrad.host_ops.places import argwhere as argwhere
from tabgrad.host_ops.places import nonzero as nonzero
from tabgrad.host_ops.places import nonzero_static as nonzero_static
from tabgrad.host_ops.places import repeat_interleave as repeat_interleave
from tabgrad.host_ops.polygamma_in_place import polygamma_ as polygamma_
from tabgrad.host_ops.pseudo_inverses import pinverse as pinverse
from tabgrad.host_ops.random_fills import bernoulli_ as bernoulli_
from tabgrad.host_ops.random_fills import cauchy_ as cauchy_
from tabgrad.host_ops.random_fills import exponential_ as exponential_
from tabgrad.host_ops.random_fills import geometric_ as geometric_
from tabgrad.host_ops.random_fills import log_normal_ as log_normal_
from tabgrad.host_ops.random_fills import poisson as poisson
from tabgrad.host_ops.random_fills import random_ as random_
from tabgrad.host_ops.shape_in_place import as_strided_ as as_strided_
from tabgrad.host_ops.shape_in_place import resize_ as resize_
from tabgrad.host_ops.shape_in_place import resize_as_ as resize_as_
from tabgrad.host_ops.shape_in_place import squeeze_ as squeeze_
from tabgrad.host_ops.shape_in_place import swapaxes_ as swapaxes_
from tabgrad.host_ops.shape_in_place import swapdims_ as swapdims_
from tabgrad.host_ops.shape_in_place import t_ as t_
from tabgrad.host_ops.shape_in_place import transpose_ as transpose_
from tabgrad.host_ops.shape_in_place import unsqueeze_ as unsqueeze_
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
from tabgrad.ops.arithmetic import clone as clone
from tabgrad.ops.arithmetic import positive as positive
from tabgrad.ops.attention import scaled_dot_product_attention as scaled_dot_product_attention
from tabgrad.ops.comparison import cast as cast
from tabgrad.ops.comparison import where_of as where_of
from tabgrad.ops.conv import conv2d as conv2d
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
from tabgrad.ops.folds import Dims
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
from tabgrad.ops.normalization import batch_norm as batch_norm
from tabgrad.ops.normalization import group_norm as group_norm
from tabgrad.ops.normalization import layer_norm as layer_norm
from tabgrad.ops.normalization import rms_norm as rms_norm
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
from tabgrad.ops.rare.arithmetic_forms import fill as fill
from tabgrad.ops.rare.bilinear import bilinear as bilinear
from tabgrad.ops.rare.borders import bordered as bordered
from tabgrad.ops.rare.comparisons import allclose as allclose
from tabgrad.ops.rare.comparisons import equal as equal
from tabgrad.ops.rare.comparisons import isclose as isclose
from tabgrad.ops.rare.comparisons import isinf as isinf
from tabgrad.ops.rare.comparisons import isreal as isreal
from tabgrad.ops.rare.constant_pad import constant_pad_nd as constant_pad_nd
from tabgrad.ops.rare.convolutions import conv1d as conv1d
from tabgrad.ops.rare.convolutions import conv3d as conv3d
from tabgrad.ops.rare.ctc import ctc_loss as ctc_loss
from tabgrad.ops.rare.deformable_convolution import deform_conv2d as deform_conv2d
from tabgrad.ops.rare.diagonals import diag_embed as diag_embed
from tabgrad.ops.rare.diagonals import diagflat as diagflat
from tabgrad.ops.rare.diagonals import diagonal as diagonal
from tabgrad.ops.rare.diagonals import diagonal_scatter as diagonal_scatter
from tabgrad.ops.rare.differences import cumulative_trapezoid as cumulative_trapezoid
from tabgrad.ops.rare.differences import gradient as gradient
from tabgrad.ops.rare.differences import trapezoid as trapezoid
from tabgrad.ops.rare.distances import cosine_similarity as cosine_similarity
from tabgrad.ops.rare.distances import pairwise_distance as pairwise_distance
from tabgrad.ops.rare.dropouts import alpha_dropout as alpha_dropout
from tabgrad.ops.rare.dropouts import dropout1d as dropout1d
from tabgrad.ops.rare.dropouts import dropout2d as dropout2d
from tabgrad.ops.rare.dropouts import dropout3d as dropout3d
from tabgrad.ops.rare.dropouts import feature_alpha_dropout as feature_alpha_dropout
from tabgrad.ops.rare.dropouts import feature_dropout as feature_dropout
from tabgrad.ops.rare.einsum import einsum as einsum
from tabgrad.ops.rare.embedding_bags import embedding_bag as embedding_bag
from tabgrad.ops.rare.embedding_bags import embedding_renorm_ as embedding_renorm_
from tabgrad.ops.rare.fractional_pooling import fractional_max_pool2d as fractional_max_pool2d
from tabgrad.ops.rare.fractional_pooling import fractional_max_pool3d as fractional_max_pool3d
from tabgrad.ops.rare.gamma import polygamma_of as polygamma_of
from tabgrad.ops.rare.grids import affine_grid as affine_grid
from tabgrad.ops.rare.grids import grid_sample as grid_sample
from tabgrad.ops.rare.grids import grid_sampler as grid_sampler
from tabgrad.ops.rare.grids import grid_sampler_2d as grid_sampler_2d
from tabgrad.ops.rare.grids import grid_sampler_3d as grid_sampler_3d
from tabgrad.ops.rare.histograms import histogramdd as histogramdd
from tabgrad.ops.rare.instance_norm import instance_norm as instance_norm
from tabgrad.ops.rare.instance_norm import local_response_norm as local_response_norm
from tabgrad.ops.rare.interpolation import interpolate as interpolate
from tabgrad.ops.rare.interpolation import upsample as upsample
from tabgrad.ops.rare.interpolation import upsample_bilinear as upsample_bilinear
from tabgrad.ops.rare.interpolation import upsample_nearest as upsample_nearest
from tabgrad.ops.rare.joined import atleast_1d as atleast_1d
from tabgrad.ops.rare.joined import atleast_2d as atleast_2d
from tabgrad.ops.rare.joined import atleast_3d as atleast_3d
from tabgrad.ops.rare.joined import block_diag as block_diag
from tabgrad.ops.rare.joined import broadcast_shapes as broadcast_shapes
from tabgrad.ops.rare.joined import broadcast_tensors as broadcast_tensors
from tabgrad.ops.rare.joined import cartesian_prod as cartesian_prod
from tabgrad.ops.rare.joined import combinations as combinations
from tabgrad.ops.rare.joined import meshgrid as meshgrid
from tabgrad.ops.rare.linear_cross_entropy import linear_cross_entropy as linear_cross_entropy
from tabgrad.ops.rare.margin_losses import cosine_embedding_loss as cosine_embedding_loss
from tabgrad.ops.rare.margin_losses import hinge_embedding_loss as hinge_embedding_loss
from tabgrad.ops.rare.margin_losses import margin_ranking_loss as margin_ranking_loss
from tabgrad.ops.rare.margin_losses import multi_margin_loss as multi_margin_loss
from tabgrad.ops.rare.margin_losses import multilabel_margin_loss as multilabel_margin_loss
from tabgrad.ops.rare.margin_losses import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from tabgrad.ops.rare.margin_losses import soft_margin_loss as soft_margin_loss
from tabgrad.ops.rare.margin_losses import triplet_margin_loss as triplet_margin_loss
from tabgrad.ops.rare.margin_losses import triplet_margin_with_distance_loss as triplet_margin_with_distance_loss
from tabgrad.ops.rare.multi_head_attention import multi_head_attention_forward as multi_head_attention_forward
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
from tabgrad.ops.rare.picked import put as put
from tabgrad.ops.rare.picked import unravel_index as unravel_index
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
from tabgrad.ops.rare.probability_losses import binary_cross_entropy as binary_cross_entropy
from tabgrad.ops.rare.probability_losses import gaussian_nll_loss as gaussian_nll_loss
from tabgrad.ops.rare.probability_losses import huber_loss as huber_loss
from tabgrad.ops.rare.probability_losses import kl_div as kl_div
from tabgrad.ops.rare.probability_losses import poisson_nll_loss as poisson_nll_loss
from tabgrad.ops.rare.questions import apply_ as apply_
from tabgrad.ops.rare.questions import data_ptr as data_ptr
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
from tabgrad.ops.rare.rearrangement import channel_shuffle as channel_shuffle
from tabgrad.ops.rare.rearrangement import fold as fold
from tabgrad.ops.rare.rearrangement import pixel_shuffle as pixel_shuffle
from tabgrad.ops.rare.rearrangement import pixel_unshuffle as pixel_unshuffle
from tabgrad.ops.rare.rearrangement import unfold as unfold
from tabgrad.ops.rare.rectifiers import celu as celu
from tabgrad.ops.rare.rectifiers import hardsigmoid as hardsigmoid
from tabgrad.ops.rare.rectifiers import hardswish as hardswish
from tabgrad.ops.rare.rectifiers import hardtanh as hardtanh
from tabgrad.ops.rare.rectifiers import prelu as prelu
from tabgrad.ops.rare.rectifiers import relu6 as relu6
from tabgrad.ops.rare.rectifiers import rrelu as rrelu
from tabgrad.ops.rare.rectifiers import selu as selu
from tabgrad.ops.rare.rectifiers import softshrink as softshrink
from tabgrad.ops.rare.recurrent import gru as gru
from tabgrad.ops.rare.recurrent import gru_cell as gru_cell
from tabgrad.ops.rare.recurrent import lstm as lstm
from tabgrad.ops.rare.recurrent import lstm_cell as lstm_cell
from tabgrad.ops.rare.recurrent import rnn_relu as rnn_relu
from tabgrad.ops.rare.recurrent import rnn_relu_cell as rnn_relu_cell
from tabgrad.ops.rare.recurrent import rnn_tanh as rnn_tanh
from tabgrad.ops.rare.recurrent import rnn_tanh_cell as rnn_tanh_cell
from tabgrad.ops.rare.scattered_parts import select_scatter as select_scatter
from tabgrad.ops.rare.smooth_activations import glu as glu
from tabgrad.ops.rare.smooth_activations import gumbel_softmax as gumbel_softmax
from tabgrad.ops.rare.smooth_activations import logsigmoid as logsigmoid
from tabgrad.ops.rare.smooth_activations import mish as mish
from tabgrad.ops.rare.smooth_activations import softmin as softmin
from tabgrad.ops.rare.smooth_activations import softsign as softsign
from tabgrad.ops.rare.smooth_activations import tanhshrink as tanhshrink
from tabgrad.ops.rare.statistics import corrcoef as corrcoef
from tabgrad.ops.rare.statistics import count_nonzero as count_nonzero
from tabgrad.ops.rare.statistics import cov as cov
from tabgrad.ops.rare.statistics import std_mean as std_mean
from tabgrad.ops.rare.statistics import trace as trace
from tabgrad.ops.rare.statistics import var_mean as var_mean
from tabgrad.ops.rare.strided import as_strided as as_strided
from tabgrad.ops.rare.strided import as_strided_scatter as as_strided_scatter
from tabgrad.ops.rare.strided import storage_offset as storage_offset
from tabgrad.ops.rare.tensors_alike import new as new
from tabgrad.ops.rare.transposed_convolutions import conv_transpose1d as conv_transpose1d
from tabgrad.ops.rare.transposed_convolutions import conv_transpose2d as conv_transpose2d
from tabgrad.ops.rare.transposed_convolutions import conv_transpose3d as conv_transpose3d
from tabgrad.ops.rare.unpooling import max_unpool1d as max_unpool1d
from tabgrad.ops.rare.unpooling import max_unpool2d as max_unpool2d
from tabgrad.ops.rare.unpooling import max_unpool3d as max_unpool3d
from tabgrad.ops.rare.vandermonde import vander as vander
from tabgrad.ops.rare.vector_norms import cdist as cdist
from tabgrad.ops.rare.vector_norms import dist as dist
from tabgrad.ops.rare.vector_norms import pdist as pdist
from tabgrad.ops.rare.wgsl import wgsl_op as wgsl_op
from tabgrad.ops.rare.window_maxima import pooled_with_places as pooled_with_places
from tabgrad.ops.rare.windows import unfold_dim as unfold_dim
from tabgrad.ops.result_types import PLU, QR, USV, Histogram, MinAndMax, SignAndLogarithm, ValuesAndIndices
from tabgrad.ops.slicing import chunk as chunk
from tabgrad.ops.slicing import flip as flip
from tabgrad.ops.slicing import narrow as narrow
from tabgrad.ops.slicing import pad as pad
from tabgrad.ops.slicing import repeat as repeat
from tabgrad.ops.slicing import split as split
from tabgrad.ops.slicing import tile as tile
from tabgrad.random import Generator
from tabgrad.tensor import Tensor

def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """Products of ``n`` square matrices; of a negative number those of the inverse, which the host computes."""

def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle L with ``L Lᵀ = input``, or its transpose if ``upper``; computed on the host.

    Raises:
        SingularError: a matrix is not positive definite."""

def cholesky_inverse(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``A``, given its Cholesky factor; computed on the host."""

def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """``X`` with ``A X = input``, given Cholesky's factor of ``A``; computed on the host."""

def qr(input: Tensor, some: bool = True, *, out: Tensor | None = None) -> QR:
    """Orthonormal columns and an upper triangle whose product is the matrix: (Q, R); computed on the host."""

def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``X`` with ``A X = input``, given what ``linalg.lu_factor(A)`` returns; computed on the host."""

def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
    *,
    out: Tensor | None = None,
) -> PLU:
    """What ``linalg.lu_factor(A)`` returns as (P, L, U); empty tensors for what is not asked for."""

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

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where ``mask`` holds, in row-major order; input and mask are broadcast.

    Raises:
        DeviceError: the mask is read back, and this platform cannot wait.
        DTypeError: the mask is not bool.
        NotImplementedError: a step is being recorded."""

def svd(input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Tensor | None = None) -> USV:
    """Singular vectors and values: (U, S, V) with ``A = U diag(S) Vᵀ``; computed on the host."""

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

def add(input: Tensor | float, other: Tensor | float, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
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

def div(
    input: Tensor | float, other: Tensor | float, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor:
    """``input / other``, broadcast; integers are divided as float32, unless the quotient is rounded.

    Args:
        rounding_mode: None; ``"trunc"``, toward 0; or ``"floor"``, down, as :func:`floor_divide`.

    Raises:
        ArgumentError: there is no such rounding mode.
        ShapeError: the shapes do not broadcast."""

def divide(
    input: Tensor | float, other: Tensor | float, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor:
    """``input / other``, broadcast; integers are divided as float32, unless the quotient is rounded.

    Args:
        rounding_mode: None; ``"trunc"``, toward 0; or ``"floor"``, down, as :func:`floor_divide`.

    Raises:
        ArgumentError: there is no such rounding mode.
        ShapeError: the shapes do not broadcast."""

def floor_divide(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
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

def mul(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input * other``, broadcast; bool operands are combined with *and*.

    Raises:
        ShapeError: the shapes do not broadcast."""

def multiply(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
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

def remainder(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input - other * floor(input / other)``, exact, signed as ``other``. Errors: :func:`floor_divide`."""

def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input * input``; of bools int64."""

def sub(input: Tensor | float, other: Tensor | float, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """``input - alpha * other``, broadcast.

    Args:
        input, other: tensors or numbers, promoted as in PyTorch.
        alpha: a number by which ``other`` is multiplied first.

    Raises:
        DTypeError: both are bool; use ``logical_xor``.
        ShapeError: the shapes do not broadcast."""

def subtract(input: Tensor | float, other: Tensor | float, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """``input - alpha * other``, broadcast.

    Args:
        input, other: tensors or numbers, promoted as in PyTorch.
        alpha: a number by which ``other`` is multiplied first.

    Raises:
        DTypeError: both are bool; use ``logical_xor``.
        ShapeError: the shapes do not broadcast."""

def true_divide(
    input: Tensor | float, other: Tensor | float, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor:
    """``input / other``, broadcast; integers are divided as float32, unless the quotient is rounded.

    Args:
        rounding_mode: None; ``"trunc"``, toward 0; or ``"floor"``, down, as :func:`floor_divide`.

    Raises:
        ArgumentError: there is no such rounding mode.
        ShapeError: the shapes do not broadcast."""

def bitwise_and(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """The bits that both have, broadcast; of bools the logical *and*.

    Raises:
        NoSuchDTypeError: an operand is floating point.
        ShapeError: the shapes do not broadcast."""

def bitwise_left_shift(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input * 2 ** other`` of integers, broadcast; 0 if ``other`` is not in [0, 32).

    Raises:
        NoSuchDTypeError: an operand is floating point, or both are bool.
        ShapeError: the shapes do not broadcast."""

def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All bits changed; of bools the logical *not*.

    Raises:
        NoSuchDTypeError: the tensor is floating point."""

def bitwise_or(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """The bits that either has, broadcast; of bools the logical *or*. Errors: :func:`bitwise_and`."""

def bitwise_right_shift(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input / 2 ** other`` of integers, rounded down, broadcast. Errors: :func:`bitwise_left_shift`."""

def bitwise_xor(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """The bits that one of both has, broadcast; of bools the logical *xor*. Errors: :func:`bitwise_and`."""

def eq(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input == other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def ge(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input >= other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def greater(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input > other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def greater_equal(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input >= other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def gt(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input > other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def le(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input <= other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def less(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input < other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def less_equal(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input <= other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def logical_and(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Both nonzero; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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

def lt(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input < other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def ne(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input != other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def not_equal(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input != other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast."""

def where(condition: Tensor, input: Any = None, other: Any = None, *, out: Tensor | None = None) -> Any:
    """``input`` where ``condition`` holds, else ``other``; all broadcast.

    Args:
        condition: bool. Alone, its places are read back, as
            :func:`tabgrad.nonzero` with ``as_tuple=True`` does.
        input, other: tensors or numbers, promoted as in PyTorch.

    Raises:
        DTypeError: ``condition`` is not bool, or float32 cannot hold a number.
        ShapeError: the shapes do not broadcast."""

def arange(
    start: Any = None,
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

def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Cosine of radians."""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Gauss error function."""

def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``e ** x``."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(x) - 1``."""

def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Round down; integers stay as they are."""

def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + x)``."""

def pow(input: Tensor | float, exponent: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input ** exponent``; small integer exponents become products.

    Raises:
        ArgumentError: an integer tensor, and a number below 0 as exponent.
        DTypeError: bools alone."""

def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / x``."""

def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """Round half to even; integers stay as they are.

    Args:
        decimals: how many of a float's digits after the point are kept; of a negative number, zeros before it.

    Raises:
        DTypeError: the tensor is bool, or of integers, and ``decimals`` is not 0."""

def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / sqrt(x)``."""

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``."""

def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1; 0 of NaN. A bool tensor is its own."""

def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine of radians."""

def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Square root."""

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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

def copysign(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
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

def fmod(input: Tensor, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
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

def rsub(input: Tensor, other: Tensor | float, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
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

def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False, out: Tensor | None = None
) -> Tensor:
    """Whether each element is among others; bool.

    Args:
        assume_unique: accepted; it changes nothing.
        invert: whether it is not."""

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

def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is negative infinity; bool."""

def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is positive infinity; bool."""

def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """A copy of a matrix's diagonal; of a vector the matrix that has it there.

    Raises:
        ShapeError: there are neither one nor two dimensions."""

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
    """The float next to ``input`` in the direction of ``other``, broadcast. The gradient is 1 where it moves.

    Raises:
        DTypeError: they are neither float32 nor float64."""

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

def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """As ``linalg.multi_dot`` of its arguments."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``2 ** x``."""

def float_power(input: Tensor | float, exponent: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input ** exponent`` in float64, which the reference device alone computes.

    Raises:
        DTypeError: a GPU computes; ``pow(input.float(), exponent)`` is in float32."""

def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input * 2 ** other``, broadcast; a float."""

def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of base 10."""

def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of base 2."""

def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(exp(input) + exp(other))``, broadcast, without overflow.

    Raises:
        ShapeError: the shapes do not broadcast."""

def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log2(2 ** input + 2 ** other)``, broadcast, without overflow. Errors: :func:`logaddexp`."""

def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """``log(x / (1 - x))``, of ``x`` limited to [eps, 1 - eps] if ``eps`` is given; NaN outside of [0, 1]."""

def xlogy(input: Tensor | float, other: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """``input * log(other)``, and 0 where ``input`` is 0, unless ``other`` is NaN.

    Raises:
        ShapeError: the shapes do not broadcast."""

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

def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """The rows of ``source`` for each row that the index names, reduced, with the row itself among them or not.

    Args:
        reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether the row of ``input`` counts where any is named; elsewhere it stays.

    Raises:
        ValueError: there is no such reduction.
        ShapeError: ``source`` is not ``input`` with as many rows as the index."""

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

def moveaxis(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions ``source`` moved to the places ``destination``; the others keep their order.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: one is named twice, or there are not as many places as dimensions."""

def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """``x`` where it is outside ``[-lambd, lambd]``, else 0."""

def threshold(
    input: Tensor, threshold: float, value: float, inplace: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """``x`` where it exceeds ``threshold``, else ``value``."""

def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """A copy with ``src`` in place of the slice ``start:end:step`` along ``dim``.

    Raises:
        IndexRangeError: the dimension does not exist.
        ShapeError: ``src`` is not of the slice's shape, or ``step`` is below 1."""

def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, *, out: Tensor | None = None) -> Tensor:
    """``x`` divided by its ``p``-norm along ``dim``, or by ``eps`` where that is larger."""

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
    """As :func:`empty`, with those distances between neighbours in memory; zeros.

    Raises:
        ShapeError: there are not as many strides as sizes, or one is negative."""

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

def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse cosine."""

def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic cosine; NaN below 1."""

def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse cosine."""

def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic cosine; NaN below 1."""

def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse sine."""

def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic sine."""

def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent."""

def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians, from -pi to pi, of the points (other, input)."""

def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic tangent; NaN outside of [-1, 1]."""

def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse sine."""

def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic sine."""

def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent."""

def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians, from -pi to pi, of the points (other, input)."""

def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic tangent; NaN outside of [-1, 1]."""

def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic cosine."""

def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees as radians."""

def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sqrt(input ** 2 + other ** 2)``."""

def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians as degrees."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(pi x) / (pi x)``, and 1 at 0."""

def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic sine."""

def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Tangent of radians."""

def renorm(input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None) -> Tensor:
    """Scale each slice along ``dim`` whose norm of order ``p`` is larger than ``maxnorm`` down to it."""

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
