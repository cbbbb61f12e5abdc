"""Schedules of the learning rate; call ``step()`` once per epoch (or per iteration), after the optimizer's."""

from __future__ import annotations

import importlib
import math
import types
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from tabgrad.autograd import no_grad
from tabgrad.checks import real_number, whole_number
from tabgrad.errors import ArgumentError, TabgradError
from tabgrad.optim.optimizer import Optimizer, are_numbers
from tabgrad.tensor import Tensor

_LATE = {
    "MultiplicativeLR": "stepwise", "MultiStepLR": "stepwise", "ExponentialLR": "stepwise", "ConstantLR": "ramps",
    "LinearLR": "ramps", "PolynomialLR": "ramps", "CosineAnnealingWarmRestarts": "restarts", "CyclicLR": "cyclic",
    "OneCycleLR": "one_cycle", "ReduceLROnPlateau": "plateau", "SequentialLR": "combined",
    "ChainedScheduler": "combined",
}  # fmt: skip
"""What is imported when it is first used, by the file of ``tabgrad.optim.schedules`` that has it."""


class LRScheduler:
    """Sets each group's ``lr`` at each step. A subclass defines ``get_lr()``, the rates of all groups.

    Those that continue from ``group["lr"]``, as PyTorch's do, respect a learning rate that was set by hand.

    Args:
        optimizer: whose groups it sets.
        last_epoch: steps that were taken before, where it continues; the groups then have ``initial_lr``.

    Attributes:
        base_lrs: the learning rates that it began with.
        last_epoch: the steps that were taken.
    """

    _is_initial = False  # while it is made
    _get_lr_called_within_step = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = checked_optimizer(type(self).__name__, optimizer)
        for n, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"{type(self).__name__}: expected 'initial_lr' in the optimizer's groups with last_epoch="
                    f"{last_epoch}, got none in group {n}; load the optimizer's state first, or leave last_epoch away"
                )
        self.base_lrs: list[Any] = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def get_last_lr(self) -> list[Any]:
        """The current learning rates, one per group."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The learning rates for ``last_epoch``, one per group; :meth:`step` calls it."""
        raise NotImplementedError(f"{type(self).__name__} does not define its factor; write get_lr()")

    def step(self, epoch: int | None = None) -> None:
        """Advance by one epoch; to a certain one, by a closed form where there is one, if it is given (deprecated)."""
        self._step_count += 1
        if epoch is not None:
            warn_of_epoch(type(self).__name__)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        if epoch is None:
            self.last_epoch += 1
            values = self._asked(self.get_lr)
        else:
            self.last_epoch = epoch
            values = self._asked(getattr(self, "_get_closed_form_lr", self.get_lr))
        self._apply(values)

    def _asked(self, get: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        self._get_lr_called_within_step = True
        try:
            return get()
        finally:
            self._get_lr_called_within_step = False

    def _apply(self, values: Sequence[Any]) -> None:
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            set_value(group, "lr", value)
        self._last_lr: list[Any] = values_of(self.optimizer, "lr")

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                f"{type(self).__name__}: get_lr() is called by step(); get_last_lr() returns the current rates",
                UserWarning,
                stacklevel=3,
            )

    def _scaled(self, factor: float) -> list[Any]:
        """The learning rates as they are, times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """All that it remembers, without the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from :meth:`state_dict`."""
        self.__dict__.update(state_dict)

    def _numbers_in_python(self) -> tuple[Any, ...]:
        return (self.last_epoch,)  # as an optimizer's: a compiled step may not change it


_LRScheduler = LRScheduler
"""The name under which many programs know it."""


class LambdaLR(LRScheduler):
    """The initial learning rate times a function of the epoch, or one for each group."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = functions("LambdaLR", optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All but plain functions; of an object that is called its attributes."""
        return without_functions(super().state_dict(), self.lr_lambdas)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from :meth:`state_dict`."""
        load_functions(self, self.lr_lambdas, state_dict)

    def get_lr(self) -> list[Any]:
        """``base_lr * lr_lambda(epoch)``."""
        self._warn_outside_step()
        return [
            base * checked_factor(self, function(self.last_epoch))
            for function, base in zip(self.lr_lambdas, self.base_lrs, strict=True)
        ]


class StepLR(LRScheduler):
    """Multiplies the learning rate by ``gamma`` every ``step_size`` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = whole_number(step_size, "StepLR", "step_size", 1)
        self.gamma = real_number(gamma, "StepLR", "gamma", 0)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """``lr * gamma`` at multiples of ``step_size``."""
        self._warn_outside_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return values_of(self.optimizer, "lr")
        return self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the learning rate to ``eta_min`` in ``T_max`` epochs, and back.

    Source: Loshchilov & Hutter 2017, https://arxiv.org/abs/1608.03983
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        is_fraction = isinstance(T_max, float) and math.isfinite(T_max) and T_max >= 1
        self.T_max = T_max if is_fraction else whole_number(T_max, "CosineAnnealingLR", "T_max", 1)
        self.eta_min = real_number(eta_min, "CosineAnnealingLR", "eta_min", 0)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Of the cosine's next point, in the ratio in which the learning rate as it is lies above ``eta_min``."""
        self._warn_outside_step()
        epoch, groups, floor = self.last_epoch, self.optimizer.param_groups, self.eta_min
        if self._is_initial:
            return values_of(self.optimizer, "lr")
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # from the floor there is no ratio
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [g["lr"] + (base - floor) * rise for base, g in zip(self.base_lrs, groups, strict=True)]
        ratio = (1 + self._cosine(epoch)) / (1 + self._cosine(epoch - 1))
        return [ratio * (g["lr"] - floor) + floor for g in groups]

    def _cosine(self, epoch: int) -> float:
        return math.cos(math.pi * epoch / self.T_max)

    def _get_closed_form_lr(self) -> list[Any]:
        share = (1 + self._cosine(self.last_epoch)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]


