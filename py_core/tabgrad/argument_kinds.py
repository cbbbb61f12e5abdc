"""Kinds of arguments, by the annotations of public functions: what is of another kind raises before anything is done.

A check is a look at each argument's type, of calls that are executed; those that were recognised pay nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabgrad.dtypes import DType
from tabgrad.random import Generator
from tabgrad.tensor import Tensor

_NONE = type(None)


@dataclass(frozen=True)
class Kind:
    """What an argument may be."""

    text: str  # as the annotation says it
    types: frozenset[type]  # of the most usual values
    fits: Callable[[Any], bool]  # of others


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def _is_whole(value: Any) -> bool:
    return hasattr(type(value), "__index__") and not isinstance(value, bool | np.bool_)


def _is_number(value: Any) -> bool:
    return hasattr(type(value), "__float__")


def _is_operand(value: Any) -> bool:
    return isinstance(value, Tensor | np.ndarray | np.generic) or _is_number(value)


def _are_dims(value: Any) -> bool:
    return not isinstance(value, str | float | bool)


def _kind(text: str, fits: Callable[[Any], bool], *types: type) -> list[tuple[str, Kind]]:
    def or_none(value: Any) -> bool:
        return value is None or fits(value)

    optional = f"{text} | None"
    return [(text, Kind(text, frozenset(types), fits)), (optional, Kind(optional, frozenset((*types, _NONE)), or_none))]


_KINDS: dict[str, Kind] = dict(
    [
        *_kind("Tensor", _is_tensor, Tensor),
        *_kind("Tensor | float", _is_operand, Tensor, int, float, bool),
        *_kind("int", _is_whole, int),
        *_kind("float", _is_number, int, float),
        *_kind("Generator", lambda value: isinstance(value, Generator), Generator),
        *_kind("bool", lambda value: isinstance(value, bool | np.bool_), bool),
        *_kind("DType", lambda value: isinstance(value, DType) or value in (bool, int, float), DType),
        *_kind("Dims", _are_dims, int, tuple, list, _NONE),
        *_kind("Sequence[Tensor]", lambda value: isinstance(value, list | tuple) and all(map(_is_tensor, value))),
    ]
)
_NUMBERS_ALONE = ("add", "sub", "mul", "div", "floor_divide")
"""Functions of two operands that take two numbers, too."""
_PYTHONS_OWN = ("bool", "bool | None")  # of PyTorch's functions in Python, which ask only whether it is true


@dataclass(frozen=True)
class Kinds:
    """Of the arguments of one function, by place, and by name."""

    by_place: tuple[tuple[str, Kind | None], ...]
    by_name: dict[str, Kind]
    needs_tensor: tuple[str, ...]  # parameters of which one must be a tensor

    @property
    def usual(self) -> tuple[frozenset[type] | None, ...]:
        """Of each place the types that need no look; None where any will do."""
        found = [None if kind is None else kind.types for _, kind in self.by_place]
        if self.needs_tensor:
            found[0] = frozenset((Tensor,))  # a number there may be one of two
        return tuple(found)

    def wrong(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[str, str, Any] | None:
        """Name, kind and value of the first argument of another kind; None where there is none."""
        for (name, kind), value in zip(self.by_place, args, strict=False):
            if kind is not None and type(value) not in kind.types and not kind.fits(value):
                return name, kind.text, value
        if kwargs:
            for name, value in kwargs.items():
                kind = self.by_name.get(name)
                if kind is not None and type(value) not in kind.types and not kind.fits(value):
                    return name, kind.text, value
        if self.needs_tensor:
            given = [*args[:2], *(kwargs[name] for name in self.needs_tensor if name in kwargs)]
            if len(given) > 1 and not any(isinstance(value, Tensor | np.ndarray) for value in given):
                return self.needs_tensor[0], "Tensor", given[0]
        return None


def kinds_of(function: Callable[..., Any], *, is_pythons: bool, only_tensors: bool) -> Kinds:
    """What a function's annotations say.

    Args:
        only_tensors: what is annotated as ``Any`` must be a tensor.
        is_pythons: PyTorch's is written in Python.
    """
    places: list[tuple[str, Kind | None]] = []
    names: dict[str, Kind] = {}
    takes_places = True
    for name, parameter in inspect.signature(function).parameters.items():
        text = str(parameter.annotation)
        text = "Tensor" if only_tensors and text == "Any" else text
        kind = None if is_pythons and text in _PYTHONS_OWN else _KINDS.get(text)
        takes_places = takes_places and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        if takes_places:
            places.append((name, kind))
        if kind is not None and parameter.kind is not parameter.VAR_KEYWORD:
            names[name] = kind
    while places and places[-1][1] is None:
        places.pop()
    first = [name for name, _ in places[:2]]
    either = (
        len(first) == 2
        and function.__name__ not in _NUMBERS_ALONE
        and all(kind is _KINDS["Tensor | float"] for _, kind in places[:2])
    )
    return Kinds(tuple(places), names, tuple(first) if either else ())


__all__ = ["Kinds", "kinds_of"]
