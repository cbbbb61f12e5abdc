"""A script that prints without end: the page stays at hand, within its memory, and Stop ends the script at once.

``TABGRAD_FLOOD_S`` has the long flood take other than 8 s.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from daily import of_today
from web.visitor import Visitor

pytestmark = pytest.mark.alone

LONG_S = float(os.environ.get("TABGRAD_FLOOD_S", "8"))
SHORT_S = 0.7
TASK_MS = 50  # what a visitor does not notice
STOP_MS = 1000
MOST_HEAP_BYTES = 80e6  # what is kept of the output, twice, and the page itself

SIMPLE = "i = 0\nwhile True:\n    print(i)\n    i += 1"
FLOODS = {
    "without newline": "while True:\n    print('.', end='')",
    "lines of 1 MB": "line = 'lorem ipsum ' * 90_000\nwhile True:\n    print(line)",
    "both streams": "import sys\nwhile True:\n    print('out')\n    print('err', file=sys.stderr)",
    "controls": "i = 0\nwhile True:\n    print(f'\\x1b[3{i % 8}m{i}\\0\\x1b[0m\\r', end='', flush=True)\n    i += 1",
    "scripts and marks": """import random
while True:
    print("".join(chr(random.choice((97, 0x301, 0x489, 0x5D0, 0x627, 0x4E00, 0x1F600))) for _ in range(80)))""",
    "many tasks": """import asyncio
async def task(number):
    while True:
        print(number)
        await asyncio.sleep(0)
await asyncio.gather(*[task(i) for i in range(20)])""",
    "events": """from tabgrad.train import events
step = 0
while True:
    step += 1
    events.emit({"type": "status", "phase": "compiling", "done": step % 7, "total": 7})
    events.emit({"type": "validation", "step": step, "epoch": step, "loss": 1 / step})
    print(step)""",
}

# From a press of Stop to the button that says Train again.
STOP = """async () => {
  const start = performance.now();
  const primary = document.querySelector(".button-primary");
  [...document.querySelectorAll(".buttons button")].find((button) => button.textContent === "Stop").click();
  while (primary.textContent !== "Train") await new Promise((resolve) => setTimeout(resolve, 5));
  return performance.now() - start;
}"""


class _Plain(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture(scope="module")
def plain_address(site: Path) -> Iterator[str]:
    """The page on a host that sets no headers, so that there is no memory shared with its worker."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Plain, directory=str(site)))
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    yield f"http://localhost:{http.server_address[1]}/"
    http.shutdown()
    thread.join()
    http.server_close()


def flood(visitor: Visitor, source: str, seconds: float) -> None:
    """Train for so long, with the script in the editor if none is given."""
    visitor.train(source or None)
    visitor.page.locator(".output pre").wait_for()
    visitor.page.wait_for_timeout(seconds * 1000)


def stop(visitor: Visitor) -> None:
    """Press Stop; it takes effect in time, and the next script runs."""
    took_ms = visitor.page.evaluate(STOP)
    assert took_ms < STOP_MS
    # A machine that is busy elsewhere may not let Python hear of the interrupt in time: then it starts anew.
    expect(visitor.page.locator(".status-label")).to_have_text("Stopped", timeout=30_000)
    expect(visitor.page.locator(".error")).to_have_count(0)
    assert visitor.run("print('well')")["ok"]
    expect(visitor.page.locator(".output")).to_have_text("well")


def longest_task_ms(trace: bytes) -> float:
    """The longest task of the pages' main threads, in time of the processor: other programs take some, too."""
    events = json.loads(trace)["traceEvents"]
    threads = {
        (e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    }
    tasks = [
        e["tdur"] for e in events if e["name"].endswith("RunTask") and (e["pid"], e["tid"]) in threads and "tdur" in e
    ]
    assert len(tasks) > 100
    return max(tasks) / 1000


@contextlib.contextmanager
def short_tasks(visitor: Visitor, browser: Browser) -> Iterator[None]:
    """Nothing in this block keeps the page's main thread for long."""
    browser.start_tracing(page=visitor.page, categories=["toplevel"])
    try:
        yield
    finally:
        trace = browser.stop_tracing()
    longest_ms = longest_task_ms(trace)
    print(f"longest task {longest_ms:.1f} ms")
    assert longest_ms <= TASK_MS


def heap_bytes(visitor: Visitor) -> dict[str, float]:
    """JavaScript's heaps of the page and of its worker, also while the worker computes."""
    answers: list[dict[str, Any]] = []
    attached: list[str] = []

    def heard(message: dict[str, Any]) -> None:
        if "result" in message:
            answers.append(message["result"])

    session = visitor.page.context.new_cdp_session(visitor.page)
    session.on("Target.attachedToTarget", lambda event: attached.append(event["sessionId"]))
    session.on("Target.receivedMessageFromTarget", lambda event: heard(json.loads(event["message"])))
    session.send("Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": False})
    ask = json.dumps({"id": 1, "method": "Runtime.getHeapUsage"})
    session.send("Target.sendMessageToTarget", {"sessionId": attached[0], "message": ask})
    session.send("HeapProfiler.collectGarbage")
    page: float = session.send("Runtime.getHeapUsage")["usedSize"]
    for _ in range(50):
        if answers:
            break
        visitor.page.wait_for_timeout(100)
    session.detach()
    return {"page": page, "worker": answers[0]["usedSize"]}


