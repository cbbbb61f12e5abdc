import numpy as np
import pytest

import tabgrad as tg
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.metrics import (
    accuracy,
    mean_absolute_error,
    mean_squared_error,
    measured,
    metric_function,
    named_metrics,
)


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


def worst(output, target):
    return (output - target).abs().max()


def named(name):
    def function(output, target):
        return output.mean()

    function.__name__ = name
    return function


def test_functions_go_by_their_names():
    assert named_metrics(["mae", worst]) == {"mae": mean_absolute_error, "worst": worst}
    assert list(named_metrics([named("<b>"), named("<lambda>")])) == ["<b>", "<lambda>"]


@pytest.mark.parametrize(
    ("metrics", "error", "said"),
    [
        (["mae", "mae"], TabgradError, "expected metrics of different names, got two called 'mae'; leave one out, or"),
        ([accuracy, "accuracy"], TabgradError, "got two called 'accuracy'"),
        ([lambda o, t: o.mean(), lambda o, t: t.mean()], TabgradError, "got two called '<lambda>'"),
        *(
            ([named(name)], TabgradError, f"expected another name than type, step, epoch, loss, .* function {name};")
            for name in ("loss", "step", "epoch", "type")
        ),
        (["loss"], TabgradError, "expected one of accuracy, mae, mse, got 'loss'"),
        ([3], TypeError, "expected names or functions of .*, got int; write a function that calls it"),
        ([tg.nn.L1Loss], TypeError, "got the class L1Loss"),
        ([tg.nn.L1Loss()], TypeError, "got L1Loss"),
        ([named("")], TypeError, "got function"),
    ],
)
def test_metrics_that_cannot_be_told_apart_are_refused(metrics, error, said):
    with pytest.raises(error, match=f"^metrics: .*{said}"):
        named_metrics(metrics)


def test_a_metric_is_a_number_on_the_device():
    output, target = tg.tensor([[1.0], [2.0]]), tg.tensor([[1.0], [4.0]])
    assert measured("hits", lambda o, t: (o == t).sum(), output, target).tolist() == 1.0
    with pytest.raises(
        ShapeError, match=r"metrics: expected apart\(output, target\) to give a 0-d tensor, got shape \["
    ):
        measured("apart", lambda o, t: o - t, output, target)
    with pytest.raises(TypeError, match=r"metrics: expected apart\(output, target\) to give a 0-d tensor, got float"):
        measured("apart", lambda o, t: 0.5, output, target)
