"""Elements of two bytes: numbers are rounded as PyTorch rounds them. The rest is in ``op_cases/narrow.py``."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad.devices import Device


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_every_number_is_rounded_as_pytorch_rounds_it(name: str, device: Device) -> None:
    rng = np.random.default_rng(0)
    bits = np.concatenate([rng.integers(0, 2**32, 100_000), np.arange(2**16) << 16, (np.arange(2**16) << 16) + 0x8000])
    x = bits.astype(np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):
        expected = torch.tensor(x).to(getattr(torch, name)).float().numpy()
    dtype = tg.dtypes.BY_NAME[name]
    np.testing.assert_array_equal(tg.tensor(x).to(dtype).float().numpy(), expected)  # on the device
    np.testing.assert_array_equal(tg.tensor(x, dtype=dtype).float().numpy(), expected)  # on the host
