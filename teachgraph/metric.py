"""Metrics: how good a model is, counted over many batches.

In Paddle this is `paddle.metric`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.ops import metric as metrics
from teachgraph.ops.functions import equal, topk
from teachgraph.ops.paddle_modules import known_as

__all__ = ["Accuracy", "Auc", "Metric", "Precision", "Recall", "accuracy"]

Array = np.ndarray[Any, Any]


class Metric(ABC):
    """A statistic accumulated over batches.

    `compute` may run on Tensors, `update` adds its result to the counts, `accumulate`
    returns the metric so far, `reset` clears the counts.
    """

    @abstractmethod
    def reset(self) -> None:
        """Clear the counts."""

    @abstractmethod
    def update(self, *args: Any) -> Any:
        """Add one batch to the counts."""

    @abstractmethod
    def accumulate(self) -> Any:
        """Compute the metric over all batches since the last `reset`."""

    @abstractmethod
    def name(self) -> Any:
        """Name of the metric; a list where it has several values."""

    def compute(self, *args: Any) -> Any:
        """Prepare predictions and labels for `update`; by default unchanged."""
        return args


def column(values: Any) -> Array:
    """Flatten values to one array."""
    return np.asarray(values).reshape(-1)


def flattened_pair(preds: Any, labels: Any) -> tuple[Array, Array]:
    """Flatten predictions and labels, and require equal counts.

    Raises:
        ShapeError: The counts differ.
    """
    predicted, actual = column(preds), column(labels)
    if len(predicted) != len(actual):
        raise ShapeError.here(f"{len(predicted)} predictions for {len(actual)} labels")
    return predicted, actual


class Accuracy(Metric):
    """The share of samples whose label is among the k best predictions.

    Args:
        topk: One k or several.
        name: Instead of "acc".

    >>> import teachgraph as tg
    >>> m = Accuracy()
    >>> scores = tg.to_tensor([[0.1, 0.9], [0.8, 0.2]])
    >>> m.update(m.compute(scores, tg.to_tensor([[1], [1]]))), m.accumulate(), m.name()
    (0.5, 0.5, ['acc'])

    In Paddle this is `paddle.metric.Accuracy`.
    """

    def __init__(
        self, topk: int | Sequence[int] = (1,), name: str | None = None
    ) -> None:
        self.topk = (topk,) if isinstance(topk, int) else tuple(topk)
        if not self.topk or min(self.topk) < 1:
            raise InvalidValueError.here(
                f"topk must be numbers of at least 1, got {topk}"
            )
        self._name = name or "acc"
        self.total, self.count = [0.0] * len(self.topk), [0] * len(self.topk)

    def compute(self, pred: Any, label: Any) -> Any:
        """Mark which of the best predictions are right: [..., max k] of 0 and 1.

        Args:
            pred: Scores [..., classes].
            label: Classes [...] or [..., 1], or distributions [..., classes].
        """
        _, best = topk(pred, max(self.topk), axis=-1)
        if label.ndim == pred.ndim and label.shape[-1] == pred.shape[-1] > 1:
            label = label.argmax(-1, True)
        elif label.ndim < pred.ndim:
            label = label.reshape([*label.shape, 1])
        return equal(best, label).astype("float32")

    def update(self, correct: Any, *args: Any) -> Any:
        """Add the result of `compute`; return the accuracy of this batch for each k."""
        right = np.asarray(correct)
        samples = int(np.prod(right.shape[:-1]))
        hits = [float(right[..., :k].sum()) for k in self.topk]
        self.total = [t + n for t, n in zip(self.total, hits, strict=True)]
        self.count = [n + samples for n in self.count]
        return unwrapped([n / max(samples, 1) for n in hits])

    def reset(self) -> None:
        """Clear the counts."""
        self.total, self.count = [0.0] * len(self.topk), [0] * len(self.topk)

    def accumulate(self) -> Any:
        """Compute the accuracy over all batches, for each k."""
        shares = zip(self.total, self.count, strict=True)
        return unwrapped([total / max(count, 1) for total, count in shares])

    def name(self) -> list[str]:
        """`acc`, or `acc_top1`, `acc_top5` for several k."""
        if len(self.topk) == 1:
            return [self._name]
        return [f"{self._name}_top{k}" for k in self.topk]


def unwrapped(values: list[float]) -> Any:
    """Unwrap a list of one number."""
    return values[0] if len(values) == 1 else values


class Binary(Metric):
    """Base of precision and recall: TP / (TP + FP) or TP / (TP + FN).

    Predictions of at least 0.5 count as yes.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.reset()

    def reset(self) -> None:
        """Clear the counts."""
        self.tp, self.others = 0, 0

    def update(self, preds: Any, labels: Any) -> None:
        """Add one batch of probabilities and labels 0 or 1."""
        probabilities, classes = flattened_pair(preds, labels)
        # Not np.round: that rounds 0.5 to the even 0, and 0.5 counts as yes.
        said, true = np.floor(probabilities + 0.5) == 1, classes == 1
        self.tp += int((said & true).sum())
        self.others += int(self.wrong(said, true).sum())

    @abstractmethod
    def wrong(self, said: Array, true: Array) -> Array:
        """Mask of the samples that are counted in the denominator beside the TP."""

    def accumulate(self) -> float:
        """Compute the ratio; 0 if the denominator is 0."""
        counted = self.tp + self.others
        return self.tp / counted if counted else 0.0

    def name(self) -> str:
        """Name of the metric."""
        return self._name


