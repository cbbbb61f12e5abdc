"""A worker process: ``python -m tabgrad.data.workers.process HANDLE``, started by a loader."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from multiprocessing.connection import Connection

from tabgrad.data.workers.packed import Packed
from tabgrad.data.workers.prepare import Preparer
from tabgrad.data.workers.processes import receive, send
from tabgrad.session import Session


def main(handle: int) -> None:
    """Answer messages until the loader is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the training, which ends its workers
    connection = Connection(handle)
    messages: queue.SimpleQueue[Packed] = queue.SimpleQueue()
    # Read at once, whatever is being prepared: the loader waits for nobody while it gives out work.
    threading.Thread(target=_read, args=(connection, messages), daemon=True).start()
    preparer = Preparer()
    with Session("reference"):  # datasets that make tensors compute here
        while True:
            send(connection, preparer.answer(messages.get()))


def _read(connection: Connection, messages: queue.SimpleQueue[Packed]) -> None:
    while True:
        try:
            messages.put(receive(connection))
        except (EOFError, OSError):
            os._exit(0)  # the loader is gone, and nobody wants what is being prepared


if __name__ == "__main__":
    main(int(sys.argv[1]))
