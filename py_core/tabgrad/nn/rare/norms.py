"""Normalisation of volumes, of each sample's channels, and by the channels beside each."""

from __future__ import annotations

import warnings
from typing import Any

from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.nn import functional as F
from tabgrad.nn.batchnorm import _BatchNorm
from tabgrad.nn.module import Module
from tabgrad.ops import unsqueeze
from tabgrad.tensor import Tensor


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of volumes ``[n, c, d, h, w]``; see :mod:`tabgrad.nn.batchnorm`."""

    def _check(self, input: Tensor) -> None:
        self._check_rank(input, (5,), "[N, C, D, H, W]")


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation of any number of axes. There is one process, so that its batch is the whole batch."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check(self, input: Tensor) -> None:
        if input.ndim < 2 or input.shape[1] != self.num_features:
            raise ShapeError(f"SyncBatchNorm: expected input [N, {self.num_features}, ...], got {list(input.shape)}")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module, with its batch normalisations as they are: in one process they are synchronised already."""
        return module


class _InstanceNorm(_BatchNorm):
    """Brings each channel of each sample to mean 0 and variance 1, then scales and shifts it if ``affine``.

    Args:
        num_features: number of channels.
        eps: added to the variance.
        momentum: weight of a batch in the running statistics.
        affine: ``True`` for a weight and a bias.
        track_running_stats: ``True`` for running statistics, used in evaluation.

    Source: Ulyanov et al. 2016, https://arxiv.org/abs/1607.08022
    """

    _axes: int

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        """The same shape as the input."""
        caller, axes = type(self).__name__, self._axes
        if input.ndim not in (axes + 1, axes + 2):
            raise ShapeError(
                f"{caller}: expected input [N, C, ...] or [C, ...] with {axes} more axes, got {list(input.shape)}"
            )
        channels = input.shape[-axes - 1]
        if channels != self.num_features:
            if self.affine:
                raise ShapeError(f"{caller}: expected {self.num_features} channels, got {list(input.shape)}")
            warnings.warn(
                f"{caller}: expected {self.num_features} channels, got {list(input.shape)}, which is right without "
                f"affine; pass num_features={channels}",
                UserWarning,
                stacklevel=3,
            )
        if input.ndim == axes + 1:
            out = self._normalized(unsqueeze(input, 0))
            return out.reshape(input.shape)
        return self._normalized(input)

    def _normalized(self, input: Tensor) -> Tensor:
        if self.momentum is None:
            raise ArgumentError(f"{type(self).__name__}: expected momentum as a number, got None")
        return F.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, self.momentum, self.eps,
        )  # fmt: skip

    def _check(self, input: Tensor) -> None:
        pass


class InstanceNorm1d(_InstanceNorm):
    """Of ``[n, c, l]`` or ``[c, l]``."""

    _axes = 1


class InstanceNorm2d(_InstanceNorm):
    """Of images ``[n, c, h, w]`` or ``[c, h, w]``."""

    _axes = 2


class InstanceNorm3d(_InstanceNorm):
    """Of volumes ``[n, c, d, h, w]`` or ``[c, d, h, w]``."""

    _axes = 3


class LocalResponseNorm(Module):
    """Divides each channel by ``(k + alpha mean(x^2)) ** beta``, the mean over ``size`` channels around it."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, ...]``, same shape out."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """Torch 7's normalisation by channels, which :class:`LocalResponseNorm` is with an odd ``size``.

    Raises:
        NotImplementedError: always: PyTorch's keeps the first channel in each later sum.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        raise NotImplementedError(
            "CrossMapLRN2d is not supported, as PyTorch's keeps the first channel in each later sum; "
            "use LocalResponseNorm"
        )


__all__ = [
    "BatchNorm3d", "CrossMapLRN2d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LocalResponseNorm",
    "SyncBatchNorm",
]  # fmt: skip
