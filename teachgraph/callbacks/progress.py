"""`ProgBarLogger`: prints the figures of each step, as lines or beside a bar."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

import numpy as np

from teachgraph.callbacks.callback import Callback, Logs

__all__ = ["ProgBarLogger"]

WIDTH = 30
BAR, LINES = 1, 2


class Progress:
    """One line, or one bar, that tells how far a pass over batches has come.

    Args:
        steps: The number of batches, None if nobody knows.
        verbose: 1 for a bar that is written over, 2 for lines.
    """

    def __init__(self, steps: int | None, verbose: int) -> None:
        self.steps, self.verbose = steps, verbose
        self.since, self.length = perf_counter(), 0

    def show(self, done: int, figures: list[tuple[str, Any]]) -> None:
        """Write what is known after so many batches."""
        each = (perf_counter() - self.since) / done
        total = "" if self.steps is None else f"/{self.steps}"
        last = done == self.steps
        text = f"step {done:>{len(total) - 1 if total else 1}d}{total}"
        if self.verbose == BAR and self.steps is not None:
            text += f" [{bar(done, self.steps)}]"
        text += "".join(f" - {name}: {figure_text(value)}" for name, value in figures)
        if self.verbose == BAR and self.steps is not None and not last:
            text += f" - ETA: {(self.steps - done) * each:.0f}s"
        text += f" - {time_text(each)}/step"
        if self.verbose == LINES:
            sys.stdout.write(f"{text}\n")
        else:
            ending = "\n" if last else ""
            sys.stdout.write(f"\r{text:<{self.length}}{ending}")
            self.length = len(text)
        sys.stdout.flush()


def bar(done: int, steps: int) -> str:
    """A bar as long as the share that is done.

    >>> bar(1, 3)
    '=========>....................'
    """
    length = done * WIDTH // steps
    tip = ">" if length < WIDTH else ""
    return f"{'=' * max(length - len(tip), 0)}{tip}".ljust(WIDTH, ".")


def figure_text(value: Any) -> str:
    """A figure, or several, with four decimals.

    >>> figure_text([0.25, 1e-5, 0.0])
    '0.2500 1.0000e-05 0.0000e+00'
    """
    numbers = np.ravel(np.asarray(value, np.float64))
    return " ".join(f"{n:.4f}" if abs(n) > 1e-3 else f"{n:.4e}" for n in numbers)


def time_text(seconds: float) -> str:
    """A time in seconds, milliseconds or microseconds.

    >>> time_text(2.5), time_text(0.0125), time_text(4e-5)
    ('2s', '12ms', '40us')
    """
    if seconds >= 1:
        return f"{seconds:.0f}s"
    return f"{seconds * 1e3:.0f}ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us"


class ProgBarLogger(Callback):
    """Print loss and metrics while the model runs.

    Args:
        log_freq: The steps from one print to the next.
        verbose: 0 prints nothing, 1 a bar, 2 a line each time.

    In Paddle this is `paddle.callbacks.ProgBarLogger`.
    """

    progress: Progress
    samples = 0

    def __init__(self, log_freq: int = 1, verbose: int = 2) -> None:
        super().__init__()
        self.log_freq, self.verbose = log_freq, verbose

    def say(self, text: str) -> None:
        """Print a line, unless nothing is to be said."""
        if self.verbose:
            print(text)

    def begin(self, steps: int | None) -> None:
        """Start to measure a pass over batches."""
        self.progress, self.samples = Progress(steps, self.verbose), 0

    def on_train_begin(self, logs: Logs = None) -> None:
        """Say what is printed."""
        self.say(
            "The loss value printed in the log is the current step, and the metric is "
            "the average value of previous steps."
        )

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Name the epoch."""
        self.say(f"Epoch {epoch + 1}/{self.params.get('epochs')}")
        self.begin(self.params.get("steps"))

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """Print a step."""
        self.after(step, logs)

    def on_eval_begin(self, logs: Logs = None) -> None:
        """Say that an evaluation begins."""
        self.say("Eval begin...")
        self.begin((logs or {}).get("steps"))

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        """Print a batch."""
        self.after(step, logs)

    def on_eval_end(self, logs: Logs = None) -> None:
        """Say how many samples there were."""
        self.say(f"Eval samples: {self.samples}")

    def on_predict_begin(self, logs: Logs = None) -> None:
        """Say that a prediction begins."""
        self.say("Predict begin...")
        self.begin((logs or {}).get("steps"))

    def on_predict_batch_end(self, step: int, logs: Logs = None) -> None:
        """Print a batch."""
        self.after(step, logs)

    def on_predict_end(self, logs: Logs = None) -> None:
        """Say how many samples there were."""
        self.say(f"Predict samples: {self.samples}")

    def after(self, step: int, logs: Logs) -> None:
        """Print the figures of a step, if its turn has come or it is the last."""
        logs = logs or {}
        self.samples += int(logs.get("batch_size", 1))
        done = step + 1
        if self.verbose and (done % self.log_freq == 0 or done == self.progress.steps):
            names = ("loss", *self.params.get("metrics", ()))
            logged = dict.fromkeys(name for name in names if name in logs)
            self.progress.show(done, [(name, logs[name]) for name in logged])
