"""Layers that read their channels from the first input: as PyTorch's, before and after it."""

import pytest
import torch

import tabgrad as tg
from tabgrad import nn
from tabgrad.errors import TabgradError

LAYERS = [
    ("LazyLinear", (3,), {}, (2, 5)),
    ("LazyConv1d", (4, 3), {"padding": 1}, (2, 5, 6)),
    ("LazyConv2d", (4, 3), {"groups": 2, "bias": False}, (2, 6, 5, 4)),
    ("LazyConv3d", (2, 1), {}, (3, 2, 2, 2)),
    ("LazyConvTranspose1d", (4, 3), {}, (5, 6)),
    ("LazyConvTranspose2d", (4, 3), {"stride": 2}, (2, 3, 3, 4)),
    ("LazyConvTranspose3d", (2, 2), {}, (1, 3, 2, 2, 2)),
    ("LazyBatchNorm1d", (), {}, (4, 3)),
    ("LazyBatchNorm2d", (), {"eps": 1e-3}, (2, 3, 4, 2)),
    ("LazyBatchNorm3d", (), {"affine": False}, (2, 3, 2, 2, 2)),
    ("LazyInstanceNorm1d", (), {}, (2, 3, 4)),
    ("LazyInstanceNorm2d", (), {"track_running_stats": False}, (2, 3, 4, 2)),
    ("LazyInstanceNorm3d", (), {}, (2, 3, 2, 2, 2)),
]


@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature:UserWarning")
@pytest.mark.parametrize(("name", "args", "keywords", "shape"), LAYERS, ids=[c[0] for c in LAYERS])
def test_a_lazy_layer_is_torchs(same_as_torch, rng, name, args, keywords, shape):
    ours, theirs = getattr(nn, name)(*args, **keywords), getattr(torch.nn, name)(*args, **keywords)
    assert repr(ours) == repr(theirs)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    x = rng.standard_normal(shape).astype("float32")
    ours(tg.tensor(x))
    theirs(torch.tensor(x))
    assert type(ours).__name__ == type(theirs).__name__ == name[4:]
    assert repr(ours) == repr(theirs)
    same_as_torch(ours, theirs, x)


@pytest.mark.parametrize("layer", [lambda: nn.LazyConv2d(4, 3, groups=2), lambda: nn.LazyConvTranspose2d(4, 3)])
def test_a_lazy_layer_takes_its_size_from_a_state_dict(layer, rng):
    first = nn.Sequential(layer(), nn.LazyBatchNorm2d())
    x = tg.tensor(rng.standard_normal((2, 6, 5, 5)).astype("float32"))
    first(x)
    second = nn.Sequential(layer(), nn.LazyBatchNorm2d())
    second.load_state_dict(first.state_dict())
    assert repr(second) == repr(first)
    assert second.eval()(x).tolist() == first.eval()(x).tolist()


def test_a_parameter_without_a_shape_says_so():
    layer = nn.LazyLinear(3)
    assert repr(layer.weight) == "<UninitializedParameter>"
    assert layer.has_uninitialized_params()
    with pytest.raises(TabgradError, match="call the module with an input first"):
        sum(p.numel() for p in layer.parameters())
    weight, optimizer = layer.weight, tg.optim.SGD(layer.parameters(), lr=0.5)
    layer(tg.ones(2, 5)).sum().backward()
    assert layer.weight is weight
    before = weight.detach().numpy().copy()
    optimizer.step()
    assert weight.detach().numpy() == pytest.approx(before - 1)
