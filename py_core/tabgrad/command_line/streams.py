"""The standard streams of the command, also where they are closed, or nobody reads them."""

from __future__ import annotations

import errno
import os
import select
import sys
from contextlib import suppress

from tabgrad.command_line import console


def open_closed() -> None:
    """Let closed standard descriptors lead nowhere, or the next file that is opened would take a closed one's place."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # takes the lowest that is free


def nobody_reads() -> bool:
    """Whether the standard output is a pipe whose reader has gone; as far as the system can tell."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(1, 0)
    return any(state & select.POLLERR for _, state in poll.poll(0))


def is_full(error: OSError) -> bool:
    """Whether there is no place for what was to be written."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def flush(status: int) -> int:
    """Write what waits to be written; the status to end with, if this is the command's own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except ValueError:  # the script closed it
            continue
        except OSError as error:
            if stream is sys.stdout and not status and not isinstance(error, BrokenPipeError):
                console.tell(f"tabgrad: expected to write the output, got: {error.strerror}")
            status = status or 1
            _abandon(stream)
    return status


def _abandon(stream: object) -> None:
    """Or the interpreter would try again, and complain, at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1 if stream is sys.stdout else 2)
