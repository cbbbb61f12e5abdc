import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn

RNG = np.random.default_rng(0)
A, B, C = (RNG.standard_normal((4, 3)).astype(np.float32) for _ in range(3))
P, Q = (RNG.random((4, 3)).astype(np.float32) for _ in range(2))
SIGNS, LABELS = np.array([1, -1, 1, 1], np.float32), np.array([0, 2, 1, 1])
CASES = [
    ("BCELoss", {}, [P, Q]),
    ("BCEWithLogitsLoss", {}, [A, Q]),
    ("SmoothL1Loss", {"beta": 0.5}, [A, B]),
    ("HuberLoss", {"delta": 0.7}, [A, B]),
    ("KLDivLoss", {"reduction": "batchmean"}, [A, P]),
    ("PoissonNLLLoss", {"full": True}, [A, P * 4]),
    ("GaussianNLLLoss", {"full": True}, [A, B, P]),
    ("HingeEmbeddingLoss", {}, [A[:, 0], SIGNS]),
    ("CosineEmbeddingLoss", {"margin": 0.1}, [A, B, SIGNS]),
    ("MarginRankingLoss", {"margin": 0.2}, [A[:, 0], B[:, 0], SIGNS]),
    ("MultiMarginLoss", {"p": 2}, [A, LABELS]),
    ("MultiLabelMarginLoss", {}, [A, np.array([[1, -1, 0], [0, 2, -1], [-1, 0, 1], [2, 1, 0]])]),
    ("MultiLabelSoftMarginLoss", {}, [A, (P > 0.5).astype(np.float32)]),
    ("SoftMarginLoss", {}, [A, np.sign(B)]),
    ("TripletMarginLoss", {"swap": True}, [A, B, C]),
    ("CosineSimilarity", {}, [A, B]),
    ("PairwiseDistance", {"p": 3.0}, [A, B]),
]


@pytest.mark.parametrize(("name", "arguments", "arrays"), CASES, ids=[c[0] for c in CASES])
def test_values_and_gradients_are_torchs(name, arguments, arrays):
    found = []
    for lib in (tg, torch):
        x = [lib.tensor(a) for a in arrays]
        x[0].requires_grad_()
        loss = getattr(lib.nn, name)(**arguments)(*x)
        (loss * loss).sum().backward()
        found.append([loss, x[0].grad])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), 1e-4, 1e-5)


@pytest.mark.parametrize("flat", [False, True])
def test_ctc_is_torchs(flat):
    logits = RNG.standard_normal((5, 2, 4)).astype(np.float32)
    targets = np.array([[1, 1], [3, 0]])
    found = []
    for lib in (tg, torch):
        x = lib.tensor(logits, requires_grad=True)
        given = lib.tensor(targets.reshape(-1)[:3] if flat else targets)
        loss = lib.nn.CTCLoss()(x.log_softmax(-1), given, lib.tensor([5, 4]), lib.tensor([2, 1]))
        loss.backward()
        found.append([loss, x.grad])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), 1e-4, 1e-5)


@pytest.mark.filterwarnings("ignore:size_average and reduce args")
def test_former_arguments_warn():
    with pytest.warns(UserWarning, match="use reduction='sum' instead"):
        loss = nn.MSELoss(size_average=False)
    assert loss.reduction == "sum"
    assert torch.nn.MSELoss(size_average=False).reduction == "sum"


def test_labels_that_are_all_ignored_have_no_gradient():
    for smoothing in (0.0, 0.1):
        x = tg.tensor(A, requires_grad=True)
        loss = nn.CrossEntropyLoss(label_smoothing=smoothing)(x, tg.tensor(np.full(4, -100)))
        loss.backward()
        assert np.isnan(loss.item())
        assert not x.grad.numpy().any()


def test_mistakes_are_named():
    x, labels = tg.tensor(A), tg.tensor(LABELS)
    with pytest.raises(RuntimeError, match="label_smoothing between 0 and 1"):
        nn.functional.cross_entropy(x, labels, label_smoothing=1.5)
    with pytest.raises(IndexError, match="expected labels from 0 to 2"):
        nn.functional.cross_entropy(x, tg.tensor(LABELS + 1))
    with pytest.raises(RuntimeError, match="input between 0 and 1"):
        nn.functional.binary_cross_entropy(tg.tensor(A), tg.tensor(P))
