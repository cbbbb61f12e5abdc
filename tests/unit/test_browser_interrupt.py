"""Interrupts end a script, and only a script: see ``tests/web/test_flood.py`` for the page."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from types import CodeType

import pytest

from tabgrad import browser_interrupt
from tabgrad.browser_interrupt import Interrupts

NAME = "interrupted.py"


@pytest.fixture
def put_off() -> list[int]:
    """One entry for each time that an interrupt was put off."""
    return []


@pytest.fixture
def interrupts(put_off: list[int]) -> Iterator[Interrupts]:
    """Interrupts are handled as in the browser."""
    before = signal.getsignal(signal.SIGINT)
    yield Interrupts(lambda: put_off.append(1))
    signal.signal(signal.SIGINT, before)


def script(source: str) -> CodeType:
    return compile(source, NAME, "exec")


async def run(interrupts: Interrupts, source: str, **names: object) -> None:
    with interrupts.interruptible(NAME):
        exec(script(source), {"signal": signal, **names})
    await asyncio.sleep(0)  # a cancellation left behind would show here


def test_script_is_interrupted_and_its_cleanup_runs(interrupts: Interrupts) -> None:
    left: list[str] = []
    asyncio.run(
        run(
            interrupts,
            "try:\n    signal.raise_signal(2)\n    left.append('no')\nfinally:\n    left.append('yes')",
            left=left,
        )
    )
    assert left == ["yes"]


def test_tabgrads_own_work_ends_before_the_script_does(interrupts: Interrupts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_interrupt, "_UNDISTURBED", (__file__,))
    done: list[str] = []

    def work() -> None:
        signal.raise_signal(2)
        done.append("worked")

    asyncio.run(run(interrupts, "work()\ndone.append('went on')", work=work, done=done))
    assert done == ["worked"]


def test_waiting_script_is_cancelled(interrupts: Interrupts) -> None:
    async def main() -> None:
        async def waits() -> None:
            with interrupts.interruptible(NAME):
                await asyncio.sleep(60)
            await asyncio.sleep(0)

        task = asyncio.ensure_future(waits())
        await asyncio.sleep(0)
        interrupts.interrupt()
        await asyncio.wait_for(task, 5)

    asyncio.run(main())


def test_interrupt_outside_a_script_is_ignored(interrupts: Interrupts, put_off: list[int]) -> None:
    signal.raise_signal(2)
    interrupts.interrupt()
    assert put_off == []


def test_interrupt_amid_the_event_loop_is_put_off(interrupts: Interrupts, put_off: list[int]) -> None:
    async def main() -> None:
        with interrupts.interruptible(NAME):
            signal.raise_signal(2)

    asyncio.run(main())
    assert put_off == [1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError])
def test_scripts_own_error_is_not_taken_for_an_interrupt(interrupts: Interrupts, error: type[BaseException]) -> None:
    with pytest.raises(error):
        asyncio.run(run(interrupts, "raise error", error=error))
