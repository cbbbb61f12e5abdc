"""Convolution's three passes as contractions: a matrix product over gathered windows, never stored (implicit GEMM).

Shapes: x ``[N, C, H, W]``, w ``[O, C/g, KH, KW]``, y ``[N, O, OH, OW]``. Pixels are the columns n of the forward
pass and of the input gradient, so that neighbouring threads read and write neighbouring pixels.
"""

from __future__ import annotations

import math

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.lower import Lowerer
from tabgrad.compiler.families.contraction import Contraction
from tabgrad.graph.entry import Entry
from tabgrad.graph.index import Coords, Deps, Index, constant, variable


class _Conv(Contraction):
    """What the passes share."""

    gathers = True

    def _setup(self, x: tuple[int, ...], w: tuple[int, ...], y: tuple[int, ...]) -> None:
        attrs = self.entry.attrs
        self.x_shape, self.w_shape, self.y_shape = x, w, y
        self.groups = attrs["groups"]
        self.stride, self.padding, self.dilation = attrs["stride"], attrs["padding"], attrs["dilation"]
        self.in_group, self.out_group = x[1] // self.groups, y[1] // self.groups
        self._splits: dict[tuple[Index, tuple[int, ...], Scopes], list[Index]] = {}

    def _split(self, index: Index, shape: tuple[int, ...], scopes: Scopes) -> list[Index]:
        key = (index, shape, scopes)
        if key not in self._splits:  # four lanes of A and of B share most of their coordinates
            self._splits[key] = Coords(shape, flat=index).dims(scopes.bind)
        return self._splits[key]

    def _input(self, arg: int, n: Index, c: Index, y: list[Index], tap: list[Index], scopes: Scopes) -> str:
        """The input element that output position ``y`` sees through kernel position ``tap``; 0 outside."""
        position, tests = [], []
        for at, t, size, s, p, d in zip(
            y, tap, self.x_shape[2:], self.stride, self.padding, self.dilation, strict=True
        ):
            index = at.scaled(s) + t.scaled(d) + constant(-p)
            if p or index.high >= size:
                tests.append(
                    scopes.bind(f"({scopes.bind(index.hoisted(scopes.bind), index.deps)} < {size}u)", index.deps)
                )
                index = self._held(arg, index, size, tests[-1], index.deps, scopes)
            position.append(index)
        return self._element(arg, [n, c, *position], scopes, " && ".join(tests) or None)

    def _held(self, arg: int, index: Index, size: int, test: str, deps: Deps, scopes: Scopes) -> Index:
        """A position that may lie outside, for reading: a plain buffer may be read anywhere, as WGSL keeps accesses
        inside of it and the value will not be used; through views, position 0 takes its place. ``deps`` are the test's:
        the position may be a constant.
        """
        if self.entry.args[arg] in self.lower.loads:
            return index
        text = scopes.bind(index.hoisted(scopes.bind), index.deps)
        return variable(scopes.bind(f"select(0u, {text}, {test})", deps), size, deps)


class Conv2d(_Conv):
    """Forward: m is the output channel, n is (image, oh, ow), k is (c, kh, kw)."""

    def __init__(self, entries: list[Entry], entry: Entry, lower: Lowerer) -> None:
        super().__init__(entries, entry, lower)
        self._setup(self._shape(0), self._shape(1), entry.shape)
        self.batch, self.m = self.groups, self.out_group
        self.n = entry.shape[0] * entry.shape[2] * entry.shape[3]
        self.k = math.prod(self.w_shape[1:])
        self.along_k = (True, False)

    def a(self, b: Index, m: Index, k: Index, scopes: Scopes) -> str:
        flat = (b.scaled(self.out_group) + m).scaled(self.k) + k
        return self.lower.value(self.entry.args[1], Coords(self.w_shape, flat=flat), scopes)

    def b(self, b: Index, k: Index, n: Index, scopes: Scopes) -> str:
        image, oh, ow = self._split(n, (self.y_shape[0], *self.y_shape[2:]), scopes)
        c, kh, kw = self._split(k, self.w_shape[1:], scopes)
        return self._input(0, image, b.scaled(self.in_group) + c, [oh, ow], [kh, kw], scopes)

    def out(self, b: Index, m: Index, n: Index, scopes: Scopes) -> Coords:
        image, oh, ow = self._split(n, (self.y_shape[0], *self.y_shape[2:]), scopes)
        return Coords(self.y_shape, [image, b.scaled(self.out_group) + m, oh, ow])


