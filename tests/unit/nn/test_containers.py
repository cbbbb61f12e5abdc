import pytest

import tabgrad as tg
from tabgrad import nn
from tabgrad.errors import TabgradError


def test_sequential_runs_in_order_and_slices():
    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 3), nn.ReLU())
    assert model(tg.tensor([[[1.0, 2.0], [3.0, 4.0]]])).shape == (1, 3)
    assert model[-1] is list(model)[2]
    assert [type(m).__name__ for m in model[1:]] == ["Linear", "ReLU"]
    with pytest.raises(IndexError, match="index 3 is out of range for Sequential of 3 modules"):
        model[3]


def test_sequential_takes_names():
    model = nn.Sequential({"fc": nn.Linear(4, 3), "act": nn.ReLU()})
    assert [n for n, _ in model.named_parameters()] == ["fc.weight", "fc.bias"]
    assert model.fc is model[0]
    model[1] = nn.Tanh()
    assert isinstance(model.act, nn.Tanh)


def test_sequential_refuses_what_is_no_module():
    with pytest.raises(TypeError, match="function is not a Module subclass"):
        nn.Sequential(lambda x: x)


def test_module_list_edits():
    layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])
    layers.append(nn.Sigmoid()).insert(0, nn.Linear(1, 1))
    assert [type(m).__name__ for m in layers] == ["Linear", "ReLU", "Tanh", "Sigmoid"]
    assert list(dict(layers.named_children())) == ["0", "1", "2", "3"]
    del layers[1]
    layers[-1] = nn.Identity()
    assert [type(m).__name__ for m in layers[::2]] == ["Linear", "Identity"]
    assert isinstance(layers[:2], nn.ModuleList)
    assert len(layers) == 3


def test_module_dict_edits():
    layers = nn.ModuleDict({"a": nn.ReLU()})
    layers["b"] = nn.Linear(1, 1)
    assert list(layers) == list(layers.keys()) == ["a", "b"]
    assert "b" in layers
    assert layers.b is layers["b"]
    assert dict(layers.items()) == dict(zip(layers, layers.values(), strict=True))
    del layers["a"]
    assert len(layers) == 1
    with pytest.raises(TabgradError, match="expected modules by name, got list"):
        layers.update([nn.ReLU()])
