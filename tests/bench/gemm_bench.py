"""Square float32 matrix products in the three forms that training needs; 2 n³ operations each.

A·B is a forward pass, Aᵀ·B the gradient of weights, A·Bᵀ that of inputs. See ``accumulated.py`` for what a step does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import tabgrad as tg
from bench import accumulated
from bench.kernels_bench import Case, Prepared, error

SIZES = {"full": (512, 1024, 2048, 4096), "small": (64, 100)}
SAMPLES = 64


@dataclass(frozen=True, kw_only=True)
class Form:
    """Which operands are read transposed."""

    name: str
    left_transposed: bool = False
    right_transposed: bool = False

    def __call__(self, a: tg.Tensor, b: tg.Tensor) -> tg.Tensor:
        return (a.T if self.left_transposed else a) @ (b.T if self.right_transposed else b)


FORMS = (Form(name="A·B"), Form(name="Aᵀ·B", left_transposed=True), Form(name="A·Bᵀ", right_transposed=True))


def cases(scale: str) -> Iterator[Case]:
    """Every size and form."""
    for n in SIZES[scale]:
        # enough products that asking for a step is a small part of it
        count = min(16, max(2, 8192 // n)) if scale == "full" else 2
        for form in FORMS:
            yield Case(
                name=f"gemm {n} {form.name}",
                unit="TFLOP/s",
                work=2 * n**3,
                repetitions=count**2,
                prepare=lambda n=n, form=form, count=count: _prepare(n, form, count),
            )


def _prepare(n: int, form: Form, count: int) -> Prepared:
    left, right = accumulated.operands(count, n, n), accumulated.operands(count, n, n)

    async def check(result: tg.Tensor, _: int) -> float:
        rows, columns = places = accumulated.places(SAMPLES, (n, n))
        found = await accumulated.entries(result, places)
        a = await _lines(left, rows, 1 if form.left_transposed else 0)
        b = await _lines(right, columns, 0 if form.right_transposed else 1)
        return error(found, (a * b).sum(1), accumulated.RTOL)

    return Prepared(step=accumulated.accumulate(form, left, right), error=check)


async def _lines(matrices: list[tg.Tensor], places: np.ndarray, dim: int) -> np.ndarray:
    """Some rows (``dim`` 0) or columns of the sum of matrices, in float64; ``[places, n]`` either way."""
    index = tg.tensor(places.astype(np.int32))
    found = await accumulated.total([tg.index_select(m, dim, index) for m in matrices])
    return found if dim == 0 else found.T
