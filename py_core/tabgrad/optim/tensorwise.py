"""Optimizers whose updates depend on each parameter's shape or norm: every parameter keeps its own memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tabgrad.dtypes import float32
from tabgrad.graph import node as graph
from tabgrad.ops.comparison import where
from tabgrad.optim.counter import Counter
from tabgrad.optim.flat import stored
from tabgrad.optim.group_parts import Part
from tabgrad.optim.optimizer import Optimizer
from tabgrad.runtime.dependencies import used_list
from tabgrad.session import current
from tabgrad.tensor import Tensor, session_of
from tabgrad.tracing.tracer import Tracer

ShapeOf = Callable[[Tensor], tuple[int, ...] | None]
"""The shape of a state tensor of a parameter; None if it has none of that name."""


class Cohort:
    """A part whose parameters have had gradients at the same steps, and lie where they are."""

    def __init__(self, parameters: list[Tensor], starts: Mapping[str, ShapeOf]) -> None:
        self._parameters = parameters
        self.state: dict[str, list[Tensor | None]] = {}
        self.steps = 0
        self.numbers: dict[str, float] = {}
        self.add(starts)

    @property
    def parameters(self) -> Sequence[Tensor]:
        """Those that are updated together; a list that a recording can look at."""
        return self._parameters

    @property
    def names(self) -> list[str]:
        """Of the state tensors."""
        return list(self.state)

    def add(self, starts: Mapping[str, ShapeOf]) -> None:
        """State tensors that are not there yet, of zeros."""
        for name, shape_of in starts.items():
            if name not in self.state:
                self.state[name] = [_zeros(p, name, shape_of(p)) for p in self._parameters]

    def holds(self) -> bool:
        """Whether it is still what updates these parameters: others may do so, too."""
        return True

    def written(self) -> list[Tensor]:
        """The parameters and their state."""
        return [*self._parameters, *self.kept()]

    def kept(self) -> list[Tensor]:
        """The state."""
        return [t for tensors in self.state.values() for t in tensors if t is not None]

    def settle(self) -> None:
        """The parameters are memory again as soon as the step has run."""

    def shown(self, name: str, index: int) -> Tensor:
        """The state of a parameter, by its index."""
        found = self.state[name][index]
        assert found is not None
        return found

    def piece(self, name: str, index: int) -> Tensor | None:
        """As :meth:`shown`; None if this parameter has no such state."""
        return self.state[name][index]

    def load(self, name: str, values: list[Any]) -> None:
        """Overwrite the state of all parameters."""
        for tensor, value in zip(self.state[name], values, strict=True):
            if tensor is not None:
                tensor.copy_(value)

    def split(self, wanted: set[int]) -> list[Part]:
        """Two in place of this one: parameters whose ``id`` is wanted, and the others."""
        made: list[Part] = []
        for is_wanted in (True, False):
            places = [n for n, p in enumerate(self._parameters) if (id(p) in wanted) is is_wanted]
            part = Cohort([self._parameters[n] for n in places], {})
            part.steps, part.numbers = self.steps, dict(self.numbers)
            part.state = {name: [tensors[n] for n in places] for name, tensors in self.state.items()}
            made.append(part)
        self._parameters.clear()  # recordings that have counted steps for all of them together are no use any more
        return made


def _zeros(parameter: Tensor, name: str, shape: tuple[int, ...] | None) -> Tensor | None:
    if shape is None:
        return None
    session = session_of([parameter]) or current()
    session.own(Tracer).happens_once("it makes state")
    size = 1
    for n in shape:
        size *= n
    storage = stored(session, size, ())
    storage.purpose = f"optimizer state {name}"
    return Tensor._from_node(graph.buffer(storage, shape, float32), session)


class TensorwiseOptimizer(Optimizer):
    """Base of these: a subclass defines :meth:`_update_each`, and the shapes of its state by :meth:`_starts`."""

    part_kind = Cohort

    def _starts(self, group: Mapping[str, Any]) -> dict[str, ShapeOf]:
        return dict.fromkeys(self.state_names, lambda p: p.shape)

    def _shapes(self, group: Mapping[str, Any], parameter: Tensor) -> dict[str, tuple[int, ...]]:
        shapes = {name: shape_of(parameter) for name, shape_of in self._starts(group).items()}
        return {name: shape for name, shape in shapes.items() if shape is not None}

    def _step_part(self, group: dict[str, Any], part: Any, found_inf: Tensor | None) -> None:
        used_list(part.parameters)
        hyper = self._hyper(group)
        step = self._counter(group, part)
        for n, p in enumerate(part.parameters):
            state = {name: tensors[n] for name, tensors in part.state.items() if tensors[n] is not None}
            value, new = self._update_each(p.detach(), p.grad.detach(), dict(state), hyper, step)
            for target, after in [(p, value), *((state[name], new[name]) for name in new)]:
                kept = after if found_inf is None else where((found_inf != 0).expand(after.shape), target, after)
                target.copy_(kept)

    def _update_each(
        self,
        param: Tensor,
        grad: Tensor,
        state: dict[str, Tensor],
        hyper: dict[str, Any],
        counter: Counter,
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """The new value of one parameter, and its new state; ``counter(fn)`` is ``fn(step, group)`` at each step."""
        raise NotImplementedError(f"{type(self).__name__} does not define its update")


__all__ = ["Cohort", "ShapeOf", "TensorwiseOptimizer"]