def test_long_flood_leaves_the_page_at_hand(visitor: Visitor, browser: Browser) -> None:
    visitor.write(SIMPLE)
    with short_tasks(visitor, browser):
        flood(visitor, "", LONG_S)
    heaps = heap_bytes(visitor)
    print(heaps)
    assert 1e5 < heaps["page"] < MOST_HEAP_BYTES
    assert 1e5 < heaps["worker"] < MOST_HEAP_BYTES
    stop(visitor)


@pytest.mark.parametrize("name", of_today("floods", list(FLOODS), 4))
def test_any_flood_leaves_the_page_at_hand_and_stops(name: str, visitor: Visitor, browser: Browser) -> None:
    visitor.write(FLOODS[name])
    with short_tasks(visitor, browser):
        flood(visitor, "", SHORT_S)
    stop(visitor)


def test_flood_is_interrupted_where_memory_is_shared(visitor: Visitor) -> None:
    for _ in range(3):  # on a busy machine Python may hear of it too late
        flood(visitor, f"try:\n    {SIMPLE.replace(chr(10), chr(10) + '    ')}\nfinally:\n    print('left')", 0.1)
        from_press = visitor.page.evaluate("recorder.messages.length")
        visitor.page.evaluate(STOP)
        expect(visitor.page.locator(".status-label")).to_have_text("Stopped", timeout=30_000)
        heard = visitor.page.evaluate("(from) => recorder.messages.slice(from)", from_press)
        if not any(message["type"] == "ready" for message in heard):
            # the interrupt may come between a number and the end of its line, which print() writes by itself
            expect(visitor.page.locator(".output pre")).to_have_text(re.compile("\\d\n?left$"))
            expect(visitor.page.locator(".error")).to_have_count(0)
            return
        visitor.heard("ready")
        visitor.page.wait_for_timeout(3000)  # a start compiles the kernels that the example will need
    pytest.fail("each of three floods ended with Python itself")


def test_flood_that_refuses_an_interrupt_is_ended(visitor: Visitor) -> None:
    flood(visitor, "while True:\n    try:\n        print(1)\n    except:\n        pass", 0.1)
    stop(visitor)


def test_flood_stops_where_no_memory_is_shared(new_visitor: Callable[..., Visitor], plain_address: str) -> None:
    visitor = new_visitor()
    visitor.url = plain_address
    visitor.visit()
    visitor.heard("ready")
    visitor.editor.wait_for()
    assert visitor.page.evaluate("crossOriginIsolated") is False
    for source in (SIMPLE, FLOODS["without newline"]):
        flood(visitor, source, 0.1)
        stop(visitor)


def test_stop_lets_a_long_step_end(visitor: Visitor) -> None:
    source = """import time
import numpy as np
import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer

class Slow(TensorDataset):
    def __getitem__(self, i):
        time.sleep(0.2)
        if i % 4 == 0:
            print("sample", i)
        return super().__getitem__(i)

x = np.ones((8, 1), np.float32)
model = nn.Linear(1, 1)
trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1))
try:
    await trainer.fit(DataLoader(Slow(x, x), batch_size=8), epochs=1000)
finally:
    print("left")
print("went on")
"""
    visitor.train(source)
    visitor.heard("metrics")
    visitor.press("Stop")
    assert visitor.heard("done")["ok"]
    visitor.expect_status("Stopped")
    expect(visitor.page.locator(".output pre")).to_contain_text("left\nwent on")
    assert visitor.all_heard("ready") == []


LOOP = """import asyncio
import tabgrad as tg
print("begun")
try:
    while True:
        {wait}
finally:
    print("left")
"""


@pytest.mark.parametrize(
    "wait",
    ["await asyncio.sleep(0.01)", "await asyncio.sleep(100)", "(tg.ones(2) + 1).sum().item()"],
    ids=["often", "long", "in a call"],
)
def test_stop_interrupts_a_loop_without_a_trainer(wait: str, visitor: Visitor) -> None:
    source = LOOP.format(wait=wait)
    visitor.train(source)
    visitor.heard("output", text="begun")
    visitor.page.wait_for_timeout(100)
    visitor.press("Stop")
    visitor.heard("output", text="left")
    assert visitor.heard("done")["ok"]
    visitor.expect_status("Stopped")
    expect(visitor.page.locator(".error")).to_have_count(0)
    assert visitor.run("import asyncio\nawait asyncio.sleep(0)\nprint('well')")["ok"]
    assert visitor.all_heard("ready") == []
