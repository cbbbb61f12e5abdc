"""What losses share: how values become one, and checks of their targets."""

from __future__ import annotations

import warnings

from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.ops import reduce as red
from tabgrad.tensor import Tensor


def chosen_reduction(caller: str, reduction: str, size_average: bool | str | None, reduce: bool | None) -> str:
    """``reduction``, or what PyTorch's former two arguments mean, with a warning.

    Raises:
        ArgumentError: there is no such reduction.
    """
    if isinstance(size_average, str):  # in the place where PyTorch has the former argument
        reduction, size_average = size_average, None
    for name, given in (("size_average", size_average), ("reduce", reduce)):
        if not isinstance(given, bool | None):
            raise TypeError(f"{caller}: expected {name} as a bool, got {type(given).__name__}; use reduction instead")
    if size_average is not None or reduce is not None:
        average, reduces = size_average is None or size_average, reduce is None or reduce
        reduction = "mean" if average and reduces else "sum" if reduces else "none"
        warnings.warn(
            f"{caller}: size_average and reduce are deprecated; use reduction='{reduction}' instead",
            UserWarning,
            stacklevel=3,
        )
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(f"{caller}: expected reduction 'mean', 'sum' or 'none', got {reduction!r}")
    return reduction


def reduced(x: Tensor, reduction: str) -> Tensor:
    """The mean, the sum, or all values."""
    if reduction == "none":
        return x
    return red.mean(x) if reduction == "mean" else red.sum(x)


def same_shape(caller: str, x: Tensor, target: Tensor) -> None:
    """Targets are not broadcast, which is mostly a mistake: ``[N, 1]`` against ``[N]`` gives ``[N, N]``.

    Raises:
        ShapeError: they differ.
    """
    if x.shape != target.shape:
        raise ShapeError(f"{caller}: expected target {list(x.shape)}, got {list(target.shape)}; shapes must be equal")


__all__ = ["chosen_reduction", "reduced", "same_shape"]
