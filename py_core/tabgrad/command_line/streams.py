"""The command's standard streams, which may be closed or have lost their reader."""

from __future__ import annotations

import errno
import os
import select
import sys
from contextlib import suppress

from tabgrad.command_line import console


def open_closed() -> None:
    """Open closed standard descriptors on the null device, so that no other file gets their numbers."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # gets the lowest free number


def reader_is_gone() -> bool:
    """Whether the standard output is a pipe without a reader, if the system can tell."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(1, 0)
    return any(state & select.POLLERR for _, state in poll.poll(0))


def is_full(error: OSError) -> bool:
    """Whether the error says that the disk, the quota or the file is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def flush(status: int) -> int:
    """Flush the standard streams; returns ``status``, or 1 if it is 0 and a stream fails."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except ValueError:  # closed by the script
            continue
        except OSError as error:
            if stream is sys.stdout and not status and not isinstance(error, BrokenPipeError):
                console.tell(f"tabgrad: expected to write the output, got: {error.strerror}")
            status = status or 1
            _abandon(stream)
    return status


def _abandon(stream: object) -> None:
    """Discard the output, or the interpreter would report the error again when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1 if stream is sys.stdout else 2)
