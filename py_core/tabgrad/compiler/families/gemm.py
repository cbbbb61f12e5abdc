"""Contractions as kernels: which templates and tiles suit one, and which of them to begin with."""

from __future__ import annotations

from dataclasses import replace

from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.contraction import Contraction, MatMul
from tabgrad.compiler.families.convolution import Conv2d, ConvInputGrad, ConvWeightGrad
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.register import render_register
from tabgrad.compiler.families.rendered import Rendered
from tabgrad.compiler.families.tiled import Tile, render_tiled, suitable
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant, variant
from tabgrad.errors import DeviceError
from tabgrad.graph.op import Op
from tabgrad.ops.conv import CONV2D, CONV_INPUT_GRAD, CONV_WEIGHT_GRAD
from tabgrad.ops.matmul import MATMUL, Gemm

CONTRACTIONS: dict[Op, type[Contraction]] = {
    MATMUL: MatMul,
    CONV2D: Conv2d,
    CONV_INPUT_GRAD: ConvInputGrad,
    CONV_WEIGHT_GRAD: ConvWeightGrad,
}

WORTH_UNROLLING = 2**25  # multiplications above which a software adapter's time to compile big tiles pays
MOST_TILES = 10  # worth a measurement
BAND = 8  # workgroups side by side, where a GPU's cache does not hold a row of tiles' operands
LEAST_TILED = 16  # sizes below which workgroup memory does not pay
QUICK_EDGE = 2  # of register tiles: on an H200 they compile in 15 ms, the fastest tiles in 60 to 600
QUICK_TILE = Tile(64, 64, 16, 4, 4, stages=1, unroll=4)  # in 35 ms
LONG_PRODUCT = 5 * 10**9  # multiplications from which on that pays within a few steps


def contraction(shader: Shader) -> Contraction:
    """What the kernel's heavy value contracts."""
    assert shader.kernel.heavy is not None
    entry = shader.entries[shader.kernel.heavy]
    return CONTRACTIONS[entry.op](shader.entries, entry, shader.lower)


def variants(shader: Shader, target: Target) -> list[Variant]:
    """Register tiles for software adapters and thin products; tiles in workgroup memory for GPUs."""
    c = contraction(shader)
    registers = [_register(c, edge, target) for edge in (8, 4, 2)]
    if target.software:
        first = 8 if c.batch * c.m * c.n * c.k >= WORTH_UNROLLING else 4
        return list(dict.fromkeys([_register(c, first, target), *registers]))
    if min(c.m, c.n, c.k) < LEAST_TILED:
        return list(dict.fromkeys(registers))
    tiles = suitable(c, target.limits)[:MOST_TILES]
    bands = [replace(tile, swizzle=BAND) for tile in tiles[:2] if c.n >= 2 * BAND * tile.bn]
    return [tile.variant() for tile in (*tiles, *bands)]


def _register(c: Contraction, edge: int, target: Target) -> Variant:
    """The largest register tile, up to ``edge`` a side, that still occupies the adapter's threads."""
    m, n = _power_up_to(c.m, edge), _power_up_to(c.n, edge)
    while m * n > 1 and c.batch * -(-c.m // m) * -(-c.n // n) < target.busy_threads:
        if m >= n:
            m //= 2
        else:
            n //= 2
    return variant("gemm/register", m=m, n=n)


def quick(shader: Shader, target: Target) -> Variant:
    """Little code, for a program's first steps."""
    c = contraction(shader)
    if c.batch * c.m * c.n * c.k >= LONG_PRODUCT and QUICK_TILE.fits(target.limits) and QUICK_TILE.suits(c):
        return QUICK_TILE.variant()
    return _register(c, QUICK_EDGE, target)


def _power_up_to(size: int, most: int) -> int:
    power = 1
    while power < most and power < size:
        power *= 2
    return power


def render(shader: Shader, target: Target, chosen: Variant) -> Rendered:
    """A kernel around a matrix product or a pass of a convolution."""
    if chosen.template == "gemm/register":
        rendered = render_register(shader, target, contraction, chosen)
    else:
        rendered = render_tiled(shader, target, contraction, Tile.of(chosen))
    if max(rendered.workgroups) > target.limits.max_workgroups:
        entry = contraction(shader).entry
        raise DeviceError(
            f"{entry.op.name}: expected at most {target.limits.max_workgroups} rows of as many workgroups, "
            f"got {rendered.workgroups} for a result of {list(entry.shape)}; use a smaller batch"
        )
    return rendered


FAMILY = Family(Gemm, variants, render, quick)
