"""Tensors as text, in PyTorch's form: ``tensor([1.0000, 2.5000], requires_grad=True)``."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError
from tabgrad.session import Session, current

_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}
_MOST_RATIO, _LARGEST, _SMALLEST = 1000.0, 1e8, 1e-4  # of numbers that are written without an exponent
_UNSAID = (dtypes.float32, dtypes.int32, dtypes.bool_)  # dtypes that their values show


@dataclass(frozen=True)
class PrintOptions:
    """How numbers are written.

    Attributes:
        precision: digits after the point.
        threshold: elements from which on a tensor is abridged.
        edgeitems: elements that are left at each end of a dimension then.
        linewidth: characters of a line.
        sci_mode: whether numbers have an exponent; None: where they need one.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


class Printing:
    """A session's options."""

    def __init__(self, session: Session) -> None:
        self.options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """How tensors are printed in this session; see :class:`PrintOptions`.

    Args:
        profile: ``default``, ``short`` or ``full``, which the other arguments change.

    Raises:
        ArgumentError: there is no such profile.
    """
    printing = current().own(Printing)
    if profile is not None and profile not in _PROFILES:
        raise ArgumentError(f"set_printoptions: expected profile default, short or full, got {profile!r}")
    base = printing.options if profile is None else PrintOptions(**_PROFILES[profile])
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    printing.options = replace(base, **{k: v for k, v in given.items() if v is not None}, sci_mode=sci_mode)  # type: ignore[arg-type]


def shown(values: np.ndarray | str, shape: tuple[int, ...], dtype: DType, extra: str, session: Session) -> str:
    """A tensor as text.

    Args:
        values: or what is said in their place, where there are none.
        extra: what is said at the end, such as ``requires_grad=True``.
    """
    suffixes = []
    if isinstance(values, str):
        body = values
        suffixes.append(f"size={tuple(shape)}")
    elif values.size == 0:
        body = "[]"
        if len(shape) != 1:
            suffixes.append(f"size={tuple(shape)}")
    else:
        body = _body(values, dtype, session.own(Printing).options)
    if dtype not in _UNSAID or (isinstance(values, np.ndarray) and not values.size and dtype is not dtypes.float32):
        suffixes.append(f"dtype={dtype!r}")
    if extra:
        suffixes.append(extra)
    return _with_suffixes(f"tensor({body}", suffixes, session.own(Printing).options.linewidth)


def _with_suffixes(text: str, suffixes: list[str], linewidth: int) -> str:
    """At the end of the last line, or on a line of its own where that becomes too long."""
    last = len(text) - text.rfind("\n") - 1
    for suffix in suffixes:
        if last + len(suffix) + 2 > linewidth:
            text += f",\n       {suffix}"
            last = 7 + len(suffix)
        else:
            text += f", {suffix}"
            last += len(suffix) + 2
    return f"{text})"


def _body(values: np.ndarray, dtype: DType, options: PrintOptions) -> str:
    summarized = values.size > options.threshold
    seen = _edges(values, options.edgeitems) if summarized else values
    write = _writer(seen, dtype, options)
    return _nested(values, 0, len("tensor("), write, summarized, options)


def _edges(values: np.ndarray, n: int) -> np.ndarray:
    """What is left of a tensor that is abridged."""
    for d, size in enumerate(values.shape):
        if size > 2 * n:
            values = np.take(values, [*range(n), *range(size - n, size)], axis=d)
    return values


class _Writer:
    """Writes numbers in one width."""

    def __init__(self, texts: list[str], form: Any) -> None:
        self.width = max(map(len, texts), default=1)
        self.form = form

    def __call__(self, value: Any) -> str:
        return self.form(value).rjust(self.width)


def _writer(values: np.ndarray, dtype: DType, options: PrintOptions) -> _Writer:
    flat = values.reshape(-1)
    if not dtype.is_floating_point:
        form: Any = (lambda v: str(bool(v))) if dtype is dtypes.bool_ else (lambda v: str(int(v)))
        return _Writer([form(v) for v in flat], form)
    numbers = np.abs(flat[np.isfinite(flat) & (flat != 0)].astype(np.float64))
    whole = bool((numbers == np.ceil(numbers)).all())
    scientific, digits = False, options.precision
    if numbers.size:
        least, most = float(numbers.min()), float(numbers.max())
        scientific = most / least > _MOST_RATIO or most > _LARGEST or (not whole and least < _SMALLEST)
        if options.sci_mode is not None:
            scientific = options.sci_mode

    def form_of(value: Any) -> str:
        number = float(value)
        if not math.isfinite(number):
            return str(number)
        if scientific:
            return f"{number:.{digits}e}"
        return f"{number:.0f}." if whole else f"{number:.{digits}f}"

    return _Writer([form_of(v) for v in flat], form_of)


def _nested(
    values: np.ndarray, depth: int, indent: int, write: _Writer, summarized: bool, options: PrintOptions
) -> str:
    if values.ndim == 0:
        return write(values.item())
    n, size = options.edgeitems, values.shape[0]
    cut = summarized and size > 2 * n
    kept: list[Any] = [*range(n), None, *range(size - n, size)] if cut else list(range(size))
    if values.ndim == 1:
        per_line = max(1, (options.linewidth - indent - depth) // (write.width + 2))
        texts = [" ..." if k is None else write(values[k]) for k in kept]
        lines = [texts[i : i + per_line] for i in range(0, len(texts), per_line)]
        return "[" + f",\n{' ' * (indent + depth + 1)}".join(", ".join(line) for line in lines) + "]"
    parts = ["..." if k is None else _nested(values[k], depth + 1, indent, write, summarized, options) for k in kept]
    return "[" + (",\n" + "\n" * (values.ndim - 2) + " " * (indent + depth + 1)).join(parts) + "]"


__all__ = ["PrintOptions", "Printing", "set_printoptions", "shown"]
