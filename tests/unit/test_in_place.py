"""Writing in place: who sees it, what is refused, and that values asked for earlier stay as they were."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

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
    for change in (lambda: w.add_(1), lambda: w.__iadd__(1), lambda: w.copy_(tg.zeros(3)), lambda: w.__setitem__(0, 1)):
        with pytest.raises(
            GradError, match=r"expected no .*leaf that requires grad, got one; use the out-of-place form"
        ):
            change()
    assert w.tolist() == START.tolist()


VIEWS: list[Callable[[Any], Any]] = [
    lambda t: t.reshape(3, 1),
    lambda t: t[1:],
    lambda t: t[0],
    lambda t: t[::2],
    lambda t: t.unsqueeze(0),
    lambda t: t.reshape(1, 3).transpose(0, 1),
    lambda t: t[:2].detach(),
    lambda t: t.view(3, 1)[1:, 0].view(2, 1).expand(2, 1),
]


@pytest.mark.parametrize("view", VIEWS)
@anywhere
def test_a_change_of_a_view_is_one_of_all_that_show_the_memory(
    make: Callable[[], tg.Tensor], view: Callable[[Any], Any]
) -> None:
    t, expected = make(), torch.tensor(START)
    part, other = view(t), view(expected)
    shown, as_shown = t * 1 + part.sum(), expected * 1 + other.sum()
    for change in (lambda x: x.add_(1), lambda x: x.mul_(3), lambda x: x.zero_()):
        change(part)
        change(other)
        assert part.tolist() == other.tolist()
        assert t.tolist() == expected.tolist()
    t.fill_(5)
    assert part.tolist() == torch.full_like(other, 5).tolist()
    assert shown.tolist() == as_shown.tolist()


def test_a_view_of_a_tensor_that_is_gone_is_changed_by_itself() -> None:
    part = _on_device()[1:]
    part.add_(1)
    assert part.tolist() == [START[1] + 1, START[2] + 1]


def test_reversed_and_regrouped_elements_are_copies() -> None:
    t = tg.tensor(np.arange(6, dtype=np.float32)).reshape(2, 3)
    for copied in (t.flip(0), t.t().reshape(6), t.t().contiguous(), t.expand(2, 2, 3).reshape(12)):
        copied.fill_(9)
    assert t.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (t.t().is_contiguous(), t.t().stride(), t[:, 1].stride()) == (False, (1, 3), (3,))
    with pytest.raises(tg.ShapeError, match=r"view: expected a shape that shows memory as it lies, got \[6\]"):
        t.t().view(6)


@pytest.mark.parametrize("change", [lambda t: t.add_(1), lambda t: t[0].zero_(), lambda t: t.__setitem__(0, 1)])
def test_what_expand_repeats_is_not_written_to(change: Callable[[tg.Tensor], Any]) -> None:
    with pytest.raises(RuntimeError, match=r"each of whose elements has memory of its own.*clone\(\)"):
        change(tg.tensor([[1.0]]).expand(2, 3))


# Items


ASSIGNMENTS: dict[str, Callable[[Any, Any], None]] = {
    "number": lambda T, x: x.__setitem__(1, 7),
    "element": lambda T, x: x.__setitem__((2, 1), -1.5),
    "row": lambda T, x: x.__setitem__(0, T.tensor([1.0, 2.0, 3.0, 4.0])),
    "all": lambda T, x: x.__setitem__(slice(None), 2),
    "ellipsis": lambda T, x: x.__setitem__((..., 2), 5),
    "columns": lambda T, x: x.__setitem__((slice(None), slice(1, None, 2)), T.tensor([[1.0], [2.0], [3.0]])),
    "mask": lambda T, x: x.__setitem__(x > 5, 0),
    "mask of rows": lambda T, x: x.__setitem__(T.tensor([True, False, True]), 1.0),
    "rows by index": lambda T, x: x.__setitem__(T.tensor([2, 0]), T.tensor([[1.0, 2, 3, 4], [5, 6, 7, 8]])),
    "rows by list": lambda T, x: x.__setitem__([0, -1], 9.0),
    "columns by index": lambda T, x: x.__setitem__((slice(None), T.tensor([0, 3])), T.tensor([1.0, 2.0])),
    "part of a row by index": lambda T, x: x.__setitem__((1, T.tensor([0, 2])), T.tensor([1.0, 2.0])),
    "itself": lambda T, x: x.__setitem__(0, x[1]),
    "its own mirror": lambda T, x: x.__setitem__(slice(None), x.flip(1)),
}


@pytest.mark.parametrize("name", ASSIGNMENTS)
@pytest.mark.parametrize("way", ["eager", "read", "compiled"])
def test_items_are_set_as_in_pytorch(name: str, way: str) -> None:
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    ours, theirs = tg.tensor(values), torch.tensor(values)
    row, its_row = ours[1], theirs[1]
    if way == "read":
        row.numpy()
    if way == "compiled":
        step = tg.compile(lambda: (ASSIGNMENTS[name](tg, ours), ours.sum())[1])
        totals = [step() for _ in range(2)]
        ASSIGNMENTS[name](torch, theirs)
        assert totals[0].item() == theirs.sum().item()
    else:
        ASSIGNMENTS[name](tg, ours)
    ASSIGNMENTS[name](torch, theirs)
    assert ours.tolist() == theirs.tolist()
    assert row.tolist() == its_row.tolist()


def test_augmented_items_are_changed_once() -> None:
    x = tg.tensor(np.arange(6, dtype=np.float32)).reshape(2, 3)
    x[1] += 10
    x[:, 1:] *= 2
    assert x.tolist() == [[0, 2, 4], [13, 28, 30]]


def test_narrow_and_integer_items_are_set() -> None:
    for dtype in (tg.uint8, tg.int32, tg.bool, tg.float16):
        x = tg.zeros(2, 3, dtype=dtype).realize()
        x[1, 1:] = 1
        assert x.tolist() == [[0, 0, 0], [0, 1, 1]]


def test_items_that_cannot_be_set_say_what_works() -> None:
    x = tg.zeros(2, 2)
    with pytest.raises(tg.ShapeError, match=r"expected values that broadcast to \[places of the mask\], got \[2, 2\]"):
        x[x == 0] = tg.ones(2, 2)
    with pytest.raises(tg.ShapeError, match=r"expected a mask of shape \[2, 2\], got \[3, 2\]"):
        x[tg.ones(3, 2) > 0] = 1
    for index in (5, [5], np.array([-3]), (0, [2])):
        with pytest.raises(IndexError):
            x[index] = 1
    with pytest.raises(DTypeError, match="indexing: expected an integer tensor"):
        x[tg.tensor([0.5])] = 1
    assert x.tolist() == [[0, 0], [0, 0]]


def test_an_optimizer_takes_no_view_of_a_living_tensor() -> None:
    x = tg.tensor(START)
    part = x[1:].requires_grad_()
    part.grad = tg.ones(2)
    with pytest.raises(NotImplementedError, match=r"got a view of another living tensor.*clone\(\)"):
        tg.optim.SGD([part], lr=1.0).step()
    del x
    tg.optim.SGD([part], lr=1.0).step()
    assert part.tolist() == [START[1] - 1, START[2] - 1]


# Data


def test_data_can_be_replaced() -> None:
    layer = tg.nn.Linear(2, 2, bias=False)
    step = tg.compile(lambda x: layer(x).sum())
    x, values = tg.ones(1, 2).realize(), tg.tensor([[1.0, 2.0], [3.0, 4.0]])
    step(x)
    layer.weight.data = values
    assert step(x).item() == 10
    values.mul_(2)  # it is one memory now
    assert layer.weight.tolist() == [[2, 4], [6, 8]]
    assert step(x).item() == 20
    with pytest.raises(DTypeError, match="expected a tensor of float32, got int32"):
        layer.weight.data = tg.ones(2, 2).int()


def test_data_of_an_optimizers_parameter_takes_the_values() -> None:
    layer = tg.nn.Linear(2, 2, bias=False)
    optimizer = tg.optim.SGD(layer.parameters(), lr=0.5)
    for n in range(3):
        if n:
            layer.weight.data = layer.weight.data * 0 + n
        optimizer.zero_grad()
        layer(tg.ones(1, 2)).sum().backward()
        optimizer.step()
        if n:
            assert layer.weight.tolist() == [[n - 0.5] * 2] * 2
    with pytest.raises(tg.ShapeError, match=r"expected shape \[2, 2\], as an optimizer holds the parameter"):
        layer.weight.data = tg.ones(3)


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
