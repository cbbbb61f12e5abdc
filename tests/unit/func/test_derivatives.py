"""``tabgrad.func`` and ``tabgrad.autograd.functional`` against PyTorch's: eagerly, repeated, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.autograd.functional
import torch.func

import tabgrad as tg
import tabgrad.autograd.functional
import tabgrad.func

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # PyTorch's forward mode uses it

X = np.array([0.3, -1.2, 0.7], np.float32)
Y = np.array([1.3, 0.2, 0.5], np.float32)
M = (np.arange(6, dtype=np.float32).reshape(2, 3) - 2) / 3


def three(T: Any, v: Any) -> Any:
    return T.stack([v[0] * v[1], v[1].exp(), v[2] * v[0] ** 2])


def number(v: Any) -> Any:
    return (v.sin() * v).sum()


def by_pair(T: Any, a: Any, b: Any) -> Any:
    return three(T, a) * b, (a * b).sum()


def of_two(T: Any, a: Any, b: Any) -> Any:
    return (three(T, a) ** 2 * b.sin()).sum()


def tree(p: Any, x: Any) -> Any:
    return ((x @ p["w"] + p["more"][0]) ** 2).sum()


Case = Callable[[Any, Any, Any, Any, Any], Any]
"""Of the library, its ``func``, two vectors ``[3]`` and a matrix ``[2, 3]``."""

FUNC: dict[str, Case] = {
    "grad": lambda T, f, x, y, m: f.grad(number)(x),
    "grad of grad": lambda T, f, x, y, m: f.grad(lambda v: f.grad(number)(v).sum())(x),
    "third": lambda T, f, x, y, m: f.grad(f.grad(f.grad(lambda v: v**4)))(x[0]),
    "argnums": lambda T, f, x, y, m: f.grad(lambda a, b: of_two(T, a, b), argnums=(0, 1))(x, y),
    "last argument": lambda T, f, x, y, m: f.grad(lambda a, b: of_two(T, a, b), argnums=-1)(x, y),
    "aux": lambda T, f, x, y, m: f.grad(lambda v: (number(v), v * 2), has_aux=True)(x),
    "value": lambda T, f, x, y, m: f.grad_and_value(number)(x),
    "value and aux": lambda T, f, x, y, m: f.grad_and_value(lambda v: (number(v), {"a": v * 2}), has_aux=True)(x),
    "dicts": lambda T, f, x, y, m: f.grad(tree)({"w": x, "more": [y[0]]}, m),
    "unused": lambda T, f, x, y, m: f.grad(lambda a, b: a.sum(), argnums=(0, 1))(x, y),
    "vjp": lambda T, f, x, y, m: f.vjp(lambda v: three(T, v), x)[1](y),
    "vjp of two": lambda T, f, x, y, m: f.vjp(lambda a, b: by_pair(T, a, b), x, y)[1]((y, x[0])),
    "vjp aux": lambda T, f, x, y, m: [f.vjp(lambda v: (number(v), v), x, has_aux=True)[n] for n in (0, 2)],
    "jvp": lambda T, f, x, y, m: f.jvp(lambda v: three(T, v), (x,), (y,)),
    "jvp of two": lambda T, f, x, y, m: f.jvp(lambda a, b: by_pair(T, a, b), (x, y), (y, x)),
    "jacrev": lambda T, f, x, y, m: f.jacrev(lambda v: three(T, v))(x),
    "jacrev of two": lambda T, f, x, y, m: f.jacrev(lambda a, b: by_pair(T, a, b), argnums=(0, 1))(x, y),
    "jacrev aux": lambda T, f, x, y, m: f.jacrev(lambda v: (three(T, v), v), has_aux=True)(x),
    "jacfwd": lambda T, f, x, y, m: f.jacfwd(lambda v: three(T, v))(x),
    "jacfwd of a matrix": lambda T, f, x, y, m: f.jacfwd(lambda v: v.tanh().sum(0))(m),
    "hessian": lambda T, f, x, y, m: f.hessian(lambda v: (three(T, v) ** 2).sum())(x),
    "hessian of two": lambda T, f, x, y, m: f.hessian(lambda a, b: of_two(T, a, b), argnums=(0, 1))(x, y),
    "jacfwd of jacrev": lambda T, f, x, y, m: f.jacfwd(f.jacrev(lambda v: (three(T, v) ** 2).sum()))(x),
    "vmap": lambda T, f, x, y, m: f.vmap(lambda a, b: (a * b).sum(), in_dims=(0, None))(m, x),
    "vmap dims": lambda T, f, x, y, m: f.vmap(lambda a, b: a[:, None] * b[None], in_dims=(1, -1), out_dims=1)(m, m),
    "vmap nested": lambda T, f, x, y, m: f.vmap(f.vmap(lambda a, b: a * b, (None, 0)), (0, None))(x, y),
    "vmap trees": lambda T, f, x, y, m: f.vmap(
        lambda p, k: (p["a"] + p["b"][0] * k, p["a"].sum()), in_dims=({"a": 0, "b": (None,)}, 0), out_dims=(1, 0)
    )({"a": m, "b": (x,)}, m[:, 0]),
    "vmap keywords": lambda T, f, x, y, m: f.vmap(lambda a, k: a * k)(m, k=m),
    "per sample": lambda T, f, x, y, m: f.vmap(f.grad(lambda w, a: (w * a).sum().sin()), in_dims=(None, 0))(x, m),
    "grad of vmap": lambda T, f, x, y, m: f.grad(lambda w: f.vmap(lambda a: (w * a).sum() ** 2)(m).sum())(x),
    "vmap of jacrev": lambda T, f, x, y, m: f.vmap(f.jacrev(lambda v: three(T, v)))(m),
}

FUNCTIONAL: dict[str, Case] = {
    "jacobian": lambda T, f, x, y, m: f.jacobian(lambda v: three(T, v), x),
    "jacobian of two": lambda T, f, x, y, m: f.jacobian(lambda a, b: by_pair(T, a, b), (x, y)),
    "vectorized": lambda T, f, x, y, m: f.jacobian(lambda a, b: by_pair(T, a, b), (x, y), vectorize=True),
    "forward": lambda T, f, x, y, m: f.jacobian(
        lambda a, b: by_pair(T, a, b), (x, y), vectorize=True, strategy="forward-mode"
    ),
    "hessian": lambda T, f, x, y, m: f.hessian(lambda v: (three(T, v) ** 2).sum(), x),
    "hessian of two": lambda T, f, x, y, m: f.hessian(lambda a, b: of_two(T, a, b), (x, y)),
    "hvp": lambda T, f, x, y, m: f.hvp(lambda a, b: of_two(T, a, b), (x, y), (y, x)),
    "vhp": lambda T, f, x, y, m: f.vhp(lambda v: (three(T, v) ** 2).sum(), x, y),
    "vjp": lambda T, f, x, y, m: f.vjp(lambda a, b: by_pair(T, a, b), (x, y), (x, y[0])),
    "vjp of a number": lambda T, f, x, y, m: f.vjp(number, x),
    "jvp": lambda T, f, x, y, m: f.jvp(lambda a, b: by_pair(T, a, b), (x, y), (y, x)),
    "unused": lambda T, f, x, y, m: f.jacobian(lambda a, b: a * 2, (x, y)),
}

CASES = {
    **{f"func {name}": ("func", case) for name, case in FUNC.items()},
    **{f"functional {name}": ("functional", case) for name, case in FUNCTIONAL.items()},
}


def found(T: Any, name: str, *, of: Callable[[Case], Case] = lambda case: case) -> Any:
    where, case = CASES[name]
    part = T.func if where == "func" else T.autograd.functional
    return of(case)(T, part, *(T.tensor(a) for a in (X, Y, M)))


def assert_same(ours: Any, theirs: Any) -> None:
    assert isinstance(ours, tuple | list) is isinstance(theirs, tuple | list)
    if isinstance(theirs, tuple | list):
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b)
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            assert_same(ours[key], theirs[key])
    else:
        assert tuple(ours.shape) == tuple(theirs.shape)
        assert ours.requires_grad == theirs.requires_grad
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_derivative_is_pytorchs(name: str) -> None:
    assert_same(found(tg, name), found(torch, name))


@pytest.mark.parametrize("name", ["func grad", "func hessian", "func per sample", "func jvp", "functional hvp"])
def test_derivative_is_the_same_when_it_comes_again_and_compiled(name: str) -> None:
    theirs = found(torch, name)
    for _ in range(6):
        assert_same(found(tg, name), theirs)
    where, case = CASES[name]
    part = tg.func if where == "func" else tg.autograd.functional
    step = tg.compile(lambda x, y, m: case(tg, part, x, y, m))
    for _ in range(2):
        assert_same(step(tg.tensor(X), tg.tensor(Y), tg.tensor(M)), theirs)


def test_results_are_recorded_as_far_as_they_depend_on_more() -> None:
    def story(T: Any) -> list[Any]:
        w = T.tensor(Y, requires_grad=True)
        x = T.tensor(X, requires_grad=True)
        by_closure = T.func.grad(lambda v: (v * v * w).sum())(T.tensor(X))
        by_argument = T.func.grad(lambda v: (v**3).sum())(x)
        by_closure.sum().backward()
        by_argument.sum().backward()
        with T.no_grad():
            still = T.func.grad(lambda v: (v * v * w).sum())(x)
        return [by_closure, w.grad, by_argument, x.grad, still]

    for ours, theirs in zip(story(tg), story(torch), strict=True):
        assert ours.requires_grad == theirs.requires_grad
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-5)


def test_jacobian_is_recorded_if_asked_for() -> None:
    def story(T: Any) -> Any:
        x = T.tensor(X, requires_grad=True)
        (T.autograd.functional.jacobian(lambda v: three(T, v), x, create_graph=True) ** 2).sum().backward()
        return x.grad

    assert_same(story(tg), story(torch))


def test_modules_are_functions_of_their_parameters() -> None:
    def story(T: Any) -> list[Any]:
        models = []
        for n in range(2):
            model = T.nn.Sequential(T.nn.Linear(3, 4), T.nn.Tanh(), T.nn.Linear(4, 2))
            with T.no_grad():
                for k, p in enumerate(model.parameters()):
                    p.copy_(T.tensor(np.random.default_rng([n, k]).normal(size=tuple(p.shape)).astype(np.float32)))
            models.append(model)
        model, x = models[0], T.tensor(M)
        doubled = {name: p.detach() * 2 for name, p in model.named_parameters()}
        some = {"2.bias": T.tensor([5.0, 6.0])}
        call = T.func.functional_call
        parameters, buffers = T.func.stack_module_state(models)
        slopes = T.func.grad(lambda p: call(model, p, (x,)).sum())(dict(model.named_parameters()))
        return [
            call(model, doubled, (x,)), call(model, (some, {}), x), model(x),
            T.func.vmap(lambda p, b: call(model, (p, b), (x,)))(parameters, buffers),
            *slopes.values(), *parameters.values(),
        ]  # fmt: skip

    for ours, theirs in zip(story(tg), story(torch), strict=True):
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-4, atol=1e-5)


def test_module_is_called_with_other_parameters_in_a_compiled_step() -> None:
    model = tg.nn.Linear(3, 2)

    @tg.compile
    def step(w: tg.Tensor, x: tg.Tensor) -> tg.Tensor:
        with tg.no_grad():
            return tg.func.functional_call(model, {"weight": w}, (x,)) + model(x)

    for n in range(3):
        w, x = tg.tensor(M + n), tg.tensor(M)
        want = x.numpy() @ (w.numpy() + model.weight.detach().numpy()).T + 2 * model.bias.detach().numpy()
        np.testing.assert_allclose(step(w, x).detach().numpy(), want, rtol=1e-5, atol=1e-6)
    assert len(step.recordings) == 1


def test_tied_parameters_are_replaced_together() -> None:
    model = tg.nn.Sequential(tg.nn.Linear(2, 2, bias=False), tg.nn.Linear(2, 2, bias=False))
    model[1].weight = model[0].weight
    found = tg.func.functional_call(model, {"0.weight": tg.eye(2) * 3}, tg.ones(1, 2))
    assert found.tolist() == [[9, 9]]
    with pytest.raises(ValueError, match=r"missing \['0.weight', '1.weight'\], unexpected \['x'\]"):
        tg.func.functional_call(model, {"x": tg.ones(1)}, tg.ones(1, 2), strict=True)


def test_random_numbers_in_vmap() -> None:
    x = tg.ones(4, 3)
    with pytest.raises(RuntimeError, match="pass randomness='different' or 'same'"):
        tg.func.vmap(lambda v: v * tg.rand(3))(x)
    for _ in range(6):
        same = tg.func.vmap(lambda v: v * tg.rand(3), randomness="same")(x).numpy()
        assert (same == same[:1]).all()
    different = tg.func.vmap(lambda v: v * tg.rand(3), randomness="different")(x).numpy()
    assert not (different == different[:1]).all()


REFUSED: dict[str, tuple[Callable[[Any], Any], type[Exception]]] = {
    "no scalar": (lambda T: T.func.grad(lambda v: v * 2)(T.ones(2)), RuntimeError),
    "integers": (lambda T: T.func.grad(lambda v: v.sum())(T.ones(2, dtype=T.int32)), RuntimeError),
    "argnums": (lambda T: T.func.grad(lambda v: v.sum(), argnums=3)(T.ones(2)), RuntimeError),
    "vjp shape": (lambda T: T.func.vjp(lambda v: v * 2, T.ones(2))[1](T.ones(3)), RuntimeError),
    "vmap sizes": (lambda T: T.func.vmap(lambda a, b: a + b)(T.ones(2), T.ones(3)), ValueError),
    "vmap in_dims": (lambda T: T.func.vmap(lambda a: a, in_dims=5)(T.ones(2)), ValueError),
    "strict": (
        lambda T: T.autograd.functional.jacobian(lambda v: T.ones(2), T.ones(2), strict=True),
        RuntimeError,
    ),
    "hessian of three": (lambda T: T.autograd.functional.hessian(lambda v: v * 2, T.ones(3)), RuntimeError),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_use_raises_pytorchs_class(name: str) -> None:
    call, kind = REFUSED[name]
    for T in (torch, tg):
        with pytest.raises(kind):
            call(T)
