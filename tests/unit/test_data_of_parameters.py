"""Weights that are exchanged through ``.data`` while an optimizer holds them, as averages of weights do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg


def _seen(library: Any, kind: str) -> list[Any]:
    model = library.nn.Linear(3, 1)
    model.load_state_dict({"weight": library.tensor([[0.1, 0.2, 0.3]]), "bias": library.zeros(1)})
    x = library.arange(12.0).reshape(4, 3) / 10
    optimizer = getattr(library.optim, kind)(model.parameters(), lr=0.1)

    def step() -> None:
        optimizer.zero_grad()
        (model(x) - 1).pow(2).mean().backward()
        optimizer.step()

    seen = []
    shadow = {name: p.data.clone() for name, p in model.named_parameters()}
    for _ in range(3):
        step()
        backup = {}
        for name, p in model.named_parameters():
            shadow[name] = 0.1 * p.data + 0.9 * shadow[name].clone()
            backup[name], p.data = p.data, shadow[name]
        seen += [model.weight.tolist(), model(x).tolist()]
        for name, p in model.named_parameters():
            p.data = backup[name]
        seen += [model.weight.tolist(), shadow["weight"].tolist(), backup["weight"].tolist()]
    first, second = model.weight.data, library.ones(1, 3)
    model.weight.data = second
    step()
    seen += [first.tolist(), second.tolist(), model.weight.tolist()]
    model.weight.data = model.weight.data * 0.5
    step()
    seen += [second.tolist(), model.weight.tolist()]
    own = model.weight.data
    model.weight.data = own
    own.zero_()
    seen.append(model.weight.tolist())
    model.weight.data = model.weight.data.clone()
    own.add_(3)
    return [*seen, own.tolist(), model.weight.tolist()]


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_exchanged_weights(kind: str) -> None:
    for ours, theirs in zip(_seen(tg, kind), _seen(torch, kind), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
