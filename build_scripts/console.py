"""What the build scripts say, how they run programs, and how they give up."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_started = time.monotonic()


class BuildError(Exception):
    """A step cannot be done; the message says what to do about it."""


def say(message: str) -> None:
    """Print one line of progress with the seconds since the start."""
    print(f"[{time.monotonic() - _started:6.1f}s] {message}", flush=True)


def run(
    command: Sequence[str | os.PathLike[str]], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Run a program quietly; show its output only where it fails.

    Raises:
        BuildError: the program is missing or ends with a status other than 0.
    """
    words = [os.fspath(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except FileNotFoundError:
        raise BuildError(f"{words[0]}: not found; it is needed for: {shlex.join(words)}") from None
    if done.returncode != 0:
        raise BuildError(f"{shlex.join(words)} ended with status {done.returncode}:\n{_shortened(done.stdout.strip())}")


def _shortened(text: str, head: int = 3000, tail: int = 5000) -> str:
    return text if len(text) <= head + tail else f"{text[:head]}\n  [...]\n{text[-tail:]}"


def main(step: Callable[[], int | None]) -> None:
    """Run ``step`` as a program: a :class:`BuildError` becomes its message and status 1."""
    try:
        sys.exit(step() or 0)
    except BuildError as error:
        print(f"\nerror: {error}", file=sys.stderr, flush=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
