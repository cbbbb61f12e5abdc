"""Scripts that end oddly, in the page: each is told in a sentence, the page is not busy any more, and trains again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

import endings
from daily import daily_random, of_today
from web import scripts
from web.visitor import Visitor

COMBINATIONS = 8  # of each day
# Those of Node run there every other day; here they take turns, but those that the page alone has.
OF_NODE = of_today("endings in the page", [e for e in endings.of("page") if "node" in e.hosts], 3)
TODAY = [e for e in endings.of("page") if "node" not in e.hosts or e in OF_NODE]
SMALL = scripts.training(epochs=2)


@pytest.fixture(scope="module")
def guest(resident: Visitor) -> Iterator[Visitor]:
    """The resident visitor, without the time that it takes to put everything back after each test."""
    if resident.page.url == "about:blank":
        resident.visit()
        resident.heard("ready")
        resident.editor.wait_for()
    yield resident
    resident.problems.clear()  # the browser itself reports what nothing caught


def end(guest: Visitor, source: str) -> str:
    """Run a script until the page can train again; all that the page says of it."""
    guest.train(source)
    expect(guest.button("Train")).to_be_visible()
    guest.page.evaluate(
        "new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)))"
    )  # output waits for one
    said = [*guest.page.locator(".error-message").all(), *guest.page.locator(".output").all()]
    return "\n".join(part.inner_text() for part in said)


def assert_trains(guest: Visitor, about: str) -> None:
    assert guest.run(SMALL)["ok"], about
    guest.expect_status("Finished")
    assert len(guest.points()) == 2, about


@pytest.mark.parametrize("ending", [e for e in TODAY if not e.is_gone], ids=str)
def test_ending_is_told(guest: Visitor, ending: endings.Ending) -> None:
    assert re.search(ending.said, end(guest, ending.source))
    guest.expect_status("Finished" if ending.status == 0 else "The script failed")
    assert_trains(guest, ending.name)


@pytest.mark.parametrize("ending", [e for e in TODAY if e.is_gone], ids=str)
def test_python_restarts_after_its_own_end(guest: Visitor, ending: endings.Ending) -> None:
    said = end(guest, ending.source)
    assert re.search(ending.said, said)
    assert said.endswith("Python restarts and can train again.")
    assert_trains(guest, ending.name)  # Train may be pressed before Python is ready again


def test_combinations_of_today(guest: Visitor) -> None:
    rng = daily_random("endings in the page")
    for _ in range(COMBINATIONS):
        ending = endings.combination(rng, host="page")
        said = end(guest, ending.source)
        assert_trains(guest, f"{ending}\n{ending.source}\n{said}")


def test_fit_that_nobody_awaits_does_not_leave_the_page_training(guest: Visitor) -> None:
    source = scripts.training(epochs=scripts.ENDLESS).replace(
        "await trainer.fit(", "import asyncio\nfit = asyncio.ensure_future(trainer.fit("
    )
    source = source.rstrip() + ")\nwhile trainer.steps.step < 3: await asyncio.sleep(0.01)"
    said = end(guest, source)
    assert said == "the script ended while Trainer.fit still ran, and cancelled it; to wait for it, write await"
    assert [event["state"] for event in guest.all_heard("state")] == ["running", "stopped"]
    guest.expect_status("Stopped")
    assert_trains(guest, source)


def test_worker_that_is_gone_is_noticed_where_pages_may_not_use_locks(new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor()
    visitor.page.add_init_script("delete Navigator.prototype.locks")  # as on a page that came by http
    visitor.page.clock.install()
    visitor.visit()
    visitor.heard("ready")
    visitor.train("print('begun')\nimport js\njs.self.close()\nwhile True: pass")
    visitor.heard("output", text="begun")
    expect(visitor.button("Force stop")).to_have_count(0)
    visitor.page.clock.fast_forward("00:45")  # it is asked for signs of life, and does not answer
    visitor.press("Force stop")
    visitor.heard("ready")
    assert visitor.run(SMALL)["ok"]
