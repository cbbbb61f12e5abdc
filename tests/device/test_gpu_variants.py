"""The kernels that a GPU gets, on whatever adapter is there: op cases and random graphs, against PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tabgrad as tg
from device import test_random_graphs as random_graphs
from device.gpu_variants import gpu_variants
from device.op_cases import OpCase
from device.oracle import check_op
from device.stacks import gpu_op_cases, gpu_op_cases_on_the_reference
from tabgrad.devices import Device
from tabgrad.graph.linearize import linearize
from tabgrad.runtime import ProgramCache
from tabgrad.session import current
from unit.compiler.recipes import recipes, writes_of

pytestmark = pytest.mark.native


@pytest.fixture(params=[4, 8])
def gpu(device: Device, request: pytest.FixtureRequest) -> Iterator[Device]:
    with gpu_variants(request.param):
        yield device


RUNS = [
    *(pytest.param(case, "reference", id=f"reference-{case.name}") for case in gpu_op_cases_on_the_reference()),
    *(pytest.param(case, "native", id=f"native-{case.name}") for case in gpu_op_cases(in_node=False)),
]


@pytest.mark.parametrize(("case", "device"), RUNS, indirect=["device"])
def test_op_matches_pytorch(case: OpCase, device: Device) -> None:
    with gpu_variants():
        check_op(case, device.name)


@random_graphs.few
@given(recipe=recipes, seed=st.integers(0, 99))
def test_gradients(gpu: Device, recipe, seed: int) -> None:
    random_graphs.check_gradients(recipe, seed)


@random_graphs.few
@given(recipe=recipes, seed=st.integers(0, 99), writes=writes_of)
def test_writes_in_a_compiled_step(gpu: Device, recipe, seed: int, writes: list[int]) -> None:
    random_graphs.check_writes(recipe, seed, writes)


def test_the_adapter_passes_for_a_gpu(device: Device) -> None:
    x = tg.ones(64, 64).realize()
    with gpu_variants():
        program = current().own(ProgramCache).of(linearize([tg.softmax(x, 1)._node])).compiled.program
    (dispatch,) = program.dispatches
    if device.name == "native":
        assert "vec4<f32>" in program.shaders[dispatch.shader]
        assert "workgroupBarrier" in program.shaders[dispatch.shader]
