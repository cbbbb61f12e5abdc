"""What a loss does with labels that name no class: PyTorch raises, a GPU cannot, so the loss must not be finite."""

from __future__ import annotations

import math

import pytest

import tabgrad as tg
from tabgrad.nn import functional


@pytest.mark.parametrize("label", [-1, 3, 7])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_cross_entropy_with_a_label_out_of_range_is_nan(label: int, reduction: str) -> None:
    loss = functional.cross_entropy(tg.zeros(2, 3), tg.tensor([0, label]), reduction=reduction)
    assert math.isnan(loss.item())


def test_cross_entropy_leaves_the_ignored_label_out() -> None:
    loss = functional.cross_entropy(tg.zeros(2, 3), tg.tensor([0, 7]), ignore_index=7)
    assert loss.item() == pytest.approx(math.log(3), rel=1e-6)
