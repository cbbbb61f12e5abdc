"""What indexed writes, sorts and scans refuse, and what PyTorch's tests of values do not show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from device.patched import patched
from tabgrad import DTypeError, ShapeError
from tabgrad.ops import indexing


def f(*shape: int) -> tg.Tensor:
    return tg.zeros(*shape)


def i(*shape: int) -> tg.Tensor:
    return tg.zeros(*shape, dtype=tg.int32)


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: f(3, 2).index_add(0, i(4), f(3, 2)), ShapeError, r"index_add: expected source \[4, 2\], got \[3, 2\]"),
    (lambda: f(3, 2).index_add(0, i(2, 2), f(2, 2)), ShapeError, "index_add: expected a 1-d integer index"),
    (lambda: f(3).index_copy(0, i(2), i(2)), DTypeError, "index_copy: expected source of float32, got int32"),
    (lambda: f(3).index_fill(0, i(2), f(2)), ShapeError, "index_fill: expected value as a number or a 0-d tensor"),
    (lambda: f(3, 2).scatter_add(0, i(4), f(4)), ShapeError, r"scatter_add: expected an index that fits \[3, 2\]"),
    (
        lambda: f(3, 2).scatter(0, i(4, 2), f(3, 2)),
        ShapeError,
        r"scatter: expected src that holds an index of \[4, 2\]",
    ),
    (lambda: f(3).scatter(0, f(3), f(3)), DTypeError, "scatter: expected an integer index, got float32"),
    (lambda: f(3).scatter(0, i(3)), TypeError, "scatter: expected src as a tensor or a number, got neither"),
    (lambda: f(3).scatter(0, i(3), 1.0, reduce="max"), ValueError, "scatter: expected reduce 'add' or 'multiply'"),
    (lambda: f(3).scatter_reduce(0, i(3), f(3), "max"), ValueError, "scatter_reduce: expected reduce of 'sum'"),
    (lambda: tg.bincount(f(3)), ShapeError, "bincount: expected 1-d integers"),
    (lambda: tg.bincount(tg.tensor([1, -2])), ShapeError, "bincount: expected numbers from 0 on, got -2"),
    (lambda: tg.bincount(i(3) + 1), NotImplementedError, "bincount: expected minlength, as the largest number lies"),
    (lambda: f(3).topk(4), ShapeError, "topk: expected k from 0 to 3, the size of dim -1, got 4"),
    (lambda: f(3).kthvalue(0), ShapeError, "kthvalue: expected k from 1 to 3, the size of dim -1, got 0"),
    (lambda: f(2, 0).median(1), ShapeError, "median: expected at least one element along dim 1"),
    (lambda: f(2).cumsum(1), ShapeError, "cumsum"),
    (lambda: i(2).logcumsumexp(0), DTypeError, "logcumsumexp: expected a floating-point tensor, got int32"),
]


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED, ids=[message[:40] for _, _, message in REFUSED])
def test_arguments_that_do_not_fit_are_named(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_in_place_forms_pass_gradients_on() -> None:
    source = tg.ones(2, requires_grad=True)
    out = tg.zeros(3)
    out.index_add_(0, tg.tensor([1, 1]), source * 3)
    (out * tg.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert source.grad is not None
    assert source.grad.tolist() == [6, 6]


def test_in_place_forms_change_all_views() -> None:
    whole = tg.zeros(3, 4)
    part = whole[:, 1:3]
    part.scatter_(0, tg.tensor([[2, 0]]), 5.0)
    whole.index_add_(0, tg.tensor([1, 1]), tg.ones(2, 4))
    np.testing.assert_array_equal(whole.numpy(), [[0, 0, 5, 0], [2, 2, 2, 2], [0, 5, 0, 0]])
    np.testing.assert_array_equal(part.numpy(), whole.numpy()[:, 1:3])


def test_a_value_that_is_overwritten_gets_no_gradient() -> None:
    source = tg.ones(3, requires_grad=True)
    tg.zeros(2).scatter(0, tg.tensor([1, 1, 0]), source).sum().backward()
    assert source.grad is not None
    assert source.grad.tolist() == [0, 1, 1]


def test_pairs_have_names() -> None:
    found = tg.tensor([3.0, 1.0, 2.0]).sort(descending=True)
    assert found.values.tolist() == [3, 2, 1]
    assert found.indices.tolist() == [0, 2, 1]


def test_gradients_of_gradients() -> None:
    """An index's gradient can be differentiated: sums by segment are looked up again."""
    rng = np.random.default_rng(0)
    table, index = rng.standard_normal((9, 2)).astype(np.float32), rng.integers(0, 9, 20)

    def second(T: Any) -> Any:
        x = T.tensor(table, requires_grad=True)
        y = (x.index_select(0, T.tensor(index)) ** 3).sum() + (x.gather(0, T.tensor(index[:2, None])) ** 3).sum()
        (first,) = T.autograd.grad(y, x, create_graph=True) if T is torch else T.grad([y], [x], create_graph=True)
        (first**2).sum().backward()
        return x.grad

    np.testing.assert_allclose(second(tg).numpy(), second(torch).numpy(), rtol=1e-4)


@pytest.mark.parametrize("compared", [0, 2**24], ids=["in order", "compared"])
def test_indices_outside_on_a_device_are_ignored(compared: int) -> None:
    with patched((indexing, "MOST_COMPARED", compared), (indexing, "FEW", 0)):
        index = tg.tensor([[0, 5, -1, 2], [3, 1, 1, 1]]) + 0  # computed, so not checked
        found = tg.zeros(2, 3).scatter_add(1, index, tg.ones(2, 4))
        np.testing.assert_array_equal(found.numpy(), [[1, 0, 1], [0, 3, 0]])
        written = tg.zeros(2, 3).scatter(1, index, 2.0)
        np.testing.assert_array_equal(written.numpy(), [[2, 0, 2], [0, 2, 0]])
        rows = tg.zeros(3, 1).index_add(0, tg.tensor([-1, 3, 1, 1]) + 0, tg.ones(4, 1))
        np.testing.assert_array_equal(rows.numpy(), [[0], [2], [0]])
