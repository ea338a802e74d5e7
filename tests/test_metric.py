"""Metrics against scikit-learn, and over batches as over all at once."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.metric import Accuracy, Auc, Precision, Recall, accuracy


@pytest.fixture(scope="module")
def theirs() -> ModuleType:
    # Its import takes seconds, which every worker would wait for while it collects.
    from sklearn import metrics

    return metrics


@pytest.fixture
def scores() -> np.ndarray:
    return np.random.default_rng(0).random(400)


@pytest.fixture
def labels(scores: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(1).random(400)
    return (0.6 * scores + 0.4 * noise > 0.5).astype(np.int64)


@pytest.mark.parametrize(
    ("metric", "score"),
    [(Precision(), "precision_score"), (Recall(), "recall_score")],
)
def test_precision_and_recall(
    metric: Precision | Recall,
    score: str,
    scores: np.ndarray,
    labels: np.ndarray,
    theirs: ModuleType,
) -> None:
    for part in np.split(np.arange(400), 4):
        metric.update(tg.to_tensor(scores[part]), tg.to_tensor(labels[part][:, None]))
    wanted = getattr(theirs, score)(labels, scores >= 0.5)
    assert metric.accumulate() == pytest.approx(wanted)
    metric.reset()
    assert metric.accumulate() == 0.0


def test_auc(scores: np.ndarray, labels: np.ndarray, theirs: ModuleType) -> None:
    auc = Auc()
    both = np.stack([1 - scores, scores], axis=1)
    for part in np.split(np.arange(400), 4):
        auc.update(both[part], labels[part])
    wanted = theirs.roc_auc_score(labels, scores)
    assert auc.accumulate() == pytest.approx(wanted, abs=1e-3)
    auc.reset()
    auc.update(both[:1], labels[:1])
    assert auc.accumulate() == 0.0


def test_auc_refuses_what_is_no_probability() -> None:
    with pytest.raises(InvalidValueError, match="probabilities"):
        Auc().update(np.array([1.5]), np.array([1]))


def test_accuracy_for_several_k(theirs: ModuleType) -> None:
    rng = np.random.default_rng(2)
    scores, labels = rng.random((60, 5)), rng.integers(0, 5, 60)
    metric = Accuracy(topk=(1, 3))
    for part in np.split(np.arange(60), 3):
        x, y = tg.to_tensor(scores[part]), tg.to_tensor(labels[part])
        metric.update(metric.compute(x, y))
    wanted = [theirs.top_k_accuracy_score(labels, scores, k=k) for k in (1, 3)]
    assert metric.accumulate() == pytest.approx(wanted)
    assert metric.name() == ["acc_top1", "acc_top3"]


@pytest.mark.parametrize("form", ["flat", "column", "one hot"])
def test_accuracy_takes_labels_in_every_form(form: str) -> None:
    label = {
        "flat": [1, 0],
        "column": [[1], [0]],
        "one hot": [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
    }[form]
    metric = Accuracy()
    scores = tg.to_tensor([[0.1, 0.7, 0.2], [0.1, 0.7, 0.2]])
    assert metric.update(metric.compute(scores, tg.to_tensor(label))) == 0.5


def test_the_function_is_an_op_in_both_modes() -> None:
    scores, labels = np.eye(3, dtype="float32"), np.array([[0], [1], [0]])
    found = accuracy(tg.to_tensor(scores), tg.to_tensor(labels))
    assert found.item() == pytest.approx(2 / 3)


def test_numbers_that_do_not_match_are_refused() -> None:
    with pytest.raises(ShapeError, match="3 predictions for 2 labels"):
        Precision().update(np.zeros(3), np.zeros(2))
