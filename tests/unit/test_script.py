"""How scripts run and end: natively as in the page, whatever they raise, and whatever they leave."""

from __future__ import annotations

import asyncio
import builtins
import os
import re
import sys
from typing import Any

import pytest

import endings
from tabgrad import isolation, leftovers, script
from unit.train.harness import logged


def outcome(source: str) -> BaseException | None:
    """Run a script as the page does: what it raised."""
    found: list[BaseException | None] = []

    async def main() -> None:
        found.append(await isolation.outcome(script.run_script(source)))

    asyncio.run(main())  # its result is asked for its text, which a script's error may refuse
    return found[0]


def told(source: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """A script's exit status, and all that is said of it."""
    found = isolation.Surroundings()
    error = outcome(source)
    found.restore()
    status = script.exit_status(error)
    said = ""
    if status is None:
        assert error is not None
        event = script.error_event(error)
        said = event.message
        assert event.line is None or type(event.line) is int
        status = 1
    captured = capsys.readouterr()
    return status, f"{said}\n{captured.out}\n{captured.err}\nthe script ended itself with exit status {status}"


@pytest.mark.parametrize("ending", endings.of("native"), ids=str)
def test_ending_is_told(ending: endings.Ending, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = told(ending.source, capsys)
    assert status == ending.status
    assert re.search(ending.said, said)
    assert outcome("x = 1") is None


def test_exit_statuses_are_those_of_a_process() -> None:
    for code in (None, 0, 1, 3, 255, 256, 300, -1, True, 2**31, 2**63, -(2**63) - 1):
        child = os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-S", "-c", f"raise SystemExit({code})"])
        assert script.exit_status(SystemExit(code)) == child, code
    assert script.exit_status(None) == 0
    assert script.exit_status(ValueError()) is None


def test_script_waits_for_no_task_and_names_those_it_cancels(capsys: pytest.CaptureFixture[str]) -> None:
    ended: list[str] = []
    builtins.ended = ended  # type: ignore[attr-defined]
    source = """
import asyncio
async def careful():
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0)
        ended.append("careful")
async def hidden(): await asyncio.sleep(60)
tasks = [asyncio.ensure_future(f()) for f in (careful, hidden)]
await asyncio.sleep(0)
"""
    try:
        assert outcome(source) is None
    finally:
        del builtins.ended  # type: ignore[attr-defined]
    assert ended == ["careful"]
    assert capsys.readouterr().err == (
        "the script ended while careful, hidden still ran, and cancelled them; to wait for them, write await\n"
    )


def test_fit_that_is_not_awaited_is_stopped_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    source = """
import asyncio
from unit.train.harness import loader, trainer
running = trainer(lr=1e-3)
fit = asyncio.ensure_future(running.fit(loader(), epochs=10**6))
while running.steps.step < 2: await asyncio.sleep(0)
"""
    with logged() as log:
        assert outcome(source) is None
    assert log.states() == ["running", "stopped"]
    assert "while Trainer.fit still ran, and cancelled it" in capsys.readouterr().err


def test_task_that_refuses_to_end_is_named_and_not_waited_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "PATIENCE_S", 0.05)
    source = """
import asyncio
async def stubborn():
    for _ in range(3):
        try: await asyncio.sleep(0.1)
        except asyncio.CancelledError: pass
asyncio.ensure_future(stubborn())
await asyncio.sleep(0)
"""
    assert outcome(source) is None
    assert "stubborn could not be cancelled and may disturb later scripts" in capsys.readouterr().err


def test_surroundings_are_restored(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = isolation.Surroundings()
    before = (sys.stdout, sys.stderr, sys.getrecursionlimit(), os.getcwd(), list(sys.path), sys.excepthook)
    error = outcome(
        f"import builtins, os, sys\nsys.stdout = sys.stderr = None\nsys.setrecursionlimit(5000)\n"
        f"os.chdir({str(tmp_path)!r})\nsys.path.clear()\nsys.excepthook = 3\n"
        "builtins.len = None\ndel sys.modules['json']"
    )
    assert error is None
    assert len("restored") == 8
    found.restore()
    assert before == (sys.stdout, sys.stderr, sys.getrecursionlimit(), os.getcwd(), list(sys.path), sys.excepthook)
    assert "json" in sys.modules
