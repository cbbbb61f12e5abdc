"""Hand-made programs that every device must run alike, importable without pytest or torch.

Each carries WGSL for GPUs and instructions for devices that interpret. The Node harness imports
this module inside Pyodide; pytest does on the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tabgrad.devices.base import Buffer, Device
from tabgrad.graph.op import OPS
from tabgrad.program import Access, Binding, BufferSpec, Dispatch, Instruction, Program, Role

N = 1003  # no multiple of a workgroup
WORKGROUP = 64


@dataclass(frozen=True, kw_only=True)
class ProgramCase:
    """A program, what its external buffers hold before, and what they must hold after ``runs`` runs."""

    name: str
    program: Program
    before: tuple[np.ndarray, ...]
    scalars: np.ndarray
    after: tuple[np.ndarray, ...]
    runs: int = 1


def buffer(label: str, role: Role, count: int = N) -> BufferSpec:
    return BufferSpec(size_bytes=4 * count, role=role, label=label)


def binding(index: int, access: Access = "read", count: int = N, offset: int = 0) -> Binding:
    return Binding(buffer=index, offset=offset, size_bytes=4 * count, access=access)


def dispatch(
    label: str,
    shader: int,
    bindings: tuple[Binding, ...],
    instructions: tuple[Instruction, ...],
    *,
    uses_scalars: bool = False,
    workgroups: tuple[int, int, int] = (-(-N // WORKGROUP), 1, 1),
) -> Dispatch:
    return Dispatch(
        label=label,
        shader=shader,
        bindings=bindings,
        uses_scalars=uses_scalars,
        workgroups=workgroups,
        instructions=instructions,
        flops=N,
        bytes_moved=4 * N * len(bindings),
    )


def instruction(
    op: str, *args: int, dtype: str = "float32", shape: tuple[int, ...] = (N,), **attrs: Any
) -> Instruction:
    return Instruction(OPS[op], args, attrs, shape, dtype)


def wgsl(declarations: list[str], statement: str, *, scalars: str = "", count: int = N) -> str:
    """A shader of one thread per element; ``declarations`` are ``read f32`` or ``read_write f32``."""
    lines = []
    for i, declaration in enumerate(declarations):
        access, kind = declaration.split()
        lines.append(f"@group(0) @binding({i}) var<storage, {access}> b{i}: array<{kind}>;")
    if scalars:
        lines.append(f"@group(0) @binding({len(declarations)}) var<uniform> scalars: {scalars};")
    return "\n".join(
        [
            *lines,
            f"@compute @workgroup_size({WORKGROUP})",
            "fn main(@builtin(global_invocation_id) id: vec3<u32>) {",
            f"  let i = id.x; if (i >= {count}u) {{ return; }}",
            f"  {statement}",
            "}",
        ]
    )


def _f32(seed: int, count: int = N) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(count, dtype=np.float32)


def _zeros(count: int = N) -> np.ndarray:
    return np.zeros(count, np.float32)


NO_SCALARS = np.empty(0, np.uint32)


def _add_scaled() -> ProgramCase:
    a, b = _f32(1), _f32(2)
    scalars = np.array([0, 0.5], np.float32)
    program = Program(
        buffers=(buffer("a", "input"), buffer("b", "input"), buffer("out", "output")),
        shaders=(
            wgsl(
                ["read f32", "read f32", "read_write f32"],
                "b2[i] = b0[i] + b1[i] * bitcast<f32>(scalars[0].y);",
                scalars="array<vec4<u32>, 1>",
            ),
        ),
        dispatches=(
            dispatch(
                "add_scaled",
                0,
                (binding(0), binding(1), binding(2, "read_write")),
                (
                    instruction("load", binding=0),
                    instruction("load", binding=1),
                    instruction("scalar", slot=1, shape=()),
                    Instruction(OPS["reshape"], (2,), {"shape": (1,)}, (1,), "float32"),
                    Instruction(OPS["expand"], (3,), {"shape": (N,)}, (N,), "float32"),
                    instruction("mul", 1, 4),
                    instruction("add", 0, 5),
                    instruction("store", 6, binding=2),
                ),
                uses_scalars=True,
            ),
        ),
        scalars=("float32", "float32"),
    )
    return ProgramCase(
        name="elementwise with scalars",
        program=program,
        before=(a, b, _zeros()),
        scalars=scalars.view(np.uint32),
        after=(a, b, a + b * np.float32(0.5)),
    )


def _accumulate() -> ProgramCase:
    step, state = _f32(3), _f32(4)
    program = Program(
        buffers=(buffer("step", "input"), buffer("state", "state")),
        shaders=(wgsl(["read f32", "read_write f32"], "b1[i] = b1[i] + b0[i];"),),
        dispatches=(
            dispatch(
                "accumulate",
                0,
                (binding(0), binding(1, "read_write")),
                (
                    instruction("load", binding=1),
                    instruction("load", binding=0),
                    instruction("add", 0, 1),
                    instruction("store", 2, binding=1),
                ),
            ),
        ),
        scalars=(),
    )
    return ProgramCase(
        name="in place, three times",
        program=program,
        before=(step, state),
        scalars=NO_SCALARS,
        after=(step, state + step + step + step),
        runs=3,
    )


def _through_scratch() -> ProgramCase:
    a = _f32(5)
    double = (instruction("load", binding=0), instruction("add", 0, 0), instruction("store", 1, binding=1))
    square = (instruction("load", binding=0), instruction("mul", 0, 0), instruction("store", 1, binding=1))
    program = Program(
        buffers=(
            buffer("first", "scratch"),
            buffer("a", "input"),
            buffer("second", "scratch"),
            buffer("out", "output"),
        ),
        shaders=(
            wgsl(["read f32", "read_write f32"], "b1[i] = b0[i] + b0[i];"),
            wgsl(["read f32", "read_write f32"], "b1[i] = b0[i] * b0[i];"),
        ),
        dispatches=(
            dispatch("double", 0, (binding(1), binding(0, "read_write")), double),
            dispatch("double again", 0, (binding(0), binding(2, "read_write")), double),
            dispatch("square", 1, (binding(2), binding(3, "read_write")), square),
        ),
        scalars=(),
    )
    return ProgramCase(
        name="dispatches through scratch",
        program=program,
        before=(a, _zeros()),
        scalars=NO_SCALARS,
        after=(a, (4 * a) * (4 * a)),
    )


def _ranges() -> ProgramCase:
    """Two ranges of one buffer, 256 bytes apart, and integers."""
    count = 64
    data = np.arange(3 * count, dtype=np.int32) * 1_000_003
    after = data.copy()
    after[2 * count :] = data[:count] + data[count : 2 * count]
    program = Program(
        buffers=(BufferSpec(size_bytes=12 * count, role="state", label="data"),),
        shaders=(wgsl(["read_write i32", "read_write i32", "read_write i32"], "b2[i] = b0[i] + b1[i];", count=count),),
        dispatches=(
            dispatch(
                "add_ranges",
                0,
                tuple(binding(0, "read_write", count, 4 * count * i) for i in range(3)),
                (
                    instruction("load", binding=0, dtype="int32", shape=(count,)),
                    instruction("load", binding=1, dtype="int32", shape=(count,)),
                    instruction("add", 0, 1, dtype="int32", shape=(count,)),
                    instruction("store", 2, binding=2, dtype="int32", shape=(count,)),
                ),
                workgroups=(1, 1, 1),
            ),
        ),
        scalars=(),
    )
    return ProgramCase(name="ranges of one buffer", program=program, before=(data,), scalars=NO_SCALARS, after=(after,))


PROGRAM_CASES = (_add_scaled(), _accumulate(), _through_scratch(), _ranges())


async def run_case(device: Device, case: ProgramCase) -> list[np.ndarray]:
    """Run a case; what its external buffers hold afterwards, in the dtypes of ``before``."""
    buffers = upload(device, case.before)
    executable = await device.load_async(case.program)
    bound = device.bind(executable, buffers)
    for _ in range(case.runs):
        device.run(bound, case.scalars)
    arrays = await device.read([(b, 0, a.nbytes) for b, a in zip(buffers, case.before, strict=True)])
    for b in buffers:
        device.free(b)
    return [got.view(a.dtype) for got, a in zip(arrays, case.before, strict=True)]


def upload(device: Device, arrays: tuple[np.ndarray, ...]) -> list[Buffer]:
    """A buffer for each array, filled."""
    buffers = [device.allocate(a.nbytes) for a in arrays]
    for b, a in zip(buffers, arrays, strict=True):
        device.write(b, a)
    return buffers


async def check_case(device: Device, case: ProgramCase) -> None:
    """Raise AssertionError unless every buffer holds what it must, to the rounding of one fused op."""
    for got, expected in zip(await run_case(device, case), case.after, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6, err_msg=f"{case.name} on {device.name}")
