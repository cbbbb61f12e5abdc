"""A kernel apart from its program: all that its instructions, source and launch size depend on, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tabgrad.compiler.codegen.emit import storage_type
from tabgrad.compiler.codegen.hidden import hidden
from tabgrad.compiler.passes.kernel import Kernel, base
from tabgrad.compiler.passes.memory import Place
from tabgrad.compiler.passes.part import Part, part_of
from tabgrad.dtypes import DType
from tabgrad.graph.entry import Entry
from tabgrad.graph.node import BUFFER, SCALAR
from tabgrad.program import Access


@dataclass(frozen=True)
class Port:
    """A binding as the kernel sees it; ``kind`` is the WGSL type of its elements, or of words that hold several."""

    kind: str
    size_bytes: int
    access: Access
    per_word: int = 1


@dataclass(frozen=True)
class Outline:
    """A kernel in a graph of its own, of what it loads and what it computes, numbered in order.

    Loaded values are buffers there, whatever they were computed by. ``loaded`` and ``stored`` tell by number which
    port a value is read from and which ones it is written to. ``num_scalars`` is the program's, or None if the kernel
    neither uses one nor hides a number behind them.
    """

    entries: list[Entry]
    kernel: Kernel
    ports: tuple[Port, ...]
    loaded: dict[int, int]
    stored: dict[int, list[int]]
    num_scalars: int | None

    @property
    def uses_scalars(self) -> bool:
        """Whether the kernel binds the scalars buffer."""
        return self.num_scalars is not None

    @cached_property
    def part(self) -> Part | None:
        """The slice that it writes over a value that lies in the same memory; None if it writes all that it stores."""
        if self.kernel.heavy is not None or len(self.kernel.stores) != 1:
            return None
        (stored,) = self.kernel.stores
        part = part_of(self.entries[stored])
        if part is None:
            return None
        port = self.loaded.get(base(self.entries, part.outside))
        return part if [port] == self.stored[stored] else None


def outline(
    entries: list[Entry], kernel: Kernel, places: dict[int, list[Place]], num_scalars: int
) -> tuple[Outline, list[Place]]:
    """A kernel's outline, and for each of its ports the place that the kernel finds there."""
    loads = set(kernel.loads)
    number = {i: n for n, i in enumerate(sorted(loads.union(kernel.inline)))}
    own = []
    for i in number:
        e = entries[i]
        if i in loads:
            own.append(Entry(BUFFER, (), {}, e.shape, e.dtype))
        else:
            slot = e.slot if e.op is SCALAR else -1
            own.append(Entry(e.op, tuple(number[a] for a in e.args), e.attrs, e.shape, e.dtype, slot))

    port: dict[Place, int] = {}
    dtypes: list[DType] = []

    def bind(place: Place, index: int) -> int:
        if place not in port:
            port[place] = len(port)
            dtypes.append(entries[index].dtype)
        return port[place]

    loaded = {number[i]: bind(places[i][0], i) for i in kernel.loads}
    stored = {number[s]: [bind(p, s) for p in places[s]] for s in kernel.stores}
    written = {p.buffer for s in kernel.stores for p in places[s]}
    ports = tuple(
        Port(storage_type(dtype), p.size_bytes, "read_write" if p.buffer in written else "read", dtype.per_word)
        for p, dtype in zip(port, dtypes, strict=True)
    )
    moved = Kernel(
        stores=[number[s] for s in kernel.stores],
        heavy=None if kernel.heavy is None else number[kernel.heavy],
        inline=[number[i] for i in kernel.inline],
        loads=[number[i] for i in kernel.loads],
        heavies=[number[h] for h in kernel.heavies],
    )
    uses_scalars = any(e.op is SCALAR or hidden(own, e) for e in own)
    return Outline(own, moved, ports, loaded, stored, num_scalars if uses_scalars else None), list(port)
