"""Matrix products and convolutions, in every form that PyTorch has."""

from __future__ import annotations

from typing import Any

from device.op_cases.case import OpCase, case, f

_PRODUCTS: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = [
    ("primes", (7, 11), (11, 13)),
    ("one", (1, 1), (1, 1)),
    ("row by matrix", (1, 17), (17, 5)),
    ("matrix by column", (17, 5), (5, 1)),
    ("dot", (19,), (19,)),
    ("vector matrix", (7,), (7, 5)),
    ("matrix vector", (5, 7), (7,)),
    ("batch", (3, 5, 7), (3, 7, 2)),
    ("batch by matrix", (3, 5, 7), (7, 2)),
    ("matrix by batch", (5, 7), (3, 7, 2)),
    ("batch by vector", (3, 5, 7), (7,)),
    ("vector by batch", (7,), (3, 7, 2)),
    ("broadcast batch", (3, 1, 5, 7), (2, 7, 3)),
    ("broadcast both", (3, 1, 5, 7), (1, 2, 7, 3)),
    ("empty rows", (0, 3), (3, 2)),
    ("empty inner", (2, 0), (0, 3)),
    ("empty batch", (0, 2, 3), (0, 3, 4)),
    ("over a tile", (67, 71), (71, 73)),
    ("long inner", (5, 1031), (1031, 3)),
    ("multiples of four", (32, 64), (64, 16)),
]
_MATMUL = [case(f"matmul {label}", lambda T, F, a, b: a @ b, f(*left), f(*right)) for label, left, right in _PRODUCTS]

_SIZES = {"odd": (11, 7, 13), "even": (32, 16, 64)}
_TRANSPOSED = [
    made
    for label, (m, k, n) in _SIZES.items()
    for made in (
        case(f"matmul A B {label}", lambda T, F, a, b: T.matmul(a, b), f(m, k), f(k, n)),
        case(f"matmul At B {label}", lambda T, F, a, b: T.matmul(a.t(), b), f(k, m), f(k, n)),
        case(f"matmul A Bt {label}", lambda T, F, a, b: T.matmul(a, b.T), f(m, k), f(n, k)),
        case(f"matmul At Bt {label}", lambda T, F, a, b: T.matmul(a.t(), b.t()), f(k, m), f(n, k)),
        case(f"matmul batch A Bt {label}", lambda T, F, a, b: a @ b.transpose(1, 2), f(3, m, k), f(3, n, k)),
        case(f"matmul batch At B {label}", lambda T, F, a, b: a.transpose(-2, -1) @ b, f(3, k, m), f(3, k, n)),
    )
]

_LINEAR = [
    case("linear", lambda T, F, x, w, b: F.linear(x, w, b), f(5, 7), f(11, 7), f(11)),
    case("linear without bias", lambda T, F, x, w: F.linear(x, w), f(5, 7), f(11, 7)),
    case("linear batch", lambda T, F, x, w, b: F.linear(x, w, b), f(2, 3, 7), f(11, 7), f(11)),
    case("linear vector", lambda T, F, x, w, b: F.linear(x, w, b), f(7), f(11, 7), f(11)),
    case("linear empty batch", lambda T, F, x, w, b: F.linear(x, w, b), f(0, 7), f(11, 7), f(11)),
    case("linear relu", lambda T, F, x, w, b: F.relu(F.linear(x, w, b)), f(5, 7), f(11, 7), f(11)),
    case(
        "two layers",
        lambda T, F, x, w, b, v: F.linear(F.relu(F.linear(x, w, b)), v),
        f(17, 7),
        f(11, 7),
        f(11),
        f(3, 11),
    ),
    case("matmul epilogue", lambda T, F, a, b, c: (a @ b * 0.5 + c).tanh(), f(7, 11), f(11, 5), f(7, 5)),
    case("matmul prologue", lambda T, F, a, b: (a * 2).tanh() @ (b + 1), f(7, 11), f(11, 5)),
    case("matmul of a slice", lambda T, F, a, b: a[1:, ::2] @ b, f(7, 11), f(6, 5)),
    case("gram", lambda T, F, x: x @ x.t(), f(7, 11)),
    case("chain of products", lambda T, F, a, b, c: a @ b @ c, f(5, 7), f(7, 11), f(11, 3)),
]

