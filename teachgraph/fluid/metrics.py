"""Paddle 1.x's `fluid.metrics`: what batches scored, counted on the user's side.

Numbers go in that an Executor fetched: `update` counts a batch, `eval` tells the result
so far, `reset` begins anew.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from teachgraph import metric
from teachgraph.core.errors import InvalidValueError, at_user_line

__all__ = [
    "Accuracy",
    "Auc",
    "ChunkEvaluator",
    "CompositeMetric",
    "EditDistance",
    "MetricBase",
    "Precision",
    "Recall",
]


class MetricBase:
    """Something counted batch by batch; its counts are attributes without a `_`.

    In Paddle 1.x this is `fluid.metrics.MetricBase`.
    """

    def __init__(self, name: str | None) -> None:
        self._name = type(self).__name__ if name is None else str(name)

    def __str__(self) -> str:
        return self._name

    def states(self) -> dict[str, Any]:
        """The counts."""
        return {k: v for k, v in vars(self).items() if not k.startswith("_")}

    def reset(self) -> None:
        """Forget all batches: every count is 0 again."""
        for name, count in self.states().items():
            setattr(self, name, np.zeros_like(count) if np.ndim(count) else 0)

    def get_config(self) -> dict[str, Any]:
        """The name and the counts."""
        return {"name": self._name, "states": copy.deepcopy(self.states())}

    def update(self, preds: Any, labels: Any) -> None:
        """Count one batch."""
        raise NotImplementedError(f"{type(self).__name__} has no update")

    def eval(self) -> Any:
        """The result so far."""
        raise NotImplementedError(f"{type(self).__name__} has no eval")


class CompositeMetric(MetricBase):
    """Several metrics of the same batches.

    >>> both = CompositeMetric()
    >>> both.add_metric(Precision())
    >>> both.add_metric(Recall())
    >>> both.update(np.array([[0.9], [0.8], [0.1]]), np.array([[1], [0], [1]]))
    >>> both.eval()
    [0.5, 0.5]
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._metrics: list[MetricBase] = []

    def add_metric(self, metric: MetricBase) -> None:
        """One more.

        Raises:
            InvalidValueError: It is none.
        """
        if not isinstance(metric, MetricBase):
            raise InvalidValueError(
                at_user_line("SubMetric should be inherit from MetricBase.")
            )
        self._metrics.append(metric)

    def update(self, preds: Any, labels: Any) -> None:
        """Count one batch in each."""
        for one in self._metrics:
            one.update(preds, labels)

    def eval(self) -> list[Any]:
        """The result of each."""
        return [one.eval() for one in self._metrics]

    def reset(self) -> None:
        """Forget all batches."""
        for one in self._metrics:
            one.reset()


class Counted(MetricBase):
    """A metric of `teachgraph.metric`, by 1.x's words."""

    _metric: Any

    def update(self, preds: Any, labels: Any) -> None:
        """Count one batch: what was predicted [N, 1], and what was right."""
        self._metric.update(np.asarray(preds), np.asarray(labels))

    def eval(self) -> Any:
        """The share so far."""
        return self._metric.accumulate()

    def reset(self) -> None:
        """Forget all batches."""
        self._metric.reset()


class Precision(Counted):
    """How many of those predicted (with more than 0.5) are right."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._metric = metric.Precision()


class Recall(Counted):
    """How many of those that are right were predicted."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._metric = metric.Recall()


class Auc(Counted):
    """The area under the ROC curve, of probabilities [N, 2]."""

    def __init__(
        self, name: str | None, curve: str = "ROC", num_thresholds: int = 4095
    ) -> None:
        super().__init__(name)
        self._metric = metric.Auc(curve, num_thresholds)

    @staticmethod
    def trapezoid_area(x1: float, x2: float, y1: float, y2: float) -> float:
        """What lies between a straight piece of the curve and the x axis."""
        return abs(x1 - x2) * (y1 + y2) / 2.0


class Accuracy(MetricBase):
    """The mean of the accuracies of batches, each with the weight of its size.

    >>> mean = Accuracy()
    >>> mean.update(value=0.5, weight=10)
    >>> mean.update(value=1.0, weight=30)
    >>> mean.eval()
    0.875
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.value, self.weight = 0.0, 0.0

    def update(self, value: Any, weight: Any) -> None:
        """Count a batch of so many samples.

        Raises:
            InvalidValueError: It has less than none.
        """
        if np.any(np.asarray(weight) < 0):
            raise InvalidValueError(at_user_line(f"a weight of {weight!r} samples"))
        self.value += np.asarray(value).item() * float(weight)
        self.weight += float(weight)

    def eval(self) -> float:
        """The mean so far.

        Raises:
            InvalidValueError: No batch has been counted.
        """
        if not self.weight:
            raise InvalidValueError(
                at_user_line("There is no data in Accuracy Metrics: update it first")
            )
        return self.value / self.weight


class ChunkEvaluator(MetricBase):
    """Precision, recall and F1 of chunks that were found, counted before.

    >>> chunks = ChunkEvaluator()
    >>> chunks.update(10, 9, 8)
    >>> [round(x, 4) for x in chunks.eval()]
    [0.8, 0.8889, 0.8421]
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.num_infer_chunks = self.num_label_chunks = self.num_correct_chunks = 0

    def update(  # type: ignore[override]
        self, num_infer_chunks: Any, num_label_chunks: Any, num_correct_chunks: Any
    ) -> None:
        """Count a batch: how many were found, are there, and are both."""
        self.num_infer_chunks += np.asarray(num_infer_chunks).item()
        self.num_label_chunks += np.asarray(num_label_chunks).item()
        self.num_correct_chunks += np.asarray(num_correct_chunks).item()

    def eval(self) -> tuple[float, float, float]:
        """Precision, recall and 2 / (1 / precision + 1 / recall)."""
        right = self.num_correct_chunks
        if not right:
            return 0.0, 0.0, 0.0
        found, true = self.num_infer_chunks, self.num_label_chunks
        return right / found, right / true, 2 * right / (found + true)


class EditDistance(MetricBase):
    """The mean edit distance, and how many sequences are not as they should be.

    >>> metric = EditDistance("distance")
    >>> metric.update(np.array([[0.0], [2.0]]), 2)
    >>> metric.eval()
    (1.0, 0.5)
    """

    def __init__(self, name: str | None) -> None:
        super().__init__(name)
        self.total_distance, self.seq_num, self.instance_error = 0.0, 0, 0

    def update(self, distances: Any, seq_num: Any) -> None:
        """Count a batch: the distance of each sequence, and how many these are."""
        distances = np.asarray(distances)
        self.seq_num += int(np.asarray(seq_num).item())
        self.instance_error += int(np.count_nonzero(distances))
        self.total_distance += float(distances.sum())

    def eval(self) -> tuple[float, float]:
        """The mean distance, and the share of sequences with one.

        Raises:
            InvalidValueError: No batch has been counted.
        """
        if not self.seq_num:
            raise InvalidValueError(
                at_user_line("There is no data in EditDistance Metric: update it first")
            )
        return self.total_distance / self.seq_num, self.instance_error / self.seq_num
