"""What goes wrong beside a script: told as what it is, while training goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from daily import of_today
from tabgrad.tuner import winners
from web import scripts
from web.visitor import Visitor

# In a task of its own, as a page that embeds this one would send it.
SEND = "(message) => tabgrad.control(message)"


@pytest.fixture
def training(visitor: Visitor) -> Iterator[Visitor]:
    """The visitor while a run without end trains."""
    visitor.train(scripts.training(epochs=scripts.ENDLESS))
    visitor.heard("metrics")
    yield visitor
    visitor.calm_down()


def assert_goes_on(visitor: Visitor) -> None:
    visitor.forget()
    visitor.heard("metrics")
    visitor.expect_status("Training")


def test_nonsense_messages_are_refused_and_training_goes_on(training: Visitor) -> None:
    for message in (None, 3, {}, {"type": "dance"}, {"type": "set_lr", "lr": "x"}, {"type": "profile", "steps": -1}):
        training.page.evaluate(SEND, message)
    output = training.page.locator(".output")
    expect(output).to_contain_text("profile: expected 1 to 1000 steps, got -1")
    expect(output).to_contain_text("set_lr: expected a learning rate >= 0 that float32 holds, got 'x'")
    expect(output).to_contain_text(
        "control: expected a message of type pause, resume, step, stop, set_lr, profile, ping"
    )
    assert_goes_on(training)


def test_error_of_a_timer_is_a_line_and_training_goes_on(visitor: Visitor) -> None:
    timer = "import js; from pyodide.ffi import create_proxy; js.setTimeout(create_proxy(lambda: 1 / 0), 50)"
    visitor.train(scripts.training(epochs=scripts.ENDLESS, then=timer))
    output = visitor.page.locator(".output")
    expect(output).to_contain_text("an error in a callback or a promise, which nothing caught; what runs goes on:")
    expect(output).to_contain_text("ZeroDivisionError: division by zero")
    assert_goes_on(visitor)
    visitor.calm_down()


BREAKS = {
    "missing": "Object.defineProperty(self, 'indexedDB', { value: undefined });",
    "refuses": "IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); };",
    "is full": "IDBObjectStore.prototype.put = () => { throw new DOMException('no', 'QuotaExceededError'); };",
    "does not answer": "IDBRequest.prototype.addEventListener = () => {};",
}
SAID = {
    "missing": "this browser has no database here",
    "refuses": "the browser's database failed (SecurityError)",
    "does not answer": "the browser's database does not answer",
    "is full": "the browser's storage is full",
}


def test_without_a_database_tuning_lasts_for_the_session(new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor()
    broken = ""

    def patched(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=BREAKS[broken] + response.text())

    visitor.page.context.route("**/assets/main-*.js", patched)
    document: dict[str, Any] = winners.empty()
    for broken in of_today("broken databases", list(BREAKS), 2):
        visitor.visit()
        visitor.heard("ready")
        visitor.editor.wait_for()
        file = {"name": "w.json", "mimeType": "application/json", "buffer": winners.to_text(document).encode()}
        visitor.page.get_by_label("Import tuning results").set_input_files(file)  # type: ignore[arg-type]
        note = visitor.page.locator(".tuning-problem")
        expect(note).to_have_text(f"Tuning results last for this session only, because {SAID[broken]}.")
        assert visitor.run(scripts.training(epochs=2))["ok"]
        assert len(visitor.all_heard("not_kept")) <= 1
        visitor.expect_status("Finished")
