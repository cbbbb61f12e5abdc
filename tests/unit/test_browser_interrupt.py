"""Interrupts end a script, and only a script: see ``tests/web/test_flood.py`` for the page."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from types import CodeType

import pytest

from tabgrad import browser_interrupt

NAME = "interrupted.py"


@pytest.fixture(autouse=True)
def put_off() -> Iterator[list[int]]:
    """Interrupts are handled as in the browser; holds how often one was put off."""
    before = signal.getsignal(signal.SIGINT)
    times: list[int] = []
    browser_interrupt.connect(lambda: times.append(1))
    yield times
    signal.signal(signal.SIGINT, before)


def script(source: str) -> CodeType:
    return compile(source, NAME, "exec")


async def run(source: str, **names: object) -> None:
    with browser_interrupt.interruptible(NAME):
        exec(script(source), {"signal": signal, **names})
    await asyncio.sleep(0)  # a cancellation left behind would show here


def test_script_is_interrupted_and_its_cleanup_runs() -> None:
    left: list[str] = []
    asyncio.run(
        run("try:\n    signal.raise_signal(2)\n    left.append('no')\nfinally:\n    left.append('yes')", left=left)
    )
    assert left == ["yes"]


def test_tabgrads_own_work_ends_before_the_script_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_interrupt, "_UNDISTURBED", (__file__,))
    done: list[str] = []

    def work() -> None:
        signal.raise_signal(2)
        done.append("worked")

    asyncio.run(run("work()\ndone.append('went on')", work=work, done=done))
    assert done == ["worked"]


def test_waiting_script_is_cancelled() -> None:
    async def main() -> None:
        async def waits() -> None:
            with browser_interrupt.interruptible(NAME):
                await asyncio.sleep(60)
            await asyncio.sleep(0)

        task = asyncio.ensure_future(waits())
        await asyncio.sleep(0)
        browser_interrupt.interrupt()
        await asyncio.wait_for(task, 5)

    asyncio.run(main())


def test_interrupt_outside_a_script_is_ignored(put_off: list[int]) -> None:
    signal.raise_signal(2)
    browser_interrupt.interrupt()
    assert put_off == []


def test_interrupt_amid_the_event_loop_is_put_off(put_off: list[int]) -> None:
    async def main() -> None:
        with browser_interrupt.interruptible(NAME):
            signal.raise_signal(2)

    asyncio.run(main())
    assert put_off == [1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError])
def test_scripts_own_error_is_not_taken_for_an_interrupt(error: type[BaseException]) -> None:
    with pytest.raises(error):
        asyncio.run(run("raise error", error=error))
