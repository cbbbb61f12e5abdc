"""The search for the project's checkout: the page and the Node harness are not part of the wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent

HOW_TO_GET = (
    "this installation has the Python package only; clone tabgrad's repository and run the command inside the clone"
)


def find(file: str) -> Path | None:
    """``file`` in the checkout that contains the package, or in one that contains the working directory.

    Args:
        file: a path from the checkout's top, such as ``"build_scripts/serve.py"``.
    """
    try:
        here = Path.cwd().resolve()
    except OSError:  # the folder was deleted
        around: tuple[Path, ...] = ()
    else:
        around = (here, *here.parents)
    for top in (_PACKAGE.parent.parent, *around):
        if (top / "py_core" / "tabgrad").is_dir() and (top / file).is_file():
            return top / file
    return None
