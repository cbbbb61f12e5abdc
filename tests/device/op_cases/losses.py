"""Losses, normalisation, and what training makes of them."""

from __future__ import annotations

from device.op_cases.case import OpCase, case, exact, f, ints

_LOGITS, _LABELS = f(7, 5), ints(7, high=5)
_IGNORED = exact([0, 4, -100, 2, -100, 1, 3], "int64")


def _w(T, x):
    """Class weights, in the dtype of ``x``; they have no gradient."""
    return x.detach().flatten()[:5] * 0 + T.tensor([0.5, 2.0, 1.0, 0.25, 1.5])


_CROSS_ENTROPY = [
    case("cross_entropy", lambda T, F, x, y: F.cross_entropy(x, y), _LOGITS, _LABELS),
    case("cross_entropy sum", lambda T, F, x, y: F.cross_entropy(x, y, reduction="sum"), _LOGITS, _LABELS),
    case("cross_entropy none", lambda T, F, x, y: F.cross_entropy(x, y, reduction="none"), _LOGITS, _LABELS),
    case("cross_entropy ignore", lambda T, F, x, y: F.cross_entropy(x, y), _LOGITS, _IGNORED),
    case("cross_entropy ignore sum", lambda T, F, x, y: F.cross_entropy(x, y, reduction="sum"), _LOGITS, _IGNORED),
    case("cross_entropy ignore none", lambda T, F, x, y: F.cross_entropy(x, y, reduction="none"), _LOGITS, _IGNORED),
    case("cross_entropy ignore index", lambda T, F, x, y: F.cross_entropy(x, y, ignore_index=2), _LOGITS, _LABELS),
    case("cross_entropy smoothing", lambda T, F, x, y: F.cross_entropy(x, y, label_smoothing=0.1), _LOGITS, _LABELS),
    case(
        "cross_entropy smoothing ignore",
        lambda T, F, x, y: F.cross_entropy(x, y, label_smoothing=0.1),
        _LOGITS,
        _IGNORED,
    ),
    case(
        "cross_entropy smoothing sum",
        lambda T, F, x, y: F.cross_entropy(x, y, label_smoothing=0.2, reduction="sum"),
        _LOGITS,
        _LABELS,
    ),
    case("cross_entropy probabilities", lambda T, F, x, p: F.cross_entropy(x, F.softmax(p, dim=1)), _LOGITS, f(7, 5)),
    case("cross_entropy one sample", lambda T, F, x, y: F.cross_entropy(x, y), f(5), exact(3, "int64")),
    case("cross_entropy one class", lambda T, F, x, y: F.cross_entropy(x, y), f(7, 1), ints(7, high=1)),
    case("cross_entropy pixels", lambda T, F, x, y: F.cross_entropy(x, y), f(2, 5, 3, 4), ints(2, 3, 4, high=5)),
    case("cross_entropy many classes", lambda T, F, x, y: F.cross_entropy(x, y), f(3, 1031), ints(3, high=1031)),
    case(
        "cross_entropy of nothing", lambda T, F, x, y: F.cross_entropy(x, y, reduction="sum"), f(0, 5), ints(0, high=5)
    ),
    case(
        "cross_entropy large logits",
        lambda T, F, x, y: F.cross_entropy(x, y),
        exact([[1000, -1000, 0], [80, 90, -1000]]),
        exact([1, 0], "int64"),
    ),
    case("cross_entropy scaled", lambda T, F, x, y: F.cross_entropy(x * 3, y) * 2, _LOGITS, _LABELS),
    case("cross_entropy weight", lambda T, F, x, y: F.cross_entropy(x, y, _w(T, x)), _LOGITS, _LABELS),
    case("cross_entropy weight ignore", lambda T, F, x, y: F.cross_entropy(x, y, _w(T, x)), _LOGITS, _IGNORED),
    case(
        "cross_entropy weight sum",
        lambda T, F, x, y: F.cross_entropy(x, y, _w(T, x), reduction="sum"),
        _LOGITS,
        _IGNORED,
    ),
    case(
        "cross_entropy weight none",
        lambda T, F, x, y: F.cross_entropy(x, y, _w(T, x), reduction="none"),
        _LOGITS,
        _IGNORED,
    ),
    case(
        "cross_entropy weight smoothing",
        lambda T, F, x, y: F.cross_entropy(x, y, _w(T, x), label_smoothing=0.1),
        _LOGITS,
        _IGNORED,
    ),
    case(
        "cross_entropy weight probabilities",
        lambda T, F, x, p: F.cross_entropy(x, F.softmax(p, dim=1), _w(T, x), label_smoothing=0.1),
        _LOGITS,
        f(7, 5),
    ),
    case(
        "cross_entropy weight pixels",
        lambda T, F, x, y: F.cross_entropy(x, y, _w(T, x)),
        f(2, 5, 3, 4),
        ints(2, 3, 4, high=5),
    ),
    case("nll_loss weight", lambda T, F, x, y: F.nll_loss(x, y, _w(T, x)), _LOGITS, _IGNORED),
    case("nll_loss", lambda T, F, x, y: F.nll_loss(F.log_softmax(x, dim=1), y), _LOGITS, _LABELS),
    case("nll_loss ignore", lambda T, F, x, y: F.nll_loss(x, y, reduction="sum"), _LOGITS, _IGNORED),
]

