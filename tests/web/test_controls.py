"""What a visitor can do to a run, and how soon it is done."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from web import scripts
from web.visitor import Visitor

# In the page itself, so that no time passes between the answer and the press.
PAUSE_AFTER_PING = """async () => {
  const { step } = await recorder.ping(30000);
  const from = recorder.messages.length;
  document.querySelector(".button-primary").click();
  const paused = await recorder.next({ type: "state", state: "paused" }, from, 30000);
  return { before: step, paused: paused.step };
}"""


@pytest.fixture
def training(visitor: Visitor) -> Iterator[Visitor]:
    """The visitor while a run without end makes long steps."""
    visitor.train(scripts.LONG_STEPS)
    visitor.heard("metrics")
    yield visitor
    visitor.calm_down()


def pause(visitor: Visitor) -> int:
    """Press Pause; the steps made by then."""
    visitor.press("Pause")
    step: int = visitor.heard("state", state="paused")["step"]
    visitor.expect_status("Paused")
    return step


def test_pause_takes_effect_within_one_step(training: Visitor) -> None:
    steps = training.page.evaluate(PAUSE_AFTER_PING)
    assert 0 <= steps["paused"] - steps["before"] <= 1
    training.expect_status("Paused")
    assert [training.ping()["step"] for _ in range(5)] == 5 * [steps["paused"]]
    assert training.points()[-1]["step"] == steps["paused"]  # the last step is on show


def test_step_makes_one_step_and_resume_goes_on(training: Visitor) -> None:
    at = pause(training)
    for made in (1, 2, 3):
        training.press("Step")
        training.heard("metrics", step=at + made)
        assert training.ping()["step"] == at + made
    training.press("Resume")
    training.heard("state", state="running")
    assert training.heard("metrics")["step"] > at + 3
    training.expect_status("Training")


def test_step_makes_one_step_though_each_is_an_epoch_with_validation(visitor: Visitor) -> None:
    visitor.page.get_by_label("Example script").select_option("diabetes")
    visitor.train()
    visitor.heard("validation")
    at = pause(visitor)
    for made in (1, 2, 3):
        visitor.press("Step")
        visitor.heard("metrics", step=at + made)
        assert visitor.ping()["step"] == at + made
    visitor.press("Stop")
    assert visitor.heard("done")["ok"]


def test_stop_ends_the_run_and_it_can_start_again(training: Visitor) -> None:
    training.press("Stop")
    assert training.heard("state", state="stopped")["step"] > 0
    assert training.heard("done")["ok"]
    training.expect_status("Stopped")
    assert training.run(scripts.SHORT)["ok"]
    training.expect_status("Finished")
    assert [point["step"] for point in training.points()] == list(range(1, 21))


def test_stop_ends_a_paused_run(training: Visitor) -> None:
    pause(training)
    training.press("Stop")
    assert training.heard("done")["ok"]
    training.expect_status("Stopped")


@pytest.mark.alone
def test_messages_are_answered_within_a_step_and_50_ms(training: Visitor) -> None:
    training.forget()
    answers = [training.ping()["ms"] for _ in range(15)]
    reports = training.all_heard("metrics")
    assert statistics.median(answers) <= statistics.median(report["step_ms"] for report in reports) + 50
    # A report's step time is a mean; no step of it took longer than all of them.
    assert max(answers) <= max(report["step_ms"] * len(report["points"]) for report in reports) + 50


def test_learning_rate_changes_while_it_runs(training: Visitor) -> None:
    rate = training.page.get_by_label("Learning rate", exact=True)
    expect(rate).to_have_value("0.001")
    training.forget()
    rate.fill("0.0005")
    rate.press("Enter")
    training.heard("metrics", lr=0.0005)
    expect(rate).to_have_value("0.0005")
    slider = training.page.get_by_label("Learning rate, logarithmic")
    slider.press("ArrowRight")
    changed = float(rate.input_value())
    assert changed > 0.0005
    training.heard("metrics", lr=changed)


def test_script_that_does_not_listen_can_be_ended(visitor: Visitor) -> None:
    visitor.train("print('begun')\nwhile True:\n    pass")
    visitor.heard("output", text="begun")
    visitor.button("Stop").click()
    visitor.press("Force stop")
    visitor.heard("ready")
    assert visitor.run("print('well')")["ok"]
    expect(visitor.page.locator(".output")).to_have_text("well")
