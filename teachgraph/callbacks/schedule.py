"""`LRScheduler`: steps the optimizer's learning rate schedule."""

from __future__ import annotations

from teachgraph.callbacks.callback import Callback, Logs
from teachgraph.core.errors import InvalidValueError
from teachgraph.optimizer.lr import LRScheduler as Schedule

__all__ = ["LRScheduler"]


class LRScheduler(Callback):
    """Step the learning rate schedule after each batch, or after each epoch.

    `Model.fit` has one that steps after each batch, unless it is given another.

    Args:
        by_step: Step after each batch.
        by_epoch: Step after each epoch.

    Raises:
        InvalidValueError: Both are asked for.

    In Paddle this is `paddle.callbacks.LRScheduler`.
    """

    def __init__(self, by_step: bool = True, by_epoch: bool = False) -> None:
        if by_step and by_epoch:
            raise InvalidValueError.here(
                "by_step option is mutually exclusive with by_epoch"
            )
        super().__init__()
        self.by_step, self.by_epoch = by_step, by_epoch

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """Step, if it is by batches."""
        if self.by_step:
            self.advance()

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Step, if it is by epochs."""
        if self.by_epoch:
            self.advance()

    def advance(self) -> None:
        """Step the schedule, if the learning rate follows one."""
        schedule = getattr(self.model.optimizer, "_learning_rate", None)
        if isinstance(schedule, Schedule):
            schedule.step()
