"""What is misused says so in one sentence: who complains, what was expected, what came."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from tabgrad import TabgradError, nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.optim import lr_scheduler
from tabgrad.train import Trainer
from unit.train.harness import logged

NAN, INF = math.nan, math.inf


def weight() -> tg.Tensor:
    return tg.tensor([1.0, 2.0], requires_grad=True)


def clipped(**options: Any) -> None:
    w = weight()
    w.sum().backward()
    nn.utils.clip_grad_norm_(w, **options)


NUMBERS: dict[str, tuple[Callable[[], Any], str]] = {
    **{
        f"{kind} {name}={value}": (
            lambda kind=kind, name=name, value=value: getattr(optim, kind)([weight()], **{name: value}),
            f"{kind}: expected ",
        )
        for kind, names in (
            ("Adam", ("lr", "eps", "weight_decay", "betas")),
            ("AdamW", ("lr", "betas")),
            ("SGD", ("lr", "momentum", "weight_decay", "dampening")),
        )
        for name in names
        for value in (((NAN, 0.9), (0.9, -1), (0.9,), 0.9, None) if name == "betas" else (NAN, INF, "0.1", None))
    },
    "group lr": (lambda: optim.Adam([{"params": [weight()], "lr": NAN}]), "Adam: expected lr"),
    "negative lr": (lambda: optim.SGD([weight()], lr=-0.1), "SGD: expected lr, momentum, weight_decay >= 0, got -0.1"),
    "clip -1": (lambda: clipped(max_norm=-1), "clip_grad_norm_: expected max_norm as a number >= 0, got -1"),
    "clip nan": (lambda: clipped(max_norm=NAN), "clip_grad_norm_: expected max_norm as a number >= 0, got nan"),
    "clip text": (lambda: clipped(max_norm="1"), "clip_grad_norm_: expected max_norm as a number >= 0, got '1'"),
    "norm nan": (lambda: clipped(max_norm=1, norm_type=NAN), "clip_grad_norm_: expected norm_type as a number >= 0"),
    "clip value": (
        lambda: nn.utils.clip_grad_value_(weight(), -1),
        "clip_grad_value_: expected clip_value as a number",
    ),
    "clip what": (lambda: nn.utils.clip_grad_norm_(["a"], 1), "clip_grad_norm_: expected tensors, .*got str"),
    "seed 1.5": (lambda: tg.manual_seed(1.5), "manual_seed: expected seed as a whole number, got 1.5"),
    "seed text": (lambda: tg.Generator("x"), "manual_seed: expected seed as a whole number, got 'x'"),
    "step size": (lambda: lr_scheduler.StepLR(optim.SGD([weight()]), 0), "StepLR: expected step_size of at least 1"),
    "T_max": (lambda: lr_scheduler.CosineAnnealingLR(optim.SGD([weight()]), 0), "T_max of at least 1, got 0"),
    "factor": (
        lambda: lr_scheduler.LambdaLR(optim.SGD([weight()]), lambda e: NAN),
        "LambdaLR: expected a finite factor >= 0 for epoch 0, got nan",
    ),
}

LAYERS: dict[str, tuple[Callable[[], Any], str]] = {
    "MaxPool2d(0)": (
        lambda: nn.MaxPool2d(0),
        "MaxPool2d: expected kernel_size as a whole number or two, at least 1, got 0",
    ),
    "MaxPool2d stride": (lambda: nn.MaxPool2d(2, 0), "MaxPool2d: expected stride .* at least 1, got 0"),
    "MaxPool2d padding": (lambda: nn.MaxPool2d(2, padding=2), "MaxPool2d: expected padding of at most half the kernel"),
    "AvgPool2d": (lambda: nn.AvgPool2d(-1), "AvgPool2d: expected kernel_size"),
    "AvgPool2d 1.5": (lambda: nn.AvgPool2d(1.5), "AvgPool2d: expected kernel_size .* got 1.5"),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d(0), "AdaptiveAvgPool2d: expected output_size"),
    "pool too large": (lambda: nn.MaxPool2d(5)(tg.zeros(1, 1, 3, 3)), "max_pool2d: expected input at least as large"),
    "functional pool": (lambda: nn.functional.max_pool2d(tg.zeros(1, 1, 3, 3), 0), "max_pool2d: expected kernel_size"),
    "functional stride": (
        lambda: nn.functional.avg_pool2d(tg.zeros(1, 1, 3, 3), 2, 0),
        "avg_pool2d: expected .*stride",
    ),
    "Conv2d kernel": (lambda: nn.Conv2d(1, 2, 0), "Conv2d: expected kernel_size .* at least 1, got 0"),
    "Conv2d stride": (lambda: nn.Conv2d(1, 2, 3, stride=0), "Conv2d: expected stride"),
    "Conv2d padding": (lambda: nn.Conv2d(1, 2, 3, padding=-1), "Conv2d: expected padding"),
    "Conv2d groups": (lambda: nn.Conv2d(1, 2, 3, groups=0), "Conv2d: expected groups of at least 1, got 0"),
    "Conv2d channels": (lambda: nn.Conv2d(-1, 2, 3), "Conv2d: expected in_channels of at least 1, got -1"),
    "Conv2d none": (lambda: nn.Conv2d(1, 0, 3), "Conv2d: expected out_channels of at least 1, got 0"),
    "Linear": (lambda: nn.Linear(-1, 2), "Linear: expected in_features of at least 0, got -1"),
    "Linear text": (lambda: nn.Linear(2, "3"), "Linear: expected out_features as a whole number, got '3'"),
    "Dropout": (lambda: nn.Dropout(1.5), "Dropout: expected a probability between 0 and 1, got 1.5"),
    "Dropout nan": (lambda: nn.Dropout(NAN), "Dropout: expected a probability between 0 and 1, got nan"),
    "Dropout text": (lambda: nn.Dropout("0.5"), "Dropout: expected a probability between 0 and 1, got '0.5'"),
    "Embedding": (lambda: nn.Embedding(0, 3), "Embedding: expected num_embeddings of at least 1, got 0"),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(0), "BatchNorm2d: expected num_features of at least 1, got 0"),
    "BatchNorm eps": (lambda: nn.BatchNorm1d(3, eps=NAN), "BatchNorm1d: expected eps as a finite number >= 0, got nan"),
    "LayerNorm": (lambda: nn.LayerNorm((3, -1)), "LayerNorm: expected normalized_shape of at least 1, got -1"),
    "GroupNorm": (lambda: nn.GroupNorm(0, 4), "GroupNorm: expected num_groups of at least 1, got 0"),
    "Attention": (lambda: nn.MultiheadAttention(4, 0), "MultiheadAttention: expected num_heads of at least 1, got 0"),
    "smoothing": (lambda: nn.CrossEntropyLoss(label_smoothing=2), "CrossEntropyLoss: expected label_smoothing"),
    "state of nothing": (
        lambda: nn.Linear(1, 1).load_state_dict(None),
        "load_state_dict: expected a dict .* got NoneType",
    ),
    "state of a list": (lambda: nn.Linear(1, 1).load_state_dict([1]), "load_state_dict: expected a dict .* got list"),
    "state of none": (
        lambda: nn.Linear(1, 1).load_state_dict({"weight": None, "bias": 3}),
        '"weight": expected a Tensor',
    ),
}


def saved(kind: str = "Adam", size: int = 2, count: int = 1, **options: Any) -> dict[str, Any]:
    """The state of an optimizer after a step."""
    parameters = [tg.ones(size, requires_grad=True) for _ in range(count)]
    optimizer = getattr(optim, kind)(parameters, **options)
    sum((p.sum() for p in parameters), tg.zeros(())).backward()
    optimizer.step()
    return optimizer.state_dict()


def load(state: Any) -> None:
    optim.Adam([weight()]).load_state_dict(state)


OPTIMIZERS: dict[str, tuple[Callable[[], Any], str]] = {
    "another kind": (
        lambda: load(saved("SGD", momentum=0.9)),
        "expected the hyperparameters lr, betas, .*another kind",
    ),
    "another size": (lambda: load(saved(size=3)), r"load_state_dict: expected exp_avg \[2\], got \[3\]"),
    "another count": (lambda: load(saved(count=2)), r"load_state_dict: expected groups of \[1\] parameters, got \[2\]"),
    "no dict": (lambda: load([1]), "load_state_dict: expected a dict with 'state' and 'param_groups', .* got list"),
    "a model's": (lambda: load(nn.Linear(1, 1).state_dict()), r"got one with \['bias', 'weight'\]"),
    "nonsense": (lambda: load({"state": 3, "param_groups": 4}), "expected 'state' as a dict"),
    "bad lr": (
        lambda: load({**saved(), "param_groups": [{**saved()["param_groups"][0], "lr": NAN}]}),
        "Adam: expected lr, eps, weight_decay >= 0",
    ),
    "bad step": (
        lambda: load({**saved(), "state": {0: {**saved()["state"][0], "step": 1.5}}}),
        "expected step as a whole number >= 0, got 1.5",
    ),
    "no parameters": (lambda: optim.Adam(nn.ReLU().parameters()), "optimizer: expected parameters, got an empty list"),
    "an empty group": (lambda: optim.Adam([{"params": []}]), "optimizer: expected parameters, got a group without any"),
    "frozen": (lambda: optim.Adam([tg.ones(2)]).step(), "optimizer: expected a parameter that requires a gradient"),
    "integers": (lambda: optim.Adam([tg.tensor([1])]), "optimizer: expected float32 parameters, got one of int32"),
    "twice": (lambda: optim.Adam([w := weight(), w]), "expected each parameter once"),
    "a tensor": (lambda: optim.Adam(weight()), "optimizer: expected parameters .* got Tensor"),
    "numbers": (lambda: optim.Adam([1.0]), "optimizer: expected leaf tensors .* got float"),
    "names": (lambda: optim.Adam(dict(nn.Linear(1, 1).named_parameters())), "expected leaf tensors .* got str"),
}


def arrays(n: int = 6, fields: int = 2) -> TensorDataset:
    rng = np.random.default_rng(0)
    return TensorDataset(*(rng.standard_normal((n, 3 if f == 0 else 1)).astype(np.float32) for f in range(fields)))


def trainer(loss: Any = None, metrics: Any = (), outputs: int = 1) -> Trainer:
    model = nn.Linear(3, outputs)
    return Trainer(model, loss or nn.MSELoss(), optim.SGD(model.parameters()), metrics, collectors=[])


def fit(data: Any = None, validation: Any = None, epochs: Any = 1, **options: Any) -> None:
    loader = DataLoader(arrays(), 2) if data is None else data
    asyncio.run(trainer(**options).fit(loader, validation, epochs))


def evaluate(data: Any) -> None:
    asyncio.run(trainer().evaluate(data))


def classes(labels: Any) -> DataLoader:
    return DataLoader(TensorDataset(np.zeros((len(labels), 3), np.float32), np.asarray(labels)), len(labels))


CROSS = {"loss": nn.CrossEntropyLoss(), "outputs": 4}

TRAINING: dict[str, tuple[Callable[[], Any], str]] = {
    "epochs 1.5": (lambda: fit(epochs=1.5), "fit: expected epochs as a whole number, got 1.5"),
    "epochs -1": (lambda: fit(epochs=-1), "fit: expected at least one batch and one epoch, got 3 and -1"),
    "no loader": (lambda: fit(arrays()), "fit: expected a DataLoader, got TensorDataset; wrap data in"),
    "empty": (lambda: fit(DataLoader(arrays(0))), "fit: expected at least one batch and one epoch, got 0 and 1"),
    "empty validation": (
        lambda: fit(None, DataLoader(arrays(0))),
        "fit: expected a validation loader with at least one",
    ),
    "empty evaluation": (
        lambda: evaluate(DataLoader(arrays(0))),
        "evaluate: expected at least one batch, got a loader",
    ),
    "evaluation of a list": (lambda: evaluate([1]), "evaluate: expected a DataLoader, got list"),
    "three fields": (lambda: fit(DataLoader(arrays(6, 3))), r"fit: expected batches of two fields, .* got 3 fields"),
    "one field": (lambda: fit(DataLoader(arrays(6, 1))), r"fit: expected batches of two fields, .* got 1 fields"),
    "no pairs": (lambda: fit(DataLoader([1.0, 2.0])), "fit: expected batches of two fields, .* got ndarray"),
    "dicts": (lambda: fit(DataLoader([{"x": 1.0}])), "fit: expected batches of two fields, .* got dict"),
    "evaluation of one field": (lambda: evaluate(DataLoader(arrays(6, 1))), "evaluate: expected batches of two fields"),
    "batch_size 1.5": (lambda: DataLoader(arrays(), 1.5), "DataLoader: expected batch_size of at least 1, got 1.5"),
    "batch_size -1": (lambda: DataLoader(arrays(), -1), "DataLoader: expected batch_size of at least 1, got -1"),
    "no dataset": (lambda: DataLoader(3), r"DataLoader: expected a dataset with len\(\) and \[i\], got int"),
    "uneven samples": (
        lambda: fit(DataLoader([(np.zeros(n, np.float32), np.zeros(1, np.float32)) for n in (3, 2)], 2)),
        r"default_collate: expected samples of one shape, got \[\[2\], \[3\]\]",
    ),
    "uneven kinds": (lambda: list(DataLoader([(1.0, 2.0), 3.0], 2)), "default_collate: expected samples of one kind"),
    "other keys": (
        lambda: list(DataLoader([{"x": 1.0}, {"y": 1.0}], 2)),
        "default_collate: expected samples with the keys",
    ),
    "accuracy of numbers": (lambda: fit(metrics=["accuracy"]), "expected a loss over classes with metrics"),
    "metric name": (lambda: fit(metrics="accuracy"), "Trainer: expected metrics as a list of names"),
    "loss class": (lambda: fit(loss=nn.MSELoss), "Trainer: expected loss_fn as a function .* got the class MSELoss"),
    "labels above": (
        lambda: fit(classes([0, 9, 3]), **CROSS),
        "the loss is nan at step 1; expected labels from 0 to 3, .* got labels from 0 to 9; .* last layer 10 outputs",
    ),
    "labels below": (
        lambda: fit(classes([0, -1, 3]), **CROSS),
        "got labels from -1 to 3; renumber them, or pass ignore",
    ),
    "labels ignored": (
        lambda: fit(classes([-100, -100]), **CROSS),
        r"expected labels that count, got -100 \(the ignore",
    ),
    "float labels": (
        lambda: fit(classes(np.zeros(2, np.float32)), **CROSS),
        r"cross_entropy: expected labels \[2\] as integers",
    ),
}


@pytest.mark.parametrize("case", [*NUMBERS, *LAYERS, *OPTIMIZERS, *TRAINING])
def test_misuse_is_explained(case: str) -> None:
    misuse, message = {**NUMBERS, **LAYERS, **OPTIMIZERS, **TRAINING}[case]
    with logged(), pytest.raises((TabgradError, TypeError), match=message):
        misuse()


def test_evaluate_after_an_empty_loader_gives_fresh_values() -> None:
    run = trainer()
    loader = DataLoader(arrays(), 2)
    before = asyncio.run(run.evaluate(loader))
    with pytest.raises(TabgradError, match="evaluate: expected at least one batch"):
        asyncio.run(run.evaluate(DataLoader(arrays(0))))
    assert run.model.training
    assert asyncio.run(run.evaluate(loader)) == before


def test_a_refused_state_changes_nothing() -> None:
    w = weight()
    optimizer = optim.Adam([w], lr=0.5)
    for state in (saved(size=3), {**saved(), "param_groups": [{**saved()["param_groups"][0], "lr": NAN}]}):
        with pytest.raises(TabgradError):
            optimizer.load_state_dict(state)
    assert optimizer.param_groups[0]["lr"] == 0.5
    assert optimizer.state_dict()["state"] == {}
