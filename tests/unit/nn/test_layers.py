import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.nn import functional as F


def normal(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(5, 7), (7,), (2, 3, 7), (1, 7)])
@pytest.mark.parametrize("bias", [True, False])
def test_linear_is_torchs(same_as_torch, rng, shape, bias):
    same_as_torch(nn.Linear(7, 3, bias=bias), torch.nn.Linear(7, 3, bias=bias), normal(rng, *shape))


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        ({"kernel_size": 3}, (5, 7)),
        ({"kernel_size": 3, "padding": 1, "stride": 2}, (5, 7)),
        ({"kernel_size": (3, 2), "padding": (2, 0), "dilation": (2, 1)}, (5, 7)),
        ({"kernel_size": 3, "groups": 2, "bias": False}, (5, 5)),
        ({"kernel_size": 3, "padding": "same", "dilation": 2}, (5, 7)),
        ({"kernel_size": (4, 2), "padding": "same"}, (5, 7)),
        ({"kernel_size": 2, "padding": "valid"}, (5, 3)),
        ({"kernel_size": 1}, (1, 1)),
    ],
)
@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel:UserWarning")
def test_conv2d_is_torchs(same_as_torch, rng, arguments, size):
    same_as_torch(nn.Conv2d(4, 6, **arguments), torch.nn.Conv2d(4, 6, **arguments), normal(rng, 2, 4, *size))


def test_conv2d_refuses_what_it_cannot_do():
    with pytest.raises(TabgradError, match="expected padding_mode 'zeros' or"):
        nn.Conv2d(1, 1, 3, padding_mode="mirror")
    with pytest.raises(ShapeError, match="divisible by groups=2, got 3 and 4"):
        nn.Conv2d(3, 4, 3, groups=2)
    with pytest.raises(ShapeError, match="padding='same' needs stride 1"):
        nn.Conv2d(1, 1, 3, stride=2, padding="same")
    with pytest.raises(ShapeError, match="'same' or 'valid', got 'full'"):
        nn.Conv2d(1, 1, 3, padding="full")
    with pytest.raises(ShapeError, match="expected kernel_size as a whole number or two"):
        nn.Conv2d(1, 1, 0)


@pytest.mark.parametrize("arguments", [{}, {"affine": False}, {"momentum": 0.3, "eps": 1e-2}, {"momentum": None}])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm2d_is_torchs(same_as_torch, rng, arguments, training):
    ours, theirs = nn.BatchNorm2d(3, **arguments), torch.nn.BatchNorm2d(3, **arguments)
    for _ in range(2):  # statistics that have moved
        theirs.train()(torch.tensor(normal(rng, 4, 3, 2, 5) * 2 + 1))
    same_as_torch(ours.train(training), theirs.train(training), normal(rng, 4, 3, 2, 5))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(6, 3), (2, 3, 5)])
def test_batch_norm1d_without_statistics_is_torchs(same_as_torch, rng, shape, training):
    ours = nn.BatchNorm1d(3, track_running_stats=False).train(training)
    theirs = torch.nn.BatchNorm1d(3, track_running_stats=False).train(training)
    same_as_torch(ours, theirs, normal(rng, *shape))


def test_batch_norm_forgets_its_statistics(rng):
    layer = nn.BatchNorm2d(3)
    layer(tg.tensor(normal(rng, 4, 3, 2, 2)))
    assert layer.num_batches_tracked.item() == 1
    layer.reset_running_stats()
    assert layer.num_batches_tracked.item() == 0
    assert layer.running_mean.tolist() == [0, 0, 0]
    assert layer.running_var.tolist() == [1, 1, 1]


def test_batch_norm_names_a_wrong_input():
    with pytest.raises(ShapeError, match=r"BatchNorm2d: expected input \[N, 3, H, W\], got \[4, 2, 5, 5\]"):
        nn.BatchNorm2d(3)(tg.tensor(np.zeros((4, 2, 5, 5), np.float32)))
    with pytest.raises(ShapeError, match=r"BatchNorm1d: expected input \[N, 3\] or \[N, 3, L\]"):
        nn.BatchNorm1d(3)(tg.tensor(np.zeros((4, 3, 5, 5), np.float32)))


@pytest.mark.parametrize(
    ("normalized", "arguments"), [(7, {}), ((5, 7), {"eps": 1e-3}), (7, {"elementwise_affine": False})]
)
def test_rms_norm_is_torchs(same_as_torch, rng, normalized, arguments):
    ours, theirs = nn.RMSNorm(normalized, **arguments), torch.nn.RMSNorm(normalized, **arguments)
    same_as_torch(ours, theirs, normal(rng, 3, 5, 7))
    assert ours.extra_repr() == theirs.extra_repr()


