"""What Python and the JavaScript executor share: arrays, by their place in wasm memory, and counters."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.devices.base import Counters

_JS_COUNTERS = {
    "submits": "submits",
    "dispatches": "dispatches",
    "buffers_created": "buffersCreated",
    "bind_groups_created": "bindGroupsCreated",
    "layouts_created": "layoutsCreated",
    "pipelines_created": "pipelinesCreated",
    "bytes_uploaded": "bytesUploaded",
    "bytes_read": "bytesRead",
    "maps": "maps",
    "bytes_allocated": "bytesAllocated",
}


def address(array: np.ndarray) -> int:
    """The array's byte offset in wasm memory."""
    start: int = array.__array_interface__["data"][0]
    return start


def taken_over(counters: Counters, counted: Any) -> Counters:
    """The executor's counters, a JavaScript object, put into Python's."""
    values = counted.to_py()
    for ours, theirs in _JS_COUNTERS.items():
        setattr(counters, ours, values[theirs])
    return counters


__all__ = ["address", "taken_over"]
