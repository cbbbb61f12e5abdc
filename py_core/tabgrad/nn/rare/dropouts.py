"""Dropout layers of whole channels, and for SELU."""

from __future__ import annotations

from tabgrad.nn import functional as F
from tabgrad.nn.dropout import Dropout
from tabgrad.tensor import Tensor


class Dropout1d(Dropout):
    """In training, zeroes whole channels of ``[n, c, l]`` or ``[c, l]``."""

    def forward(self, input: Tensor) -> Tensor:
        """Same shape; in evaluation the input itself."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """In training, zeroes whole channels of ``[n, c, h, w]``. Source: https://arxiv.org/abs/1411.4280"""

    def forward(self, input: Tensor) -> Tensor:
        """Same shape; in evaluation the input itself."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(Dropout):
    """In training, zeroes whole channels of ``[n, c, d, h, w]`` or ``[c, d, h, w]``."""

    def forward(self, input: Tensor) -> Tensor:
        """Same shape; in evaluation the input itself."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(Dropout):
    """Dropout for SELU, which keeps mean 0 and variance 1. Source: https://arxiv.org/abs/1706.02515"""

    def forward(self, input: Tensor) -> Tensor:
        """Same shape; in evaluation the input itself."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(Dropout):
    """:class:`AlphaDropout` of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        """Same shape; in evaluation the input itself."""
        return F.feature_alpha_dropout(input, self.p, self.training)


__all__ = ["AlphaDropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]
