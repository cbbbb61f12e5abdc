"""The attention kernels that real GPUs get, forced on whichever adapter is here, in every tile size."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import tabgrad as tg
from device import random_checks
from device.op_cases import OpCase, attention
from device.oracle import check_op
from device.tile_cases.attention import AT_THE_ENDS, EVERYWHERE
from tabgrad.compiler.families import FAMILIES, attention_tiles
from tabgrad.compiler.families import attention as attention_family
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.rendered import Rendered
from tabgrad.compiler.target import Target
from tabgrad.ops.attention import Attention

pytestmark = pytest.mark.native

LAST = len(attention_tiles.CHOICES) - 1
RUNS = [
    pytest.param(case, n, id=f"{case.name}, choice {n}")
    for case in attention.CASES
    for n in range(LAST + 1)
    if case.name in EVERYWHERE or (case.name in AT_THE_ENDS and n in (0, LAST))
]


@pytest.fixture
def gpu(as_gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU with as much work as it can do at once."""
    monkeypatch.setattr(Target, "busy_threads", 1)


def _force(choice: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One choice, and the smallest for what it does not fit; returns the sources that the kernels will have."""
    chosen = (attention_tiles.CHOICES[choice], attention_tiles.CHOICES[LAST])
    monkeypatch.setattr(attention_tiles, "CHOICES", chosen)
    sources: list[str] = []

    def render(*args: Any) -> Rendered:
        rendered = attention_family.render(*args)
        sources.append(rendered.source)
        return rendered

    monkeypatch.setitem(FAMILIES, Attention, Family(attention_family.variants, render))
    return sources


@pytest.mark.parametrize(("case", "choice"), RUNS)
def test_tiles_match_pytorch(case: OpCase, choice: int, gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = _force(choice, monkeypatch)
    check_op(case, "native")
    assert len(sources) == (3 if case.grad else 1)
    assert all("var<workgroup> tile" in s for s in sources)


def test_wide_rows_are_left_to_kernels_without_tiles(gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention_family, "WIDEST_TILE", 4)  # as processors compile long rows for minutes
    sources = _force(0, monkeypatch)
    check_op(next(c for c in attention.CASES if c.name == "attention odd"), "native")
    assert sources
    assert not any("var<workgroup>" in s for s in sources)


@pytest.mark.parametrize("check", [c for c in random_checks.CHECKS if "attention" in c.__name__])
def test_dropout_in_tiles(check: Any, gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = _force(LAST, monkeypatch)
    asyncio.run(check(tg))
    assert sources
    assert all("var<workgroup> tile" in s and "threefry2x32" in s for s in sources)
