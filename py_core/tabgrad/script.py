"""Running a training script: the same way in a browser, in Node and on the command line.

A script is ordinary Python that may use ``await`` at its top level.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import traceback
from collections.abc import Sequence
from typing import Any


async def run_script(source: str, *, filename: str = "script.py", argv: Sequence[str] = ()) -> dict[str, Any]:
    """Run ``source`` as ``__main__`` in a namespace of its own; returns that namespace.

    Args:
        source: the script's text.
        filename: what tracebacks call it; also ``__file__`` and ``sys.argv[0]``.
        argv: the script's arguments, without its name.

    Raises:
        SyntaxError: the text is not Python.
        BaseException: whatever the script raises and does not handle.
    """
    lines = source.splitlines(keepends=True)
    linecache.cache[filename] = (len(source), None, lines, filename)  # so that tracebacks quote it
    code = compile(source, filename, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": filename, "__builtins__": __builtins__}
    sys.argv = [filename, *argv]
    result = eval(code, namespace)
    if inspect.iscoroutine(result):
        await result
    return namespace


def error_event(error: BaseException, *, filename: str = "script.py") -> dict[str, Any]:
    """An ``error`` event: one line to read, the traceback, and the script's line to mark.

    The traceback begins at the script's own first frame; what called the script is left out.
    """
    line = None
    first = None
    for frame, line_number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == filename:
            first = first or _traceback_at(error, frame)
            line = line_number
    if isinstance(error, SyntaxError) and error.filename == filename:
        line = error.lineno
    text = "".join(traceback.format_exception(type(error), error, first))
    message = str(error.msg if isinstance(error, SyntaxError) else error)
    name = type(error).__name__
    return {
        "type": "error",
        "message": f"{name}: {message}" if message else name,
        "traceback": text.rstrip("\n"),
        "line": line,
    }


def _traceback_at(error: BaseException, frame: Any) -> Any:
    """The part of the error's traceback that begins with ``frame``."""
    rest = error.__traceback__
    while rest is not None and rest.tb_frame is not frame:
        rest = rest.tb_next
    return rest