class ConvInputGrad(_Conv):
    """Input gradient: m is the input channel, n is (image, h, w), k is (o, kh, kw).

    With stride s, position h of the input meets only every s-th kernel position. Where s divides the input's size,
    the positions of equal remainder ("phase") are a product of their own, over ceil(KH / s) kernel positions, and
    the phases are batches: h = s q + r meets kh = (r + p) mod s + s j, at output position q + (r + p) div s - j.
    """

    def __init__(self, entries: list[Entry], entry: Entry, lower: Lowerer) -> None:
        super().__init__(entries, entry, lower)
        self._setup(entry.shape, self._shape(1), self._shape(0))
        sizes, kernel = entry.shape[2:], self.w_shape[2:]
        self.phased = [
            s > 1 and d == 1 and n % s == 0
            for n, s, d in zip(sizes, self.stride, self.dilation, strict=True)
        ]  # fmt: skip
        self.phases = tuple(s if on else 1 for s, on in zip(self.stride, self.phased, strict=True))
        self.places = tuple(n // s for n, s in zip(sizes, self.phases, strict=True))
        self.taps = tuple(-(-n // s) for n, s in zip(kernel, self.phases, strict=True))
        self.batch, self.m = self.groups * math.prod(self.phases), self.in_group
        self.n = entry.shape[0] * math.prod(self.places)
        self.k = self.out_group * math.prod(self.taps)
        self.along_k = (True, False)

    def _where(self, b: Index, scopes: Scopes) -> tuple[Index, list[Index]]:
        """(group, phases)."""
        group, *phases = self._split(b, (self.groups, *self.phases), scopes)
        return group, phases

    def a(self, b: Index, m: Index, k: Index, scopes: Scopes) -> str:
        group, phases = self._where(b, scopes)
        o, *taps = self._split(k, (self.out_group, *self.taps), scopes)
        position, tests = [], []
        for r, j, size, s, p in zip(phases, taps, self.w_shape[2:], self.phases, self.padding, strict=True):
            tap = (r + constant(p)).modulo(s, scopes.bind) + j.scaled(s)
            if tap.high >= size:
                text = scopes.bind(tap.hoisted(scopes.bind), tap.deps)
                tests.append(scopes.bind(f"({text} < {size}u)", tap.deps))
                tap = variable(scopes.bind(f"min({text}, {size - 1}u)", tap.deps), size, tap.deps)
            position.append(tap)
        return self._element(1, [group.scaled(self.out_group) + o, m, *position], scopes, " && ".join(tests) or None)

    def b(self, b: Index, k: Index, n: Index, scopes: Scopes) -> str:
        group, phases = self._where(b, scopes)
        image, *places = self._split(n, (self.x_shape[0], *self.places), scopes)
        o, *taps = self._split(k, (self.out_group, *self.taps), scopes)
        position, tests = [], []
        for at, r, tap, size, axis in zip(places, phases, taps, self.y_shape[2:], (0, 1), strict=True):
            s, p, d = self.stride[axis], self.padding[axis], self.dilation[axis]
            if self.phased[axis]:
                index, divisor = at + (r + constant(p)).divided(s, scopes.bind) + tap.scaled(-1), 1
            else:  # the output position y with y * stride = at + padding - tap * dilation, if there is one
                index, divisor = at + constant(p) + tap.scaled(-d), s
            deps = index.deps
            if index.low < 0 or index.high >= size or divisor > 1:
                text = scopes.bind(index.hoisted(scopes.bind), index.deps)
                if divisor == 1:
                    tests.append(scopes.bind(f"({text} < {size}u)", index.deps))
                else:
                    whole = scopes.bind(f"{text} / {s}u", index.deps)
                    tests.append(scopes.bind(f"({whole} < {size}u && {whole} * {s}u == {text})", index.deps))
                    index = variable(whole, size, index.deps)
                index = self._held(0, index, size, tests[-1], deps, scopes)
            position.append(index)
        test = " && ".join(tests) or None
        return self._element(0, [image, group.scaled(self.out_group) + o, *position], scopes, test)

    def out(self, b: Index, m: Index, n: Index, scopes: Scopes) -> Coords:
        group, phases = self._where(b, scopes)
        image, *places = self._split(n, (self.x_shape[0], *self.places), scopes)
        at = [q.scaled(s) + r for q, r, s in zip(places, phases, self.phases, strict=True)]
        return Coords(self.x_shape, [image, group.scaled(self.in_group) + m, *at])


class ConvWeightGrad(_Conv):
    """Weight gradient: m is the output channel, n is (c, kh, kw), k is (image, oh, ow).

    With ``split`` parts, each takes in a share of the rows of all images, and the parts are a leading dimension of
    the result.
    """

    def __init__(self, entries: list[Entry], entry: Entry, lower: Lowerer) -> None:
        super().__init__(entries, entry, lower)
        self.parts = entry.attrs.get("split", 1)
        self._setup(self._shape(1), entry.attrs["shape"], self._shape(0))
        self.rows = self.x_shape[0] * self.y_shape[2] // self.parts
        self.batch, self.m = self.groups * self.parts, self.out_group
        self.n = math.prod(self.w_shape[1:])
        self.k = self.rows * self.y_shape[3]
        self.along_k = (True, True)

    def _where(self, b: Index, k: Index, scopes: Scopes) -> tuple[Index, Index, list[Index]]:
        """(group, image, output position)."""
        part, group = self._split(b, (self.parts, self.groups), scopes)
        row, ow = self._split(k, (self.rows, self.y_shape[3]), scopes)
        image, oh = self._split(part.scaled(self.rows) + row, (self.x_shape[0], self.y_shape[2]), scopes)
        return group, image, [oh, ow]

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
