"""Layers that change the size of images, and of what has one or three axes instead of two."""

from __future__ import annotations

from typing import Any

from tabgrad.nn import functional as F
from tabgrad.nn.module import Module
from tabgrad.tensor import Tensor


class Upsample(Module):
    """:func:`tabgrad.nn.functional.interpolate` as a layer; its arguments."""

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(f) for f in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, ...]`` in another size."""
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    def extra_repr(self) -> str:
        """As PyTorch's."""
        given = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{given}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Each element several times: ``Upsample`` of mode ``"nearest"``."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """``Upsample`` of mode ``"bilinear"`` with ``align_corners=True``."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]
