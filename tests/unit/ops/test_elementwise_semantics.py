"""Operators and functions of elements mean what they mean in PyTorch: integers, bools, forms, gradients, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg

Function = Callable[..., Any]
INTS, MORE, BOOLS = [5, -7, 12, 0, 3], [3, 2, -5, 4, 1], [True, False, True, True, False]
FLOATS, OTHERS = [1.5, -2.25, 0.0, 7.0, -0.5], [0.5, 2.0, -1.0, 3.0, 4.0]


def agree(function: Function, *values: Any) -> None:
    """PyTorch's result and tabgrad's are equal, dtypes included."""
    theirs, ours = function(torch, *map(torch.tensor, values)), function(tg, *map(tg.tensor, values))
    for expected, got in zip(*(r if isinstance(r, tuple) else (r,) for r in (theirs, ours)), strict=True):
        assert got.dtype.name == str(expected.dtype)[6:].replace("int64", "int32")
        np.testing.assert_allclose(got.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)


INTEGER: dict[str, Function] = {
    "operators": lambda T, a, b: (a & b, a | b, a ^ b, ~a, a & 6, 6 | a, 6 ^ a, a << 2, a >> 1, 1 << abs(b)),
    "functions": lambda T, a, b: (T.bitwise_and(a, b), T.bitwise_or(a, 1), T.bitwise_xor(a, b), T.bitwise_not(a)),
    "shifts": lambda T, a, b: (T.bitwise_left_shift(a, abs(b)), a.bitwise_right_shift(2)),
    "rounding": lambda T, a, b: (a.floor(), a.ceil(), a.round(), a.trunc(), T.fix(a)),
    "signs": lambda T, a, b: (a.abs(), T.absolute(a), a.sign(), a.sgn(), -a, T.negative(a), +a, a.signbit()),
    "powers": lambda T, a, b: (a**0, a**1, a**2, a**3, a**7, 2 ** abs(b), a ** abs(b), a**0.5 * 0, a.square()),
    "division": lambda T, a, b: (a // b, a % b, a.fmod(b), 7 // b, 7 % b, a.remainder(4), T.fmod(a, -3), a / b),
    "div trunc": lambda T, a, b: (T.div(a, b, rounding_mode="trunc"), a.div(2, rounding_mode="floor")),
    "clamp": lambda T, a, b: (a.clamp(-1, 4), a.clip(min=0), T.clamp_min(a, 1), a.clamp_max(b), a.clamp(0.5)),
    "alpha": lambda T, a, b: (T.add(a, b, alpha=2), a.sub(b, alpha=3), T.rsub(a, b, alpha=2), T.subtract(a, 1)),
    "divisors": lambda T, a, b: (T.gcd(a, b), T.lcm(a, b)),
    "comparison": lambda T, a, b: (T.greater(a, b), a.less_equal(b), T.not_equal(a, 0), a.less(1), a.greater_equal(b)),
    "extremes": lambda T, a, b: (T.max(a, b), a.min(b), T.fmax(a, b), T.fmin(a, b)),
    "questions": lambda T, a, b: (a.isinf(), a.isnan(), a.isposinf(), a.isreal(), a.isfinite()),
    "as bools": lambda T, a, b: (T.logical_and(a, b), a.logical_xor(b), T.logical_not(a), a.bool() & b.bool()),
    "floats of them": lambda T, a, b: (a.true_divide(2), T.atan2(a, b), a.exp2(), T.deg2rad(a), T.copysign(a, b)),
    "where": lambda T, a, b: (a.where(b > 0, 0), T.where(a > 0, a, b), T.where(a > 0, 1.0, b)),
    "addcmul": lambda T, a, b: (T.addcmul(a, a, b), a.addcmul(a, b, value=2)),
}  # fmt: skip


@pytest.mark.parametrize("name", INTEGER)
def test_integers_agree_with_pytorch(name: str) -> None:
    agree(INTEGER[name], INTS, MORE)


def test_bools_agree_with_pytorch() -> None:
    agree(
        lambda T, a, b: (a & b, a | b, a ^ b, ~a, a & 3, a + b, a * b, a.sign(), T.square(a), a**2), BOOLS, BOOLS[::-1]
    )
    agree(lambda T, a: (a.tril(), a.triu(1)), [BOOLS, BOOLS])


FLOAT: dict[str, Function] = {
    "rounding": lambda T, a, b: (a.round(decimals=1), a.round(decimals=-1), a.trunc(), a.frac(), a.floor(), a.ceil()),
    "division": lambda T, a, b: (T.div(a, b, rounding_mode="trunc"), T.div(a, b, rounding_mode="floor"), a.fmod(b)),
    "lerp": lambda T, a, b: (T.lerp(a, b, 0.3), a.lerp(b, b)),
    "of three": lambda T, a, b: (T.addcmul(a, a, b, value=0.5), a.addcdiv(a, b, value=2)),
    "clamp": lambda T, a, b: (a.clamp(b, b + 1), T.clamp(a, min=b), a.clamp(max=b), a.clamp(b + 1, b)),
    "signs": lambda T, a, b: (a.copysign(b), a.signbit(), a.sgn(), T.heaviside(a.detach(), b.detach())),
    "logarithms": lambda T, a, b: (T.logaddexp(a, b), T.logaddexp2(a, b), b.abs().log2(), b.abs().log10(), a.exp2()),
    "angles": lambda T, a, b: (T.atan2(a, b), T.hypot(a, b), a.sinh(), b.cosh(), a.asinh(), a.sinc(), a.rad2deg()),
    "products": lambda T, a, b: (T.xlogy(a, b.abs()), a.ldexp(T.ones_like(b) * 3), T.logit(b, eps=0.1)),
    "extremes": lambda T, a, b: (T.fmax(a, b), T.fmin(a, b)),
    "powers": lambda T, a, b: (a**4, b.abs() ** a, 2.0**a),
}  # fmt: skip


@pytest.mark.parametrize("name", FLOAT)
def test_floats_agree_with_pytorch_in_values_and_gradients(name: str) -> None:
    results = []
    for T in (torch, tg):
        a, b = T.tensor(FLOATS, requires_grad=True), T.tensor(OTHERS, requires_grad=True)
        total = sum((r * (k + 1)).sum() for k, r in enumerate(FLOAT[name](T, a, b)) if r.dtype.is_floating_point)
        total.backward()
        results.append([total.item(), a.grad.numpy(), np.zeros(5) if b.grad is None else b.grad.numpy()])
    for expected, got in zip(*results, strict=True):
        np.testing.assert_allclose(got, expected, rtol=2e-4, atol=1e-5)


def test_step_refuses_gradients_as_in_pytorch() -> None:
    x = tg.tensor(FLOATS, requires_grad=True)
    with pytest.raises(NotImplementedError, match="heaviside: expected no gradient through it"):
        tg.heaviside(x, tg.tensor(OTHERS)).sum().backward()


def test_next_float_has_pytorchs_gradient() -> None:
    found = []
    for T in (torch, tg):
        x, to = (T.tensor(values, requires_grad=True) for values in ([1.0, 2.0, 3.0], [1.0, 5.0, 0.0]))
        T.nextafter(x, to).sum().backward()
        found.append((x.grad.tolist(), to.grad.tolist()))
    assert found[0] == found[1]


def test_powers_of_negative_bases_have_no_gradient_by_the_exponent() -> None:
    exponent = tg.tensor([2.0, 0.5], requires_grad=True)
    ((-3.0) ** exponent).sum().backward()
    assert exponent.grad is not None
    assert np.isnan(exponent.grad.numpy()).all()


EDGES = [1e30, -1e30, 1e10, -7.0, 1.0, -1.0, math.inf, 5.0, math.nan]
DIVISORS = [3.0, 3.0, 7.0, math.inf, math.inf, -math.inf, 2.0, 0.0, 1.0]


def test_remainders_of_large_quotients_and_infinities_are_exact() -> None:
    agree(lambda T, a, b: (T.fmod(a, b), T.sign(a), T.nan_to_num(a), T.nan_to_num(a, 1.0, 2.0, 3.0)), EDGES, DIVISORS)
    np.testing.assert_array_equal((tg.tensor(EDGES) % tg.tensor(DIVISORS)).numpy()[3:], [np.inf, 1, -1, *[np.nan] * 3])
    assert (tg.tensor([1e30, 123456789.0]) % 3.0).tolist() == [np.fmod(np.float32(1e30), np.float32(3)), 0.0]


IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "and": lambda a, b: a.__iand__(6),
    "or": lambda a, b: a.bitwise_or_(b),
    "xor": lambda a, b: a.__ixor__(b),
    "not": lambda a, b: a.bitwise_not_(),
    "lshift": lambda a, b: a.__ilshift__(2),
    "rshift": lambda a, b: a.__irshift__(1),
    "pow": lambda a, b: a.pow_(3),
    "clip": lambda a, b: a.clip_(0, 4),
    "fmod": lambda a, b: a.fmod_(4),
    "subtract": lambda a, b: a.subtract_(b, alpha=2),
    "div": lambda a, b: a.div_(2, rounding_mode="floor"),
    "greater": lambda a, b: a.greater_(b),
    "gcd": lambda a, b: a.gcd_(b),
    "negative": lambda a, b: a.negative_(),
    "fill": lambda a, b: a.fill_(b[0]),
    "absolute": lambda a, b: a.absolute_(),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_forms_in_place_change_the_tensor(name: str) -> None:
    theirs, ours = torch.tensor(INTS), tg.tensor(INTS)
    assert IN_PLACE[name](ours, tg.tensor(MORE)) is ours
    IN_PLACE[name](theirs, torch.tensor(MORE))
    assert ours.tolist() == theirs.tolist()


def test_out_takes_a_result_and_methods_do_not() -> None:
    out = tg.zeros(2)
    assert tg.add(tg.ones(2), 2, out=out) is out
    assert out.tolist() == [3, 3]
    assert tg.arange(3, out=tg.empty(0, dtype=tg.int64)).tolist() == [0, 1, 2]
    with pytest.raises(TypeError):
        tg.ones(2).add(1, out=out)


def test_closeness_is_pytorchs() -> None:
    a = [1.0, 1.0, math.nan, math.inf, 0.0]
    b = [1.000001, 1.1, math.nan, math.inf, 1e-9]
    agree(lambda T, a, b: (T.isclose(a, b), T.isclose(a, b, equal_nan=True), a.isclose(b, rtol=0.2)), a, b)
    assert tg.allclose(tg.tensor([1.0]), tg.tensor([1.000001])) is True
    assert tg.equal(tg.tensor([1, 2]), tg.tensor([1, 2])) is True
    assert not tg.equal(tg.tensor([1, 2]), tg.tensor([1]))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tg.ones(2) & 1, tg.DTypeError, "bitwise_and: expected integers or bools, got float32"),
        (lambda: ~tg.ones(2), tg.DTypeError, "bitwise_not: expected integers or bools"),
        (lambda: tg.tensor([True]) << tg.tensor([True]), tg.DTypeError, "bitwise_left_shift: expected integers"),
        (lambda: tg.tensor([2]) ** -1, tg.ArgumentError, "pow: expected an exponent >= 0 of integers"),
        (lambda: tg.tensor([2]) // 0, ZeroDivisionError, "expected a divisor other than 0"),
        (lambda: tg.tensor([2]).fmod(0), ZeroDivisionError, "fmod: expected a divisor other than 0"),
        (lambda: tg.div(tg.ones(2), 2, rounding_mode="up"), tg.ArgumentError, "rounding_mode None, 'trunc' or 'floor'"),
        (lambda: tg.tensor([1]).add(1, alpha=0.5), tg.DTypeError, "add: expected alpha that int32 holds, got 0.5"),
        (lambda: tg.tensor([True]).floor(), tg.DTypeError, "floor: expected numbers, got a bool tensor"),
        (lambda: tg.tensor([True]).abs(), tg.DTypeError, "abs: expected numbers"),
        (lambda: tg.tensor([1]).round(decimals=1), tg.DTypeError, "round: expected a floating-point tensor"),
        (lambda: tg.lerp(tg.ones(1), tg.tensor([1]), 0.5), tg.DTypeError, "lerp: expected tensors of one"),
        (lambda: tg.tensor([1]).frac(), tg.DTypeError, "frac: expected a floating-point tensor"),
        (lambda: tg.gcd(tg.ones(1), tg.ones(1)), tg.DTypeError, "gcd: expected integers, got float32"),
        (lambda: tg.isclose(tg.ones(1), tg.tensor([1])), tg.DTypeError, "isclose: expected tensors of one dtype"),
        (lambda: tg.addcdiv(tg.ones(1), tg.tensor([1]), tg.tensor([1])), tg.DTypeError, "addcdiv: expected a float"),
    ],
)  # fmt: skip
def test_misuse_is_explained(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
