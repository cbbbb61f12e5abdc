"""Dtypes: what is accepted, what is refused, and promotion as in PyTorch."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import DTypeError

INT_MIN, INT_MAX = -(2**31), 2**31 - 1

TORCH = {
    "float64": torch.float64, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16,
    "int32": torch.int64, "int16": torch.int16, "uint8": torch.uint8, "int8": torch.int8, "bool": torch.bool,
}  # fmt: skip


def _torch_name(dtype: torch.dtype) -> str:
    """What it is called here, where int64 is stored as int32."""
    return {v: k for k, v in TORCH.items()}[dtype]


def _pair(name: str, shape: tuple[int, ...] = (2,)) -> tuple[tg.Tensor, torch.Tensor]:
    values = np.ones(shape)
    return (
        tg.tensor(values.astype(np.float32)).to(tg.dtypes.BY_NAME[name]),
        torch.tensor(values).to(TORCH[name]),
    )


# Accepted


@pytest.mark.parametrize("dtype", [np.uint16, np.int32, np.int64, np.uint64])
def test_integers_that_have_no_dtype_here_are_int32(dtype: Any) -> None:
    t = tg.tensor(np.array([0, 1, 100], dtype))
    assert t.dtype is tg.int32
    assert t.tolist() == [0, 1, 100]


def test_int64_is_an_alias_of_int32() -> None:
    assert tg.int64 is tg.int32
    assert tg.long is tg.int32
    assert tg.tensor([INT_MIN, INT_MAX]).tolist() == [INT_MIN, INT_MAX]


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (1, tg.int32),
        (1.0, tg.float32),
        (True, tg.bool),
        ([1, 2.5], tg.float32),
        ([True, 2], tg.int32),
        (np.float64(2.5), tg.float32),
        (np.array([1.5], np.float32), tg.float32),
        (np.array([True]), tg.bool),
        (np.array([7], np.uint32), tg.uint32),
        (np.array([7], np.uint8), tg.uint8),
        (np.array([-7], np.int8), tg.int8),
        (np.array([-700], np.int16), tg.int16),
        (np.array([1.5]), tg.float64),
        (np.array([1.5], np.float16), tg.float16),
        ([], tg.float32),
    ],
)
def test_tensor_infers_the_dtype_as_pytorch_does(data: Any, dtype: tg.DType) -> None:
    assert tg.tensor(data).dtype is dtype


@pytest.mark.parametrize("dtype", [tg.float32, tg.int32, tg.uint32, tg.bool])
def test_values_survive_a_round_trip_through_the_device(dtype: tg.DType) -> None:
    values = np.array([0, 1, 1, 0, 1]) if dtype is tg.bool else np.array([0, 1, 2, 70000, 5])
    t = tg.tensor(values, dtype=dtype)
    computed = tg.where(tg.ones(5) > 0, t, t)
    expected = values.astype(np.bool_) if dtype is tg.bool else values.astype(dtype.storage)
    for found in (t.numpy(), computed.numpy()):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_tensor_copies_the_callers_array() -> None:
    data = np.zeros(3, np.float32)
    t = tg.tensor(data)
    data[:] = 7
    assert t.tolist() == [0, 0, 0]
    t.numpy()[:] = 9
    assert t.tolist() == [0, 0, 0]


# Refused


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**62])
def test_int64_that_does_not_fit_is_refused(value: int) -> None:
    message = f"tensor: expected int32 values in [{INT_MIN}, {INT_MAX}], got [{min(0, value)}, {max(0, value)}]; "
    with pytest.raises(DTypeError) as caught:
        tg.tensor(np.array([0, value], np.int64))
    assert str(caught.value) == message + "64-bit integers are stored in 32 bits"


def test_uint64_that_does_not_fit_is_refused() -> None:
    with pytest.raises(DTypeError, match="64-bit integers are stored in 32 bits"):
        tg.tensor(np.array([2**40], np.uint64))


@pytest.mark.parametrize("make", [lambda: tg.full((2,), 2**40), lambda: tg.tensor([1]) + 2**31])
def test_python_integer_that_does_not_fit_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(DTypeError, match="64-bit integers are stored in 32 bits"):
        make()


def test_nan_is_no_integer() -> None:
    with pytest.raises(DTypeError, match=r"expected int32 values in .* got \[nan, nan\]"):
        tg.tensor([float("nan")], dtype=tg.int32)


@pytest.mark.parametrize("dtype", [np.complex64])
def test_wider_floats_are_refused_with_the_remedy(dtype: Any) -> None:
    with pytest.raises(DTypeError) as caught:
        tg.tensor(np.zeros(2, dtype))
    assert str(caught.value) == (
        f"tensor: expected float, integer or bool values, got {np.dtype(dtype)}; "
        "convert first, for example with array.astype('float32') or dtype=tabgrad.float32"
    )


def test_float64_array_is_taken_where_the_dtype_is_asked_for() -> None:
    assert tg.tensor(np.array([0.1]), dtype=tg.float32).numpy()[0] == np.float32(0.1)


@pytest.mark.parametrize(("data", "what"), [(["a"], "list of <U1"), (None, "NoneType of object")])
def test_what_is_no_number_is_refused(data: Any, what: str) -> None:
    with pytest.raises(DTypeError) as caught:
        tg.tensor(data)
    assert str(caught.value) == f"tensor: expected numbers, got {what}"


def test_ragged_lists_are_refused() -> None:
    with pytest.raises(tg.ShapeError, match="expected nested sequences of equal lengths"):
        tg.tensor([[1], [1, 2]])


def test_tensor_of_a_tensor_is_refused() -> None:
    with pytest.raises(DTypeError, match=r"use tensor\.clone\(\) or tensor\.detach\(\)"):
        tg.tensor(tg.zeros(2))


def test_only_floats_require_grad() -> None:
    with pytest.raises(tg.GradError, match=r"requires_grad_: expected a floating-point tensor, got tabgrad\.int32"):
        tg.tensor([1], requires_grad=True)


# Elements of one and two bytes


@pytest.mark.parametrize("name", ["float16", "bfloat16", "uint8", "int8"])
def test_narrow_elements_take_what_they_say(name: str) -> None:
    dtype = tg.dtypes.BY_NAME[name]
    t = tg.tensor(np.arange(12), dtype=dtype)
    assert (t.element_size(), t.nbytes) == (dtype.itemsize, 12 * dtype.itemsize)
    before = tg.current_session().device.counters.bytes_read
    assert (t + 1).realize().tolist() == list(range(1, 13))
    read = 4 * 12 if name == "bfloat16" else t.nbytes  # which NumPy lacks: it is read as float32
    assert tg.current_session().device.counters.bytes_read - before == read
    assert repr(t).endswith(f"dtype=tabgrad.{name})")


def test_narrow_arrays_come_back_as_they_went() -> None:
    for array in (np.array([1.5, -2], np.float16), np.array([0, 255], np.uint8), np.array([-128, 127], np.int8)):
        found = tg.tensor(array).numpy()
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
    with pytest.raises(
        DTypeError, match=r"expected a dtype that NumPy has, got bfloat16; use tensor\.float\(\)\.numpy"
    ):
        tg.ones(2).bfloat16().numpy()
    assert tg.ones(2).bfloat16().tolist() == [1, 1]


def test_numbers_beyond_a_narrow_integer_are_refused() -> None:
    with pytest.raises(
        DTypeError, match=r"tensor: expected uint8 values in \[0, 255\], got \[0, 256\]; choose a wider"
    ):
        tg.tensor([0, 256], dtype=tg.uint8)
    with pytest.raises(DTypeError, match="expected int8 values in"):
        tg.full((2,), 128, dtype=tg.int8)


def test_products_of_two_dtypes_are_refused_as_in_pytorch() -> None:
    with pytest.raises(DTypeError, match="expected operands of one floating-point dtype, got float16 and float32"):
        tg.ones(2, 2).half() @ tg.ones(2, 2)


def test_gradients_have_the_dtype_of_what_they_belong_to() -> None:
    x = tg.tensor([1.0, 2.0, 3.0]).half().requires_grad_()
    weight = tg.ones(3, requires_grad=True)
    (x * weight).sum().backward()
    assert x.grad is not None
    assert weight.grad is not None
    assert (x.grad.dtype, x.grad.tolist()) == (tg.float16, [1, 1, 1])
    assert (weight.grad.dtype, weight.grad.tolist()) == (tg.float32, [1, 2, 3])


def test_a_compiled_step_takes_and_overwrites_narrow_tensors() -> None:
    seen = tg.zeros(5, dtype=tg.uint8).realize()

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        seen.copy_(tg.maximum(seen, x))
        return x.float() / 255

    for values in ([1, 2, 3, 4, 255], [9, 0, 0, 0, 7]):
        out = step(tg.tensor(np.array(values, np.uint8)))
        np.testing.assert_allclose(out.numpy(), np.array(values) / 255, rtol=1e-6)
    assert seen.tolist() == [9, 2, 3, 4, 255]
    assert len(step.recordings) == 1


# Promotion

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "floor_divide": lambda a, b: a // b,
    "pow": lambda a, b: a**b,
    "less": lambda a, b: a < b,
    "equal": lambda a, b: a == b,
}


def _exists(operation: str, *kinds: Any) -> bool:
    """PyTorch has no ``//`` of two bools, and there is no general integer power here."""
    if operation == "pow":
        return any("float" in str(k) for k in kinds) or 2.5 in kinds
    return operation != "floor_divide" or any(k not in ("bool", True) for k in kinds)


