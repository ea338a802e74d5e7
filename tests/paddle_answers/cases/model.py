"""`paddle.Model`: what it returns, prints, calls back and saves."""

from __future__ import annotations

import io
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["STORIES"]

SAMPLES = 10


def rows(paddle: Any, *, labelled: bool = True) -> Any:
    """Ten rows of four numbers, of three classes."""

    class Rows(paddle.io.Dataset):
        def __len__(self) -> int:
            return SAMPLES

        def __getitem__(self, i: int) -> Any:
            x = np.full(4, i / 10, "float32")
            return (x, np.array([i % 3])) if labelled else (x,)

    return Rows()


def network(paddle: Any) -> Any:
    """A linear classifier that starts with equal weights."""
    constant = paddle.nn.initializer.Constant(0.1)
    return paddle.nn.Linear(4, 3, weight_attr=constant)


def prepared(paddle: Any, *, rate: Any = 0.1, kind: str = "SGD") -> Any:
    """A model that learns to classify, with two metrics."""
    net = network(paddle)
    model = paddle.Model(net)
    best_two = paddle.metric.Accuracy(topk=(1, 2), name="two")
    model.prepare(
        getattr(paddle.optimizer, kind)(rate, parameters=net.parameters()),
        paddle.nn.CrossEntropyLoss(),
        [paddle.metric.Accuracy(), best_two],
    )
    return model


