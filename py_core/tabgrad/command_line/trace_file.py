"""The file that a profile's trace is written to."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tabgrad.atomic_file import write_atomically
from tabgrad.errors import TabgradError

_OPTION = "train --trace"


class TraceFile:
    """Writes the trace of a run's profile.

    Raises:
        TabgradError: the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._path = Path(os.path.abspath(path))  # a script may change the folder
        except OSError:
            raise TabgradError(f"{_OPTION}: expected a file in a folder that exists, got {path} in none") from None
        self.problem: str | None = None  # why the trace could not be written
        folder = self._path.parent
        if self._path.is_dir():
            raise TabgradError(f"{_OPTION}: expected a file to write, got the folder {path}; name a file in it")
        if self._path.exists() and not self._path.is_file():
            raise TabgradError(f"{_OPTION}: expected a regular file to write, got {path}; name another one")
        if not folder.is_dir():
            raise TabgradError(f"{_OPTION}: expected a file in a folder that exists, got {path}; make {folder} first")
        if not os.access(self._path if self._path.exists() else folder, os.W_OK):
            raise TabgradError(f"{_OPTION}: expected a file that may be written, got {path}; name another one")

    def writing(self, show: Callable[[dict[str, Any]], None], say: Callable[[str], None]) -> Callable[..., None]:
        """An event sink that calls ``show``, writes a profile's trace, and reports that with ``say``."""

        def sink(event: dict[str, Any]) -> None:
            show(event)
            if event["type"] != "profile":
                return
            try:
                write_atomically(event["trace"].encode(), self._path, caller=_OPTION, durable=False)
            except TabgradError as error:
                self.problem = str(error)
            else:
                say(f"trace: {self._path}; open it at https://ui.perfetto.dev")

        return sink
