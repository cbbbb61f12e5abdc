"""The base class of optimizers: parameter groups, gradients, state, and one update kernel per group."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tabgrad.autograd import no_grad
from tabgrad.errors import GradError, ShapeError, TabgradError
from tabgrad.graph.linearize import written_buffer
from tabgrad.graph.storage import Storage
from tabgrad.ops.comparison import where
from tabgrad.ops.elementwise import step_scalar
from tabgrad.ops.pack import pack
from tabgrad.optim.group_parts import Part, Parts
from tabgrad.optim.saved import checked_state
from tabgrad.runtime.dependencies import used_item, used_list
from tabgrad.runtime.evaluation import realize_all
from tabgrad.runtime.reads import read, read_now
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor, session_of
from tabgrad.tracing.pattern import TracedObject
from tabgrad.tracing.tracer import Tracer

Counter = Callable[[Callable[[int, dict[str, Any]], float]], Tensor]
"""Makes a 0-d tensor from a function of (step count, parameter group), which is called at each step."""


class Optimizer(TracedObject):
    """Updates parameters from their gradients.

    Subclasses pass their hyperparameters as ``defaults`` and define :meth:`_update`. Numbers such as the learning rate
    may be changed in ``param_groups`` between steps, without a recompilation.
    """

    state_names: tuple[str, ...] = ()  # flat state tensors: names as in PyTorch's state_dict

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if not isinstance(defaults, dict):
            raise TypeError(f"optimizer: expected defaults as a dict of hyperparameters, got {type(defaults).__name__}")
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self._flat: list[Parts] = []
        if isinstance(params, Tensor) or not isinstance(params, Iterable):
            raise TypeError(
                f"optimizer: expected parameters (model.parameters(), or a list of tensors or of groups), "
                f"got {type(params).__name__}"
            )
        groups = list(params)
        if not groups:
            raise TabgradError("optimizer: expected parameters, got an empty list")
        self._check(self.defaults)
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def _check(self, group: dict[str, Any]) -> None:
        """Raise if hyperparameters are out of range; may normalise them."""

    def add_param_group(self, group: dict[str, Any]) -> None:
        """Add a parameter group, with its hyperparameters that differ from the defaults.

        Raises:
            TabgradError: a parameter is not a leaf, is given twice, or a name is not a hyperparameter.
        """
        if not isinstance(group, dict) or "params" not in group:
            got = f"a dict with {sorted(map(str, group))}" if isinstance(group, dict) else type(group).__name__
            raise TypeError(f"optimizer: expected a group as a dict with 'params', got {got}")
        given = group["params"]
        if not isinstance(given, Iterable):
            raise TypeError(f"optimizer: expected 'params' as tensors, got {type(given).__name__}")
        params: list[Tensor] = [given] if isinstance(given, Tensor) else list(given)
        if not params:
            raise TabgradError("optimizer: expected parameters, got a group without any")
        unknown = set(group) - {"params"} - set(self.defaults)
        if unknown:
            raise TabgradError(f"optimizer: expected {', '.join(self.defaults)} in a group, got {', '.join(unknown)}")
        seen = {id(p) for g in self.param_groups for p in g["params"]}
        for p in params:
            if not isinstance(p, Tensor) or not p.is_leaf:
                got = "the result of an op" if isinstance(p, Tensor) else type(p).__name__
                raise TabgradError(f"optimizer: expected leaf tensors (parameters), got {got}")
            if not p.dtype.is_floating_point:
                raise TabgradError(f"optimizer: expected float32 parameters, got one of {p.dtype.name}")
            if id(p) in seen:
                raise TabgradError(f"optimizer: expected each parameter once, got one of shape {list(p.shape)} twice")
            seen.add(id(p))
        whole = {**self.defaults, **group, "params": params}
        self._check(whole)
        self.param_groups.append(whole)
        self._flat.append(Parts())

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set all gradients to None (or to zero)."""
        recording = self._session().capturing()
        for group in self.param_groups:
            for p in group["params"]:
                if recording is not None and (set_to_none or p.grad is None):
                    recording.drops_grad(p)
                p.grad = None if set_to_none or p.grad is None else p.grad * 0.0

    def step(self, closure: Callable[[], Tensor] | None = None, *, found_inf: Tensor | None = None) -> Tensor | None:
        """Update every parameter that has a gradient.

        Args:
            closure: computes the loss again and calls ``backward()``.
            found_inf: 0-d; if nonzero, nothing is updated (as with PyTorch's gradient scaler).
        """
        loss = closure() if closure is not None else None
        owners = self._all()
        (session_of(owners) or current()).own(Tracer).call(Optimizer._apply, (self, found_inf), {}, owners)
        return loss

    def _traced_state(self) -> tuple[Any, ...]:
        """What decides, beside the parameters, which kernels update them."""
        flags = [name for name, value in self.defaults.items() if not _is_number(value)]
        groups = [(id(g), len(g["params"]), *(g[name] for name in flags)) for g in self.param_groups]
        return (*groups, *map(id, self._traced_storages()))

    def _traced_storages(self) -> list[Storage]:
        whole = [t for parts in self._flat for part in parts for t in (part.flat.tensor, *part.state.values())]
        return [s for t in whole if (s := written_buffer(t._node).storage) is not None]

    def _apply(self, found_inf: Tensor | None) -> None:
        touched: list[Part] = []
        if not any(p.requires_grad or p.grad is not None for p in self._all()):
            raise GradError(
                "optimizer: expected a parameter that requires a gradient, got none that does; unfreeze some with "
                "requires_grad_(), or pass tensors made with requires_grad=True"
            )
        session = self._session()
        with session.lock, session, no_grad():
            recording = session.capturing()
            if recording is not None:
                self._guard_groups()
                for p in self._all():
                    recording.leaf(p)
                    recording.finds_grad(p)
            for group, parts in zip(self.param_groups, self._flat, strict=True):
                params = [p for p in group["params"] if p.grad is not None]
                for part in parts.over(params, self.state_names) if params else ():
                    touched.append(part)
                    self._step_part(group, part, found_inf)
            if recording is not None:
                recording.consumed.extend(self._all())
            elif touched:
                realize_all([t for part in touched for t in (part.flat.tensor, *part.state.values())])
                for part in touched:
                    part.flat.settle()

    def _guard_groups(self) -> None:
        """A compiled step is recorded again for other groups, or other parameters in them."""
        used_item(self.__dict__, "param_groups")
        used_list(self.param_groups)
        for group in self.param_groups:
            used_item(group, "params")
            used_list(group["params"])

    def _numbers_in_python(self) -> tuple[Any, ...]:
        """What a compiled step may not change, as each replay uses it as it is then."""
        return tuple((n, group[n]) for group in self.param_groups for n in group if n != "params")

    def _session(self) -> Session:
        return session_of(self._all()) or current()

    def _all(self) -> list[Tensor]:
        return [p for g in self.param_groups for p in g["params"]]

    def _step_part(self, group: dict[str, Any], part: Part, found_inf: Tensor | None) -> None:
        params = part.flat.parameters
        for p in params:
            assert p.grad is not None
            if p.grad.shape != p.shape:
                raise ShapeError(f"optimizer: expected a gradient of shape {list(p.shape)}, got {list(p.grad.shape)}")
        grads = pack([p.grad for p in params if p.grad is not None])
        numbers = {name: self._number(group, name) for name, v in self.defaults.items() if _is_number(v)}
        flags = {name: self._flag(group, name) for name, v in self.defaults.items() if not _is_number(v)}
        step = self._counter(group, part)
        whole = part.flat
        value, state = self._update(whole.tensor.detach(), grads, dict(part.state), {**numbers, **flags}, step)
        for name, new in state.items():
            part.state[name].copy_(_keep(found_inf, part.state[name], new))
        whole.write(_keep(found_inf, whole.tensor.detach(), value))

    def _number(self, group: dict[str, Any], name: str) -> Any:
        """A hyperparameter as a number (or a pair of numbers) that is read at each step."""
        if isinstance(self.defaults[name], tuple):  # betas
            first, second = step_scalar(lambda: group[name][0]), step_scalar(lambda: group[name][1])
            return first, second
        return step_scalar(lambda: group[name])

    def _flag(self, group: dict[str, Any], name: str) -> Any:
        """A hyperparameter that changes the kernel: a compiled step is recorded again when it changes."""
        used_item(group, name)
        return group[name]

    def _counter(self, group: dict[str, Any], part: Part) -> Counter:
        """Advances the step count; returns a function that makes a number per step from the count."""

        def advance() -> int:
            part.steps += 1
            return part.steps

        step_scalar(advance)  # evaluated first in each run: advances the count
        return lambda fn: step_scalar(lambda: fn(part.steps, group))

    def _update(
        self,
        param: Tensor,
        grad: Tensor,
        state: dict[str, Tensor],
        hyper: dict[str, Any],
        counter: Counter,
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """The new parameters and state, all flat; ``counter(fn)`` is ``fn(step, group)`` at each step."""
        raise NotImplementedError(f"{type(self).__name__} does not define its update")

    # State

    def state_dict(self) -> dict[str, Any]:
        """Hyperparameters, and the state of each parameter by its index, as NumPy arrays.

        Blocks to read the device; where the browser cannot block, use ``await optimizer.state_dict_async()``.
        """
        wanted = self._state_tensors()
        return self._assemble(read_now(*wanted) if wanted else [])

    async def state_dict_async(self) -> dict[str, Any]:
        """As :meth:`state_dict`, without blocking the event loop."""
        wanted = self._state_tensors()
        return self._assemble(await read(*wanted) if wanted else [])

    def _state_tensors(self) -> list[Tensor]:
        return [t for parts in self._flat for part in parts for t in part.state.values()]

    def _assemble(self, arrays: list[Any]) -> dict[str, Any]:
        values = iter(arrays)
        state: dict[int, dict[str, Any]] = {}
        groups = []
        position = 0
        for group, parts in zip(self.param_groups, self._flat, strict=True):
            indices = {id(p): position + n for n, p in enumerate(group["params"])}
            position += len(indices)
            groups.append({**{k: v for k, v in group.items() if k != "params"}, "params": list(indices.values())})
            for part in parts:
                whole = {name: next(values) for name in part.state}
                for p, start in zip(part.flat.parameters, part.flat.starts, strict=True):
                    pieces = {n: v[start : start + p.numel()].reshape(p.shape).copy() for n, v in whole.items()}
                    state[indices[id(p)]] = {"step": part.steps, **pieces}
        return {"state": dict(sorted(state.items())), "param_groups": groups}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Continue from :meth:`state_dict`.

        Raises:
            TabgradError: the groups, their hyperparameters or a shape differ; nothing is changed.
        """
        loaded = checked_state(self.param_groups, self.defaults, self.state_names, saved)
        for hyper, _ in loaded:
            self._check(hyper)
        with self._session().lock:
            for group, parts, (hyper, found) in zip(self.param_groups, self._flat, loaded, strict=True):
                group.update(hyper)
                for steps in dict.fromkeys(pieces["step"] for _, pieces in found):
                    alike = {id(p): pieces for p, pieces in found if pieces["step"] == steps}
                    for part in parts.over([p for p, _ in found if id(p) in alike], self.state_names):
                        part.steps = int(steps)
                        for name in part.state:
                            whole = part.flat.join([alike[id(p)][name] for p in part.flat.parameters])
                            part.state[name].copy_(whole)


def are_numbers(*values: Any, minimum: float = 0) -> bool:
    """Whether all are finite numbers of at least ``minimum``."""
    return all(isinstance(v, int | float | np.integer | np.floating) and minimum <= v < math.inf for v in values)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | tuple) and not isinstance(value, bool)


def _keep(found_inf: Tensor | None, old: Tensor, new: Tensor) -> Tensor:
    return new if found_inf is None else where((found_inf != 0).expand(old.shape), old, new)
