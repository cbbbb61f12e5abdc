"""PyTorch's ``torch.nn.utils``: functions on parameters and gradients."""

from tabgrad.explained import explain_all as _explain_all
from tabgrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_

__all__ = ["clip_grad_norm_", "clip_grad_value_"]

_explain_all(globals(), __all__)
