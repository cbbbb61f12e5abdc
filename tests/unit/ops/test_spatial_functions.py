"""Functions of images against PyTorch's: values, places, and gradients of all inputs."""

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn, ops
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.nn import functional as F


def draw(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


IMAGES, VOLUMES = (2, 3, 5, 6), (1, 2, 3, 4, 3)
CASES = [
    ("grid_sample", [IMAGES, (2, 4, 3, 2)], {"mode": mode, "padding_mode": padding, "align_corners": align})
    for mode in ("bilinear", "nearest", "bicubic")
    for padding, align in (("zeros", False), ("border", True), ("reflection", False))
]
CASES += [
    ("grid_sample", [VOLUMES, (1, 2, 3, 2, 3)], {"padding_mode": "reflection", "align_corners": True}),
    ("affine_grid", [(2, 2, 3)], {"size": (2, 3, 4, 5), "align_corners": False}),
    ("affine_grid", [(1, 3, 4)], {"size": (1, 3, 4, 2, 5), "align_corners": True}),
    ("interpolate", [IMAGES], {"size": (3, 4), "mode": "bilinear", "antialias": True}),
    ("interpolate", [IMAGES], {"size": (2, 9), "mode": "bicubic", "antialias": True}),
    ("interpolate", [IMAGES], {"scale_factor": 0.61, "mode": "nearest-exact"}),
    ("max_pool1d", [(2, 3, 9)], {"kernel_size": 3, "padding": 1, "ceil_mode": True, "return_indices": True}),
    ("max_pool2d", [IMAGES], {"kernel_size": (3, 2), "stride": 2, "padding": 1, "return_indices": True}),
    ("max_pool3d", [VOLUMES], {"kernel_size": 2, "stride": 1, "return_indices": True}),
    ("adaptive_max_pool2d", [IMAGES], {"output_size": (3, 4), "return_indices": True}),
    ("adaptive_max_pool3d", [VOLUMES], {"output_size": (2, 1, None), "return_indices": True}),
    ("pad", [IMAGES], {"pad": (-2, 3, 1, -1), "mode": "reflect"}),
    ("pad", [(2, 3, 6)], {"pad": (2, -1), "mode": "circular"}),
    ("pad", [VOLUMES], {"pad": (-3, 5, 0, 2, 1, 1), "mode": "replicate"}),
    ("conv_transpose2d", [(1, 2, 3, 4), (2, 3, 2, 3)], {"dilation": 3, "output_padding": 2, "padding": 2}),
    ("conv_transpose3d", [(1, 2, 2, 3, 2), (2, 1, 2, 2, 3)], {"dilation": 3, "output_padding": 2, "stride": (1, 2, 3)}),
    ("normalize", [IMAGES], {"p": 3.0, "dim": (1, 2)}),
    ("log_softmax", [IMAGES], {"dim": 1, "dtype": "float32"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shapes", "keywords"), CASES, ids=[f"{c[0]} {c[2]}" for c in CASES])
def test_a_function_is_torchs(name, shapes, keywords):
    arrays = [draw(*shape) for shape in shapes]
    ours, theirs = [tg.tensor(a, requires_grad=True) for a in arrays], [torch.tensor(a) for a in arrays]
    for t in theirs:
        t.requires_grad_()
    mine = {k: tg.float32 if k == "dtype" else v for k, v in keywords.items()}
    wanted = {k: torch.float32 if k == "dtype" else v for k, v in keywords.items()}
    got, expected = getattr(F, name)(*ours, **mine), getattr(torch.nn.functional, name)(*theirs, **wanted)
    if keywords.get("return_indices"):
        assert got[1].tolist() == expected[1].tolist()
        got, expected = got[0], expected[0]
    np.testing.assert_allclose(got.detach().numpy(), expected.detach().numpy(), 2e-5, 1e-5)
    seed = draw(*expected.shape)
    got.backward(tg.tensor(seed))
    expected.backward(torch.tensor(seed))
    for o, t in zip(ours, theirs, strict=True):
        grad = np.zeros(t.shape, np.float32) if o.grad is None else o.grad.numpy()  # of what has no influence
        np.testing.assert_allclose(grad, t.grad.numpy(), 2e-4, 5e-5)


def test_unpooling_puts_values_where_they_were():
    x = draw(2, 3, 5, 6)
    values, places = F.max_pool2d(tg.tensor(x), 2, return_indices=True)
    theirs = torch.nn.functional.max_pool2d(torch.tensor(x), 2, return_indices=True)
    expected = torch.nn.functional.max_unpool2d(*theirs, 2, output_size=(5, 6))
    assert F.max_unpool2d(values, places, 2, output_size=(5, 6)).tolist() == expected.tolist()
    with pytest.raises(ShapeError, match="expected output_size within a stride"):
        nn.MaxUnpool2d(2)(values, places, (2, 3, 9, 6))


@pytest.mark.parametrize(("kind", "shape", "kernel"), [("2d", IMAGES, (2, 3)), ("3d", VOLUMES, (2, 1, 2))])
def test_fractional_pooling_is_torchs_for_the_same_samples(kind, shape, kernel):
    x = draw(*shape)
    samples = np.random.default_rng(3).random((*shape[:2], len(kernel))).astype(np.float32)
    name, options = f"fractional_max_pool{kind}", {"output_ratio": (0.6,) * len(kernel), "return_indices": True}
    got = getattr(F, name)(tg.tensor(x), kernel, _random_samples=tg.tensor(samples), **options)
    theirs = getattr(torch.nn.functional, name)
    expected = theirs(torch.tensor(x), kernel, _random_samples=torch.tensor(samples), **options)
    assert [t.tolist() for t in got] == [t.tolist() for t in expected]


def test_deformable_convolution_reads_where_offsets_say():
    x, w, b = draw(2, 4, 6, 7), draw(6, 2, 3, 2), draw(6)
    options = {"stride": (2, 1), "padding": 1, "dilation": (1, 2)}
    expected = torch.nn.functional.conv2d(*map(torch.tensor, (x, w, b)), groups=2, **options).numpy()
    offset, mask = np.zeros((2, 24, *expected.shape[2:]), np.float32), np.ones((2, 12, *expected.shape[2:]), np.float32)
    given = [tg.tensor(a) for a in (x, offset, w, b)]
    np.testing.assert_allclose(ops.deform_conv2d(*given, **options).numpy(), expected, 1e-5, 1e-5)
    offset[:, 12::2] = 1  # y of the second group's channels: one row below
    given[1] = tg.tensor(offset)
    got = ops.deform_conv2d(*given, **options, mask=tg.tensor(mask * 0.5)).numpy() - b[:, None, None]
    below = np.concatenate([x[:, :2], np.pad(x[:, 2:], ((0, 0), (0, 0), (0, 1), (0, 0)))[:, :, 1:]], 1)
    wanted = F.conv2d(tg.tensor(below), tg.tensor(w), stride=(2, 1), padding=1, dilation=(1, 2), groups=2).numpy()
    # the first row of the result reads rows that were padding, too
    np.testing.assert_allclose(got[:, :, 1:] * 2, wanted[:, :, 1:], 1e-4, 1e-5)


def test_dropout_of_channels_drops_whole_channels_and_keeps_the_mean():
    tg.manual_seed(0)
    out = F.dropout2d(tg.ones(40, 50, 2, 3), 0.25).numpy()
    per_channel = out.reshape(2000, 6)
    assert (per_channel == per_channel[:, :1]).all()
    assert set(np.unique(out)) == {0, np.float32(1 / 0.75)}
    assert out.mean() == pytest.approx(1, abs=0.05)


def test_alpha_dropout_keeps_mean_and_variance():
    tg.manual_seed(0)
    out = F.alpha_dropout(tg.randn(400, 100), 0.3, training=True).numpy()
    assert out.mean() == pytest.approx(0, abs=0.02)
    assert out.var() == pytest.approx(1, abs=0.05)


def test_random_slopes_lie_between_their_limits():
    tg.manual_seed(0)
    out = F.rrelu(-tg.ones(1000), 0.2, 0.4, training=True).numpy()
    assert -0.4 <= out.min() < -0.35
    assert -0.25 < out.max() <= -0.2


def test_gumbel_softmax_draws_its_distribution():
    tg.manual_seed(0)
    logits = tg.tensor(np.log([[0.1, 0.6, 0.3]] * 4000).astype(np.float32), requires_grad=True)
    hard = F.gumbel_softmax(logits, hard=True)
    assert hard.detach().numpy().mean(0) == pytest.approx([0.1, 0.6, 0.3], abs=0.03)
    hard[:, 0].sum().backward()
    assert (logits.grad.numpy() != 0).any()


def test_running_statistics_of_instance_norm_are_torchs():
    x = draw(3, 2, 4, 4)
    ours, theirs = (m.InstanceNorm2d(2, track_running_stats=True) for m in (nn, torch.nn))
    ours(tg.tensor(x)), theirs(torch.tensor(x))
    np.testing.assert_allclose(ours.running_mean.numpy(), theirs.running_mean.numpy(), 1e-5, 1e-6)
    np.testing.assert_allclose(ours.running_var.numpy(), theirs.running_var.numpy(), 1e-5)
    got, expected = ours.eval()(tg.tensor(x)), theirs.eval()(torch.tensor(x))
    np.testing.assert_allclose(got.numpy(), expected.numpy(), 1e-5, 1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: F.interpolate(x), "expected one of size and scale_factor"),
        (lambda x: F.interpolate(x, 3, mode="nearest", align_corners=True), "expected align_corners with linear"),
        (lambda x: F.interpolate(x, 3, mode="trilinear"), "expected 3 axes after"),
        (lambda x: F.pad(x, (6, 0, 0, 0), "reflect"), "expected at most 5 elements on a side of dim 3"),
        (lambda x: F.pad(x, (1, 1), "mirror"), "expected mode 'constant', 'reflect'"),
        (lambda x: F.grid_sample(x, x), "expected input .* and grid"),
        (lambda x: F.avg_pool2d(x, 2, divisor_override=0), "expected divisor_override as a whole number"),
        (lambda x: nn.CrossMapLRN2d(3), "use LocalResponseNorm"),
        (lambda x: nn.ConvTranspose2d(3, 4, 3)(x, (20, 20)), r"expected output_size from \[7, 8\] to \[7, 8\]"),
        (lambda x: F.glu(x, 2), "expected an even size along dim 2"),
        (lambda x: nn.InstanceNorm2d(4, affine=True)(x), "expected 4 channels"),
    ],
)
def test_misuse_is_named(call, message):
    with pytest.raises((TabgradError, NotImplementedError), match=message):
        call(tg.zeros(2, 3, 5, 6))
