"""Signals that end a run: Ctrl+C, SIGTERM, and SIGHUP from a closed terminal."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

from tabgrad.command_line.progress import RunDisplay

REQUESTS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextlib.contextmanager
def ending_on_signals(display: RunDisplay) -> Iterator[None]:
    """A context in which a signal during a fit stops it after the current step.

    After the first Ctrl+C the script continues after the fit; any other one ends the program. SIGTERM and SIGHUP end
    the program with the status 128 + the signal's number; a second one ends it at once. Signals that the caller
    ignores (``nohup``) stay ignored.
    """
    from tabgrad.train import control

    asked = False

    def on_interrupt(*_: object) -> None:
        nonlocal asked
        if asked or not display.running:
            raise KeyboardInterrupt
        asked = True
        control.deliver({"type": "stop"})
        with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: the signal came while a line was printed
            display.say("stopping after this step; press Ctrl+C again to leave at once")

    def on_request(number: int, _: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        if not display.running:
            raise SystemExit(128 + number)
        display.then_exit(128 + number)
        control.deliver({"type": "stop"})

    before = {}
    for number in (signal.SIGINT, *REQUESTS):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            before[number] = signal.signal(number, on_interrupt if number == signal.SIGINT else on_request)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
