"""Register tiles: the code that stores an element is there once where code is expensive to compile."""

from __future__ import annotations

import numpy as np
import pytest

import tabgrad as tg


def source(target: str, m: int, n: int) -> str:
    """A product of [m, 8] and [8, n], followed by a function, as WGSL."""
    weight = tg.tensor(np.ones((8, n), np.float32))
    step = tg.compile(lambda x: tg.exp(x @ weight))
    return tg.explain(step, tg.zeros(m, 8), target=target).wgsl(0)


@pytest.mark.parametrize(("m", "n"), [(64, 64), (61, 63)])
def test_a_software_adapter_compiles_the_store_of_a_tile_once(m: int, n: int) -> None:
    found = source("software", m, n)
    assert "tile_m=4 tile_n=4" in found
    assert found.count("finish(") == 2  # the function and its call
    assert found.count("exp(") == 1


def test_a_gpu_stores_a_tile_without_a_loop() -> None:
    found = source("gpu", 1 << 16, 8)
    elements = int(found.split("tile_m=")[1].split()[0]) * int(found.split("tile_n=")[1].split()[0])
    assert elements > 1
    assert found.count("finish(") == 1 + elements
