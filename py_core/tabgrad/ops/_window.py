"""Sizes of windows: one number for both axes, or (height, width)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabgrad.errors import ArgumentTypeError, ShapeError

Pair = int | Sequence[int]


def sizes_of(size: Any, count: int, caller: str, name: str, *, minimum: int = 0) -> tuple[int, ...]:
    """``size`` as one number for each of ``count`` axes; a single one, in a tuple or not, is for all.

    Raises:
        ShapeError: not as many numbers as axes, or one below ``minimum``.
        ArgumentTypeError: no whole numbers.
    """
    given: tuple[Any, ...] = (size,) if isinstance(size, int) else tuple(size) if isinstance(size, Sequence) else ()
    every = given * count if len(given) == 1 else given
    if len(every) != count or any(isinstance(n, bool) or not isinstance(n, int) or n < minimum for n in every):
        more = {1: "", 2: " or two", 3: " or three"}.get(count, f" or {count}")
        error = ShapeError if every and all(isinstance(n, int) for n in every) else ArgumentTypeError
        raise error(f"{caller}: expected {name} as a whole number{more}, at least {minimum}, got {size!r}")
    return every


def check_window(caller: str, kernel_size: Any, stride: Any, padding: Any, dilation: Any, count: int = 2) -> None:
    """The sizes of a pooling layer over ``count`` axes.

    Raises:
        ShapeError: one is no size, or the padding is more than half the window.
    """
    kernel = sizes_of(kernel_size, count, caller, "kernel_size", minimum=1)
    if stride is not None:
        sizes_of(stride, count, caller, "stride", minimum=1)
    apart = sizes_of(dilation, count, caller, "dilation", minimum=1)
    spans = [d * (n - 1) + 1 for d, n in zip(apart, kernel, strict=True)]
    if any(2 * p > n for p, n in zip(sizes_of(padding, count, caller, "padding"), spans, strict=True)):
        raise ShapeError(f"{caller}: expected padding of at most half the kernel_size {kernel_size}, got {padding}")
