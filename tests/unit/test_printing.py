"""Tensors are printed as PyTorch prints them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

import tabgrad as tg

_rng = np.random.default_rng(0)
VALUES = {
    "a number": np.float32(2.5),
    "a whole number": np.float32(3),
    "an integer": np.int64(7),
    "floats": np.array([1, 2.5, -3], np.float32),
    "whole floats": np.array([1, 20, -3], np.float32),
    "whole floats of a wide range": np.array([1, 20000, -3], np.float32),
    "small floats": np.array([1e-5, 2e-3, 1], np.float32),
    "large floats": np.array([1e9, 2.5], np.float32),
    "a wide range": np.array([0.01, 99.5], np.float32),
    "infinities": np.array([np.inf, 1.5, -np.inf, np.nan], np.float32),
    "only infinities": np.array([np.inf, np.nan], np.float32),
    "zeros": np.zeros((2, 3), np.float32),
    "integers": np.array([[1, -20], [300, 4]]),
    "bools": np.array([True, False]),
    "bytes": np.array([1, 255], np.uint8),
    "halves": np.array([1.5, 2], np.float16),
    "doubles": np.array([1.5, 2.25]),
    "nothing": np.zeros((0,), np.float32),
    "nothing of a shape": np.zeros((2, 0), np.float32),
    "no integers": np.zeros((0,), np.int64),
    "a matrix": _rng.standard_normal((3, 4)).astype(np.float32),
    "a long line": _rng.standard_normal(40).astype(np.float32),
    "three dimensions": _rng.standard_normal((2, 3, 4)).astype(np.float32),
    "four dimensions": _rng.standard_normal((2, 1, 2, 2)).astype(np.float32),
    "many": _rng.standard_normal(1001).astype(np.float32),
    "many rows": _rng.standard_normal((600, 2)).astype(np.float32),
    "many columns": _rng.standard_normal((2, 700)).astype(np.float32),
    "many integers": np.arange(5000).reshape(10, 500),
    "images": _rng.standard_normal((8, 3, 16, 16)).astype(np.float32),
}


def _theirs(t: torch.Tensor) -> str:
    return repr(t).replace("torch.", "tabgrad.").replace("int64", "int32")  # which int64 is stored as


@pytest.fixture
def default_options() -> Iterator[None]:
    yield
    tg.set_printoptions(profile="default")
    torch.set_printoptions(profile="default")


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    assert repr(tg.tensor(VALUES[name])) == _theirs(torch.tensor(VALUES[name]))


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 2}, {"sci_mode": True}, {"sci_mode": False}, {"profile": "short"}, {"profile": "full"},
        {"linewidth": 40}, {"threshold": 5, "edgeitems": 1},
    ],
    ids=str,
)  # fmt: skip
def test_options(options: dict[str, object], default_options: None) -> None:
    tg.set_printoptions(**options)  # type: ignore[arg-type]
    torch.set_printoptions(**options)  # type: ignore[arg-type]
    for name, values in VALUES.items():
        if options != {"profile": "full"} or not name.startswith(("many", "images")):
            assert repr(tg.tensor(values)) == _theirs(torch.tensor(values)), name


def test_a_profile_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="expected profile default, short or full, got 'long'"):
        tg.set_printoptions(profile="long")


def test_what_requires_grad_says_so() -> None:
    assert repr(tg.ones(2, requires_grad=True)) == "tensor([1., 1.], requires_grad=True)"
    assert repr(tg.nn.Parameter(tg.ones(2))) == repr(torch.nn.Parameter(torch.ones(2)))


def test_a_tensor_that_has_not_been_computed_is() -> None:
    assert repr(tg.ones(2) + 1) == "tensor([2., 2.])"
    assert f"{tg.ones(2) * 3}" == "tensor([3., 3.])"


def test_inside_a_compiled_step_there_are_no_values() -> None:
    seen = []

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        seen.append(repr(x))
        return x + 1

    step(tg.ones(2))
    assert seen == ["tensor(<recorded>, size=(2,))"]
