"""Programs: the compiler's output, and all that a device sees. Plain data, also as JSON."""

from tabgrad.program.instruction import Instruction
from tabgrad.program.program import (
    FORMAT,
    OFFSET_ALIGNMENT,
    Access,
    Binding,
    BufferSpec,
    Dispatch,
    Program,
    Role,
    Tenant,
    scalars_bytes,
)

__all__ = [
    "FORMAT",
    "OFFSET_ALIGNMENT",
    "Access",
    "Binding",
    "BufferSpec",
    "Dispatch",
    "Instruction",
    "Program",
    "Role",
    "Tenant",
    "scalars_bytes",
]
