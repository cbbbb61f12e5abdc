"""Kernel tuning as a visitor sees it: beside the training, remembered, exported and imported."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from web import scripts
from web.test_layout import PHONE, assert_fits
from web.visitor import Visitor

# Wide enough for kernels that take a readable time, small enough for steps that are short. The tuner gets more than its
# usual fifth of the time: the rest of a tuning is training steps.
SCRIPT = f"""from tabgrad.tuner import turns
turns.SHARE = 0.8
{scripts.training(width=256, batch=32, epochs=scripts.ENDLESS)}"""


def hear_phase(visitor: Visitor, phase: str) -> None:
    visitor.heard("tuning", phase=phase, within_s=90)


def opened(visitor: Visitor) -> Visitor:
    """The visitor with Python ready."""
    visitor.visit()
    visitor.heard("ready")
    visitor.editor.wait_for()
    return visitor


@pytest.fixture(scope="module")
def regular(browser: Browser, address: str) -> Iterator[Visitor]:
    """A visitor of this file's, whose browser kept nothing before."""
    visitor = opened(Visitor(browser.new_context(accept_downloads=True), address))
    yield visitor
    visitor.page.context.close()


@pytest.fixture
def tuner(regular: Visitor) -> Iterator[Visitor]:
    """The regular visitor with nothing kept, and Python ready."""
    if regular.button("Forget").is_visible():
        regular.button("Forget").click()
    yield regular
    assert regular.problems == []


def test_tuning_accompanies_training_and_is_remembered(tuner: Visitor, tmp_path: Path) -> None:
    page = tuner.page
    expect(page.locator(".tuning-now")).to_have_text("nothing measured yet")
    tuner.train(SCRIPT)
    hear_phase(tuner, "measuring")
    begun = len(tuner.points())
    expect(page.locator(".tuning-now")).to_contain_text("tuning ")
    assert tuner.points(), "the first steps are reported before anything is measured"
    hear_phase(tuner, "done")
    steps = [point["step"] for point in tuner.points()]
    assert steps == list(range(1, len(steps) + 1))  # not one is lost
    tuner.press("Stop")
    assert tuner.heard("done")["ok"]
    expect(page.locator(".tuning-now")).to_contain_text("kernels known in this browser")
    expect(page.locator(".tuning-log")).to_contain_text("tuned ")

    with page.expect_download() as download:
        tuner.button("Export").click()
    file = tmp_path / "winners.json"
    download.value.save_as(file)
    (entry,) = json.loads(file.read_text())["adapters"].values()
    known = len(entry["winners"])
    assert known > 0

    opened(tuner)  # a second start: all is known
    expect(page.locator(".tuning-now")).to_have_text(f"{known} kernels known in this browser")
    tuner.train(scripts.training(width=256, batch=32, epochs=100 + 2 * begun))  # longer than to the first measurement
    assert tuner.heard("done", within_s=90)["ok"]
    assert tuner.all_heard("tuning") == []

    tuner.button("Forget").click()
    expect(page.locator(".tuning-now")).to_have_text("nothing measured yet")
    page.get_by_label("Import tuning results").set_input_files(file)
    expect(page.locator(".tuning-now")).to_have_text(f"{known} kernels known in this browser")
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    page.get_by_label("Import tuning results").set_input_files(bad)
    expect(page.locator(".tuning-problem")).to_contain_text("expected winners of kernel tuning")


def test_choice_is_remembered_and_off_measures_nothing(tuner: Visitor) -> None:
    page = tuner.page
    page.get_by_label("When kernels are tuned").select_option("off")
    expect(page.locator(".tuning-now")).to_have_text("equal runs give equal bits")
    opened(tuner)
    expect(page.get_by_label("When kernels are tuned")).to_have_value("off")
    assert tuner.run(scripts.training(width=256, batch=32, epochs=100))["ok"]
    assert tuner.all_heard("tuning") == []


def test_phone_shows_what_is_waited_for_before_the_first_step(new_visitor: Callable[..., Visitor]) -> None:
    visitor = opened(new_visitor(**PHONE))
    page = visitor.page
    page.get_by_label("When kernels are tuned").select_option("before")
    visitor.train(SCRIPT)
    hear_phase(visitor, "measuring")
    assert visitor.points() == []
    visitor.expect_status("Tuning kernels")
    hear_phase(visitor, "done")
    visitor.heard("metrics", within_s=120)
    assert_fits(page)
    for control in (
        page.get_by_label("When kernels are tuned"),
        visitor.button("Export"),
        visitor.button("Forget"),
        page.locator(".tuning-log"),
    ):
        control.scroll_into_view_if_needed()
        expect(control).to_be_visible()
    visitor.button("Stop").tap()
    visitor.heard("done")