_CONV: list[tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ("plain", (2, 3, 7, 11), (5, 3, 3, 3), {}),
    ("same size", (2, 3, 7, 11), (5, 3, 3, 3), {"padding": 1}),
    ("one by one", (2, 3, 5, 7), (4, 3, 1, 1), {}),
    ("stride 2", (2, 3, 9, 11), (5, 3, 3, 3), {"stride": 2, "padding": 1}),
    ("stride leaves a rest", (2, 3, 8, 10), (5, 3, 3, 3), {"stride": 3}),
    ("uneven", (2, 3, 9, 11), (5, 3, 2, 3), {"stride": (2, 1), "padding": (0, 2), "dilation": (1, 2)}),
    ("dilation", (1, 2, 11, 13), (3, 2, 3, 3), {"dilation": 2, "padding": 2}),
    ("groups", (2, 4, 7, 5), (6, 2, 3, 3), {"groups": 2, "padding": 1}),
    ("depthwise", (2, 5, 7, 7), (5, 1, 3, 3), {"groups": 5, "padding": 1}),
    ("depthwise, two each", (2, 3, 7, 7), (6, 1, 3, 3), {"groups": 3, "stride": 2}),
    ("everything", (2, 4, 13, 11), (6, 2, 3, 2), {"stride": 2, "padding": 2, "dilation": 2, "groups": 2}),
    ("kernel as large as input", (2, 3, 5, 5), (4, 3, 5, 5), {}),
    ("much padding", (1, 1, 3, 3), (1, 1, 3, 3), {"padding": 3}),
    ("stride over kernel", (2, 2, 9, 9), (3, 2, 2, 2), {"stride": 3}),
    ("one pixel", (3, 2, 1, 1), (4, 2, 1, 1), {}),
    ("one channel", (3, 1, 8, 8), (16, 1, 3, 3), {"padding": 1}),
    ("more channels", (2, 17, 6, 5), (19, 17, 3, 3), {"padding": 1}),
    ("empty batch", (0, 3, 5, 5), (4, 3, 3, 3), {}),
    ("named same", (2, 3, 7, 8), (4, 3, 3, 5), {"padding": "same", "dilation": (2, 1)}),
    ("named valid", (2, 3, 7, 8), (4, 3, 3, 2), {"padding": "valid"}),
]


def _conv(options: dict[str, Any]) -> Any:
    return lambda T, F, x, w, b: F.conv2d(x, w, b, **options)


_CONVOLUTIONS = [case(f"conv2d {label}", _conv(options), f(*x), f(*w), f(w[0])) for label, x, w, options in _CONV] + [
    case("conv2d without bias", lambda T, F, x, w: F.conv2d(x, w, padding=1), f(2, 3, 5, 7), f(4, 3, 3, 3)),
    case("conv2d without batch", lambda T, F, x, w: F.conv2d(x, w), f(3, 5, 7), f(4, 3, 3, 3)),
    case(
        "conv2d relu pool",
        lambda T, F, x, w, b: F.max_pool2d(F.relu(F.conv2d(x, w, b, padding=1)), 2),
        f(2, 1, 8, 8),
        f(4, 1, 3, 3),
        f(4),
    ),
    case(
        "two convolutions",
        lambda T, F, x, w, v: F.conv2d(F.relu(F.conv2d(x, w, padding=1)), v, stride=2),
        f(2, 3, 7, 7),
        f(5, 3, 3, 3),
        f(4, 5, 3, 3),
    ),
    case("conv2d to one, by a rest", lambda T, F, x, w: F.conv2d(x, w, stride=2).sum(), f(1, 1, 5, 5), f(1, 1, 5, 5)),
    case(
        "conv2d to columns, by a rest", lambda T, F, x, w: F.conv2d(x, w, stride=3).sum(), f(2, 2, 5, 7), f(3, 2, 5, 2)
    ),
    case("conv2d of one, far apart", lambda T, F, x, w: F.conv2d(x, w, stride=7).sum(), f(1, 1, 3, 4), f(1, 1, 2, 2)),
    case("conv1d", lambda T, F, x, w, b: F.conv1d(x, w, b, stride=2, padding=1), f(2, 3, 11), f(5, 3, 3), f(5)),
    case(
        "conv_transpose2d",
        lambda T, F, x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
        f(2, 3, 5, 4),
        f(3, 4, 3, 3),
        f(4),
    ),
    case(
        "conv_transpose2d groups",
        lambda T, F, x, w: F.conv_transpose2d(x, w, stride=2, groups=2, dilation=2),
        f(2, 4, 3, 5),
        f(4, 3, 3, 2),
    ),
]

