"""Isolation of scripts that run one after another in one interpreter, in the page."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Coroutine
from typing import Any

_ANYTHING = BaseException  # a global of this module, because a script may clear the builtins


class Surroundings:
    """The interpreter's state before a script: streams, modules, limits, folder. :meth:`restore` restores it."""

    def __init__(self) -> None:
        self._streams = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
        self._hooks = {name: getattr(sys, name) for name in ("excepthook", "unraisablehook", "displayhook")}
        self._modules = dict(sys.modules)
        self._path = list(sys.path)
        self._filters = list(warnings.filters)
        self._recursion_limit = sys.getrecursionlimit()
        self._folder = os.getcwd()

    def restore(self) -> None:
        """Restore the state; modules that were imported since then stay."""
        sys.setrecursionlimit(self._recursion_limit)
        sys.modules.update(self._modules)
        for name, value in self._hooks.items():
            setattr(sys, name, value)
        for number, (name, stream) in enumerate(self._streams.items()):
            setattr(sys, name, _open_again(stream, number))
        sys.path[:] = self._path
        warnings.filters[:] = self._filters  # type: ignore[index]  # a list, although its stub says Sequence
        with contextlib.suppress(OSError):
            os.chdir(self._folder)


def _open_again(stream: Any, number: int) -> Any:
    """The stream, or a new one of the same file if a script closed it (``quit()`` closes ``sys.stdin``)."""
    if not (isinstance(stream, io.TextIOWrapper) and stream.closed):
        return stream
    mode = "w" if number else "r"
    return open(number, mode, buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


async def outcome(work: Coroutine[Any, Any, Any]) -> BaseException | None:
    """Run a script in a new task until it ends; returns its exception, if any.

    This returns, with the builtins restored, even if the script cancels its own task, all tasks, or the one that waits
    here. In Pyodide, ``sys.exit`` in another task ends the script too, as with ``asyncio.run``.
    """
    loop: Any = asyncio.get_running_loop()
    exits: asyncio.Future[BaseException] = loop.create_future()

    def leave(error: BaseException) -> None:
        if not exits.done():
            exits.set_result(error)

    # Only Pyodide's loop has them; without them a timer's callback would get the exception.
    loop._system_exit_handler = lambda code: leave(SystemExit(code))
    loop._keyboard_interrupt_handler = lambda: leave(KeyboardInterrupt())
    raised: list[BaseException] = []
    task = asyncio.ensure_future(_caught(work, dict(vars(builtins)), raised))
    try:
        await _first(task, exits)
        if exits.done():
            task.cancel()
            await _first(task)
            return exits.result()
        return asyncio.CancelledError() if task.cancelled() else raised[0] if raised else None
    finally:
        loop._system_exit_handler = loop._keyboard_interrupt_handler = None
        exits.cancel()


async def _caught(work: Coroutine[Any, Any, Any], found: dict[str, Any], raised: list[BaseException]) -> None:
    """Store the error instead of raising it: asyncio would format the task's exception."""
    try:
        await work
    except _ANYTHING as error:  # every error of a script
        builtins.__dict__.update(found)  # what follows needs them
        raised.append(error)
    else:
        builtins.__dict__.update(found)


async def _first(*futures: asyncio.Future[Any]) -> None:
    """Wait for the first task, even if a script cancels the waiting task."""
    while not any(future.done() for future in futures):
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
