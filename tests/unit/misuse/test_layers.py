"""Misuse of layers, losses and modules: errors are of PyTorch's classes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from unit.misuse.compare import difference


def leaf(t: Any, *sizes: int) -> Any:
    return t.ones(*sizes, requires_grad=True)


def lin(t: Any, *sizes: Any) -> Any:
    return t.nn.Linear(*sizes)


def mod(t: Any) -> None:
    class Early(t.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.layer = t.nn.Linear(2, 2)

    Early()


def mod2(t: Any) -> None:
    class Empty(t.nn.Module):  # type: ignore[misc, name-defined]
        pass

    Empty()(t.ones(2))


def mod3(t: Any) -> None:
    class Mistyped(t.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return self.fc(x)

    Mistyped()(t.ones(2))


def seq(t: Any) -> Any:
    return t.nn.Sequential(t.nn.Linear(2, 3), t.nn.Linear(4, 2))


def sd(t: Any) -> None:
    t.nn.Linear(3, 3).load_state_dict(t.nn.Linear(2, 3).state_dict())


def masked_and_causal(t: Any) -> None:
    x = t.ones(2, 3, 4)
    t.nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=t.ones(3, 3), is_causal=True)


MISUSES: dict[str, Callable[[Any], Any]] = {
    "linear in": lambda t: lin(t, 3, 2)(t.ones(4, 5)),
    "linear int input": lambda t: lin(t, 3, 2)(t.ones(4, 3).long()),
    "linear double input": lambda t: lin(t, 3, 2)(t.ones(4, 3).double()),
    "linear list": lambda t: lin(t, 3, 2)([1.0, 2.0, 3.0]),
    "linear numpy": lambda t: lin(t, 3, 2)(np.ones((2, 3), np.float32)),
    "linear none": lambda t: lin(t, 3, 2)(None),
    "linear no arg": lambda t: lin(t, 3, 2)(),
    "linear two args": lambda t: lin(t, 3, 2)(t.ones(3), t.ones(3)),
    "Linear float": lambda t: lin(t, 3.5, 2),
    "Linear missing": lambda t: lin(t, 3),
    "Linear str": lambda t: lin(t, "3", 2),
    "Linear unknown keyword": lambda t: t.nn.Linear(2, 2, biass=True),
    "F.linear weight": lambda t: t.nn.functional.linear(t.ones(2, 3), t.ones(3, 2)),
    "F.linear bias": lambda t: t.nn.functional.linear(t.ones(2, 3), t.ones(2, 3), t.ones(3)),
    "conv channels": lambda t: t.nn.Conv2d(3, 4, 3)(t.ones(1, 1, 8, 8)),
    "conv dims": lambda t: t.nn.Conv2d(3, 4, 3)(t.ones(8, 8)),
    "conv small": lambda t: t.nn.Conv2d(1, 4, 5)(t.ones(1, 1, 3, 3)),
    "conv int": lambda t: t.nn.Conv2d(1, 1, 1)(t.ones(1, 1, 3, 3).long()),
    "conv groups": lambda t: t.nn.Conv2d(3, 4, 3, groups=2),
    "conv groups 0": lambda t: t.nn.Conv2d(3, 4, 3, groups=0),
    "conv padding str": lambda t: t.nn.Conv2d(3, 4, 3, padding="sam"),
    "conv same stride": lambda t: t.nn.Conv2d(3, 4, 3, padding="same", stride=2),
    "conv padding mode": lambda t: t.nn.Conv2d(3, 4, 3, padding_mode="zero"),
    "conv kernel str": lambda t: t.nn.Conv2d(3, 4, "3"),
    "conv kernel float": lambda t: t.nn.Conv2d(3, 4, 3.0)(t.ones(1, 3, 8, 8)),
    "conv kernel three": lambda t: t.nn.Conv2d(3, 4, (3, 3, 3))(t.ones(1, 3, 8, 8)),
    "F.conv2d weight": lambda t: t.nn.functional.conv2d(t.ones(1, 3, 8, 8), t.ones(4, 2, 3, 3)),
    "F.conv2d weight dims": lambda t: t.nn.functional.conv2d(t.ones(1, 3, 8, 8), t.ones(4, 3, 3)),
    "F.conv2d bias": lambda t: t.nn.functional.conv2d(t.ones(1, 3, 8, 8), t.ones(4, 3, 3, 3), t.ones(3)),
    "F.conv2d stride": lambda t: t.nn.functional.conv2d(t.ones(1, 3, 8, 8), t.ones(4, 3, 3, 3), stride=0),
    "F.conv2d padding": lambda t: t.nn.functional.conv2d(t.ones(1, 3, 8, 8), t.ones(4, 3, 3, 3), padding=-1),
    "F.conv2d dtype": lambda t: t.nn.functional.conv2d(t.ones(1, 3, 8, 8), t.ones(4, 3, 3, 3).half()),
    "conv1d dims": lambda t: t.nn.Conv1d(3, 4, 3)(t.ones(1, 2, 3, 8)),
    "convT channels": lambda t: t.nn.ConvTranspose2d(3, 4, 3)(t.ones(1, 1, 8, 8)),
    "convT output padding": lambda t: t.nn.ConvTranspose2d(1, 4, 3, output_padding=2)(t.ones(1, 1, 8, 8)),
    "maxpool dims": lambda t: t.nn.MaxPool2d(2)(t.ones(8, 8)),
    "maxpool large": lambda t: t.nn.MaxPool2d(9)(t.ones(1, 1, 8, 8)),
    "maxpool missing": lambda t: t.nn.MaxPool2d(),
    "maxpool pad": lambda t: t.nn.functional.max_pool2d(t.ones(1, 1, 8, 8), 2, padding=2),
    "avgpool stride 0": lambda t: t.nn.functional.avg_pool2d(t.ones(1, 1, 8, 8), 2, 0),
    "avgpool list 3": lambda t: t.nn.functional.avg_pool2d(t.ones(1, 1, 8, 8), (2, 2, 2)),
    "adaptive": lambda t: t.nn.functional.adaptive_avg_pool2d(t.ones(8, 8), 2),
    "bn dims": lambda t: t.nn.BatchNorm2d(3)(t.ones(2, 3)),
    "bn channels": lambda t: t.nn.BatchNorm2d(3)(t.ones(2, 4, 5, 5)),
    "bn1 one value": lambda t: t.nn.BatchNorm1d(3)(t.ones(1, 3)),
    "bn str": lambda t: t.nn.BatchNorm2d("3"),
    "ln shape": lambda t: t.nn.LayerNorm(3)(t.ones(2, 4)),
    "ln float": lambda t: t.nn.LayerNorm(3.0),
    "gn": lambda t: t.nn.GroupNorm(2, 3),
    "gn channels": lambda t: t.nn.GroupNorm(2, 4)(t.ones(2, 6, 3)),
    "emb range": lambda t: t.nn.Embedding(3, 2)(t.tensor([3])),
    "emb negative": lambda t: t.nn.Embedding(3, 2)(t.tensor([-1])),
    "emb float": lambda t: t.nn.Embedding(3, 2)(t.tensor([1.0])),
    "emb list": lambda t: t.nn.Embedding(3, 2)([1, 2]),
    "emb padding": lambda t: t.nn.Embedding(3, 2, padding_idx=5),
    "emb str": lambda t: t.nn.Embedding("3", 2),
    "emb pretrained": lambda t: t.nn.Embedding.from_pretrained(t.ones(3)),
    "dropout p": lambda t: t.nn.Dropout(2.0),
    "F.dropout p": lambda t: t.nn.functional.dropout(t.ones(2), -1.0),
    "dropout str": lambda t: t.nn.Dropout("0.5"),
    "ce batch": lambda t: t.nn.functional.cross_entropy(t.ones(4, 3), t.tensor([0, 1])),
    "ce range": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 3])),
    "ce negative": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, -1])),
    "ce float labels": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0.0, 1.0])),
    "ce one hot int": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([[0, 1, 0], [1, 0, 0]])),
    "ce list": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), [0, 1]),
    "ce numpy": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), np.array([0, 1])),
    "ce column": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([[0], [1]])),
    "ce int32": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 1], dtype=t.int16)),
    "ce bool": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([True, False])),
    "ce weight": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 1]), weight=t.ones(2)),
    "ce weight list": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 1]), weight=[1.0, 1.0, 1.0]),
    "ce reduction": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 1]), reduction="avg"),
    "CE reduction": lambda t: t.nn.CrossEntropyLoss(reduction="avg")(t.ones(2, 3), t.tensor([0, 1])),
    "ce smoothing": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 1]), label_smoothing=2.0),
    "ce int logits": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3).long(), t.tensor([0, 1])),
    "nll range": lambda t: t.nn.functional.nll_loss(t.ones(2, 3), t.tensor([0, 7])),
    "nll float": lambda t: t.nn.functional.nll_loss(t.ones(2, 3), t.ones(2)),
    "nll 2d target": lambda t: t.nn.functional.nll_loss(t.ones(2, 3), t.ones(2, 3).long()),
    "mse shapes": lambda t: t.nn.functional.mse_loss(t.ones(2, 3), t.ones(2, 4)),
    "mse reduction": lambda t: t.nn.functional.mse_loss(t.ones(2), t.ones(2), reduction="men"),
    "bce shapes": lambda t: t.nn.functional.binary_cross_entropy(t.ones(2, 1), t.ones(2)),
    "bce int target": lambda t: t.nn.functional.binary_cross_entropy(t.ones(2), t.ones(2).long()),
    "bcel shapes": lambda t: t.nn.functional.binary_cross_entropy_with_logits(t.ones(2, 1), t.ones(2)),
    "bcel int": lambda t: t.nn.functional.binary_cross_entropy_with_logits(t.ones(2), t.tensor([0, 1])),
    "kl shapes": lambda t: t.nn.functional.kl_div(t.ones(2, 3), t.ones(4, 3)),
    "l1 shapes": lambda t: t.nn.functional.l1_loss(t.ones(2), t.ones(3)),
    "huber delta": lambda t: t.nn.functional.huber_loss(t.ones(2), t.ones(2), delta=-1.0),
    "cos target": lambda t: t.nn.functional.cosine_embedding_loss(t.ones(2, 3), t.ones(2, 3), t.ones(3)),
    "margin target": lambda t: t.nn.functional.margin_ranking_loss(t.ones(2), t.ones(2), t.ones(2, 2)),
    "ctc": lambda t: t.nn.functional.ctc_loss(t.ones(5, 2, 3), t.ones(2, 2).long(), t.tensor([5, 5]), t.tensor([2])),
    "softmax range": lambda t: t.nn.functional.softmax(t.ones(2), dim=2),
    "gelu approx": lambda t: t.nn.functional.gelu(t.ones(2), approximate="tan"),
    "pad odd": lambda t: t.nn.functional.pad(t.ones(2, 2), (1, 1, 1)),
    "pad many": lambda t: t.nn.functional.pad(t.ones(2), (1, 1, 1, 1)),
    "pad mode": lambda t: t.nn.functional.pad(t.ones(2, 2), (1, 1), mode="zeros"),
    "pad reflect": lambda t: t.nn.functional.pad(t.ones(1, 1, 2), (5, 5), mode="reflect"),
    "interpolate none": lambda t: t.nn.functional.interpolate(t.ones(1, 1, 2, 2)),
    "interpolate both": lambda t: t.nn.functional.interpolate(t.ones(1, 1, 2, 2), size=4, scale_factor=2),
    "interpolate mode": lambda t: t.nn.functional.interpolate(t.ones(1, 1, 2, 2), size=4, mode="cubic"),
    "interpolate dims": lambda t: t.nn.functional.interpolate(t.ones(1, 1, 2), size=4, mode="bilinear"),
    "grid": lambda t: t.nn.functional.grid_sample(t.ones(1, 1, 2, 2), t.ones(1, 2, 2, 3)),
    "attn heads": lambda t: t.nn.MultiheadAttention(5, 2),
    "attn dims": lambda t: t.nn.MultiheadAttention(4, 2)(t.ones(3, 2, 5), t.ones(3, 2, 5), t.ones(3, 2, 5)),
    "sdpa": lambda t: t.nn.functional.scaled_dot_product_attention(t.ones(2, 3, 4), t.ones(2, 3, 5), t.ones(2, 3, 5)),
    "sdpa mask causal": masked_and_causal,
    "lstm dims": lambda t: t.nn.LSTM(3, 4)(t.ones(2, 2, 5)),
    "lstm 1d": lambda t: t.nn.LSTM(3, 4)(t.ones(3)),
    "gru hx": lambda t: t.nn.GRU(3, 4)(t.ones(2, 2, 3), t.ones(2, 2, 4)),
    "rnn nonlinearity": lambda t: t.nn.RNN(3, 4, nonlinearity="sigmoid"),
    "lstmcell": lambda t: t.nn.LSTMCell(3, 4)(t.ones(2, 5)),
    "transformer heads": lambda t: t.nn.TransformerEncoderLayer(5, 2),
    "transformer activation": lambda t: t.nn.TransformerEncoderLayer(4, 2, activation="tanh"),
    "bilinear": lambda t: t.nn.Bilinear(2, 3, 4)(t.ones(2, 2), t.ones(2, 2)),
    "init before super": mod,
    "no forward": mod2,
    "no attribute": mod3,
    "sequential shapes": lambda t: seq(t)(t.ones(1, 2)),
    "sequential not module": lambda t: t.nn.Sequential(t.nn.Linear(2, 2), t.relu),
    "sequential list": lambda t: t.nn.Sequential([t.nn.Linear(2, 2)]),
    "sequential index": lambda t: t.nn.Sequential(t.nn.Linear(2, 2))[3],
    "modulelist": lambda t: t.nn.ModuleList([1]),
    "modulelist call": lambda t: t.nn.ModuleList([t.nn.Linear(2, 2)])(t.ones(2)),
    "moduledict": lambda t: t.nn.ModuleDict({"a": 1}),
    "moduledict key": lambda t: t.nn.ModuleDict({"a": t.nn.ReLU()})["b"],
    "register none name": lambda t: t.nn.Module().register_buffer(3, t.ones(2)),
    "register dot": lambda t: t.nn.Module().register_buffer("a.b", t.ones(2)),
    "register twice": lambda t: t.nn.Linear(2, 2).register_buffer("weight", t.ones(2)),
    "register not tensor": lambda t: t.nn.Module().register_buffer("a", 3),
    "register param tensor": lambda t: t.nn.Module().register_parameter("a", t.ones(2)),
    "register param non leaf": lambda t: t.nn.Module().register_parameter("a", leaf(t, 2) * 2),
    "assign param": lambda t: setattr(t.nn.Linear(2, 2), "weight", t.ones(2, 2)),
    "add_module": lambda t: t.nn.Module().add_module("a", 3),
    "get_submodule": lambda t: t.nn.Linear(2, 2).get_submodule("a"),
    "get_parameter": lambda t: t.nn.Linear(2, 2).get_parameter("a"),
    "load other": sd,
    "load missing": lambda t: lin(t, 2, 2).load_state_dict({}),
    "load unexpected": lambda t: lin(t, 2, 2).load_state_dict({**lin(t, 2, 2).state_dict(), "x": t.ones(1)}),
    "load none": lambda t: lin(t, 2, 2).load_state_dict(None),
    "load model": lambda t: lin(t, 2, 2).load_state_dict(lin(t, 2, 2)),
    "load str": lambda t: lin(t, 2, 2).load_state_dict("a.pt"),
    "apply": lambda t: lin(t, 2, 2).apply(None),
    "to dtype int": lambda t: lin(t, 2, 2).to(t.int32),
    "module to str": lambda t: lin(t, 2, 2).to("float3"),
    "train str": lambda t: lin(t, 2, 2).train("yes"),
    "Parameter int": lambda t: t.nn.Parameter(t.tensor([1, 2])),
    "requires_grad deep": lambda t: copy.deepcopy(leaf(t, 2) * 2),
    "init 1d": lambda t: t.nn.init.xavier_uniform_(t.ones(3)),
    "init kaiming mode": lambda t: t.nn.init.kaiming_normal_(t.ones(3, 3), mode="fan"),
    "init nonlinearity": lambda t: t.nn.init.calculate_gain("rely"),
    "init eye": lambda t: t.nn.init.eye_(t.ones(3)),
    "init dirac": lambda t: t.nn.init.dirac_(t.ones(2, 2)),
    "init orthogonal": lambda t: t.nn.init.orthogonal_(t.ones(2)),
}


def test_errors_are_of_pytorchs_classes() -> None:
    assert not [told for name, call in MISUSES.items() if (told := difference(name, call))]
