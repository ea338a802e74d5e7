"""`tg.monitor`: monitors a plain training loop through its iterator of batches.

A step ends when the loop asks for the next batch. The loss is the scalar root of the
backward pass; gradients are read from `.grad` after the pass.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from importlib import import_module
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from teachgraph.autograd.observed import attach, detach
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.observe import observers
from teachgraph.utils.observe import Observer
from teachgraph_widgets.events import Log
from teachgraph_widgets.folded import number_text
from teachgraph_widgets.lettering import printable
from teachgraph_widgets.log import EventLog, clean
from teachgraph_widgets.stats import rounded
from teachgraph_widgets.summary import summary
from teachgraph_widgets.tracing import in_notebook

if TYPE_CHECKING:
    from teachgraph_widgets.live import Live

__all__ = ["Monitor", "monitor"]

MOST_POINTS = 2000
MOST_LAYERS = 32


class BackwardListener(Observer):
    """Observes the begin and the end of backward passes, and nothing else."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.loss: float | None = None
        self.norms: dict[str, float | None] = {}
        self.due = True

    def follows(self, program: Any) -> bool:
        """Return False: programs run compiled, as no operator is observed."""
        return False

    def backward_begin(self, roots: Sequence[Any]) -> None:
        """Note the root as the loss, if it is one number."""
        if len(roots) == 1 and roots[0].size == 1:
            self.loss = float(roots[0])

    def backward_end(self, roots: Sequence[Any]) -> None:
        """Read the norms now: the optimizer clears the gradients later."""
        if self.model is not None and self.due:
            self.norms, self.due = norms_of(self.model), False


class Monitor:
    """Iterates over batches, and shows the progress of the training that uses them.

    Attributes:
        history: Number, loss, metrics and norms of each noted step.
    """

    def __init__(
        self,
        batches: Iterable[Any],
        *,
        model: Any = None,
        optimizer: Any = None,
        epochs: int = 1,
        title: str = "Training",
        every: float = 0.1,
        show: bool | None = None,
    ) -> None:
        check(batches, model, optimizer, epochs, every)
        self.batches, self.epochs, self.every = batches, epochs, every
        self.title, self.optimizer = title, optimizer
        self.show = in_notebook() if show is None else show
        self.history: list[dict[str, Any]] = []
        self._log = EventLog(title)
        self._listener = BackwardListener(model)
        self._metrics: dict[str, float | None] = {}
        self._figures: dict[str, float | None] = {}
        self._bar: Any = None
        self._live: Live | None = None
        self._step = self._samples = 0
        self._open = self._managed = False
        self._thin = 1

    def __enter__(self) -> Self:
        self._managed = True
        self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close(error)

    def __iter__(self) -> Iterator[Any]:
        self._begin()
        try:
            for epoch in range(1, self.epochs + 1):
                for batch in self.batches:
                    since = perf_counter()
                    yield batch
                    self.step(epoch, batch, perf_counter() - since)
        finally:
            if not self._managed:
                self.close(sys.exc_info()[1])

    def __len__(self) -> int:
        return len(self.batches) * self.epochs if isinstance(self.batches, Sized) else 0

    def log(self, **metrics: Any) -> None:
        """Note figures of the step that runs: `m.log(loss=loss, accuracy=0.9)`.

        Raises:
            InvalidValueError: One is not a single number.
        """
        for name, value in metrics.items():
            array = np.asarray(value)
            if array.size != 1 or array.dtype.kind not in "biuf":
                got = f"shape {list(array.shape)}" if array.size != 1 else repr(value)
                message = f"{name} is a single number, got {got}"
                raise InvalidValueError.here(message)
            self._metrics[clean(name, 40)] = float(array.reshape(()))

    def close(self, error: BaseException | None = None) -> None:
        """Stop observing, and end the log and the panel or the progress bar."""
        if not self._open:
            return
        self._open = False
        if self._listener in observers:
            detach(self._listener)
        # `break` in the loop closes the generator: that is no failure.
        failed = None if isinstance(error, GeneratorExit) else error
        self._log.end(0, failed)
        if self._live is not None:
            self._live.close()
        if self._bar is not None:
            self._say()
            self._bar.close()

    @property
    def events(self) -> Log:
        """The event log, from which `tg.show` and `tg.plot` draw."""
        return self._log.whole()

    def __repr__(self) -> str:
        return summary(self.events)

    def _begin(self) -> None:
        if self._open:
            return
        self._open = True
        self._log.begin("")
        attach(self._listener)
        self._shown = -math.inf
        if self.show:
            from teachgraph_widgets.live import Live

            self._live = Live(self._log, 360, "auto")
            self._live.open()
        else:
            self._bar = progress_bar(self.title, len(self) or None)

    def step(self, epoch: int, batch: Any, seconds: float) -> None:
        """Note that a step has ended: for who drives the loop without iterating."""
        listener, metrics = self._listener, self._metrics
        self._step += 1
        loss = metrics.pop("loss", listener.loss)
        if self._bar is not None:
            self._bar.update(1)
        now = perf_counter()
        is_shown = now - self._shown >= self.every
        if is_shown:
            self._shown, listener.due = now, True
        if is_shown or self._step % self._thin == 0:
            self._note(epoch, loss, seconds, samples_in(batch))
        self._figures = {"loss": loss, **metrics}
        if is_shown and self._bar is not None:
            self._say()
        listener.loss, self._metrics = None, {}

    def _say(self) -> None:
        """Show the last step's figures behind the bar."""
        figures = self._figures.items()
        known = {printable(n): number_text(v) for n, v in figures if v is not None}
        self._bar.set_postfix(known, refresh=False)

    def _note(
        self, epoch: int, loss: float | None, seconds: float, samples: int
    ) -> None:
        """Record a step; of a very long training only each second, fourth, ..."""
        metrics, norms = dict(self._metrics), dict(self._listener.norms)
        facts = {"step": self._step, "epoch": epoch, "loss": loss, "norms": norms}
        point = {**facts, "metrics": metrics, "seconds": seconds}
        self.history.append(point)
        if len(self.history) >= MOST_POINTS * self._thin.bit_length():
            self._thin *= 2
        rate = None if self.optimizer is None else float(self.optimizer.get_lr())
        if rate is not None:
            point["rate"] = rate
        figures = rounded(loss), round(seconds, 6), samples
        rest = *figures, pairs(metrics), pairs(norms), len(self) or None, rate
        self._log.add(0, "train", self._step, epoch, *rest)


