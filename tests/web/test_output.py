"""What a script prints: shown soon, in order, as a terminal would, and kept within bounds that the page names."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from web.visitor import Visitor

ORDER = """import sys
from tabgrad.train import events
for i in range(3000):
    print(i, file=(sys.stdout, sys.stderr)[i % 2])
    if i % 100 == 0:
        events.emit({"type": "pong", "id": i, "step": 0})
"""

SOON = """import time
print("first")
time.sleep(0.6)
for i in range(300):
    print(i)
time.sleep(0.6)
print(".", end="", flush=True)
time.sleep(0.6)
print("last", end="")
"""

# What a script writes, and what a terminal shows of it.
TERMINAL = {
    "10%\\r20%\\r30%": "30%",
    "long\\rsh": "shng",
    "step 1\\b2": "step 2",
    "\\x1b[31mred\\x1b[0m \\x1b[2Kand\\x1b]0;title\\x07 more": "red and more",
    "a\\0b\\x07c\\x7f": "a␀b␇c�",
    "tab\\tcolumn\\r": "tab\tcolumn",
    "x' * 10_000 + '": f"{'x' * 1000} […8,000 characters…] {'x' * 1000}",
    "left \\u202eright": "left �right",
}


def shown(visitor: Visitor) -> str:
    """The output panel's text."""
    return visitor.page.locator(".output pre").inner_text()


def saved(visitor: Visitor) -> str:
    """The output as a file."""
    with visitor.page.expect_download() as download:
        visitor.button("Save output").click()
    assert download.value.suggested_filename == "tabgrad-output.txt"
    return download.value.path().read_text("utf-8")


def number(visitor: Visitor, what: str) -> int:
    """How many lines the page says are not shown, or not kept."""
    found = re.search(rf"([\d,]+) {what}", visitor.page.locator(".printed-head").inner_text())
    return int(found[1].replace(",", "")) if found else 0


def test_output_and_events_arrive_in_order(visitor: Visitor) -> None:
    assert visitor.run(ORDER)["ok"]
    heard = visitor.page.evaluate("(from) => recorder.messages.slice(from)", visitor._from)
    text = ""
    for message in heard:
        if message["type"] == "output":
            text += message["text"] + "\n"
        elif message["type"] == "pong":
            assert text.splitlines()[-1] == str(message["id"])
    assert text.splitlines() == [str(i) for i in range(3000)]


@pytest.mark.alone
def test_output_is_shown_while_the_script_computes(visitor: Visitor) -> None:
    visitor.train(SOON)
    done = visitor.heard("done")["at"]
    heard = visitor.all_heard("output")
    first, burst, dot = (next(m["at"] for m in heard if m["text"].endswith(end)) for end in ("first", "299", "."))
    assert done - first > 1750
    assert done - burst > 1150
    assert done - dot > 550
    assert shown(visitor).endswith("298\n299\n.last")


def test_output_looks_as_on_a_terminal(visitor: Visitor) -> None:
    assert visitor.run("".join(f"print('{written}')\n" for written in TERMINAL))["ok"]
    expect(visitor.page.locator(".output pre")).to_have_text("\n".join(TERMINAL.values()), use_inner_text=True)


@pytest.mark.alone
def test_100_000_lines_are_quick_and_all_are_in_the_file(visitor: Visitor) -> None:
    start = time.perf_counter()
    assert not visitor.run("for i in range(100_000): print(i)\nraise ValueError('at the end')")["ok"]
    expect(visitor.page.locator(".output pre")).to_have_text(re.compile("99998\n99999$"))
    assert time.perf_counter() - start < 5
    expect(visitor.page.locator(".error-message")).to_contain_text("at the end")
    expect(visitor.page.locator(".printed-head")).to_contain_text("99,500 earlier lines not shown")
    assert shown(visitor).splitlines() == [str(i) for i in range(99_500, 100_000)]
    assert saved(visitor) == "".join(f"{i}\n" for i in range(100_000))


def test_what_is_not_kept_is_counted(visitor: Visitor) -> None:
    total = 150_000
    assert visitor.run(f"for i in range({total}): print(i, '-' * 190)")["ok"]
    text = saved(visitor)
    gaps = [
        int(gap.replace(",", ""))
        for gap in re.findall(r"^\[([\d,]+) lines, [\d.]+ [kM]B, were not kept\]$", text, re.M)
    ]
    kept = [int(line.split()[0]) for line in text.splitlines() if line.endswith("-" * 190)]
    assert sum(gaps) == number(visitor, "lines not kept") > 0
    assert sum(gaps) + len(kept) == total
    assert kept == sorted(kept)
    assert (kept[0], kept[-1]) == (0, total - 1)
    assert 8e6 < len(text) < 13e6


def test_visitor_who_reads_is_not_disturbed(visitor: Visitor) -> None:
    visitor.train(
        "import asyncio\nfor i in range(10**6):\n    print(i)\n    await asyncio.sleep(0.05 if i > 100 else 0)"
    )
    pre = visitor.page.locator(".output pre")
    expect(pre).to_contain_text("105")
    pre.evaluate("(element) => (element.scrollTop = 20)")
    visitor.page.wait_for_timeout(200)
    before = shown(visitor)
    visitor.page.wait_for_timeout(400)
    assert shown(visitor) == before
    pre.evaluate("(element) => (element.scrollTop = element.scrollHeight)")
    expect(pre).not_to_have_text(before, use_inner_text=True)


def test_streams_answer_what_scripts_ask_and_are_mended_for_the_next_run(visitor: Visitor) -> None:
    source = """import os, sys
for stream in (sys.stdout, sys.stderr):
    assert not stream.isatty() and stream.writable() and stream.encoding == "utf-8"
    stream.fileno(), stream.flush(), stream.reconfigure(line_buffering=True)
sys.stdout.buffer.write("ü".encode()[:1]); sys.stdout.flush()
sys.stdout.buffer.write("ü".encode()[1:]); sys.stdout.flush()
sys.stderr = None
sys.stdout.close()
"""
    assert visitor.run(source)["ok"]
    expect(visitor.page.locator(".output pre")).to_have_text("ü")
    assert visitor.run("print('well')\nraise SystemExit('gone')")["ok"] is False
    expect(visitor.page.locator(".output pre")).to_have_text("well\ngone")


@pytest.mark.parametrize("source", ["print(end='unfinished')", "raise ValueError('x' * 10**7)"], ids=["line", "error"])
def test_last_words_arrive_and_are_bounded(source: str, visitor: Visitor) -> None:
    failed = "raise" in source
    assert visitor.run(source)["ok"] is not failed
    if failed:
        assert "characters left out" in visitor.page.locator(".error-message").inner_text()
        assert len(visitor.page.locator(".error").inner_text()) < 50_000
    else:
        expect(visitor.page.locator(".output pre")).to_have_text("unfinished")
