"""Convolutions, forward and backward, in a few tiles: products are tested in all."""

from __future__ import annotations

from typing import Any

from device.op_cases.case import OpCase, f
from device.tile_cases.forced import ANY_TILE, TileCase, tile
from tabgrad.compiler.families import tiled

FORMS: dict[str, dict[str, Any]] = {
    "3x3": {"kernel": 3, "stride": 1, "padding": 1},
    "strided": {"kernel": 3, "stride": 2, "padding": 1},
    "strided 1x1": {"kernel": 1, "stride": 2, "padding": 0},
    "even kernel": {"kernel": 4, "stride": 2, "padding": 1},
    "stride that divides one size": {"kernel": 4, "stride": 3, "padding": 2},
    "dilated, in groups": {"kernel": 3, "stride": 1, "padding": 2, "dilation": 2, "groups": 2},
}
SMALL, DEEP, LARGE = (  # the first one's kernels are short, and take least time to compile
    next(t for t in tiled.TILES if t.shape == shape)
    for shape in ((32, 32, 16, 4, 4), (32, 32, 32, 4, 4), (64, 64, 16, 8, 8))
)
RUNS = [(SMALL, label, size) for label in FORMS for size in (12, 7)]
RUNS += [(DEEP, "3x3", 7), (LARGE, "3x3", 12), (LARGE, "dilated, in groups", 7)]


def _case(label: str, x: tuple[int, int, int, int], channels: int, form: dict[str, Any]) -> OpCase:
    options = dict(form)
    kernel, groups = options.pop("kernel"), options.get("groups", 1)
    return OpCase(
        name=f"conv2d {label}",
        fn=lambda T, F, x, w: F.conv2d(x, w, **options),
        inputs=(f(*x), f(channels, x[1] // groups, kernel, kernel)),
        atol=2e-4,  # sums of some hundred products of numbers near 1
    )


CONVOLUTION_CASES = [
    TileCase(case=_case(f"{label} of {size}", (3, 32, size, size), 32, FORMS[label]), forced=tile(t))
    for t, label, size in RUNS
]
SPLIT_CONVOLUTIONS = [  # the weight's gradient sums over all pixels
    TileCase(case=_case("of large images", (4, 16, 33, 32), 18, FORMS["3x3"]), forced=ANY_TILE)
]
