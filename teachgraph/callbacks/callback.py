"""`Callback`: methods that `Model` calls at each stage, to override."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from teachgraph.core.errors import DTypeError

__all__ = ["Callback", "CallbackList", "Logs"]

Logs = Mapping[str, Any] | None
"""Figures of a stage: `loss` (a list), metrics by name, `step`, `batch_size`."""


class Callback:
    """The acts beside training: override the methods of the stages you need.

    Attributes:
        model: The `Model`.
        params: `batch_size`, `epochs`, `steps`, `verbose`, `metrics` and `save_dir`, as
            far as they are known.

    In Paddle this is `paddle.callbacks.Callback`.

    >>> class Losses(Callback):
    ...     def on_train_batch_end(self, step, logs=None):
    ...         print(step, len(logs["loss"]))
    """

    model: Any = None

    def __init__(self) -> None:
        self.params: dict[str, Any] = {}

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Take the parameters of the run."""
        self.params = dict(params)

    def set_model(self, model: Any) -> None:
        """Take the model."""
        self.model = model

    def on_train_begin(self, logs: Logs = None) -> None:
        """Training begins."""

    def on_train_end(self, logs: Logs = None) -> None:
        """Training has ended."""

    def on_eval_begin(self, logs: Logs = None) -> None:
        """Evaluation begins; `logs` holds `steps` and the names in `metrics`."""

    def on_eval_end(self, logs: Logs = None) -> None:
        """Evaluation has ended."""

    def on_predict_begin(self, logs: Logs = None) -> None:
        """Prediction begins."""

    def on_predict_end(self, logs: Logs = None) -> None:
        """Prediction has ended."""

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """An epoch begins, the first one being 0."""

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """An epoch has ended, before it is evaluated."""

    def on_train_batch_begin(self, step: int, logs: Logs = None) -> None:
        """A training step begins."""

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """A training step has ended."""

    def on_eval_batch_begin(self, step: int, logs: Logs = None) -> None:
        """A batch of an evaluation begins."""

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        """A batch of an evaluation has ended."""

    def on_predict_batch_begin(self, step: int, logs: Logs = None) -> None:
        """A batch of a prediction begins."""

    def on_predict_batch_end(self, step: int, logs: Logs = None) -> None:
        """A batch of a prediction has ended."""


class CallbackList:
    """Several callbacks, called one after the other.

    Args:
        callbacks: The callbacks.
        model: The model they belong to.
        params: The parameters of the run.

    Raises:
        DTypeError: One is no Callback.
    """

    def __init__(
        self, callbacks: Iterable[Callback], model: Any, params: Mapping[str, Any]
    ) -> None:
        self.callbacks = list(callbacks)
        for callback in self.callbacks:
            if not isinstance(callback, Callback):
                raise DTypeError.here(
                    f"callbacks are objects of paddle.callbacks.Callback, got "
                    f"{callback!r}"
                )
            callback.set_params(params)
            callback.set_model(model)

    def __iter__(self) -> Iterator[Callback]:
        return iter(self.callbacks)

    def __getattr__(self, name: str) -> Callable[..., None]:
        """The method of that name, of all of them in turn."""
        if not name.startswith("on_"):
            raise AttributeError(name)

        def each(*args: Any) -> None:
            for callback in self.callbacks:
                getattr(callback, name)(*args)

        return each
