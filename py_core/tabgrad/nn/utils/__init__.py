"""PyTorch's ``torch.nn.utils``: functions on parameters and gradients."""

from tabgrad.argument_errors import reword_all as _reword_all
from tabgrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_

__all__ = ["clip_grad_norm_", "clip_grad_value_"]

_reword_all(globals(), __all__)
