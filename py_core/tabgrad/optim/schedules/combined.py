"""Schedules one after the other, and together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from tabgrad.errors import ArgumentError
from tabgrad.optim.lr_scheduler import LRScheduler, set_value, values_of
from tabgrad.optim.optimizer import Optimizer
from tabgrad.optim.schedules.plateau import ReduceLROnPlateau


class _Combined(LRScheduler):
    """Of several schedules."""

    _schedulers: Sequence[LRScheduler]

    def state_dict(self) -> dict[str, Any]:
        """All that it remembers, with the state dicts of its schedules."""
        return {**super().state_dict(), "_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from :meth:`state_dict`."""
        self.__dict__.update({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for schedule, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            schedule.load_state_dict(state)

    def _numbers_in_python(self) -> tuple[Any, ...]:
        return tuple([s.last_epoch for s in self._schedulers])


class SequentialLR(_Combined):
    """Schedules of one optimizer one after the other, each from its milestone on.

    Args:
        schedulers: in their order.
        milestones: the epochs at which all but the first begin.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        _check("SequentialLR", optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ArgumentError(
                f"SequentialLR: expected {len(schedulers) - 1} milestones for {len(schedulers)} schedules, got "
                f"{len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            set_value(group, "lr", group["initial_lr"])
        _take_back(self)  # each has made its first step when it was made
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Advance the schedule whose turn it is by one epoch."""
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[turn]
        if turn and self._milestones[turn - 1] == self.last_epoch:
            schedule._update_lr(0)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


class ChainedScheduler(_Combined):
    """Schedules of one optimizer that step together, each from what the one before has set."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if optimizer is None and schedulers:
            optimizer = getattr(schedulers[0], "optimizer", None)
        _check("ChainedScheduler", optimizer, schedulers)
        assert optimizer is not None
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = values_of(optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Advance all by one epoch."""
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = values_of(self.optimizer, "lr")


def _check(caller: str, optimizer: Any, schedulers: Sequence[Any]) -> None:
    if not schedulers:
        raise ArgumentError(f"{caller}: expected schedules, got none")
    for n, schedule in enumerate(schedulers):
        if not hasattr(schedule, "optimizer"):
            raise TypeError(f"{caller}: expected schedules, got {type(schedule).__name__} at position {n}")
        if isinstance(schedule, ReduceLROnPlateau):
            raise ArgumentError(
                f"{caller}: expected schedules that step without a value, got ReduceLROnPlateau at position {n}; step "
                f"it by itself"
            )
        if schedule.optimizer is not optimizer:
            raise ArgumentError(
                f"{caller}: expected schedules of one optimizer, got {type(schedule).__name__} of another one at "
                f"position {n}"
            )


def _take_back(schedule: Any) -> None:
    """Undo the counts of first steps, in all schedules within."""
    if isinstance(schedule, _Combined):
        for inner in schedule._schedulers:
            _take_back(inner)
    else:
        schedule.last_epoch -= 1


__all__ = ["ChainedScheduler", "SequentialLR"]
