"""The interface for JavaScript, in the page's worker and in the Node harness: see ``web/python/python.js``.

Events go out through one JavaScript function; control messages come in through :meth:`Browser.deliver`.
"""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Sequence
from typing import Any

from tabgrad import browser_winners, isolation, script
from tabgrad.browser_interrupt import Interrupts
from tabgrad.devices import DeviceKind
from tabgrad.errors import TabgradError
from tabgrad.messages import StopMessage, read_control
from tabgrad.session import current
from tabgrad.train.control import Inbox
from tabgrad.train.events import Events
from tabgrad.tuner import TunerRegistry


class Browser:
    """Runs scripts in the default session, one after another.

    Args:
        post: gets every event as a plain JavaScript object.
        signal_again: requests another interrupt.
    """

    def __init__(self, post: Any, signal_again: Any) -> None:
        from js import Object
        from pyodide.ffi import to_js

        def sink(event: dict[str, Any]) -> None:
            post(to_js(event, dict_converter=Object.fromEntries))

        self._session = current()
        self._events, self._inbox = self._session.own(Events), self._session.own(Inbox)
        self._events.set_sink(sink)
        self._interrupts = Interrupts(signal_again)

    def select_device(self, name: DeviceKind) -> None:
        """Set the device, as ``tabgrad.device``."""
        self._session.select(name)

    def install_as_torch(self) -> None:
        """Let scripts that were written for PyTorch run: ``import torch`` then means tabgrad."""
        from tabgrad.compat import install_as_torch

        install_as_torch()

    def use_torch_rng(self) -> None:
        """Let one seed give PyTorch's random numbers."""
        from tabgrad.compat import torch_rng

        torch_rng()

    async def run(self, source: str, filename: str, argv: Any, profile_steps: int = 0) -> int:
        """Run a script; an error becomes an event. Returns its exit status: 0 on success or interruption.

        ``profile_steps``: number of steps to profile by kernel; the report is an event.
        """
        sys.stdout, sys.stderr = _stream(1, errors="strict"), _stream(2, errors="backslashreplace")
        found = isolation.Surroundings()
        error = await isolation.outcome(self._work(source, filename, argv.to_py(), profile_steps))
        _flush()
        found.restore()
        status = script.exit_status(error)
        if status is None:
            assert error is not None
            self._events.emit(script.error_event(error, filename=filename))
            status = 1
        del error  # its traceback holds the script's tensors
        tuner = self._session.own(TunerRegistry).of(self._session.device)
        await tuner.stop()
        tuner.clear()
        await browser_winners.flush()
        gc.collect()  # a script's tensors hold GPU memory until its namespace is gone
        return status

    async def _work(self, source: str, filename: str, argv: Sequence[str], profile_steps: int) -> None:
        work = script.run_script(source, filename=filename, argv=argv)
        with self._interrupts.interruptible(filename):
            if profile_steps:
                from tabgrad.profiler import profiled

                await profiled(work, self._events.emit, profile_steps)
            else:
                await work

    def deliver(self, message: Any) -> bool:
        """Pass a control message (a JavaScript object) to the running trainer; returns whether there is one.

        Without a running trainer, "stop" interrupts the script. An invalid message is reported in a sentence.
        """
        listening = self._inbox.listening
        try:
            request = message.to_py() if hasattr(message, "to_py") else message
            if isinstance(read_control(request), StopMessage) and not listening:
                self._interrupts.interrupt()
            else:
                self._inbox.deliver(request)
        except TabgradError as error:
            script.say(str(error))
        return listening


def _stream(fd: int, *, errors: str) -> io.TextIOWrapper:
    """A new standard stream, independent of what the last script did to it.

    Python's own buffers up to 128 KB without a line end, which would be shown late.
    """
    buffer = io.BufferedWriter(io.FileIO(fd, "w", closefd=False), buffer_size=1 << 13)
    return io.TextIOWrapper(buffer, encoding="utf-8", errors=errors, line_buffering=True)


def _flush() -> None:
    """Flush printed text without a line end."""
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()  # type: ignore[union-attr]
        except Exception:  # noqa: BLE001 - the script may have replaced or closed it
            continue
