"""What is counted by values that are read: histograms of points, ``bincount``'s dtype, ``one_hot`` of all labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg

POINTS = np.random.default_rng(3).uniform(-1, 1, (4, 5, 2)).astype(np.float32)
WEIGHTS = np.arange(20, dtype=np.float32).reshape(4, 5)
BOXES: dict[str, Any] = {
    "a number": lambda T: T.histogramdd(T.tensor(POINTS), 3),
    "numbers": lambda T: T.histogramdd(T.tensor(POINTS), [2, 3], weight=T.tensor(WEIGHTS)),
    "a range": lambda T: T.histogramdd(T.tensor(POINTS), (2, 3), range=[-0.5, 0.5, 0.0, 1.0], density=True),
    "edges": lambda T: T.histogramdd(T.tensor(POINTS), [T.tensor([-1.0, 0.0, 0.5]), T.tensor([-1.0, 1.0])]),
}


@pytest.mark.parametrize("name", BOXES)
def test_points_are_counted_in_boxes(name: str) -> None:
    expected, got = BOXES[name](torch), BOXES[name](tg)
    np.testing.assert_allclose(got.hist.numpy(), expected.hist, rtol=1e-5)
    for theirs, ours in zip(expected.bin_edges, got.bin_edges, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-5, atol=1e-7)


def test_bins_of_points_must_fit_them() -> None:
    with pytest.raises(tg.ShapeError, match="histogramdd: expected bins for each of 2 coordinates, got 3"):
        tg.histogramdd(tg.tensor(POINTS), [1, 2, 3])


def test_labels_without_a_number_of_classes_are_read() -> None:
    for labels in ([0, 2, 1], [[1], [4]], [0]):
        expected = torch.nn.functional.one_hot(torch.tensor(labels))
        assert tg.nn.functional.one_hot(tg.tensor(labels)).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="one_hot: expected labels from 0 on"):
        tg.nn.functional.one_hot(tg.tensor([-1, 2]))


def test_labels_of_each_round_of_a_loop_have_their_own_number_of_classes() -> None:
    for n in range(2, 7):
        labels = tg.arange(n) * 1
        assert tuple(tg.nn.functional.one_hot(labels).shape) == (n, n)


def test_sums_of_weights_have_pytorchs_dtype() -> None:
    for weights in ([1, 2, 3], [1.5, 2.0, 3.0]):
        expected = torch.bincount(torch.tensor([0, 1, 1]), torch.tensor(weights))
        found = tg.bincount(tg.tensor([0, 1, 1]), tg.tensor(weights))
        assert (str(found.dtype).split(".")[-1], found.tolist()) == (str(expected.dtype)[6:], expected.tolist())
