"""Matrix products in every tile: of whole tiles, of odd and of adverse sizes, with numbers of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from device.op_cases.case import Make, OpCase, f
from device.tile_cases.forced import ANY_TILE, TileCase, tile
from tabgrad.compiler.families import tiled
from tabgrad.compiler.families.tiled import Tile

Size = tuple[int, int, int, int]
"""``(batch, m, n, k)``; a batch of 0 is none."""

SIZES: dict[str, Callable[[Tile], Size]] = {
    "whole tiles": lambda t: (0, t.bm, t.bn, 2 * t.bk),
    "one more": lambda t: (0, t.bm + 1, t.bn + 1, t.bk + 1),
    "vectors": lambda t: (0, t.bm + 4, t.bn + 4, t.bk + 4),
    "one less": lambda t: (0, t.bm - 1, t.bn - 1, t.bk - 1),
    "primes": lambda t: (0, 37, 61, 43),
    "a row": lambda t: (0, 1, t.bn + 4, 3),
    "a column of single products": lambda t: (0, t.bm - 4, 1, 1),
    "batch": lambda t: (3, 20, 36, 24),
}
ODD = "one more"

FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "A B": lambda a, b: a @ b,
    "At B": lambda a, b: a.transpose(-2, -1) @ b,
    "A Bt": lambda a, b: a @ b.transpose(-2, -1),
    "At Bt": lambda a, b: a.transpose(-2, -1) @ b.transpose(-2, -1),
}
USUAL = ("A B", "At B", "A Bt")  # what training needs


def _shapes(form: str, size: Size) -> tuple[tuple[int, ...], tuple[int, ...]]:
    batch, m, n, k = size
    more = (batch,) if batch else ()
    return (*more, *((k, m) if "At" in form else (m, k))), (*more, *((n, k) if "Bt" in form else (k, n)))


def _product(label: str, form: str, size: Size, *makers: Make) -> OpCase:
    """Gradients are products in other forms, and have cases of their own."""
    left, right = _shapes(form, size)
    a, b = makers or (f(*left), f(*right))
    product = FORMS[form]
    return OpCase(name=f"{form} {label}", fn=lambda T, F, a, b: product(a, b), inputs=(a, b), grad=False, atol=1e-4)


def _amid(form: str, size: Size) -> OpCase:
    """Ops before and behind the product."""
    left, right = _shapes(form, size)
    product = FORMS[form]
    return OpCase(
        name=f"relu of {form} and a bias",
        fn=lambda T, F, a, b, c: F.relu(product(a * 0.5, b) + c),
        inputs=(f(*left), f(*right), f(size[2])),
        grad=False,
    )


def _laid(values: np.ndarray, turned: bool) -> Make:
    """``values [m, k]``, or transposed as it lies in memory."""
    laid = np.ascontiguousarray(values.T if turned else values)
    return lambda rng: laid


def _magnitudes(form: str, size: Size) -> OpCase:
    """Rows of A and columns of B from 1e-15 to 1e15; all positive, so that nothing cancels."""
    _, m, n, k = size
    rng = np.random.default_rng(0)
    a = (rng.uniform(0.5, 1.5, (m, k)) * 10.0 ** rng.integers(-15, 16, (m, 1))).astype(np.float32)
    b = (rng.uniform(0.5, 1.5, (k, n)) * 10.0 ** rng.integers(-15, 16, (1, n))).astype(np.float32)
    made = _product("of all magnitudes", form, size, _laid(a, "At" in form), _laid(b.T, "Bt" not in form))
    return replace(made, atol=0.0)


def _not_finite(form: str, size: Size) -> OpCase:
    """NaN and infinities at the ends of A's rows and B's columns, where padding begins: they stay in these."""
    _, m, n, k = size
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    a[m // 2, k - 1], a[m - 1, 0] = np.inf, np.nan
    b[k - 1, n // 3], b[k - 1, n - 1] = np.nan, -np.inf
    return _product("not finite", form, size, _laid(a, "At" in form), _laid(b.T, "Bt" not in form))


def _of(t: Tile, number: int) -> list[OpCase]:
    """One tile's cases: odd sizes in every form, others in one each, not the same for all tiles. Kernels with many
    elements for each thread take long to compile: these take every other one of the adverse sizes.
    """
    large = t.tm * t.tn >= 64
    cases = [_amid("A B", SIZES["whole tiles"](t))]
    for n, (label, size) in enumerate(SIZES.items()):
        if label == ODD:
            cases += [_product(label, form, size(t)) for form in USUAL]
        elif label == "whole tiles":
            cases.append(_product(label, USUAL[1 + number % 2], size(t)))
        elif not large or (n + number) % 2:
            cases.append(_product(label, USUAL[(n + number) % 3], size(t)))
    if not large:
        cases.append(_product("primes", "At Bt", SIZES["primes"](t)))
    for form in USUAL:  # in kernels that are there anyhow
        cases += [_magnitudes(form, SIZES[ODD](t)), _not_finite(form, SIZES[ODD](t))]
    return cases


PRODUCT_CASES = [TileCase(case=case, forced=tile(t)) for number, t in enumerate(tiled.TILES) for case in _of(t, number)]

_SMALL = Tile(16, 64, 16, 4, 4, unroll=16)
_OTHER = [
    replace(_SMALL, stages=1),
    replace(_SMALL, swizzle=2),
    replace(_SMALL, swizzle=4, stages=1, unroll=4),
    replace(_SMALL, unroll=8),
]  # what templates can do, though no tile of the search space asks for it
OTHER_CASES = [
    TileCase(case=_product(label, form, size), forced=tile(t))
    for t in _OTHER
    for label, form, size in (
        ("many tiles", "A B", (0, 49, 150, 37)),
        ("many even tiles", "A Bt", (0, 48, 320, 32)),
        ("batch of many tiles", "At B", (2, 33, 132, 20)),
    )
]

SPLIT_CASES = [
    TileCase(case=replace(_product("long sum", form, size), atol=2e-3), forced=ANY_TILE)
    for form, size in (("A B", (0, 32, 36, 4096)), ("At B", (0, 33, 17, 3 * 1024)), ("A Bt", (2, 20, 40, 4096)))
]
