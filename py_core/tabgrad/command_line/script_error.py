"""A script's traceback, reduced to the script's own lines."""

from __future__ import annotations

import traceback
from pathlib import Path

_PACKAGE = str(Path(__file__).resolve().parent.parent)


def script_traceback(error: BaseException, folder: str) -> str:
    """The traceback, reduced to frames of files in ``folder``, the script's folder.

    Files of tabgrad and of installed packages are left out even inside that folder. If no frame is
    the script's, all are shown: the error is then not the user's. A syntax error in the script is
    shown without frames.
    """
    if isinstance(error, SyntaxError) and error.filename is not None and _is_own(error.filename, folder):
        return "".join(traceback.format_exception_only(error)).rstrip("\n")
    shown = traceback.TracebackException.from_exception(error, compact=True)
    chain: traceback.TracebackException | None = shown
    while chain is not None:
        own = [frame for frame in chain.stack if _is_own(frame.filename, folder)]
        if own:
            chain.stack = traceback.StackSummary.from_list(own)
        chain = chain.__cause__ or chain.__context__
    return "".join(shown.format()).rstrip("\n")


def _is_own(filename: str, folder: str) -> bool:
    path = Path(filename)
    if path.is_relative_to(_PACKAGE) or "site-packages" in path.parts:
        return False
    return path.is_relative_to(folder)
