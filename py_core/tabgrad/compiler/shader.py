"""A shader in the making: bindings, scalars, library functions, and the template that puts it together."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tabgrad.compiler import templates
from tabgrad.compiler.emit import Scopes, storage_type, to_storage
from tabgrad.compiler.index import Coords
from tabgrad.compiler.lower import Lowerer
from tabgrad.compiler.memory import Place
from tabgrad.compiler.schedule import Kernel
from tabgrad.graph.linearize import Entry
from tabgrad.program import Binding


class Shader:
    """Collects what one kernel reads and writes, and renders its template."""

    def __init__(self, entries: list[Entry], kernel: Kernel, places: dict[int, list[Place]], num_scalars: int) -> None:
        self.entries = entries
        self.kernel = kernel
        self._scalars = num_scalars
        self._names: dict[Place, str] = {}
        self._types: list[str] = []
        self._writable: set[int] = set()
        self._places = places
        for s in kernel.stores:
            self._writable.update(p.buffer for p in places[s])
        for i in kernel.loads:
            self._bind(places[i][0], i)
        for s in kernel.stores:
            for p in places[s]:
                self._bind(p, s)
        self.lower = Lowerer(entries, set(kernel.loads), lambda i: self._names[places[i][0]])

    def _bind(self, place: Place, index: int) -> None:
        if place not in self._names:
            self._names[place] = f"b{len(self._names)}"
            self._types.append(storage_type(self.entries[index].dtype))

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """What the dispatch binds, in order."""
        return tuple(
            Binding(
                buffer=p.buffer,
                offset=p.offset,
                size_bytes=p.size_bytes,
                access="read_write" if p.buffer in self._writable else "read",
            )
            for p in self._names
        )

    def binding_of(self, index: int) -> int:
        """Which binding a loaded value is read from."""
        return list(self._names).index(self._places[index][0])

    def bindings_stored(self, index: int) -> list[int]:
        """Which bindings a stored value is written to."""
        order = list(self._names)
        return [order.index(p) for p in self._places[index]]

    def finish(self, coords: Callable[[int], Coords], scopes: Scopes, acc: str | None = None) -> list[str]:
        """Lines that compute and store the kernel's values at one element; ``acc`` is the heavy value there."""
        if self.kernel.heavy is not None:
            assert acc is not None
            self.lower.registers[self.kernel.heavy] = acc
        stores = []
        for s in self.kernel.stores:
            position = coords(s)
            text = scopes.bind(self.lower.value(s, position, scopes), frozenset(("element",)))
            self.lower.registers[s] = text
            at = position.flat().text()
            stores += [f"{self._names[p]}[{at}] = {to_storage(text, self.entries[s].dtype)};" for p in self._places[s]]
        return [*scopes.lines[-1], *stores]

    def render(self, template: str, **variables: Any) -> str:
        """The WGSL source."""
        body = templates.render(template, **variables)
        head = [
            f"@group(0) @binding({n}) var<storage, {b.access}> {name}: array<{kind}>;"
            for n, (b, name, kind) in enumerate(zip(self.bindings, self._names.values(), self._types, strict=True))
        ]
        if self.lower.uses_scalars:
            words = -(-self._scalars // 4)
            head.append(f"@group(0) @binding({len(head)}) var<uniform> scalars: array<vec4<u32>, {words}>;")
        used = _used_functions(body)
        return "\n".join([_title(template, variables), *head, *used, body]).strip() + "\n"


def _title(template: str, variables: dict[str, Any]) -> str:
    """The first line of a source: its template and the numbers that it was rendered with."""
    numbers = [f"{name}={value}" for name, value in variables.items() if isinstance(value, int)]
    return " ".join(["//", template.removesuffix(".wgsl.j2"), *numbers])


def _used_functions(body: str) -> list[str]:
    found: dict[str, str] = {}
    waiting = [body]
    while waiting:
        text = waiting.pop()
        for name in re.findall(r"\b([a-z]\w*)\(", text):
            if name in templates.functions() and name not in found:
                found[name] = templates.functions()[name].strip()
                waiting.append(found[name])
    return [found[n] for n in sorted(found)]
