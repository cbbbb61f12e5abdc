"""Gradients through in-place writes: what raises and what does not, and random programs, as in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import tabgrad as tg
from daily import SEED
from tabgrad import GradError

F = {torch: torch.nn.functional, tg: tg.nn.functional}

# ``f(T, x, z)``: PyTorch says which of their arguments and results may be changed before backward().
SAVING: dict[str, Callable[[Any, Any, Any], Any]] = {
    **{
        name: lambda T, x, z, name=name: getattr(x, name)()
        for name in (
            "abs", "ceil", "exp", "expm1", "floor", "log", "log1p", "neg", "reciprocal", "relu", "round", "rsqrt",
            "sigmoid", "sign", "sin", "cos", "sqrt", "square", "tanh", "erf", "sum", "mean", "amax",
        )
    },
    **{
        name: lambda T, x, z, name=name: getattr(T, name)(x, z)
        for name in ("add", "sub", "mul", "div", "maximum", "minimum", "pow")
    },
    "softmax": lambda T, x, z: x.softmax(0),
    "log softmax": lambda T, x, z: x.log_softmax(0),
    "silu": lambda T, x, z: F[T].silu(x),
    "clamp": lambda T, x, z: x.clamp(0.4, 0.8),
    "number over": lambda T, x, z: x / 2,
    "where": lambda T, x, z: T.where(x > 0.5, x, z),
    "matmul": lambda T, x, z: x.view(1, 3) @ z.view(3, 1),
    "linear": lambda T, x, z: F[T].linear(x.view(1, 3), z.view(1, 3)),
    "layer norm": lambda T, x, z: F[T].layer_norm(x, (3,)),
    "cat": lambda T, x, z: T.cat([x, z]),
    "index": lambda T, x, z: x[T.tensor([0, 2])],
    "conv2d": lambda T, x, z: F[T].conv2d(x.view(1, 1, 1, 3), z.view(1, 1, 1, 3)),
    "max pool": lambda T, x, z: F[T].max_pool2d(x.view(1, 1, 1, 3), (1, 3)),
    "product with itself": lambda T, x, z: x * x,
}  # fmt: skip


def _gradients(T: Any, f: Callable[[Any, Any, Any], Any], changed: str) -> list[list[float]] | None:
    """Of two leaves, if backward() has what it needs."""
    leaves = [T.tensor(values, requires_grad=True) for values in ([0.3, 0.7, 0.9], [0.5, 0.2, 0.8])]
    x, z = (leaf * 1 for leaf in leaves)
    y = f(T, x, z)
    {"first": x, "second": z, "result": y}[changed].add_(1)
    try:
        y.sum().backward()
    except (RuntimeError, GradError) as error:
        if "in place" not in str(error) and "inplace" not in str(error):
            raise
        return None
    return [[0.0] * 3 if leaf.grad is None else leaf.grad.tolist() for leaf in leaves]


@pytest.mark.parametrize("changed", ["first", "second", "result"])
@pytest.mark.parametrize("name", SAVING)
def test_a_change_of_what_backward_needs_raises_as_in_pytorch(name: str, changed: str) -> None:
    expected, got = _gradients(torch, SAVING[name], changed), _gradients(tg, SAVING[name], changed)
    assert (got is None) == (expected is None)
    if expected is not None:
        np.testing.assert_allclose(np.array(got), np.array(expected), rtol=1e-5, atol=1e-6)


def test_a_view_of_a_leaf_and_one_made_under_no_grad_are_not_changed() -> None:
    w = tg.ones(2, 2, requires_grad=True)
    for change in (lambda: w[0].add_(1), lambda: w.view(-1).__setitem__(0, 1), lambda: w.t().mul_(2)):
        with pytest.raises(GradError, match="expected no view of a leaf that requires grad"):
            change()
    x = tg.zeros(3)
    with tg.no_grad():
        part = x[:2]
        part.add_(1)
        w[0].add_(1)
    with pytest.raises(GradError, match=r"got one made under no_grad\(\); make the view outside"):
        part.mul_(w[0])
    assert (x.tolist(), w.tolist()) == ([1, 1, 0], [[2, 2], [1, 1]])


def test_a_change_of_a_part_makes_a_leaf_a_result() -> None:
    w = tg.ones(2, requires_grad=True)
    x = tg.zeros(3)
    x[1:] = w * 3
    assert (x.requires_grad, x.is_leaf) == (True, False)
    (x * tg.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [6, 9]


def test_retain_grad_is_of_the_value_after_the_change() -> None:
    w = tg.ones(2, requires_grad=True)
    h = w * 2
    h.retain_grad()
    h.mul_(3)
    (h * 5).sum().backward()
    assert h.grad is not None
    assert w.grad is not None
    assert (h.grad.tolist(), w.grad.tolist()) == ([5, 5], [30, 30])


def test_second_derivatives_go_through_changes() -> None:
    def second(T: Any, grad: Any) -> list[float]:
        w = T.tensor([0.5, 0.8], requires_grad=True)
        h = w * w
        h.mul_(w)
        h[0] += w[1] * w[0]
        (first,) = grad(h.sum(), w, create_graph=True)
        return list(grad((first * first).sum(), w)[0].tolist())

    np.testing.assert_allclose(second(tg, tg.grad), second(torch, torch.autograd.grad), rtol=1e-5)


def test_modules_that_work_in_place_change_their_input() -> None:
    w = tg.tensor([-1.0, 2.0], requires_grad=True)
    for module, expected in (
        (tg.nn.ReLU(inplace=True), [0, 2]),
        (tg.nn.LeakyReLU(0.5, inplace=True), [-0.5, 2]),
        (tg.nn.Dropout(1.0, inplace=True), [0, 0]),
        (tg.nn.Dropout(0.5, inplace=True).eval(), [-1, 2]),
    ):
        h = w * 1
        out = module(h)
        assert out is h
        assert h.tolist() == expected
    with pytest.raises(GradError, match="leaf that requires grad"):
        tg.nn.ReLU(inplace=True)(w)


def test_a_step_leaves_no_record_on_what_it_wrote_to() -> None:
    w = tg.ones(2, requires_grad=True)
    cache = tg.zeros(3, 2)

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        cache[1] = w * x
        (cache.sum() * 2).backward()
        assert w.grad is not None
        grad, w.grad = w.grad, None
        return grad * 1

    for factor in (3.0, 5.0):
        assert step(tg.tensor([factor, 1.0])).tolist() == [2 * factor, 2]
        assert cache.tolist() == [[0, 0], [factor, 1], [0, 0]]
        assert (cache.requires_grad, cache.is_leaf) == (False, True)


# Random programs. PyTorch goes first; what it refuses is left out.

VIEWS: list[Callable[[Any], Any]] = [
    lambda t: t[1], lambda t: t[:, 1:3], lambda t: t.t(), lambda t: t.view(-1)[::2], lambda t: t.detach(),
    lambda t: t.view(2, -1), lambda t: t.unsqueeze(0), lambda t: t.flip(0), lambda t: t[..., -1],
]  # fmt: skip
RESULTS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a * b, lambda a, b: a + b, lambda a, b: a.tanh(), lambda a, b: a * 2, lambda a, b: a.sum(),
    lambda a, b: a.relu(), lambda a, b: a / (2 + b**2),
]  # fmt: skip
CHANGES: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a.add_(b), lambda a, b: a.mul_(b), lambda a, b: a.tanh_(), lambda a, b: a.copy_(b),
    lambda a, b: a.zero_(), lambda a, b: a.mul_(0.5), lambda a, b: a.relu_(), lambda a, b: a.sub_(b.detach()),
    lambda a, b: a.__setitem__(0, 0.5), lambda a, b: a.__setitem__(-1, b[-1]),
    lambda a, b: a.__setitem__(a > 0.05, 0.1),
    lambda a, b: a.__setitem__([1, 0], b[0]), lambda a, b: a.__setitem__((..., 0), b[..., 0]),
]  # fmt: skip
KINDS = {"view": VIEWS, "result": RESULTS, "change": CHANGES, "quiet": CHANGES, "read": [None], "drop": [None]}

DEEDS = st.tuples(st.sampled_from([*KINDS, *KINDS]), st.integers(0, 11), st.integers(0, 11), st.integers(0, 99))


def _do(T: Any, pool: list[Any], deed: tuple[str, int, int, int]) -> None:
    kind, i, j, n = deed
    a, b = pool[i % len(pool)], pool[j % len(pool)]
    if b.ndim > a.ndim or any(p not in (1, q) for p, q in zip(reversed(b.shape), reversed(a.shape), strict=False)):
        b = b.sum() * 0.1
    what = KINDS[kind][n % len(KINDS[kind])]
    if kind == "drop":
        if len(pool) > 1:
            pool.remove(next(t for t in pool if t is a))
    elif kind == "read":
        (a * 1 if n % 2 else a).detach().numpy()
    elif kind == "view":
        pool.append(what(a))
    elif kind == "result":
        pool.append(what(a, b))
    elif kind == "quiet":
        with T.no_grad():
            what(a, b)
    else:
        what(a, b)


def _loss(T: Any, pool: list[Any]) -> Any:
    weights = np.cos(np.arange(64, dtype=np.float32))
    return sum((t * T.tensor(weights[: t.numel()]).reshape(tuple(t.shape))).sum() for t in pool)


def _overlaps(tensor: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether a write may read what it has written already: PyTorch does not say what becomes of it then."""
    return tensor.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()


