"""A session's tuners, one for each device, and what they have in common: setting, store, and who is told."""

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
"""Takes an event as JSON has it, and says whether anybody saw it."""


class Tuners:
    """What a session knows of tuning.

    ``listener`` is told of what happens, by events for a display (:data:`tabgrad.messages.TuningEvent`). The log has
    their texts as lines.
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
        """Where winners are held; the user's cache file, unless another store was set."""
        if self._store is None:
            self._store = default_store()
        return self._store

    @store.setter
    def store(self, chosen: Store | None) -> None:
        self._store = chosen
        self.forget_winners()

    def forget_winners(self) -> None:
        """The store was changed from outside: ask it anew."""
        for tuner in self._tuners.values():
            tuner.forget()

    def tell(self, event: TuningEvent) -> None:
        """Report; what went wrong is a warning in the log unless a display shows it."""
        seen = self.listener is not None and self.listener(event.to_json())
        loud = isinstance(event, TuningRejected | TuningSkipped | TuningFailed) and not seen
        _log.log(logging.WARNING if loud else logging.INFO, event.text)


def tuning(mode: str | None = None, *, budget_s: float | None = None) -> Tuning:
    """How kernels are tuned from now on; returns the setting in force. Without arguments nothing changes.

    Each kernel can be written in several ways, of which the adapter decides the fastest. A first step always runs
    at once, with ways that suit adapters of its kind.

    Args:
        mode: ``"off"``: neither measure nor use what was measured before, so that equal runs give equal bits on
            one adapter. ``"background"`` (the default): measure between steps, and let the running program use
            what is faster; that changes how later steps round. ``"before"``: measure before the first step of
            ``Trainer.fit`` and in ``await step.ready(...)``; a program that runs without either is measured in
            the background.
        budget_s: seconds of measuring and compiling, counted from now.

    The environment variable ``TABGRAD_TUNING`` (``off``, ``background``, ``before``, or ``background:30`` with a
    budget) is what holds until a script calls this.

    Raises:
        TabgradError: an unknown mode, or a budget that is no number of seconds.
    """
    settings = current().own(Tuners).settings
    if mode is not None or budget_s is not None:
        settings.choose(mode, budget_s)
    return settings.tuning


def current_tuner() -> Tuner:
    """The tuner of the current session's device."""
    session = current()
    return session.own(Tuners).of(session.device)


__all__ = ["Tuners", "current_tuner", "tuning"]
