"""The first losses of a digits run in Chromium are PyTorch's."""

from __future__ import annotations

import inspect
import json

import numpy as np
from playwright.sync_api import expect

import losses
from web.visitor import Visitor


def test_first_losses_agree_with_pytorch(visitor: Visitor) -> None:
    source = inspect.getsource(losses)
    assert visitor.run(f"{source}\nimport json\nprint(json.dumps(await first_losses()))\n")["ok"]
    (line,) = [message["text"] for message in visitor.all_heard("output")]
    expect(visitor.page.locator(".output")).to_have_text(line)
    found = json.loads(line)
    assert len(found) == losses.STEPS
    np.testing.assert_allclose(found, losses.torch_losses(), rtol=losses.RTOL)
