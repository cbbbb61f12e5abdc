"""The array API namespace against NumPy's, which follows the standard; and what tensors have for other libraries."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import tabgrad as tg
from parity.array_api_cases import CASES, Draw
from parity.array_api_checks import compare, run
from tabgrad.compat import array_api as xp
from tabgrad.utils import dlpack

CALLS = 3
NOT_NUMPY = {"argsort", "sort", "unique_values"}  # no ``descending``; values in no order


@pytest.fixture(autouse=True)
def reference() -> None:
    tg.set_default_device("reference")  # which has float64


@pytest.mark.parametrize("name", sorted(CASES.keys() - NOT_NUMPY))
def test_functions_give_what_numpys_do(name: str) -> None:
    for i in range(CALLS):
        given = CASES[name](Draw(i + sum(map(ord, name))))
        with np.errstate(all="ignore"):
            compare(name, given, run(xp, name, given), run(np, name, given))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float32", "float64"])
def test_sort_keeps_equal_elements_in_order_both_ways(dtype: str) -> None:
    x = np.asarray([3, 1, 2, 1, 3, 2], dtype)
    for descending, expected in ((False, [1, 3, 2, 5, 0, 4]), (True, [0, 4, 2, 5, 1, 3])):
        order = xp.argsort(xp.asarray(x), descending=descending)
        assert order.tolist() == expected
        assert xp.sort(xp.asarray(x), descending=descending).tolist() == x[expected].tolist()


def test_promotion_looks_at_dtypes_alone() -> None:
    wide, narrow = xp.asarray(1.0, dtype=xp.float64), xp.ones(2, dtype=xp.float32)
    assert xp.add(wide, narrow).dtype is xp.result_type(wide, narrow) is xp.float64
    assert (wide + narrow).dtype is xp.float32  # PyTorch's operators
    assert xp.multiply(xp.ones(2, dtype=xp.int8), 3).dtype is xp.int8
    assert xp.result_type(xp.uint8, xp.int8) is xp.int16
    assert [xp.can_cast(*pair) for pair in ((xp.uint8, xp.int16), (xp.int8, xp.uint8), (xp.int8, xp.float32))] == [
        True, False, False,
    ]  # fmt: skip


def test_dtype_kinds_and_limits() -> None:
    assert xp.isdtype(xp.int8, ("bool", "signed integer"))
    assert not xp.isdtype(xp.uint8, "real floating")
    assert not xp.isdtype(xp.float32, "complex floating")
    with pytest.raises(ValueError, match="isdtype: expected one of bool"):
        xp.isdtype(xp.int8, "integer")
    assert xp.finfo(xp.ones(1)).eps == 2.0**-23
    assert xp.finfo(xp.float64).dtype is xp.float64
    assert xp.iinfo(xp.int8).min == -128


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: xp.expand_dims(xp.ones(2), axis=2), IndexError),
        (lambda: xp.squeeze(xp.ones(2), axis=0), ValueError),
        (lambda: xp.squeeze(xp.ones(1), axis=1), IndexError),
        (lambda: xp.asarray([1.0], copy=False), ValueError),
        (lambda: xp.asarray(2**40), OverflowError),
        (lambda: xp.nonzero(xp.asarray(1)), ValueError),
        (lambda: xp.take(xp.ones((2, 2)), xp.asarray([0])), ValueError),
        (lambda: xp.vecdot(xp.ones(3), xp.ones(1)), ValueError),
        (lambda: xp.cumulative_sum(xp.ones((2, 2))), ValueError),
        (lambda: xp.result_type(1.0), TypeError),
        (lambda: xp.meshgrid(xp.ones(1), indexing="yx"), ValueError),
        (lambda: tg.ones(1).__array_namespace__(api_version="2020.01"), ValueError),
    ],
)
def test_what_the_standard_forbids_raises(call: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()  # type: ignore[operator]


def test_namespace_bridges_where_pytorch_differs() -> None:
    assert math.isnan(xp.sign(xp.asarray(math.nan)).item())
    assert xp.arange(3, 0).shape == (0,)
    assert xp.sum(xp.ones((2, 3)), axis=()).shape == (2, 3)
    batch, vectors = xp.ones((2, 2, 2)) + xp.eye(2), xp.ones((2, 2))
    assert xp.linalg.solve(batch, vectors).shape == (2, 2, 2)  # a matrix, which PyTorch takes for two vectors
    info = xp.__array_namespace_info__()
    assert info.dtypes(kind="real floating") == {"float32": xp.float32, "float64": xp.float64}
    assert info.devices() == [info.default_device()] == [xp.ones(1).device]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int8", "uint8", "bool"])
def test_dlpack_copies_to_and_from_other_libraries(dtype: str) -> None:
    x = tg.tensor([[1, 0, 1]], dtype=getattr(tg, dtype))
    assert x.__array_namespace__() is xp
    assert x.to_device(x.device) is x
    for theirs in (np.from_dlpack(x), torch.from_dlpack(x), dlpack.to_dlpack(x)):
        back = dlpack.from_dlpack(theirs)
        assert back.dtype is x.dtype
        assert back.tolist() == x.tolist()


def test_dlpack_refuses_what_it_cannot_give() -> None:
    with pytest.raises(BufferError, match=r"no gradient; use tensor\.detach"):
        np.from_dlpack(tg.ones(2, requires_grad=True))
    with pytest.raises(BufferError, match="copy=None or True"):
        tg.ones(2).__dlpack__(copy=False)
    with pytest.raises(TypeError, match="an object with __dlpack__, got list"):
        tg.from_dlpack([1])


def test_float64_keeps_its_digits() -> None:
    for x in (
        xp.asarray(0.1, dtype=xp.float64), xp.asarray([0.1], dtype=xp.float64),
        xp.arange(0, 1, 0.1, dtype=xp.float64)[1], xp.linspace(0, 1, 11, dtype=xp.float64)[1],
        xp.full(1, 0.1, dtype=xp.float64),
    ):  # fmt: skip
        assert x.dtype is xp.float64
        assert float(x) == 0.1
    inverse = xp.linalg.inv(3 * xp.eye(2, dtype=xp.float64))
    assert float(inverse[0, 0]) == 1 / 3
    assert float(xp.nextafter(xp.asarray(1.0, dtype=xp.float64), xp.asarray(2.0, dtype=xp.float64))) == 1 + 2.0**-52


def test_float64_is_searched_with_nan_last() -> None:
    x = xp.asarray([3.0, math.nan, -math.inf, 3.0, 1.0], dtype=xp.float64)
    assert xp.argsort(x).tolist() == [2, 4, 0, 3, 1]
    assert xp.argsort(x, descending=True).tolist() == [1, 0, 3, 4, 2]
    line = xp.asarray([1.0, 2.0, 2.0, 3.0], dtype=xp.float64)
    assert xp.searchsorted(line, xp.asarray([2.0, 4.0], dtype=xp.float64), side="right").tolist() == [3, 4]


@pytest.mark.parametrize("function", ["logaddexp", "logaddexp2"])
def test_logaddexp_of_infinities_is_pytorchs(function: str) -> None:
    pairs = ([math.inf, -math.inf, -math.inf, math.nan, math.inf], [0.0, 3.0, -math.inf, 1.0, -math.inf])
    ours = getattr(tg, function)(*(tg.tensor(p) for p in pairs))
    theirs = getattr(torch, function)(*(torch.tensor(p) for p in pairs))
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