@pytest.mark.parametrize("arguments", [{}, {"eps": 1e-2}, {"affine": False}, {"bias": False}])
@pytest.mark.parametrize("shape", [(3, 6), (3, 6, 5), (2, 6, 3, 5)])
def test_group_norm_is_torchs(same_as_torch, rng, shape, arguments):
    ours, theirs = nn.GroupNorm(2, 6, **arguments), torch.nn.GroupNorm(2, 6, **arguments)
    same_as_torch(ours, theirs, normal(rng, *shape))
    assert ours.extra_repr() == theirs.extra_repr()


def test_norms_name_a_wrong_input(rng):
    with pytest.raises(ShapeError, match=r"rms_norm: expected input \[..., 7\], got \[3, 5\]"):
        nn.RMSNorm(7)(tg.tensor(normal(rng, 3, 5)))
    with pytest.raises(ShapeError, match="GroupNorm: expected num_channels that num_groups=4 divides, got 6"):
        nn.GroupNorm(4, 6)
    with pytest.raises(ShapeError, match=r"group_norm: expected input \[N, C, ...\], got \[3\]"):
        F.group_norm(tg.tensor(normal(rng, 3)), 1)


@pytest.mark.parametrize("arguments", [{}, {"elementwise_affine": False}, {"bias": False}, {"eps": 0.1}])
@pytest.mark.parametrize("normalized", [5, (4, 5)])
def test_layer_norm_is_torchs(same_as_torch, rng, arguments, normalized):
    ours, theirs = nn.LayerNorm(normalized, **arguments), torch.nn.LayerNorm(normalized, **arguments)
    same_as_torch(ours, theirs, normal(rng, 3, 4, 5))


@pytest.mark.parametrize("padding_idx", [None, 2, -1])
def test_embedding_is_torchs(same_as_torch, padding_idx):
    ours, theirs = nn.Embedding(6, 3, padding_idx), torch.nn.Embedding(6, 3, padding_idx)
    same_as_torch(ours, theirs, np.array([[0, 2, 5], [5, 2, 2]], np.int32))


def test_embedding_padding_starts_at_zero():
    weight = nn.Embedding(6, 3, padding_idx=2).weight.detach().numpy()
    assert (weight[2] == 0).all()
    assert (weight[[0, 1, 3, 4, 5]] != 0).all()
    with pytest.raises(TabgradError, match="padding_idx within 6 vectors, got 6"):
        nn.Embedding(6, 3, padding_idx=6)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ReLU", {}),
        ("LeakyReLU", {}),
        ("LeakyReLU", {"negative_slope": 0.3}),
        ("ELU", {"alpha": 1.5}),
        ("GELU", {}),
        ("GELU", {"approximate": "tanh"}),
        ("SiLU", {}),
        ("Sigmoid", {}),
        ("Tanh", {}),
        ("Softmax", {"dim": 1}),
        ("LogSoftmax", {"dim": -1}),
        ("Identity", {}),
        ("Flatten", {}),
        ("Flatten", {"start_dim": 0, "end_dim": 1}),
        ("MaxPool2d", {"kernel_size": 2}),
        ("MaxPool2d", {"kernel_size": (3, 2), "stride": 1, "padding": 1}),
        ("AvgPool2d", {"kernel_size": 2}),
        ("AvgPool2d", {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False}),
        ("AdaptiveAvgPool2d", {"output_size": 1}),
        ("AdaptiveAvgPool2d", {"output_size": (2, 3)}),
    ],
)
def test_layers_without_state_are_torchs(same_as_torch, rng, name, arguments):
    ours, theirs = getattr(nn, name)(**arguments), getattr(torch.nn, name)(**arguments)
    assert repr(ours) == repr(theirs)
    same_as_torch(ours, theirs, normal(rng, 2, 3, 4, 6) * 2)


def test_dropout_zeroes_and_scales_in_training_only():
    layer, x = nn.Dropout(0.25), tg.tensor(np.ones((200, 200), np.float32))
    out = layer(x).numpy()
    assert np.unique(out).tolist() == [0, np.float32(1 / 0.75)]
    assert abs((out == 0).mean() - 0.25) < 0.01  # 40,000 draws: standard deviation 0.002
    assert layer.eval()(x) is x
    with pytest.raises(TabgradError, match=r"a probability between 0 and 1, got 1.5"):
        nn.Dropout(1.5)


def test_functional_embedding_gives_padding_no_gradient():
    weight = tg.tensor(np.ones((4, 2), np.float32), requires_grad=True)
    F.embedding(tg.tensor([1, 3, 1]), weight, padding_idx=-1).sum().backward()
    assert weight.grad.tolist() == [[0, 0], [2, 2], [0, 0], [0, 0]]
