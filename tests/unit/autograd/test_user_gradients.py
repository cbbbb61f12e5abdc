"""Hooks, functions with a gradient of the user's, checkpoints: eagerly, in loops and compiled, as in PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
import torch.utils.checkpoint

import tabgrad as tg
from sessions import session_on
from tabgrad.session import Session

ROUNDS = 8


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with session_on("reference") as session:
        yield session


def net(T: Any) -> Any:
    model = T.nn.Sequential(T.nn.Linear(4, 6), T.nn.Tanh(), T.nn.Linear(6, 3), T.nn.Tanh(), T.nn.Linear(3, 2))
    rng = np.random.default_rng(3)
    with T.no_grad():
        for p in model.parameters():
            p.copy_(T.tensor(rng.normal(size=tuple(p.shape)).astype(np.float32) * 0.5))
    return model


def square_of(T: Any) -> Any:
    class Square(T.autograd.Function):  # type: ignore[misc,name-defined]
        calls: list[str] = []

        @staticmethod
        def forward(ctx: Any, x: Any, factor: float) -> Any:
            Square.calls.append("forward")
            ctx.save_for_backward(x)
            ctx.factor = factor
            return x * x * factor

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            Square.calls.append("backward")
            (x,) = ctx.saved_tensors
            return g * 2 * x * ctx.factor, None

    return Square


def product_and_sum_of(T: Any) -> Any:
    class ProductAndSum(T.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(a: Any, b: Any) -> Any:
            return a * b, a + b, a > b

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any, _: Any) -> Any:
            a, b = ctx.saved_tensors
            return g * b + h, g * a + h

    return ProductAndSum


Step = Callable[[Any, Any], Any]
"""Of the model and a batch: the loss, after a backward pass."""


def plain_hooks(T: Any, model: Any) -> Step:
    def step(x: Any, told: list[Any]) -> Any:
        h = model[1](model[0](x))
        h.register_hook(lambda g: g * 0.5)
        h.register_hook(lambda g: g + 0.01)
        loss = (model[2:](h) ** 2).mean()
        loss.backward()
        return loss

    return step


def leaf_hooks(T: Any, model: Any) -> Step:
    model[0].weight.register_hook(lambda g: g.clamp(-0.05, 0.05))
    model[2].bias.register_hook(lambda g: None)

    def halve(p: Any) -> None:
        p.grad = p.grad * 0.5

    model[4].weight.register_post_accumulate_grad_hook(halve)

    def step(x: Any, told: list[Any]) -> Any:
        loss = (model(x) ** 2).mean()
        loss.backward()
        return loss

    return step


def step_in_backward(T: Any, model: Any) -> Step:
    """Each parameter has an optimizer, which runs as soon as its gradient is there."""
    for p in model.parameters():
        optimizer = T.optim.SGD([p], lr=0.1, momentum=0.5)

        def update(p: Any, optimizer: Any = optimizer) -> None:
            optimizer.step()
            optimizer.zero_grad()

        p.register_post_accumulate_grad_hook(update)

    def step(x: Any, told: list[Any]) -> Any:
        loss = (model(x) ** 2).mean()
        loss.backward()
        return loss

    return step


def user_function(T: Any, model: Any) -> Step:
    square = square_of(T)

    def step(x: Any, told: list[Any]) -> Any:
        loss = square.apply(model(x), 0.7).mean()
        loss.backward()
        return loss

    return step


def function_with_several_results(T: Any, model: Any) -> Step:
    function = product_and_sum_of(T)

    def step(x: Any, told: list[Any]) -> Any:
        out = model(x)
        product, total, larger = function.apply(out, out.sin())
        loss = (product * total).mean() + T.where(larger, total, product).mean()
        loss.backward()
        return loss

    return step


def recomputed(T: Any, model: Any) -> Step:
    def step(x: Any, told: list[Any]) -> Any:
        h = T.utils.checkpoint.checkpoint(model[:2], x, use_reentrant=False)
        h = T.utils.checkpoint.checkpoint(lambda h: model[3](model[2](h)), h, use_reentrant=False)
        loss = (model[4](h) ** 2).mean()
        loss.backward()
        return loss

    return step


def penalty_on_gradient(T: Any, model: Any) -> Step:
    square = square_of(T)

    def step(x: Any, told: list[Any]) -> Any:
        x = x.detach().requires_grad_()
        out = square.apply(model(x), 0.5).sum()
        (slope,) = T.autograd.grad(out, x, create_graph=True)
        loss = out / 10 + (slope**2).mean()
        loss.backward()
        return loss

    return step


STEPS = {
    f.__name__: f
    for f in (
        plain_hooks, leaf_hooks, step_in_backward, user_function, function_with_several_results, recomputed,
        penalty_on_gradient,
    )
}  # fmt: skip


def trained(T: Any, name: str, *, compiled: bool = False) -> list[float]:
    model = net(T)
    optimizer = T.optim.SGD(model.parameters(), lr=0.2)
    backward = STEPS[name](T, model)

    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = backward(x, [])
        optimizer.step()
        return loss

    call = tg.compile(step) if compiled else step
    losses = []
    for n in range(ROUNDS):
        x = np.random.default_rng(n).normal(size=(5, 4)).astype(np.float32)
        losses.append(call(T.tensor(x)).item())
    return [*losses, *(p.detach().sum().item() for p in model.parameters())]


@pytest.mark.parametrize("compiled", [False, True], ids=["loop", "compiled"])
@pytest.mark.parametrize("name", STEPS)
def test_training_is_pytorchs(name: str, compiled: bool) -> None:
    np.testing.assert_allclose(trained(tg, name, compiled=compiled), trained(torch, name), rtol=2e-4, atol=2e-5)


# Python code of the user's runs in each round


def test_user_code_of_functions_runs_in_each_round_of_a_loop() -> None:
    def story(T: Any) -> list[str]:
        square = square_of(T)
        w = T.tensor([1.0, 2.0], requires_grad=True)
        optimizer = T.optim.SGD([w], lr=0.01)
        for _ in range(ROUNDS):
            optimizer.zero_grad()
            (square.apply(w * 3, 2.0) + w).sum().backward()
            optimizer.step()
        calls: list[str] = square.calls
        return calls

    assert story(tg) == story(torch) == ["forward", "backward"] * ROUNDS


def test_hooks_run_in_each_round_also_those_that_come_and_go() -> None:
    def story(T: Any) -> list[Any]:
        w, told = T.tensor([1.0, 2.0], requires_grad=True), []
        optimizer = T.optim.SGD([w], lr=0.1)
        handle = None
        for n in range(12):
            if n == 4:
                handle = w.register_hook(lambda g: told.append(("leaf", round(g.sum().item(), 4))))
                w.register_post_accumulate_grad_hook(lambda p: told.append(("set", round(p.grad.sum().item(), 4))))
            if n == 8:
                handle.remove()
            y = w * float(n + 1)
            if n in (2, 6, 7):
                y.register_hook(lambda g: told.append(("result", round(g.sum().item(), 4))))
            loss = (y * y).mean() * 0.001
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return [told, [round(v, 4) for v in w.tolist()]]

    ours, theirs = story(tg), story(torch)
    assert ours == theirs
    assert len(ours[0]) == 3 + 4 + 8


def test_compiled_step_is_recorded_again_when_a_leaf_has_another_hook() -> None:
    w = tg.tensor([1.0, 2.0], requires_grad=True)

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        w.grad = None
        (w * x).sum().backward()
        assert w.grad is not None
        return w.grad * 1

    x = tg.tensor([3.0, 4.0])
    seen = [step(x).tolist(), step(x).tolist()]
    handle = w.register_hook(lambda g: g * 10)
    seen += [step(x).tolist(), step(x).tolist()]
    handle.remove()
    assert [*seen, step(x).tolist()] == [[3, 4], [3, 4], [30, 40], [30, 40], [3, 4]]


def test_hook_of_a_compiled_step_that_looks_at_a_value_is_refused() -> None:
    w = tg.tensor([1.0, 2.0], requires_grad=True)
    told = []

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        y = w * x
        y.register_hook(lambda g: told.append(g.sum().item()))
        loss = (y * y).sum()
        loss.backward()
        return loss

    with pytest.raises(RuntimeError, match="expected a step that does not look at values"):
        step(tg.ones(2))
    assert not told


# Hooks


def test_hooks_are_called_in_pytorchs_order() -> None:
    def story(T: Any) -> list[Any]:
        told: list[Any] = []
        w, v = T.tensor([1.0, 2.0], requires_grad=True), T.tensor([3.0, 1.0], requires_grad=True)
        h = w * 2
        out = h * v
        kept = out * 3
        kept.retain_grad()
        for name, tensor in (("w", w), ("v", v), ("h", h), ("out", out), ("kept", kept)):
            tensor.register_hook(lambda g, name=name: told.append((name, g.tolist())))
        kept.register_hook(lambda g: g * 2)
        kept.register_hook(lambda g: told.append(("kept again", g.tolist())))
        kept.sum().backward()
        return [told, kept.grad.tolist(), w.grad.tolist(), v.grad.tolist()]

    assert story(tg) == story(torch)


def test_hooks_change_what_grad_returns() -> None:
    def story(T: Any) -> list[Any]:
        told: list[Any] = []
        w = T.tensor([1.0, 2.0], requires_grad=True)
        h = w * 2
        w.register_hook(lambda g: g * 10)
        h.register_hook(lambda g: g + 1)
        w.register_post_accumulate_grad_hook(lambda p: told.append("set"))
        found = T.autograd.grad((h * h).sum(), [w, h])
        return [told, *(g.tolist() for g in found)]

    assert story(tg) == story(torch)


def test_hooks_of_records() -> None:
    def story(T: Any) -> list[Any]:
        told: list[Any] = []
        w = T.tensor([1.0, 2.0], requires_grad=True)
        y = w.exp()
        y.grad_fn.register_prehook(lambda out: (out[0] * 2,))
        y.grad_fn.register_hook(lambda into, out: told.append(out[0].tolist()) or (into[0] * 3,))
        y.sum().backward()
        return [told, [round(g, 4) for g in w.grad.tolist()]]

    assert story(tg) == story(torch)


REFUSED_HOOKS: dict[str, Callable[[Any], Any]] = {
    "no gradient": lambda T: T.ones(2).register_hook(lambda g: g),
    "post hook of a result": lambda T: (T.ones(2, requires_grad=True) * 2).register_post_accumulate_grad_hook(print),
    "another shape": lambda T: _with_hook(T, lambda g: g[:1]).backward(),
    "optimizer in a post hook needs a leaf": lambda T: T.ones(2).register_post_accumulate_grad_hook(print),
}


def _with_hook(T: Any, hook: Any) -> Any:
    y = T.ones(2, requires_grad=True) * 2
    y.register_hook(hook)
    return y.sum()


@pytest.mark.parametrize("name", REFUSED_HOOKS)
def test_hook_that_cannot_be_is_a_runtime_error_as_in_pytorch(name: str) -> None:
    for T in (tg, torch):
        with pytest.raises(RuntimeError):
            REFUSED_HOOKS[name](T)


def test_hook_that_returns_no_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="hook: expected a tensor or None as the result, got int"):
        _with_hook(tg, lambda g: 3).backward()
    with pytest.raises(TypeError, match="hook: expected a function, got int"):
        tg.ones(2, requires_grad=True).register_hook(3)


# Functions


def test_function_saves_results_and_differentiates_three_times() -> None:
    def story(T: Any) -> list[Any]:
        class Exp(T.autograd.Function):  # type: ignore[misc,name-defined]
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                out = x.exp()
                ctx.save_for_backward(out)
                return out

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                assert ctx.needs_input_grad == (True,)
                return g * ctx.saved_tensors[0]

        x = T.tensor([0.3, -1.0], requires_grad=True)
        y, found = Exp.apply(x * 2), []
        name = y.grad_fn.name()
        for _ in range(3):
            (y,) = T.autograd.grad(y.sum(), x, create_graph=True)
            found += [round(v, 3) for v in y.tolist()]
        return [name, *found]

    assert story(tg) == story(torch)


def test_function_is_given_zeros_or_none_for_results_without_a_gradient() -> None:
    def story(T: Any, materialize: bool) -> list[Any]:
        told: list[Any] = []

        class Three(T.autograd.Function):  # type: ignore[misc,name-defined]
            @staticmethod
            def forward(ctx: Any, x: Any, y: Any) -> Any:
                ctx.set_materialize_grads(materialize)
                fixed = x * 5
                ctx.mark_non_differentiable(fixed)
                return x * 2, y * 3, fixed, "text"

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                told.append([None if g is None else g.tolist() for g in grads])
                return None if grads[0] is None else grads[0] * 2, None

        x, y = (T.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
        a, b, fixed, text = Three.apply(x, y)
        told.append([a.requires_grad, b.requires_grad, fixed.requires_grad, text])
        a.sum().backward()
        return [told, x.grad.tolist(), y.grad]

    for materialize in (True, False):
        assert story(tg, materialize) == story(torch, materialize)


def test_function_may_return_its_argument_and_broadcast_gradients() -> None:
    def story(T: Any) -> list[Any]:
        class Scaled(T.autograd.Function):  # type: ignore[misc,name-defined]
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return T.stack([g, g * 2])  # summed over the new dimension

        x = T.tensor([1.0, 2.0], requires_grad=True)
        y = Scaled.apply(x)
        y.sum().backward()
        return [y is x, x.grad.tolist()]

    assert story(tg) == story(torch)


def test_function_under_no_grad_records_nothing() -> None:
    with tg.no_grad():
        y = square_of(tg).apply(tg.ones(2, requires_grad=True), 2.0)
    assert not y.requires_grad
    assert y.tolist() == [2, 2]


def _bad(T: Any, gradients: Callable[[Any], Any]) -> Any:
    class Bad(T.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, factor: float) -> Any:
            ctx.save_for_backward(x)
            return x * factor

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            ctx.saved_tensors  # noqa: B018
            return gradients(g)

    x = T.ones(3, requires_grad=True) * 2
    return x, Bad.apply(x, 2.0).sum()


@pytest.mark.parametrize(
    ("gradients", "message"),
    [
        (lambda g: g, "expected backward to return 2 gradients"),
        (lambda g: (g, g), "expected None, as it is no tensor"),
        (lambda g: (g[:2], None), r"expected a gradient \[3\] for argument 0"),
        (lambda g: (2.0, None), "expected a tensor or None as the gradient of argument 0, got float"),
    ],
)
def test_wrong_gradients_of_a_function_are_refused_as_in_pytorch(gradients: Any, message: str) -> None:
    with pytest.raises((RuntimeError, TypeError)):
        _bad(torch, gradients)[1].backward()
    with pytest.raises(RuntimeError, match=message):
        _bad(tg, gradients)[1].backward()


def test_saved_tensor_that_was_changed_or_freed_is_refused_as_in_pytorch() -> None:
    for T in (tg, torch):
        x, loss = _bad(T, lambda g: (g, None))
        with T.no_grad():
            x.mul_(2)
        with pytest.raises(RuntimeError, match="modified"):
            loss.backward()
        _, loss = _bad(T, lambda g: (g, None))
        loss.backward()
        with pytest.raises(RuntimeError, match="retain_graph=True"):
            loss.backward()


def test_once_differentiable_raises_the_second_time() -> None:
    def derivative(T: Any, once: Any, x: Any) -> Any:
        class Cube(T.autograd.Function):  # type: ignore[misc,name-defined]
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                ctx.save_for_backward(x)
                return x**3

            @staticmethod
            @once
            def backward(ctx: Any, g: Any) -> Any:
                return g * 3 * ctx.saved_tensors[0] ** 2

        (first,) = T.autograd.grad((Cube.apply(x) ** 2).sum(), x, create_graph=True)
        return first

    from tabgrad.autograd.function import once_differentiable

    for T, once in ((tg, once_differentiable), (torch, torch.autograd.function.once_differentiable)):
        first = derivative(T, once, T.tensor([2.0], requires_grad=True))
        assert first.tolist() == [192]
        with pytest.raises(RuntimeError, match="once_differentiable"):
            first.sum().backward()


def test_what_functions_do_not_offer_is_refused() -> None:
    class Dirty(tg.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x

    with pytest.raises(NotImplementedError, match="mark_dirty: expected a forward that leaves its arguments"):
        Dirty.apply(tg.ones(2, requires_grad=True) * 1)
    with pytest.raises(RuntimeError, match=r"expected a call of Dirty\.apply"):
        Dirty()
    with pytest.raises(NotImplementedError, match="saved_tensors_hooks does not exist"):
        tg.autograd.graph.saved_tensors_hooks  # noqa: B018


def mixed(T: Any, seed: int) -> list[float]:
    """A loop in which each round may do something that others do not."""
    rng = np.random.default_rng(seed)
    w, b = T.tensor([0.5, -0.2, 0.3], requires_grad=True), T.tensor(0.1, requires_grad=True)
    optimizer, square = T.optim.SGD([w, b], lr=0.05), square_of(T)
    found, handles = [], []
    for n in range(16):
        kind = rng.integers(0, 10)
        h = w * T.tensor(rng.normal(size=3).astype(np.float32))
        if kind == 0:
            handles.append(w.register_hook(lambda g: g * 0.5))
        elif kind == 1 and handles:
            handles.pop().remove()
        elif kind == 2:
            h.register_hook(lambda g: g * 2)
        elif kind == 3:
            h = square.apply(h, 1.5)
        elif kind == 4:
            h = T.utils.checkpoint.checkpoint(lambda h: (h * b).tanh(), h, use_reentrant=False)
        elif kind == 5:
            h.retain_grad()
        loss = (h.sum() + b) ** 2
        if kind == 6:
            found.append(loss.item())
        elif kind == 7:
            (slope,) = T.autograd.grad(loss, w, create_graph=True)
            loss = loss + (slope**2).sum() * 0.1
        optimizer.zero_grad()
        loss.backward(inputs=[w, b] if kind == 8 else None)
        if kind == 5:
            found.append(h.grad.sum().item())
        optimizer.step()
        if n % 3 == 0:
            found.append(loss.item())
    return [*found, *w.tolist(), b.item()]


@pytest.mark.parametrize("seed", [4, 6, 7, 11, 18])
def test_loops_whose_rounds_differ_are_pytorchs(seed: int) -> None:
    np.testing.assert_allclose(mixed(tg, seed), mixed(torch, seed), rtol=2e-3, atol=2e-4)
