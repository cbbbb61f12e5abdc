"""PyTorch's ``torch.nn.functional``: the layers as functions."""

from tabgrad import names as _names

globals().update(_names.functional())
__all__ = sorted(_names.functional())
