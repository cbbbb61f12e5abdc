"""The parts of a parameter group: parameters with gradients at the same steps share a buffer."""

from __future__ import annotations

from collections.abc import Iterator

from tabgrad.errors import GradError
from tabgrad.graph.node import BUFFER
from tabgrad.optim.flat import FlatParameters
from tabgrad.runtime.evaluation import realize_all
from tabgrad.session import current
from tabgrad.tensor import Tensor


class Part:
    """Parameters, their state, and their number of steps. One kernel updates them."""

    def __init__(self, parameters: list[Tensor], names: tuple[str, ...]) -> None:
        self.flat = FlatParameters(parameters)
        self.state = {name: self.flat.zeros(name) for name in names}
        self.steps = 0

    def split(self, wanted: set[int]) -> list[Part]:
        """Split this part, with its state: parameters whose ``id`` is wanted, and the others."""
        made = []
        old = {id(p): n for n, p in enumerate(self.flat.parameters)}
        for is_wanted in (True, False):
            part = Part([p for p in self.flat.parameters if (id(p) in wanted) is is_wanted], ())
            part.steps = self.steps
            for name, whole in self.state.items():
                pieces = [self.flat.piece(whole, old[id(p)]) for p in part.flat.parameters]
                part.state[name] = part.flat.pack(pieces, name)
            made.append(part)
        return made


class Parts:
    """The parts of a group: one at first, split when only some of its parameters have gradients at a step."""

    def __init__(self) -> None:
        self._parts: list[Part] = []

    def __iter__(self) -> Iterator[Part]:
        return iter(self._parts)

    def over(self, params: list[Tensor], names: tuple[str, ...]) -> list[Part]:
        """The parts that hold exactly these parameters; others keep their values and state.

        Raises:
            GradError: another optimizer owns the parameters now, or a step that is being recorded would have to move
                parameters that it has already updated.
        """
        if any(not part.flat.holds() for part in self._parts):
            raise GradError("optimizer: expected parameters of its own, got some that another optimizer has taken over")
        wanted = {id(p) for p in params}
        parts: list[Part] = []
        for part in self._parts:
            inside = sum(id(p) in wanted for p in part.flat.parameters)
            if inside in (0, len(part.flat.parameters)):
                parts.append(part)
            else:
                _check_settled(part.flat.parameters)
                parts += part.split(wanted)
        known = {id(p) for part in parts for p in part.flat.parameters}
        new = [p for p in params if id(p) not in known]
        if new:
            if any(p._node.op is not BUFFER for p in new):
                realize_all(new)
            parts.append(Part(new, names))
        self._parts = parts
        return [part for part in parts if id(part.flat.parameters[0]) in wanted]


def _check_settled(params: list[Tensor]) -> None:
    if current().capturing() is not None and any(p._node.op is not BUFFER for p in params):
        raise GradError(
            "optimizer: expected gradients for the same parameters at all steps inside one compiled step, got other "
            "ones; compile the steps one by one"
        )


__all__ = ["Part", "Parts"]