def monitor(
    batches: Iterable[Any],
    *,
    model: Any = None,
    optimizer: Any = None,
    epochs: int = 1,
    title: str = "Training",
    every: float = 0.1,
    show: bool | None = None,
) -> Monitor:
    """Monitor a training loop: put it around the loop's batches.

    In a notebook a panel shows the loss curve, the speed, the time left and the norms
    of the gradients; elsewhere there is a progress bar (tqdm, if it is installed).

    Args:
        batches: The loop's iterable: a DataLoader, a list, anything.
        model: The Layer whose gradient norms are shown, by layer.
        optimizer: The optimizer whose learning rate is shown.
        epochs: The number of passes over the batches.
        title: A heading.
        every: Seconds between two updates of the display.
        show: True to draw a panel; by default in a notebook only.

    Returns:
        An iterable to loop over instead; `log(loss=..., accuracy=...)` adds figures,
        which a loop that runs a Program needs for its loss.

    >>> import teachgraph as tg
    >>> net = tg.nn.Linear(1, 1)
    >>> watched = tg.monitor([tg.ones([4, 1])] * 3, model=net)
    >>> for x in watched:
    ...     (net(x) - 2.0).square().mean().backward()
    >>> [point["step"] for point in watched.history][-1]
    3
    """
    return Monitor(
        batches,
        model=model,
        optimizer=optimizer,
        epochs=epochs,
        title=title,
        every=every,
        show=show,
    )


def check(batches: Any, model: Any, optimizer: Any, epochs: Any, every: Any) -> None:
    """Refuse wrong arguments before the training begins.

    Raises:
        InvalidValueError: One of them has a wrong type or value.
    """
    is_layer = model is None or hasattr(model, "named_parameters")
    has_rate = optimizer is None or hasattr(optimizer, "get_lr")
    for what, got, fits in (
        ("batches is what the loop goes over", batches, isinstance(batches, Iterable)),
        ("model is a Layer", model, is_layer),
        ("optimizer is one of tg.optimizer", optimizer, has_rate),
        ("epochs counts from 1", epochs, isinstance(epochs, int) and epochs > 0),
        ("every is a number of seconds", every, isinstance(every, (int, float))),
    ):
        if not fits:
            raise InvalidValueError.here(f"{what}, got {got!r}")


def norms_of(model: Any) -> dict[str, float | None]:
    """Compute each layer's gradient norm, over all its parameters together."""
    squares: dict[str, float] = {}
    for name, parameter in model.named_parameters():
        grad = parameter.grad
        if grad is not None:
            layer = name.rpartition(".")[0] or name
            flat = np.asarray(grad.data, np.float64).ravel()
            squares[layer] = squares.get(layer, 0.0) + float(flat @ flat)
    first = list(squares.items())[:MOST_LAYERS]
    return {clean(layer, 60): rounded(math.sqrt(total)) for layer, total in first}


def pairs(figures: Mapping[str, float | None]) -> tuple[tuple[str, float | None], ...]:
    """Return figures as pairs, the form of a log's record."""
    return tuple((name, rounded(value)) for name, value in figures.items())


def samples_in(batch: Any) -> int:
    """Count the samples of a batch: the length of its first array."""
    while isinstance(batch, (list, tuple)) and batch:
        batch = batch[0]
    if isinstance(batch, Mapping):
        batch = next(iter(batch.values()), None)
    shape: Sequence[int] = getattr(batch, "shape", ())
    return int(shape[0]) if len(shape) else 0


class Lines:
    """A progress bar without tqdm: one line to stderr per tenth."""

    def __init__(self, title: str, total: int | None) -> None:
        self.title, self.total = title, total
        self.done, self.printed, self.postfix = 0, 0, ""

    def update(self, steps: int) -> None:
        """Count steps, and print a line if a tenth is complete."""
        self.done += steps
        tenth = max(1, (self.total or 1000) // 10)
        if self.done // tenth > self.printed:
            self.printed = self.done // tenth
            of = f"/{self.total:,}" if self.total else ""
            sys.stderr.write(f"{self.title}: {self.done:,}{of} steps{self.postfix}\n")

    def set_postfix(self, figures: Mapping[str, str], *, refresh: bool) -> None:
        """Set the figures of the next line."""
        self.postfix = "".join(f"  {name} {text}" for name, text in figures.items())

    def close(self) -> None:
        """Do nothing: the last line is printed already."""


def progress_bar(title: str, total: int | None) -> Any:
    """Return tqdm's bar, or `Lines`; control characters in the title are replaced."""
    title = printable(title)
    try:
        tqdm = import_module("tqdm").tqdm
    except ImportError:
        return Lines(title, total)
    return tqdm(desc=title, total=total, unit=" steps", leave=True, file=sys.stderr)
