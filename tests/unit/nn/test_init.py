import math

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.nn import init
from tabgrad.random import Generator

SHAPE = (60, 40, 3, 3)
CASES = [
    ("uniform_", {"a": -0.5, "b": 2.0}),
    ("normal_", {"mean": 1.0, "std": 0.2}),
    ("trunc_normal_", {"mean": 0.5, "std": 1.0, "a": -1.0, "b": 1.5}),
    ("xavier_uniform_", {"gain": 2.0}),
    ("xavier_normal_", {}),
    ("kaiming_uniform_", {"a": math.sqrt(5)}),
    ("kaiming_uniform_", {"mode": "fan_out", "nonlinearity": "relu"}),
    ("kaiming_normal_", {"nonlinearity": "relu"}),
    ("constant_", {"val": 0.25}),
    ("zeros_", {}),
    ("ones_", {}),
]


def kolmogorov_distance(a, b):
    """Largest gap between two empirical distribution functions."""
    grid = np.sort(np.concatenate([a, b]))
    return np.abs(
        np.searchsorted(np.sort(a), grid, "right") / a.size - np.searchsorted(np.sort(b), grid, "right") / b.size
    ).max()


@pytest.mark.parametrize(("name", "arguments"), CASES)
def test_distributions_are_torchs(name, arguments):
    ours = tg.tensor(np.zeros(SHAPE, np.float32))
    torch.manual_seed(0)
    theirs = getattr(torch.nn.init, name)(torch.empty(SHAPE), **arguments).numpy().ravel()
    random = {} if name in ("constant_", "zeros_", "ones_") else {"generator": Generator(1)}
    assert getattr(init, name)(ours, **arguments, **random) is ours
    values = ours.numpy().ravel()
    # 21,600 values on both sides: 0.5 % of equal distributions are further apart than 0.0167
    assert kolmogorov_distance(values, theirs) < 0.0167


@pytest.mark.parametrize(
    ("layer", "arguments"),
    [("Linear", (300, 100)), ("Conv2d", (16, 32, 5)), ("Conv2d", (16, 32, 5, 1, 0, 1, 4)), ("Embedding", (200, 100))],
)
def test_layers_start_from_torchs_distributions(layer, arguments):
    torch.manual_seed(1)
    ours, theirs = getattr(nn, layer)(*arguments), getattr(torch.nn, layer)(*arguments)
    for (name, parameter), (_, expected) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
        values, wanted = parameter.detach().numpy().ravel(), expected.detach().numpy().ravel()
        limit = 2.0 * math.sqrt(2 / values.size)  # 0.1 % of equal distributions are further apart
        assert kolmogorov_distance(values, wanted) < limit, name
        if layer != "Embedding":
            bound = 1 / math.sqrt(init.calculate_fan(ours.weight.shape)[0])
            assert np.abs(values).max() <= np.float32(bound)


def test_the_same_seed_gives_the_same_bits():
    def drawn(seed):
        tensor = tg.tensor(np.zeros((5, 7), np.float32))
        return init.normal_(tensor, generator=Generator(seed)).numpy().tobytes()

    assert drawn(3) == drawn(3) != drawn(4)


def test_parameters_are_the_same_after_manual_seed():
    def drawn(seed):
        tg.manual_seed(seed)
        return nn.Linear(3, 2).weight.detach().numpy().tolist()

    assert drawn(0) == drawn(0) != drawn(1)


def test_eye_is_the_identity():
    assert init.eye_(tg.tensor(np.zeros((2, 3), np.float32))).tolist() == [[1, 0, 0], [0, 1, 0]]
    with pytest.raises(ShapeError, match="2 dimensions"):
        init.eye_(tg.tensor(np.zeros(3, np.float32)))


@pytest.mark.parametrize(
    ("nonlinearity", "param"),
    [
        ("linear", None),
        ("conv2d", None),
        ("tanh", None),
        ("relu", None),
        ("selu", None),
        ("leaky_relu", 0.2),
        ("leaky_relu", None),
    ],
)
def test_gains_are_torchs(nonlinearity, param):
    assert init.calculate_gain(nonlinearity, param) == torch.nn.init.calculate_gain(nonlinearity, param)


def test_bad_requests_are_explained():
    with pytest.raises(TabgradError, match=r"expected one of linear, .*, leaky_relu, got 'swish'"):
        init.calculate_gain("swish")
    with pytest.raises(TabgradError, match="negative slope, got 'a'"):
        init.calculate_gain("leaky_relu", "a")
    with pytest.raises(ShapeError, match=r"at least 2 dimensions, got \[3\]"):
        init.xavier_uniform_(tg.tensor([1.0, 2.0, 3.0]))
    with pytest.raises(TabgradError, match="'fan_in' or 'fan_out', got 'fan'"):
        init.kaiming_normal_(tg.tensor(np.zeros((2, 2), np.float32)), mode="fan")
    with pytest.raises(TabgradError, match=r"expected limits near the mean, got \[5, 6\]"):
        init.trunc_normal_(tg.tensor([1.0]), a=5, b=6)
