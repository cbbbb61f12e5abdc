"""Where the parameters of layers start, under short names."""

from __future__ import annotations

import math

from workloads.workload import Start


def linear(name: str, inputs: int, outputs: int, bound: float | None = None) -> dict[str, Start]:
    """``<name>w`` ``[inputs, outputs]``, within ``bound`` or 1/√inputs, and the bias ``<name>b``, at 0."""
    limit = 1 / math.sqrt(inputs) if bound is None else bound
    return {f"{name}w": Start((inputs, outputs), limit), f"{name}b": Start((outputs,))}


def norm(name: str, size: int) -> dict[str, Start]:
    """The gain ``<name>g``, at 1, and the shift ``<name>b``, at 0."""
    return {f"{name}g": Start((size,), centre=1.0), f"{name}b": Start((size,))}
