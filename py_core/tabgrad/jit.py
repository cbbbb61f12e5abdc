"""PyTorch's ``torch.jit``, as far as programs run without it: nothing is scripted, the Python code runs as it is."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

from tabgrad.late import missing_name

T = TypeVar("T")


def script(obj: T, *args: Any, **kwargs: Any) -> T:
    """``obj`` itself: ops are compiled as they run. ``tabgrad.compile`` records a whole step. Warns of it."""
    warnings.warn("jit.script: the Python code runs as it is; leave it out", UserWarning, stacklevel=2)
    return obj


def script_if_tracing(fn: T) -> T:
    """``fn`` itself."""
    return fn


def ignore(fn: T = None, **kwargs: Any) -> Any:  # type: ignore[assignment]
    """``fn`` itself, or a decorator that gives it."""
    return (lambda inner: inner) if fn is None or isinstance(fn, bool) else fn


def unused(fn: T) -> T:
    """``fn`` itself."""
    return fn


def export(fn: T) -> T:
    """``fn`` itself."""
    return fn


def is_scripting() -> bool:
    """False."""
    return False


def is_tracing() -> bool:
    """False."""
    return False


def _refused(name: str, instead: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"jit.{name}: TorchScript files are not supported; {instead}")

    refuse.__name__ = name
    refuse.__doc__ = "Raise: there is no TorchScript here."
    return refuse


trace = _refused("trace", "call the module itself, or tabgrad.compile(module)")
save = _refused("save", "use tabgrad.save(module.state_dict(), path)")
load = _refused("load", "build the module in Python, and load_state_dict(tabgrad.load(path))")
freeze = _refused("freeze", "call module.eval()")


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


__all__ = [
    "export", "freeze", "ignore", "is_scripting", "is_tracing", "load", "save", "script", "script_if_tracing", "trace",
    "unused",
]  # fmt: skip
