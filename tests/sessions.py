"""Sessions for tests: on a device of their choice, which the compiler takes for whatever they say.

Importable without pytest or torch, as the cases are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tabgrad.compiler.target import Target
from tabgrad.devices import Device, DeviceKind, open_device
from tabgrad.runtime import ProgramCache
from tabgrad.session import Session, current
from tabgrad.tuner import TunerRegistry
from tabgrad.tuner.store import MemoryStore

opened = functools.cache(open_device)
"""The device of a kind that this process's tests share, as opening one takes long."""


@contextmanager
def session_on(
    device: Device | DeviceKind | None = None, target: Callable[[Device], Target] | None = None, *, tuning: str = "off"
) -> Iterator[Session]:
    """Inside, tensors are those of a session that nobody else knows.

    Args:
        device: what it computes on; default: the same as outside.
        target: what the compiler takes the device for; default: what it is.
        tuning: when its kernels are tuned; what is found is held in memory.
    """
    chosen = current().device if device is None else opened(device) if isinstance(device, str) else device
    with Session(chosen) as session:
        tuners = session.own(TunerRegistry)
        tuners.settings.choose(tuning, None)
        tuners.store = MemoryStore()
        if target is not None:
            session.own(ProgramCache).target = target
        yield session


def gpu(device: Device) -> Target:
    """A GPU with the limits of this device."""
    return Target(limits=device.limits, software=False, renders=device.info.kind != "numpy")
