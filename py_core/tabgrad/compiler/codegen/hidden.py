"""What a shader's compiler must not know: numbers that it would fold as if no infinity and no NaN existed.

WGSL lets compilers assume finite numbers, and drivers do: ``x * 0.0`` becomes 0 and ``x - x`` too, also for NaN;
``x / 0.0`` becomes anything; ``select(b, a, a > b)`` becomes a maximum that ignores NaN. So an op says which arguments
are hidden (see :class:`tabgrad.graph.op.Elementwise`): their bits are combined with a word of 0 that lies in the
scalars buffer, which no compiler can see.
"""

from __future__ import annotations

import math
import re
import struct
from functools import cache

from tabgrad.compiler.codegen.emit import bounded
from tabgrad.dtypes import bool_
from tabgrad.graph.entry import Entry
from tabgrad.graph.node import CONST
from tabgrad.graph.op import Elementwise, Kind

_MARK = re.compile(r"\{(\d)([!?]+)\}")


@cache
def _marks(wgsl: str) -> dict[int, str]:
    return {int(n): mark for n, mark in _MARK.findall(wgsl)}


def unmarked(wgsl: str) -> str:
    """An op's WGSL with plain names of its arguments."""
    return _plain(wgsl) if "!" in wgsl or "?" in wgsl else wgsl


@cache
def _plain(wgsl: str) -> str:
    return _MARK.sub(r"{\1}", wgsl)


def hidden(entries: list[Entry], e: Entry) -> list[int]:
    """Positions of the arguments that an elementwise value hides."""
    if not isinstance(e.op.lowering, Elementwise) or not e.dtype.is_floating_point:
        return []
    found = []
    for n, mark in _marks(e.op.lowering.wgsl).items():
        if ("!" in mark and _special(_source(entries, e.args[n]))) or ("?" in mark and _alike(entries, e, n)):
            found.append(n)
    return found


def _alike(entries: list[Entry], e: Entry, n: int) -> bool:
    """Whether argument ``n`` is the first one, or what the first one compares with the remaining one."""
    if e.args[n] == e.args[0]:
        return True
    condition = entries[e.args[0]]
    while condition.dtype is bool_ and len(condition.args) == 1 and condition.op.kind is Kind.ELEMENTWISE:
        condition = entries[condition.args[0]]  # "not"
    return condition.dtype is bool_ and len(condition.args) == 2 and set(condition.args) == set(e.args[1:])


def _source(entries: list[Entry], index: int) -> Entry:
    """The value under ops of one argument: a compiler that knows a number also knows views and sums of it."""
    while len(entries[index].args) == 1:
        index = entries[index].args[0]
    return entries[index]


def _special(e: Entry) -> bool:
    return e.op is CONST and (e.attrs["value"] == 0 or not math.isfinite(bounded(e.attrs["value"])))


def hide(text: str, zero: str) -> str:
    """An expression of the same value as ``text``, an f32, whatever the compiler knows of it."""
    return f"bitcast<f32>(bitcast<u32>({text}) ^ {zero})"


def hide_constant(value: float, zero: str) -> str:
    """A number as an f32 that no compiler folds."""
    return f"bitcast<f32>({_bits(value):#010x}u ^ {zero})"


def _bits(value: float) -> int:
    if math.isnan(value):
        return 0x7FC00000
    bits: int = struct.unpack("<I", struct.pack("<f", bounded(value)))[0]
    return bits
