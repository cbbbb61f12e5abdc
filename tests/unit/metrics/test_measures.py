"""Measures over batches, beside scikit-learn's, on random and on degenerate results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as theirs

import tabgrad as tg
from tabgrad import metrics as ours
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.session import Session

CLASSES = 4


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[None]:
    """Programs are compiled once."""
    with Session("reference"):
        yield


RANDOM = np.random.default_rng(0)

N = 60  # of all: programs are compiled once

# true and predicted classes
LABELS: dict[str, tuple[np.ndarray, np.ndarray]] = {
    "random": (RANDOM.integers(0, CLASSES, N), RANDOM.integers(0, CLASSES, N)),
    "mostly right": (np.arange(N) % CLASSES, np.where(np.arange(N) % 7, np.arange(N) % CLASSES, 1)),
    "one class": (np.zeros(N, np.int64), np.zeros(N, np.int64)),
    "one class, another predicted": (np.zeros(N, np.int64), np.full(N, 2)),
    "a class is missing": (RANDOM.integers(0, 2, N), RANDOM.integers(1, 3, N)),
}
BINARY = {name: (true > 1, predicted > 1) for name, (true, predicted) in LABELS.items()}
ALL = list(range(CLASSES))


def averaged(function: Callable[..., Any], **kwargs: Any) -> Callable[..., Any]:
    """Of classes that are true or predicted, as our mean is."""
    return lambda t, p, average: function(t, p, average=average, zero_division=0, **kwargs)


def specificity(t: np.ndarray, p: np.ndarray, average: str) -> Any:
    matrix = theirs.confusion_matrix(t, p, labels=ALL)
    tp = matrix.diagonal()
    fp, fn = matrix.sum(0) - tp, matrix.sum(1) - tp
    tn = matrix.sum() - tp - fp - fn
    if average == "micro":
        return tn.sum() / (tn.sum() + fp.sum())
    each = np.divide(tn, tn + fp, out=np.zeros(CLASSES), where=tn + fp > 0)
    seen = (tp + fp + fn) > 0
    return each[seen].mean() if average == "macro" else (each * matrix.sum(1)).sum() / matrix.sum()


OF_CLASSES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "precision": (ours.Precision, averaged(theirs.precision_score)),
    "recall": (ours.Recall, averaged(theirs.recall_score)),
    "F1": (ours.F1Score, averaged(theirs.f1_score)),
    "F2": (lambda **kw: ours.FBetaScore(beta=2.0, **kw), averaged(theirs.fbeta_score, beta=2.0)),
    "IoU": (ours.JaccardIndex, averaged(theirs.jaccard_score)),
    "dice": (ours.Dice, averaged(theirs.f1_score)),
    "specificity": (ours.Specificity, specificity),
}
WHOLE: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "accuracy": (ours.Accuracy, theirs.accuracy_score),
    "Matthews": (ours.MatthewsCorrCoef, theirs.matthews_corrcoef),
    "kappa": (ours.CohenKappa, theirs.cohen_kappa_score),
    "linear kappa": (
        lambda **kw: ours.CohenKappa(weights="linear", **kw),
        lambda t, p: theirs.cohen_kappa_score(t, p, weights="linear", labels=ALL),
    ),
    "quadratic kappa": (
        lambda **kw: ours.CohenKappa(weights="quadratic", **kw),
        lambda t, p: theirs.cohen_kappa_score(t, p, weights="quadratic", labels=ALL),
    ),
    "confusion": (ours.ConfusionMatrix, lambda t, p: theirs.confusion_matrix(t, p, labels=ALL)),
    "confusion of true": (
        lambda **kw: ours.ConfusionMatrix(normalize="true", **kw),
        lambda t, p: theirs.confusion_matrix(t, p, labels=ALL, normalize="true"),
    ),
}


def updated(metric: Any, output: np.ndarray, target: np.ndarray) -> Any:
    """The measure of three batches, and again after a reset."""
    values = []
    for _ in range(2):
        for places in np.array_split(np.arange(len(target)), 3):
            metric.update(tg.tensor(output[places]), tg.tensor(target[places]))
        value = metric.compute()
        values.append([v.numpy() for v in value] if isinstance(value, tuple) else [value.numpy()])
        metric.reset()
    for first, second in zip(*values, strict=True):
        np.testing.assert_array_equal(first, second)
    return values[0] if len(values[0]) > 1 else values[0][0]


def expected(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_measures_of_classes(name: str) -> None:
    make, function = OF_CLASSES[name]
    for average in ("micro", "macro", "weighted"):
        for labels, (true, predicted) in LABELS.items():
            found = updated(make(task="multiclass", num_classes=CLASSES, average=average), predicted, true)
            value = expected(function, true, predicted, average=average)
            assert found == pytest.approx(value, abs=1e-6), (average, labels)


@pytest.mark.parametrize("name", WHOLE)
def test_measures_of_all_classes(name: str) -> None:
    make, function = WHOLE[name]
    for labels, (true, predicted) in LABELS.items():
        found = updated(make(task="multiclass", num_classes=CLASSES), predicted, true)
        value = np.nan_to_num(expected(function, true, predicted))
        np.testing.assert_allclose(found, value, atol=1e-6, err_msg=labels)


@pytest.mark.parametrize("name", ["precision", "recall", "F1", "IoU"])
def test_measures_of_two_classes(name: str) -> None:
    make, function = OF_CLASSES[name]
    for labels, both in BINARY.items():
        true, predicted = (x.astype(np.int32) for x in both)
        found = updated(make(task="binary"), predicted, true)
        assert found == pytest.approx(expected(function, true, predicted, average="binary"), abs=1e-6), labels


def test_outputs_may_be_scores_logits_or_probabilities() -> None:
    scores = RANDOM.standard_normal((50, CLASSES)).astype(np.float32)
    labels = RANDOM.integers(0, CLASSES, 50)
    right = (scores.argmax(1) == labels).mean()
    assert updated(ours.Accuracy(num_classes=CLASSES), scores, labels) == pytest.approx(right)
    logits, target = scores[:, 0], (labels > 1).astype(np.int32)
    for output in (logits, 1 / (1 + np.exp(-logits))):
        found = updated(ours.Accuracy(task="binary"), output, target)
        assert found == pytest.approx(((logits > 0) == (target > 0)).mean())


def test_targets_to_be_ignored_are_not_counted() -> None:
    true, predicted = LABELS["random"]
    marked = np.where(np.arange(len(true)) % 3, true, -100)
    found = updated(ours.ConfusionMatrix(num_classes=CLASSES, ignore_index=-100), predicted, marked)
    kept = marked >= 0
    np.testing.assert_array_equal(found, theirs.confusion_matrix(true[kept], predicted[kept], labels=ALL))


SCORES: dict[str, tuple[np.ndarray, np.ndarray]] = {
    "random": (RANDOM.integers(0, 2, N), RANDOM.random(N)),
    "ties": (RANDOM.integers(0, 2, N), RANDOM.integers(0, 5, N) / 4),
    "all equal": (np.arange(N) % 2, np.full(N, 0.25)),
    "perfect": (np.arange(N) % 2, (np.arange(N) % 2) / 2),
}


def assert_same_points(ours: Any, expected: Any) -> None:
    """The points of two curves, of which one may have points several times."""
    found, wanted = (np.unique(np.round(np.asarray(curve, np.float64), 5), axis=1) for curve in (ours, expected))
    np.testing.assert_allclose(found, wanted, atol=2e-5)


@pytest.mark.parametrize("scores", SCORES)
def test_measures_of_scores(scores: str) -> None:
    true, score = (x.astype(t) for x, t in zip(SCORES[scores], (np.int32, np.float32), strict=True))
    assert updated(ours.AUROC(), score, true) == pytest.approx(theirs.roc_auc_score(true, score), abs=1e-6)
    found = updated(ours.AveragePrecision(), score, true)
    assert found == pytest.approx(theirs.average_precision_score(true, score), abs=1e-6)
    fpr, tpr, thresholds = updated(ours.ROC(), score, true)
    points = theirs.roc_curve(true, score, drop_intermediate=False)
    assert_same_points([fpr, tpr, thresholds], points)
    precision, recall, at = updated(ours.PrecisionRecallCurve(), score, true)
    *curve, from_score = theirs.precision_recall_curve(true, score)
    assert_same_points([precision, recall], curve)
    np.testing.assert_allclose(np.unique(at), from_score)


def test_a_missing_class_gives_zero() -> None:
    for value in (0, 1):
        true, score = np.full(7, value, np.int32), RANDOM.random(7).astype(np.float32)
        assert updated(ours.AUROC(), score, true) == 0
    assert updated(ours.AveragePrecision(), RANDOM.random(7).astype(np.float32), np.zeros(7, np.int32)) == 0


def test_calibration() -> None:
    true, score = RANDOM.integers(0, 2, 500), RANDOM.random(500).astype(np.float32)
    places = np.minimum((score * 10).astype(int), 9)
    gaps = [(np.mean(places == b), abs(score[places == b].mean() - true[places == b].mean())) for b in range(10)]
    for norm, value in (
        ("l1", sum(w * g for w, g in gaps)),
        ("l2", sum(w * g * g for w, g in gaps) ** 0.5),
        ("max", max(g for _, g in gaps)),
    ):
        found = updated(ours.CalibrationError(n_bins=10, norm=norm), score, true.astype(np.int32))
        assert found == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize(
    ("make", "function"),
    [
        (ours.MeanAbsoluteError, theirs.mean_absolute_error),
        (ours.MeanSquaredError, theirs.mean_squared_error),
        (lambda: ours.MeanSquaredError(squared=False), theirs.root_mean_squared_error),
        (ours.MeanAbsolutePercentageError, theirs.mean_absolute_percentage_error),
        (ours.R2Score, theirs.r2_score),
    ],
)
@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_measures_of_numbers(make: Callable[[], Any], function: Callable[..., float], offset: float) -> None:
    true = (RANDOM.standard_normal(300) + offset).astype(np.float32)
    output = (true + RANDOM.standard_normal(300)).astype(np.float32)
    assert updated(make(), output, true) == pytest.approx(function(true, output), rel=2e-3)


def test_r2_of_equal_targets() -> None:
    for output, value in (([2.0, 2.0], 1.0), ([2.0, 3.0], 0.0)):
        found = ours.R2Score()
        found.update(tg.tensor(output), tg.tensor([2.0, 2.0]))
        assert found.compute().item() == value


def test_a_call_gives_the_measure_of_its_batch_and_counts_it() -> None:
    metric = ours.MeanAbsoluteError()
    assert metric(tg.tensor([1.0]), tg.tensor([0.0])).item() == 1
    assert metric(tg.tensor([3.0]), tg.tensor([0.0])).item() == 3
    assert metric.compute().item() == 2


def test_your_own() -> None:
    class Largest(ours.Metric):
        def __init__(self) -> None:
            super().__init__()
            self.add_state("largest", tg.tensor(float("-inf")))

        def update(self, output: tg.Tensor, target: tg.Tensor) -> None:
            self.largest = tg.maximum(self.largest, (output - target).abs().max())

        def compute(self) -> tg.Tensor:
            return self.largest

    metric = Largest()
    for value in (1.0, 5.0, 2.0):
        metric.update(tg.tensor([value]), tg.tensor([0.0]))
    assert metric.compute().item() == 5


def test_updates_wait_for_nothing() -> None:
    counters = tg.current_session().device.counters
    metric = ours.Accuracy(num_classes=CLASSES)
    before = counters.dispatches
    for _ in range(3):
        metric.update(tg.rand(5, CLASSES), tg.zeros(5, dtype=tg.int32))
    value = metric.compute()
    assert counters.dispatches == before  # not even computed
    assert 0 <= value.item() <= 1


MISUSES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "no batch": (lambda: ours.AUROC().compute(), TabgradError, "expected a batch before, got none"),
    "shapes": (lambda: ours.R2Score().update(tg.ones(2), tg.ones(3)), ShapeError, "of one shape"),
    "task": (lambda: ours.Recall(task="many"), TabgradError, "expected task as one of binary, multiclass"),
    "classes": (lambda: ours.Recall(), TabgradError, "expected num_classes of at least 2"),
    "average": (lambda: ours.Recall("binary", average="mean"), TabgradError, "expected average as one of"),
    "scores": (lambda: ours.Accuracy(num_classes=3).update(tg.ones(2, 4), tg.ones(2)), ShapeError, r"scores \[n, 3"),
    "a full list": (lambda: ours.Metric().add_state("x", [1]), TabgradError, "a tensor or an empty list"),
}


@pytest.mark.parametrize("name", MISUSES)
def test_misuse_is_named(name: str) -> None:
    call, kind, message = MISUSES[name]
    with pytest.raises(kind, match=message):
        call()
