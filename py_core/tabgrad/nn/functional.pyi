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
from tabgrad.ops.rare.vector_norms import pdist as pdist
from tabgrad.ops.slicing import pad as pad
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

def sigmoid(input: Any, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``."""

def tanh(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent."""
