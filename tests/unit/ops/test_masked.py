"""Several values written where a mask holds: numbers that do not fit, known and unknown, and masks on the host."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import DTypeError, ShapeError, Tensor

MASK = np.array([[True, False, True, False], [False, False, True, True], [False, True, False, False]])
COUNT = int(MASK.sum())


def on_device() -> Tensor:
    """The mask, of which nothing is known before it is read."""
    return (tg.tensor(MASK.astype(np.float32)) * 2 > 1).realize()


def written(mask: Any, values: Any, dtype: Any = tg.float32) -> list[Any]:
    x = tg.zeros(3, 4, dtype=dtype)
    x[mask] = values
    return x.tolist()


MASKS: dict[str, Callable[[], Any]] = {
    "array": lambda: MASK, "list": MASK.tolist, "on the host": lambda: tg.tensor(MASK), "on the device": on_device
}  # fmt: skip


@pytest.mark.parametrize("where", MASKS)
def test_values_of_every_kind_are_written_in_row_major_order(where: str) -> None:
    expected = torch.zeros(3, 4)
    expected[torch.tensor(MASK)] = torch.arange(float(COUNT))
    for values in (np.arange(COUNT), list(range(COUNT)), tg.arange(COUNT), tg.arange(COUNT).float().reshape(1, -1)):
        assert written(MASKS[where](), values) == expected.tolist()


@pytest.mark.parametrize("count", [0, COUNT - 1, COUNT + 1])
def test_another_number_of_values_raises_where_the_mask_lies_on_the_host(count: int) -> None:
    for mask in (MASK, tg.tensor(MASK)):
        x = tg.zeros(3, 4)
        with pytest.raises(
            ShapeError, match=rf"expected values that broadcast to \[5\], one for each of the 5 places.*got \[{count}\]"
        ):
            x[mask] = tg.ones(count)
        assert not x.any().item()


@pytest.mark.parametrize("count", [0, COUNT - 1, COUNT + 1])
def test_another_number_of_values_shows_in_every_place_where_it_cannot_raise(count: int) -> None:
    for dtype, shown in ((tg.int32, -(2**31)), (tg.uint32, 2**32 - 1), (tg.int8, -128), (tg.uint8, 255)):
        assert written(on_device(), tg.ones(count), dtype) == np.where(MASK, shown, 0).tolist()
    for dtype in (tg.float32, tg.float16, tg.bfloat16):
        found = tg.zeros(3, 4, dtype=dtype)
        found[on_device()] = tg.ones(count)
        np.testing.assert_array_equal(found.float().numpy(), np.where(MASK, math.nan, 0))


def test_a_step_notices_a_mask_that_changes_between_replays() -> None:
    mask = tg.tensor(MASK)

    @tg.compile
    def step(values: Tensor) -> Tensor:
        x = tg.zeros(3, 4)
        x[mask] = values
        return x.sum()

    values = tg.arange(COUNT).float()
    assert [step(values).item() for _ in range(2)] == [10, 10]
    mask[0] = False
    assert math.isnan(step(values).item())
    mask[0] = tg.tensor([False, True, True, False])
    assert step(values).item() == 10


def test_masked_scatter_takes_as_many_elements_as_it_needs() -> None:
    x, source = tg.zeros(3, 4), tg.arange(9).float()
    expected = torch.zeros(3, 4).masked_scatter(torch.tensor(MASK), torch.arange(9.0)).tolist()
    for mask in (tg.tensor(MASK), on_device()):
        assert x.masked_scatter(mask, source).tolist() == expected
    rows = tg.tensor(MASK[:, :1])
    assert x.masked_scatter(rows, source).tolist() == [[0, 1, 2, 3], [0] * 4, [0] * 4]
    with pytest.raises(ShapeError, match=r"masked_scatter: expected source of at least 5 elements.*got 4"):
        x.masked_scatter(tg.tensor(MASK), source[:4])
    with pytest.raises(ShapeError, match=r"masked_scatter: expected source of at least 4 elements.*got 3"):
        x.masked_scatter(tg.tensor(MASK[:, :1]), source[:3])
    np.testing.assert_array_equal(x.masked_scatter(on_device(), source[:4]).numpy(), np.where(MASK, math.nan, 0))


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: written(MASK, tg.ones(5, 1)),
        ShapeError,
        r"expected values that broadcast to \[places of the mask\], got \[5, 1\]",
    ),
    (
        lambda: written(MASK[:, 0], tg.ones(1, 3)),
        ShapeError,
        r"expected values that broadcast to \[places of the mask, 4\], got \[1, 3\]",
    ),
    (lambda: tg.zeros(2).masked_scatter(tg.ones(2), tg.ones(2)), DTypeError, "expected a bool mask, got float32"),
    (
        lambda: tg.zeros(2).masked_scatter(tg.ones(2) > 0, tg.arange(2)),
        DTypeError,
        "expected source of float32, got int32",
    ),
    (
        lambda: tg.zeros(2).masked_scatter(tg.ones(3) > 0, tg.ones(3)),
        ShapeError,
        "masked_scatter: expected shapes that",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED, ids=[message[:30] for _, _, message in REFUSED])
def test_values_and_masks_that_do_not_fit_are_named(
    call: Callable[[], Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        call()
