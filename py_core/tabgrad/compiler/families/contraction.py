"""Matrix products and convolutions: one kernel family, for convolution is a product over gathered windows.

A :class:`Contraction` says where element ``A[b, m, k]`` and ``B[b, k, n]`` lie; the GEMM templates do the rest.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from tabgrad.compiler.emit import Scopes
from tabgrad.compiler.index import Coords, Index, variable
from tabgrad.compiler.lower import Lowerer
from tabgrad.graph.linearize import Entry


class Contraction(ABC):
    """``C[b, m, n] = sum over k of A[b, m, k] * B[b, k, n]`` as seen by a heavy entry."""

    batch: int
    m: int
    n: int
    k: int

    def __init__(self, entries: list[Entry], entry: Entry, lower: Lowerer) -> None:
        self.entries, self.entry, self.lower = entries, entry, lower

    @abstractmethod
    def a(self, b: Index, m: Index, k: Index, scopes: Scopes) -> str:
        """Expression of ``A[b, m, k]``."""

    @abstractmethod
    def b(self, b: Index, k: Index, n: Index, scopes: Scopes) -> str:
        """Expression of ``B[b, k, n]``."""

    @abstractmethod
    def out(self, b: Index, m: Index, n: Index, scopes: Scopes) -> Coords:
        """Where ``C[b, m, n]`` lies in the entry's result."""

    def _shape(self, n: int) -> tuple[int, ...]:
        return self.entries[self.entry.args[n]].shape

    def _element(self, n: int, position: list[Index], scopes: Scopes, test: str | None = None) -> str:
        """Argument ``n`` at a position, or 0 where ``test`` fails."""
        value = self.lower.value(self.entry.args[n], Coords(self._shape(n), position), scopes)
        return f"select(0.0, {value}, {test})" if test else value


class MatMul(Contraction):
    """``[B, M, K] @ [B, K, N]``."""

    def __init__(self, entries: list[Entry], entry: Entry, lower: Lowerer) -> None:
        super().__init__(entries, entry, lower)
        self.batch, self.m, self.k = self._shape(0)
        self.n = self._shape(1)[2]

    def a(self, b: Index, m: Index, k: Index, scopes: Scopes) -> str:
        return self._element(0, [b, m, k], scopes)

    def b(self, b: Index, k: Index, n: Index, scopes: Scopes) -> str:
        return self._element(1, [b, k, n], scopes)

    def out(self, b: Index, m: Index, n: Index, scopes: Scopes) -> Coords:
        return Coords(self.entry.shape, [b, m, n])


class _Conv(Contraction):
    """What the three passes share; x ``[N, C, H, W]``, w ``[O, C/g, KH, KW]``, y ``[N, O, OH, OW]``."""

    def _setup(self, x: tuple[int, ...], w: tuple[int, ...], y: tuple[int, ...]) -> None:
        attrs = self.entry.attrs
        self.x_shape, self.w_shape, self.y_shape = x, w, y
        self.groups = attrs["groups"]
        self.stride, self.padding, self.dilation = attrs["stride"], attrs["padding"], attrs["dilation"]
        self.in_group, self.out_group = x[1] // self.groups, y[1] // self.groups

    def _split(self, index: Index, shape: tuple[int, ...], scopes: Scopes) -> list[Index]:
        return Coords(shape, flat=index).dims(scopes.bind)

    def _input(self, arg: int, n: Index, c: Index, y: list[Index], tap: list[Index], scopes: Scopes) -> str:
        """The input element that output position ``y`` sees through kernel position ``tap``; 0 outside."""
        position, tests = [], []
        for at, t, size, s, p, d in zip(
            y, tap, self.x_shape[2:], self.stride, self.padding, self.dilation, strict=True
        ):
            index = at.scaled(s) + t.scaled(d)
            if p == 0 and index.high < size:
                position.append(index)
                continue
            moved = scopes.bind(f"{index.hoisted(scopes.bind)} - {p}u" if p else index.hoisted(scopes.bind), index.deps)
            tests.append(scopes.bind(f"({moved} < {size}u)", index.deps))
            position.append(variable(scopes.bind(f"select(0u, {moved}, {tests[-1]})", index.deps), size, index.deps))
        return self._element(arg, [n, c, *position], scopes, " && ".join(tests) or None)


class Conv2d(_Conv):
    """Forward: m is (n, oh, ow), n is the output channel, k is (c, kh, kw)."""

    def __init__(self, entries: list[Entry], entry: Entry, lower: Lowerer) -> None:
        super().__init__(entries, entry, lower)
        self._setup(self._shape(0), self._shape(1), entry.shape)
        self.batch, self.n = self.groups, self.out_group
        self.m = entry.shape[0] * entry.shape[2] * entry.shape[3]
        self.k = math.prod(self.w_shape[1:])

    def a(self, b: Index, m: Index, k: Index, scopes: Scopes) -> str:
        n, oh, ow = self._split(m, (self.y_shape[0], *self.y_shape[2:]), scopes)
        c, kh, kw = self._split(k, self.w_shape[1:], scopes)
        return self._input(0, n, b.scaled(self.in_group) + c, [oh, ow], [kh, kw], scopes)

    def b(self, b: Index, k: Index, n: Index, scopes: Scopes) -> str:
        flat = (b.scaled(self.out_group) + n).scaled(self.k) + k
        return self.lower.value(self.entry.args[1], Coords(self.w_shape, flat=flat), scopes)

    def out(self, b: Index, m: Index, n: Index, scopes: Scopes) -> Coords:
        image, oh, ow = self._split(m, (self.y_shape[0], *self.y_shape[2:]), scopes)
        return Coords(self.y_shape, [image, b.scaled(self.out_group) + n, oh, ow])


