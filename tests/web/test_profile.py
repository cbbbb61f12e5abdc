"""The visitor asks where a step's time goes."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from web import scripts
from web.visitor import Visitor

MEASURES = """() => performance.getEntriesByType("measure").filter((m) => m.name.startsWith("tabgrad:kernel")).length"""


def test_profile_shows_the_kernels_and_gives_a_trace(visitor: Visitor) -> None:
    panel = visitor.page.locator(".kernels")
    expect(visitor.button("Profile")).to_be_disabled()
    visitor.train(scripts.training(width=64, batch=16, epochs=scripts.ENDLESS))
    visitor.heard("metrics")
    visitor.press("Profile")
    event = visitor.heard("profile")
    assert event["steps"] == 16
    labels = [kernel["label"] for kernel in event["kernels"]]
    expect(panel.locator("tbody tr")).to_have_count(min(10, len(labels)))
    expect(panel.locator("tbody th").first).to_have_text(labels[0])
    expect(panel.locator(".kernels-caption")).to_contain_text("16 steps, each ")
    with visitor.page.expect_download() as download:
        visitor.button("Download trace").click()
    assert download.value.suggested_filename == "tabgrad-trace.json"
    events = json.loads(download.value.path().read_text())["traceEvents"]
    kernels = [e["name"] for e in events if e.get("cat") == "kernel"]
    assert len(kernels) % 16 == 0
    assert set(kernels) == set(labels)
    (worker,) = visitor.page.workers
    assert worker.evaluate(MEASURES) == len(kernels)
    visitor.heard("metrics")  # training goes on
    visitor.press("Stop")
    visitor.heard("done")
    expect(visitor.button("Profile")).to_be_disabled()
    expect(panel.locator("tbody tr")).to_have_count(min(10, len(labels)))  # what was seen stays


def test_profile_of_a_paused_run_waits_for_its_steps(visitor: Visitor) -> None:
    visitor.train(scripts.training(epochs=scripts.ENDLESS))
    visitor.heard("metrics")
    visitor.press("Pause")
    visitor.heard("state", state="paused")
    visitor.press("Profile")
    expect(visitor.button("Profiling…")).to_be_visible()
    expect(visitor.page.locator(".kernels-caption")).to_contain_text("wait for Resume or Step")
    visitor.press("Step")
    visitor.heard("metrics")
    assert visitor.all_heard("profile") == []
    visitor.press("Resume")
    assert visitor.heard("profile")["steps"] == 16
    expect(visitor.button("Profile")).to_be_enabled()


def test_profile_that_a_stop_cuts_short_shows_what_there_is(visitor: Visitor) -> None:
    visitor.train(scripts.training(epochs=scripts.ENDLESS))
    visitor.heard("metrics")
    visitor.press("Pause")
    visitor.heard("state", state="paused")
    visitor.press("Profile")
    visitor.press("Step")
    visitor.heard("metrics")
    visitor.press("Stop")
    assert visitor.heard("profile")["steps"] == 1
    visitor.heard("done")
    expect(visitor.page.locator(".kernels-caption")).to_contain_text("1 step, ")
