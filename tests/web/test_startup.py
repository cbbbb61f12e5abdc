"""From the first paint on: what the page says while Python is on its way, and where it cannot train on a GPU."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserType, expect

from web import scripts
from web.visitor import Visitor

# Every text that the status line shows, once.
WATCH_STATUS = """addEventListener("DOMContentLoaded", () => {
  const shown = (globalThis.statusShown = []);
  const note = () => {
    const label = document.querySelector(".status-label")?.textContent;
    const detail = document.querySelector(".status-detail")?.textContent;
    const text = `${label}: ${detail}`;
    if (label && shown.at(-1) !== text) shown.push(text);
  };
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  note();
});"""


def test_status_line_tells_each_stage(new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor()
    visitor.page.add_init_script(WATCH_STATUS)
    visitor.visit()
    visitor.heard("ready")
    visitor.expect_status("Ready")
    visitor.run(scripts.SHORT)
    visitor.expect_status("Finished")
    shown: list[str] = visitor.page.evaluate("statusShown")
    stages = [
        r"Downloading Python: \d+ % of [\d.]+ MB",
        r"Starting Python: ",
        r"Ready: Python started in [\d.]+ s",
        r"Compiling kernels: \d+ of \d+",
        r"Training: epoch \d+ of 20 · step \d+ of 20.*",
        r"Finished: after 20 steps",
    ]
    found = [next((i for i, text in enumerate(shown) if re.fullmatch(stage, text)), None) for stage in stages]
    assert None not in found, shown
    assert found == sorted(found)
    percents = [int(m[1]) for text in shown if (m := re.match(r"Downloading Python: (\d+) %", text))]
    assert percents == sorted(percents)


def test_failed_download_is_told_and_can_be_tried_again(new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor()
    visitor.page.context.route("**/*.wasm", lambda route: route.abort())
    visitor.visit()
    visitor.expect_status("Python could not start")
    problem = visitor.page.locator(".status-problem")
    expect(problem).to_contain_text(re.compile(r"pyodide\.asm\.wasm could not be downloaded"))
    assert all("ERR_FAILED" in text for text in visitor.problems)
    visitor.problems.clear()  # the browser itself reports a failed request
    visitor.page.context.unroute("**/*.wasm")
    visitor.press("Try again")
    visitor.heard("ready")
    assert visitor.run(scripts.SHORT)["ok"]


@pytest.fixture(scope="module")
def browser_without_gpu(browser_type: BrowserType, browser_type_launch_args: dict[str, Any]) -> Iterator[Browser]:
    """Chromium that may not use any GPU, nor a software one."""
    arguments = [a for a in browser_type_launch_args["args"] if "webgpu" not in a and "Vulkan" not in a]
    launched = browser_type.launch(**{**browser_type_launch_args, "args": [*arguments, "--disable-gpu"]})
    yield launched
    launched.close()


def test_without_webgpu_training_runs_on_the_cpu_and_the_page_says_why(
    new_visitor: Callable[..., Visitor], browser_without_gpu: Browser
) -> None:
    visitor = new_visitor(browser_without_gpu)
    visitor.visit()
    visitor.press("Train")
    epochs = visitor.heard("fit_start", within_s=120)["epochs"]
    assert visitor.heard("device", device="reference")["kind"] == "numpy"
    assert any(visitor.heard("validation", epoch=n + 1, within_s=60)["accuracy"] >= 0.97 for n in range(epochs))
    visitor.press("Stop")  # it has learned; the rest of its epochs take a processor half a minute
    assert visitor.heard("done")["ok"]
    expect(visitor.page.locator(".device")).to_contain_text("NumPy")
    notice = visitor.page.locator(".notice")
    expect(notice).to_contain_text(re.compile(r"^Training runs on the CPU with NumPy, because .{10,}\. "))
