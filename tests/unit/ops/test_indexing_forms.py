"""Every form of index against PyTorch: what is read, its gradient, and what a write leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg

MASK = [[True, False, True, False], [False, False, True, True], [False, True, False, False]]
FORMS: dict[str, Callable[[Any], Any]] = {
    "mask": lambda T: T.tensor(MASK)[:, :, None].expand(3, 4, 2),
    "mask of rows": lambda T: T.tensor([True, False, True]),
    "mask of the leading two": lambda T: T.tensor(MASK),
    "mask after a slice": lambda T: (slice(1, None), T.tensor([True, False, True, True])),
    "mask of nothing": lambda T: T.tensor([False, False, False]),
    "mask and index": lambda T: (T.tensor([True, False, True]), T.tensor([1, 3])),
    "mask and slice and index": lambda T: (T.tensor([True, False, True]), slice(1, 3), T.tensor([0, 1])),
    "mask after an ellipsis": lambda T: (..., T.tensor([True, False])),
    "mask as a list": lambda T: [True, False, True],
    "mask as an array": lambda T: np.array([True, False, True]),
    "True": lambda T: True,
    "False": lambda T: False,
    "True and an int": lambda T: (True, 1),
    "0-d mask": lambda T: T.tensor(True),
    "index and None": lambda T: (None, T.tensor([0, 2]), None),
    "list and slice": lambda T: ([0, 2], slice(None, None, 2)),
    "array": lambda T: (slice(None), np.array([[0, 3], [1, 1]])),
    "indices apart": lambda T: (T.tensor([0, 2]), slice(None), T.tensor([1, 0])),
    "ellipsis and index": lambda T: (..., T.tensor([1, 0, 1])),
    "int and index": lambda T: (1, T.tensor([0, 2])),
    "negative indices": lambda T: T.tensor([-1, -3]),
    "0-d index and index": lambda T: (T.tensor(2), T.tensor([0])),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_an_index_reads_and_its_gradients_are_pytorchs(form: Callable[[Any], Any]) -> None:
    data = np.random.default_rng(0).standard_normal((3, 4, 2)).astype(np.float32)

    def run(T: Any) -> list[np.ndarray]:
        x = T.tensor(data, requires_grad=True)
        y = x[form(T)]
        (g,) = T.autograd.grad((y**3).sum(), [x], create_graph=True)
        (second,) = T.autograd.grad((g**2).sum(), [x])
        return [y.detach().numpy(), g.detach().numpy(), second.numpy()]

    for got, expected in zip(run(tg), run(torch), strict=True):
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-4)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_a_write_leaves_is_pytorchs(form: Callable[[Any], Any]) -> None:
    def run(T: Any) -> np.ndarray:
        x = T.tensor(np.arange(24.0, dtype=np.float32).reshape(3, 4, 2))
        x[form(T)] += 10
        x[form(T)] = x[form(T)] * 2
        x[form(T)] = -1
        return x.numpy()

    np.testing.assert_array_equal(run(tg), run(torch))


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda T: T.zeros(3)[T.tensor([True, False])], "expected a mask of shape [3], got [2]"),
    (lambda T: T.zeros(3)[T.tensor([3])], "index 3 is out of bounds for size 3"),
    (lambda T: T.zeros(3)[0, 0], "expected at most 1 indices"),
    (lambda T: T.zeros(3)[3], "index 3 is out of bounds"),
    (lambda T: T.zeros(3).index_select(0, T.tensor([3])), "index_select: expected indices in [0, 2], got 3"),
    (lambda T: T.zeros(3).index_add(0, T.tensor([3]), T.ones(1)), "index_add: expected indices in [0, 2], got 3"),
    (lambda T: T.zeros(3).index_copy(0, T.tensor([-1]), T.ones(1)), "index_copy: expected indices in [0, 2], got -1"),
    (lambda T: T.zeros(3).index_fill(0, T.tensor([3]), 1.0), "index 3 is out of bounds for size 3"),
    (lambda T: T.zeros(3).take(T.tensor([3])), "index 3 is out of bounds for size 3"),
    (lambda T: T.zeros(3).select(0, 3), "select: expected an index in [-3, 2]"),
    (lambda T: T.zeros(3).unbind(1), "unbind: expected dim in [-1, 0], got 1"),
    (lambda T: T.nn.functional.embedding(T.tensor([5]), T.zeros(3, 2)), "embedding: expected indices in [0, 2], got 5"),
    (lambda T: T.zeros(3).squeeze(1), "squeeze: expected dim in [-1, 0], got 1"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[m for _, m in REFUSED])
def test_what_is_out_of_range_is_an_index_error_in_both(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(IndexError):
        call(torch)
    with pytest.raises(IndexError) as caught:
        call(tg)
    assert message in str(caught.value)


def test_elements_out_of_range_are_runtime_errors_in_both() -> None:
    for T in (torch, tg):
        index = T.tensor([[4]])
        for call in (
            lambda T=T, i=index: T.gather(T.zeros(2, 3), 1, i),
            lambda T=T, i=index: T.zeros(2, 3).scatter(1, i, 1.0),
            lambda T=T, i=index: T.zeros(2, 3).scatter_add(1, i, T.ones(1, 1)),
        ):
            with pytest.raises(RuntimeError, match="out of bounds"):
                call()


def test_a_mask_that_is_read_in_a_loop_is_read_in_each_round() -> None:
    found = []
    for n in range(6):
        x = tg.arange(6) * 1.0
        found.append(x[x > n].sum().item())
    assert found == [15, 14, 12, 9, 5, 0]


def test_numbers_keep_the_dtype_of_what_they_are_written_to() -> None:
    for T in (torch, tg):
        whole, mask = T.tensor([1, 2]), T.tensor([True, False])
        assert whole.masked_fill(mask, 1.5).tolist() == [1, 2]
        assert whole.masked_fill(mask, T.tensor(3)).tolist() == [3, 2]
        assert whole.index_fill(0, T.tensor([-1]), 7.9).tolist() == [1, 7]
        assert whole.scatter(0, T.tensor([0]), 1.5).tolist() == [1, 2]
        assert mask.index_add(0, T.tensor([1]), T.tensor([True])).tolist() == [True, True]
        assert mask.scatter_add(0, T.tensor([1]), T.tensor([True])).tolist() == [True, True]
