"""A shader in the making: bindings, scalars, library functions, and the template that puts it together."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tabgrad.compiler.codegen import templates
from tabgrad.compiler.codegen.emit import Scopes, storage_type, to_storage
from tabgrad.compiler.codegen.lower import Lowerer
from tabgrad.compiler.codegen.outline import Outline
from tabgrad.graph.index import Coords, Index, constant, quad
from tabgrad.program import scalars_bytes


class Shader:
    """Collects what one kernel reads and writes, and renders its template."""

    def __init__(self, outline: Outline) -> None:
        self.entries = outline.entries
        self.kernel = outline.kernel
        self.part = outline.part
        self._outline = outline
        self._ports = {f"b{n}": port for n, port in enumerate(outline.ports)}  # by the buffer's name
        self.lower = self._lowerer()

    def _lowerer(self) -> Lowerer:
        loads = {i: f"b{port}" for i, port in self._outline.loaded.items()}
        return Lowerer(self.entries, loads, self._outline.num_scalars or 0)

    def widest(self, attempt: Callable[[], str]) -> str:
        """What ``attempt`` renders, with as many buffers as possible read and written in vec4s.

        It is called again, with a fresh ``lower``, until no buffer is declared wide that is used element by element.
        """
        wide = {name for name, port in self._ports.items() if port.size_bytes % 16 == 0 and port.per_word == 1}
        while True:
            self.lower = self._lowerer()
            self.lower.wide = wide
            text = attempt()
            if not self.lower.narrow:
                return text
            wide = wide - self.lower.narrow

    def keeping(self, attempt: Callable[[], str], most: int) -> str:
        """What ``attempt`` renders once more, with at most ``most`` elements kept that several passes read."""
        again = [element for element, turns in self.lower.reads.items() if len(turns) > 1][:most]
        wide = self.lower.wide
        self.lower = self._lowerer()
        self.lower.wide = wide
        # each thread takes several elements, one after the other: @ stands for the number of the turn
        self.lower.keep = {element: f"keep{n}_@" for n, element in enumerate(again)}
        return attempt()

    def kept(self) -> list[tuple[str, str]]:
        """The variables of elements that are kept: name and type."""
        found = []
        for (name, _), variable in self.lower.keep.items():
            kind = self._ports[name].kind
            found.append((variable, f"vec4<{kind}>" if name in self.lower.wide else kind))
        return found

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
            stores += [f"{name}[{at}] = {to_storage([text], self.entries[s].dtype)};" for name in self._names(s)]
        return [*scopes.lines[-1], *stores]

    def _names(self, store: int) -> list[str]:
        """Of the buffers that a value is written to."""
        return [f"b{port}" for port in self._outline.stored[store]]

    def results(self) -> set[str]:
        """Names of the buffers that are written."""
        return {name for s in self.kernel.stores for name in self._names(s)}

    def finish_wide(self, coords: Callable[[int, int], Coords], scopes: Scopes, acc: str) -> list[str] | None:
        """As :meth:`finish` for four elements at once, where ``coords(store, lane)`` is where each of them lies and
        ``acc`` a vector; None if some store's four elements are not one vector of its buffer.
        """
        assert self.kernel.heavy is not None
        if not self.results() <= self.lower.wide:
            return None
        values: dict[int, list[str]] = {s: [] for s in self.kernel.stores}
        positions: dict[int, list[Index]] = {s: [] for s in self.kernel.stores}
        for lane in range(4):
            self.lower.registers = {self.kernel.heavy: f"{acc}.{'xyzw'[lane]}"}
            for s in self.kernel.stores:
                position = coords(s, lane)
                place = quad(position.flat())
                if place is None or place[1] != lane:
                    self.lower.registers = {}
                    return None
                text = scopes.bind(self.lower.value(s, position, scopes), frozenset(("element",)))
                self.lower.registers[s] = text
                values[s].append(text)
                positions[s].append(position.flat())
        stores = [line for s in self.kernel.stores for line in self.store(s, positions[s], values[s])]
        return [*scopes.lines[-1], *stores]

    def store(self, index: int, positions: list[Index], values: list[str]) -> list[str]:
        """Statements that store a value at one position, or at four that follow each other."""
        dtype = self.entries[index].dtype
        if dtype.is_narrow:
            return self._store_words(index, positions, values)
        texts = [to_storage([v], dtype) for v in values]
        lines = []
        for name in self._names(index):
            place = quad(positions[0])
            if name in self.lower.wide:
                if len(values) == 4 and place is not None and place[1] == 0:
                    lines.append(f"{name}[{place[0].text()}] = vec4<{storage_type(dtype)}>({', '.join(texts)});")
                    continue
                self.lower.narrow.add(name)
            lines += [f"{name}[{at.text()}] = {text};" for at, text in zip(positions, texts, strict=True)]
        return lines

    def _store_words(self, index: int, positions: list[Index], values: list[str]) -> list[str]:
        """Statements that store whole words, of elements of one or two bytes; the first position begins a word."""
        dtype, lines = self.entries[index].dtype, []
        for n in range(0, len(values), dtype.per_word):
            word = quad(positions[0], dtype.per_word)
            assert word is not None and word[1] == 0 and len(values) % dtype.per_word == 0
            place = (word[0] + constant(n // dtype.per_word)).text()
            text = to_storage(values[n : n + dtype.per_word], dtype)
            lines += [f"{name}[{place}] = {text};" for name in self._names(index)]
        return lines

    def overwrites_loads(self) -> bool:
        """Whether the kernel writes a buffer that it reads."""
        return any(self._outline.ports[port].access == "read_write" for port in self._outline.loaded.values())

    def render(self, template: str, **variables: Any) -> str:
        """The WGSL source; empty where :meth:`widest` has to ask for another one."""
        if self.lower.narrow:
            return ""
        body = templates.render(template, **variables)
        head = [
            f"@group(0) @binding({n}) var<storage, {port.access}> {name}: "
            f"array<{f'vec4<{port.kind}>' if name in self.lower.wide else port.kind}>;"
            for n, (name, port) in enumerate(self._ports.items())
        ]
        if self._outline.num_scalars is not None:
            vectors = scalars_bytes(self._outline.num_scalars) // 16
            head.append(f"@group(0) @binding({len(head)}) var<uniform> scalars: array<vec4<u32>, {vectors}>;")
        used = _used_functions(body)
        return "\n".join([_title(template, variables), *head, *used, body]).strip() + "\n"


def _title(template: str, variables: dict[str, Any]) -> str:
    """The first line of a source: its template and the numbers that it was rendered with."""
    numbers = [f"{name}={value}" for name, value in variables.items() if isinstance(value, int)]
    return " ".join(["//", template.removesuffix(".wgsl.j2"), *numbers])


def _used_functions(body: str) -> list[str]:
    known = templates.functions()
    found: dict[str, str] = {}
    waiting = [body]
    while waiting:
        text = waiting.pop()
        for name, source in known.items():
            call = f"{name}("
            if name not in found and call in text and re.search(rf"\b{re.escape(call)}", text):
                found[name] = source.strip()
                waiting.append(found[name])
    return [found[n] for n in sorted(found)]
