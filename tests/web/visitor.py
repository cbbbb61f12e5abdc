"""One visitor of the page: what they do, what the page shows, and what its worker says behind it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, expect

RECORDER = Path(__file__).with_name("recorder.js")
PYTHON = "**/pyodide.asm*.wasm"
PATIENCE_S = 30.0  # for one thing to happen on a slow machine
expect.set_options(timeout=PATIENCE_S * 1000)


class Visitor:
    """A tab with the page open.

    Args:
        context: where the tab opens.
        url: the page's address.
    """

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.url = url
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE_S * 1000)
        self.page.add_init_script(path=RECORDER)
        self.problems: list[str] = []  # console errors and uncaught exceptions
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.problems.append(f"uncaught: {error}"))
        self._from = 0

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(f"console: {message.text} ({message.location.get('url', '')})")

    # What the visitor does

    def visit(self) -> None:
        """Open the page, or open it anew; it is not yet ready."""
        self.page.goto(self.url)
        self._from = 0

    def do_without_python(self) -> None:
        """Let Python's download never end, for a test of the page alone: a start takes seconds of a processor."""
        self.page.context.route(PYTHON, lambda route: None)

    def press(self, name: str) -> None:
        """Press a button, as soon as it can be pressed; what is heard from then on is new."""
        self.forget()
        self.button(name).click()

    def write(self, source: str) -> None:
        """Replace the script in the editor."""
        self.editor.fill(source)

    def train(self, source: str | None = None) -> None:
        """Press Train, with a script of one's own if one is given."""
        if source is not None:
            self.write(source)
        self.press("Train")

    def run(self, source: str | None = None, *, within_s: float = PATIENCE_S) -> dict[str, Any]:
        """Train and wait for the end; returns the worker's last word."""
        self.train(source)
        return self.heard("done", within_s=within_s)

    def calm_down(self) -> None:
        """Bring the page back to how a new visitor finds it, with Python ready."""
        if self.button("Stop").is_enabled():
            self.press("Stop")
            self.heard("done")
        self.page.get_by_label("Example script").select_option("digits")
        if self.button("Undo edits").is_visible():
            self.button("Undo edits").click()
        # The editor takes a text over with the next frame; what is typed before would be lost.
        expect(self.editor).to_contain_text("datasets.digits()")
        self.forget()

    # What the page shows

    @property
    def editor(self) -> Locator:
        """The code editor, once it has taken the textarea's place."""
        return self.page.locator(".cm-content")

    def button(self, name: str) -> Locator:
        """A button by its whole name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def figure(self, name: str) -> str:
        """The value shown under a name."""
        figure = self.page.locator(".figure", has_text=re.compile(f"^{re.escape(name)}"))
        return figure.locator(".figure-value").inner_text()

    def expect_status(self, label: str) -> None:
        """Wait until the status line begins with ``label``."""
        expect(self.page.locator(".status-label")).to_have_text(label)

    # What the worker says

    def forget(self) -> None:
        """What was heard up to now is not waited for, nor listed, any more."""
        self._from = self.page.evaluate("recorder.messages.length")

    def all_heard(self, kind: str) -> list[dict[str, Any]]:
        """Messages of a type, in order."""
        return self.page.evaluate(
            "([type, from]) => recorder.messages.slice(from).filter((m) => m.type === type)", [kind, self._from]
        )

    def heard(self, kind: str, *, within_s: float = PATIENCE_S, **values: Any) -> dict[str, Any]:
        """The first message of a type with these values, when it has come.

        Raises:
            playwright.sync_api.Error: it does not come; names what came last.
        """
        return self.page.evaluate(
            "([wanted, from, ms]) => recorder.next(wanted, from, ms)",
            [{"type": kind, **values}, self._from, within_s * 1000],
        )

    def ping(self) -> dict[str, float]:
        """Ask the worker for an answer: ``ms`` until it came, ``step``, the steps begun by then."""
        return self.page.evaluate("recorder.ping(30000)")

    def longest_task_ms(self, start_ms: float, end_ms: float) -> float:
        """Of the main thread's tasks in a span of time; 0 where none took 50 ms."""
        tasks = self.page.evaluate("recorder.longTasks")
        within = [t["duration"] for t in tasks if t["start"] + t["duration"] > start_ms and t["start"] < end_ms]
        return max(within, default=0.0)

    def points(self) -> list[dict[str, float]]:
        """All training points that were reported."""
        return [point for event in self.all_heard("metrics") for point in event["points"]]
