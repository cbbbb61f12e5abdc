"""Works: which kernels share one, and that sharing changes no program."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest

import tabgrad as tg
from daily import of_today
from tabgrad.compiler import work
from tabgrad.compiler.codegen.outline import Outline, outline
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.passes.kernel import Kernel
from tabgrad.compiler.passes.memory import Place
from tabgrad.compiler.target import Target
from tabgrad.compiler.work import Work, Works
from tabgrad.devices.base import Limits
from tabgrad.dtypes import float32
from tabgrad.graph.entry import Entry
from tabgrad.graph.linearize import Linear, linearize
from tabgrad.graph.node import BUFFER, SCALAR
from tabgrad.ops.arithmetic import MUL
from tabgrad.runtime import ProgramCache
from tabgrad.session import current
from workloads import SMALL, WORKLOADS, training_step

LIMITS = Limits(max_binding_bytes=2**31, max_buffer_bytes=2**31)
GPU = Target(limits=LIMITS, software=False, renders=True)
BIG_GPU = replace(GPU, limits=replace(LIMITS, max_storage_buffers=16, max_workgroup_bytes=49152, max_invocations=1024))
PROCESSOR = Target(limits=LIMITS, software=True, renders=True)


class Unshared(Works):
    """Each kernel is written anew."""

    def of(self, outline: Outline, target: Target) -> Work:
        return Work(outline, target)


TARGETS = {"gpu": GPU, "big gpu": BIG_GPU, "processor": PROCESSOR}
STEPS = {f"small {w.name}": w for w in SMALL} | {w.name: w for w in WORKLOADS}
RUNS = [(step, target) for target in TARGETS for step in STEPS]


@functools.cache
def linear_of(step: str) -> Linear:
    """A workload's training step."""
    tg.set_default_device("reference")
    x, y = STEPS[step].batches()[0]
    return training_step(STEPS[step]).record(tg.tensor(x), tg.tensor(y)).linear


@functools.cache
def known_beside(target: str) -> Works:
    """Works of other targets, which must not be taken for this one's; those of this target's programs are added."""
    known = Works()
    for other in TARGETS.keys() - {target}:
        for workload in SMALL:
            compile_graph(linear_of(f"small {workload.name}"), TARGETS[other], known=known)
    return known


@pytest.mark.parametrize(("step", "target"), of_today("works", RUNS, 5))
def test_programs_are_the_same_whether_works_are_shared_or_not(step: str, target: str) -> None:
    linear, chosen = linear_of(step), TARGETS[target]
    alone = compile_graph(linear, chosen, known=Unshared())
    for shared in (compile_graph(linear, chosen), compile_graph(linear, chosen, known=known_beside(target))):
        assert repr(shared.program) == repr(alone.program)  # of 1, 1.0 and True, too
        assert shared.outputs == alone.outputs
        assert [w.variants() for w in shared.works] == [w.variants() for w in alone.works]


def test_identical_layers_share_their_works() -> None:
    step = linear_of("gpt-base")  # of six layers
    compiled = compile_graph(step, GPU)
    assert 3 * len(set(map(id, compiled.works))) < len(compiled.works)
    again = compile_graph(step, GPU, known=(known := Works()))
    assert set(map(id, compile_graph(step, GPU, known=known).works)) == set(map(id, again.works))


def test_programs_of_a_device_share_works() -> None:
    x, y, z = (tg.tensor([float(k) for k in range(n)]).realize() for n in (3, 3, 5))
    one = current().own(ProgramCache).of(linearize([(x * 7)._node])).compiled
    other = current().own(ProgramCache).of(linearize([(z * 5)._node, (y * 7)._node])).compiled
    assert one.works[0] in other.works


def scaled(read: Place, written: Place, *, num_scalars: int = 1, unused: int = 0, scalar: bool = False) -> Outline:
    """``factor * x`` with a factor in memory, or among the scalars, in a graph with ``unused`` values before."""
    factor = Entry(SCALAR if scalar else BUFFER, (), {}, (), float32, 0)
    x, n = Entry(BUFFER, (), {}, (), float32, 0), unused + 1
    entries = [x] * n + [factor, Entry(MUL, (unused, n), {}, (), float32)]
    kernel = Kernel([n + 1], None, [n, n + 1] if scalar else [n + 1], [unused] if scalar else [unused, n])
    places = {unused: [read], n: [Place(9, 0, 4)], n + 1: [written]}
    return outline(entries, kernel, places, num_scalars)[0]


A, B, C = Place(0, 0, 4), Place(1, 0, 4), Place(1, 256, 4)


def test_memory_alone_does_not_part_works() -> None:
    known = Works()
    assert known.of(scaled(A, B), GPU) is known.of(scaled(B, A, unused=3), GPU) is known.of(scaled(A, C), GPU)
    assert known.of(scaled(A, B, num_scalars=1), GPU) is known.of(scaled(A, B, num_scalars=9), GPU)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (scaled(A, B), scaled(B, C)),
        (scaled(A, B), scaled(B, B)),
        (scaled(A, B, scalar=True, num_scalars=3), scaled(A, B, scalar=True, num_scalars=4)),
    ],
    ids=["shared buffer", "in place", "scalars"],
)
def test_works_that_are_written_differently_are_not_shared(one: Outline, other: Outline) -> None:
    works = Work(one, GPU), Work(other, GPU)
    assert works[0].identity != works[1].identity
    assert works[0].render().source != works[1].render().source


def test_works_for_other_targets_are_not_shared() -> None:
    assert len({Work(scaled(A, B), target).identity for target in (GPU, BIG_GPU, PROCESSOR)}) == 3


def test_works_that_nobody_asked_for_in_a_long_time_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "MOST_WORKS", 2)
    known = Works()
    one = known.of(scaled(A, B), GPU)
    known.of(scaled(B, B), GPU)
    assert known.of(scaled(A, B), GPU) is one
    known.of(scaled(A, B), PROCESSOR)
    assert known.of(scaled(A, B), GPU) is one
    assert len(known._known) == 2


def test_few_sources_of_a_work_are_kept() -> None:
    item = Work(scaled(A, B), GPU)
    sources = [item.render(v).source for v in item.variants()]
    assert len(sources) > work.MOST_RENDERED
    assert [item.render(v).source for v in item.variants()] == sources
    assert len(item._rendered) == work.MOST_RENDERED
