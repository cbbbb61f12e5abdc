"""How a reduction kernel's threads share rows: how many threads a row, how many rows a workgroup."""

from __future__ import annotations

from dataclasses import dataclass

from tabgrad.compiler.passes.frame import Frame
from tabgrad.compiler.target import LONGEST_LOOP, Target

MOST_THREADS = 256
LEAST_THREADS = 64
COLUMNS = 32  # neighbouring columns that a workgroup reads at a time: 128 bytes
LEAST_COLUMNS = 8  # 32 bytes: what memory gives at once


@dataclass(frozen=True)
class Layout:
    """``lanes`` threads share a row; a workgroup takes ``rows`` of them; a thread takes ``step`` elements at a time."""

    lanes: int
    rows: int
    step: int
    columns: bool  # whether neighbouring threads take neighbouring rows, not neighbouring elements

    @property
    def threads(self) -> int:
        """Threads of a workgroup."""
        return self.lanes * self.rows

    def turns(self, frame: Frame) -> int:
        """Turns that a thread takes along a row, at most."""
        return -(-frame.extent // (self.step * self.lanes))

    @property
    def fan(self) -> int:
        """Partial results that every thread of a row combines at last, after ``fan`` threads have combined all."""
        fan = 1
        while fan * fan < self.lanes:
            fan *= 2
        return self.lanes if self.lanes <= 8 else fan


def choose_layout(frame: Frame, step: int, states: int, passes: int, target: Target) -> Layout:
    """The layout that suits the sizes.

    Args:
        step: elements that a thread reads at once, 4 or 1.
        states: numbers that the threads of a row give each other through workgroup memory.
        passes: how often a row is walked along.
    """
    if target.software:
        # barriers are expensive on a CPU; but Mesa's llvmpipe ends a thread's loops after 65,535 turns in all
        alone = frame.extent * max(2, passes) <= LONGEST_LOOP and (frame.extent < 4096 or frame.total >= 256)
        if alone:
            return Layout(1, LEAST_THREADS, step, frame.columns)
        lanes = LEAST_THREADS
        while lanes < MOST_THREADS and frame.extent * passes > LONGEST_LOOP * lanes:
            lanes *= 2
        return Layout(lanes, 1, step, frame.columns)
    most = min(MOST_THREADS, target.limits.max_invocations)
    while most > LEAST_THREADS and most * states * 4 * 2 > target.limits.max_workgroup_bytes:
        most //= 2
    count = frame.extent // step
    if frame.columns:
        return _columns(frame, most, target)
    lanes = 1
    while lanes < most and lanes * 4 < count and (lanes > 1 or count >= 8):
        lanes *= 2
    while lanes < most and lanes < count and frame.total * lanes < target.busy_threads:
        lanes *= 2
    rows = max(1, (LEAST_THREADS if frame.total * lanes < 4 * target.busy_threads else most) // lanes)
    return Layout(lanes, rows, step, False)


def _columns(frame: Frame, most: int, target: Target) -> Layout:
    rows, lanes = COLUMNS, 1
    while rows * lanes < most and lanes * 8 <= frame.extent and frame.total * lanes < 16 * target.busy_threads:
        lanes *= 2
    while rows > LEAST_COLUMNS and lanes * 32 <= frame.extent and frame.total * lanes < target.busy_threads:
        rows, lanes = rows // 2, lanes * 2
    return Layout(lanes, rows if lanes > 1 else 2 * rows, 1, True)
