"""Internal errors as sentences about the arguments that caused them, without cost for calls that succeed."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tabgrad.argument_kinds import Kinds
from tabgrad.errors import ArgumentError, ArgumentTypeError, IndexRangeError, TabgradError, UnknownKeywordError
from tabgrad.tensor import Tensor

_INSIDE = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, StopIteration, TypeError, ValueError,
)  # fmt: skip

_OWN_WORDS = ("expected ", "out of bounds for dimension", "out of bounds for size", "is not a Module subclass")


def reword_errors(fn: Callable[..., Any], name: str | None = None, kinds: Kinds | None = None) -> Callable[..., Any]:
    """``fn`` with errors that name it, the argument and its value. Errors with tabgrad's messages are unchanged.

    Args:
        name: what messages call it; its own name by default.
        kinds: of its arguments, which are looked at before it is called.
    """
    caller = name or fn.__name__
    usual = () if kinds is None else kinds.usual

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        for value, types in zip(args, usual, strict=False):
            if types is not None and type(value) not in types:
                look = True
                break
        else:
            look = bool(kwargs)
        if look and kinds is not None and (found := kinds.wrong(args, kwargs)) is not None:
            raise _of_another_kind(caller, *found)
        try:
            return fn(*args, **kwargs)
        except _INSIDE as error:
            if not _is_from_inside(error):
                if type(error) is TypeError and (unknown := _unknown(fn, kwargs)):
                    raise UnknownKeywordError(f"{caller}: {unknown}") from None
                raise
            raise _sentence(fn, caller, args, kwargs, error) from error

    return wrapped


def reword_all(namespace: dict[str, Any], names: Iterable[str]) -> None:
    """Apply :func:`reword_errors` to a module's functions and to its classes' constructors."""
    for name in names:
        value = namespace[name]
        if inspect.isfunction(value):
            namespace[name] = reword_errors(value)
        elif inspect.isclass(value) and "__init__" in vars(value):
            setattr(value, "__init__", reword_errors(value.__init__, value.__name__))  # noqa: B010 - mypy allows no assignment


def _is_from_inside(error: BaseException) -> bool:
    if isinstance(error, TabgradError) or any(words in str(error) for words in _OWN_WORDS):
        return False
    frames = list(traceback.walk_tb(error.__traceback__))
    if len(frames) == 1:
        return False  # Python's own error about the call
    module = str(frames[-1][0].f_globals.get("__name__", ""))
    return module.partition(".")[0] in ("tabgrad", "numpy")  # not in a callback of the caller


def _unknown(fn: Callable[..., Any], kwargs: dict[str, Any]) -> str:
    """What to say of the first keyword that a function does not take; empty where it takes all."""
    parameters = inspect.signature(fn).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return ""
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name != "self"]
    wrong = next((name for name in kwargs if name not in names), "")
    return f"unexpected keyword argument {wrong!r}; expected some of {', '.join(names)}" if wrong else ""


def _sentence(
    fn: Callable[..., Any], caller: str, args: tuple[Any, ...], kwargs: dict[str, Any], error: BaseException
) -> Exception:
    bound = inspect.signature(fn).bind(*args, **kwargs)
    parameters = bound.signature.parameters
    given = {name: value for name, value in bound.arguments.items() if name != "self"}
    for name, value in given.items():
        kind = str(parameters[name].annotation)
        if parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            continue
        if not any(_fits(value, part.strip()) for part in kind.split("|")):
            return _of_another_kind(caller, name, kind, value)
    words = ", ".join(f"{name}={_shown(value)}" for name, value in given.items())
    kinds: dict[type, type[ArgumentError | IndexRangeError]]
    kinds = {IndexError: IndexRangeError, TypeError: ArgumentTypeError}
    return kinds.get(type(error), ArgumentError)(
        f"{caller}: expected arguments that fit each other, got {words}; {type(error).__name__}: {error}"
    )


def _of_another_kind(caller: str, name: str, kind: str, value: Any) -> Exception:
    remedy = "; wrap it in tabgrad.tensor(...)" if "Tensor" in kind and _is_data(value) else ""
    return TypeError(f"{caller}: expected {name} as {kind}, got {_shown(value)}{remedy}")


def _fits(value: Any, kind: str) -> bool:
    is_bool = isinstance(value, bool | np.bool_)
    known: dict[str, bool] = {
        "Tensor": isinstance(value, Tensor),
        "int": isinstance(value, int | np.integer) and not is_bool,
        "float": isinstance(value, int | float | np.number) and not is_bool,
        "bool": is_bool,
        "str": isinstance(value, str),
        "None": value is None,
        "Shape": isinstance(value, Sequence) and not isinstance(value, str | bytes),
    }
    if kind.endswith("[Tensor]") and isinstance(value, list | tuple):
        return all(isinstance(item, Tensor) for item in value)
    if kind.partition("[")[0] in ("Sequence", "list", "tuple"):
        kind = "Shape"
    return known.get(kind, True)


def _is_data(value: Any) -> bool:
    return isinstance(value, int | float | list | tuple | np.ndarray | np.generic)


def _shown(value: Any) -> str:
    """A short description of a value."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and not isinstance(value, np.generic):
        return f"{type(value).__name__} {list(shape)}"
    text = repr(value) if isinstance(value, int | float | str | list | tuple | None) else type(value).__name__
    return text if len(text) <= 40 else f"{text[:37]}..."


__all__ = ["reword_all", "reword_errors"]
