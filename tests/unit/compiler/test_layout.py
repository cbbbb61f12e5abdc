"""How the threads of reduction kernels share rows."""

from __future__ import annotations

import pytest

from tabgrad.compiler.families.layout import Layout, choose_layout
from tabgrad.compiler.passes.frame import Frame, frame_of
from tabgrad.compiler.passes.split_reductions import wanted_parts
from tabgrad.compiler.target import LONGEST_LOOP, Target
from tabgrad.devices.base import Limits

GPU = Target(limits=Limits(), software=False, renders=True)
SOFTWARE = Target(limits=Limits(), software=True, renders=True)
ROWS = [(1, 7), (3, 65), (16384, 384), (16384, 65), (100, 50257), (1, 4096), (5, 100_003), (100_000, 4), (2, 2**20)]


@pytest.mark.parametrize("rows", ROWS, ids=str)
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("step", [1, 4])
def test_layouts_are_legal_and_leave_few_threads_idle(rows: tuple[int, int], columns: bool, step: int) -> None:
    total, extent = rows
    if extent % step or (columns and step == 4):
        return
    frame = frame_of((extent, total), (0,)) if columns else frame_of((total, extent), (1,))
    for states in (1, 9, 30):
        layout = choose_layout(frame, step, states, 3, GPU)
        assert layout.threads <= 256
        assert layout.threads % 64 == 0
        assert layout.lanes & (layout.lanes - 1) == 0
        assert layout.lanes % layout.fan == 0
        assert layout.lanes * step < 2 * max(1, extent)
        if layout.lanes > 1:
            assert (layout.threads + layout.fan * layout.rows) * states * 4 <= 2 * GPU.limits.max_workgroup_bytes


@pytest.mark.parametrize("passes", [1, 2, 3, 5])
@pytest.mark.parametrize("rows", ROWS, ids=str)
def test_no_thread_of_a_software_adapter_turns_too_often(rows: tuple[int, int], passes: int) -> None:
    """Mesa's llvmpipe ends a thread's loops, silently, after 65,535 turns in all."""
    frame = frame_of(rows, (1,))
    layout = choose_layout(frame, 1, 1, passes, SOFTWARE)
    assert layout.turns(frame) * passes <= LONGEST_LOOP
    parts = wanted_parts(frame, SOFTWARE)
    assert frame.extent / parts <= LONGEST_LOOP / 2


def test_frames_leave_out_what_does_not_matter() -> None:
    assert frame_of((4, 1, 5, 6), (2, 3)) == frame_of((2, 2, 30), (2,)) == Frame(((4, False), (30, True)))
    assert frame_of((4, 1, 5, 6), (0, 1, 3)) == Frame(((4, True), (5, False), (6, True)))
    assert frame_of((1, 1), (0,)) == Frame(())
    assert Frame(()).total == Frame(()).extent == 1


def test_neighbouring_threads_read_neighbours() -> None:
    assert not choose_layout(frame_of((16384, 384), (1,)), 4, 1, 1, GPU).columns
    assert choose_layout(frame_of((16384, 384), (0,)), 1, 1, 1, GPU).columns


def test_long_rows_take_a_whole_workgroup_and_short_ones_share_it() -> None:
    long = choose_layout(frame_of((1000, 50_000), (1,)), 4, 1, 2, GPU)
    short = choose_layout(frame_of((100_000, 64), (1,)), 4, 1, 2, GPU)
    assert (long.lanes, long.rows) == (256, 1)
    assert short.rows > 8
    assert choose_layout(frame_of((100_000, 4), (1,)), 4, 1, 2, GPU) == Layout(1, 256, 4, False)
