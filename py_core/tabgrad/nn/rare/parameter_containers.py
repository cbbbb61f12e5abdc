"""Modules that contain parameters: a list and a dict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from tabgrad.nn.module import Module, block_repr
from tabgrad.nn.parameter import Parameter
from tabgrad.tensor import Tensor


def _kept(value: Any) -> Any:
    """Tensors become parameters."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _line(name: Any, value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"({name}): Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(map(str, value.shape))
    return f"({name}): {kind} containing: [{value.dtype} of size {size}]"


class ParameterList(Module):
    """A list of parameters; tensors that are added become parameters, other values are kept as they are."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _position(self, index: int) -> str:
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index % len(self))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(getattr(self, str(n)) for n in range(*index.indices(len(self))))
        return getattr(self, self._position(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._position(index), _kept(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[n] for n in range(len(self))])

    def append(self, value: Any) -> Self:
        """Add a value at the end."""
        name = str(len(self))
        self._size += 1
        setattr(self, name, _kept(value))
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add values at the end.

        Raises:
            TypeError: they are no sequence.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def pop(self, index: int = -1) -> Any:
        """Take the last value out, or another one, and return it."""
        values = list(self)
        found = values.pop(int(self._position(index)))
        for n in range(len(self)):
            delattr(self, str(n))
        self._size = 0
        self.extend(values)
        return found

    def __repr__(self) -> str:
        return block_repr("ParameterList", "", ["  " + _line(n, value) for n, value in enumerate(self)])


class ParameterDict(Module):
    """A dict of parameters; tensors that are added become parameters, other values are kept as they are."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._names: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _attribute(self, key: str) -> str:
        if not isinstance(key, str):
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string ({key!r})")
        if hasattr(ParameterDict, key):
            raise KeyError(f"attribute '{key}' already exists")
        return key

    def __getitem__(self, key: str) -> Any:
        if key not in self._names:
            raise KeyError(key)
        return getattr(self, self._attribute(key))

    def __setitem__(self, key: str, value: Any) -> None:
        name = self._attribute(key)
        self._names = {**self._names, key: None}
        setattr(self, name, _kept(value))

    def __delitem__(self, key: str) -> None:
        if key not in self._names:
            raise KeyError(key)
        self._names = {n: None for n in self._names if n != key}
        delattr(self, self._attribute(key))

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._names))

    def __contains__(self, key: str) -> bool:
        return key in self._names

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._names.keys()

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return [self[key] for key in self._names]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters."""
        return [(key, self[key]) for key in self._names]

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of this name, or ``default``."""
        return self[key] if key in self._names else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of this name, which is ``default`` from now on if there is none."""
        if key not in self._names:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """Take a parameter out, and return it."""
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Take the last one out, and return its name and itself."""
        key = next(reversed(self))
        return key, self.pop(key)

    def clear(self) -> None:
        """Take all out."""
        for key in list(self._names):
            del self[key]

    def copy(self) -> ParameterDict:
        """Another one with the same parameters."""
        return ParameterDict(dict(self.items()))

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Another one with these names, and one value for all."""
        return ParameterDict(dict.fromkeys(keys, default))

    def update(self, parameters: Any) -> None:
        """Add or replace parameters, given as a dict or as pairs.

        Raises:
            TypeError: they are neither.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                f"ParametersDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(parameters).__name__}"
            )
        given: Any = parameters
        pairs = given.items() if isinstance(given, Mapping | ParameterDict) else given
        for key, value in pairs:
            self[key] = value

    def __or__(self, other: Any) -> ParameterDict:
        found = self.copy()
        found.update(other)
        return found

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self

    def __repr__(self) -> str:
        return block_repr("ParameterDict", "", ["  " + _line(key, value) for key, value in self.items()])


__all__ = ["ParameterDict", "ParameterList"]
