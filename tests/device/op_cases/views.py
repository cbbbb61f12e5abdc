"""Views, indexing, joining: ops that only move elements."""

from __future__ import annotations

import numpy as np

from device.op_cases.case import OpCase, case, exact, f, ints

_SHAPING = [
    case("reshape", lambda T, F, x: x.reshape(6, 35) * 2, f(2, 3, 5, 7)),
    case("reshape inferred", lambda T, F, x: x.reshape(-1, 7) * 2, f(3, 5, 7)),
    case("view", lambda T, F, x: x.view(5, 21) + 1, f(3, 5, 7)),
    case("reshape to a scalar", lambda T, F, x: x.reshape(()) * 3, f(1, 1)),
    case("reshape empty", lambda T, F, x: x.reshape(3, 0) * 2, f(0, 5)),
    case("reshape of a transpose", lambda T, F, x: x.transpose(0, 1).reshape(-1) * 2, f(5, 7)),
    case("flatten", lambda T, F, x: x.flatten() * 2, f(3, 5, 7)),
    case("flatten middle", lambda T, F, x: T.flatten(x, 1, 2) * 2, f(2, 3, 5, 7)),
    case("flatten a scalar", lambda T, F, x: x.flatten(), f()),
    case("squeeze", lambda T, F, x: x.squeeze() + 1, f(1, 5, 1, 3)),
    case("squeeze dim", lambda T, F, x: x.squeeze(2) + 1, f(1, 5, 1, 3)),
    case("squeeze dim not one", lambda T, F, x: x.squeeze(1) + 1, f(1, 5, 1, 3)),
    case("unsqueeze", lambda T, F, x: x.unsqueeze(1) + x.unsqueeze(-1), f(5)),
    case("permute", lambda T, F, x: x.permute(2, 0, 1) * 2, f(3, 5, 7)),
    case("permute four", lambda T, F, x: T.permute(x, (0, 2, 3, 1)).tanh(), f(2, 3, 5, 7)),
    case("permute twice", lambda T, F, x: x.permute(2, 0, 1).permute(1, 2, 0) * 1.5, f(3, 5, 7)),
    case("transpose", lambda T, F, x: x.transpose(0, 2) * 2, f(3, 5, 7)),
    case("transpose negative", lambda T, F, x: T.transpose(x, -1, -2).exp(), f(3, 5, 7)),
    case("t", lambda T, F, x: x.t() + 1, f(5, 7)),
    case("expand", lambda T, F, x: x.expand(3, 5, 7) * 2, f(5, 1)),
    case("expand minus one", lambda T, F, x: x.expand(-1, 7) * 2, f(5, 1)),
    case("expand a scalar", lambda T, F, x: x.expand(3, 2) * 2, f()),
    case("broadcast_to", lambda T, F, x: T.broadcast_to(x, (3, 5)) * 2, f(5)),
    case("repeat", lambda T, F, x: x.repeat(2, 3) * 2, f(3, 5)),
    case("repeat in front", lambda T, F, x: x.repeat(2, 1, 3) * 2, f(3, 5)),
    case("flip", lambda T, F, x: T.flip(x, (0, 2)) * 2, f(3, 5, 7)),
    case("unflatten", lambda T, F, x: x.unflatten(1, (2, -1)) * 2, f(3, 10)),
    case("transposed and added", lambda T, F, a, b: a.t() + b, f(5, 7), f(7, 5)),
    case("diagonal", lambda T, F, x: x.diagonal(1, 0, 2) * 2, f(4, 2, 5)),
    case("diagonal written", lambda T, F, x: (x.clone().diagonal(-1).mul_(3), x * 2), f(4, 5)),
    case("unfold", lambda T, F, x: x.unfold(1, 3, 2) * 2, f(2, 8, 3)),
    case("as_strided", lambda T, F, x: T.as_strided(x * 2, (3, 4), (2, 1), 1), f(3, 5)),
    case("contiguous", lambda T, F, x: x.t().contiguous().reshape(-1) * 2, f(5, 7)),
]

