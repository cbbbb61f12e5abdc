"""The compiler's output and all that a device sees: buffers, shaders, dispatches.

A program is plain data: it can be printed, compared, cached and sent elsewhere.

Binding convention of every shader: the dispatch's ``bindings`` are storage buffers at
``@group(0) @binding(0..n-1)`` in order; if ``uses_scalars``, the scalars buffer is a uniform
``array<vec4<u32>, scalars_bytes(num_scalars) / 16>`` at ``@binding(n)``: the program's scalars, and after them words
that stay 0, behind which shaders hide numbers from their compiler. The entry point is ``main``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tabgrad.graph.op import Op

Role = Literal["input", "state", "output", "constant", "scratch"]
Access = Literal["read", "read_write"]


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


@dataclass(frozen=True, kw_only=True)
class Binding:
    """A range of a buffer, as one shader sees it; ``offset`` is a multiple of 256."""

    buffer: int
    offset: int
    size_bytes: int
    access: Access


@dataclass(frozen=True)
class Instruction:
    """One primitive op inside a kernel, for devices that interpret (the NumPy reference).

    ``args`` name earlier instructions of the same kernel by position. ``LOAD`` and ``STORE``
    name a binding of the dispatch in ``attrs["binding"]``.
    """

    op: Op
    args: tuple[int, ...]
    attrs: dict[str, Any]
    shape: tuple[int, ...]
    dtype: str


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


@dataclass(frozen=True, kw_only=True)
class Program:
    """An ordered list of dispatches over buffers; see the module's docstring."""

    buffers: tuple[BufferSpec, ...]
    shaders: tuple[str, ...]
    dispatches: tuple[Dispatch, ...]
    num_scalars: int
    externals: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        external = tuple(i for i, b in enumerate(self.buffers) if b.role != "scratch")
        object.__setattr__(self, "externals", external)

    @property
    def scratch_bytes(self) -> int:
        """Bytes of memory that the program needs beside what it is given."""
        return sum(b.size_bytes for b in self.buffers if b.role == "scratch")
