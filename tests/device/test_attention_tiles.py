"""The attention kernels that real GPUs get, forced on whichever adapter is here, in every tile size."""

from __future__ import annotations

import weakref
from collections.abc import Iterator

import pytest

import tabgrad as tg
from device.op_cases import OpCase, attention
from device.oracle import check_op
from tabgrad import runtime
from tabgrad.compiler.families import attention_tiles
from tabgrad.compiler.target import Target
from tabgrad.devices import open_device
from tabgrad.devices.base import AdapterInfo, Limits
from tabgrad.errors import DeviceError

pytestmark = pytest.mark.native

NAMES = {
    "attention odd", "attention one of all", "attention over a tile", "attention wide", "attention whole tiles",
    "attention causal over a tile", "attention causal few keys over a tile", "attention mask bool",
    "attention no key for some", "attention mask no key for some", "attention added, no gradient, of pairs",
    "attention mask computed", "attention large scores", "attention of one projection over a tile",
    "attention amid ops", "attention wider than a tile",
}  # fmt: skip
CASES = [c for c in attention.CASES if c.name in NAMES]


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The native device, taken for a real GPU with as much work as it can do at once."""
    try:
        open_device("native")
    except DeviceError as error:
        pytest.skip(str(error))

    def target(info: AdapterInfo, limits: Limits) -> Target:
        return Target(limits=limits, software=False, renders=True)

    monkeypatch.setattr(Target, "busy_threads", 1)
    monkeypatch.setattr(runtime, "target_of", target)
    monkeypatch.setattr(runtime, "_programs", weakref.WeakKeyDictionary())
    tg.device("native")
    yield
    tg.device("reference")


@pytest.mark.parametrize("choice", range(len(attention_tiles.CHOICES)), ids=lambda n: str(attention_tiles.CHOICES[n]))
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_tiles_match_pytorch(case: OpCase, choice: int, gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    # one choice, and the smallest for what it does not fit
    chosen = (attention_tiles.CHOICES[choice], attention_tiles.CHOICES[-1])
    monkeypatch.setattr(attention_tiles, "CHOICES", chosen)
    check_op(case, "native")
