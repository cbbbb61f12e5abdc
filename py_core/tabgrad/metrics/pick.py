"""The choice of a run's collectors."""

from __future__ import annotations

from collections.abc import Iterable

from tabgrad.errors import TabgradError
from tabgrad.metrics.basic import Basic
from tabgrad.metrics.collector import Collector
from tabgrad.metrics.nvml import Nvml
from tabgrad.metrics.web_collector import Web

LAYERS: tuple[type[Collector], ...] = (Basic, Web, Nvml)


def pick_collectors(wanted: Iterable[str | Collector] | None = None) -> list[Collector]:
    """The built-in collectors that work on this platform, or exactly those ``wanted``.

    Args:
        wanted: names of built-in collectors (``"basic"``, ``"web"``, ``"nvml"``), and :class:`Collector` objects.

    Raises:
        TabgradError: a name is unknown, or its collector does not work on this platform.
    """
    if wanted is None:
        return [layer() for layer in LAYERS if layer.missing() is None]
    return [item if isinstance(item, Collector) else _by_name(item) for item in wanted]


def _by_name(name: str) -> Collector:
    for layer in LAYERS:
        if layer.name == name:
            missing = layer.missing()
            if missing is not None:
                raise TabgradError(f"pick_collectors: expected a layer that works here, got {name!r}: {missing}")
            return layer()
    names = ", ".join(layer.name for layer in LAYERS)
    raise TabgradError(f"pick_collectors: expected one of {names} or a Collector, got {name!r}")
