"""Every metric that a script names has a chart and a figure."""

from __future__ import annotations

from playwright.sync_api import expect

from web.test_layout import assert_fits
from web.visitor import Visitor

LONG = "share_of_predictions_that_lie_" + "very_" * 20 + "near"
SCRIPT = f"""import numpy as np
import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer

def {LONG}(output, target):
    return ((output - target).abs() < 0.5).float().mean()

def shift(output, target):
    return (output - target).mean() - 7

shift.__name__ = "<b>shift</b>"
tg.manual_seed(0)
x = np.random.default_rng(0).standard_normal((32, 4)).astype(np.float32)
loader = DataLoader(TensorDataset(x, x[:, :1]), batch_size=8)
model = nn.Linear(4, 1)
metrics = ["mae", shift, {LONG}]
trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.01), metrics=metrics)
await trainer.fit(loader, loader, epochs=2)
"""


def test_every_metric_has_a_chart_and_a_figure(visitor: Visitor) -> None:
    page = visitor.page
    assert visitor.run(SCRIPT)["ok"]
    names = ["mae", "<b>shift</b>", LONG]
    expect(page.locator(".chart .panel-title")).to_have_text(["Loss", "Predictions", *names])
    expect(page.locator(".chart canvas")).to_have_count(1 + len(names))
    held, newest = visitor.all_heard("validation")[-1], visitor.points()[-1]
    for name in names:
        assert float(visitor.figure(f"Validation {name}")) == float(f"{held[name]:.4g}")
        (chart,) = page.get_by_role("figure").filter(has=page.get_by_text(name, exact=True)).all()
        values = [float(text) for text in chart.locator("output").all_inner_texts()]
        assert values == [float(f"{point[name]:.4g}") for point in (newest, held)]
    assert held["<b>shift</b>"] < -6
    expect(page.locator(".training b")).to_have_count(0)  # names are no HTML
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 720})
        assert_fits(page)
        last = page.locator(".chart").last
        assert last.locator(".chart-host").bounding_box()["width"] > 300  # type: ignore[index]