@pytest.mark.parametrize(
    ("operation", "left", "right"), [c for c in itertools.product(ARITHMETIC, TORCH, TORCH) if _exists(*c)]
)
def test_two_tensors_promote_as_in_pytorch(operation: str, left: str, right: str) -> None:
    (a, p), (b, q) = _pair(left), _pair(right)
    expected = _torch_name(ARITHMETIC[operation](p, q).dtype)
    assert ARITHMETIC[operation](a, b).dtype.name == expected


@pytest.mark.parametrize(
    ("operation", "name", "number"), [c for c in itertools.product(ARITHMETIC, TORCH, [True, 2, 2.5]) if _exists(*c)]
)
def test_python_numbers_promote_as_in_pytorch(operation: str, name: str, number: float) -> None:
    a, p = _pair(name)
    fn = ARITHMETIC[operation]
    assert fn(a, number).dtype.name == _torch_name(fn(p, number).dtype)
    assert fn(number, a).dtype.name == _torch_name(fn(number, p).dtype)


def test_powers_of_integers_are_integers_and_negative_exponents_are_refused() -> None:
    bases, exponents = [3, -3, 2, 1, -1, -1, 5, 0], [2, 3, 10, -5, -3, -4, -1, 0]
    assert (tg.tensor(bases) ** tg.tensor(exponents)).tolist() == [9, -27, 1024, 1, -1, 1, 0, 1]
    assert (tg.tensor([3, -2]) ** 5).tolist() == [243, -32]
    assert (2 ** tg.tensor([0, 5])).tolist() == [1, 32]
    with pytest.raises(tg.ArgumentError, match="expected an exponent >= 0 of integers, got -1"):
        tg.tensor([3]) ** -1


