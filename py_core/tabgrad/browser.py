"""What JavaScript calls, in the page's worker and in the Node harness: see ``web/python/python.js``.

Events go out through one JavaScript function; control messages come in through :func:`deliver`.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import Any

import tabgrad
from tabgrad import browser_winners, runtime, script
from tabgrad.devices import DeviceKind
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


async def run(source: str, filename: str, argv: Any, profile_steps: int = 0) -> bool:
    """Run a script; an error becomes an event. Returns whether it ended without one.

    ``profile_steps``: how many steps to profile, kernel by kernel; the report is an event.
    """
    try:
        work = script.run_script(source, filename=filename, argv=argv.to_py())
        if profile_steps:
            from tabgrad.profiler import profiled

            await profiled(work, events.emit, profile_steps)
        else:
            await work
    except asyncio.CancelledError:
        raise
    except SystemExit as request:
        if request.code is None or isinstance(request.code, int):
            return not request.code
        sys.stderr.write(f"{request.code}\n")  # sys.exit("message"), as the interpreter treats it
        return False
    except BaseException as error:  # noqa: BLE001 - a script may raise anything
        events.emit(script.error_event(error, filename=filename))
        return False
    finally:
        await runtime.tuner().stop()
        runtime.tuner().clear()
        await browser_winners.flush()
        gc.collect()  # a script's tensors hold GPU memory until its namespace is gone
    return True


def deliver(message: Any) -> None:
    """Hand a control message (a JavaScript object) to the running trainer."""
    control.deliver(message.to_py())
