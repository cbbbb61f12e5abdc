"""Layers that read their number of channels from their first input."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import ShapeError
from tabgrad.nn.batchnorm import BatchNorm1d, BatchNorm2d, _BatchNorm
from tabgrad.nn.conv import Conv2d, _ConvNd
from tabgrad.nn.linear import Linear
from tabgrad.nn.rare.convolutions import Conv1d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from tabgrad.nn.rare.norms import BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from tabgrad.nn.rare.uninitialized import LazyModuleMixin, UninitializedBuffer, UninitializedParameter
from tabgrad.tensor import Tensor


class LazyLinear(LazyModuleMixin, Linear):
    """:class:`tabgrad.nn.Linear` whose ``in_features`` is the last size of the first input."""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        Linear.__init__(self, 0, out_features, bias, device, dtype)

    def _make_parameters(self, bias: bool) -> None:
        self.weight = UninitializedParameter()
        self.register_parameter("bias", UninitializedParameter() if bias else None)

    def _with_channels(self, channels: int) -> None:
        self.in_features = channels
        _materialized(self.weight, (self.out_features, channels))
        _materialized(self.bias, (self.out_features,))
        Linear.reset_parameters(self)

    def reset_parameters(self) -> None:
        """Draw new initial parameters, if there are any yet."""
        if not self.has_uninitialized_params():
            Linear.reset_parameters(self)

    def initialize_parameters(self, input: Tensor) -> None:
        """Make the parameters for an input ``[..., in_features]``."""
        self._initialized(input.shape[-1])

    def _channels_of(self, state: dict[str, Tensor]) -> int | None:
        weight = state.get("weight")
        return None if weight is None or weight.ndim != 2 else weight.shape[1]


def _materialized(entry: Tensor | None, shape: tuple[int, ...]) -> None:
    if isinstance(entry, UninitializedParameter | UninitializedBuffer):
        entry.materialize(shape)


class _LazyConv(LazyModuleMixin, _ConvNd):
    _takes_channels_later = True

    def __init__(self, out_channels: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        assert self.cls_to_become is not None
        self.cls_to_become.__init__(self, 0, out_channels, kernel_size, *args, **kwargs)  # type: ignore[call-arg]

    def _make_parameters(self, bias: bool) -> None:
        self.weight = UninitializedParameter()
        self.register_parameter("bias", UninitializedParameter() if bias else None)

    def _with_channels(self, channels: int) -> None:
        if channels % self.groups:
            raise ShapeError(
                f"{type(self).__name__}: expected channels that groups={self.groups} divides, got {channels}"
            )
        self.in_channels = channels
        _materialized(self.weight, self._weight_shape())
        _materialized(self.bias, (self.out_channels,))
        _ConvNd.reset_parameters(self)

    def reset_parameters(self) -> None:
        """Draw new initial parameters, if there are any yet."""
        if not self.has_uninitialized_params():
            _ConvNd.reset_parameters(self)

    def initialize_parameters(self, input: Tensor, *args: Any) -> None:
        """Make the parameters for an input ``[n, in_channels, ...]``, or without ``n``."""
        if input.ndim not in (self._axes + 1, self._axes + 2):
            raise ShapeError(
                f"{type(self).__name__}: expected input [N, C, ...] or [C, ...] with {self._axes} more axes, "
                f"got {list(input.shape)}"
            )
        self._initialized(input.shape[-self._axes - 1])

    def _channels_of(self, state: dict[str, Tensor]) -> int | None:
        weight = state.get("weight")
        if weight is None or weight.ndim != self._axes + 2:
            return None
        return weight.shape[0] if self._transposed else weight.shape[1] * self.groups


class LazyConv1d(_LazyConv, Conv1d):
    """:class:`Conv1d` whose ``in_channels`` are the first input's; other arguments as of it."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """:class:`tabgrad.nn.Conv2d` whose ``in_channels`` are the first input's; other arguments as of it."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """:class:`Conv3d` whose ``in_channels`` are the first input's; other arguments as of it."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConv, ConvTranspose1d):
    """:class:`ConvTranspose1d` whose ``in_channels`` are the first input's; other arguments as of it."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConv, ConvTranspose2d):
    """:class:`ConvTranspose2d` whose ``in_channels`` are the first input's; other arguments as of it."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConv, ConvTranspose3d):
    """:class:`ConvTranspose3d` whose ``in_channels`` are the first input's; other arguments as of it."""

    cls_to_become = ConvTranspose3d


class _LazyNorm(LazyModuleMixin, _BatchNorm):
    _takes_features_later = True

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        _BatchNorm.__init__(self, 0, eps, momentum, affine, track_running_stats, None, None, bias=bias)
        for table, kind in ((self._parameters, UninitializedParameter), (self._buffers, UninitializedBuffer)):
            entries: dict[str, Any] = table
            for name, entry in entries.items():
                if entry is not None and name != "num_batches_tracked":
                    entries[name] = kind(dtype=dtype)
        self._placed(device, None)

    def _with_channels(self, channels: int) -> None:
        self.num_features = channels
        for entry in (*self._parameters.values(), *self._buffers.values()):
            _materialized(entry, (channels,))
        _BatchNorm.reset_parameters(self)

    def reset_running_stats(self) -> None:
        """Reset the running statistics, if there are any yet."""
        if not self.has_uninitialized_params():
            _BatchNorm.reset_running_stats(self)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0, if there are any yet."""
        if not self.has_uninitialized_params():
            _BatchNorm.reset_parameters(self)

    def initialize_parameters(self, input: Tensor) -> None:
        """Make the parameters for an input ``[n, num_features, ...]``."""
        axes = getattr(self, "_axes", None)
        at = 1 if axes is None else input.ndim - axes - 1
        if not 0 <= at < input.ndim:
            raise ShapeError(f"{type(self).__name__}: expected input [N, C, ...], got {list(input.shape)}")
        self._initialized(input.shape[at])

    def _channels_of(self, state: dict[str, Tensor]) -> int | None:
        found = [t.shape[0] for n, t in state.items() if n != "num_batches_tracked" and t.ndim == 1]
        return found[0] if found else None


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """:class:`tabgrad.nn.BatchNorm1d` whose ``num_features`` are the first input's channels."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """:class:`tabgrad.nn.BatchNorm2d` whose ``num_features`` are the first input's channels."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """:class:`BatchNorm3d` whose ``num_features`` are the first input's channels."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """:class:`InstanceNorm1d` whose ``num_features`` are the first input's channels."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """:class:`InstanceNorm2d` whose ``num_features`` are the first input's channels."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """:class:`InstanceNorm3d` whose ``num_features`` are the first input's channels."""

    cls_to_become = InstanceNorm3d


__all__ = [
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d", "LazyConv3d",
    "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
    "LazyInstanceNorm3d", "LazyLinear",
]  # fmt: skip