class ConvInputGrad(_Conv):
    """Input gradient: m is (n, h, w), n is the input channel, k is (o, kh, kw)."""

    def __init__(self, entries: list[Entry], entry: Entry, lower: Lowerer) -> None:
        super().__init__(entries, entry, lower)
        self._setup(entry.shape, self._shape(1), self._shape(0))
        self.batch, self.n = self.groups, self.in_group
        self.m = entry.shape[0] * entry.shape[2] * entry.shape[3]
        self.k = self.out_group * math.prod(self.w_shape[2:])

    def a(self, b: Index, m: Index, k: Index, scopes: Scopes) -> str:
        n, h, w = self._split(m, (self.x_shape[0], *self.x_shape[2:]), scopes)
        o, kh, kw = self._split(k, (self.out_group, *self.w_shape[2:]), scopes)
        position, tests = [], []
        for at, tap, size, s, p, d in zip(
            (h, w), (kh, kw), self.y_shape[2:], self.stride, self.padding, self.dilation, strict=True
        ):
            # the output position y with y * stride = at + padding - tap * dilation, if there is one
            deps = at.deps | tap.deps
            left = scopes.bind(f"{at.text()} + {p}u" if p else at.text(), at.deps)
            right = scopes.bind(tap.scaled(d).text(), tap.deps)
            moved = scopes.bind(f"{left} - {right}", deps)
            index = scopes.bind(f"{moved} / {s}u", deps) if s > 1 else moved
            test = f"({index} < {size}u)" if s == 1 else f"({index} < {size}u && {index} * {s}u == {moved})"
            tests.append(scopes.bind(test, deps))
            position.append(variable(scopes.bind(f"select(0u, {index}, {tests[-1]})", deps), size, deps))
        return self._element(0, [n, b.scaled(self.out_group) + o, *position], scopes, " && ".join(tests))

    def b(self, b: Index, k: Index, n: Index, scopes: Scopes) -> str:
        o, kh, kw = self._split(k, (self.out_group, *self.w_shape[2:]), scopes)
        return self._element(1, [b.scaled(self.out_group) + o, n, kh, kw], scopes)

    def out(self, b: Index, m: Index, n: Index, scopes: Scopes) -> Coords:
        image, h, w = self._split(m, (self.x_shape[0], *self.x_shape[2:]), scopes)
        return Coords(self.x_shape, [image, b.scaled(self.in_group) + n, h, w])


class ConvWeightGrad(_Conv):
    """Weight gradient: m is the output channel, n is (c, kh, kw), k is (n, oh, ow).

    With ``split`` parts, each takes in a share of the images and the parts are a leading dimension of the result.
    """

    def __init__(self, entries: list[Entry], entry: Entry, lower: Lowerer) -> None:
        super().__init__(entries, entry, lower)
        self.parts = entry.attrs.get("split", 1)
        self._setup(self._shape(1), entry.attrs["shape"], self._shape(0))
        self.images = self.x_shape[0] // self.parts
        self.batch, self.m = self.groups * self.parts, self.out_group
        self.n = math.prod(self.w_shape[1:])
        self.k = self.images * self.y_shape[2] * self.y_shape[3]

    def _where(self, b: Index, k: Index, scopes: Scopes) -> tuple[Index, Index, list[Index]]:
        """(group, image, output position)."""
        part, group = self._split(b, (self.parts, self.groups), scopes)
        image, oh, ow = self._split(k, (self.images, *self.y_shape[2:]), scopes)
        return group, part.scaled(self.images) + image, [oh, ow]

    def a(self, b: Index, m: Index, k: Index, scopes: Scopes) -> str:
        group, image, position = self._where(b, k, scopes)
        return self._element(0, [image, group.scaled(self.out_group) + m, *position], scopes)

    def b(self, b: Index, k: Index, n: Index, scopes: Scopes) -> str:
        group, image, position = self._where(b, k, scopes)
        c, kh, kw = self._split(n, self.w_shape[1:], scopes)
        return self._input(1, image, group.scaled(self.in_group) + c, position, [kh, kw], scopes)

    def out(self, b: Index, m: Index, n: Index, scopes: Scopes) -> Coords:
        part, group = self._split(b, (self.parts, self.groups), scopes)
        row = part.scaled(self.w_shape[0]) + group.scaled(self.out_group) + m
        flat = row.scaled(self.n) + n
        return Coords(self.entry.shape, flat=flat)


CONTRACTIONS: dict[str, type[Contraction]] = {
    "matmul": MatMul,
    "conv2d": Conv2d,
    "conv2d_input_grad": ConvInputGrad,
    "conv2d_weight_grad": ConvWeightGrad,
}

__all__ = ["CONTRACTIONS", "Contraction"]
