"""Kernels on the browser's Performance timeline, for the developer tools."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from tabgrad.profiler.trace import slices

if TYPE_CHECKING:
    from tabgrad.profiler.profile import Profile

_PREFIX = "tabgrad:kernel "
_MOST = 2000  # the timeline keeps all entries


def measure(profile: Profile) -> None:
    """Replace the measures ``tabgrad:kernel LABEL`` on the timeline with the newest kernels of a profile; the detail
    holds operations, bytes and rates. Does nothing without JavaScript.
    """
    if "pyodide" not in sys.modules:
        return
    from js import Object, performance
    from pyodide.ffi import to_js

    for name in {entry.name for entry in performance.getEntriesByType("measure")}:
        if name.startswith(_PREFIX):
            performance.clearMeasures(name)
    # Python's clock and the timeline's have different origins
    ahead_ms = performance.now() - time.perf_counter() * 1000
    track = {"dataType": "track-entry", "track": "kernels", "trackGroup": "tabgrad"}  # for Chrome's developer tools
    for s in slices(profile)[-_MOST:]:
        name = _PREFIX + s.label
        options: dict[str, Any] = {
            "start": max(s.begin_ns / 1e6 + ahead_ms, 0.0),
            "end": max(s.end_ns / 1e6 + ahead_ms, 0.0),
            "detail": {**s.details, "devtools": track},
        }
        performance.measure(name, to_js(options, dict_converter=Object.fromEntries))
