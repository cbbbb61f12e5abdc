"""PyTorch's public names: each is here, or says by name that it is not; and the list is that of PyTorch."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import tabgrad as tg
import torch_names
from tabgrad.torch_names import NAMES

ELSEWHERE = ("nn", "nn.functional", "optim", "Tensor", "")  # namespaces whose missing names raise


def _space(where: str) -> Any:
    if where in ("", "Tensor"):
        return tg.Tensor if where else tg
    return importlib.import_module(f"tabgrad.{where}")


def test_the_list_is_that_of_pytorch() -> None:
    assert torch_names.PATH.read_text(encoding="utf-8") == torch_names.text(), "run build_scripts/torch_names.py"


@pytest.mark.parametrize("where", ELSEWHERE)
def test_each_name_is_here_or_says_that_it_is_not(where: str) -> None:
    space, names = _space(where), NAMES[where].split()
    missing = [name for name in names if not hasattr(space, name)]
    assert len(missing) < len(names)
    for name in missing:
        with pytest.raises(NotImplementedError, match=rf"has no attribute '{name}': it is not in tabgrad yet; "):
            getattr(space, name)


@pytest.mark.parametrize(
    ("where", "name", "message"),
    [
        ("", "sofmax", "has no attribute 'sofmax': it is not in tabgrad yet; the nearest name is tabgrad.softmax"),
        (
            "Tensor",
            "reshap",
            "no attribute 'reshap': it is not in tabgrad yet; the nearest name is tabgrad.Tensor.reshape",
        ),
        ("nn", "CrossEntropyLos", "nearest name is tabgrad.nn.CrossEntropyLoss"),
    ],
)
def test_what_an_error_says(where: str, name: str, message: str) -> None:
    with pytest.raises(AttributeError, match=message):
        getattr(_space(where), name)


def test_a_tensor_says_it_too() -> None:
    with pytest.raises(tg.MissingNameError, match="no attribute 'istft'"):
        tg.ones(2).istft(4)
    with pytest.raises(AttributeError, match=r"no attribute 'reshap'.*tabgrad\.Tensor\.reshape"):
        tg.ones(2).reshap(2)
