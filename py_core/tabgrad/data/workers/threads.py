"""Workers as threads with a Python each: Web Workers in a page, worker threads in Node."""

from __future__ import annotations

from typing import Any

from tabgrad.data.workers.crew import Crew, Heard
from tabgrad.data.workers.packed import Packed
from tabgrad.data.workers.prepare import Preparer
from tabgrad.errors import DeviceError, TabgradError
from tabgrad.session import Session

FOREVER_S = 86_400.0


class Threads(Crew):
    """Threads that the JavaScript side opens (``web/python/crew.js``).

    Raises:
        TabgradError: whoever started Python offers none.
    """

    def __init__(self) -> None:
        try:
            from tabgrad_threads import openCrew
        except ImportError:
            openCrew = None
        if not openCrew:
            raise TabgradError(
                "DataLoader: expected a page or a Node harness that opens threads for num_workers, got one that does "
                "not; use num_workers=0"
            )
        self._js: Any = openCrew()

    def start(self, number: int) -> None:
        self._js.start(number)

    def send(self, number: int, message: Packed) -> None:
        self._js.send(number, moved(message))

    def hear(self, timeout_s: float | None) -> Heard | None:
        from pyodide.ffi import can_run_sync, run_sync

        if not can_run_sync():
            raise DeviceError(
                "DataLoader: expected a browser that can suspend Python (JSPI) to wait for workers, got one that "
                "cannot; write `async for batch in loader`, or use num_workers=0"
            )
        return run_sync(self.hear_async(timeout_s))

    async def hear_async(self, timeout_s: float | None) -> Heard | None:
        heard = await self._js.hear(1000 * (FOREVER_S if timeout_s is None else timeout_s))
        if heard is None:
            return None
        return Heard(heard.number, None if heard.parts is None else taken(heard.parts), heard.why)

    def release(self, number: int) -> None:
        self._js.release(number)

    def end(self, number: int) -> None:
        self._js.end(number)


def moved(message: Packed) -> Any:
    """A message as JavaScript's arrays, which it moves to another thread."""
    from js import Array, Uint8Array

    parts = Array.new()
    for part in (message.data, *message.buffers):
        array = Uint8Array.new(len(part))
        array.assign(part)
        parts.push(array)
    return parts


def taken(parts: Any) -> Packed:
    """The message in JavaScript's arrays."""
    data, *buffers = [part.to_py() for part in parts]
    return Packed(data.tobytes(), [bytearray(buffer) for buffer in buffers])


def open_preparer() -> Any:
    """In such a thread: what answers a message."""
    preparer, session = Preparer(), Session("reference")  # datasets that make tensors compute here

    def answer(parts: Any) -> Any:
        with session:
            return moved(preparer.answer(taken(parts)))

    return answer


__all__ = ["Threads", "moved", "open_preparer", "taken"]
