"""``nn.MultiheadAttention`` against PyTorch's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn
from tabgrad.errors import ShapeError, TabgradError

E, HEADS, N, L, S = 12, 3, 2, 5, 7


def _normal(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


def _call_of(base):
    """A module of either library: the layer with some of its arguments, and its first result."""

    class Call(base):
        def __init__(self, inner, options):
            super().__init__()
            self.inner, self.options = inner, options

        def forward(self, *inputs):
            return self.inner(*(inputs * 3 if len(inputs) == 1 else inputs), **self.options)[0]

    return Call


def _pair(options, call, their_call=None):
    with_masks = {k: tg.tensor(v) if isinstance(v, np.ndarray) else v for k, v in call.items()}
    their_masks = {k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in call.items()}
    ours, theirs = nn.MultiheadAttention(E, HEADS, **options), torch.nn.MultiheadAttention(E, HEADS, **options)
    if options.get("bias", True):  # PyTorch starts them at 0
        torch.nn.init.normal_(theirs.in_proj_bias)
        torch.nn.init.normal_(theirs.out_proj.bias)
    return _call_of(nn.Module)(ours, with_masks), _call_of(torch.nn.Module)(theirs, their_masks)


MASK = np.triu(np.ones((L, L), np.bool_), 1)  # PyTorch's layer: True leaves out
FLOAT = np.linspace(-1, 1, L * L, dtype=np.float32).reshape(L, L)
PADDING = np.array([[False] * L, [False, True, False, False, True]])

CALLS = {
    "plain": ({}, {}),
    "without weights": ({}, {"need_weights": False}),
    "without bias": ({"bias": False}, {"need_weights": False}),
    "batch first": ({"batch_first": True}, {"need_weights": False}),
    "batch first with weights": ({"batch_first": True}, {}),
    "bool mask": ({}, {"need_weights": False, "attn_mask": MASK}),
    "bool mask with weights": ({}, {"attn_mask": MASK}),
    "causal": ({}, {"need_weights": False, "attn_mask": MASK, "is_causal": True}),
    "causal with weights": ({}, {"attn_mask": MASK, "is_causal": True}),
    "float mask": ({}, {"need_weights": False, "attn_mask": FLOAT}),
    "mask of heads": ({}, {"need_weights": False, "attn_mask": np.stack([FLOAT * n for n in range(N * HEADS)])}),
    "padding": ({}, {"need_weights": False, "key_padding_mask": PADDING}),
    "padding with weights": ({"batch_first": True}, {"key_padding_mask": PADDING}),
    "both masks": ({}, {"need_weights": False, "attn_mask": MASK, "key_padding_mask": PADDING}),
    "both masks, causal": (
        {},
        {"need_weights": False, "attn_mask": MASK, "key_padding_mask": PADDING, "is_causal": True},
    ),
    "float mask and float padding": (
        {},
        {"need_weights": False, "attn_mask": FLOAT, "key_padding_mask": np.where(PADDING, -5, 0).astype(np.float32)},
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_self_attention_is_torchs(same_as_torch, rng, name):
    options, call = CALLS[name]
    shape = (N, L, E) if options.get("batch_first") else (L, N, E)
    same_as_torch(*_pair(options, call), _normal(rng, *shape))


def test_a_bool_and_a_float_mask_add_up(rng):
    layer = nn.MultiheadAttention(E, HEADS)
    x = tg.tensor(_normal(rng, L, N, E))
    mixed, _ = layer(x, x, x, attn_mask=tg.tensor(FLOAT), key_padding_mask=tg.tensor(PADDING), need_weights=False)
    added = np.where(PADDING, -np.inf, 0).astype(np.float32)
    alike, _ = layer(x, x, x, attn_mask=tg.tensor(FLOAT), key_padding_mask=tg.tensor(added), need_weights=False)
    np.testing.assert_allclose(mixed.detach().numpy(), alike.detach().numpy(), rtol=1e-5)


@pytest.mark.parametrize(
    "options", [{}, {"kdim": 5, "vdim": 6}, {"kdim": 5, "bias": False}, {"batch_first": True}], ids=str
)
@pytest.mark.parametrize("need_weights", [True, False])
def test_cross_attention_is_torchs(same_as_torch, rng, options, need_weights):
    sizes = [(L, E), (S, options.get("kdim", E)), (S, options.get("vdim", E))]
    first = options.get("batch_first")
    arrays = [_normal(rng, *((N, n) if first else (n, N)), width) for n, width in sizes]
    same_as_torch(*_pair(options, {"need_weights": need_weights}), *arrays)


def test_key_and_value_may_be_one(rng):
    layer = nn.MultiheadAttention(E, HEADS)
    query, memory = tg.tensor(_normal(rng, L, N, E)), tg.tensor(_normal(rng, S, N, E))
    one, _ = layer(query, memory, memory, need_weights=False)
    two, _ = layer(query, memory, memory.clone(), need_weights=False)
    np.testing.assert_allclose(one.detach().numpy(), two.detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("need_weights", [True, False])
def test_without_a_batch_is_torchs(same_as_torch, rng, need_weights):
    same_as_torch(*_pair({}, {"need_weights": need_weights}), _normal(rng, L, E))


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("batched", [True, False])
def test_weights_are_torchs(rng, average, batched):
    ours, theirs = nn.MultiheadAttention(E, HEADS), torch.nn.MultiheadAttention(E, HEADS)
    ours.load_state_dict({k: tg.tensor(v.detach().numpy()) for k, v in theirs.state_dict().items()})
    x = _normal(rng, *((L, N, E) if batched else (L, E)))
    _, weights = ours(*[tg.tensor(x)] * 3, average_attn_weights=average)
    _, expected = theirs(*[torch.tensor(x)] * 3, average_attn_weights=average)
    np.testing.assert_allclose(weights.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)
    assert ours(*[tg.tensor(x)] * 3, need_weights=False)[1] is None


def test_state_and_start_are_torchs():
    tg.manual_seed(0)
    for options in ({}, {"kdim": 5}, {"bias": False}):
        ours, theirs = nn.MultiheadAttention(48, 4, **options), torch.nn.MultiheadAttention(48, 4, **options)
        found, expected = ours.state_dict(), theirs.state_dict()
        assert [(n, tuple(v.shape)) for n, v in found.items()] == [(n, tuple(v.shape)) for n, v in expected.items()]
        for name, value in found.items():
            low, high = float(expected[name].abs().max()), abs(value.numpy()).max()
            assert high == pytest.approx(low, rel=0.05), name


@pytest.mark.parametrize("need_weights", [True, False])
def test_dropout_acts_in_training_alone(rng, need_weights):
    layer = nn.MultiheadAttention(E, HEADS, dropout=0.5)
    x = tg.tensor(_normal(rng, L, N, E))
    one, two = (layer(x, x, x, need_weights=need_weights)[0].detach().numpy() for _ in range(2))
    assert abs(one - two).max() > 0.01
    layer.eval()
    one, two = (layer(x, x, x, need_weights=need_weights)[0].detach().numpy() for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_misuse_is_explained():
    with pytest.raises(ShapeError, match="embed_dim divisible by num_heads, got 5 and 2"):
        nn.MultiheadAttention(5, 2)
    with pytest.raises(TabgradError, match="a dropout between 0 and 1, got 2"):
        nn.MultiheadAttention(4, 2, dropout=2)
    layer, x = nn.MultiheadAttention(4, 2), tg.zeros(3, 2, 4)
    with pytest.raises(TabgradError, match="expected attn_mask with is_causal=True, got None"):
        layer(x, x, x, is_causal=True)
    with pytest.raises(
        ShapeError, match=r"query, key and value \[L, N, E\] with \[4, 4, 4\] features.*got \[\[3, 2, 4\]"
    ):
        layer(x, tg.zeros(3, 3, 4), tg.zeros(3, 3, 4))
    with pytest.raises(ShapeError, match=r"expected attn_mask \[3, 3\] or \[4, 3, 3\], got \[2, 3\]"):
        layer(x, x, x, attn_mask=tg.zeros(2, 3))
    with pytest.raises(ShapeError, match=r"expected key_padding_mask \[2, 3\], got \[3, 2\]"):
        layer(x, x, x, key_padding_mask=tg.zeros(3, 2))
