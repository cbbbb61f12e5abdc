"""Running a training script, in the same way in a browser, in Node and on the command line.

A script is ordinary Python that may use ``await`` at its top level.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import linecache
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from tabgrad import leftovers
from tabgrad.messages import ErrorEvent

MOST_MESSAGE = 2_000  # limit in characters of an error's message, and of its traceback
MOST_TRACEBACK = 20_000
_BARE = (  # errors that often have no message
    (asyncio.CancelledError, "the script, or what it awaited, was cancelled"),
    (MemoryError, "Python has no memory left for this; in wasm it has 2 GB at most"),
    (KeyboardInterrupt, "the script was interrupted"),
)


async def run_script(source: str, *, filename: str = "script.py", argv: Sequence[str] = ()) -> dict[str, Any]:
    """Run ``source`` as ``__main__`` in a new namespace; returns that namespace.

    Tasks that it started and did not wait for, such as a fit, are cancelled when it ends, as ``asyncio.run`` does.

    Args:
        source: the script's text.
        filename: its name in tracebacks; also ``__file__`` and ``sys.argv[0]``.
        argv: the script's arguments, without its name.

    Raises:
        SyntaxError: the text is not Python.
        BaseException: what the script raises and does not handle.
    """
    lines = source.splitlines(keepends=True)
    linecache.cache[filename] = (len(source), None, lines, filename)  # so that tracebacks quote it
    code = compile(source, filename, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": filename, "__builtins__": __builtins__}
    sys.argv = [filename, *argv]
    before = asyncio.all_tasks()
    try:
        result = eval(code, namespace)
        if inspect.iscoroutine(result):
            await result
    except BaseException:
        await leftovers.end_tasks(before)
        raise
    say(*await leftovers.end_tasks(before))
    return namespace


def error_event(error: BaseException, *, filename: str = "script.py") -> ErrorEvent:
    """An error for display: a one-line message, the traceback, and the script's line to mark.

    The traceback begins at the script's first frame, without the callers of the script. Long texts are cut.
    """
    line = None
    first = None
    for frame, line_number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == filename:
            first = first or _traceback_at(error, frame)
            line = line_number
    kind = type(error)  # isinstance would read the error's __class__, which may run the script's code
    is_syntax = issubclass(kind, SyntaxError)
    try:
        if is_syntax and error.filename == filename:  # type: ignore[attr-defined]
            line = error.lineno if isinstance(error.lineno, int) else line  # type: ignore[attr-defined]
        text = "".join(traceback.format_exception(kind, error, first)).rstrip("\n")
        message = str(error.msg or "") if is_syntax else str(error)  # type: ignore[attr-defined]
    except BaseException as fault:  # noqa: BLE001 - its __str__ and its attributes may run the script's code
        text = "".join(["Traceback (most recent call last):\n", *traceback.format_tb(first), _name(kind)])
        message = f"an error whose text cannot be read: it raised {_name(type(fault))}"
    message = message or next((said for bare, said in _BARE if kind is bare), "")
    return ErrorEvent(
        message=_cut(f"{_name(kind)}: {message}" if message else _name(kind), MOST_MESSAGE),
        traceback=_cut(text, MOST_TRACEBACK),
        line=line,
    )


def exit_status(error: BaseException | None) -> int | None:
    """The exit status for the script's exception, as CPython computes it; None if the error must be shown."""
    if error is None:
        return 0
    if not issubclass(type(error), SystemExit):
        return None
    try:
        code = error.code  # type: ignore[attr-defined]
        if code is None:
            return 0
        if type(code) in (int, bool):
            return code & 0xFF if -(2**63) <= code < 2**63 else 0xFF
        text = str(code)
    except BaseException as fault:  # noqa: BLE001 - the script's code, as above
        text = f"sys.exit: expected a number or a text, got an object whose text raised {_name(type(fault))}"
    say(text)  # sys.exit("message"), as the interpreter treats it
    return 1


def say(*sentences: str) -> None:
    """Print to the script's error stream, if there is one."""
    if sentences:
        with contextlib.suppress(Exception):
            sys.stderr.write("".join(f"{sentence}\n" for sentence in sentences))


def _name(kind: type) -> str:
    """A class's name; the script may define its metaclass."""
    return type.__dict__["__name__"].__get__(kind)


def _cut(text: str, most: int) -> str:
    """The text, without its middle if it is too long."""
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}\n… {len(text) - most:,} characters left out …\n{text[-(most // 2) :]}"


def _traceback_at(error: BaseException, frame: Any) -> Any:
    """The part of the error's traceback that begins with ``frame``."""
    rest = error.__traceback__
    while rest is not None and rest.tb_frame is not frame:
        rest = rest.tb_next
    return rest