@seed(SEED)
@settings(max_examples=60, deadline=None, database=None)
@given(st.lists(DEEDS, min_size=4, max_size=16))
def test_random_programs_of_views_and_writes_have_pytorchs_gradients(program: list[tuple[str, int, int, int]]) -> None:
    pools = []
    for T in (torch, tg):
        w = T.tensor(np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4), requires_grad=True)
        pools.append([w, w * 1])
    leaves = [pool[0] for pool in pools]
    theirs, ours = pools
    for deed in program:
        kind, i, j, _ = deed
        if kind in ("change", "quiet") and _overlaps(theirs[i % len(theirs)], theirs[j % len(theirs)]) and i != j:
            continue
        try:
            _do(torch, theirs, deed)
        except (RuntimeError, IndexError):
            continue
        _do(tg, ours, deed)
    for ours_now, theirs_now in zip(ours, theirs, strict=True):
        assert ours_now.requires_grad is theirs_now.requires_grad
        np.testing.assert_allclose(ours_now.detach().numpy(), theirs_now.detach().numpy(), rtol=1e-4, atol=1e-5)
    try:
        loss = _loss(torch, theirs)
        if not loss.requires_grad:
            return
        loss.backward()
    except RuntimeError:
        return
    _loss(tg, ours).backward()
    got, expected = leaves[1].grad, leaves[0].grad
    np.testing.assert_allclose(
        np.zeros((4, 4)) if got is None else got.numpy(),
        np.zeros((4, 4)) if expected is None else expected.numpy(),
        rtol=1e-3, atol=1e-4,
    )  # fmt: skip
