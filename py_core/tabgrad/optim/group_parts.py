"""The parts of a parameter group: parameters with gradients at the same steps are updated together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from tabgrad.errors import GradError
from tabgrad.graph.node import BUFFER
from tabgrad.optim.flat import FlatParameters
from tabgrad.runtime.evaluation import realize_all
from tabgrad.session import current
from tabgrad.tensor import Tensor


class Part(Protocol):
    """Parameters, their state, and their number of steps."""

    steps: int
    numbers: dict[str, float]  # state that is a number, the same for all of them

    def __init__(self, parameters: list[Tensor], starts: Mapping[str, Any]) -> None: ...

    @property
    def parameters(self) -> Sequence[Tensor]:
        """They have had gradients at the same steps."""

    @property
    def names(self) -> list[str]:
        """Of the state tensors."""

    def add(self, starts: Mapping[str, Any]) -> None:
        """State tensors that are not there yet, with the value that they start with."""

    def holds(self) -> bool:
        """Whether it is still what updates these parameters."""

    def written(self) -> list[Tensor]:
        """All that a step overwrites."""

    def kept(self) -> list[Tensor]:
        """What a step reads or writes, beside the parameters as they are."""

    def settle(self) -> None:
        """Make the parameters memory again, after the step has run."""

    def shown(self, name: str, index: int) -> Tensor:
        """The state of a parameter, by its index: a view."""

    def piece(self, name: str, index: int) -> Tensor | None:
        """As :meth:`shown`, to be read at once; None if this parameter has no such state."""

    def load(self, name: str, values: list[Any]) -> None:
        """Overwrite the state of all parameters."""

    def split(self, wanted: set[int]) -> list[Part]:
        """Two parts in place of this one: parameters whose ``id`` is wanted, and the others."""


class FlatPart:
    """A part whose parameters lie side by side in one buffer, as their state does. One kernel updates them."""

    def __init__(self, parameters: list[Tensor], starts: Mapping[str, Any]) -> None:
        self.flat = FlatParameters(parameters)
        self.state: dict[str, Tensor] = {}
        self.steps = 0
        self.numbers: dict[str, float] = {}
        self.add(starts)

    @property
    def parameters(self) -> Sequence[Tensor]:
        """In the order in which they lie in the buffer."""
        return self.flat.parameters

    @property
    def names(self) -> list[str]:
        """Of the state tensors."""
        return list(self.state)

    def add(self, starts: Mapping[str, Any]) -> None:
        """State tensors that are not there yet, with the number that they start with."""
        for name, start in starts.items():
            if name not in self.state:
                self.state[name] = self.flat.filled(name, start)

    def holds(self) -> bool:
        """Whether the parameters still lie in the buffer."""
        return self.flat.holds()

    def written(self) -> list[Tensor]:
        """The buffers."""
        return [self.flat.tensor, *self.state.values()]

    def kept(self) -> list[Tensor]:
        """The buffers, which the parameters lie in."""
        return self.written()

    def settle(self) -> None:
        """Make the parameters memory again, after the step has run."""
        self.flat.settle()

    def shown(self, name: str, index: int) -> Tensor:
        """The state of a parameter, by its index: a view of the buffer."""
        p, start = self.parameters[index], self.flat.starts[index]
        return self.state[name][start : start + p.numel()].view(p.shape)

    def piece(self, name: str, index: int) -> Tensor | None:
        """As :meth:`shown`, to be read at once."""
        return self.flat.piece(self.state[name], index)

    def load(self, name: str, values: list[Any]) -> None:
        """Overwrite the state of all parameters, with tensors or arrays."""
        if any(isinstance(value, Tensor) for value in values):
            tensors = [v if isinstance(v, Tensor) else Tensor._of(v) for v in values]
            self.state[name].copy_(self.flat.pack([t.detach().float() for t in tensors], name))
        else:
            self.state[name].copy_(self.flat.join(values))

    def split(self, wanted: set[int]) -> list[Part]:
        """Two parts in place of this one: parameters whose ``id`` is wanted, and the others."""
        made: list[Part] = []
        old = {id(p): n for n, p in enumerate(self.parameters)}
        for is_wanted in (True, False):
            part = FlatPart([p for p in self.parameters if (id(p) in wanted) is is_wanted], {})
            part.steps, part.numbers = self.steps, dict(self.numbers)
            for name, whole in self.state.items():
                pieces = [self.flat.piece(whole, old[id(p)]) for p in part.parameters]
                part.state[name] = part.flat.pack(pieces, name)
            made.append(part)
        return made


class Parts:
    """The parts of a group: one at first, split when only some of its parameters have gradients at a step."""

    def __init__(self, kind: type[Part]) -> None:
        self._kind = kind
        self._parts: list[Part] = []

    def __iter__(self) -> Iterator[Part]:
        return iter(self._parts)

    def over(self, params: list[Tensor], starts: Mapping[str, Any]) -> list[Part]:
        """The parts that hold exactly these parameters; others keep their values and state.

        Args:
            starts: what state a parameter has, by name, and the value that it starts with.

        Raises:
            GradError: another optimizer owns the parameters now, or a step that is being recorded would have to move
                parameters that it has already updated.
        """
        if any(not part.holds() for part in self._parts):
            raise GradError("optimizer: expected parameters of its own, got some that another optimizer has taken over")
        wanted = {id(p) for p in params}
        parts: list[Part] = []
        for part in self._parts:
            inside = sum(id(p) in wanted for p in part.parameters)
            if inside in (0, len(part.parameters)):
                parts.append(part)
            else:
                _check_settled(part.parameters)
                parts += part.split(wanted)
        known = {id(p) for part in parts for p in part.parameters}
        new = [p for p in params if id(p) not in known]
        if new:
            if any(p._node.op is not BUFFER for p in new):
                realize_all(new)
            parts.append(self._kind(new, starts))
        self._parts = parts
        chosen = [part for part in parts if id(part.parameters[0]) in wanted]
        for part in chosen:
            part.add(starts)
        return chosen

    def part_of(self, parameter: Tensor) -> tuple[Part, int] | None:
        """The part that holds a parameter, and its index there; None before its first step."""
        for part in self._parts:
            for index, p in enumerate(part.parameters):
                if p is parameter:
                    return part, index
        return None

    def alone(self, parameter: Tensor) -> Part:
        """The part of a parameter, which from now on holds no other."""
        found = self.part_of(parameter)
        assert found is not None
        part = found[0]
        if len(part.parameters) > 1:
            made = part.split({id(parameter)})
            self._parts = [p for p in self._parts if p is not part] + made
            part = made[0]
        return part

    def forget(self, params: list[Tensor]) -> None:
        """These parameters have no state from now on, as before their first step."""
        wanted = {id(p) for p in params}
        kept: list[Part] = []
        for part in self._parts:
            inside = sum(id(p) in wanted for p in part.parameters)
            if inside == 0:
                kept.append(part)
            elif inside < len(part.parameters):
                kept.append(part.split(wanted)[1])
        self._parts = kept


def _check_settled(params: Sequence[Tensor]) -> None:
    if current().capturing() is not None and any(p._node.op is not BUFFER for p in params):
        raise GradError(
            "optimizer: expected gradients for the same parameters at all steps inside one compiled step, got other "
            "ones; compile the steps one by one"
        )


__all__ = ["FlatPart", "Part", "Parts"]
