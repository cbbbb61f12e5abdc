"""Borders made of the tensor's own elements: mirrored, repeated, or taken from the other side."""

from __future__ import annotations

from collections.abc import Sequence

from tabgrad.errors import ArgumentError, NoSuchModeError, ShapeError
from tabgrad.names import public
from tabgrad.ops.movement import broadcast_to
from tabgrad.ops.slicing import cat, flip, narrow
from tabgrad.tensor import Tensor

MODES = ("reflect", "replicate", "circular")


@public(top=False)
def bordered(input: Tensor, amounts: Sequence[int], mode: str) -> Tensor:
    """``input`` with (before, after) elements added, from the last dimension backwards; negative amounts crop.

    Args:
        mode: ``"reflect"`` (without the edge), ``"replicate"`` (the edge) or ``"circular"``.

    Raises:
        ArgumentError: another mode, or other dimensions than the last 1, 2 or 3.
        ShapeError: a border is wider than the mode can fill.
    """
    if mode not in MODES:
        raise NoSuchModeError(f"pad: expected mode 'constant', {', '.join(map(repr, MODES))}, got {mode!r}")
    count = len(amounts) // 2
    if not 1 <= count <= 3 or input.ndim not in (count + 1, count + 2):
        raise ArgumentError(
            f"pad: expected the last 1, 2 or 3 dimensions of [N, C, ...] or [C, ...] with mode={mode!r}, "
            f"got {list(amounts)} for {list(input.shape)}"
        )
    for i in range(count):
        dim = input.ndim - 1 - i
        input = _axis(input, dim, int(amounts[2 * i]), int(amounts[2 * i + 1]), mode)
    return input


def _axis(x: Tensor, dim: int, before: int, after: int, mode: str) -> Tensor:
    n = x.shape[dim]
    most = {"reflect": n - 1, "circular": n}.get(mode)
    if most is not None and max(before, after) > most:
        raise ShapeError(
            f"pad: expected at most {most} elements on a side of dim {dim} with mode={mode!r}, got {before}, {after}; "
            f"input {list(x.shape)}"
        )
    if n < 1 or n + before + after < 1:
        raise ShapeError(f"pad: expected elements along dim {dim}, got {list(x.shape)} and {before}, {after}")
    first, last = max(0, -before), n - max(0, -after)  # what is kept of the elements themselves
    if mode == "circular":  # what is cropped is not wrapped either
        x, n, first, last = narrow(x, dim, first, last - first), last - first, 0, last - first
    parts = [narrow(x, dim, first, last - first)] if last > first else []
    if before > 0:
        parts.insert(0, _beside(x, dim, before, mode, at_end=False))
    if after > 0:
        parts.append(_beside(x, dim, after, mode, at_end=True))
    if last < first:  # one side crops into the other's border
        whole = cat([_beside(x, dim, before, mode, at_end=False), x] if before > 0 else [x, parts[-1]], dim)
        return narrow(whole, dim, max(0, -before), n + before + after)
    return parts[0] if len(parts) == 1 else cat(parts, dim)


def _beside(x: Tensor, dim: int, count: int, mode: str, *, at_end: bool) -> Tensor:
    """What is added on one side."""
    n = x.shape[dim]
    if mode == "replicate":
        edge = narrow(x, dim, n - 1 if at_end else 0, 1)
        return broadcast_to(edge, (*x.shape[:dim], count, *x.shape[dim + 1 :]))
    if mode == "circular":
        return narrow(x, dim, 0 if at_end else n - count, count)
    return flip(narrow(x, dim, n - 1 - count if at_end else 1, count), dim)


__all__ = ["MODES", "bordered"]
