"""The compiler's output and all that a device sees: buffers, shaders, dispatches.

A program is plain data: it can be printed, compared, stored as JSON and run by another process.

Binding convention of every shader: the dispatch's ``bindings`` are storage buffers at
``@group(0) @binding(0..n-1)`` in order; if ``uses_scalars``, the scalars buffer is a uniform
``array<vec4<u32>, scalars_bytes(num_scalars) / 16>`` at ``@binding(n)``: the program's scalars, and after them words
that stay 0, behind which shaders hide numbers from their compiler. The entry point is ``main``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from tabgrad.dtypes import BY_NAME
from tabgrad.errors import FileFormatError
from tabgrad.json_text import parse_json
from tabgrad.program.instruction import Instruction
from tabgrad.program.json_field import Field

Role = Literal["input", "state", "output", "scratch"]
Access = Literal["read", "read_write"]

FORMAT = "tabgrad program 1"
OFFSET_ALIGNMENT = 256  # of bindings, in bytes: WebGPU's default minimum, which every adapter meets
_MOST_DEPTH = 16
_MOST_WORKGROUPS = 2**32 - 1  # a u32; adapters allow fewer and say so


def scalars_bytes(num_scalars: int) -> int:
    """Size of a program's scalars buffer: whole vec4s, with room for one more word at least."""
    return 16 * (num_scalars // 4 + 1)


@dataclass(frozen=True, kw_only=True)
class Tenant:
    """A value that lies in a scratch buffer from dispatch ``first``, which writes it, to dispatch ``last``."""

    label: str
    first: int
    last: int
    size_bytes: int

    @staticmethod
    def from_plain(json: Field) -> Tenant:
        """From its fields as JSON has them."""
        parts = json.object(("label", "first", "last", "size_bytes"))
        first = parts["first"].integer()
        return Tenant(
            label=parts["label"].text(),
            first=first,
            last=parts["last"].integer(first),
            size_bytes=parts["size_bytes"].integer(),
        )


@dataclass(frozen=True, kw_only=True)
class BufferSpec:
    """One buffer of a program.

    ``scratch`` buffers are the executable's own, made once when the program is loaded;
    all others are external: the caller binds them, in the order of :attr:`Program.externals`.
    """

    size_bytes: int
    role: Role
    label: str
    tenants: tuple[Tenant, ...] = ()  # of a scratch buffer, in order: what it holds, for those who explain programs

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        tenants = [vars(t) for t in self.tenants]
        return {"size_bytes": self.size_bytes, "role": self.role, "label": self.label, "tenants": tenants}

    @staticmethod
    def from_plain(json: Field) -> BufferSpec:
        """The inverse of :meth:`to_plain`."""
        parts = json.object(("size_bytes", "role", "label", "tenants"))
        return BufferSpec(
            size_bytes=parts["size_bytes"].integer(1),
            role=parts["role"].one_of(get_args(Role)),
            label=parts["label"].text(),
            tenants=tuple(Tenant.from_plain(t) for t in parts["tenants"].list()),
        )


@dataclass(frozen=True, kw_only=True)
class Binding:
    """A range of a buffer, as one shader sees it; ``offset`` is a multiple of 256."""

    buffer: int
    offset: int
    size_bytes: int
    access: Access

    @staticmethod
    def from_plain(json: Field, buffers: Sequence[BufferSpec]) -> Binding:
        """From a list of its four fields, in a program of these buffers."""
        buffer, offset, size, access = json.list(4)
        whole = buffers[buffer.index(len(buffers), "buffers")].size_bytes
        if offset.integer(0, whole) % OFFSET_ALIGNMENT:
            offset.refuse(f"a multiple of {OFFSET_ALIGNMENT}")
        size.integer(1, whole - offset.value)
        return Binding(
            buffer=buffer.value, offset=offset.value, size_bytes=size.value, access=access.one_of(get_args(Access))
        )


@dataclass(frozen=True, kw_only=True)
class Dispatch:
    """One kernel launch."""

    label: str
    shader: int
    bindings: tuple[Binding, ...]
    uses_scalars: bool
    workgroups: tuple[int, int, int]
    instructions: tuple[Instruction, ...]
    flops: int
    bytes_moved: int

    def to_plain(self, *, instructions: bool) -> dict[str, Any]:
        """As JSON has it."""
        plain: dict[str, Any] = {
            "label": self.label,
            "shader": self.shader,
            "bindings": [(b.buffer, b.offset, b.size_bytes, b.access) for b in self.bindings],
            "uses_scalars": self.uses_scalars,
            "workgroups": self.workgroups,
            "flops": self.flops,
            "bytes_moved": self.bytes_moved,
        }
        return plain | ({"instructions": [i.to_plain() for i in self.instructions]} if instructions else {})

    @staticmethod
    def from_plain(json: Field, buffers: Sequence[BufferSpec], shaders: int, scalars: Sequence[str]) -> Dispatch:
        """The inverse of :meth:`to_plain`, in a program of these parts."""
        names = ("label", "shader", "bindings", "uses_scalars", "workgroups", "flops", "bytes_moved")
        parts = json.object(names, optional=("instructions",))
        bindings = tuple(Binding.from_plain(b, buffers) for b in parts["bindings"].list())
        ranges = [(b.size_bytes, b.access) for b in bindings]
        steps: list[Instruction] = []
        for step in parts["instructions"].list() if "instructions" in parts else ():
            steps.append(Instruction.from_plain(step, steps, ranges, scalars))
        x, y, z = (n.integer(0, _MOST_WORKGROUPS) for n in parts["workgroups"].list(3))
        return Dispatch(
            label=parts["label"].text(),
            shader=parts["shader"].index(shaders, "shaders"),
            bindings=bindings,
            uses_scalars=parts["uses_scalars"].flag(),
            workgroups=(x, y, z),
            instructions=tuple(steps),
            flops=parts["flops"].integer(),
            bytes_moved=parts["bytes_moved"].integer(),
        )


@dataclass(frozen=True, kw_only=True)
class Program:
    """An ordered list of dispatches over buffers; see the module's docstring.

    ``scalars`` are the dtypes of the numbers that each run is given, in order; four bytes each.
    """

    buffers: tuple[BufferSpec, ...]
    shaders: tuple[str, ...]
    dispatches: tuple[Dispatch, ...]
    scalars: tuple[str, ...]
    externals: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        external = tuple(i for i, b in enumerate(self.buffers) if b.role != "scratch")
        object.__setattr__(self, "externals", external)

    @property
    def num_scalars(self) -> int:
        """How many numbers each run is given."""
        return len(self.scalars)

    @property
    def scratch_bytes(self) -> int:
        """Bytes of memory that the program needs beside what it is given."""
        return sum(b.size_bytes for b in self.buffers if b.role == "scratch")

    def to_json(self, *, instructions: bool = True) -> str:
        """The program as JSON text, which :meth:`from_json` reads, also in another process.

        Args:
            instructions: without them, only devices that compile shaders can run the program.
        """
        return json.dumps(
            {
                "format": FORMAT,
                "buffers": [b.to_plain() for b in self.buffers],
                "shaders": self.shaders,
                "scalars": self.scalars,
                "dispatches": [d.to_plain(instructions=instructions) for d in self.dispatches],
            },
            allow_nan=False,
            separators=(",", ":"),
        )

    @staticmethod
    def from_json(text: str) -> Program:
        """The program that :meth:`to_json` wrote.

        What a device relies on is checked: places, sizes, and that each instruction's type follows from its op.

        Raises:
            FileFormatError: the text is no program of this version; says where, and what was expected there.
        """
        try:
            document = Field(parse_json(text, most_depth=_MOST_DEPTH))
        except (ValueError, RecursionError) as error:
            raise FileFormatError(
                f"Program.from_json: expected JSON text in the form {FORMAT!r}, got something else ({error}); "
                f"write the program again with Program.to_json()"
            ) from None
        if isinstance(document.value, dict) and document.value.get("format") != FORMAT:
            Field(document.value.get("format"), "format").refuse(f"the form {FORMAT!r}, which this version reads,")
        parts = document.object(("format", "buffers", "shaders", "scalars", "dispatches"))
        buffers = tuple(BufferSpec.from_plain(b) for b in parts["buffers"].list())
        shaders = tuple(s.text() for s in parts["shaders"].list())
        scalars = tuple(s.one_of(_SCALAR_TYPES) for s in parts["scalars"].list())
        dispatches = tuple(Dispatch.from_plain(d, buffers, len(shaders), scalars) for d in parts["dispatches"].list())
        return Program(buffers=buffers, shaders=shaders, dispatches=dispatches, scalars=scalars)


_SCALAR_TYPES = [name for name, dtype in BY_NAME.items() if not dtype.is_narrow]

__all__ = [
    "FORMAT",
    "OFFSET_ALIGNMENT",
    "Access",
    "Binding",
    "BufferSpec",
    "Dispatch",
    "Program",
    "Role",
    "Tenant",
    "scalars_bytes",
]
