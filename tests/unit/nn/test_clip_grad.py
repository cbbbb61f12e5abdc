"""Gradient clipping: as PyTorch's, in few launches, and inside compiled steps."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.graph.linearize import linearize
from tabgrad.ops.arithmetic import MUL
from tabgrad.runtime import ProgramCache
from tabgrad.session import current

SHAPES = ((3, 5), (70,), (), (64,), (1, 129))


def _parameters(rng: np.random.Generator) -> tuple[list[tg.Tensor], list[torch.Tensor]]:
    """Parameters with gradients; the last one has none."""
    values = [rng.standard_normal(s).astype(np.float32) for s in (*SHAPES, (2,))]
    ours = [tg.tensor(v, requires_grad=True) for v in values]
    theirs = [torch.tensor(v, requires_grad=True) for v in values]
    for parameters in (ours, theirs):
        sum(((p * p).sum() for p in parameters[1:-1]), start=(parameters[0] * 3).sum()).backward()
    return ours, theirs


def _check(ours: list[tg.Tensor], theirs: list[torch.Tensor]) -> None:
    assert [p.grad is None for p in ours] == [p.grad is None for p in theirs]
    for a, b in zip(ours, theirs, strict=True):
        if b.grad is not None:
            np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-5)


@pytest.mark.parametrize("max_norm", [0.5, 1000])
@pytest.mark.parametrize("norm_type", [2, 1, 3.0, math.inf])
def test_clip_grad_norm_is_torchs(rng, max_norm: float, norm_type: float) -> None:
    ours, theirs = _parameters(rng)
    norm = nn.utils.clip_grad_norm_(ours, max_norm, norm_type)
    expected = torch.nn.utils.clip_grad_norm_(theirs, max_norm, norm_type)
    assert norm.item() == pytest.approx(expected.item(), rel=1e-5)
    _check(ours, theirs)


def test_clip_grad_value_is_torchs(rng) -> None:
    ours, theirs = _parameters(rng)
    nn.utils.clip_grad_value_(ours, 0.7)
    torch.nn.utils.clip_grad_value_(theirs, 0.7)
    _check(ours, theirs)


def test_nothing_to_clip_has_norm_0() -> None:
    assert nn.utils.clip_grad_norm_([tg.tensor([1.0], requires_grad=True)], 1.0).item() == 0


def test_clip_grad_norm_refuses_what_it_cannot_count() -> None:
    with pytest.raises(NotImplementedError, match="norm_type=0 is not supported"):
        nn.utils.clip_grad_norm_([], 1.0, 0)


@pytest.mark.parametrize("compiled", [True, False])
def test_steps_with_clipped_gradients_are_torchs(rng, compiled: bool) -> None:
    values = [rng.standard_normal(s).astype(np.float32) for s in SHAPES]
    ours = [tg.tensor(v, requires_grad=True) for v in values]
    theirs = [torch.tensor(v, requires_grad=True) for v in values]
    our_optimizer, their_optimizer = (
        optim.SGD(ours, lr=0.1, momentum=0.9),
        torch.optim.SGD(theirs, lr=0.1, momentum=0.9),
    )

    def step(parameters, optimizer, clip, scale):
        optimizer.zero_grad()
        sum((p * p * scale).sum() for p in parameters).backward()
        norm = clip(parameters, 1.5)
        optimizer.step()
        return norm * 1

    def our_step(scale):
        return step(ours, our_optimizer, nn.utils.clip_grad_norm_, scale)

    run = tg.compile(our_step) if compiled else our_step
    for scale in (1.0, 0.1, 0.001):
        found = run(tg.tensor(scale))
        expected = step(theirs, their_optimizer, torch.nn.utils.clip_grad_norm_, scale)
        assert found.item() == pytest.approx(expected.item(), rel=1e-5)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_clipping_adds_two_launches(rng) -> None:
    def dispatches(clip: bool) -> int:
        parameters = [tg.tensor(rng.standard_normal(s).astype(np.float32), requires_grad=True) for s in SHAPES]
        optimizer = optim.Adam(parameters)

        def step(x: tg.Tensor) -> tg.Tensor:
            optimizer.zero_grad()
            loss = sum((p * x).exp().sum() for p in parameters)
            loss.backward()
            if clip:
                nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            return loss * 1

        recorded = tg.compile(step).record(tg.tensor(2.0))
        return len(current().own(ProgramCache).of(recorded.linear).compiled.program.dispatches)

    assert dispatches(True) - dispatches(False) <= 2


def test_scaled_gradients_are_packed_unscaled() -> None:
    a, b, c = (tg.tensor(np.ones(n, np.float32)) for n in (3, 70, 1))
    packed = tg.ops.pack([a.exp() * c.sum(), b.exp() * c.sum()])
    program = current().own(ProgramCache).of(linearize([(packed * 2)._node])).compiled.program
    writes = [s.attrs for d in program.dispatches for s in d.instructions if s.op is MUL]
    assert len(writes) == 2  # the scale and the 2, once for the whole pack
