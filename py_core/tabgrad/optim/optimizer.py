"""The base class of optimizers: parameter groups, gradients, and one update kernel for each group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tabgrad.autograd import enable_grad, no_grad
from tabgrad.errors import GradError, ShapeError, TabgradError
from tabgrad.graph.linearize import written_buffer
from tabgrad.graph.storage import Storage
from tabgrad.ops.comparison import where
from tabgrad.ops.elementwise import step_scalar
from tabgrad.ops.pack import pack
from tabgrad.optim.counter import Counter, TensorRates
from tabgrad.optim.group_parts import FlatPart, Part, Parts
from tabgrad.optim.param_groups import completed, groups_of, required
from tabgrad.optim.ranges import are_numbers
from tabgrad.optim.saving import SavedState
from tabgrad.runtime.dependencies import used_item, used_list
from tabgrad.runtime.evaluation import realize_all
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor, session_of
from tabgrad.tracing.pattern import TracedObject
from tabgrad.tracing.tracer import Tracer

_NO_EFFECT = frozenset({"foreach", "fused", "capturable", "differentiable"})
"""Options that choose among PyTorch's kernels; here there is one."""


class Optimizer(SavedState, TracedObject):
    """Updates parameters from their gradients.

    A subclass of your own passes its hyperparameters as ``defaults`` and defines ``step()``, which updates
    ``group["params"]`` under ``no_grad()``; ``self.state[p]`` is a dict for each parameter. One that defines
    :meth:`_update` instead updates all parameters of a group in one kernel. Numbers such as the learning rate may be
    changed in ``param_groups`` between steps, without a recompilation.

    Args:
        params: parameters, ``(name, parameter)`` pairs, or groups: dicts of ``params`` and hyperparameters.
        defaults: hyperparameters of groups that do not have their own.
    """

    state_names: tuple[str, ...] = ()  # flat state tensors: names as in PyTorch's state_dict
    number_names: tuple[str, ...] = ()  # numbers of a part's ``numbers`` that are state, too
    counts_steps = True  # whether the number of steps is part of the state
    shaping: tuple[str, ...] = ()  # hyperparameters that change the kernel, although they are numbers
    part_kind: type[Part] = FlatPart

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if not isinstance(defaults, dict):
            raise TypeError(f"optimizer: expected defaults as a dict of hyperparameters, got {type(defaults).__name__}")
        self._prepare(defaults)
        groups = groups_of(params)
        self._refuse_differentiable(defaults)
        self._check(self.defaults)
        for group in groups:
            self.add_param_group(group)

    def _prepare(self, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self._flat: list[Parts] = []
        self._state: Any = defaultdict(dict)
        self._lrs = TensorRates()
        self._flags: list[str] | None = None  # hyperparameters that decide which kernels run
        self._begin_hooks()

    def _check(self, group: dict[str, Any]) -> None:
        """Raise if hyperparameters are out of range; may normalise them."""

    def _refuse_differentiable(self, group: Mapping[str, Any]) -> None:
        name = type(self).__name__
        if group.get("differentiable"):
            raise NotImplementedError(
                f"{name} with differentiable=True is not supported: steps are not recorded for gradients; write the "
                f"update as ops on tensors, as in p - lr * g"
            )
        if group.get("fused") and group.get("foreach"):
            raise TabgradError(f"{name}: expected one of fused and foreach, got both")

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a parameter group, with its hyperparameters that differ from the defaults.

        Raises:
            TabgradError: a parameter is not a leaf, or is given twice; a hyperparameter is out of range.
        """
        whole = completed(param_group, self.defaults, self.param_groups)
        self._refuse_differentiable(whole)
        self._check(whole)
        param_group.update(whole)
        self.param_groups.append(param_group)
        self._flat.append(Parts(self.part_kind))

    def __repr__(self) -> str:
        groups = []
        for n, group in enumerate(self.param_groups):
            lines = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            groups.append(f"\nParameter Group {n}\n{''.join(lines)}")
        return f"{type(self).__name__} ({''.join(groups)})"

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set all gradients to None (or to zero)."""
        recording = self._session().capturing()
        for group in self.param_groups:
            for p in group["params"]:
                if recording is not None and (set_to_none or p.grad is None):
                    recording.drops_grad(p)
                p.grad = None if set_to_none or p.grad is None else p.grad * 0.0

    def step(self, closure: Callable[[], Any] | None = None, *, found_inf: Tensor | None = None) -> Any:
        """Update every parameter that has a gradient.

        Args:
            closure: computes the loss again and calls ``backward()``.
            found_inf: 0-d; if nonzero, nothing is updated (as with PyTorch's gradient scaler).

        Returns:
            What the closure returns.
        """
        if not self._has_update():
            raise NotImplementedError(f"{type(self).__name__} does not define its update, nor a step() of its own")
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        owners = self._all()
        self._lrs.read(self.param_groups)
        try:
            (session_of(owners) or current()).own(Tracer).call(Optimizer._apply, (self, found_inf), {}, owners)
        finally:
            self._lrs.forget()
        return loss

    def _has_update(self) -> bool:
        """Whether it updates parts of groups; a user's own subclass may have a step of its own instead."""
        kind = type(self)
        return kind._update is not Optimizer._update or kind._step_part is not Optimizer._step_part

    def _traced_state(self) -> tuple[Any, ...]:
        """What decides, beside the parameters, which kernels update them."""
        flags = self._flags
        if flags is None:
            flags = self._flags = [n for n in self.defaults if n not in _NO_EFFECT and not self._varies(n)]
        groups = [(id(g), len(g["params"]), *self._starts(g), *(g[name] for name in flags)) for g in self.param_groups]
        return (*groups, *map(id, self._traced_storages()))

    def _traced_storages(self) -> list[Storage]:
        whole = [t for parts in self._flat for part in parts for t in part.kept()]
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
                for part in parts.over(params, self._starts(group)) if params else ():
                    touched.append(part)
                    for p in part.parameters:
                        if p.grad is not None and p.grad.shape != p.shape:
                            raise ShapeError(
                                f"optimizer: expected a gradient of shape {list(p.shape)}, got {list(p.grad.shape)}"
                            )
                    self._step_part(group, part, found_inf)
            if recording is not None:
                recording.consumed.extend(self._all())
            elif touched:
                realize_all([t for part in touched for t in part.written()], suspending=True)
                for part in touched:
                    part.settle()

    def _guard_groups(self) -> None:
        """A compiled step is recorded again for other groups, other parameters in them, or other hooks."""
        used_list(self._hooks.around_steps)
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

    def _starts(self, group: Mapping[str, Any]) -> dict[str, Any]:
        """The names of the state tensors of a group's parameters, and the numbers that these start with."""
        return dict.fromkeys(self.state_names, 0.0)

    def _step_part(self, group: dict[str, Any], part: Any, found_inf: Tensor | None) -> None:
        params = part.parameters
        grads = pack([p.grad for p in params if p.grad is not None])
        hyper = self._hyper(group)
        step = self._counter(group, part)
        whole = part.flat
        value, state = self._update(whole.tensor.detach(), grads, dict(part.state), hyper, step)
        for name, new in state.items():
            part.state[name].copy_(_keep(found_inf, part.state[name], new))
        whole.write(_keep(found_inf, whole.tensor.detach(), value))

    def _hyper(self, group: dict[str, Any]) -> dict[str, Any]:
        """Hyperparameters: numbers as tensors that are read at each step, and flags."""
        numbers = {name: self._number(group, name) for name in self.defaults if self._varies(name)}
        flags = {name: self._flag(group, name) for name in self.defaults if not self._varies(name)}
        return {**numbers, **flags}

    def _varies(self, name: str) -> bool:
        """Whether a hyperparameter is a number that a program is given at each step."""
        return name not in self.shaping and _is_number(self.defaults[name])

    def _number(self, group: dict[str, Any], name: str) -> Any:
        """A hyperparameter as a number (or a pair of numbers) that is read at each step."""
        if isinstance(self.defaults[name], tuple):  # betas
            return tuple([step_scalar(lambda n=n: group[name][n]) for n in range(len(self.defaults[name]))])  # type: ignore[misc]
        if name == "lr":
            rates = self._lrs  # and not this optimizer, which programs would keep alive
            return step_scalar(lambda: rates.of(group))
        return step_scalar(lambda: group[name])

    def _flag(self, group: dict[str, Any], name: str) -> Any:
        """A hyperparameter that changes the kernel: a compiled step is recorded again when it changes."""
        if name not in _NO_EFFECT:
            used_item(group, name)
        return group[name]

    def _counter(self, group: dict[str, Any], part: Part) -> Counter:
        """Advances the step count; makes numbers per step from the count."""

        rates, change = self._lrs, type(self)._advance  # and not this optimizer, which programs would keep alive

        def advance() -> int:
            part.steps += 1
            change(part.steps, rates.plain(group), part.numbers)
            return part.steps

        step_scalar(advance)  # evaluated first in each run: advances the count
        return Counter(part, lambda: rates.plain(group))

    @staticmethod
    def _advance(step: int, group: dict[str, Any], numbers: dict[str, float]) -> None:
        """Numbers that depend on those of the step before: change them for this step."""

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


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | tuple | Tensor) and not isinstance(value, bool)


def _keep(found_inf: Tensor | None, old: Tensor, new: Tensor) -> Tensor:
    return new if found_inf is None else where((found_inf != 0).expand(old.shape), old, new)


__all__ = ["Counter", "Optimizer", "are_numbers", "required"]