_INDEXING = [
    case("index int", lambda T, F, x: x[2] * 2, f(5, 7)),
    case("index negative", lambda T, F, x: x[-1] * 2, f(5, 7)),
    case("index two ints", lambda T, F, x: x[1, -2] * 2, f(5, 7)),
    case("index to a scalar", lambda T, F, x: x[3] * 2, f(5)),
    case("slice", lambda T, F, x: x[1:4] * 2, f(7, 5)),
    case("slice step", lambda T, F, x: x[::2, 1::3] * 2, f(7, 11)),
    case("slice negative", lambda T, F, x: x[-3:-1] * 2, f(7, 5)),
    case("slice beyond", lambda T, F, x: x[2:100] * 2, f(5, 3)),
    case("slice empty", lambda T, F, x: x[3:3] * 2, f(5, 3)),
    case("slice reversed bounds", lambda T, F, x: x[4:2] * 2, f(5, 3)),
    case("index None", lambda T, F, x: x[:, None] * 2, f(5, 3)),
    case("index Ellipsis", lambda T, F, x: x[..., 1] * 2, f(2, 3, 5)),
    case("index mixed", lambda T, F, x: x[1, ..., None, ::2] * 2, f(3, 5, 7)),
    case("index middle int", lambda T, F, x: x[:, 2, 1:] * 2, f(3, 5, 7)),
    case("overlapping slices", lambda T, F, x: x[1:] - x[:-1], f(11, 3)),
    case("slice of a slice", lambda T, F, x: x[1:][::2][1] * 2, f(11, 3)),
    case("index tensor", lambda T, F, x, i: x[i] * 2, f(5, 7), ints(11, high=5)),
    case("index tensor negative", lambda T, F, x, i: x[i] * 2, f(5, 7), ints(11, low=-5, high=5)),
    case("index tensor 2d", lambda T, F, x, i: x[i] * 2, f(5, 3), ints(2, 7, high=5)),
    case("index tensor second", lambda T, F, x, i: x[:, i] * 2, f(5, 7), ints(4, high=7)),
    case("index tensor pair", lambda T, F, x, i, j: x[i, j] * 2, f(5, 7), ints(11, high=5), ints(11, high=7)),
    case("index tensors apart", lambda T, F, x, i, j: x[i, 1:, j] * 2, f(3, 5, 7), ints(4, high=3), ints(4, high=7)),
    case("index three tensors", lambda T, F, x, i: x[i, [[0], [2]], -i] * 2, f(3, 5, 7), ints(4, high=3)),
    case("index arange and labels", lambda T, F, x, j: x[T.arange(5), j], f(5, 7), ints(5, high=7)),
    case("index scalar tensor", lambda T, F, x, i: x[i] * 2, f(5, 7), ints(high=5)),
    case("index tensor empty", lambda T, F, x, i: x[i] * 2, f(5, 7), ints(0, high=5)),
    case("index list", lambda T, F, x: x[[0, 3, 3]] * 2, f(5, 7)),
    case("index_select", lambda T, F, x, i: T.index_select(x, 1, i) * 2, f(5, 7), ints(4, high=7)),
    case(
        "index_select of an expression", lambda T, F, x, i: (x * 2).exp().index_select(0, i), f(5, 7), ints(4, high=5)
    ),
    case("gather", lambda T, F, x, i: T.gather(x, 1, i) * 2, f(5, 7), ints(5, 3, high=7)),
    case("gather first", lambda T, F, x, i: x.gather(0, i) * 2, f(5, 7), ints(3, 7, high=5)),
    case("gather fewer", lambda T, F, x, i: x.gather(1, i) * 2, f(5, 7), ints(3, 2, high=7)),
    case("gather labels", lambda T, F, x, i: x.gather(1, i.unsqueeze(1)).squeeze(1), f(5, 7), ints(5, high=7)),
    case("gather three dims", lambda T, F, x, i: x.gather(2, i) * 2, f(2, 3, 5), ints(2, 3, 4, high=5)),
    case("embedding", lambda T, F, i, w: F.embedding(i, w) * 2, ints(3, 4, high=11), f(11, 5)),
    case("one_hot", lambda T, F, i: F.one_hot(i, 7), ints(3, 4, high=7)),
    case("gather ints", lambda T, F, x, i: x.gather(1, i), ints(5, 7, high=99), ints(5, 3, high=7)),
]