@pytest.mark.parametrize("name", TORCH)
@pytest.mark.parametrize("function", ["sum", "prod", "exp", "sqrt"])
def test_functions_of_one_tensor_promote_as_in_pytorch(name: str, function: str) -> None:
    a, p = (getattr(t, function)() for t in _pair(name))
    assert a.dtype.name == _torch_name(p.dtype)


def test_zero_dimensional_tensors_promote_as_in_pytorch() -> None:
    # which yield to those with dimensions, unless they are of a higher category
    for left, right in itertools.product(TORCH, TORCH):
        (a, p), (b, q) = _pair(left), _pair(right, ())
        assert (a + b).dtype.name == _torch_name((p + q).dtype)


def test_where_promotes_its_two_values() -> None:
    assert tg.where(tg.tensor([True]), tg.tensor([1]), 2.5).tolist() == [1.0]
    assert tg.where(tg.tensor([False]), tg.tensor([1]), tg.tensor([2.5])).tolist() == [2.5]


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "eye"])
def test_no_dtype_is_the_default_dtype(name: str) -> None:
    assert getattr(tg, name)(2, dtype=None).dtype is tg.float32
    assert getattr(torch, name)(2, dtype=None).dtype is torch.float32
    assert getattr(tg, name)(2, dtype=tg.int32).dtype is tg.int32


@pytest.mark.parametrize(
    "data", [([1, 2],), (np.array([[1, 2]]),), ([True],), (2, 3), (), (0,), ([],), ([1.5, 2.5],)], ids=str
)
def test_the_constructor_is_of_float32_whatever_the_values(data: tuple[Any, ...]) -> None:
    ours, theirs = tg.Tensor(*data), torch.Tensor(*data)
    assert ours.dtype is tg.float32
    assert theirs.dtype is torch.float32
    assert ours.shape == tuple(theirs.shape)
    if len(data) == 1 and not isinstance(data[0], int):
        assert ours.tolist() == theirs.tolist()
    assert tg.tensor([1, 2]).dtype is tg.int32


def test_the_constructor_refuses_what_is_neither_sizes_nor_values() -> None:
    with pytest.raises(TypeError, match=r"Tensor: expected sizes, or one sequence of values, got \(2, 'a'\)"):
        tg.Tensor(2, "a")
    with pytest.raises(TypeError, match=r"got \(-1,\)"):
        tg.Tensor(-1)
    with pytest.raises(TypeError, match=r"got 1\.5; use tabgrad\.tensor"):
        tg.Tensor(1.5)
    with pytest.raises(DTypeError, match="got a Tensor"):
        tg.Tensor(tg.ones(2))
