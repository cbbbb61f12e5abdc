"""``to`` and ``type`` in PyTorch's forms."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import tabgrad as tg

COPIES: dict[str, tuple[Any, ...]] = {
    "dtype": ("float32",),
    "dtype, flags": ("float32", False, True),
    "device, dtype, flags": ("cpu", "float32", False, True),
    "device, dtype, no copy": ("cpu", "float32", True, False),
    "non_blocking alone": ("float32", True),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_made_where_pytorch_makes_one(name: str) -> None:
    def same(T: Any) -> bool:
        x = T.ones(2)
        return x.to(*(getattr(T, a) if a == "float32" else a for a in COPIES[name])) is x

    assert same(tg) == same(torch)


def test_too_many_flags_are_refused() -> None:
    with pytest.raises(TypeError, match="expected non_blocking and copy as bools, got 3"):
        tg.ones(2).to(tg.float32, True, False, True)


@pytest.mark.parametrize("name", ["float64", "float32", "float16", "bfloat16", "int16", "int8", "uint8", "bool"])
def test_the_former_name_of_a_type(name: str) -> None:
    theirs = torch.ones(2, dtype=getattr(torch, name)).type()
    x = tg.ones(2, dtype=getattr(tg, name))
    assert x.type() == theirs
    assert tg.ones(2).type(theirs).dtype is x.dtype
