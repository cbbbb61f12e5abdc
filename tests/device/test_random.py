"""Random numbers: their statistics on every device, and the same numbers on all of them."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import tabgrad as tg
from device import random_checks
from device.conftest import device_or_skip
from tabgrad.devices import Device


@pytest.mark.parametrize("check", random_checks.CHECKS, ids=lambda check: check.__name__)
def test_random(check, device: Device) -> None:
    asyncio.run(check(tg))


@pytest.mark.native
def test_devices_draw_the_same_numbers() -> None:
    device_or_skip("native")
    drawn = {}
    for name in ("reference", "native"):
        tg.set_default_device(name)
        tg.manual_seed(11)
        drawn[name] = asyncio.run(tg.read(tg.rand(1009), tg.randn(1009), tg.randint(0, 97, (1009,))))
    tg.set_default_device("reference")
    np.testing.assert_array_equal(drawn["reference"][0], drawn["native"][0])
    # randn goes through cos, of which WGSL promises an absolute error of 2**-11, times a radius of at most 5
    np.testing.assert_allclose(drawn["reference"][1], drawn["native"][1], rtol=0, atol=5 * 2**-11)
    np.testing.assert_array_equal(drawn["reference"][2], drawn["native"][2])
