"""Tensors are made by PyTorch's names and argument forms; what they are is asked by its names, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg

Make = Callable[[Any], Any]

VALUES: dict[str, Make] = {
    "full": lambda T: T.full((2, 3), fill_value=7),
    "size as keyword": lambda T: T.zeros(size=(2, 2)),
    "ones of a dtype": lambda T: T.ones(2, dtype=T.int32),
    "full_like": lambda T: T.full_like(T.ones(2), 3),
    "zeros_like of a dtype": lambda T: T.zeros_like(T.ones(2), dtype=T.bool),
    "empty_like": lambda T: T.empty_like(T.ones(2, 2)) * 0,
    "arange": lambda T: T.arange(5),
    "arange from to": lambda T: T.arange(2, 9, 3),
    "arange of floats": lambda T: T.arange(0, 1, 0.25),
    "arange down": lambda T: T.arange(5, 0, -2),
    "arange end": lambda T: T.arange(end=3),
    "arange of a dtype": lambda T: T.arange(3, dtype=T.float32),
    "arange of whole numbers": lambda T: T.arange(0.5, 3.5, dtype=T.int64),
    "linspace": lambda T: T.linspace(0, 1, 7),
    "linspace of integers": lambda T: T.linspace(0, 10, 4, dtype=T.int64),
    "linspace of one": lambda T: T.linspace(3, 9, 1),
    "logspace": lambda T: T.logspace(0, 3, 4),
    "logspace of integers": lambda T: T.logspace(0, 4, 5, base=2, dtype=T.int64),
    "eye": lambda T: T.eye(2, 3, dtype=T.int64),
    "scalar_tensor": lambda T: T.scalar_tensor(3),
    "tril_indices": lambda T: T.tril_indices(3, 4, 1),
    "triu_indices": lambda T: T.triu_indices(3, 3, offset=-1),
    "new_zeros": lambda T: T.ones(2, dtype=T.int64).new_zeros(2, 3),
    "new_ones": lambda T: T.ones(2).new_ones((3,), dtype=T.bool),
    "new_full": lambda T: T.ones(2).new_full((2,), 5),
    "new_empty": lambda T: T.ones(2).new_empty(2, 2) * 0,
    "new_tensor": lambda T: T.ones(2).new_tensor([1, 2]),
    "as_tensor": lambda T: T.as_tensor([1, 2], dtype=T.float32),
    "as_tensor of tensors": lambda T: T.as_tensor([T.tensor(1), T.tensor(2)]),
    "asarray": lambda T: T.asarray([1.5, 2.5]),
    "fill": lambda T: T.fill(T.ones(2), 3),
    "empty_permuted": lambda T: T.empty_permuted((2, 3), (1, 0)) * 0,
    "empty_strided": lambda T: T.empty_strided((2, 3), (3, 1)) * 0,
    "LongTensor": lambda T: T.LongTensor([1, 2]),
    "FloatTensor": lambda T: T.FloatTensor([1, 2]),
    "BoolTensor": lambda T: T.BoolTensor([True, False]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_are_pytorchs(name: str) -> None:
    expected, got = VALUES[name](torch), VALUES[name](tg)
    assert got.dtype.name == str(expected.dtype)[6:].replace("int64", "int32")
    np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-6)


ANSWERS: dict[str, Callable[[Any, Any], Any]] = {
    "format": lambda T, x: f"{x.sum():.3f} {x.sum().item():>8.2f}",
    "in": lambda T, x: (2.0 in x, 9.0 in x),
    "index": lambda T, x: [10, 20, 30][T.tensor(1)],
    "range": lambda T, x: list(range(T.tensor(3))),
    "numbers": lambda T, x: (x.nelement(), x.ndimension(), T.numel(x), x.itemsize),
    "kinds": lambda T, x: (x.is_floating_point(), T.is_floating_point(x.int()), x.is_complex(), x.is_signed()),
    "unsigned": lambda T, x: (x.bool().is_signed(), x.byte().is_signed(), x.int().is_signed()),
    "places": lambda T, x: (x.is_cuda, x.is_sparse, x.is_quantized, x.is_meta, x.get_device()),
    "is_tensor": lambda T, x: (T.is_tensor(x), T.is_tensor(3), T.is_nonzero(x[0, 0]), T.is_nonzero(T.tensor(0))),
    "memory": lambda T, x: (x.is_contiguous(memory_format=T.contiguous_format), x.clone().stride()),
    "types": lambda T, x: (isinstance(x, T.FloatTensor), isinstance(x, T.LongTensor)),
    "casts": lambda T, x: (T.can_cast(T.float32, T.int64), T.can_cast(T.bool, T.float16), T.can_cast(T.int8, T.bool)),
    "limits": lambda T, x: [
        (i.bits, i.max, i.min) for i in (T.finfo(T.float32), T.finfo(T.bfloat16), T.finfo(T.float16), T.iinfo(T.int8))
    ],
    "eps": lambda T, x: [(T.finfo(d).eps, T.finfo(d).tiny) for d in (T.float32, T.float16, T.bfloat16)],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_pytorchs(name: str) -> None:
    values = np.arange(6, dtype=np.float32).reshape(2, 3) + 1
    assert ANSWERS[name](tg, tg.tensor(values)) == ANSWERS[name](torch, torch.tensor(values))


def test_promotion_is_pytorchs() -> None:
    names = ["float32", "float16", "bfloat16", "int32", "int16", "int8", "uint8", "bool", "float64"]
    for a in names:
        for b in names:
            expected = torch.promote_types(getattr(torch, a), getattr(torch, b))
            assert tg.promote_types(getattr(tg, a), getattr(tg, b)).name == str(expected)[6:]
    assert tg.result_type(tg.tensor([1]), 1.5) is tg.float32
    assert tg.get_default_dtype() is tg.float32


SHAPES: dict[str, Make] = {
    "rand": lambda T: T.rand(2, 3, dtype=T.float16),
    "rand size": lambda T: T.rand(size=(2,)),
    "randn_like": lambda T: T.randn_like(T.ones(2), dtype=T.bfloat16),
    "rand_like": lambda T: T.rand_like(T.ones(3, 2)),
    "randint high size": lambda T: T.randint(10, (3,)),
    "randint keywords": lambda T: T.randint(low=2, high=10, size=(3,), dtype=T.int32),
    "randint of floats": lambda T: T.randint(10, (3,), dtype=T.float32),
    "randint_like": lambda T: T.randint_like(T.ones(3), 5),
    "randperm": lambda T: T.randperm(5),
    "normal": lambda T: T.normal(0.0, 1.0, (2, 2)),
    "normal of means": lambda T: T.normal(T.ones(3)),
    "normal of both": lambda T: T.normal(T.ones(3), T.ones(2, 3)),
    "normal of widths": lambda T: T.normal(0.0, T.ones(4)),
    "bernoulli": lambda T: T.ones(4).bernoulli(),
    "bernoulli of a probability": lambda T: T.bernoulli(T.ones(4, dtype=T.int64), 0.3),
    "poisson": lambda T: T.poisson(T.ones(4)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_random_tensors_have_pytorchs_shapes_and_dtypes(name: str) -> None:
    expected, got = SHAPES[name](torch), SHAPES[name](tg)
    assert got.dtype.name == str(expected.dtype)[6:].replace("int64", "int32")
    assert got.shape == tuple(expected.shape)


# Mean and spread of 4000 numbers; bounds are five standard errors, wide where the tails are
FILLS: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "exponential_": (lambda x: x.exponential_(2.0), 0.5, 0.04),
    "geometric_": (lambda x: x.geometric_(0.25), 4.0, 0.3),
    "log_normal_": (lambda x: x.log_normal_(0.0, 0.5), float(np.exp(0.125)), 0.05),
    "bernoulli_": (lambda x: x.bernoulli_(0.3), 0.3, 0.04),
    "random_": (lambda x: x.random_(10, 20), 14.5, 0.25),
    "normal_": (lambda x: x.normal_(3.0, 2.0), 3.0, 0.17),
    "uniform_": (lambda x: x.uniform_(-1, 3), 1.0, 0.1),
}


@pytest.mark.parametrize("name", FILLS)
def test_fills_have_the_mean_of_their_distribution(name: str) -> None:
    fill, mean, bound = FILLS[name]
    tg.manual_seed(0)
    x = tg.zeros(4000)
    assert fill(x) is x
    assert abs(x.mean().item() - mean) < bound
    again = fill(tg.zeros(4000))
    assert not tg.equal(again, x)


def test_cauchy_has_its_median_and_quartiles() -> None:
    tg.manual_seed(0)
    found = np.quantile(tg.zeros(4000).cauchy_(2.0, 3.0).numpy(), [0.25, 0.5, 0.75])
    np.testing.assert_allclose(found, [-1.0, 2.0, 5.0], atol=0.5)


def test_a_generator_decides_what_is_drawn() -> None:
    draws: dict[str, Callable[[Any], Any]] = {
        "rand": lambda g: tg.rand(5, generator=g),
        "randperm": lambda g: tg.randperm(9, generator=g),
        "randint": lambda g: tg.randint(99, (5,), generator=g),
        "normal": lambda g: tg.normal(tg.zeros(5), generator=g),
        "exponential_": lambda g: tg.zeros(5).exponential_(generator=g),
        "poisson": lambda g: tg.poisson(tg.ones(50) * 9, generator=g),
        "bernoulli_": lambda g: tg.zeros(50).bernoulli_(generator=g),
    }
    for draw in draws.values():
        first, second, other = (draw(tg.Generator(seed)).tolist() for seed in (1, 1, 2))
        assert first == second
        assert first != other


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tg.rand(2, dtype=tg.int64), tg.DTypeError, "rand: expected a floating-point dtype, got int32"),
        (lambda: tg.randint(5, 5, (2,)), tg.ShapeError, "randint: expected 1 or more possible values"),
        (lambda: tg.ones(2).data_ptr(), NotImplementedError, "data_ptr"),
        (lambda: tg.ones(2).apply_(abs), NotImplementedError, "apply_"),
        (lambda: tg.set_default_dtype(tg.float16), tg.DTypeError, "set_default_dtype: expected float32"),
        (lambda: tg.finfo(tg.int32), TypeError, "finfo: expected a floating-point dtype"),
        (lambda: tg.iinfo(tg.float32), TypeError, "iinfo: expected an integer dtype"),
        (lambda: tg.empty_strided((2, 2), (1,)), tg.ShapeError, "expected a stride >= 0 for each size"),
        (lambda: tg.zeros(2, size=(2,)), TypeError, "expected sizes or size="),
        (lambda: tg.ones(2).new_full((2,), tg.ones(2)), tg.ShapeError, "expected fill_value as a number"),
        (lambda: tg.zeros(2, dtype=tg.int64).exponential_(), tg.DTypeError, "exponential_: expected a floating-point"),
        (lambda: tg.zeros(2).geometric_(1.5), tg.ArgumentError, "geometric_: expected p between 0 and 1"),
        (lambda: tg.poisson(tg.ones(2) * -1), tg.ArgumentError, "poisson: expected means of at least 0"),
        (lambda: tg.bernoulli(tg.tensor([1])), tg.DTypeError, "bernoulli: expected probabilities as floats"),
        (lambda: [1, 2][tg.tensor(0.5)], TypeError, "index: expected one integer, got a float32 tensor"),
        (lambda: tg.LongTensor("ab"), TypeError, "LongTensor: expected sizes, or one sequence"),
    ],
)  # fmt: skip
def test_misuse_is_explained(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
