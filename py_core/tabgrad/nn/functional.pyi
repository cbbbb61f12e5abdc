"""PyTorch's ``torch.nn.functional``."""

# Written by build_scripts/stubs.py.

from typing import Any

from tabgrad.dtypes import DType
from tabgrad.ops.activation import dropout as dropout
from tabgrad.ops.activation import elu as elu
from tabgrad.ops.activation import gelu as gelu
from tabgrad.ops.activation import leaky_relu as leaky_relu
from tabgrad.ops.activation import relu as relu
from tabgrad.ops.activation import silu as silu
from tabgrad.ops.activation import softplus as softplus
from tabgrad.ops.attention import scaled_dot_product_attention as scaled_dot_product_attention
from tabgrad.ops.conv import conv2d as conv2d
from tabgrad.ops.indexing import embedding as embedding
from tabgrad.ops.indexing import one_hot as one_hot
from tabgrad.ops.loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from tabgrad.ops.loss import cross_entropy as cross_entropy
from tabgrad.ops.loss import l1_loss as l1_loss
from tabgrad.ops.loss import mse_loss as mse_loss
from tabgrad.ops.loss import nll_loss as nll_loss
from tabgrad.ops.loss import smooth_l1_loss as smooth_l1_loss
from tabgrad.ops.matmul import linear as linear
from tabgrad.ops.normalization import batch_norm as batch_norm
from tabgrad.ops.normalization import group_norm as group_norm
from tabgrad.ops.normalization import layer_norm as layer_norm
from tabgrad.ops.normalization import rms_norm as rms_norm
from tabgrad.ops.pool import adaptive_avg_pool2d as adaptive_avg_pool2d
from tabgrad.ops.pool import avg_pool2d as avg_pool2d
from tabgrad.ops.pool import max_pool2d as max_pool2d
from tabgrad.ops.rare.adaptive_pooling import adaptive_avg_pool1d as adaptive_avg_pool1d
from tabgrad.ops.rare.adaptive_pooling import adaptive_avg_pool3d as adaptive_avg_pool3d
from tabgrad.ops.rare.adaptive_pooling import adaptive_max_pool1d as adaptive_max_pool1d
from tabgrad.ops.rare.adaptive_pooling import adaptive_max_pool2d as adaptive_max_pool2d
from tabgrad.ops.rare.adaptive_pooling import adaptive_max_pool3d as adaptive_max_pool3d
from tabgrad.ops.rare.bilinear import bilinear as bilinear
from tabgrad.ops.rare.convolutions import conv1d as conv1d
from tabgrad.ops.rare.convolutions import conv3d as conv3d
from tabgrad.ops.rare.ctc import ctc_loss as ctc_loss
from tabgrad.ops.rare.distances import cosine_similarity as cosine_similarity
from tabgrad.ops.rare.distances import pairwise_distance as pairwise_distance
from tabgrad.ops.rare.dropouts import alpha_dropout as alpha_dropout
from tabgrad.ops.rare.dropouts import dropout1d as dropout1d
from tabgrad.ops.rare.dropouts import dropout2d as dropout2d
from tabgrad.ops.rare.dropouts import dropout3d as dropout3d
from tabgrad.ops.rare.dropouts import feature_alpha_dropout as feature_alpha_dropout
from tabgrad.ops.rare.embedding_bags import embedding_bag as embedding_bag
from tabgrad.ops.rare.fractional_pooling import fractional_max_pool2d as fractional_max_pool2d
from tabgrad.ops.rare.fractional_pooling import fractional_max_pool3d as fractional_max_pool3d
from tabgrad.ops.rare.grids import affine_grid as affine_grid
from tabgrad.ops.rare.grids import grid_sample as grid_sample
from tabgrad.ops.rare.instance_norm import instance_norm as instance_norm
from tabgrad.ops.rare.instance_norm import local_response_norm as local_response_norm
from tabgrad.ops.rare.interpolation import interpolate as interpolate
from tabgrad.ops.rare.interpolation import upsample as upsample
from tabgrad.ops.rare.interpolation import upsample_bilinear as upsample_bilinear
from tabgrad.ops.rare.interpolation import upsample_nearest as upsample_nearest
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
from tabgrad.ops.rare.vector_norms import pdist as pdist
from tabgrad.ops.slicing import pad as pad
from tabgrad.random import Generator
from tabgrad.tensor import Tensor

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

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``."""

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent."""

def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """``x`` where it is outside ``[-lambd, lambd]``, else 0."""

def threshold(
    input: Tensor, threshold: float, value: float, inplace: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """``x`` where it exceeds ``threshold``, else ``value``."""

def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, *, out: Tensor | None = None) -> Tensor:
    """``x`` divided by its ``p``-norm along ``dim``, or by ``eps`` where that is larger."""

def celu_(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """:func:`tabgrad.ops.celu`, in place."""

def elu_(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """:func:`tabgrad.ops.elu`, in place."""

def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """:func:`tabgrad.ops.hardtanh`, in place."""

def leaky_relu_(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """:func:`tabgrad.ops.leaky_relu`, in place."""

def relu_(input: Tensor, inplace: bool = False) -> Tensor:
    """:func:`tabgrad.ops.relu`, in place."""

def rrelu_(
    input: Tensor,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool = False,
    inplace: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """:func:`tabgrad.ops.rrelu`, in place."""

def selu_(input: Tensor, inplace: bool = False) -> Tensor:
    """:func:`tabgrad.ops.selu`, in place."""

def threshold_(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """:func:`tabgrad.ops.threshold`, in place."""
