"""An explanation of a program, as data that can be printed or written as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any

from tabgrad.inspection.explanation_sheets import sheets
from tabgrad.inspection.peaks import Peaks
from tabgrad.program import Program


@dataclass(frozen=True, kw_only=True)
class Operand:
    """A value that a kernel reads or writes."""

    buffer: int
    shape: tuple[int, ...]
    dtype: str
    size_bytes: int


@dataclass(frozen=True, kw_only=True)
class KernelView:
    """One dispatch; times are lower bounds, not measurements.

    Attributes:
        variant: the template with its parameters.
        measured: the variant if the tuner found it to be faster than the heuristic's; otherwise empty.
        heuristic: in that case, the heuristic's variant.
    """

    number: int
    label: str
    variant: str
    shader: int
    workgroups: tuple[int, int, int]
    reads: tuple[Operand, ...]
    writes: tuple[Operand, ...]
    flops: int
    bytes_moved: int
    bound: str
    estimated_us: float
    share: float
    measured: str = ""
    heuristic: str = ""


@dataclass(frozen=True, kw_only=True)
class BufferView:
    """One buffer. ``lives``, for scratch memory: (value, first kernel, last kernel, bytes)."""

    index: int
    role: str
    purpose: str
    size_bytes: int
    lives: tuple[tuple[str, int, int, int], ...] = ()


@dataclass(frozen=True, kw_only=True)
class ScalarView:
    """A number that is set before each run, and the kernels that use it."""

    slot: int
    dtype: str
    kernels: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Explanation of a program; ``str()`` gives tables, :meth:`to_dict` plain data.

    Attributes:
        name: of the compiled step.
        target: the adapter kind that it was compiled for, ``gpu`` or ``software``.
        kernels: in the order in which they run.
        shaders: distinct WGSL sources; a kernel's is ``shaders[kernel.shader]``.
        must_live: bytes by purpose: parameters, optimizer state, gradients, saved activations, ...
        scratch_bytes: memory for values between kernels.
        scratch_peak_bytes: the most scratch memory in use at once, at kernel ``scratch_peak_at``.
        program: the explained program; ``program.to_json()`` is its JSON, which other processes can run.
    """

    name: str
    target: str
    peaks: Peaks
    kernels: tuple[KernelView, ...]
    shaders: tuple[str, ...]
    buffers: tuple[BufferView, ...]
    scalars: tuple[ScalarView, ...]
    must_live: dict[str, int]
    scratch_bytes: int
    scratch_peak_bytes: int
    scratch_peak_at: int
    program: Program = field(repr=False)

    @property
    def flops(self) -> int:
        """Floating-point operations of a step."""
        return sum(k.flops for k in self.kernels)

    @property
    def bytes_moved(self) -> int:
        """Bytes that a step reads and writes if each kernel accesses each of its values once."""
        return sum(k.bytes_moved for k in self.kernels)

    @property
    def estimated_us(self) -> float:
        """The shortest time that a step can take on the assumed adapter."""
        return sum(k.estimated_us for k in self.kernels)

    @property
    def is_training(self) -> bool:
        """Whether the program overwrites memory that outlives it."""
        return any(b.role == "state" for b in self.buffers)

    def bytes_by_role(self) -> dict[str, int]:
        """Sizes of the buffers, summed by role."""
        sums: dict[str, int] = {}
        for b in self.buffers:
            sums[b.role] = sums.get(b.role, 0) + b.size_bytes
        return sums

    def wgsl(self, number: int) -> str:
        """The source of a kernel."""
        return self.shaders[self.kernels[number].shader]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the program as plain data, for JSON."""
        return {
            **{f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name != "program"},
            "flops": self.flops,
            "bytes_moved": self.bytes_moved,
            "estimated_us": self.estimated_us,
            "bytes_by_role": self.bytes_by_role(),
        }

    def __str__(self) -> str:
        return "\n\n".join(map(str, sheets(self)))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_plain(v) for v in value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
