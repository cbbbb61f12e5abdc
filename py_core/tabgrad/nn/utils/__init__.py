"""What is done to parameters and gradients beside layers; PyTorch's ``torch.nn.utils``."""

from tabgrad.explained import explain_all as _explain_all
from tabgrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_

__all__ = ["clip_grad_norm_", "clip_grad_value_"]

_explain_all(globals(), __all__)