class Precision(Binary):
    """Of those called positive, the share that are: TP / (TP + FP).

    >>> m = Precision()
    >>> m.update(np.array([0.1, 0.9, 0.8]), np.array([0, 1, 0]))
    >>> m.accumulate()
    0.5

    In Paddle this is `paddle.metric.Precision`.
    """

    def __init__(self, name: str = "precision") -> None:
        super().__init__(name)

    @property
    def fp(self) -> int:
        """Number of false positives."""
        return self.others

    def wrong(self, said: Array, true: Array) -> Array:
        """False positives."""
        return said & ~true


class Recall(Binary):
    """Of those that are positive, the share that were found: TP / (TP + FN).

    >>> m = Recall()
    >>> m.update(np.array([0.1, 0.9, 0.8]), np.array([1, 1, 0]))
    >>> m.accumulate()
    0.5

    In Paddle this is `paddle.metric.Recall`.
    """

    def __init__(self, name: str = "recall") -> None:
        super().__init__(name)

    @property
    def fn(self) -> int:
        """Number of false negatives."""
        return self.others

    def wrong(self, said: Array, true: Array) -> Array:
        """False negatives."""
        return ~said & true


class Auc(Metric):
    """The area under the ROC curve, from histograms of the scores.

    It is the probability that a positive sample has a higher score than a negative one.

    Args:
        curve: "ROC".
        num_thresholds: How finely scores in [0, 1] are told apart.
        name: Instead of "auc".

    >>> m = Auc()
    >>> m.update(np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]]), np.array([0, 1, 0]))
    >>> m.accumulate()
    1.0

    In Paddle this is `paddle.metric.Auc`.
    """

    def __init__(
        self, curve: str = "ROC", num_thresholds: int = 4095, name: str = "auc"
    ) -> None:
        if curve != "ROC":
            raise InvalidValueError.here(f"curve must be 'ROC', got {curve!r}")
        self._name, self._bins = name, num_thresholds
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Add one batch to the histograms.

        Args:
            preds: Probabilities [N, 2], of no and of yes; or [N] of yes.
            labels: 0 or 1 for each.
        """
        scores = np.asarray(preds)
        if scores.ndim == 2 and scores.shape[1] == 2:
            scores = scores[:, 1]
        said, true = flattened_pair(scores, labels)
        if said.size and not (said.min() >= 0 and said.max() <= 1):
            raise InvalidValueError.here("Auc takes probabilities, 0 to 1")
        place = (said * self._bins).astype(np.int64)
        for yes in (0, 1):
            histogram = np.bincount(place[true == yes], minlength=self._bins + 1)
            self._counts[yes] += histogram

    def reset(self) -> None:
        """Clear the counts."""
        self._counts = np.zeros((2, self._bins + 1), np.int64)

    def accumulate(self) -> float:
        """Compute the area; 0 where one of the classes has not been seen."""
        # The threshold falls from 1 to 0, so counts add up from the last bin down.
        negative, positive = self._counts[:, ::-1].cumsum(axis=1).astype(float)
        if not negative[-1] or not positive[-1]:
            return 0.0
        area = np.trapezoid(np.append(0, positive), np.append(0, negative))
        return float(area / (positive[-1] * negative[-1]))

    def name(self) -> str:
        """Name of the metric."""
        return self._name


def accuracy(
    input: Any,
    label: Any,
    k: int = 1,
    correct: Any = None,
    total: Any = None,
    name: str | None = None,
) -> Any:
    """Compute the share of rows whose label is among the k best, as an op.

    Args:
        input: Scores [N, classes].
        label: Integers [N, 1].
        k: How many of the best count.
        correct: Accepted for Paddle's sake.
        total: Accepted for Paddle's sake.
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.metric.accuracy`.
    """
    best, indices = topk(input, k)
    share, _, _ = metrics.accuracy(best, indices, label)
    return share


known_as("metric")
