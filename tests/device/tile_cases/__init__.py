"""Op cases in variants of kernels that only GPUs get, forced on any adapter; importable without pytest or torch."""

from device.tile_cases.attention import ATTENTION_CASES
from device.tile_cases.convolutions import CONVOLUTION_CASES, SPLIT_CONVOLUTIONS
from device.tile_cases.forced import Forced, TileCase
from device.tile_cases.products import OTHER_CASES, PRODUCT_CASES, SPLIT_CASES

GROUPS: dict[str, list[TileCase]] = {
    "products": PRODUCT_CASES,
    "convolutions": CONVOLUTION_CASES,
    "attention": ATTENTION_CASES,
    "others": OTHER_CASES + SPLIT_CASES + SPLIT_CONVOLUTIONS,
}
for _cases in GROUPS.values():
    assert len({c.name for c in _cases}) == len(_cases), "names are unique"

__all__ = ["GROUPS", "Forced", "TileCase"]
