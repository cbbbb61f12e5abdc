"""Writing in place: who sees it, what is refused, and that values asked for earlier stay as they were."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import tabgrad as tg
from tabgrad import DTypeError, GradError, ShapeError

START = np.array([1, 2, 3], np.float32)


def _on_host() -> tg.Tensor:
    return tg.tensor(START)


def _on_device() -> tg.Tensor:
    t = tg.tensor(START)
    (t * 1).realize()  # uploads it
    return t


def _lazy() -> tg.Tensor:
    return tg.tensor(START / 2) * 2.0


def _computed() -> tg.Tensor:
    return _lazy().realize()


anywhere = pytest.mark.parametrize("make", [_on_host, _on_device, _lazy, _computed])

CHANGES: dict[str, tuple[Callable[[tg.Tensor], tg.Tensor], np.ndarray]] = {
    "add_": (lambda t: t.add_(2), START + 2),
    "add_ alpha": (lambda t: t.add_(tg.tensor([1.0, 1.0, 2.0]), alpha=3), START + np.array([3, 3, 6])),
    "sub_": (lambda t: t.sub_(2), START - 2),
    "mul_": (lambda t: t.mul_(tg.tensor([2.0])), START * 2),
    "div_": (lambda t: t.div_(2), START / 2),
    "clamp_": (lambda t: t.clamp_(1.5, 2.5), START.clip(1.5, 2.5)),
    "zero_": (lambda t: t.zero_(), START * 0),
    "fill_": (lambda t: t.fill_(7), START * 0 + 7),
    "copy_ broadcast": (lambda t: t.copy_(tg.tensor([5])), START * 0 + 5),
    "copy_ array": (lambda t: t.copy_(np.array([7, 8, 9], np.float32)), np.array([7, 8, 9])),
    "copy_ itself": (lambda t: t.copy_(t * t), START**2),
}


@anywhere
@pytest.mark.parametrize("name", CHANGES)
def test_change_in_place(make: Callable[[], tg.Tensor], name: str) -> None:
    change, expected = CHANGES[name]
    t = make()
    assert change(t) is t
    assert t.dtype is tg.float32
    np.testing.assert_allclose(t.numpy(), expected, rtol=1e-6)


@anywhere
def test_many_changes_follow_one_another(make: Callable[[], tg.Tensor]) -> None:
    t = make()
    for _ in range(3):
        t.add_(1)
        t.mul_(2)
    np.testing.assert_array_equal(t.numpy(), ((START + 1) * 2 + 1) * 4 + 2)


@anywhere
def test_augmented_assignment_is_in_place(make: Callable[[], tg.Tensor]) -> None:
    t = name = make()
    name += 1
    name -= tg.tensor([0.5])
    name *= 4
    name /= 2
    assert name is t
    np.testing.assert_array_equal(t.numpy(), (START + 0.5) * 2)


def test_hand_written_sgd_trains_the_parameters_in_a_list() -> None:
    parameters = [tg.tensor(START, requires_grad=True), tg.tensor(START, requires_grad=True)]
    for _ in range(2):
        sum((p * p).sum() for p in parameters).backward()
        with tg.no_grad():
            for p in parameters:
                p -= 0.25 * p.grad  # in place, as in PyTorch's tutorials
                p.grad = None
    for p in parameters:
        assert p.requires_grad
        np.testing.assert_array_equal(p.detach().numpy(), START / 4)


def test_augmented_assignment_of_a_recorded_tensor_keeps_the_gradient() -> None:
    w = tg.tensor(START, requires_grad=True)
    out = w * 2
    out += w  # a residual connection
    total = tg.zeros(())
    total += out.sum()
    total.backward()
    np.testing.assert_array_equal(w.grad.numpy(), [3, 3, 3])


# Who sees it


@anywhere
@pytest.mark.parametrize("alias", ["detach", "data"])
def test_alias_and_original_are_one_memory(make: Callable[[], tg.Tensor], alias: str) -> None:
    t = make()
    other = t.detach() if alias == "detach" else t.data
    other.mul_(3)
    np.testing.assert_array_equal(t.numpy(), START * 3)
    t.add_(1)
    np.testing.assert_array_equal(other.numpy(), START * 3 + 1)
    np.testing.assert_array_equal(other.detach().numpy(), START * 3 + 1)


def test_change_through_a_passing_alias_is_not_lost() -> None:
    w = tg.tensor(START, requires_grad=True)
    w.data.mul_(2)  # nobody holds the alias afterwards
    w.detach().add_(1)
    np.testing.assert_array_equal(w.detach().numpy(), START * 2 + 1)


def test_parameter_shares_the_memory_of_its_tensor() -> None:
    t = _on_device()
    parameter = tg.nn.Parameter(t)
    with tg.no_grad():
        parameter.mul_(2)
    np.testing.assert_array_equal(t.numpy(), START * 2)


@anywhere
def test_clone_does_not_follow(make: Callable[[], tg.Tensor]) -> None:
    t = make()
    copy = t.clone()
    t.add_(1)
    np.testing.assert_array_equal(copy.numpy(), START)
    copy.zero_()
    np.testing.assert_array_equal(t.numpy(), START + 1)


@anywhere
def test_values_asked_for_before_the_change_stay(make: Callable[[], tg.Tensor]) -> None:
    t = make()
    before = t * 10
    deeper = before.sum() + t[0]
    t.mul_(2)
    after = t * 10
    np.testing.assert_array_equal(after.numpy(), START * 20)
    np.testing.assert_array_equal(before.numpy(), START * 10)
    assert deeper.item() == 61


def test_writes_of_two_tensors_that_read_each_other() -> None:
    a, b = _on_device(), tg.tensor([10.0, 20.0, 30.0])
    c = a + b
    a.copy_(b * 2)
    b.copy_(c)
    values = [t.tolist() for t in (b, a, c)]
    assert values == [[11, 22, 33], [20, 40, 60], [11, 22, 33]]


def test_reading_one_tensor_twice_in_a_transaction_after_a_change() -> None:
    t = _on_device()
    t.add_(1)
    first, second = tg.runtime.read_now(t, t.detach())
    np.testing.assert_array_equal(first, second)


def test_bool_and_integer_tensors_change_in_place() -> None:
    flags, counts = tg.tensor([True, False]), tg.tensor([1, 2])
    flags.copy_(~flags)
    counts.add_(3)
    assert flags.tolist() == [False, True]
    assert counts.tolist() == [4, 5]


# What is refused


def test_a_recorded_leaf_cannot_be_changed() -> None:
    w = tg.tensor(START, requires_grad=True)
    with pytest.raises(GradError, match=r"use the out-of-place form, or tabgrad\.no_grad\(\)"):
        w.add_(1)
    with pytest.raises(GradError, match="in-place op: expected a tensor that is not recorded"):
        w += 1
    with pytest.raises(GradError, match=r"copy_: expected no recorded tensor"):
        tg.tensor(START).copy_(w * 2)


@pytest.mark.parametrize(
    "view",
    [
        lambda t: t.reshape(3, 1),
        lambda t: t[1:],
        lambda t: t[0],
        lambda t: t.unsqueeze(0),
        lambda t: t.expand(2, 3),
        lambda t: t.reshape(1, 3).transpose(0, 1),
        lambda t: t[:2].detach(),
    ],
)
def test_a_view_of_a_living_tensor_cannot_be_changed(view: Callable[[tg.Tensor], tg.Tensor]) -> None:
    t = _on_device()
    part = view(t)
    with pytest.raises(NotImplementedError, match=r"got a view \(reshape, slice, permute or expand\) of shape"):
        part.add_(1)
    part.realize()
    with pytest.raises(NotImplementedError, match=r"change the whole tensor, or a clone\(\) of the view"):
        part.zero_()
    part.clone().add_(1)
    np.testing.assert_array_equal(t.numpy(), START)


def test_results_that_only_end_in_a_view_can_be_changed() -> None:
    t = tg.tensor([[1.0, 2.0], [3.0, 4.0]])
    total, mean, product = t.sum(), t.mean(0), t @ t
    total.add_(1)
    mean.mul_(2)
    product.sub_(1)
    assert total.item() == 11
    assert mean.tolist() == [4, 6]
    assert product.tolist() == [[6, 9], [14, 21]]


def test_a_result_that_does_not_fit_is_refused() -> None:
    with pytest.raises(DTypeError, match="in-place op: expected a result that fits int32, got float32"):
        tg.tensor([1, 2]).add_(0.5)
    with pytest.raises(DTypeError, match="expected a result that fits bool, got int32"):
        tg.tensor([True]).add_(1)
    with pytest.raises(ShapeError):
        tg.zeros(3).add_(tg.zeros(2, 3))
    assert tg.tensor([1.0]).add_(tg.tensor([2])).tolist() == [3]


# Copies


def test_deepcopy_of_a_trained_model_is_independent() -> None:
    model = tg.nn.Sequential(tg.nn.Linear(2, 2), tg.nn.BatchNorm1d(2))
    optimizer = tg.optim.SGD(model.parameters(), lr=0.1)
    model(tg.tensor([[1.0, 2.0], [3.0, 5.0]])).sum().backward()
    optimizer.step()
    values = {name: t.tolist() for name, t in model.state_dict().items()}
    other = copy.deepcopy(model)
    with tg.no_grad():
        for p in model.parameters():
            p.fill_(7)
        model[1].running_mean.fill_(7)
    assert {name: t.tolist() for name, t in other.state_dict().items()} == values
    assert isinstance(other[0].weight, tg.nn.Parameter)
    assert other[0].weight.requires_grad
    assert other[0].weight.grad.tolist() == model[0].weight.grad.tolist()
    assert other[0].weight.grad is not model[0].weight.grad


def test_deepcopy_keeps_what_is_one_tensor_one() -> None:
    w = tg.nn.Parameter(tg.tensor([1.0]))
    first, second = copy.deepcopy([w, w])
    assert first is second


def test_deepcopy_of_a_result_is_refused() -> None:
    w = tg.tensor([1.0], requires_grad=True)
    with pytest.raises(GradError, match="deepcopy: expected a leaf tensor, got the result of an op"):
        copy.deepcopy(w * 2)


def test_pickle_names_what_works() -> None:
    with pytest.raises(TypeError, match=r"use tensor\.numpy\(\), or tabgrad\.save"):
        pickle.dumps(tg.tensor([1.0]))
