"""What the native device keeps of programs: of an executable its launches, of a bound program all that a run needs."""

from __future__ import annotations

import wgpu

from tabgrad.devices.base import BoundProgram, Buffer, Executable

Launch = tuple[wgpu.GPUComputePipeline, tuple[int, int, int]]
Step = tuple[wgpu.GPUComputePipeline, wgpu.GPUBindGroup, tuple[int, int, int]]


class Loaded:
    """An executable's own buffers by their place in the program, and what each dispatch launches."""

    __slots__ = ("launches", "scratch")

    def __init__(self, scratch: dict[int, Buffer], launches: dict[int, Launch]) -> None:
        self.scratch = scratch
        self.launches = launches  # by dispatch; those of no workgroup are left out


class Replay:
    """A run of a bound program: the executable's launches, on these groups and scalars."""

    __slots__ = ("groups", "launches", "scalars")

    def __init__(self, launches: dict[int, Launch], groups: list[wgpu.GPUBindGroup], scalars: Buffer) -> None:
        self.launches = launches
        self.groups = groups
        self.scalars = scalars

    def encode(self, compute: wgpu.GPUComputePassEncoder) -> None:
        """Record all launches in one pass."""
        pipeline = group = None
        for index, (next_pipeline, workgroups) in self.launches.items():
            next_group = self.groups[index]
            if next_pipeline is not pipeline:
                pipeline = next_pipeline
                compute.set_pipeline(pipeline)
            if next_group is not group:
                group = next_group
                compute.set_bind_group(0, group)
            compute.dispatch_workgroups(*workgroups)

    def steps(self) -> list[Step]:
        """The launches one by one."""
        return [(pipeline, self.groups[n], workgroups) for n, (pipeline, workgroups) in self.launches.items()]


def loaded(executable: Executable) -> Loaded:
    """What the native device keeps of an executable."""
    assert isinstance(executable.handle, Loaded)
    return executable.handle


def replay_of(bound: BoundProgram) -> Replay:
    """What the native device keeps of a bound program."""
    assert isinstance(bound.handle, Replay)
    return bound.handle
