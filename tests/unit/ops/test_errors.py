"""What ops say about arguments that do not fit: who complains, what was expected, what came."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tabgrad as tg
from tabgrad import DeviceError, DTypeError, ShapeError
from tabgrad.nn import functional as F


def f(*shape: int) -> tg.Tensor:
    return tg.zeros(*shape)


def i(*shape: int) -> tg.Tensor:
    return tg.zeros(*shape, dtype=tg.int32)


def b(*shape: int) -> tg.Tensor:
    return tg.zeros(*shape, dtype=tg.bool)


SHAPES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: f(2, 3) + f(2, 4),
        "add: expected shapes that broadcast, got [2, 3] and [2, 4]; sizes must be equal or 1, from the right",
    ),
    (
        lambda: tg.where(b(2), f(2), f(3)),
        "where: expected shapes that broadcast, got [2] and [3]; sizes must be equal or 1, from the right",
    ),
    (lambda: f(2, 3) @ f(4, 5), "matmul: expected inner sizes to match, got [2, 3] and [4, 5] (3 and 4)"),
    (lambda: f() @ f(3), "matmul: expected at least 1 dimension each, got [] and [3]"),
    (lambda: tg.bmm(f(2, 3), f(2, 3)), "bmm: expected [B, M, K] and [B, K, N], got [2, 3] and [2, 3]"),
    (lambda: F.linear(f(2, 3), f(4, 5)), "linear: expected input [..., 5], got [2, 3]; weight is [4, 5]"),
    (
        lambda: F.conv2d(f(8, 1, 28, 28), f(4, 3, 3, 3)),
        "conv2d: expected input [N, 3, H, W], got [8, 1, 28, 28]; channels must equal the weight's 3 (groups=1)",
    ),
    (
        lambda: F.conv2d(f(1, 1, 2, 2), f(4, 1, 3, 3)),
        (
            "conv2d: expected a padded input at least as large as the kernel, got input [1, 1, 2, 2], kernel [3, 3], "
            "padding (0, 0), dilation (1, 1)"
        ),
    ),
    (
        lambda: F.conv2d(f(1, 4, 5, 5), f(3, 2, 3, 3), groups=2),
        "conv2d: expected output channels divisible by groups=2, got 3",
    ),
    (lambda: F.conv2d(f(1, 1, 5, 5), f(3, 1, 3, 3), f(4)), "conv2d: expected bias [3], got [4]"),
    (lambda: F.max_pool2d(f(3, 3), 2), "max_pool2d: expected input [N, C, H, W] or [C, H, W], got [3, 3]"),
    (
        lambda: F.max_pool2d(f(1, 1, 3, 3), 4),
        "max_pool2d: expected input at least as large as the kernel (4, 4), got [1, 1, 3, 3]",
    ),
    (lambda: f(2, 3).reshape(4, 2), "reshape: expected a shape with 6 elements, got [4, 2] for [2, 3]"),
    (lambda: f(2, 3).reshape(4, -1), "reshape: expected a shape with 6 elements, got [4, -1] for [2, 3]"),
    (lambda: f(2, 3).permute(0, 0), "permute: expected each of 2 dimensions once, got [0, 0]"),
    (lambda: f(2, 3).expand(4, 3), "expand: expected a shape that [2, 3] broadcasts to, got [4, 3]"),
    (lambda: f(2, 3).transpose(0, 3), "transpose: expected dim in [-2, 1], got 3"),
    (lambda: f(2, 3).unsqueeze(5), "unsqueeze: expected dim in [-3, 2], got 5"),
    (lambda: tg.cat([f(2, 3), f(3, 4)]), "cat: expected [2, 3] except at dim 0, got [3, 4]"),
    (lambda: tg.cat([]), "cat: expected at least one tensor, got none"),
    (lambda: f(5).split([2, 2]), "split: expected sizes that add up to 5, got [2, 2]"),
    (lambda: f(2, 3).sum(2), "sum: expected dim in [-2, 1], got 2"),
    (lambda: f(2, 3).sum((0, 0)), "sum: expected each dim once, got (0, 0)"),
    (lambda: f(0).max(), "max: expected at least one element to reduce, got shape [0]"),
    (lambda: F.cross_entropy(f(4, 3), i(5)), "cross_entropy: expected labels [4] for input [4, 3], got [5]"),
    (lambda: F.nll_loss(f(4, 3), i(4, 2)), "nll_loss: expected labels [4] for input [4, 3], got [4, 2]"),
    (lambda: F.mse_loss(f(4, 1), f(4)), "mse_loss: expected target [4, 1], got [4]; shapes must be equal"),
    (lambda: F.layer_norm(f(2, 3), (4,)), "layer_norm: expected input [..., 4], got [2, 3]"),
    (
        lambda: F.batch_norm(f(1, 3), f(3), f(3), training=True),
        "batch_norm: expected more than 1 value per channel in training, got [1, 3]",
    ),
    (lambda: F.dropout(f(2), 1.5), "dropout: expected a probability in [0, 1], got 1.5"),
    (lambda: f(2, 3).gather(0, i(3, 4)), "gather: expected an index that fits [2, 3], got [3, 4]"),
    (lambda: tg.zeros(-1), "tensor creation: expected sizes >= 0, got [-1]"),
    (lambda: tg.arange(5, 1), "arange: expected a step that leads from 5 to 1, got 1"),
    (lambda: tg.randint(3, 3, (2,)), "randint: expected 1 or more possible values, of 32 bits, got [3, 3)"),
    (lambda: f(2).item(), "item: expected a tensor with one element, got shape [2]"),
    (lambda: bool(f(2)), "bool: expected a tensor with one element, got shape [2]; use .any() or .all()"),
]

DTYPES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: i(2, 2) @ f(2, 2),
        "matmul: expected operands of one floating-point dtype, got int32 and float32; use .float()",
    ),
    (lambda: F.embedding(f(3), f(4, 5)), "embedding: expected integer indices, got float32"),
    (lambda: f(3)[f(2)], "indexing: expected an integer tensor, got float32"),
    (lambda: i(3).mean(), "mean: expected a floating-point tensor, got tabgrad.int32; use x.float().mean()"),
    (lambda: b(1) - b(1), "sub: expected numbers, got two bool tensors; use logical_xor"),
    (lambda: -b(1), "neg: expected numbers, got a bool tensor; use logical_not (or ~)"),
    (lambda: f(2).clamp(), "clamp: expected min or max, got neither"),
]

UNSUPPORTED: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: tg.compile(lambda x: x[x > 0])(f(3)),
        (
            "indexing with a bool mask inside tabgrad.compile is not supported, as its result's size depends on data; "
            "use tabgrad.where, or a sum of what the mask multiplies"
        ),
    ),
    (
        lambda: tg.compile(lambda x: F.one_hot(x))(i(3)),
        (
            "one_hot without num_classes: a result whose shape depends on data is not supported inside "
            "tabgrad.compile; call it outside, or use tabgrad.where and sums"
        ),
    ),
]


def _say(call: Callable[[], Any], kind: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def _names(table: list[tuple[Callable[[], Any], str]]) -> list[str]:
    return [message.split("; ")[0] for _, message in table]


@pytest.mark.parametrize(("call", "message"), SHAPES, ids=_names(SHAPES))
def test_wrong_shape_is_explained(call: Callable[[], Any], message: str) -> None:
    assert _say(call, ShapeError) == message


@pytest.mark.parametrize(("call", "message"), DTYPES, ids=_names(DTYPES))
def test_wrong_dtype_is_explained(call: Callable[[], Any], message: str) -> None:
    assert _say(call, DTypeError) == message


@pytest.mark.parametrize(("call", "message"), UNSUPPORTED, ids=_names(UNSUPPORTED))
def test_unsupported_use_names_what_works(call: Callable[[], Any], message: str) -> None:
    assert _say(call, NotImplementedError) == message


def test_index_out_of_range_is_an_index_error_as_in_pytorch() -> None:
    assert _say(lambda: f(3)[3], IndexError) == "index 3 is out of bounds for dimension 0 with size 3"
    assert _say(lambda: f(3)[0, 0], IndexError) == "indexing: expected at most 1 indices for shape [3], got 2"


def test_errors_of_users_are_value_errors() -> None:
    assert issubclass(tg.TabgradError, ValueError)
    for kind in (ShapeError, DTypeError, tg.GradError, tg.FileFormatError, DeviceError, tg.NotFiniteError):
        assert issubclass(kind, tg.TabgradError)


def test_unknown_device_is_explained() -> None:
    assert tg.set_default_device("cuda") is tg.current_session().device
    assert _say(lambda: tg.set_default_device("npu"), DeviceError) == (
        "device: expected one of auto, web, native, reference, got 'npu'"
    )
    assert _say(lambda: f(2).to("native"), DeviceError) == (
        "to: expected the device in use, 'reference', got 'native'; all tensors share one device: "
        "choose it first with tabgrad.set_default_device(...)"
    )
