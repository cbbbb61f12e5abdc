"""The GEMM family's tiles for GPUs, each forced on the adapter that is here: products and convolutions of odd sizes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import runtime
from tabgrad.compiler.families import tiled
from tabgrad.compiler.families.tiled import Tile
from tabgrad.nn import functional as F

pytestmark = [pytest.mark.native, pytest.mark.usefixtures("as_gpu")]

# sums of at most 600 products of numbers near 1, in another order
TOLERANCE = 3e-5
Tensors = Callable[..., tg.Tensor]


def _force(tile: Tile, monkeypatch: pytest.MonkeyPatch) -> None:
    if not tile.fits(tg.device().limits):
        pytest.skip(f"this adapter cannot launch {tile}")
    monkeypatch.setattr(tiled, "TILES", (tile,))
    monkeypatch.setattr(Tile, "suits", lambda self, c: True)


def _numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _check(step: Tensors, expected: Callable[..., torch.Tensor], *arrays: np.ndarray) -> None:
    ours = [tg.tensor(a, requires_grad=True) for a in arrays]
    theirs = [torch.tensor(a, requires_grad=True) for a in arrays]
    out, want = step(*ours), expected(*theirs)
    weight = _numbers(*want.shape, seed=9)
    out.backward(tg.tensor(weight))
    want.backward(torch.tensor(weight))
    pairs = [(out.detach(), want.detach())] + [(a.grad, b.grad) for a, b in zip(ours, theirs, strict=True)]
    for got, right in pairs:
        assert got is not None and right is not None
        found, right_values = got.numpy(), right.numpy()
        assert np.abs(found - right_values).max() <= TOLERANCE * np.abs(right_values).max()


def _kernels() -> set[str]:
    """The first words of all contractions' sources that have been compiled."""
    programs = [p.compiled.program for p in runtime._programs[tg.device()].values()]
    return {source.split()[1] for p in programs for source in p.shaders if "gemm/" in source.splitlines()[0]}


# A product's two gradients are its other two forms, Aᵀ·B and A·Bᵀ.
PRODUCTS: dict[str, tuple[Tensors, Callable[..., torch.Tensor], tuple[tuple[int, ...], ...]]] = {
    "even, with an epilogue": (
        lambda a, b, c: F.relu(a @ b + c),
        lambda a, b, c: torch.relu(a @ b + c),
        ((64, 64), (64, 128), (128,)),
    ),
    "odd": (lambda a, b: a @ b, torch.matmul, ((35, 37), (37, 33))),
    "multiples of four": (lambda a, b: a @ b, torch.matmul, ((68, 20), (20, 36))),
    "batched": (lambda a, b: a @ b, torch.matmul, ((3, 17, 24), (3, 24, 20))),
}


CONVOLVED = [t for t in tiled.TILES if t.shape in ((64, 128, 16, 8, 8), (64, 64, 16, 8, 8), (32, 32, 32, 4, 4))]
EVERYWHERE = ("even, with an epilogue", "odd")  # the others on a few tiles: big ones take seconds to compile here
RUNS = [(tile, form) for tile in tiled.TILES for form in PRODUCTS if form in EVERYWHERE or tile in CONVOLVED]


@pytest.mark.parametrize(("tile", "form"), RUNS, ids=str)
def test_products(tile: Tile, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _force(tile, monkeypatch)
    step, expected, shapes = PRODUCTS[form]
    _check(step, expected, *(_numbers(*s, seed=n) for n, s in enumerate(shapes)))
    assert _kernels() == {tiled.TEMPLATE}


CONVOLUTIONS = {
    "3x3": {"stride": 1, "padding": 1, "kernel": 3},
    "strided": {"stride": 2, "padding": 1, "kernel": 3},
    "strided 1x1": {"stride": 2, "padding": 0, "kernel": 1},
    "even kernel": {"stride": 2, "padding": 1, "kernel": 4},
    "stride that divides one size": {"stride": 3, "padding": 2, "kernel": 4},
    "dilated, in groups": {"stride": 1, "padding": 2, "kernel": 3, "dilation": 2, "groups": 2},
}  # fmt: skip


@pytest.mark.parametrize("size", [12, 7])
@pytest.mark.parametrize("form", CONVOLUTIONS)
@pytest.mark.parametrize("tile", CONVOLVED[-1:] + CONVOLVED[:1], ids=str)
def test_convolutions(tile: Tile, form: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _force(tile, monkeypatch)
    options = dict(CONVOLUTIONS[form])
    kernel, groups = options.pop("kernel"), options.get("groups", 1)
    x, w = _numbers(3, 32, size, size), _numbers(32, 32 // groups, kernel, kernel, seed=1)
    _check(lambda x, w: F.conv2d(x, w, **options), lambda x, w: torch.nn.functional.conv2d(x, w, **options), x, w)  # type: ignore[arg-type]
    assert _kernels() == {tiled.TEMPLATE}


def test_every_tile_has_a_rate() -> None:
    assert [t.shape for t in tiled.TILES] == list(tiled.RATES)
