"""Batch normalisation layers.

Bring each channel to mean 0 and variance 1 over the batch, then scale and shift it.

``y = (x - mean) / sqrt(var + eps) * weight + bias``. In training, mean and (biased) variance are
the batch's, and the running statistics move towards them by ``momentum`` (the variance
unbiased); in evaluation they are the running statistics.

Args:
    num_features: number of channels, the second axis.
    eps: added to the variance.
    momentum: weight of the batch in the running statistics; ``None``: cumulative averages.
    affine: ``False`` leaves out weight and bias.
    track_running_stats: ``False`` uses the batch's statistics in evaluation too.
    bias: ``False`` leaves out the bias.

Source: Ioffe & Szegedy 2015, https://arxiv.org/abs/1502.03167
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.autograd import no_grad
from tabgrad.checks import real_number, whole_number
from tabgrad.errors import ShapeError
from tabgrad.nn import functional as F
from tabgrad.nn.affine import Affine
from tabgrad.tensor import Tensor


class _BatchNorm(Affine):
    """Base class of the layers; see :mod:`tabgrad.nn.batchnorm`."""

    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        caller = type(self).__name__
        num_features = whole_number(num_features, caller, "num_features", 0 if self._takes_features_later else 1)
        eps = real_number(eps, caller, "eps", 0)
        if momentum is not None:
            momentum = real_number(momentum, caller, "momentum", 0, 1)
        super().__init__((num_features,), weight=affine, bias=bias)
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        ones, zeros = np.ones(num_features, np.float32), np.zeros(num_features, np.float32)
        self.register_buffer("running_mean", Tensor._of(zeros) if track_running_stats else None)
        self.register_buffer("running_var", Tensor._of(ones) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", Tensor._of(np.int32(0)) if track_running_stats else None)
        self._placed(device, dtype)

    _takes_features_later = False  # at the first input, as lazy layers do

    def reset_running_stats(self) -> None:
        """Reset the running statistics."""
        for buffer, value in ((self.running_mean, 0.0), (self.running_var, 1.0), (self.num_batches_tracked, 0)):
            if buffer is not None:
                with no_grad():
                    buffer.fill_(value)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0, and reset the running statistics."""
        self.reset_running_stats()
        super().reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """The same shape as the input."""
        self._check(input)
        use_batch = self.training or self.running_mean is None
        momentum: Any = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            with no_grad():
                self.num_batches_tracked.add_(1)
                if self.momentum is None:
                    momentum = 1.0 / self.num_batches_tracked.float()
        tracked = self.running_mean is not None and (self.training or not use_batch)
        return F.batch_norm(
            input,
            self.running_mean if tracked else None,
            self.running_var if tracked else None,
            self.weight,
            self.bias,
            use_batch,
            momentum,
            self.eps,
        )

    def _check(self, input: Tensor) -> None:
        raise NotImplementedError

    def _check_rank(self, input: Tensor, ranks: tuple[int, ...], layout: str) -> None:
        if input.ndim not in ranks or input.shape[1] != self.num_features:
            raise ShapeError(
                f"{type(self).__name__}: expected input {layout.replace('C', str(self.num_features))}, "
                f"got {list(input.shape)}; the second axis is the {self.num_features} channels"
            )

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of ``[n, c]`` or ``[n, c, length]``; see :mod:`tabgrad.nn.batchnorm`."""

    def _check(self, input: Tensor) -> None:
        self._check_rank(input, (2, 3), "[N, C] or [N, C, L]")


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of images ``[n, c, h, w]``; see :mod:`tabgrad.nn.batchnorm`."""

    def _check(self, input: Tensor) -> None:
        self._check_rank(input, (4,), "[N, C, H, W]")


__all__ = ["BatchNorm1d", "BatchNorm2d"]
