"""The attention kernels that real GPUs get, forced on whichever adapter is here, in every tile size; Node runs
today's other cases over Dawn.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import tabgrad as tg
from device import random_checks
from device.op_cases import attention
from device.oracle import check_op, wrong_outcomes
from device.stacks import tile_cases
from device.tile_cases import TileCase
from device.tile_cases.run import tile_outcomes
from tabgrad.compiler.families import FAMILIES, attention_tiles
from tabgrad.compiler.families import attention as attention_family
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.rendered import Rendered
from tabgrad.compiler.target import Target
from tabgrad.devices import Device
from tabgrad.ops.attention import Attention

pytestmark = pytest.mark.native


@pytest.fixture
def gpu(as_gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU with as much work as it can do at once."""
    monkeypatch.setattr(Target, "busy_threads", 1)


def _sources(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that attention's kernels will have."""
    sources: list[str] = []

    def render(*args: Any) -> Rendered:
        rendered = attention_family.render(*args)
        sources.append(rendered.source)
        return rendered

    monkeypatch.setitem(FAMILIES, Attention, Family(Attention, attention_family.variants, render))
    return sources


@pytest.mark.parametrize("tile", tile_cases("attention", in_node=False), ids=lambda tile: tile.name)
def test_tiles_match_pytorch(tile: TileCase, native: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = _sources(monkeypatch)
    found, failures = asyncio.run(tile_outcomes(tg, [tile]))
    assert wrong_outcomes({tile.name: tile.case}, found, failures, "native") == {}
    assert len(sources) == (3 if tile.case.grad else 1)
    assert all("var<workgroup> tile" in s for s in sources)


def test_wide_rows_are_left_to_kernels_without_tiles(gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention_family, "WIDEST_TILE", 4)  # as processors compile long rows for minutes
    sources = _sources(monkeypatch)
    check_op(next(c for c in attention.CASES if c.name == "attention odd"), "native")
    assert sources
    assert not any("var<workgroup>" in s for s in sources)


@pytest.mark.parametrize("check", [c for c in random_checks.CHECKS if "attention" in c.__name__])
def test_dropout_in_tiles(check: Any, gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention_tiles, "CHOICES", attention_tiles.CHOICES[-1:])
    sources = _sources(monkeypatch)
    asyncio.run(check(tg))
    assert sources
    assert all("var<workgroup> tile" in s and "threefry2x32" in s for s in sources)
