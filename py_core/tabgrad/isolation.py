"""One interpreter runs many scripts, in the page: what one of them breaks, the next shall not feel."""

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

_ANYTHING = BaseException  # a name of this module: a script may have cleared the builtins


class Surroundings:
    """What a script finds: streams, imported modules, limits, folder. :meth:`restore` brings it back."""

    def __init__(self) -> None:
        self._streams = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
        self._hooks = {name: getattr(sys, name) for name in ("excepthook", "unraisablehook", "displayhook")}
        self._modules = dict(sys.modules)
        self._path = list(sys.path)
        self._filters = list(warnings.filters)
        self._recursion_limit = sys.getrecursionlimit()
        self._folder = os.getcwd()

    def restore(self) -> None:
        """Bring all of it back; modules that were imported since stay."""
        sys.setrecursionlimit(self._recursion_limit)
        sys.modules.update(self._modules)
        for name, value in self._hooks.items():
            setattr(sys, name, value)
        for number, (name, stream) in enumerate(self._streams.items()):
            setattr(sys, name, _open_again(stream, number))
        sys.path[:] = self._path
        warnings.filters[:] = self._filters  # type: ignore[index]  # a list, whatever its stub says
        with contextlib.suppress(OSError):
            os.chdir(self._folder)


def _open_again(stream: Any, number: int) -> Any:
    """The stream itself, or one of the same file where a script has closed it (``quit()`` closes ``sys.stdin``)."""
    if not (isinstance(stream, io.TextIOWrapper) and stream.closed):
        return stream
    mode = "w" if number else "r"
    return open(number, mode, buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


async def outcome(work: Coroutine[Any, Any, Any]) -> BaseException | None:
    """Run a script in a task of its own until it has ended: what it raised, if anything.

    Whatever the script cancels (its own task, all tasks, even the one that waits here), this returns, and the builtins
    are as they were. In Pyodide,
    ``sys.exit`` in another task ends the script too, as it does where ``asyncio.run`` runs it.
    """
    loop: Any = asyncio.get_running_loop()
    exits: asyncio.Future[BaseException] = loop.create_future()

    def leave(error: BaseException) -> None:
        if not exits.done():
            exits.set_result(error)

    # Of Pyodide's loop alone; without them the exception would end in a timer's callback.
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
    """Not a result of the task, which asyncio would ask for its text."""
    try:
        await work
    except _ANYTHING as error:  # a script may raise anything
        builtins.__dict__.update(found)  # what follows needs them
        raised.append(error)
    else:
        builtins.__dict__.update(found)


async def _first(*futures: asyncio.Future[Any]) -> None:
    """Return when one of them is done, though a script may cancel whoever waits."""
    while not any(future.done() for future in futures):
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
