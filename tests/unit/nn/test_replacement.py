"""Replaced modules keep their position, as in PyTorch: the order decides what runs, is saved and is trained."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from daily import daily_random
from tabgrad import nn
from tabgrad.tensor import Tensor


def test_replaced_module_of_a_sequence_runs_where_it_stood() -> None:
    model = nn.Sequential(nn.Linear(4, 2), nn.Flatten(0), nn.Linear(2, 3))
    model[0] = nn.Linear(4, 2)
    assert model(tg.tensor([[1.0, 2.0, 3.0, 4.0]])).shape == (3,)
    assert list(model.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]


def test_replaced_attributes_keep_their_places() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 2, 3), nn.Conv2d(2, 3, 3)
            self.scale, self.shift = nn.Parameter([1.0]), nn.Parameter([2.0])

    model = Net()
    model.conv1 = nn.Conv2d(1, 2, 5)
    model.scale = nn.Parameter([3.0])
    assert [n for n, _ in model.named_children()] == ["conv1", "conv2"]
    assert [n for n, _ in model.named_parameters()][:2] == ["scale", "shift"]
    del model.conv1
    model.conv1 = nn.Conv2d(1, 2, 3)
    assert [n for n, _ in model.named_children()] == ["conv2", "conv1"]


class Side:
    """One library's modules, changed in the same way as the other's."""

    def __init__(self, lib: Any, tensor: Any) -> None:
        self.lib, self.tensor = lib, tensor
        self.module = lib.Module()
        self.list = lib.ModuleList([self.child(n) for n in range(3)])
        self.sequence = lib.Sequential(*(self.child(n) for n in range(3)))
        self.dict = lib.ModuleDict({name: self.child(3) for name in "pqr"})

    def child(self, size: int) -> Any:
        return self.lib.Linear(size + 1, 1, bias=False)

    def value(self, kind: str, size: int) -> Any:
        made = {
            "module": lambda: self.child(size),
            "parameter": lambda: self.lib.Parameter(self.tensor(np.zeros(size, np.float32))),
            "tensor": lambda: self.tensor(np.zeros(size, np.float32)),
            "number": lambda: size,
            "none": lambda: None,
        }
        return made[kind]()

    def do(self, change: tuple[str, Any, str, int]) -> str:
        what, name, kind, size = change
        try:
            if what == "set":
                setattr(self.module, name, self.value(kind, size))
            elif what == "delete":
                delattr(self.module, name)
            elif what == "register":
                if kind == "module":
                    self.module.add_module(name, self.value(kind, size))
                elif kind == "parameter":
                    self.module.register_parameter(name, self.value(kind, size))
                else:
                    persistent = bool(size % 2)
                    self.module.register_buffer(
                        name, None if kind == "none" else self.value("tensor", size), persistent
                    )
            elif what == "list":
                self.list[size % len(self.list)] = self.child(size)
            elif what == "insert":
                self.list.insert(size % (len(self.list) + 1), self.child(size))
            elif what == "sequence":
                self.sequence[size % len(self.sequence)] = self.child(size)
            elif what == "append":
                self.sequence.append(self.child(size))
            elif what == "dict":
                self.dict["pqrst"[size % 5]] = self.child(size)
            elif what == "undict":
                del self.dict["pqrst"[size % 5]]
            elif len(self.list) > 1:
                del self.list[size % len(self.list)]
        except (TypeError, KeyError, AttributeError) as error:
            return type(error).__name__
        return "done"

    def state(self) -> Any:
        whole = self.lib.ModuleList([self.module, self.list, self.sequence, self.dict])
        return {
            "modules": [(n, type(m).__name__) for n, m in whole.named_modules()],
            "children": [n for n, _ in self.module.named_children()],
            "parameters": [(n, tuple(p.shape)) for n, p in whole.named_parameters()],
            "buffers": [(n, tuple(b.shape)) for n, b in whole.named_buffers()],
            "state": [(n, tuple(t.shape)) for n, t in whole.state_dict().items()],
            "attributes": sorted(n for n in vars(self.module) if len(n) == 1),
        }


def changes(rng: random.Random) -> list[tuple[str, Any, str, int]]:
    whats = ["set"] * 10 + ["delete"] * 3 + ["register"] * 4
    whats += ["list", "insert", "sequence", "append", "dict", "undict", "unlist"]
    kinds = ["module", "parameter", "tensor", "number", "none"]
    return [(rng.choice(whats), rng.choice("abcd"), rng.choice(kinds), rng.randrange(1, 6)) for _ in range(40)]


@pytest.mark.parametrize("case", range(12))
def test_any_sequence_of_replacements_leaves_torchs_order(case: int) -> None:
    story = changes(daily_random(f"replacements {case}"))
    ours, theirs = Side(nn, Tensor), Side(torch.nn, torch.from_numpy)
    for n, change in enumerate(story):
        assert ours.do(change) == theirs.do(change), story[: n + 1]
        assert ours.state() == theirs.state(), story[: n + 1]
