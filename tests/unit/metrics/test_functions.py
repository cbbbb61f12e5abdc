import numpy as np
import pytest

import tabgrad as tg
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.metrics import accuracy, mean_absolute_error, mean_squared_error, metric_function


def test_accuracy_counts_the_largest_logit():
    logits = tg.tensor([[1.0, 2.0, 0.0], [3.0, -1.0, 0.0], [0.0, 0.0, 5.0], [1.0, 9.0, 0.0]])
    assert accuracy(logits, tg.tensor([1, 0, 2, 2])).item() == 0.75


def test_accuracy_takes_classes_on_the_second_axis():
    logits = np.zeros((2, 3, 4), np.float32)
    logits[:, 1] = 1
    assert accuracy(tg.tensor(logits), tg.tensor(np.ones((2, 4), np.int32))).item() == 1


def test_accuracy_of_binary_logits():
    assert accuracy(tg.tensor([[0.3], [-2.0]]), tg.tensor([[1.0], [1.0]])).item() == 0.5


def test_accuracy_records_no_gradient():
    assert not accuracy(tg.tensor([[1.0, 0.0]], requires_grad=True), tg.tensor([0])).requires_grad


def test_accuracy_names_wrong_shapes():
    with pytest.raises(ShapeError, match=r"got \[4, 3\] and \[5\]"):
        accuracy(tg.tensor(np.zeros((4, 3), np.float32)), tg.tensor(np.zeros(5, np.int32)))


def test_errors_of_regressions():
    output, target = tg.tensor([[1.0], [2.0], [6.0]]), tg.tensor([[1.0], [4.0], [2.0]])
    assert mean_absolute_error(output, target).item() == 2
    np.testing.assert_allclose(mean_squared_error(output, target).item(), 20 / 3, rtol=1e-6)
    with pytest.raises(ShapeError, match="mean_squared_error: expected output and target of one shape"):
        mean_squared_error(output, tg.tensor([1.0, 4.0, 2.0]))


def test_functions_are_found_by_name():
    assert metric_function("mae") is mean_absolute_error
    with pytest.raises(TabgradError, match="expected one of accuracy, mae, mse, got 'f1'; or pass a function"):
        metric_function("f1")
