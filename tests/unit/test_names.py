"""PyTorch's public names: each is here, or says by name that it is not; and the list is that of PyTorch."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import tabgrad as tg
import torch_names
from tabgrad.torch_names import NAMES, OPEN

SPACES = [space.removeprefix("torch").removeprefix(".") for space in (*torch_names.SPACES, *torch_names.OPEN)]


def _space(where: str) -> Any:
    if where in ("", "Tensor"):
        return tg.Tensor if where else tg
    return importlib.import_module(f"tabgrad.{where}")


def _names(where: str) -> list[str]:
    """PyTorch's, of the list, or of PyTorch itself where the list leaves them out."""
    return torch_names.public_names(f"torch.{where}") if where in OPEN else NAMES[where].split()


def test_the_list_is_that_of_pytorch() -> None:
    assert torch_names.PATH.read_text(encoding="utf-8") == torch_names.text(), "run build_scripts/torch_names.py"


@pytest.mark.parametrize("where", SPACES)
def test_each_name_is_here_or_says_that_it_is_not(where: str) -> None:
    space, names = _space(where), _names(where)
    missing = [name for name in names if not hasattr(space, name)]
    assert len(missing) < len(names) or where in ("backends", "utils")  # whose parts are modules
    for name in missing:
        with pytest.raises(NotImplementedError, match=rf"has no attribute '{name}': it is not in tabgrad yet; "):
            getattr(space, name)


def test_modules_that_are_not_here_are_named_with_what_to_use() -> None:
    for name, remedy in (
        ("fft", "compute it with NumPy"), ("onnx", "write the weights"), ("sparse", "use dense tensors"),
        ("distributed", "leave process groups"), ("quantization", "leave it out"),
    ):  # fmt: skip
        with pytest.raises(NotImplementedError, match=remedy):
            getattr(tg, name)


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
