"""WGSL as text: named values in nested scopes, literals, and index arithmetic over bound names."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from tabgrad.dtypes import DType, bool_, float32, int32, uint32
from tabgrad.graph.index import Deps

_LARGEST = 3.4028234663852886e38
_ROUNDS_TO_INFINITY = 3.4028235677973366e38  # halfway from the largest float32 to 2^128
_NAME = re.compile(r"[A-Za-z_]\w*|\d+u")


class Scopes:
    """Lines of code for a loop nest. A value is computed in the outermost scope that knows its variables.

    Args:
        levels: for each scope from the outside in, the loop variables that it introduces.
    """

    def __init__(self, levels: Sequence[Sequence[str]], prefix: str = "v") -> None:
        self.lines: list[list[str]] = [[] for _ in levels]
        self._known: list[set[str]] = []
        known: set[str] = set()
        for names in levels:
            known = known | set(names)
            self._known.append(known)
        self._memo: dict[str, str] = {}
        self._count = 0
        self._prefix = prefix

    def bind(self, text: str, deps: Deps = frozenset()) -> str:
        """A name for an expression's value; the same expression gets the same name."""
        name = self._memo.get(text)
        if name is None:
            if _NAME.fullmatch(text):
                return text
            self._count += 1
            name = self._memo[text] = f"{self._prefix}{self._count}"
            self.lines[self.level(deps)].append(f"let {name} = {text};")
        return name

    def level(self, deps: Deps) -> int:
        """The outermost scope in which ``deps`` are known; the innermost takes the rest."""
        return next((n for n, known in enumerate(self._known) if deps <= known), len(self._known) - 1)


def bounded(value: float) -> float:
    """A number as float32 bounds it: infinite beyond the largest one."""
    if abs(value) >= _ROUNDS_TO_INFINITY:
        return math.copysign(math.inf, value)
    return math.copysign(min(abs(value), _LARGEST), value)


def literal(value: float | int | bool, dtype: DType) -> str:
    """A constant of a dtype as WGSL; infinities and NaN come from functions, as WGSL has no literals for them."""
    kind = dtype.computed
    if kind is bool_:
        return "true" if value else "false"
    if kind is uint32:
        return f"{int(value)}u"
    if kind is int32:
        return f"{int(value)}i" if value > -(2**31) else "(-2147483647i - 1i)"
    assert kind is float32
    if math.isnan(value):
        return "nan_f32()"
    value = bounded(value)
    if math.isinf(value):
        return "inf_f32()" if value > 0 else "(-inf_f32())"
    text = repr(value)
    return f"{text}f" if value >= 0 else f"({text}f)"


def storage_type(dtype: DType) -> str:
    """The WGSL type of a buffer's elements: the dtype's, or words that hold one or several of them."""
    return "u32" if dtype is bool_ or dtype.is_narrow else dtype.wgsl


def from_storage(word: str, dtype: DType, lane: str = "") -> str:
    """A value from a word that was loaded, and which of its elements it is."""
    return dtype.load.replace("{word}", word).replace("{lane}", lane)


def to_storage(values: Sequence[str], dtype: DType) -> str:
    """A word that holds these values, the first in its low bits."""
    shift = 8 * dtype.itemsize
    texts = [dtype.bits.replace("{0}", v) for v in values]
    return " | ".join([texts[0], *(f"({t} << {shift * n}u)" for n, t in enumerate(texts[1:], 1))])
