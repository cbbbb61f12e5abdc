"""Reductions, order, products and statistics in the forms that PyTorch's programs use, beside PyTorch's results."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from parity.values import Converter, difference, tensors_in
from tabgrad.nn import functional as F

torch.manual_seed(0)
X = torch.randn(2, 3, 4)
M = torch.randn(3, 4)
V = torch.randn(5)
Z = torch.tensor([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
NAN = torch.tensor([[1.0, math.nan, 3.0, 2.0], [math.nan, 4.0, 5.0, 0.5]])
WHOLE = torch.tensor([[3, -1, 3, 2], [0, 7, 7, -4]])
FLAGS = torch.tensor([[True, False, True], [False, False, False]])
SPD = (lambda a: a @ a.mT + torch.eye(4))(torch.randn(2, 4, 4))

Case = Callable[..., Any]

# Called with torch or tabgrad, its nn.functional, and tensors of it.
FLOATS: dict[str, tuple[Case, tuple[torch.Tensor, ...]]] = {
    "var of all, biased": (lambda T, F, x: x.var(False), (X,)),
    "var positional": (lambda T, F, x: x.var(0, False), (X,)),
    "var positional, keepdim": (lambda T, F, x: x.var(1, True, True), (X,)),
    "var by keywords": (lambda T, F, x: T.var(x, dim=(0, 2), unbiased=False, keepdim=True), (X,)),
    "std of all, biased": (lambda T, F, x: x.std(False), (X,)),
    "std of equal ones": (lambda T, F, x: (x * 0 + 1).std(0), (X,)),
    "var_mean": (lambda T, F, x: T.var_mean(x, 1, False), (X,)),
    "std_mean": (lambda T, F, x: T.std_mean(x, -1, correction=0), (X,)),
    "NumPy's names": (lambda T, F, x: x.sum(axis=1, keepdims=True) + T.mean(x, axis=(0, 1)), (X,)),
    "mean in another dtype": (lambda T, F, x: x.mean(-1, dtype=T.float32), (X,)),
    "max along": (lambda T, F, x: T.max(x, 1, True), (X,)),
    "min of two": (lambda T, F, x: T.min(x, x * 2), (X,)),
    "max of another": (lambda T, F, x: x.max(other=x.flip(0)), (X,)),
    "argmax, all kept": (lambda T, F, x: x.argmax(keepdim=True), (X,)),
    "aminmax": (lambda T, F, x: T.aminmax(x, dim=1), (X,)),
    "norm": (lambda T, F, x: (x.norm(), x.norm(1), T.norm(x, math.inf, -1), x.norm(3, (0, 1), True)), (X,)),
    "norm of zeros": (lambda T, F, x: (x.norm(dim=1), x.norm(3, 1), x.norm(0.5, 1), x.norm(0, 1)), (Z,)),
    "nuclear norm": (lambda T, F, x: T.norm(x, "nuc"), (M,)),
    "renorm": (lambda T, F, x: x.renorm(2, 0, 1.0), (M,)),
    "cdist": (lambda T, F, x: (T.cdist(x, x * 2), T.cdist(x, x + 1, p=1)), (M,)),
    "pdist": (lambda T, F, x: F.pdist(x), (M,)),
    "nansum, nanmean": (lambda T, F, x: (x.nansum(1), x.nanmean()), (NAN,)),
    "nanmedian, nanquantile": (lambda T, F, x: (x.nanmedian(1), x.nanmedian(), x.nanquantile(0.3, 1)), (NAN,)),
    "quantile": (lambda T, F, x: T.quantile(x, T.tensor([0.1, 0.5]), 1, True), (X,)),
    "quantile, nearest": (lambda T, F, x: x.quantile(0.4, interpolation="nearest"), (X,)),
    "quantile of NaN": (lambda T, F, x: x.quantile(0.5, 1), (NAN,)),
    "softmax, dtype": (lambda T, F, x: (T.softmax(x, 1, T.float32), F.log_softmax(x, dim=0, dtype=T.float32)), (X,)),
    "softmax of a number": (lambda T, F, x: x.sum().softmax(0), (X,)),
    "cov, corrcoef": (lambda T, F, x: (x.cov(), T.corrcoef(x), T.cov(x, correction=0)), (M,)),
    "diff": (lambda T, F, x: (x.diff(), T.diff(x, 2, 0, append=x)), (M,)),
    "gradient": (lambda T, F, x: T.gradient(x, spacing=0.5, dim=1, edge_order=2), (M,)),
    "trapezoid": (lambda T, F, x: (T.trapz(x, dx=0.5), T.cumulative_trapezoid(x, x.cumsum(1))), (M,)),
    "trace": (lambda T, F, x: x.trace(), (M,)),
    "sort by keywords": (lambda T, F, x: T.sort(x, stable=True, dim=0, descending=True).values, (M,)),
    "products": (lambda T, F, x: (x.mm(x.t()), x.mv(x[0]), x[0].dot(x[1]), T.outer(x[0], x[1]), T.inner(x, x)), (M,)),
    "addmm": (lambda T, F, x: (T.addmm(x[:, :3], x, x.t(), beta=0.5, alpha=2), T.addmv(x[:, 0], x, x[0])), (M,)),
    "baddbmm": (lambda T, F, x: (T.baddbmm(x[:, :, :3], x, x.mT), x[0, :, :3].addbmm(x, x.mT, alpha=3)), (X,)),
    "addr": (lambda T, F, x: T.addr(x, x[:, 0], x[0], beta=0), (M,)),
    "tensordot": (lambda T, F, x: (T.tensordot(x, x, ([0, 2], [0, 2])), T.tensordot(x, x[0].t(), 1)), (X,)),
    "kron, cross": (lambda T, F, x: (T.kron(x, x[:2]), x.cross(x * x, dim=0)), (M,)),
    "chain": (lambda T, F, x: (x @ x.t(), T.linalg.multi_dot([x[0], x.t(), x])), (M,)),
    "einsum, attention": (lambda T, F, x: T.einsum("bqd,bkd->bqk", x, x), (X,)),
    "einsum, ellipsis": (lambda T, F, x: T.einsum("...ij,kj->k...i", x, x[0]), (X,)),
    "einsum, diagonal": (lambda T, F, x: T.einsum("ii,ij,->j", x[:, :3], x, x[0, 0]), (M,)),
    "einsum, no result": (lambda T, F, x: (T.einsum("ij,jk", x, x.t()), T.einsum("ba", [x])), (M,)),
    "einsum, lists": (lambda T, F, x: T.einsum(x, [0, 1], x, [2, 1], [2, 0]), (M,)),
    "vander": (lambda T, F, x: T.linalg.vander(x, N=3), (V,)),
    "inverse": (lambda T, F, a: (T.linalg.inv(a), a.inverse(), T.linalg.matrix_power(a, -2)), (SPD,)),
    "determinant": (lambda T, F, a: (a.det(), T.linalg.slogdet(a).logabsdet, T.logdet(a)), (SPD,)),
    "determinant of 0": (lambda T, F, a: T.linalg.det(a), (Z[:2, :2] * torch.tensor([1.0, 0.0]) + 1,)),
    "solve": (lambda T, F, a: (T.linalg.solve(a, a[:, :, :2]), T.linalg.solve(a, a[:, 0])), (SPD,)),
    "triangular": (lambda T, F, a: T.linalg.solve_triangular(a, a[..., :3], upper=False), (SPD,)),
    "cholesky": (lambda T, F, a: (T.linalg.cholesky(a), T.cholesky_solve(a[..., :1], T.linalg.cholesky(a))), (SPD,)),
    "qr": (lambda T, F, a: (*T.linalg.qr(a), *T.linalg.qr(a[..., :3]), *T.linalg.qr(a[..., :2, :])), (SPD,)),
    "lu": (lambda T, F, a: (*T.linalg.lu(a), *T.linalg.lu_factor(a[..., :2])), (SPD,)),
    "symmetric": (lambda T, F, a: (T.linalg.eigvalsh(a), T.linalg.eigh(a).eigenvectors.abs()), (SPD,)),
    "svd": (lambda T, F, a: (T.linalg.svdvals(a), T.svd(a[..., :3]).U.abs()), (SPD,)),
    "pinv": (lambda T, F, a: (T.linalg.pinv(a[..., :3]), T.linalg.lstsq(a[..., :2], a[..., :1]).solution), (SPD,)),
    "norms of matrices": (lambda T, F, a: [T.linalg.matrix_norm(a, p) for p in ("fro", "nuc", -1, 2)], (SPD,)),
    "exponential": (lambda T, F, a: T.linalg.matrix_exp(a * 0.3), (SPD,)),
}  # fmt: skip

OTHERS: dict[str, tuple[Case, tuple[torch.Tensor, ...]]] = {
    "vander": (lambda T, F, x: (T.vander(x), T.vander(x, 2, True)), (V,)),
    "whole sums": (lambda T, F, x: (x.sum(1), x.prod(dtype=T.float32), T.mean(x, 0, dtype=T.float32)), (WHOLE,)),
    "whole extremes": (lambda T, F, x: (x.max(1), x.amin(), T.max(x, x.flip(1)), x.max(0).values), (WHOLE,)),
    "whole products": (lambda T, F, x: (x @ x.t(), x.mv(x[0]), F.linear(x, x), T.addmm(x[:, :2], x, x.t())), (WHOLE,)),
    "flags": (lambda T, F, x: (x.any(1), x.all((0, 1)), x.any((0, 1), True), x.sum(), x.max(1).values), (FLAGS,)),
    "bytes": (lambda T, F, x: (x.byte().any(1), x.byte().sum(0)), (FLAGS,)),
    "counts": (lambda T, F, x: (x.count_nonzero(), T.count_nonzero(x, 1)), (WHOLE,)),
    "mode": (lambda T, F, x: x.mode(1), (WHOLE,)),
    "unique": (lambda T, F, x: T.unique(x, return_inverse=True, return_counts=True), (WHOLE,)),
    "unique rows": (lambda T, F, x: T.unique(T.cat([x, x]), dim=0, return_inverse=True), (WHOLE,)),
    "consecutive": (lambda T, F, x: x.reshape(-1).unique_consecutive(True, return_counts=True), (WHOLE,)),
    "histc": (lambda T, F, x: (x.histc(4), T.histc(x, 5, -1, 1)), (X,)),
    "histogram": (lambda T, F, x: x.histogram(4, density=True), (X,)),
    "searchsorted": (lambda T, F, x: T.searchsorted(T.arange(-2, 3).float(), x, side="right").int(), (X,)),
    "bucketize": (lambda T, F, x: T.bucketize(x, T.tensor([-1, 0, 2])).int(), (WHOLE,)),
    "isin": (lambda T, F, x: (T.isin(x, T.tensor([3, 7])), T.isin(x, 3, invert=True)), (WHOLE,)),
    "rank": (lambda T, F, a: (T.linalg.matrix_rank(a), T.linalg.matrix_rank(a[..., :2])), (SPD,)),
    "infinite logits": (lambda T, F, x: (T.softmax(x, 0), T.log_softmax(x, 0)), (torch.tensor([math.inf, 0.0]),)),
}  # fmt: skip


@pytest.mark.parametrize("name", FLOATS)
def test_results_and_gradients_are_pytorchs(name: str) -> None:
    call, values = FLOATS[name]
    leaves = [v.clone().requires_grad_() for v in values]
    convert = Converter()
    given = [convert(v) for v in leaves]
    expected, got = call(torch, torch.nn.functional, *leaves), call(tg, F, *given)
    assert difference(expected, got) is None
    pairs = list(zip(tensors_in(expected, torch.Tensor), tensors_in(got, tg.Tensor), strict=True))
    assert [m.requires_grad for t, m in pairs if t.requires_grad] == [True] * sum(t.requires_grad for t, _ in pairs)
    roots = [(t, m, torch.randn(t.shape)) for t, m in pairs if t.requires_grad]
    if roots:
        theirs, mine, seeds = zip(*roots, strict=True)
        wanted = torch.autograd.grad(theirs, leaves, seeds)
        found = tg.autograd.grad(list(mine), given, [tg.tensor(s.numpy()) for s in seeds])
        assert [difference(w, f) for w, f in zip(wanted, found, strict=True)] == [None] * len(leaves)


@pytest.mark.parametrize("name", OTHERS)
def test_results_are_pytorchs(name: str) -> None:
    call, values = OTHERS[name]
    convert = Converter()
    expected = call(torch, torch.nn.functional, *values)
    assert difference(expected, call(tg, F, *map(convert, values))) is None


SECOND: dict[str, Case] = {
    "inv": lambda T, a: T.linalg.inv(a), "cholesky": lambda T, a: T.linalg.cholesky(a), "det": lambda T, a: a.det(),
    "eigvalsh": lambda T, a: T.linalg.eigvalsh(a), "svdvals": lambda T, a: T.linalg.svdvals(a),
    "qr": lambda T, a: T.linalg.qr(a).R, "pinv": lambda T, a: a.pinverse(), "solve": lambda T, a: T.linalg.solve(a, a),
    "std": lambda T, a: a.std(0), "norm": lambda T, a: a.norm(dim=0), "lu": lambda T, a: T.linalg.lu(a).U,
}  # fmt: skip


@pytest.mark.parametrize("name", SECOND)
def test_second_gradients_are_pytorchs(name: str) -> None:
    def second(T: Any, a: Any) -> Any:
        (first,) = T.autograd.grad((SECOND[name](T, a) ** 2).sum(), [a], create_graph=True)
        return T.autograd.grad((first * first).sum(), [a])[0]

    theirs = SPD[0].clone().requires_grad_()
    mine = tg.tensor(SPD[0].numpy()).requires_grad_()
    assert difference(second(torch, theirs), second(tg, mine)) is None


def test_loops_with_decompositions_are_computed_anew_in_each_round() -> None:
    theirs = SPD[0].clone().requires_grad_()
    mine = tg.tensor(SPD[0].numpy()).requires_grad_()
    for form in ("inv", "cholesky", "inv", "inv", "cholesky", "det", "det", "inv"):
        found = []
        for T, a in ((torch, theirs), (tg, mine)):
            loss = (getattr(T.linalg, form)(a) ** 2).sum()
            (step,) = T.autograd.grad(loss, [a])
            with T.no_grad():
                a.copy_(a + 0.001 * step.clamp(-5, 5) if form == "inv" else a * 0.99)
            found.append(loss)
        assert difference(*found) is None
    assert difference(theirs, mine) is None


def test_beta_of_0_does_not_read_the_input() -> None:
    nan, x = tg.full((2, 2), math.nan), tg.ones(2, 2)
    for found in (tg.addmm(nan, x, x, beta=0), tg.baddbmm(nan, x[None], x[None], beta=0), nan.addmm_(x, x, beta=0)):
        assert np.asarray(found.numpy()).tolist() in ([[2, 2], [2, 2]], [[[2, 2], [2, 2]]])


def test_results_go_to_out() -> None:
    x, values, indices = tg.tensor(X.numpy()), tg.empty(2, 4), tg.empty(2, 4, dtype=tg.int64)
    found = tg.max(x, 1, out=(values, indices))
    assert found.values is values
    assert difference(X.max(1).values, values) is None and difference(X.max(1).indices, indices) is None


def test_multinomial_draws_as_likely_as_asked() -> None:
    generator = tg.Generator(random.Random(0).randrange(2**31))
    weights = tg.tensor([[1.0, 0.0, 3.0, 0.0], [0.0, 2.0, 0.0, 2.0]])
    drawn = weights.multinomial(4000, replacement=True, generator=generator).numpy()
    assert set(drawn[0]) == {0, 2} and set(drawn[1]) == {1, 3}
    assert abs((drawn[0] == 2).mean() - 0.75) < 5 * (0.1875 / 4000) ** 0.5
    rows = tg.ones(2000, 1) * tg.tensor([[1.0, 2.0, 0.0, 5.0]])
    picked = tg.multinomial(rows, 3, generator=generator).numpy()
    assert np.array_equal(np.sort(picked, 1), np.tile([0, 1, 3], (2000, 1)))  # each once, and no impossible one
    assert abs((picked[:, 0] == 3).mean() - 0.625) < 5 * (0.625 * 0.375 / 2000) ** 0.5


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: tg.ones(3, dtype=tg.int64).std(), tg.DTypeError, "std: expected a floating-point tensor"),
    (lambda: tg.ones(3).var(0, unbiased=True, correction=1), TypeError, "var: expected unbiased or correction"),
    (lambda: tg.zeros(0).max(), tg.ShapeError, "max: expected at least one element"),
    (lambda: tg.ones(2, 3).mm(tg.ones(2, 3)), tg.ShapeError, "mm: expected inner sizes to match"),
    (lambda: tg.ones(2, 3).mm(tg.ones(3)), tg.ShapeError, "mm: expected 2-d and 2-d tensors"),
    (lambda: tg.einsum("ij,jk->il", tg.ones(2, 3), tg.ones(3, 4)), tg.ArgumentError, "einsum: expected each letter"),
    (lambda: tg.einsum("ij,jk", tg.ones(2, 3), tg.ones(4, 4)), tg.ShapeError, "einsum: expected one size of 'j'"),
    (lambda: tg.linalg.inv(tg.zeros(2, 2)), tg.linalg.LinAlgError, "linalg.inv: expected invertible matrices"),
    (lambda: tg.linalg.cholesky(-tg.ones(1, 1)), tg.linalg.LinAlgError, "cholesky: expected positive definite"),
    (lambda: tg.linalg.eig(tg.ones(2, 2)), NotImplementedError, "use linalg.eigh"),
    (lambda: tg.multinomial(tg.tensor([1.0, 0.0]), 2), tg.ShapeError, "at least 2 weights above 0"),
    (lambda: F.softmax(tg.ones(2, dtype=tg.int64), 0), tg.DTypeError, "softmax: expected a floating-point tensor"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), REFUSED, ids=[m for _, _, m in REFUSED])
def test_what_cannot_be_is_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
