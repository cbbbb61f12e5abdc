"""Tasks that a script leaves behind: they are cancelled when it ends, as ``asyncio.run`` does, and named."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

from tabgrad.train import Trainer

PATIENCE_S = 1.0  # for tasks that refuse to be cancelled
_NAMED = 4
_PACKAGE = str(Path(__file__).resolve().parent)
_FIT = Trainer.fit.__code__


async def end_tasks(before: set[asyncio.Task[Any]]) -> list[str]:
    """Cancel the script's tasks that are not among ``before``, and wait until they have ended.

    tabgrad's own tasks (tuning, read-backs) are left alone, except a fit, which the script began.

    Returns:
        What the script's author should know, in sentences; empty where nothing was left.
    """
    left = [task for task in asyncio.all_tasks() - before if _is_the_scripts(task)]
    for task in left:
        task.cancel()
    refusing = (await asyncio.wait(left, timeout=PATIENCE_S))[1] if left else set()
    for task in set(left) - refusing:
        with contextlib.suppress(BaseException):
            task.result()  # retrieve what it raised, so that asyncio does not report it
    said = []
    if left:
        it = "it" if len(left) == 1 else "them"
        said.append(
            f"the script ended while {_listed(left)} still ran, and cancelled {it}; to wait for {it}, write await"
        )
    if refusing:
        said.append(f"{_listed(list(refusing))} could not be cancelled and may disturb later scripts")
    return said


def _is_the_scripts(task: asyncio.Task[Any]) -> bool:
    code = _code(task)
    if code is None or code is _FIT:
        return True
    return not code.co_filename.startswith((_PACKAGE, "pyodide/"))


def _code(task: asyncio.Task[Any]) -> Any:
    coroutine = task.get_coro()
    return getattr(coroutine, "cr_code", None) or getattr(coroutine, "gi_code", None)


def _listed(tasks: list[asyncio.Task[Any]]) -> str:
    """``f, Trainer.fit and 3 more``"""
    codes = [_code(task) for task in tasks]
    names = sorted("a task" if code is None else code.co_qualname for code in codes)
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
