"""Reverse-mode differentiation: what is recorded, freed, refused; second derivatives; all against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import GradError, ShapeError

RTOL = 2e-5  # float32 against float64, a few dozen operations


def _leaf(values: Any) -> tg.Tensor:
    return tg.tensor(np.asarray(values, np.float32), requires_grad=True)


def _torch_leaf(values: Any) -> torch.Tensor:
    return torch.tensor(np.asarray(values, np.float32), dtype=torch.float64, requires_grad=True)


# What is recorded


def test_no_grad_records_nothing_and_restores_the_mode() -> None:
    w = _leaf([1, 2])
    with tg.no_grad():
        assert not tg.is_grad_enabled()
        with tg.set_grad_enabled(True):
            assert (w * 2).requires_grad
        y = w * 2
    assert tg.is_grad_enabled()
    assert not y.requires_grad
    assert y.is_leaf


def test_no_grad_restores_the_mode_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), tg.no_grad():
        1 / 0  # noqa: B018
    assert tg.is_grad_enabled()


def test_set_grad_enabled_works_without_a_block_as_in_pytorch() -> None:
    try:
        tg.set_grad_enabled(False)
        assert not (_leaf([1]) * 2).requires_grad
    finally:
        tg.set_grad_enabled(True)
    assert (_leaf([1]) * 2).requires_grad


def test_no_grad_decorates_functions() -> None:
    w = _leaf([1])

    @tg.no_grad()
    def double() -> tg.Tensor:
        return w * 2

    assert not double().requires_grad
    assert tg.is_grad_enabled()


def test_backward_computes_under_no_grad_unless_asked() -> None:
    w = _leaf([3])
    (w * w).sum().backward()
    assert not w.grad.requires_grad


def test_detach_stops_the_gradient() -> None:
    w = _leaf([2, 3])
    (w * w.detach()).sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), [2, 3])
    assert not w.detach().requires_grad
    assert w.data.is_leaf


def test_integer_results_are_not_recorded() -> None:
    w = _leaf([2, 3])
    assert not (w > 2).requires_grad
    assert not w.argmax().requires_grad
    assert not w.int().requires_grad


def test_numpy_of_a_recorded_tensor_is_refused() -> None:
    with pytest.raises(GradError, match=r"use tensor\.detach\(\)\.numpy\(\)"):
        _leaf([1]).numpy()


# Accumulation


def test_gradients_accumulate_until_they_are_cleared() -> None:
    w = _leaf([1, 2])
    for _ in range(3):
        (w * w).sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), [6, 12])
    w.grad = None
    (w * w).sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), [2, 4])


def test_a_tensor_used_many_times_gets_the_sum() -> None:
    w = _leaf([0.5])
    y = w
    for _ in range(6):
        y = y * w + w  # reached over many paths
    y.sum().backward()
    v = _torch_leaf([0.5])
    z = v
    for _ in range(6):
        z = z * v + v
    z.sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), v.grad.numpy(), rtol=RTOL)


def test_only_leaves_and_those_that_ask_keep_a_gradient() -> None:
    w = _leaf([1, 2])
    kept, dropped = w * 2, w * 3
    kept.retain_grad()
    (kept * dropped).sum().backward()
    with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed"):
        assert dropped.grad is None
    np.testing.assert_array_equal(kept.grad.numpy(), [3, 6])


def test_a_leaf_that_is_not_reached_keeps_no_gradient() -> None:
    used, unused = _leaf([1]), _leaf([1])
    used.sum().backward()
    assert unused.grad is None


def test_backward_takes_a_gradient_for_results_that_are_no_scalar() -> None:
    w = _leaf([[1, 2], [3, 4]])
    (w * w).backward(tg.tensor([[1.0, 0.0], [0.5, 2.0]]))
    np.testing.assert_array_equal(w.grad.numpy(), [[2, 0], [3, 16]])


def test_deep_graphs_do_not_exhaust_the_stack() -> None:
    w = _leaf([1])
    y = w
    for _ in range(3000):
        y = y + w
    y.sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), [3001])


# Freed records


def test_second_backward_names_retain_graph() -> None:
    w = _leaf([1, 2])
    loss = (w * w).sum()
    loss.backward()
    with pytest.raises(GradError, match="pass retain_graph=True to the earlier call"):
        loss.backward()


def test_retained_graph_can_be_walked_again() -> None:
    w = _leaf([1, 2])
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    np.testing.assert_array_equal(w.grad.numpy(), [4, 8])


def test_a_shared_part_that_was_freed_is_refused() -> None:
    w = _leaf([1, 2])
    shared = w.exp()
    first, second = shared.sum(), (shared * 2).sum()
    first.backward()
    with pytest.raises(GradError, match="pass retain_graph=True"):
        second.backward()


# grad()


def test_grad_returns_gradients_and_leaves_grad_alone() -> None:
    w, v = _leaf([1, 2]), _leaf([3, 4])
    loss = (w * v).sum()
    for_w, for_v, for_loss = tg.grad(loss, [w, v, loss])
    np.testing.assert_array_equal(for_w.numpy(), [3, 4])
    np.testing.assert_array_equal(for_v.numpy(), [1, 2])
    assert for_loss.item() == 1
    assert w.grad is None


def test_grad_reaches_intermediate_tensors() -> None:
    w = _leaf([1, 2])
    middle = w * 3
    (found,) = tg.grad((middle * middle).sum(), middle)
    np.testing.assert_array_equal(found.numpy(), [6, 12])


def test_grad_adds_several_outputs_with_their_weights() -> None:
    w = _leaf([1, 2])
    outputs = [w * w, w * 3]
    (found,) = tg.grad(outputs, w, [tg.tensor([1.0, 1.0]), tg.tensor([10.0, 0.0])])
    np.testing.assert_array_equal(found.numpy(), [2 + 30, 4])


def test_grad_of_an_unused_input_must_be_allowed() -> None:
    w, unused = _leaf([1]), _leaf([1])
    with pytest.raises(GradError, match="grad: expected input 1 in the graph of the outputs"):
        tg.grad(w.sum(), [w, unused])
    assert tg.grad(w.sum(), [w, unused], allow_unused=True)[1] is None


# Second derivatives

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "cube": lambda T, x: (x**3).sum(),
    "exp sin": lambda T, x: (x.exp() * x.sin()).sum(),
    "tanh": lambda T, x: x.tanh().sum(),
    "sigmoid": lambda T, x: (x.sigmoid() * x).sum(),
    "quotient": lambda T, x: (x / (1 + x * x)).sum(),
    "softmax": lambda T, x: (x.reshape(2, 3).softmax(1) ** 2).sum(),
    "logsumexp": lambda T, x: T.logsumexp(x.reshape(2, 3), 0).sum(),
    "matmul": lambda T, x: (x.reshape(2, 3) @ x.reshape(3, 2)).tanh().sum(),
    "slices": lambda T, x: (x[1:4] * x[::2]).sum() + T.cat([x, x * x])[3:8].sum(),
    "variance": lambda T, x: x.reshape(2, 3).var(1).prod(),
    "relu": lambda T, x: (x.relu() ** 2).sum(),
    "convolution": lambda T, x: T.nn.functional.conv2d(
        x.reshape(1, 1, 2, 3), x[:4].reshape(1, 1, 2, 2), padding=1
    ).tanh().sum(),
    "cross entropy": lambda T, x: T.nn.functional.cross_entropy(x.reshape(2, 3), T.tensor([2, 0])),
    "layer norm": lambda T, x: (T.nn.functional.layer_norm(x.reshape(2, 3), (3,)) ** 3).sum(),
    "average pool": lambda T, x: (T.nn.functional.avg_pool2d(x.reshape(1, 1, 2, 3), (2, 1)) ** 3).sum(),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives_agree_with_pytorch(name: str) -> None:
    fn = FUNCTIONS[name]
    point = np.random.default_rng(5).uniform(-1.5, 1.5, 6)
    direction = np.linspace(-1, 1, 6)

    def second(T: Any, x: Any, d: Any) -> Any:
        (first,) = (tg if T is tg else torch.autograd).grad(fn(T, x), x, create_graph=True)
        assert first.requires_grad
        (first * d).sum().backward()  # a Hessian-vector product
        return x.grad

    ours = second(tg, _leaf(point), tg.tensor(direction.astype(np.float32)))
    theirs = second(torch, _torch_leaf(point), torch.tensor(direction))
    # norms divide by a small spread twice, which magnifies float32's rounding
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-3, atol=2e-4)


def test_second_derivative_of_max_pool() -> None:
    point = np.random.default_rng(0).normal(size=(2, 3, 7, 6)).astype(np.float32)

    def second(T: Any, x: Any) -> Any:
        y = T.nn.functional.max_pool2d(x, 3, 2, 1, ceil_mode=True)
        (first,) = (tg if T is tg else torch.autograd).grad((y**3).sum(), x, create_graph=True)
        (first**2).sum().backward()
        return x.grad

    ours, theirs = second(tg, _leaf(point)), second(torch, _torch_leaf(point))
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-4, atol=1e-4)


def test_second_derivative_of_logcumsumexp() -> None:
    point, weights = np.random.default_rng(1).normal(size=(2, 5, 3)).astype(np.float32)

    def second(T: Any, x: Any, weights: Any) -> Any:
        y = T.logcumsumexp(x, 0)
        (first,) = (tg if T is tg else torch.autograd).grad((y * weights).sum(), x, create_graph=True)
        (first**2).sum().backward()
        return x.grad

    ours, theirs = (
        second(tg, _leaf(point), tg.tensor(weights)),
        second(torch, _torch_leaf(point), torch.tensor(weights)),
    )
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-4, atol=1e-5)


def test_third_derivative() -> None:
    x = _leaf([2.0])
    y = (x**4).sum()
    for _ in range(2):
        (y,) = tg.grad(y, x, [tg.ones(1) if y.ndim else None], create_graph=True)
    (third,) = tg.grad(y, x, [tg.ones(1)])
    assert third.item() == pytest.approx(4 * 3 * 2 * 2.0)


def test_backward_with_create_graph_makes_a_differentiable_grad() -> None:
    w = _leaf([3.0])
    (w**3).sum().backward(create_graph=True)
    assert w.grad.requires_grad
    first, w.grad = w.grad, None
    first.sum().backward()
    assert w.grad.item() == pytest.approx(18)


# Refused


def test_backward_of_what_is_not_recorded_is_refused() -> None:
    with pytest.raises(GradError, match="expected a tensor that requires grad, got one that does not"):
        tg.zeros(()).backward()


def test_backward_of_many_values_without_weights_is_refused() -> None:
    with pytest.raises(GradError, match=r"backward: expected a scalar, got shape \[2\]; reduce it"):
        (_leaf([1, 2]) * 2).backward()


def test_backward_with_weights_of_another_shape_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"backward: expected gradient \[2\], got \[3\]"):
        (_leaf([1, 2]) * 2).backward(tg.ones(3))


def test_requires_grad_of_a_result_cannot_be_taken_back() -> None:
    with pytest.raises(GradError, match=r"expected a leaf tensor, got the result of an op; use detach\(\)"):
        (_leaf([1]) * 2).requires_grad_(False)


# Inputs changed between forward and backward


def test_input_that_was_changed_in_place_is_detected() -> None:
    w, x = _leaf([1, 2]), tg.tensor([3.0, 4.0])
    loss = (w * x).sum()
    x.mul_(2)
    with pytest.raises(GradError, match=r"input of 'mul', shape \[2\], unchanged since the forward pass"):
        loss.backward()


@pytest.mark.parametrize("alias", ["detach", "data"])
def test_change_through_an_alias_is_detected(alias: str) -> None:
    w = _leaf([1, 2])
    loss = (w * w).sum()
    other = w.detach() if alias == "detach" else w.data
    other.add_(1)
    with pytest.raises(GradError, match="modified in place"):
        loss.backward()


def test_parameter_that_an_optimizer_changed_is_detected() -> None:
    w = _leaf([1, 2])
    early = (w * w).sum()
    (w * 3).sum().backward()
    tg.optim.SGD([w], lr=0.1).step()
    with pytest.raises(GradError, match="modified in place"):
        early.backward()


def test_change_after_backward_is_fine() -> None:
    w, x = _leaf([1, 2]), tg.tensor([3.0, 4.0])
    (w * x).sum().backward()
    x.mul_(2)
    np.testing.assert_array_equal(w.grad.numpy(), [3, 4])  # as x was


def test_a_gradient_that_is_held_sees_later_ones() -> None:
    def story(lib: Any) -> list[Any]:
        w = lib.tensor([1.0, 2.0], requires_grad=True)
        (w * w).sum().backward()
        held = w.grad
        seen = [held.tolist()]
        (w * 3).sum().backward()
        seen += [held.tolist(), held is w.grad]
        w.grad.zero_()
        (w * 5).sum().backward()
        return [*seen, held.tolist(), w.grad.tolist()]

    assert story(tg) == story(torch) == [[2, 4], [5, 7], True, [5, 5], [5, 5]]


def test_a_gradient_that_shows_another_tensor_leaves_that_alone() -> None:
    w, given = tg.tensor([1.0, 2.0], requires_grad=True), tg.tensor([[1.0, 1.0]])
    for _ in range(2):
        w.reshape(1, 2).backward(given)
    assert given.tolist() == [[1, 1]]
    assert w.grad is not None
    assert w.grad.tolist() == [2, 2]


def test_records_beyond_the_wanted_input_are_kept() -> None:
    def story(lib: Any, grad: Any) -> list[Any]:
        w = lib.tensor([1.0, 2.0], requires_grad=True)
        inner = w * w
        loss = (inner * 3).sum()
        (by_inner,) = grad(loss, inner)
        inner.sum().backward()
        return [by_inner.tolist(), w.grad.tolist()]

    assert story(tg, tg.grad) == story(torch, torch.autograd.grad) == [[3, 3], [2, 4]]


def test_records_on_the_way_to_the_wanted_input_are_freed() -> None:
    w = tg.tensor([1.0, 2.0], requires_grad=True)
    inner = w * w
    loss = (inner * 3).sum()
    tg.grad(loss, inner)
    with pytest.raises(GradError, match="got one that an earlier backward"):
        loss.backward()
