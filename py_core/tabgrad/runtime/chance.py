"""Numbers that differ at each call: a recording would keep the ones it drew. They are found and refused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import BuiltinFunctionType, ModuleType
from typing import Any

import numpy as np

from tabgrad.errors import TabgradError
from tabgrad.random import Generator
from tabgrad.session import current

_CLOCKS = {
    "time": {
        "time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time",
        "process_time_ns", "thread_time", "thread_time_ns", "localtime", "gmtime", "ctime",
    },
    "posix": {"urandom"},
    "nt": {"urandom"},
    "os": {"urandom"},
}  # fmt: skip
_CLOCK_METHODS = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
# modules whose use makes it worth looking at each call of a function written in C
_SUSPECTS = {"time", "datetime", "uuid", "secrets", "os"}


class Chance:
    """The state of generators of random numbers before the step, and a look-out for clocks."""

    def __init__(self, name: str) -> None:
        self._name = name  # of the step
        self._states: list[tuple[str, Callable[[], Any], Any]] = []
        self._known: set[int] = set()
        self._replaced: tuple[Any] | None = None
        generator = current().generator
        self._watch("tabgrad's generator for use on the host (initial weights, an order)", lambda: generator.position)
        # imported by the script, if at all
        python = sys.modules.get("random")
        if python is not None:
            self._watch("Python's random", python.getstate)
        drawn = sys.modules.get("numpy.random")
        if drawn is not None:
            self._watch("numpy.random", lambda: _flat(drawn.get_state(legacy=False)))

    def _watch(self, what: str, get: Callable[[], Any]) -> None:
        self._states.append((what, get, get()))

    def meet(self, value: Any) -> bool:
        """Note a generator's state; returns whether the value is one."""
        kind = type(value)
        get: Callable[[], Any]
        if kind.__module__ == "random" and kind.__name__ == "Random":
            get = value.getstate
        elif kind is Generator:

            def get() -> Any:
                return value.position
        elif kind.__module__.startswith("numpy.random") and kind.__name__ in ("Generator", "RandomState"):

            def get() -> Any:
                bits = getattr(value, "bit_generator", None) or value._bit_generator
                return _flat(bits.state)
        else:
            return False
        if id(value) not in self._known:
            self._known.add(id(value))
            self._watch(f"a {kind.__module__.partition('.')[0]}.{kind.__name__}", get)
        return True

    def suspect(self, value: Any, attribute: str = "") -> None:
        """A function of the step reads this; if it may be a clock, all calls of functions in C are looked at."""
        if isinstance(value, ModuleType):
            may_be = value.__name__ in _SUSPECTS and (value.__name__ != "os" or attribute == "urandom")
        else:
            may_be = getattr(value, "__module__", None) in _SUSPECTS
        if may_be and self._replaced is None:
            self._replaced = (sys.getprofile(),)
            sys.setprofile(self._called)

    def _called(self, frame: Any, event: str, fn: Any) -> None:
        if event != "c_call" or not isinstance(fn, BuiltinFunctionType):
            return
        module, name = fn.__module__ or "", fn.__qualname__
        if name in _CLOCKS.get(module, ()) or name in _CLOCK_METHODS:
            self.end()
            raise self._error(f"a call of {module + '.' if module else ''}{name}()")

    def end(self) -> None:
        """Look out for clocks no longer."""
        if self._replaced is not None:
            (replaced,), self._replaced = self._replaced, None
            sys.setprofile(replaced)

    def check(self) -> None:
        """Raise if random numbers were drawn.

        Raises:
            TabgradError: a generator's state is not as it was.
        """
        for what, get, state in self._states:
            if get() != state:
                raise self._error(f"numbers drawn from {what}")

    def _error(self, got: str) -> TabgradError:
        return TabgradError(
            f"compile: expected a step without numbers that Python draws at each call, got {got} in "
            f"{self._name!r}, which each replay would repeat; draw with tabgrad.rand or tabgrad.randn, or pass the "
            f"number as a tensor argument"
        )


def _flat(state: Any) -> Any:
    """A generator's state as numbers and tuples, which can be compared."""
    if isinstance(state, dict):
        return tuple((name, _flat(part)) for name, part in state.items())
    if isinstance(state, tuple | list):
        return tuple(map(_flat, state))
    return state.tobytes() if isinstance(state, np.ndarray) else state


__all__ = ["Chance"]
