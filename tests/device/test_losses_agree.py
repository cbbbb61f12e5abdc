"""The same script, seed and weights give PyTorch's first losses, on each device in turn."""

from __future__ import annotations

import asyncio

import numpy as np

import losses
from tabgrad.devices import Device


def test_first_losses_agree_with_pytorch(device: Device) -> None:
    found = asyncio.run(losses.first_losses())
    assert len(found) == losses.STEPS
    np.testing.assert_allclose(found, losses.torch_losses(), rtol=losses.RTOL)
