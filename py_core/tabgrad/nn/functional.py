"""PyTorch's ``torch.nn.functional``: the functions behind the layers, for models written without them."""

from tabgrad.ops import (
    adaptive_avg_pool2d,
    avg_pool2d,
    batch_norm,
    binary_cross_entropy_with_logits,
    conv1d,
    conv2d,
    conv_transpose2d,
    cross_entropy,
    dropout,
    elu,
    gelu,
    group_norm,
    l1_loss,
    layer_norm,
    leaky_relu,
    linear,
    log_softmax,
    max_pool2d,
    mse_loss,
    nll_loss,
    one_hot,
    pad,
    relu,
    rms_norm,
    scaled_dot_product_attention,
    sigmoid,
    silu,
    smooth_l1_loss,
    softmax,
    softplus,
    tanh,
)
from tabgrad.ops import embedding as _embedding
from tabgrad.ops import where as _where
from tabgrad.tensor import Tensor


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Rows of ``weight`` ``[v, d]`` at the integers ``input``: ``[*input, d]``.

    Args:
        padding_idx: a number whose row gets no gradient; negative ones count from the end.
    """
    out = _embedding(input, weight)
    if padding_idx is None:
        return out
    is_padding = (input == padding_idx % weight.shape[0]).unsqueeze(-1)  # (*input, 1)
    return _where(is_padding, out.detach(), out)


__all__ = [
    "adaptive_avg_pool2d",
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "conv_transpose2d",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "gelu",
    "group_norm",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "pad",
    "relu",
    "rms_norm",
    "scaled_dot_product_attention",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "tanh",
]
