"""Launches of more workgroups than an adapter takes in a row: folded into several rows, or refused; never cut short."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tabgrad as tg
from device.conftest import device_or_skip
from device.op_cases import OpCase
from device.op_cases.case import case, f
from device.oracle import check_op
from sessions import session_on
from tabgrad.compiler.compile import Compiled, compile_graph
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Device, Limits
from tabgrad.errors import DeviceError
from tabgrad.graph.linearize import linearize
from tabgrad.runtime.observers import Observer

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


class Launches(Observer):
    """Notes the sizes of launches."""

    def __init__(self) -> None:
        self.made: list[tuple[int, int, int]] = []

    def compiled(self, compiled: Compiled) -> None:
        self.made += [d.workgroups for d in compiled.program.dispatches]


@pytest.mark.native
@pytest.mark.parametrize("software", [True, False], ids=["software", "gpu"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_long_launches_are_folded(case: OpCase, software: bool) -> None:
    launches = Launches()

    def target(device: Device) -> Target:
        few = replace(device.limits, max_workgroups=MOST, max_storage_buffers=8)
        return Target(limits=few, software=software, renders=True)

    with session_on(device_or_skip("native"), target) as session:
        session.observer = launches
        check_op(case, "native")
    assert max(x for x, _, _ in launches.made) <= MOST
    assert max(y for _, y, _ in launches.made) > 1


@pytest.mark.parametrize("software", [True, False], ids=["software", "gpu"])
def test_products_of_more_rows_than_can_be_launched_are_refused(software: bool) -> None:
    target = Target(limits=Limits(max_workgroups=MOST), software=software, renders=True)
    many = tg.tensor(np.zeros((60, 20, 20), np.float32))
    with pytest.raises(
        DeviceError, match=r"matmul: expected at most 7 rows of as many workgroups, got .* smaller batch"
    ):
        compile_graph(linearize([(many @ many)._node]), target)
