"""Launches of more workgroups than an adapter takes in a row: folded into several rows, or refused; never cut short."""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from device.op_cases import OpCase
from device.op_cases.case import case, f
from device.oracle import check_op
from tabgrad import runtime
from tabgrad.compiler.compile import Compiled, compile_graph
from tabgrad.compiler.target import Target
from tabgrad.devices import open_device
from tabgrad.devices.base import AdapterInfo, Limits
from tabgrad.errors import DeviceError
from tabgrad.graph.linearize import linearize

MOST = 7  # workgroups in a row

CASES: list[OpCase] = [
    case("folded map", lambda T, F, a: a.tanh() * a, f(1023), atol=5e-5),
    case("folded rows", lambda T, F, a: a.softmax(1), f(600, 9), atol=5e-5),
    case("folded columns", lambda T, F, a: a.sum(0), f(9, 600), atol=5e-5),
    case("folded pool", lambda T, F, a: F.avg_pool2d(a, 2), f(3, 5, 18, 18), atol=5e-5),
    case(
        "folded attention",
        lambda T, F, q, k, v: F.scaled_dot_product_attention(q, k, v),
        f(5, 3, 17, 4), f(5, 3, 6, 4), f(5, 3, 6, 4), atol=5e-5,
    ),
    case("folded batch of products", lambda T, F, a, b: a @ b, f(9, 20, 20), f(9, 20, 20), atol=5e-5),
    case("folded rows of products", lambda T, F, a, b: a @ b, f(300, 18), f(18, 17), atol=5e-5),
    case(
        "folded convolution",
        lambda T, F, x, w: F.conv2d(x, w, padding=1), f(2, 16, 20, 20), f(16, 16, 3, 3), atol=5e-4,
    ),
]  # fmt: skip


@pytest.mark.native
@pytest.mark.parametrize("software", [True, False], ids=["software", "gpu"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_long_launches_are_folded(case: OpCase, software: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        open_device("native")
    except DeviceError as error:
        pytest.skip(str(error))
    launches: list[tuple[int, int, int]] = []

    def target(info: AdapterInfo, limits: Limits) -> Target:
        few = replace(limits, max_workgroups=MOST, max_storage_buffers=8)
        return Target(limits=few, software=software, renders=True)

    def compiled(*args: Any) -> Compiled:
        found = compile_graph(*args)
        launches.extend(d.workgroups for d in found.program.dispatches)
        return found

    monkeypatch.setattr(runtime, "target_of", target)
    monkeypatch.setattr(runtime, "compile_graph", compiled)
    monkeypatch.setattr(runtime, "_programs", weakref.WeakKeyDictionary())
    tg.device("native")
    try:
        check_op(case, "native")
    finally:
        tg.device("reference")
    assert max(x for x, _, _ in launches) <= MOST
    assert max(y for _, y, _ in launches) > 1


@pytest.mark.parametrize("software", [True, False], ids=["software", "gpu"])
def test_products_of_more_rows_than_can_be_launched_are_refused(software: bool) -> None:
    target = Target(limits=Limits(max_workgroups=MOST), software=software, renders=True)
    many = tg.tensor(np.zeros((60, 20, 20), np.float32))
    with pytest.raises(
        DeviceError, match=r"matmul: expected at most 7 rows of as many workgroups, got .* smaller batch"
    ):
        compile_graph(linearize([(many @ many)._node]), target)
