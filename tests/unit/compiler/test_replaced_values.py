"""Large values take the place of what their kernel reads for the last time, where that is safe; and are not stored
where others make them cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import tabgrad as tg
from device.patched import patched
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.passes import fuse, memory
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Limits
from tabgrad.graph.linearize import linearize
from tabgrad.nn import functional as F
from tabgrad.program import Program
from unit.compiler.strict_device import check_program


@pytest.fixture(autouse=True)
def small() -> Iterator[None]:
    with patched((memory, "LARGE_BYTES", 1024), (fuse, "LARGE", 256)):
        yield


def compiled(*tensors: tg.Tensor) -> Program:
    target = Target(limits=Limits(max_storage_buffers=8), software=False, renders=True)
    program = compile_graph(linearize([t._node for t in tensors]), target).program
    check_program(program, 8)
    return program


def leaf(*shape: int) -> tg.Tensor:
    return tg.tensor(np.full(shape, 0.5, np.float32), requires_grad=True)


def tenants(program: Program) -> list[list[str]]:
    return [[t.label for t in b.tenants] for b in program.buffers if len(b.tenants) > 1]


def test_gradient_of_logits_takes_their_place() -> None:
    x, weight, labels = leaf(64, 16), leaf(16, 40), tg.tensor(np.arange(64) % 40)
    F.cross_entropy(x @ weight, labels).backward()
    assert x.grad is not None and weight.grad is not None
    program = compiled(x.grad, weight.grad)
    assert any(held[0].startswith("matmul [1, 64, 40]") and held[1].endswith("[64, 40]") for held in tenants(program))
    for buffer in program.buffers:
        for first, second in zip(buffer.tenants, buffer.tenants[1:], strict=False):
            assert first.last < second.first


@pytest.mark.parametrize(
    "follow",
    [
        lambda y: (y + y.flip(0)).exp() @ y.detach().sum(0, keepdim=True).t(),  # reads other elements
        lambda y: (y @ y.transpose(0, 1)).relu(),  # a product reads elements of other threads
    ],
    ids=["moved", "product"],
)
def test_what_other_threads_read_is_kept(follow: Callable[[tg.Tensor], tg.Tensor]) -> None:
    y = (leaf(32, 32).detach() @ leaf(32, 32).detach()).sin()
    program = compiled(follow(y))
    for dispatch in program.dispatches:
        buffers = [b.buffer for b in dispatch.bindings]
        assert len(buffers) == len(set(buffers))
        assert sum(b.access == "read_write" for b in dispatch.bindings) == 1


def test_values_that_others_make_cheap_are_not_stored() -> None:
    """Two products' kernels need 1 + tanh, one the tanh, too: with that in memory the other is an addition."""
    a, b, c = leaf(64, 16).detach(), leaf(16, 40).detach(), leaf(40, 16).detach()
    x = a @ b
    slope = (x * x * x * 2.0).tanh()
    more = slope + 1.0
    wanted = (more * x) @ c, ((a * 2.0) @ b) * (more * 3.0 - slope)

    def stored() -> set[str]:
        return {t.label for buffer in compiled(*wanted).buffers for t in buffer.tenants}

    assert {"tanh [64, 40]", "add [64, 40]"} & stored() == {"tanh [64, 40]"}
    with patched((fuse, "LARGE", 2**22)):
        assert "add [64, 40]" in stored()
