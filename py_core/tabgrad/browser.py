"""What JavaScript calls, in the page's worker and in the Node harness: see ``web/python/python.js``.

Events go out through one JavaScript function; control messages come in through :func:`deliver`.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

import tabgrad
from tabgrad import browser_winners, isolation, runtime, script
from tabgrad.devices import DeviceKind
from tabgrad.errors import TabgradError
from tabgrad.train import control, events


def connect(post: Any) -> None:
    """Send every event to ``post``, as a plain JavaScript object."""
    from js import Object
    from pyodide.ffi import to_js

    def sink(event: dict[str, Any]) -> None:
        post(to_js(event, dict_converter=Object.fromEntries))

    events.set_sink(sink)


def select_device(name: DeviceKind) -> None:
    """Choose the process-wide device, as ``tabgrad.device``."""
    tabgrad.device(name)


async def run(source: str, filename: str, argv: Any, profile_steps: int = 0) -> int:
    """Run a script; an error becomes an event. Returns its exit status: 0 where it ended well.

    ``profile_steps``: how many steps to profile, kernel by kernel; the report is an event.
    """
    found = isolation.Surroundings()
    work = _work(source, filename, argv.to_py(), profile_steps)
    error = await isolation.outcome(work)
    found.restore()
    status = script.exit_status(error)
    if status is None:
        assert error is not None
        events.emit(script.error_event(error, filename=filename))
        status = 1
    del error  # its traceback holds the script's tensors
    await runtime.tuner().stop()
    runtime.tuner().clear()
    await browser_winners.flush()
    gc.collect()  # a script's tensors hold GPU memory until its namespace is gone
    return status


async def _work(source: str, filename: str, argv: Sequence[str], profile_steps: int) -> None:
    work = script.run_script(source, filename=filename, argv=argv)
    if profile_steps:
        from tabgrad.profiler import profiled

        await profiled(work, events.emit, profile_steps)
    else:
        await work


def deliver(message: Any) -> None:
    """Hand a control message (a JavaScript object) to the running trainer; what is none is refused in a sentence."""
    try:
        control.deliver(message.to_py() if hasattr(message, "to_py") else message)
    except TabgradError as error:
        script.say(str(error))