_OTHER = [
    case("mse_loss", lambda T, F, x, y: F.mse_loss(x, y), f(7, 5), f(7, 5)),
    case("mse_loss sum", lambda T, F, x, y: F.mse_loss(x, y, reduction="sum"), f(7, 5), f(7, 5)),
    case("mse_loss none", lambda T, F, x, y: F.mse_loss(x, y, reduction="none"), f(7, 5), f(7, 5)),
    case("mse_loss of scalars", lambda T, F, x, y: F.mse_loss(x, y), f(), f()),
    case("l1_loss", lambda T, F, x, y: F.l1_loss(x, y), f(7, 5), f(7, 5)),
    case("smooth_l1_loss", lambda T, F, x, y: F.smooth_l1_loss(x, y, beta=0.7), f(7, 5), f(7, 5)),
    case(
        "binary_cross_entropy_with_logits",
        lambda T, F, x, y: F.binary_cross_entropy_with_logits(x, y),
        f(7, 5),
        f(7, 5, low=0, high=1),
    ),
    case(
        "binary_cross_entropy_with_logits far out",
        lambda T, F, x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"),
        exact([-100, -30, 30, 100]),
        exact([1, 0, 1, 0]),
    ),
]


def _batch_norm(training, momentum=0.1, affine=True):
    def fn(T, F, x, mean, var, weight, bias):
        mean, var = mean.detach() * 1, var.detach() * 1
        scale = (weight, bias) if affine else (None, None)
        out = F.batch_norm(x, mean, var, *scale, training=training, momentum=momentum, eps=1e-3)
        return out, mean, var

    return fn


def _channels(n):
    return f(n), f(n, low=0.5, high=2), f(n), f(n)


# float32 has 6e-5 near 1000, and the deviations are scaled to 1
_FAR = {"rtol": 1e-3, "atol": 2e-3, "smooth": False}


def _residual(T, F, x, w, b):
    y = x + F.layer_norm(x, (12,), w, b).tanh()
    return y + F.layer_norm(y, (12,), w, b)


