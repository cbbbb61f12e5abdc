"""PyTorch's ``torch.nn.functional``: the functions behind the layers, for models written without them."""

from tabgrad import names as _names

globals().update(_names.functional())
__all__ = sorted(_names.functional())
