import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True", "ignore:Support for mismatched")
RNG = np.random.default_rng(0)
SRC, TGT = (RNG.standard_normal((n, 2, 8)).astype(np.float32) for n in (4, 3))
PADDING = np.array([[False, False, False, True], [False, False, True, True]])


def masks(lib):
    return {
        "causal": lib.nn.Transformer.generate_square_subsequent_mask(4),
        "bool": lib.tensor(np.triu(np.ones((4, 4), bool), 1)),
        "padding": lib.tensor(PADDING),
        "added": lib.tensor(np.where(PADDING, -np.inf, 0).astype(np.float32)),
    }


def check(name, arguments, call):
    """Output and gradients of a layer and its inputs."""
    torch.manual_seed(0)
    theirs = getattr(torch.nn, name)(**arguments(torch))
    ours = getattr(nn, name)(**arguments(tg))
    for p in theirs.parameters():
        torch.nn.init.uniform_(p, -0.5, 0.5)
    ours.load_state_dict({n: tg.tensor(v.numpy()) for n, v in theirs.state_dict().items()})
    found = []
    for lib, layer in ((tg, ours), (torch, theirs)):
        x = [lib.tensor(SRC, requires_grad=True), lib.tensor(TGT, requires_grad=True)]
        out = call(layer, lib, *x, masks(lib))
        parts = [t for t in (out if isinstance(out, tuple) else (out,)) if t is not None]
        sum((t * t).sum() for t in parts).backward()
        grads = {n: p.grad for n, p in layer.named_parameters()}
        found.append([*parts, *(t.grad for t in x if t.grad is not None), *(grads[n] for n in sorted(grads))])
    assert len(found[0]) == len(found[1])
    for a, b in zip(*found, strict=True):
        if a is None or b is None:
            assert a is b
        else:
            np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), 3e-4, 3e-5)


SMALL = {"d_model": 8, "nhead": 2, "dim_feedforward": 6, "dropout": 0.0}


@pytest.mark.parametrize("options", [{}, {"norm_first": True, "activation": "gelu"}, {"bias": False}])
@pytest.mark.parametrize("mask", ["causal", "bool", None])
def test_encoder_layers_are_torchs(options, mask):
    def call(layer, lib, src, tgt, masks):
        padding = masks["padding"] if mask == "bool" else None
        return layer(src, masks.get(mask), padding, is_causal=mask == "causal")

    check("TransformerEncoderLayer", lambda lib: {**SMALL, **options}, call)


def test_decoder_layer_is_torchs():
    def call(layer, lib, src, tgt, masks):
        return layer(src, tgt, tgt_mask=masks["causal"], tgt_is_causal=True, memory_key_padding_mask=None)

    check("TransformerDecoderLayer", lambda lib: {**SMALL, "activation": lib.tanh}, call)


def test_the_whole_is_torchs():
    def call(layer, lib, src, tgt, masks):
        return layer(src, tgt, src_key_padding_mask=masks["padding"], memory_key_padding_mask=masks["added"])

    check("Transformer", lambda lib: {**SMALL, "num_encoder_layers": 2, "num_decoder_layers": 1}, call)


@pytest.mark.parametrize("options", [{"add_bias_kv": True}, {"add_zero_attn": True, "kdim": 8, "vdim": 8}])
@pytest.mark.parametrize("batch_first", [False, True])
def test_attention_to_more_keys_is_torchs(options, batch_first):
    def call(layer, lib, src, tgt, masks):
        if batch_first:
            return layer(src, src, src)
        return layer(src, src, src, masks["padding"], attn_mask=masks["bool"], average_attn_weights=False)

    check(
        "MultiheadAttention",
        lambda lib: {"embed_dim": 8, "num_heads": 2, "batch_first": batch_first, **options},
        call,
    )


def test_heads_may_be_shared_by_queries():
    q, k = RNG.standard_normal((2, 6, 3, 4)).astype(np.float32), RNG.standard_normal((2, 2, 5, 4)).astype(np.float32)
    outs = [
        lib.nn.functional.scaled_dot_product_attention(*map(lib.tensor, (q, k, k)), enable_gqa=True)
        for lib in (tg, torch)
    ]
    np.testing.assert_allclose(outs[0].numpy(), outs[1].numpy(), 2e-5, 2e-6)
