"""Loops whose length drivers cannot tell: they compile faster, as nothing is unrolled, and run slower."""

from __future__ import annotations

import re

_LOOP = re.compile(r"(for \(var (\w+) = [^;]*; \2 < )(\d+u);")
_UNKNOWN_ZERO = "\nfn unknown_zero() -> u32 { return select(0u, 1u, arrayLength(&b0) == 0u); } // no buffer is empty\n"


def rolled(source: str) -> str:
    """A kernel's source with all constant lengths of its loops hidden."""
    text, count = _LOOP.subn(r"\1(\3 + unknown_zero());", source)
    return text + _UNKNOWN_ZERO if count else source


__all__ = ["rolled"]
