"""`Model` in static mode, its panel, and what it refuses; the rest Paddle answers.

What a dynamic one returns, prints and saves is in `tests/paddle_answers/model.json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.callbacks import Callback, MonitorPanel
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ModeError,
    ShapeError,
)
from teachgraph.core.modes import using
from teachgraph.io import Dataset, IterableDataset, TensorDataset
from teachgraph.static import InputSpec, Program, program_guard
from teachgraph.static.scope import Scope, scope_guard
from teachgraph.vision.datasets import Digits
from tests.digits.network import scaled

X = np.linspace(-1.0, 1.0, 40, dtype="float32").reshape(10, 4)
Y = (np.arange(10) % 3).reshape(10, 1)
ROWS = TensorDataset([X, Y])
SPECS = InputSpec([None, 4], "float32", "x"), InputSpec([None, 1], "int64", "y")


def network() -> tg.nn.Layer:
    """A classifier that starts the same in both modes."""
    constant = tg.nn.initializer.Assign(np.linspace(-1, 1, 12).reshape(4, 3))
    first = tg.nn.Linear(4, 3, weight_attr=constant)
    return tg.nn.Sequential(first, tg.nn.BatchNorm1D(3))


def trained(*, static: bool) -> list[Any]:
    """The figures of some epochs, an evaluation and a prediction."""
    seen: list[Any] = []

    class Notes(Callback):
        def on_train_batch_end(self, step: int, logs: Any = None) -> None:
            seen.append(logs["acc"])

    tg.seed(0)
    with (
        using(static=static),
        scope_guard(Scope()),  # as in Paddle, values of these names would be kept
        program_guard(Program(), Program()),
    ):
        net = network()
        model = tg.Model(net, *SPECS)
        optimizer = tg.optimizer.Momentum(0.1, parameters=net.parameters())
        loss = tg.nn.CrossEntropyLoss()
        model.prepare(optimizer, loss, tg.metric.Accuracy())
        model.fit(
            *(ROWS, ROWS, 5),
            epochs=3,
            shuffle=False,
            verbose=0,
            callbacks=[Notes()],
        )
        figures = model.evaluate(ROWS, 5, verbose=0)
        (outputs,) = model.predict(ROWS, 5, stack_outputs=True, verbose=0)
    return [seen, figures["acc"], figures["loss"], outputs]


def test_a_static_model_learns_as_a_dynamic_one() -> None:
    dynamic, static = trained(static=False), trained(static=True)
    assert dynamic[:2] == static[:2]
    for ours, theirs in zip(dynamic[2:], static[2:], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_a_static_model_keeps_what_it_loaded_whatever_runs_first(
    tmp_path: Path,
) -> None:
    found = []
    with tg.unique_name.guard(), scope_guard(Scope()):
        source = tg.nn.Linear(4, 3)
        tg.Model(source).save(tmp_path / "source")
    wanted = source(tg.to_tensor(X)).numpy()
    with (
        using(static=True),
        scope_guard(Scope()),
        program_guard(Program(), Program()),
    ):
        model = tg.Model(tg.nn.Linear(4, 3), *SPECS)
        optimizer = tg.optimizer.Momentum(0.0, parameters=model.parameters())
        model.prepare(optimizer, tg.nn.CrossEntropyLoss())
        model.load(tmp_path / "source")
        for act in (model.eval_batch, model.train_batch, model.train_batch):
            act(X, Y)
            found += model.predict_batch(X)
        model.save(tmp_path / "same")
    assert tg.load(tmp_path / "same.pdparams").keys() == {"weight", "bias"}
    for outputs in found:
        np.testing.assert_allclose(outputs, wanted, rtol=1e-5)


def test_digits_are_learnt_in_a_few_epochs(capsys: pytest.CaptureFixture[str]) -> None:
    data, test = (Digits(which, transform=scaled) for which in ("train", "test"))
    tg.seed(0)
    net = tg.nn.Sequential(tg.nn.Linear(784, 32), tg.nn.ReLU(), tg.nn.Linear(32, 10))
    model = tg.Model(net)
    optimizer = tg.optimizer.Adam(0.003, parameters=net.parameters())
    model.prepare(optimizer, tg.nn.CrossEntropyLoss(), tg.metric.Accuracy())
    model.fit(data, batch_size=64, epochs=5, verbose=1)
    assert model.evaluate(test, 256, verbose=0)["acc"] > 0.85
    assert capsys.readouterr().out.count("[==============================]") == 5


def prepared() -> tg.Model:
    with tg.unique_name.guard():
        net = tg.nn.Linear(4, 3)
    model = tg.Model(net)
    optimizer = tg.optimizer.Adam(0.01, parameters=net.parameters())
    model.prepare(optimizer, tg.nn.CrossEntropyLoss(), tg.metric.Accuracy())
    return model


def test_the_panel_shows_each_step() -> None:
    pytest.importorskip("teachgraph_widgets")
    model, panel = prepared(), MonitorPanel(show=True)
    histories = []

    class Last(Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            histories.append(list(panel.monitor.history))

    model.fit(ROWS, batch_size=5, epochs=2, verbose=0, callbacks=[panel, Last()])
    assert [len(history) for history in histories] == [2, 4]
    points = histories[-1]
    assert [point["epoch"] for point in points] == [1, 1, 2, 2]
    assert all(point["loss"] > 0 for point in points)
    assert all("acc" in point["metrics"] for point in points)
    assert points[0]["norms"].keys() == {"weight", "bias"}
    assert panel.monitor is None


def test_the_panel_closes_when_training_fails() -> None:
    pytest.importorskip("teachgraph_widgets")
    from teachgraph.core.observe import observers

    class Broken(Dataset[Any]):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> Any:
            if index == 2:
                raise OSError("no such picture")
            return X[0], Y[0]

    with pytest.raises(OSError, match="no such picture"):
        prepared().fit(
            Broken(), shuffle=False, verbose=0, callbacks=MonitorPanel(show=True)
        )
    assert observers == []


def test_a_stream_has_no_number_of_steps(capsys: pytest.CaptureFixture[str]) -> None:
    class Stream(IterableDataset[Any]):
        def __iter__(self) -> Iterator[Any]:
            return iter(zip(X, Y, strict=True))

    model = prepared()
    model.fit(Stream(), batch_size=4, log_freq=1, shuffle=False)
    assert "step 3 - loss" in capsys.readouterr().out


def test_a_saved_model_goes_on_where_it_stopped(tmp_path: Path) -> None:
    tg.seed(1)
    whole = prepared()
    whole.save(tmp_path / "start")
    whole.fit(ROWS, batch_size=5, epochs=2, shuffle=False, verbose=0)
    parted = prepared()
    parted.load(tmp_path / "start")
    parted.fit(ROWS, batch_size=5, epochs=1, shuffle=False, verbose=0)
    parted.save(tmp_path / "half")
    again = prepared()
    again.load(str(tmp_path / "half.pdparams"))
    again.fit(ROWS, batch_size=5, epochs=1, shuffle=False, verbose=0)
    for ours, theirs in zip(whole.parameters(), again.parameters(), strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


def test_a_static_model_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def losses(model: tg.Model, steps: int) -> list[float]:
        return [model.train_batch(X, Y)[0].item() for _ in range(steps)]

    def made() -> tg.Model:
        with tg.unique_name.guard():
            net = tg.nn.Linear(4, 3)
            model = tg.Model(net, *SPECS)
        optimizer = tg.optimizer.Momentum(0.1, parameters=net.parameters())
        model.prepare(optimizer, tg.nn.CrossEntropyLoss())
        return model

    found = []
    for part in (True, False):
        programs = program_guard(Program(), Program())
        with using(static=True), programs, scope_guard(Scope()):
            model = made()
            if part:
                losses(model, 3)
                model.save(tmp_path / "half")
            else:
                model.load(tmp_path / "half")
            found.append(losses(model, 2))
    assert found[0] == found[1]


def test_a_model_for_use_gives_the_same_outputs(tmp_path: Path) -> None:
    net = network()
    model = tg.Model(net, *SPECS)
    model.prepare()
    wanted = model.predict_batch(X)[0]
    model.save(tmp_path / "used", training=False)
    loaded = tg.jit.load(str(tmp_path / "used"))
    loaded.eval()
    np.testing.assert_allclose(loaded(tg.to_tensor(X)).numpy(), wanted, rtol=1e-6)


def test_a_static_model_for_use_gives_the_same_outputs(tmp_path: Path) -> None:
    programs = program_guard(Program(), Program())
    with using(static=True), programs, scope_guard(Scope()):
        model = tg.Model(network(), *SPECS)
        model.prepare()
        wanted = model.predict_batch(X)[0]
        model.save(tmp_path / "used", training=False)
    executor, prefix = tg.static.Executor(), str(tmp_path / "used")
    with scope_guard(Scope()):
        program, names, fetched = tg.static.load_inference_model(prefix, executor)
        (found,) = executor.run(program, {names[0]: X}, fetched)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_the_shape_of_the_last_batch_is_saved(tmp_path: Path) -> None:
    model = prepared()
    with pytest.raises(ModeError, match="'inputs'"):
        model.save(tmp_path / "a", training=False)
    model.train_batch(X, Y)
    with pytest.warns(UserWarning, match="'inputs' was not specified"):
        model.save(tmp_path / "a", training=False)
    assert tg.jit.load(str(tmp_path / "a"))(tg.to_tensor(X)).shape == [10, 3]


def test_what_does_not_fit_is_refused_or_skipped(tmp_path: Path) -> None:
    model, other = prepared(), tg.Model(tg.nn.Linear(4, 5))
    other.save(tmp_path / "other")
    before = model.network.state_dict()["weight"].numpy()
    with pytest.raises(ShapeError, match="receives a shape"):
        model.load(tmp_path / "other")
    with pytest.warns(UserWarning, match="Skip loading for (weight|bias)"):
        model.load(tmp_path / "other", skip_mismatch=True)
    np.testing.assert_array_equal(model.network.state_dict()["weight"].numpy(), before)
    with pytest.raises(InvalidValueError, match="not exists"):
        model.load(tmp_path / "nothing")


def test_what_a_model_needs_is_asked_for() -> None:
    net = tg.nn.Linear(4, 3)
    with pytest.raises(ModeError, match="prepare"):
        tg.Model(net).train_batch(X, Y)
    with pytest.raises(ModeError, match="prepare"):
        tg.Model(net).evaluate(ROWS)
    with pytest.raises(DTypeError, match="Layer"):
        tg.Model(3)
    with pytest.raises(DTypeError, match="InputSpec"):
        tg.Model(net, inputs=[None, 4])
    with pytest.raises(DTypeError, match="'loss'"):
        tg.Model(net).prepare(loss=3)
    with pytest.raises(DTypeError, match="Metric"):
        tg.Model(net).prepare(metrics=[3])
    with pytest.raises(InvalidValueError, match="train_data"):
        prepared().fit()
    with pytest.raises(DTypeError, match="Dataset"):
        prepared().fit(3)
    with pytest.raises(DTypeError, match="callbacks"):
        prepared().fit(ROWS, verbose=0, callbacks=[3])
    with using(static=True), pytest.raises(ModeError, match="InputSpec"):
        tg.Model(net)
    with pytest.raises(InvalidValueError, match="factor"):
        tg.callbacks.ReduceLROnPlateau(factor=1.0)
    with pytest.raises(InvalidValueError, match="by_step"):
        tg.callbacks.LRScheduler(by_step=True, by_epoch=True)
