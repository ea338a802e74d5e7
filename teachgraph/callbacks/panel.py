"""`MonitorPanel`: draws the training in a notebook while it runs."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

from teachgraph.callbacks.callback import Callback, Logs

__all__ = ["MonitorPanel", "in_notebook"]


def in_notebook() -> bool:
    """Tell whether there are pictures, and a notebook that shows them."""
    with suppress(ImportError):
        return bool(import_module("teachgraph_widgets.tracing").in_notebook())
    return False


class MonitorPanel(Callback):
    """The panel of `teachgraph.monitor`: loss, metrics, speed, norms of gradients.

    `Model.fit` opens one in a notebook, unless it is told to be silent.

    Args:
        show: True to draw it everywhere; by default in a notebook only.
    """

    def __init__(self, show: bool | None = None) -> None:
        super().__init__()
        self.show = in_notebook() if show is None else show
        self.monitor: Any = None
        self.epoch = self.since = 0.0

    def on_train_begin(self, logs: Logs = None) -> None:
        """Open the panel."""
        if not self.show:
            return
        steps = range(self.params.get("steps") or 0)
        self.monitor = import_module("teachgraph_widgets").monitor(
            steps,
            model=self.model.network,
            optimizer=self.model.optimizer,
            epochs=max(self.params.get("epochs") or 1, 1),
            title=type(self.model.network).__name__,
            show=True,
        )
        self.monitor.__enter__()

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Note the epoch."""
        self.epoch = epoch + 1

    def on_train_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Note the time."""
        self.since = perf_counter()

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """Draw the step."""
        if self.monitor is None:
            return
        logs = logs or {}
        names = ("loss", *self.params.get("metrics", ()))
        figures = {n: np.ravel(logs[n]) for n in names if n in logs}
        self.monitor.log(**{n: v[0] for n, v in figures.items() if v.size == 1})
        samples = np.empty((int(logs.get("batch_size", 1)), 0))
        self.monitor.step(int(self.epoch), samples, perf_counter() - self.since)

    def on_train_end(self, logs: Logs = None) -> None:
        """Close the panel; what it shows stays."""
        self.close()

    def close(self) -> None:
        """Close the panel, if it is open."""
        if self.monitor is not None:
            self.monitor.close()
            self.monitor = None
