import numpy as np
import pytest
import torch

from tabgrad import nn
from tabgrad.errors import ShapeError, TabgradError

REDUCTIONS = ["mean", "sum", "none"]


def normal(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", ["MSELoss", "L1Loss", "BCEWithLogitsLoss"])
def test_elementwise_losses_are_torchs(same_as_torch, rng, name, reduction):
    target = rng.random((5, 3)).astype(np.float32)
    ours, theirs = getattr(nn, name)(reduction=reduction), getattr(torch.nn, name)(reduction=reduction)
    same_as_torch(
        lambda x: ours(x, nn.Parameter(target, False)), lambda x: theirs(x, torch.tensor(target)), normal(rng, 5, 3)
    )


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape", [(7, 4), (2, 4, 3, 5), (1, 4)])
@pytest.mark.parametrize("arguments", [{}, {"label_smoothing": 0.1}, {"ignore_index": 1}])
def test_cross_entropy_is_torchs(same_as_torch, rng, shape, reduction, arguments):
    ours = nn.CrossEntropyLoss(reduction=reduction, **arguments)
    theirs = torch.nn.CrossEntropyLoss(reduction=reduction, **arguments)
    labels = rng.integers(0, 4, (shape[0], *shape[2:])).astype(np.int32)
    labels.flat[0] = 2  # so that not all are ignored
    same_as_torch(ours, theirs, normal(rng, *shape), labels)


@pytest.mark.parametrize("name", ["CrossEntropyLoss", "NLLLoss"])
def test_class_weights_are_a_buffer(same_as_torch, rng, name):
    weight = np.array([0.5, 2, 1, 0.25], np.float32)
    ours = getattr(nn, name)(nn.Parameter(weight, False).detach())
    labels = np.array([0, 3, -100, 1], np.int32)
    same_as_torch(ours, getattr(torch.nn, name)(torch.tensor(weight)), normal(rng, 4, 4), labels)
    assert list(ours.state_dict()) == ["weight"]


def test_class_weights_that_do_not_fit_are_named(rng):
    logits, labels = nn.Parameter(normal(rng, 4, 4)), nn.Parameter(normal(rng, 4), False).detach().int()
    with pytest.raises(ShapeError, match=r"cross_entropy: expected weight \[4\], one per class, got \[3\]"):
        nn.CrossEntropyLoss(nn.Parameter(normal(rng, 3), False).detach())(logits, labels)
    with pytest.raises(NotImplementedError, match="cross_entropy: no gradient for the class weights"):
        nn.functional.cross_entropy(logits, labels, nn.Parameter(normal(rng, 4)))


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_nll_loss_is_torchs(same_as_torch, rng, reduction):
    labels = np.array([0, 3, -100, 1], np.int32)
    same_as_torch(nn.NLLLoss(reduction=reduction), torch.nn.NLLLoss(reduction=reduction), normal(rng, 4, 4), labels)


def test_cross_entropy_of_huge_logits_is_finite(same_as_torch):
    logits = np.array([[1e4, -1e4, 0], [5e3, 5e3, 5e3]], np.float32)
    same_as_torch(nn.CrossEntropyLoss(), torch.nn.CrossEntropyLoss(), logits, np.array([1, 2], np.int32))


def test_losses_refuse_an_unknown_reduction():
    with pytest.raises(TabgradError, match="MSELoss: expected reduction 'mean', 'sum' or 'none', got 'avg'"):
        nn.MSELoss("avg")
