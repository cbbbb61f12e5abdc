"""Tensors without a value that calls of several rounds use: constants of a program, and sums from round to round."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any

from tabgrad.graph.node import BUFFER
from tabgrad.graph.op import Kind
from tabgrad.tensor import Tensor
from tabgrad.tracing.segment import Segment


class Unvalued:
    """Knows which tensors from outside are to be computed by themselves, so that calls with them are recognised."""

    def __init__(self) -> None:
        self._met: dict[int, weakref.ref[Tensor]] = {}

    def to_compute(self, values: Iterable[Any], segment: Segment, *, is_loop: bool) -> list[Tensor]:
        """Those among a call's arguments.

        One that comes a second time is; the first time, a program that runs anyway computes it with much else.

        Args:
            is_loop: whether calls have been recognised: then also one that an earlier round has made.
        """
        found = []
        for tensor in _tensors(values):
            if tensor._trace is segment or tensor._node.op is BUFFER or _is_shared(tensor):
                continue
            ctx = tensor._ctx
            if (ctx is None or ctx.is_spent) and (self._is_known(tensor) or (is_loop and tensor._trace is not None)):
                found.append(tensor)
        return found

    def _is_known(self, tensor: Tensor) -> bool:
        met, key = self._met, id(tensor)
        if key in met:
            return True
        met[key] = weakref.ref(tensor, lambda _: met.pop(key, None))
        return False


def _is_shared(tensor: Tensor) -> bool:
    """Whether it shows a part of memory that there is already: what is written there changes what it shows."""
    memory = tensor._memory
    return memory is not None and (memory.node.op is BUFFER or memory.node.op.kind is Kind.ASSIGN)


def _tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif type(value) in (list, tuple):
            yield from _tensors(value)


__all__ = ["Unvalued"]
