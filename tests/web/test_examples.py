"""The examples, as a newcomer runs them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from web.visitor import Visitor


@pytest.mark.alone
def test_digits_learn_from_the_first_press(new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor()
    visitor.visit()
    visitor.press("Train")  # at once: Python is still being downloaded
    end = visitor.heard("done", within_s=180)
    assert end["ok"]
    start = visitor.heard("fit_start")
    assert (start["train_samples"], start["val_samples"]) == (1438, 359)  # a fixed fifth is held out
    assert visitor.all_heard("validation")[-1]["accuracy"] >= 0.97
    assert len(visitor.all_heard("validation")) == start["epochs"]
    assert [point["step"] for point in visitor.points()] == list(range(1, start["epochs"] * 23 + 1))
    assert visitor.longest_task_ms(start["at"], end["at"]) <= 100

    visitor.expect_status("Finished")
    assert float(visitor.figure("Validation accuracy").removesuffix("%")) >= 97
    expect(visitor.page.locator(".sample canvas")).not_to_have_count(0)
    expect(visitor.page.locator(".chart canvas")).to_have_count(2)
    expect(visitor.page.locator(".device")).to_contain_text("WebGPU")
    expect(visitor.page.locator(".notice")).to_have_count(0)


def test_diabetes_makes_one_iteration_per_epoch(visitor: Visitor) -> None:
    visitor.page.get_by_label("Example script").select_option("diabetes")
    assert visitor.run()["ok"]
    start = visitor.heard("fit_start")
    assert start["steps_per_epoch"] == 1
    assert start["batch_size"] == start["train_samples"] == 354
    assert len(visitor.points()) == start["epochs"]
    assert [point["epoch"] for point in visitor.points()] == list(range(1, start["epochs"] + 1))
    losses = [event["loss"] for event in visitor.all_heard("validation")]
    assert len(losses) == start["epochs"]
    assert losses[-1] < 0.7 * losses[0]
    expect(visitor.page.locator(".scatter-point")).not_to_have_count(0)
