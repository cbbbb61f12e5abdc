"""``optimizer.state``: what an optimizer keeps for each parameter, as dicts that show the memory itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, NamedTuple

from tabgrad.errors import ArgumentError
from tabgrad.optim.group_parts import Part, Parts
from tabgrad.optim.state_number import StateNumber
from tabgrad.tensor import Tensor


class Layout(NamedTuple):
    """What is state, beside tensors of the parameters' size."""

    counts_steps: bool
    numbers: tuple[str, ...]
    parts: Callable[[], list[tuple[dict[str, Any], Parts]]]  # of all groups


class ParameterState(MutableMapping[str, Any]):
    """One parameter's: ``step`` and numbers as 0-d tensors, the others as views of the optimizer's memory.

    Assigning to an entry, or changing it in place, changes what is kept. It is empty before the parameter's first step.
    """

    def __init__(self, layout: Layout, parts: Parts, parameter: Tensor) -> None:
        self._layout, self._parts, self._parameter = layout, parts, parameter

    def _found(self) -> tuple[Part, int] | None:
        return self._parts.part_of(self._parameter)

    def __getitem__(self, name: str) -> Any:
        found = self._found()
        if found is None or name not in list(self):
            raise KeyError(name)
        part, index = found
        if (name == "step" and self._layout.counts_steps) or name in self._layout.numbers:
            return self._number(name, part)
        return part.shown(name, index)

    def _number(self, name: str, part: Part) -> Tensor:
        """A number as a tensor; a change of the tensor in place changes the number."""
        shown = [_value(part, name)]

        def changed(tensor: Tensor) -> None:
            found = self._found()
            if found is None or _value(found[0], name) != shown[0]:
                raise ArgumentError(
                    f"optimizer.state: expected state[{name!r}] to be changed in place before the next step, got a "
                    f"tensor that was read before it; read state[{name!r}] again"
                )
            self[name] = shown[0] = tensor.item()

        return StateNumber(shown[0], changed)

    def __setitem__(self, name: str, value: Any) -> None:
        found = self._found()
        if found is None or name not in list(self):
            known = ", ".join(self) or "nothing before the first step"
            raise ArgumentError(f"optimizer.state: expected {known}, got {name!r}; keep values of your own elsewhere")
        if name == "step" or name in self._layout.numbers:
            if float(value) == _value(found[0], name):
                return  # as after ``state["step"] += 1``, which has changed it
            part = self._parts.alone(self._parameter)
            if name == "step":
                part.steps = int(value)
            else:
                part.numbers[name] = float(value)
            return
        part, index = found
        shown = part.shown(name, index)
        if value is not shown:
            shown.copy_(value)

    def __delitem__(self, name: str) -> None:
        raise ArgumentError(f"optimizer.state: expected whole states to be deleted, got one entry, {name!r}")

    def __iter__(self) -> Iterator[str]:
        found = self._found()
        if found is None:
            return
        if self._layout.counts_steps:
            yield "step"
        part, index = found
        yield from (name for name in self._layout.numbers if name in part.numbers)
        yield from (name for name in part.names if part.piece(name, index) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


def _value(part: Part, name: str) -> float:
    return float(part.steps if name == "step" else part.numbers[name])


class StateMap(MutableMapping[Tensor, ParameterState]):
    """Of all parameters that have been updated. Deleting an entry starts a parameter anew."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def __getitem__(self, parameter: Tensor) -> ParameterState:
        for group, parts in self._layout.parts():
            if any(p is parameter for p in group["params"]):
                return ParameterState(self._layout, parts, parameter)
        raise KeyError(parameter)

    def __setitem__(self, parameter: Tensor, value: Any) -> None:
        state = self[parameter]
        if not value:
            del self[parameter]
            return
        for name, entry in dict(value).items():
            state[name] = entry

    def __delitem__(self, parameter: Tensor) -> None:
        for group, parts in self._layout.parts():
            if any(p is parameter for p in group["params"]):
                parts.forget([parameter])
                return
        raise KeyError(parameter)

    def __contains__(self, parameter: object) -> bool:
        return any(p is parameter for p in self)

    def __iter__(self) -> Iterator[Tensor]:
        for group, parts in self._layout.parts():
            for p in group["params"]:
                found = parts.part_of(p)
                if found is not None and (self._layout.counts_steps or found[0].names):
                    yield p

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


__all__ = ["Layout", "ParameterState", "StateMap"]