# What schedules share


def checked_optimizer(caller: str, optimizer: Any) -> Optimizer:
    """Raise unless it is one."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{caller}: expected an optimizer, got {type(optimizer).__name__}")
    return optimizer


def _copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else value


def values_of(optimizer: Optimizer, key: str) -> list[Any]:
    """A hyperparameter of each group; copies of those that are tensors."""
    return [_copied(group[key]) for group in optimizer.param_groups]


def set_value(group: dict[str, Any], key: str, value: Any) -> None:
    """Set a hyperparameter; one that is a tensor is changed in place."""
    if isinstance(group.get(key), Tensor):
        with no_grad():
            group[key].copy_(value if isinstance(value, Tensor) else Tensor._of(float(value)))
    else:
        group[key] = value.item() if isinstance(value, Tensor) else value


def per_group(caller: str, optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    """An argument that is one value for all groups, or a list with one for each."""
    count = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        return [_copied(value) for _ in range(count)]
    if len(value) != count:
        raise ArgumentError(f"{caller}: expected {name} as one value or {count}, one per group, got {len(value)}")
    return [_copied(v) for v in value]


def functions(caller: str, optimizer: Any, given: Any) -> list[Callable[[int], float]]:
    """``lr_lambda``, for each group."""
    found = per_group(caller, checked_optimizer(caller, optimizer), "lr_lambda", given)
    for function in found:
        if not callable(function):
            raise TypeError(f"{caller}: expected a function from epochs to factors, got {type(function).__name__}")
    return found


def checked_factor(schedule: LRScheduler, factor: Any) -> Any:
    """What a user's function has returned."""
    if not are_numbers(factor):
        raise TabgradError(
            f"{type(schedule).__name__}: expected a finite factor >= 0 for epoch {schedule.last_epoch}, got {factor!r}"
        )
    return factor


def without_functions(state: dict[str, Any], given: Sequence[Any]) -> dict[str, Any]:
    """A state dict with the attributes of objects in the place of ``lr_lambdas``, and None for functions."""
    kept = [None if isinstance(fn, types.FunctionType) else dict(fn.__dict__) for fn in given]
    return {**state, "lr_lambdas": kept}


def load_functions(schedule: LRScheduler, given: Sequence[Any], state: dict[str, Any]) -> None:
    """Load what :func:`without_functions` returned."""
    schedule.__dict__.update({name: value for name, value in state.items() if name != "lr_lambdas"})
    for fn, attributes in zip(given, state["lr_lambdas"], strict=True):
        if attributes is not None:
            fn.__dict__.update(attributes)


def warn_of_epoch(caller: str) -> None:
    """``step(epoch)`` is deprecated."""
    warnings.warn(
        f"{caller}.step(epoch) is deprecated: it uses the closed form; call step() once per epoch",
        UserWarning,
        stacklevel=3,
    )


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'tabgrad.optim.lr_scheduler' has no attribute {name!r}")
    module = importlib.import_module(f"tabgrad.optim.schedules.{_LATE[name]}")
    globals()[name] = found = getattr(module, name)
    return found


__all__ = ["CosineAnnealingLR", "LRScheduler", "LambdaLR", "StepLR", *_LATE]