_NORMS = [
    # smooth=False where the running statistics are outputs: they carry no gradient.
    case("batch_norm train", _batch_norm(True), f(4, 3, 5, 7), *_channels(3), smooth=False),
    case("batch_norm train momentum", _batch_norm(True, 0.37), f(4, 3, 5, 7), *_channels(3), smooth=False),
    case("batch_norm train rows", _batch_norm(True), f(11, 5), *_channels(5), smooth=False),
    case("batch_norm train one channel", _batch_norm(True), f(2, 1, 3, 3), *_channels(1), smooth=False),
    case("batch_norm train without affine", _batch_norm(True, affine=False), f(4, 3, 5), *_channels(3), smooth=False),
    case("batch_norm eval", _batch_norm(False), f(4, 3, 5, 7), *_channels(3), smooth=False),
    case("batch_norm eval rows", _batch_norm(False), f(11, 5), *_channels(5), smooth=False),
    case("batch_norm eval one sample", _batch_norm(False), f(1, 3, 1, 1), *_channels(3), smooth=False),
    case(
        "batch_norm without statistics",
        lambda T, F, x, w, b: F.batch_norm(x, None, None, w, b, training=True),
        f(4, 3, 5),
        f(3),
        f(3),
    ),
    case("layer_norm", lambda T, F, x, w, b: F.layer_norm(x, (13,), w, b), f(7, 13), f(13), f(13)),
    case("layer_norm two dims", lambda T, F, x, w, b: F.layer_norm(x, (3, 5), w, b), f(2, 3, 5), f(3, 5), f(3, 5)),
    case("layer_norm plain", lambda T, F, x: F.layer_norm(x, (13,)), f(2, 7, 13)),
    case("layer_norm eps", lambda T, F, x: F.layer_norm(x, (7,), eps=0.1), f(5, 7)),
    case("layer_norm empty", lambda T, F, x, w, b: F.layer_norm(x, (13,), w, b), f(0, 13), f(13), f(13)),
    case("layer_norm of one", lambda T, F, x, w: F.layer_norm(x, (1,), w), f(5, 1), f(1)),
    case("layer_norm far from zero", lambda T, F, x: F.layer_norm(x, (64,)), f(9, 64, low=1000, high=1001), **_FAR),
    case("layer_norm and residual", _residual, f(9, 12), f(12), f(12)),
    case("layer_norm of a layer_norm", lambda T, F, x: F.layer_norm(F.layer_norm(x, (8,)) * 2 + x, (8,)), f(5, 8)),
    case("rms_norm", lambda T, F, x, w: F.rms_norm(x, (13,), w), f(7, 13), f(13)),
    case("rms_norm two dims", lambda T, F, x, w: F.rms_norm(x, (3, 4), w, 1e-3), f(5, 3, 4), f(3, 4)),
    case("rms_norm plain", lambda T, F, x: F.rms_norm(x, (12,)), f(2, 7, 12)),
    case("rms_norm empty", lambda T, F, x, w: F.rms_norm(x, (13,), w), f(0, 13), f(13)),
    case("group_norm", lambda T, F, x, w, b: F.group_norm(x, 3, w, b), f(2, 6, 5, 4), f(6), f(6)),
    case("group_norm of one group", lambda T, F, x, w, b: F.group_norm(x, 1, w, b, eps=1e-3), f(3, 4, 7), f(4), f(4)),
    case("group_norm of single channels", lambda T, F, x: F.group_norm(x, 4), f(3, 4, 8)),
    case("group_norm rows", lambda T, F, x, w, b: F.group_norm(x, 2, w, b), f(5, 6), f(6), f(6)),
    case(
        "batch_norm far from zero",
        lambda T, F, x: F.batch_norm(x, None, None, training=True),
        f(6, 3, 8, 8, low=1000, high=1001),
        **_FAR,
    ),
    case("layer_norm long", lambda T, F, x: F.layer_norm(x, (1031,)), f(3, 1031)),
]

_WHOLE = [
    case("dropout in evaluation", lambda T, F, x: F.dropout(x, 0.5, training=False) * 2, f(7, 13)),
    case("dropout of nothing dropped", lambda T, F, x: F.dropout(x, 0.0) * 2, f(7, 13)),
    case("dropout of all", lambda T, F, x: F.dropout(x, 1.0) * 2, f(7, 13)),
    case(
        "small classifier",
        lambda T, F, x, w, b, v, c, y: F.cross_entropy(F.linear(F.relu(F.linear(x, w, b)), v, c), y),
        f(17, 11),
        f(13, 11),
        f(13),
        f(5, 13),
        f(5),
        ints(17, high=5),
    ),
    case(
        "small convolutional classifier",
        lambda T, F, x, w, b, v, y: F.cross_entropy(
            F.linear(F.max_pool2d(F.relu(F.conv2d(x, w, b, padding=1)), 2).flatten(1), v), y
        ),
        f(5, 1, 8, 8),
        f(3, 1, 3, 3),
        f(3),
        f(7, 48),
        ints(5, high=7),
    ),
    case(
        "attention",
        lambda T, F, q, k, v: F.softmax(q @ k.transpose(-2, -1) * 0.4, dim=-1) @ v,
        f(2, 3, 7, 5),
        f(2, 3, 7, 5),
        f(2, 3, 7, 5),
    ),
]

CASES: list[OpCase] = [*_CROSS_ENTROPY, *_OTHER, *_NORMS, *_WHOLE]
