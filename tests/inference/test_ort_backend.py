"""ONNX Runtime takes over from a plan where it gives the same, and only there."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, nn
from teachgraph.deploy.inference import Config, InferenceModel, create_predictor
from teachgraph.errors import OutOfRangeError
from teachgraph.static import InputSpec
from teachgraph.utils.observe import Observer, watch


class Net(nn.Layer):
    """A class for each text, from the mean of its words."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.out = nn.Embedding(7, 4), nn.Linear(4, 3)

    def forward(self, words: Any) -> Any:
        return self.out(tg.tanh(self.table(words)).mean(1))


WORDS = np.array([[1, 2, 6], [0, 3, 3]])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    tg.seed(0)
    jit.save(Net(), tmp_path / "net", [InputSpec([None, None], "int64", "words")])
    return tmp_path / "net"


def of_function(function: Any, folder: Path, dtype: str = "float32") -> Path:
    jit.save(function, folder / "net", [InputSpec([None, 3], dtype, "x")])
    return folder / "net"


def alone(path: Path) -> Any:
    """The model by its plan."""
    config = Config(path)
    config.disable_onnxruntime()
    return InferenceModel(config)


def test_it_takes_over_once_it_has_given_the_plans_answers(path: Path) -> None:
    model, plan = InferenceModel(path), alone(path)
    who = []
    for shift in range(4):
        words = (WORDS + shift) % 7
        np.testing.assert_allclose(model(words), plan(words), rtol=1e-5, atol=1e-6)
        who.append(model.predictor.executor)
    assert who == ["plan", "onnxruntime", "onnxruntime", "onnxruntime"]
    assert plan.predictor.executor == "plan"


def test_it_runs_the_first_time_where_it_is_demanded(path: Path) -> None:
    config = Config(path)
    assert "if it gives the same" in config.summary()
    config.enable_onnxruntime()
    predictor = create_predictor(config)
    assert predictor.executor == "onnxruntime"
    np.testing.assert_allclose(predictor.run([WORDS])[0], alone(path)(WORDS), rtol=1e-5)


@pytest.mark.parametrize("wrong", [-1, 7])
def test_a_word_that_is_in_no_table_is_an_error_as_before(
    wrong: int, path: Path
) -> None:
    model = InferenceModel(path)
    for _ in range(3):
        model(WORDS)
    with pytest.raises(OutOfRangeError, match="lookup_table_v2"):
        model(np.array([[1, wrong]]))
    assert model(WORDS[:, :0]).shape == (2, 3)


KEPT = {
    "random": (lambda x: x + tg.rand([3]), "float32"),
    "a branch": (
        lambda x: tg.static.nn.cond(x.sum() > 0, lambda: x, lambda: -x),
        "float32",
    ),
    "no such op": (tg.digamma, "float32"),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_it_cannot_run_stays_with_the_plan(name: str, tmp_path: Path) -> None:
    function, dtype = KEPT[name]
    model = InferenceModel(of_function(function, tmp_path, dtype))
    for _ in range(3):
        assert model(np.ones((2, 3), dtype)).shape == (2, 3)
    assert model.predictor.executor == "plan"


def test_the_plan_stays_where_the_runtime_is_not_installed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    model = InferenceModel(path)
    expected = alone(path)(WORDS)
    for _ in range(3):
        np.testing.assert_array_equal(model(WORDS), expected)
    assert model.predictor.executor == "plan"


class Seen(Observer):
    """Remembers which operators ran."""

    def __init__(self) -> None:
        self.types: list[str] = []

    def run_op(self, operator: Any, _: Any) -> None:
        self.types.append(operator.type)


def test_whoever_watches_sees_the_plans_operators(path: Path) -> None:
    model, seen = InferenceModel(path), Seen()
    for _ in range(3):
        model(WORDS)
    with watch(seen):
        found = model(WORDS)
    assert "lookup_table_v2" in seen.types
    np.testing.assert_allclose(found, model(WORDS), rtol=1e-5, atol=1e-6)


def test_threads_may_come_at_any_time(path: Path) -> None:
    model, plan = InferenceModel(path), alone(path)
    asked = [(WORDS + shift) % 7 for shift in range(40)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(model, asked))
    for words, answer in zip(asked, found, strict=True):
        np.testing.assert_allclose(answer, plan(words), rtol=1e-5, atol=1e-6)
    assert model.predictor.executor == "onnxruntime"
