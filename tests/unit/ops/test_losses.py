"""What a loss does with labels that name no class: PyTorch raises, a GPU cannot, so the loss must not be finite."""

from __future__ import annotations

import math

import pytest

import tabgrad as tg
from tabgrad.nn import functional


@pytest.mark.parametrize("label", [-1, 3, 7])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_cross_entropy_with_a_label_out_of_range_is_nan(label: int, reduction: str) -> None:
    labels = tg.tensor([0, label]) * 1  # computed on the device, where nobody can look
    loss = functional.cross_entropy(tg.zeros(2, 3), labels, reduction=reduction)
    assert math.isnan(loss.item())
    compiled = tg.compile(lambda x, y: functional.cross_entropy(x, y, reduction=reduction))
    assert math.isnan(compiled(tg.zeros(2, 3), tg.tensor([0, label])).item())


@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss"])
def test_labels_on_the_host_that_name_no_class_are_refused(name: str) -> None:
    loss = getattr(functional, name)
    for label in (-1, 3):
        with pytest.raises(
            tg.TabgradError, match=rf"{name}: expected labels from 0 to 2.*ignore_index=-100, got {label}"
        ):
            loss(tg.zeros(2, 3), tg.tensor([0, label]))
    assert loss(tg.zeros(2, 3), tg.tensor([0, 3]), ignore_index=3).item() >= 0
    assert loss(tg.zeros(2, 3), tg.tensor([0, -100])).item() >= 0


def test_float_labels_are_refused() -> None:
    with pytest.raises(
        tg.DTypeError, match=r"expected labels \[2\] as integers, .*got float32 \[2\]; convert .* \.long"
    ):
        functional.cross_entropy(tg.zeros(2, 3), tg.tensor([0.0, 1.0]))


def test_cross_entropy_leaves_the_ignored_label_out() -> None:
    loss = functional.cross_entropy(tg.zeros(2, 3), tg.tensor([0, 7]), ignore_index=7)
    assert loss.item() == pytest.approx(math.log(3), rel=1e-6)
