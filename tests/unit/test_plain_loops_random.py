"""Random loops whose numbers, slices and indices differ from round to round: PyTorch's values, and execution's bits."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

import tabgrad as tg
from daily import daily_random
from sessions import session_on
from tabgrad.tracing.tracer import Tracer

ROUNDS = 7
ROWS = 12


class Deed(NamedTuple):
    """One line of a loop's body."""

    what: str
    first: int  # of the tensors that there are
    second: int
    start: float
    step: float  # by which its number grows from round to round
    row: int
    rows: int  # by which its row does


class Numbers(NamedTuple):
    """Those of a line in one round."""

    f: float
    i: int


def _ids(n: Numbers) -> list[int]:
    return [n.i, (3 * n.i) % ROWS, 0]


Make = Callable[[Any, Any, Any, Any, Numbers], Any]

MADE: dict[str, Make] = {
    "add": lambda T, x, a, b, n: a + n.f,
    "add_alpha": lambda T, x, a, b, n: T.add(a, b, alpha=n.f),
    "mul": lambda T, x, a, b, n: a * n.f + b,
    "from_number": lambda T, x, a, b, n: n.f - a,
    "div": lambda T, x, a, b, n: a / (n.f + 3),
    "two": lambda T, x, a, b, n: a * n.f + b * (1 - n.f),
    "whole": lambda T, x, a, b, n: a * (n.i - 2),
    "power": lambda T, x, a, b, n: (a.abs() + 0.1) ** n.f,
    "clamp": lambda T, x, a, b, n: a.clamp(-abs(n.f), abs(n.f) + 0.1),
    "where": lambda T, x, a, b, n: T.where(a > n.f * 0.3, a, b * n.f),
    "rows": lambda T, x, a, b, n: x[n.i : n.i + 2] + a,
    "rows_back": lambda T, x, a, b, n: x[n.i - ROWS : n.i - ROWS + 2] * a if n.i < ROWS - 2 else a,
    "block": lambda T, x, a, b, n: x[n.i : n.i + 2, n.i % 3 : n.i % 3 + 1] * a,
    "column": lambda T, x, a, b, n: x[1:3, n.i % 4].sum() * a,
    "row": lambda T, x, a, b, n: x[n.i] + b,
    "element": lambda T, x, a, b, n: x[n.i, n.i % 4] * a,
    "view": lambda T, x, a, b, n: x[n.i : n.i + 2],
    "strided": lambda T, x, a, b, n: x[n.i : n.i + 3 : 2] - b,
    "array": lambda T, x, a, b, n: x[np.asarray(_ids(n))].sum(0) + a,
    "list": lambda T, x, a, b, n: x[_ids(n)].sum(0) * a,
    "tensor": lambda T, x, a, b, n: x[T.tensor(np.asarray(_ids(n)))].sum(0) - a,
    "detach": lambda T, x, a, b, n: a - b.detach() * n.f,
    "sum": lambda T, x, a, b, n: a.sum() * n.f + b,
    "own_rows": lambda T, x, a, b, n: a[n.i % 2] + b,
    "leaf": lambda T, x, a, b, n: (a.detach() * n.f).requires_grad_(),
    "leaf_of_rows": lambda T, x, a, b, n: x[n.i : n.i + 2].clone().requires_grad_(n.i % 3 > 0),
    "grad": lambda T, x, a, b, n: _gradient(T, a, b, n.f),
}  # fmt: skip
CHANGED: dict[str, Make] = {
    "mul_": lambda T, x, a, b, n: a.mul_(n.f),
    "add_": lambda T, x, a, b, n: a.add_(b, alpha=n.f),
    "fill_rows": lambda T, x, a, b, n: x[n.i : n.i + 2].mul_(n.f),
    "set_rows": lambda T, x, a, b, n: x.__setitem__(slice(n.i, n.i + 2), b),
    "set_row": lambda T, x, a, b, n: x.__setitem__(n.i, n.f),
    "data": lambda T, x, a, b, n: x.mul_(0.5 + abs(n.f)),
    "detached": lambda T, x, a, b, n: x.detach().mul_(0.5 + abs(n.f)),
    "detached_copy": lambda T, x, a, b, n: x.detach().copy_(x * n.f),
    "copy_": lambda T, x, a, b, n: a.copy_(x[n.i : n.i + 2]),
}  # fmt: skip
WHAT = [*MADE, *MADE, *CHANGED, "read", "drop"]


def _gradient(T: Any, a: Any, b: Any, factor: float) -> Any:
    if not a.requires_grad:
        return b * factor
    grad = T.grad if T is tg else T.autograd.grad
    (found,) = grad((a * a * factor).sum(), a, create_graph=True)
    return found + b


def a_program(rng: random.Random) -> list[Deed]:
    return [
        Deed(
            rng.choice(WHAT), rng.randrange(9), rng.randrange(9), round(rng.uniform(-1, 1), 2),
            rng.choice((0.0, 0.125, 0.3, -0.17)), rng.randrange(ROWS - 2), rng.choice((0, 1, 2, 5)),
        )
        for _ in range(rng.randrange(3, 9))
    ]  # fmt: skip


def run(T: Any, program: list[Deed]) -> list[np.ndarray]:
    """What a loop reads, round by round."""
    data = np.random.default_rng(5).uniform(-1, 1, (ROWS, 4)).astype(np.float32)
    x = T.tensor(data)
    found = []
    for at in range(ROUNDS):
        w = T.tensor(np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4), requires_grad=True)
        pool = [w, w * 1]
        for deed in program:
            n = Numbers(deed.start + at * deed.step, (deed.row + at * deed.rows) % (ROWS - 2))
            a, b = pool[deed.first % len(pool)], pool[deed.second % len(pool)]
            if deed.what == "drop":
                del pool[max(1, deed.first % len(pool)) :]
                pool = pool if len(pool) > 1 else [w, w * 1]
            elif deed.what == "read":
                found.append(a.detach().numpy().copy())
            elif deed.what in MADE:
                made = MADE[deed.what](T, x, a, b, n)
                if tuple(made.shape) == (2, 4):
                    pool.append(made)
            else:
                with T.no_grad():
                    if a is not w:
                        CHANGED[deed.what](T, x, a, b, n)
        found.append(np.array([t.requires_grad for t in pool]))
        loss = sum((t * t).sum() * (0.3 + k) for k, t in enumerate(pool))
        loss.backward()
        found += [loss.detach().numpy().copy(), np.zeros(0) if w.grad is None else w.grad.numpy().copy()]
        found.append(x.numpy().copy())
    return found


def check(program: list[Deed]) -> int:
    """How many calls were followed."""
    try:
        with np.errstate(all="ignore"):
            theirs = run(torch, program)
    except RuntimeError:
        return 0  # PyTorch refuses a gradient of what was changed in place
    results, followed = [], 0
    for enabled in (True, False):
        with session_on("reference") as session:
            tracer = session.own(Tracer)
            tracer.enabled = enabled
            results.append(run(tg, program))
            followed = max(followed, tracer.followed)
    for ours, executed, expected in zip(*results, theirs, strict=True):
        np.testing.assert_array_equal(ours, executed)
        np.testing.assert_allclose(ours, expected, rtol=2e-3, atol=1e-3)
    return followed


def test_random_loops_have_pytorchs_values_and_the_bits_of_execution() -> None:
    rng = daily_random("plain loops")
    followed = 0
    for _ in range(12):
        program = a_program(rng)
        print(program)  # of the one that fails, the last
        followed += check(program)
    assert followed > 150
