"""Memory for the results of a program that runs again and again: free again when the results are gone."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

from tabgrad.devices.base import BoundProgram, Device
from tabgrad.graph.node import Node
from tabgrad.graph.storage import Storage
from tabgrad.runtime.program_cache import MOST_BINDINGS, CachedProgram

SETS_AT_START = 2  # the last result lives while the next is made


class OutputSet:
    """Buffers for the results of one run."""

    def __init__(self, storages: list[Storage]) -> None:
        self.storages = storages
        self.results: list[weakref.ref[Node]] = []
        self.bound: dict[tuple[int, ...], BoundProgram] = {}  # by the inputs' buffers

    @property
    def free(self) -> bool:
        """Whether none of the results is in use."""
        return not [ref for ref in self.results if ref() is not None]


class OutputSets:
    """All that one program needs, and the program bound to them.

    Args:
        storages: of the program's graph; inputs stand in for some of them.
        at_start: sets made with the first run.
    """

    def __init__(self, cached: CachedProgram, storages: Sequence[Storage], at_start: int = SETS_AT_START) -> None:
        self._cached, self._storages, self._at_start = cached, storages, at_start
        self._sets: list[OutputSet] = []

    def take(self, device: Device, chosen: dict[int, Storage]) -> tuple[OutputSet, BoundProgram]:
        """A set none of whose results is still in use, and the program bound to it and to the inputs.

        Args:
            chosen: inputs, by their place among the storages.
        """
        key = tuple([s.on(device).id for s in chosen.values()])
        for known in self._sets:
            if known.free:
                return known, self._bind(device, known, chosen, key)
        made = [
            OutputSet([Storage(n) for n in self._cached.compiled.output_bytes])
            for _ in range(1 if self._sets else self._at_start)
        ]
        self._sets += made
        bound = [self._bind(device, s, chosen, key) for s in made]
        return made[0], bound[0]

    def _bind(
        self, device: Device, outputs: OutputSet, chosen: dict[int, Storage], key: tuple[int, ...]
    ) -> BoundProgram:
        # all other storages keep their buffers, so inputs and outputs tell
        bound = outputs.bound.get(key)
        if bound is None:
            buffers = [chosen.get(n, s).on(device) for n, s in enumerate(self._storages)]
            bound = self._cached.bind([*buffers, *(s.on(device) for s in outputs.storages)])
            if len(outputs.bound) >= MOST_BINDINGS:
                outputs.bound.pop(next(iter(outputs.bound)))
            outputs.bound[key] = bound
        else:
            self._cached.count_use()
        return bound


__all__ = ["SETS_AT_START", "OutputSet", "OutputSets"]
