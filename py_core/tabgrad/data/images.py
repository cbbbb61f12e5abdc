"""Images stored as uint8 and converted to float32 one batch at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.data.dataset import ArrayDataset, Field
from tabgrad.data.host_array import host_array
from tabgrad.errors import ShapeError


class ImageDataset(ArrayDataset):
    """Grey images with labels, stored as uint8: a quarter of the memory of float32.

    Args:
        images: uint8 ``[n, h, w]``.
        labels: integers ``[n]``.
        scale: the byte that becomes 1.0.

    A sample is (float32 ``[1, h, w]`` in 0..1, int32 label).

    Raises:
        ShapeError: not ``[n, h, w]`` with ``[n]``.
    """

    def __init__(self, images: np.ndarray, labels: np.ndarray, *, scale: int = 255) -> None:
        if images.dtype != np.uint8 or images.ndim != 3 or labels.shape != images.shape[:1]:
            raise ShapeError(
                f"ImageDataset: expected uint8 images [n, h, w] and labels [n], got "
                f"{images.dtype} {list(images.shape)} and {list(labels.shape)}"
            )
        self.images = images
        classes = labels.astype(np.int32) if labels.dtype in (np.uint8, np.int8) else labels
        self.labels = host_array(classes, caller="ImageDataset")
        self.scale = scale

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return self._scaled(self.images[index][None]), self.labels[index]  # (1, h, w)

    def gather(self, indices: np.ndarray) -> tuple[np.ndarray, ...]:
        return self._scaled(self.images[indices][:, None]), self.labels[indices]  # (b, 1, h, w)

    def fields(self) -> tuple[Field, ...] | None:
        kind = type(self)
        if kind.gather is not ImageDataset.gather or kind._scaled is not ImageDataset._scaled:
            return None
        grey = self._scaled(np.arange(256, dtype=np.uint8))
        return Field(self.images[:, None], grey), Field(self.labels)  # (n, 1, h, w), (n,)

    def _scaled(self, pixels: np.ndarray) -> np.ndarray:
        return pixels.astype(np.float32) / np.float32(self.scale)

    def __repr__(self) -> str:
        n, h, w = self.images.shape
        return f"ImageDataset({n} images of {h} x {w})"
