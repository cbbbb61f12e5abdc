"""What GPU drivers expect of the process that loads them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def quiet_drivers() -> Iterator[None]:
    """Within, drivers find a folder for their sockets: without one they complain on the standard error, though nothing
    here needs a window. The variable is taken back, as a script and its processes have nothing to do with it.
    """
    if sys.platform != "linux" or os.environ.get("XDG_RUNTIME_DIR", "").startswith("/"):
        yield
        return
    before = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = "/tmp"
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = before