_POOL = [
    case("max_pool2d", lambda T, F, x: F.max_pool2d(x, 2), f(2, 3, 6, 8)),
    case("max_pool2d rest", lambda T, F, x: F.max_pool2d(x, 2), f(2, 3, 7, 9)),
    case("max_pool2d overlap", lambda T, F, x: F.max_pool2d(x, 3, stride=1), f(2, 3, 7, 5)),
    case("max_pool2d padding", lambda T, F, x: F.max_pool2d(x, 3, stride=2, padding=1), f(2, 3, 7, 9)),
    case("max_pool2d uneven", lambda T, F, x: F.max_pool2d(x, (2, 3), stride=(1, 2), padding=(0, 1)), f(2, 3, 7, 9)),
    case("max_pool2d dilation", lambda T, F, x: F.max_pool2d(x, 2, stride=1, dilation=2), f(2, 3, 7, 5)),
    case("max_pool2d ceil", lambda T, F, x: F.max_pool2d(x, 3, stride=2, ceil_mode=True), f(2, 3, 8, 6)),
    case("max_pool2d ties", lambda T, F, x: F.max_pool2d(x * 0, 2), f(1, 1, 4, 4), smooth=False),
    case("max_pool2d of negatives", lambda T, F, x: F.max_pool2d(x, 3, 2, 1), f(1, 2, 5, 5, low=-9, high=-1)),
    case("max_pool2d without batch", lambda T, F, x: F.max_pool2d(x, 2), f(3, 6, 8)),
    case("max_pool2d empty batch", lambda T, F, x: F.max_pool2d(x, 2), f(0, 3, 4, 4)),
    case("avg_pool2d", lambda T, F, x: F.avg_pool2d(x, 2), f(2, 3, 7, 8)),
    case("avg_pool2d padding", lambda T, F, x: F.avg_pool2d(x, 3, stride=2, padding=1), f(2, 3, 7, 9)),
    case(
        "avg_pool2d padding not counted",
        lambda T, F, x: F.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=False),
        f(2, 3, 7, 9),
    ),
    case("avg_pool2d overlap", lambda T, F, x: F.avg_pool2d(x, (3, 2), stride=1), f(2, 3, 7, 5)),
    case("avg_pool2d ceil", lambda T, F, x: F.avg_pool2d(x, 3, stride=2, ceil_mode=True), f(2, 3, 8, 6)),
    case("adaptive_avg_pool2d to one", lambda T, F, x: F.adaptive_avg_pool2d(x, 1), f(2, 3, 5, 7)),
    case("adaptive_avg_pool2d", lambda T, F, x: F.adaptive_avg_pool2d(x, (2, 3)), f(2, 3, 8, 9)),
]

CASES: list[OpCase] = [*_MATMUL, *_TRANSPOSED, *_LINEAR, *_CONVOLUTIONS, *_POOL]
