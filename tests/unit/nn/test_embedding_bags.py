import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn

TABLE = np.random.default_rng(0).standard_normal((6, 3)).astype(np.float32)
ROWS = np.array([[1, 4, 4], [0, 5, 1], [2, 2, 1]])
FLAT, OFFSETS = np.array([1, 4, 4, 0, 5, 1, 2]), np.array([0, 2, 2, 6])


def compare(call, *arrays):
    """Result, gradient of the table, and the table after the call."""
    found = []
    for lib in (tg, torch):
        weight = lib.tensor(TABLE, requires_grad=True)
        out = call(lib.nn, weight, *map(lib.tensor, arrays))
        (out * out).sum().backward()
        found.append([out, weight.grad, weight])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), 2e-5, 2e-6)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("options", [{}, {"padding_idx": 1}, {"max_norm": 1.0}])
def test_bags_are_torchs(mode, options):
    compare(lambda nn, w, i: nn.functional.embedding_bag(i, w, mode=mode, **options), ROWS)
    compare(lambda nn, w, i, o: nn.functional.embedding_bag(i, w, o, mode=mode, **options), FLAT, OFFSETS)
    compare(
        lambda nn, w, i, o: nn.functional.embedding_bag(i, w, o, mode=mode, include_last_offset=True, **options),
        FLAT,
        np.array([0, 2, 2, 7]),
    )


def test_bags_with_weights_are_torchs():
    compare(
        lambda nn, w, i, o, s: nn.functional.embedding_bag(i, w, o, mode="sum", per_sample_weights=s),
        FLAT,
        OFFSETS,
        np.linspace(-1, 1, 7, dtype=np.float32),
    )


@pytest.mark.parametrize("options", [{"max_norm": 1.0, "norm_type": 1.0}, {"scale_grad_by_freq": True}])
def test_options_of_embeddings_are_torchs(options):
    compare(lambda nn, w, i: nn.functional.embedding(i, w, padding_idx=2, **options), ROWS)


def test_layers_and_their_refusals():
    for lib in (tg, torch):
        layer = lib.nn.EmbeddingBag.from_pretrained(lib.tensor(TABLE), mode="sum", padding_idx=1)
        assert repr(layer) == "EmbeddingBag(6, 3, mode='sum', padding_idx=1)"
        assert not layer.weight.requires_grad
        assert tuple(layer(lib.tensor(ROWS)).shape) == (3, 3)
        assert not lib.nn.Embedding.from_pretrained(lib.tensor(TABLE)).weight.requires_grad
    with pytest.raises(NotImplementedError, match="gradients are dense"):
        nn.Embedding(3, 2, sparse=True)
    with pytest.raises(ValueError, match="per_sample_weights with mode='sum'"):
        nn.functional.embedding_bag(tg.tensor(ROWS), tg.tensor(TABLE), per_sample_weights=tg.zeros(3, 3))
