"""Modules that contain modules: ``Sequential``, ``ModuleList``, ``ModuleDict``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, overload

from tabgrad.errors import TabgradError
from tabgrad.nn.module import Module, block_repr, indented
from tabgrad.runtime.dependencies import guarded_late


class _Numbered(Module):
    """Children named ``"0"``, ``"1"``, ...: the base of :class:`Sequential` and :class:`ModuleList`."""

    _modules: dict[str, Module]  # type: ignore[assignment]  # no child of a list is None

    def __len__(self) -> int:
        self._table_is_read("_modules")
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(guarded_late(self._watched, "children", lambda: tuple(self._modules.values())))

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Module | Self:
        if isinstance(index, slice):
            return self._like(list(self)[index])
        return self._modules[str(self._position(index))]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, str(self._position(index)), module)

    def __delitem__(self, index: int | slice) -> None:
        kept = list(self)
        del kept[index]
        self._modules.clear()
        self._watched.changed()
        self.extend(kept)

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{type(self).__name__}.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Add a module before position ``index``."""
        if not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        kept = list(self)
        kept.insert(index, module)
        self._modules.clear()
        self._watched.changed()
        return self.extend(kept)

    def pop(self, key: int | slice) -> Any:
        """Take a module out, and return it."""
        found = self[key]
        del self[key]
        return found

    def __add__(self, other: Iterable[Module]) -> Self:
        return self._like([*self, *other])

    def __iadd__(self, other: Iterable[Module]) -> Self:
        return self.extend(list(other))

    def _like(self, modules: list[Module]) -> Self:
        return type(self)(modules)  # type: ignore[call-arg]

    def _position(self, index: int) -> int:
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range for {type(self).__name__} of {len(self)} modules")
        return index % len(self)


class Sequential(_Numbered):
    """Modules that are called in order, each with the output of the previous one.

    Args:
        modules: the modules, or one dict from names to modules.
    """

    def __init__(self, *modules: Module | Mapping[str, Module]) -> None:
        super().__init__()
        first = modules[0] if len(modules) == 1 else None
        named: list[tuple[str, Any]]
        if isinstance(first, Mapping):
            named = list(first.items())
        else:
            named = [(str(i), module) for i, module in enumerate(modules)]
        for name, module in named:
            self.add_module(name, module)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Sequential(dict(list(self._modules.items())[index]))
        return list(self)[self._position(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, list(self._modules)[self._position(index)], module)

    def _like(self, modules: list[Module]) -> Self:
        return type(self)(*modules)

    def __add__(self, other: Iterable[Module]) -> Self:
        if not isinstance(other, Sequential):
            raise ValueError(f"Sequential: expected another Sequential to add, got {type(other).__name__}")
        return super().__add__(other)

    def __mul__(self, other: int) -> Self:
        return self._like([*self] * self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        kept = list(self)
        for _ in range(self._times(other) - 1):
            self.extend(kept)
        return self

    def _times(self, other: Any) -> int:
        if not isinstance(other, int):
            raise TypeError(f"Sequential: expected a whole number to multiply by, got {type(other).__name__}")
        if other <= 0:
            raise ValueError(f"Sequential: expected a number of at least 1 to multiply by, got {other}")
        return other

    def forward(self, input: Any) -> Any:
        """The last module's result."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of submodules; it has no ``forward``."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __repr__(self) -> str:
        # as PyTorch does, a run of equal modules is one line: (0-2): 3 x Linear(...)
        runs: list[tuple[int, int, str]] = []
        for i, module in enumerate(self):
            text = repr(module)
            if runs and runs[-1][2] == text:
                runs[-1] = (runs[-1][0], i, text)
            else:
                runs.append((i, i, text))
        lines = [
            f"({first}): {indented(text)}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {indented(text)}"
            for first, last, text in runs
        ]
        return block_repr("ModuleList", "", lines)


class ModuleDict(Module):
    """A dict of submodules by name; it has no ``forward``."""

    _modules: dict[str, Module]  # type: ignore[assignment]

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    @property
    def _read_modules(self) -> dict[str, Module]:
        self._table_is_read("_modules")
        return self._modules

    def __getitem__(self, key: str) -> Module:
        return self._read_modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        self._watched.changed()
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._read_modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._read_modules)

    def __contains__(self, key: str) -> bool:
        return key in self._read_modules

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._read_modules.keys()

    def values(self) -> Iterable[Module]:
        """The modules."""
        return self._read_modules.values()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Names and modules."""
        return self._read_modules.items()

    def clear(self) -> None:
        """Take all modules out."""
        self._watched.changed()
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take a module out, and return it."""
        found = self[key]
        del self[key]
        return found

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add or replace modules, given as a dict or as pairs of names and modules.

        Raises:
            TypeError: they cannot be iterated.
            ValueError: they are no pairs.
        """
        given: Any = modules
        if not isinstance(given, Mapping | ModuleDict | Iterable) or isinstance(given, str):
            raise TypeError(f"ModuleDict.update: expected modules by name, or pairs, got {type(given).__name__}")
        pairs: Any = given.items() if isinstance(given, Mapping | ModuleDict) else given
        for n, pair in enumerate(pairs):
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise TabgradError(
                    f"ModuleDict.update: expected modules by name, got {type(given).__name__} with "
                    f"{type(pair).__name__} at {n}; pass a dict, or pairs"
                )
            self[pair[0]] = pair[1]


__all__ = ["ModuleDict", "ModuleList", "Sequential"]
