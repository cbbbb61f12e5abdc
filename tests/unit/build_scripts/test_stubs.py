"""Stubs say what the package has, and the package has what its functions declare."""

from __future__ import annotations

import inspect

import pytest
import torch

import stubs
import tabgrad as tg
from tabgrad import names, ops
from tabgrad.nn import functional

NOT_IN_PYTORCH = {"__array_namespace__", "to_device", "step_scalar", "read", "realize", "wgsl_op"}


def test_stubs_are_those_that_the_script_writes() -> None:
    for path, text in stubs.stubs().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run build_scripts/stubs.py"


stubs.load_all()


@pytest.mark.parametrize("entry", names.PUBLIC.values(), ids=lambda entry: entry.name)
def test_function_is_where_it_says(entry: names.PublicFunction) -> None:
    in_ops = entry.module.startswith(("tabgrad.ops.", "tabgrad.host_ops.")) and not entry.namespace
    assert (getattr(ops, entry.name, None) is entry.for_users) is in_ops
    assert (getattr(tg, entry.name, None) is entry.for_users) is entry.top
    assert (getattr(functional, entry.name, None) is entry.for_users) is entry.functional
    for method in entry.methods:
        is_operator = entry.as_operator is not None and method.startswith("__")
        assert getattr(tg.Tensor, method) is (entry.as_operator if is_operator else entry.as_method)
        theirs = (torch.Tensor, torch, torch.nn.functional, torch._C._nn)  # functions there are methods here, too
        assert any(hasattr(t, method) for t in theirs) or method in NOT_IN_PYTORCH
    assert all(hasattr(torch.Tensor, method) for method in entry.reversed)
    if entry.functional:
        assert hasattr(torch.nn.functional, entry.name)
    if entry.top and not entry.functional:
        assert hasattr(torch, entry.name) or entry.name in NOT_IN_PYTORCH


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ValueError, match=r"function 'add': expected a name of its own, got one that tabgrad.ops.arith"):
        names.public()(names.PUBLIC["add"].function)


def test_top_level_has_functions_and_no_modules_of_ops() -> None:
    assert inspect.isfunction(tg.softmax)
    assert inspect.isfunction(tg.norm)
    assert not any(hasattr(tg, name) for name in ("activation", "conv", "loss", "pool", "reduce", "indexing"))


def test_reversed_operators_swap() -> None:
    x = tg.tensor([2.0, 4.0])
    assert (1 - x).tolist() == [-1, -3]
    assert (2**x).tolist() == [4, 16]
    assert (9 // x).tolist() == [4, 2]
    assert (9 % x).tolist() == [1, 1]
    assert (8 / x).tolist() == [4, 2]
