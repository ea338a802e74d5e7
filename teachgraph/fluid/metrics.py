"""Paddle 1.x's `fluid.metrics`, computed in Python from fetched arrays.

`update` counts a batch, `eval` returns the result so far, `reset` starts again.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph import metric
from teachgraph.core.errors import InvalidValueError
from teachgraph.ops.left_out import absent

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
    """Base of metrics; its counts are the attributes without a `_`.

    In Paddle 1.x this is `fluid.metrics.MetricBase`.
    """

    def __init__(self, name: str | None) -> None:
        self._name = type(self).__name__ if name is None else str(name)

    def __str__(self) -> str:
        return self._name

    def states(self) -> dict[str, Any]:
        """Return the counts, by name."""
        return {k: v for k, v in vars(self).items() if not k.startswith("_")}

    def reset(self) -> None:
        """Set every count to 0."""
        for name, count in self.states().items():
            setattr(self, name, np.zeros_like(count) if np.ndim(count) else 0)

    def get_config(self) -> dict[str, Any]:
        """Return the name and the counts."""
        return {"name": self._name, "states": copy.deepcopy(self.states())}

    def update(self, preds: Any, labels: Any) -> None:
        """Count one batch."""
        raise NotImplementedError(f"{type(self).__name__} has no update")

    def eval(self) -> Any:
        """The result so far."""
        raise NotImplementedError(f"{type(self).__name__} has no eval")


class CompositeMetric(MetricBase):
    """Several metrics of the same batches, updated together.

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
        """Add a metric.

        Raises:
            InvalidValueError: It is no metric.
        """
        if not isinstance(metric, MetricBase):
            raise InvalidValueError.here("SubMetric should be inherit from MetricBase.")
        self._metrics.append(metric)

    def update(self, preds: Any, labels: Any) -> None:
        """Count one batch in each metric."""
        for one in self._metrics:
            one.update(preds, labels)

    def eval(self) -> list[Any]:
        """Return the result of each metric."""
        return [one.eval() for one in self._metrics]

    def reset(self) -> None:
        """Forget all batches."""
        for one in self._metrics:
            one.reset()


class Counted(MetricBase):
    """A metric of `teachgraph.metric`, by 1.x's names."""

    _metric: Any

    def update(self, preds: Any, labels: Any) -> None:
        """Count one batch: predictions [N, 1] and labels."""
        self._metric.update(np.asarray(preds), np.asarray(labels))

    def eval(self) -> Any:
        """Return the value so far."""
        return self._metric.accumulate()

    def reset(self) -> None:
        """Forget all batches."""
        self._metric.reset()


class Precision(Counted):
    """The precision of binary predictions above 0.5."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._metric = metric.Precision()


class Recall(Counted):
    """The recall of binary predictions above 0.5."""

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
        """Return the area under a straight segment of the curve."""
        return abs(x1 - x2) * (y1 + y2) / 2.0


class Accuracy(MetricBase):
    """The mean accuracy of batches, weighted by their sizes.

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
        """Count a batch by its accuracy and its size.

        Raises:
            InvalidValueError: The size is negative.
        """
        if np.any(np.asarray(weight) < 0):
            raise InvalidValueError.here(f"a weight of {weight!r} samples")
        self.value += np.asarray(value).item() * float(weight)
        self.weight += float(weight)

    def eval(self) -> float:
        """The mean so far.

        Raises:
            InvalidValueError: No batch has been counted.
        """
        if not self.weight:
            raise InvalidValueError.here(
                "There is no data in Accuracy Metrics: update it first"
            )
        return self.value / self.weight


class ChunkEvaluator(MetricBase):
    """Precision, recall and F1 of chunks, from their counts.

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
        """Count a batch: the numbers of inferred, of true, and of correct chunks."""
        self.num_infer_chunks += np.asarray(num_infer_chunks).item()
        self.num_label_chunks += np.asarray(num_label_chunks).item()
        self.num_correct_chunks += np.asarray(num_correct_chunks).item()

    def eval(self) -> tuple[float, float, float]:
        """Return precision, recall and 2 / (1 / precision + 1 / recall)."""
        right = self.num_correct_chunks
        if not right:
            return 0.0, 0.0, 0.0
        inferred, true = self.num_infer_chunks, self.num_label_chunks
        return right / inferred, right / true, 2 * right / (inferred + true)


class EditDistance(MetricBase):
    """The mean edit distance, and the share of sequences with an error.

    >>> metric = EditDistance("distance")
    >>> metric.update(np.array([[0.0], [2.0]]), 2)
    >>> metric.eval()
    (1.0, 0.5)
    """

    def __init__(self, name: str | None) -> None:
        super().__init__(name)
        self.total_distance, self.seq_num, self.instance_error = 0.0, 0, 0

    def update(self, distances: Any, seq_num: Any) -> None:
        """Count a batch: the distance of each sequence, and their number."""
        distances = np.asarray(distances)
        self.seq_num += int(np.asarray(seq_num).item())
        self.instance_error += int(np.count_nonzero(distances))
        self.total_distance += float(distances.sum())

    def eval(self) -> tuple[float, float]:
        """Return the mean distance, and the share of sequences with an error.

        Raises:
            InvalidValueError: No batch has been counted.
        """
        if not self.seq_num:
            raise InvalidValueError.here(
                "There is no data in EditDistance Metric: update it first"
            )
        return self.total_distance / self.seq_num, self.instance_error / self.seq_num


if not TYPE_CHECKING:
    __getattr__ = absent("fluid.metrics")