_JOINING = [
    case("cat", lambda T, F, a, b: T.cat([a, b]) * 2, f(3, 5), f(2, 5)),
    case("cat last", lambda T, F, a, b, c: T.cat([a, b, c], dim=-1) * 2, f(3, 5), f(3, 1), f(3, 2)),
    case("cat itself", lambda T, F, x: T.cat([x, x * 2], dim=1), f(3, 5)),
    case("cat with an empty", lambda T, F, a, b: T.cat([a, b]) * 2, f(0, 5), f(2, 5)),
    case("cat int and float", lambda T, F, a, b: T.cat([a, b]), ints(3), f(2)),
    case("cat of transposes", lambda T, F, a, b: T.cat([a.t(), b.t()], dim=1).tanh(), f(3, 5), f(2, 5)),
    case("stack", lambda T, F, a, b: T.stack([a, b]) * 2, f(3, 5), f(3, 5)),
    case("stack last", lambda T, F, a, b: T.stack([a, b], dim=-1) * 2, f(3, 5), f(3, 5)),
    case("stack scalars", lambda T, F, a, b: T.stack([a, b]) * 2, f(), f()),
    case("pad last", lambda T, F, x: F.pad(x, (1, 2)) * 2, f(3, 5)),
    case("pad two dims", lambda T, F, x: F.pad(x, (1, 0, 2, 3), value=0.5) * 2, f(2, 3, 5)),
    case("pad negative", lambda T, F, x: F.pad(x, (-1, 2)) * 2, f(3, 5)),
    case("pad empty", lambda T, F, x: F.pad(x, (1, 2)) * 2, f(3, 0)),
    case("split", lambda T, F, x: tuple(T.split(x, 3, dim=1)), f(2, 8)),
    case("split sizes", lambda T, F, x: tuple(x.split([1, 4, 2], dim=0)), f(7, 3)),
    case("chunk", lambda T, F, x: tuple(x.chunk(3, dim=1)), f(2, 8)),
    case("narrow", lambda T, F, x: x.narrow(1, 2, 3) * 2, f(2, 8)),
    case("pad then slice", lambda T, F, x: F.pad(x, (2, 2))[:, 1:-1] * 2, f(3, 5)),
]

_MAKING = [
    case("arange", lambda T, F, x: x + T.arange(7), f(7)),
    case("arange steps", lambda T, F, x: x * T.arange(1, 14, 2), f(7)),
    case("arange floats", lambda T, F, x: x * T.arange(0.0, 3.5, 0.5), f(7)),
    case("linspace", lambda T, F, x: x * T.linspace(-1, 1, 7), f(7)),
    case("eye", lambda T, F, x: x * T.eye(5, 7), f(5, 7)),
    case("full and ones", lambda T, F, x: x * T.full((3, 5), 2.5) + T.ones(5), f(3, 5)),
    case("tril", lambda T, F, x: T.tril(x), f(5, 7)),
    case("triu diagonal", lambda T, F, x: T.triu(x, diagonal=1), f(2, 5, 5)),
]

_RECORD = [
    case("detach", lambda T, F, x: x * x.detach(), exact(np.linspace(-1, 1, 7)), smooth=False),
]


CASES: list[OpCase] = [*_SHAPING, *_INDEXING, *_JOINING, *_MAKING, *_RECORD]
