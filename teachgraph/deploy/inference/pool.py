"""Predictors of one model for many threads."""

from __future__ import annotations

from teachgraph.core.errors import InvalidValueError
from teachgraph.deploy.inference.config import Config
from teachgraph.deploy.inference.predictor import Predictor
from teachgraph.errors import OutOfRangeError

__all__ = ["PredictorPool"]


class PredictorPool:
    """A pool of `size` predictors that share program and parameters.

    In Paddle this is `paddle.inference.PredictorPool`.
    """

    def __init__(self, config: Config, size: int = 1) -> None:
        if size < 1:
            message = f"a pool has one predictor at least, not {size}"
            raise InvalidValueError.here(message)
        first = Predictor(config)
        self._predictors = [first, *(first.clone() for _ in range(size - 1))]

    def __len__(self) -> int:
        return len(self._predictors)

    def retrieve(self, idx: int) -> Predictor:
        """Return the predictor of a number.

        Raises:
            OutOfRangeError: There are not so many.
        """
        if not 0 <= idx < len(self):
            message = f"there is no predictor {idx} among {len(self)}"
            raise OutOfRangeError.here(message)
        return self._predictors[idx]