def rounded(value: Any) -> Any:
    """Figures to four digits, whatever they are nested in."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(part) for part in value]
    if isinstance(value, (np.ndarray, np.generic, float)):
        return np.round(np.asarray(value, "float64"), 4).tolist()
    return value


@contextmanager
def printed() -> Iterator[list[str]]:
    """What is printed inside, without times and folders."""
    text, lines = io.StringIO(), list[str]()
    with redirect_stdout(text), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield lines
    said = re.sub(r" - (ETA: \d+s - )?\d+[mu]?s/step", "", text.getvalue())
    said = re.sub(r"/\S*/", "FOLDER/", said.replace("\b", ""))
    lines += [line.rstrip() for line in re.split(r"[\r\n]+", said) if line.strip()]


def a_step_gives_losses_and_metrics(paddle: Any) -> Any:
    model = prepared(paddle)
    x, y = np.ones((2, 4), "float32"), np.array([[0], [1]])
    model.predict_batch([x])
    bare = paddle.Model(model.network)
    bare.prepare(None, paddle.nn.CrossEntropyLoss())
    return rounded(
        [
            model.train_batch([x], [y]),
            model.eval_batch([x], [y]),
            model.predict_batch([x]),
            model.train_batch([x], [y], update=False),
            model.train_batch([x], [y]),
            bare.eval_batch([x], [y]),
        ]
    )


def whoever_is_called_back_sees_each_stage(paddle: Any) -> Any:
    events: list[Any] = []

    class Log(paddle.callbacks.Callback):
        def __getattribute__(self, name: str) -> Any:
            if not name.startswith("on_"):
                return super().__getattribute__(name)

            def note(*args: Any) -> None:
                at_end = name.endswith("_end") or name == "on_eval_begin"
                facts = args if at_end else [a for a in args if isinstance(a, int)]
                events.append([name, *rounded(facts)])

            return note

    data = rows(paddle)
    with printed():
        prepared(paddle).fit(
            data, data, 4, epochs=2, verbose=0, shuffle=False, callbacks=[Log()]
        )
    return events


def a_fit_prints_lines(paddle: Any) -> Any:
    data, model = rows(paddle), prepared(paddle)
    with printed() as lines:
        model.fit(data, data, 4, epochs=2, verbose=2, shuffle=False, log_freq=2)
    return lines


def an_evaluation_gives_a_dict(paddle: Any) -> Any:
    data, model = rows(paddle), prepared(paddle)
    with printed() as lines:
        whole = model.evaluate(data, 4, log_freq=2)
        part = model.evaluate(data, 4, verbose=0, num_iters=1)
    return [rounded(whole), rounded(part), lines]


def a_prediction_gives_batches_or_arrays(paddle: Any) -> Any:
    model = prepared(paddle)
    with printed() as lines:
        apart = model.predict(rows(paddle), 4, verbose=2)
        whole = model.predict(
            rows(paddle, labelled=False), 4, stack_outputs=True, verbose=0
        )
    shapes = [[list(part.shape) for part in output] for output in apart]
    return [shapes, rounded(whole), lines]


def gradients_of_batches_add_up(paddle: Any) -> Any:
    found = []
    for settings in ({}, {"accumulate_grad_batches": 2}, {"num_iters": 4}):
        model = prepared(paddle)
        with printed():
            model.fit(
                rows(paddle), None, 4, epochs=1, verbose=0, shuffle=False, **settings
            )
        found.append(rounded(model.network.weight.numpy()))
    return found


def checkpoints_are_files(paddle: Any) -> Any:
    data, model = rows(paddle), prepared(paddle, kind="Momentum")
    with tempfile.TemporaryDirectory() as folder, printed() as lines:
        model.fit(
            data, None, 4, epochs=3, verbose=0, save_dir=f"{folder}/a", save_freq=2
        )
        model.save(f"{folder}/b/c")
        weights = model.network.weight.numpy()
        model.fit(data, None, 4, epochs=1, verbose=0)
        model.load(f"{folder}/b/c")
        same = bool((model.network.weight.numpy() == weights).all())
        files = sorted(path.name for path in Path(folder).rglob("*.*"))
    return [files, same, lines]


def training_stops_early(paddle: Any) -> Any:
    data, found = rows(paddle), []
    for patience, least in ((0, 0.0), (1, 10.0), (2, 10.0)):
        model = prepared(paddle)
        stopping = paddle.callbacks.EarlyStopping(
            "loss", patience=patience, min_delta=least, save_best_model=True
        )
        with tempfile.TemporaryDirectory() as folder, printed() as lines:
            model.fit(
                *(data, data, 4),
                epochs=6,
                verbose=0,
                shuffle=False,
                save_dir=folder,
                callbacks=[stopping],
            )
            files = sorted(path.stem for path in Path(folder).glob("*.pdparams"))
        found.append([files, lines])
    return found


def a_plateau_lowers_the_rate(paddle: Any) -> Any:
    data, found = rows(paddle), []
    for settings in (
        {"patience": 1},
        {"patience": 2, "cooldown": 2},
        {"patience": 1, "min_lr": 0.0625},
        {"patience": 1, "mode": "min"},
    ):
        model = prepared(paddle, rate=0.1)
        plateau = paddle.callbacks.ReduceLROnPlateau(
            "acc", factor=0.5, **settings, min_delta=1.0
        )
        with printed() as lines:
            model.fit(
                *(data, data, 4),
                epochs=6,
                verbose=0,
                shuffle=False,
                callbacks=plateau,
            )
        found.append([round(float(model._optimizer.get_lr()), 6), lines])
    return found


def schedules_step_by_batch_or_by_epoch(paddle: Any) -> Any:
    found = []
    for callbacks in (
        None,
        [paddle.callbacks.LRScheduler(by_step=False, by_epoch=True)],
        [paddle.callbacks.LRScheduler(by_step=True)],
    ):
        schedule = paddle.optimizer.lr.StepDecay(0.1, 2)
        model = prepared(paddle, rate=schedule)
        with printed():
            model.fit(rows(paddle), None, 4, epochs=2, verbose=0, callbacks=callbacks)
        found.append([schedule.last_epoch, round(schedule.get_lr(), 9)])
    return found


def a_static_model_is_saved_for_use(paddle: Any) -> Any:
    paddle.enable_static()
    static = paddle.static
    with (
        static.program_guard(static.Program(), static.Program()),
        static.scope_guard(static.Scope()),
        tempfile.TemporaryDirectory() as folder,
    ):
        x = static.InputSpec([None, 2], "float32", "x")
        model = paddle.Model(paddle.nn.Linear(2, 3), x)
        model.prepare()
        model.save(f"{folder}/kept/used", training=False)
        files = Path(folder).rglob("*.pd*")
        return sorted(path.relative_to(folder).as_posix() for path in files)


STORIES = [
    a_step_gives_losses_and_metrics,
    whoever_is_called_back_sees_each_stage,
    a_fit_prints_lines,
    an_evaluation_gives_a_dict,
    a_prediction_gives_batches_or_arrays,
    gradients_of_batches_add_up,
    checkpoints_are_files,
    training_stops_early,
    a_plateau_lowers_the_rate,
    schedules_step_by_batch_or_by_epoch,
    a_static_model_is_saved_for_use,
]
