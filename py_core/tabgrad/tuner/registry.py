"""A session's tuners, one per device, with their common setting, store and listener."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable
from typing import Any

from tabgrad.devices.base import Device
from tabgrad.messages import TuningEvent, TuningFailed, TuningRejected, TuningSkipped
from tabgrad.session import Session, current
from tabgrad.tuner.settings import Settings, Tuning
from tabgrad.tuner.store import Store, default_store
from tabgrad.tuner.tuner import Tuner

_log = logging.getLogger("tabgrad.tuning")

Listener = Callable[[dict[str, Any]], bool]
"""Takes an event as a JSON object; returns whether it was shown."""


class TunerRegistry:
    """A session's state of tuning.

    ``listener`` gets events for a display (:data:`tabgrad.messages.TuningEvent`). Their texts are also logged.
    """

    def __init__(self, session: Session) -> None:
        self.settings = Settings()
        self.listener: Listener | None = None
        self._store: Store | None = None
        self._tuners: weakref.WeakKeyDictionary[Device, Tuner] = weakref.WeakKeyDictionary()

    def of(self, device: Device) -> Tuner:
        """The device's tuner."""
        found = self._tuners.get(device)
        if found is None:
            found = self._tuners[device] = Tuner(device, self)
        return found

    @property
    def store(self) -> Store:
        """The store of winners: the user's cache file, unless another store was set."""
        if self._store is None:
            self._store = default_store()
        return self._store

    @store.setter
    def store(self, chosen: Store | None) -> None:
        self._store = chosen
        self.forget_winners()

    def forget_winners(self) -> None:
        """Read the store again, after a change from outside."""
        for tuner in self._tuners.values():
            tuner.forget()

    def tell(self, event: TuningEvent) -> None:
        """Send an event to the listener and the log; failures that no display shows are warnings."""
        seen = self.listener is not None and self.listener(event.to_json())
        loud = isinstance(event, TuningRejected | TuningSkipped | TuningFailed) and not seen
        _log.log(logging.WARNING if loud else logging.INFO, event.text)


def tuning(mode: str | None = None, *, budget_s: float | None = None) -> Tuning:
    """Set how kernels are tuned; returns the current setting. Without arguments nothing changes.

    Each kernel has several variants; which one is fastest depends on the adapter. Until it is measured, a heuristic
    for the kind of adapter chooses the variant.

    Args:
        mode: ``"off"``: do not measure and do not use earlier winners, so that equal runs give equal bits on one
            adapter. ``"background"`` (the default): where an event loop runs, begin with variants that compile fast;
            measure between steps, and swap faster variants into the running program, which changes the rounding of
            later steps. ``"before"``: measure before the first step of ``Trainer.fit`` and in
            ``await step.ready(...)``; a program that runs without either is measured in the background.
        budget_s: budget for measuring and compiling, in seconds from now.

    The environment variable ``TABGRAD_TUNING`` (``off``, ``background``, ``before``, or ``background:30`` with a
    budget) is the setting until the first call.

    Raises:
        TabgradError: an unknown mode, or a budget that is not a number of seconds.
    """
    settings = current().own(TunerRegistry).settings
    if mode is not None or budget_s is not None:
        settings.choose(mode, budget_s)
    return settings.tuning


def current_tuner() -> Tuner:
    """The tuner of the current session's device."""
    session = current()
    return session.own(TunerRegistry).of(session.device)


__all__ = ["TunerRegistry", "current_tuner", "tuning"]
