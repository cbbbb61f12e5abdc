"""The GEMM family's tiles for GPUs, each forced on the native adapter; Node runs today's other cases over Dawn."""

from __future__ import annotations

import asyncio

import pytest

import tabgrad as tg
from device.op_cases import evaluate
from device.oracle import wrong_outcomes
from device.stacks import tile_cases
from device.tile_cases import GROUPS, TileCase
from device.tile_cases.run import tile_outcomes
from tabgrad.compiler.families import tiled
from tabgrad.devices import Device
from tabgrad.graph.linearize import linearize
from tabgrad.ops.conv import CONV_WEIGHT_GRAD
from tabgrad.ops.matmul import MATMUL
from tabgrad.ops.reduce import REDUCE
from tabgrad.runtime import ProgramCache
from tabgrad.session import current

PRODUCTS: dict[str, list[TileCase]] = {}  # by tile
for case in tile_cases("products", in_node=False):
    PRODUCTS.setdefault(case.forced.name, []).append(case)


def _check(cases: list[TileCase]) -> None:
    found, failures = asyncio.run(tile_outcomes(tg, cases))
    wrong = wrong_outcomes({c.name: c.case for c in cases}, found, failures, "native")
    assert not wrong, f"{len(wrong)} of {len(cases)} cases\n" + "\n\n".join(f"{k}: {v}" for k, v in wrong.items())


@pytest.mark.native
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name: str, native: Device) -> None:
    _check(PRODUCTS[name])


@pytest.mark.native
@pytest.mark.parametrize("group", ["convolutions", "others"])
def test_group(group: str, native: Device) -> None:
    _check(tile_cases(group, in_node=False))


def test_every_tile_is_run() -> None:
    assert {c.forced.variant for c in GROUPS["products"]} == {t.variant() for t in tiled.TILES}


@pytest.mark.native
def test_long_sums_are_split(native: Device) -> None:
    split = [c for c in GROUPS["others"] if c.forced.variant is None]
    assert split
    for case in split:
        with case.forced.active():
            values = evaluate(case.case, tg, tg.nn.functional, lambda array, grad: tg.tensor(array, requires_grad=grad))
            program = (
                current()
                .own(ProgramCache)
                .of(linearize([v._node for v in values.values() if v is not None]))
                .compiled.program
            )
        last = [i.op for i in program.dispatches[-1].instructions]
        assert REDUCE in last and MATMUL not in last and CONV_WEIGHT_GRAD not in last, case.name


def test_every_tile_has_a_rate() -> None:
    assert [t.shape for t in tiled.TILES] == list(tiled.RATES)
