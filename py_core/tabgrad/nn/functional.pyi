"""PyTorch's ``torch.nn.functional``."""

# Written by build_scripts/stubs.py.

from typing import Any

from tabgrad.ops.activation import dropout as dropout
from tabgrad.ops.activation import elu as elu
from tabgrad.ops.activation import gelu as gelu
from tabgrad.ops.activation import leaky_relu as leaky_relu
from tabgrad.ops.activation import log_softmax as log_softmax
from tabgrad.ops.activation import relu as relu
from tabgrad.ops.activation import silu as silu
from tabgrad.ops.activation import softmax as softmax
from tabgrad.ops.activation import softplus as softplus
from tabgrad.ops.attention import scaled_dot_product_attention as scaled_dot_product_attention
from tabgrad.ops.conv import conv1d as conv1d
from tabgrad.ops.conv import conv2d as conv2d
from tabgrad.ops.conv import conv_transpose2d as conv_transpose2d
from tabgrad.ops.indexing import embedding as embedding
from tabgrad.ops.indexing import one_hot as one_hot
from tabgrad.ops.loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from tabgrad.ops.loss import cross_entropy as cross_entropy
from tabgrad.ops.loss import l1_loss as l1_loss
from tabgrad.ops.loss import mse_loss as mse_loss
from tabgrad.ops.loss import nll_loss as nll_loss
from tabgrad.ops.loss import smooth_l1_loss as smooth_l1_loss
from tabgrad.ops.matmul import linear as linear
from tabgrad.ops.norm import batch_norm as batch_norm
from tabgrad.ops.norm import group_norm as group_norm
from tabgrad.ops.norm import layer_norm as layer_norm
from tabgrad.ops.norm import rms_norm as rms_norm
from tabgrad.ops.pool import adaptive_avg_pool2d as adaptive_avg_pool2d
from tabgrad.ops.pool import avg_pool2d as avg_pool2d
from tabgrad.ops.pool import max_pool2d as max_pool2d
from tabgrad.ops.rare.ctc import ctc_loss as ctc_loss
from tabgrad.ops.rare.distances import cosine_similarity as cosine_similarity
from tabgrad.ops.rare.distances import pairwise_distance as pairwise_distance
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
from tabgrad.ops.rare.probability_losses import binary_cross_entropy as binary_cross_entropy
from tabgrad.ops.rare.probability_losses import gaussian_nll_loss as gaussian_nll_loss
from tabgrad.ops.rare.probability_losses import huber_loss as huber_loss
from tabgrad.ops.rare.probability_losses import kl_div as kl_div
from tabgrad.ops.rare.probability_losses import poisson_nll_loss as poisson_nll_loss
from tabgrad.ops.slicing import pad as pad
from tabgrad.tensor import Tensor

def sigmoid(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``."""

def tanh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent."""
