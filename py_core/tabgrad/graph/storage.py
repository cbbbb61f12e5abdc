"""Memory that outlives a step: a host array until a device first needs it, then a device buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tabgrad.dtypes import WORD_BYTES, whole_words

if TYPE_CHECKING:
    from tabgrad.devices.base import Buffer, Device


class Storage:
    """Bytes that tensors share. Freed (back to the device's pool) with its last owner."""

    __slots__ = ("__weakref__", "_buffer", "_device", "host", "left", "placeholder", "purpose", "shared", "size_bytes")

    def __init__(self, size_bytes: int, host: np.ndarray | None = None) -> None:
        self.size_bytes = -(-size_bytes // WORD_BYTES) * WORD_BYTES
        self.host = host  # C-contiguous, storage dtype; dropped once a device holds the bytes
        self.shared = False  # whether several tensors are views of it, each writable
        self.placeholder = False  # whether it stands for an input of a compiled step, and never holds bytes
        self.left = False  # whether the tensors that it was made for lie elsewhere now
        self.purpose = ""  # what it is kept for, in words
        self._device: Device | None = None
        self._buffer: Buffer | None = None

    @property
    def device(self) -> Device | None:
        """The device that holds the bytes; None while they are on the host."""
        return self._device

    @property
    def buffer(self) -> Buffer | None:
        """The device buffer; None while the bytes are on the host."""
        return self._buffer

    def on(self, device: Device) -> Buffer:
        """The buffer on ``device``; uploads the host array at the first call."""
        if self._buffer is None:
            self._device = device
            self._buffer = device.allocate(self.size_bytes)
            if self.host is not None:
                if self.host.nbytes:
                    device.write(self._buffer, whole_words(self.host))
                self.host = None
        elif self._device is not device:
            assert self._device is not None
            raise RuntimeError(
                f"tensor: expected data on device '{device.name}', got it on '{self._device.name}'; "
                f"choose the device with tabgrad.set_default_device(...) before making tensors"
            )
        return self._buffer

    def __del__(self) -> None:
        if self._buffer is not None and self._device is not None:
            self._device.free(self._buffer)
