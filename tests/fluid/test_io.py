"""1.x's files: variables and models in folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teachgraph import fluid
from teachgraph.core.errors import InvalidValueError, NotInitializedError, ProgramError
from teachgraph.errors import DataError
from teachgraph.fluid import layers
from tests.static.fresh import fresh

X = np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3)


def trained(started: bool = True) -> tuple[Any, Any]:
    """Prediction and loss of one layer, after a step."""
    x = layers.data("x", [3])
    prediction = layers.fc(x, 2, act="tanh", param_attr=fluid.ParamAttr(name="a/../w"))
    loss = layers.mean(prediction)
    fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
    if started:
        executor = fluid.Executor()
        executor.run(fluid.default_startup_program())
        executor.run(feed={"x": X}, fetch_list=[loss])
    return prediction, loss


def values() -> dict[str, list[Any]]:
    kept = fluid.io.get_program_persistable_vars(fluid.default_main_program())
    scope = fluid.global_scope()
    return {
        v.name: np.array(scope.find_var(v.name).get_tensor()).tolist() for v in kept
    }


@pytest.mark.parametrize("filename", [None, "all"])
def test_all_that_outlives_a_run_is_written_and_read(
    filename: str | None, tmp_path: Path
) -> None:
    _, loss = trained()
    executor = fluid.Executor()
    fluid.io.save_persistables(executor, tmp_path / "m", filename=filename)
    written = values()
    assert len(written) == 5
    assert len(list((tmp_path / "m").iterdir())) == (5 if filename is None else 1)
    executor.run(feed={"x": X}, fetch_list=[loss])
    assert values() != written
    fluid.io.load_persistables(executor, tmp_path / "m", filename=filename)
    assert values() == written
    assert list(tmp_path.iterdir()) == [tmp_path / "m"]


def test_parameters_alone_are_written_and_read(tmp_path: Path) -> None:
    _, loss = trained()
    executor = fluid.Executor()
    fluid.io.save_params(executor, tmp_path)
    before = values()
    executor.run(feed={"x": X}, fetch_list=[loss])
    fluid.io.load_params(executor, tmp_path)
    names = {
        p.name for p in fluid.io.get_program_parameter(fluid.default_main_program())
    }
    after = values()
    assert {name for name in after if after[name] == before[name]} == {
        *names,
        "learning_rate_0",
    }


def test_some_variables_are_written_by_name_or_by_what_they_are(tmp_path: Path) -> None:
    trained()
    executor = fluid.Executor()
    fluid.io.save_vars(executor, tmp_path / "a", vars=["fc_0.b_0"])
    fluid.io.save_vars(executor, tmp_path / "b", predicate=lambda v: "rate" in v.name)
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["fc_0.b_0"]
    assert [p.name for p in (tmp_path / "b").iterdir()] == ["learning_rate_0"]
    with pytest.raises(ProgramError, match="var nowhere not in this block"):
        fluid.io.save_vars(executor, tmp_path, vars=["nowhere"])


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    trained(started=False)
    executor = fluid.Executor()
    with pytest.raises(NotInitializedError, match="has no value"):
        fluid.io.save_params(executor, tmp_path / "m")
    assert not (tmp_path / "m").exists()
    with pytest.raises(InvalidValueError, match="to load model not exists"):
        fluid.io.load_params(executor, tmp_path)
    executor.run(fluid.default_startup_program())
    fluid.io.save_params(executor, tmp_path, filename="m")
    with pytest.raises(DataError, match="lacks"):
        fluid.io.load_persistables(executor, tmp_path, filename="m")


@pytest.mark.parametrize("params_filename", [None, "weights"])
def test_a_model_for_use_answers_as_it_did(
    params_filename: str | None, tmp_path: Path
) -> None:
    prediction, _ = trained()
    executor = fluid.Executor()
    fetched = fluid.io.save_inference_model(
        tmp_path, ["x"], [prediction], executor, params_filename=params_filename
    )
    assert fetched == [prediction.name]
    test = fluid.default_main_program().clone(for_test=True)
    (wanted,) = executor.run(test, {"x": X}, [prediction])
    with fresh():
        program, feeds, fetches = fluid.io.load_inference_model(
            tmp_path, executor, params_filename=params_filename
        )
        (found,) = executor.run(program, {feeds[0]: X}, fetches)
    np.testing.assert_array_equal(found, wanted)
    files = 2 if params_filename else 3
    assert len(list(tmp_path.iterdir())) == files


def test_a_model_is_asked_for_by_names_and_variables(tmp_path: Path) -> None:
    prediction, loss = trained()
    executor = fluid.Executor()
    with pytest.raises(InvalidValueError, match="should be a list of str"):
        fluid.io.save_inference_model(tmp_path, [prediction], [prediction], executor)
    with pytest.raises(InvalidValueError, match="'target_vars' should be a Variable"):
        fluid.io.save_inference_model(tmp_path, ["x"], ["y"], executor)
    with pytest.raises(ProgramError, match="var z not in this block"):
        fluid.io.save_inference_model(tmp_path, ["z"], [loss], executor)
    with pytest.raises(InvalidValueError, match="There is no model in"):
        fluid.io.load_inference_model(tmp_path, executor)
    fluid.io.save_inference_model(tmp_path, "x", loss, executor, program_only=True)
    assert [p.name for p in tmp_path.iterdir()] == ["__model__"]
    with pytest.raises(InvalidValueError, match="to load model not exists"):
        fluid.io.load_inference_model(tmp_path, executor)


def test_a_program_and_its_values_are_saved_in_the_new_way_too(tmp_path: Path) -> None:
    _, loss = trained()
    fluid.save(fluid.default_main_program(), tmp_path / "m")
    before = values()
    fluid.Executor().run(feed={"x": X}, fetch_list=[loss])
    fluid.load(fluid.default_main_program(), tmp_path / "m")
    assert values() == before


def test_a_rate_set_as_an_array_of_one_is_saved_and_loaded(tmp_path: Path) -> None:
    fluid.optimizer.SGD(0.5).minimize(
        fluid.layers.mean(fluid.layers.fc(fluid.data("x", [1, 2]), 1))
    )
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    rate = fluid.global_scope().find_var("learning_rate_0").get_tensor()
    rate.set(np.array([0.25], "float32"), fluid.CPUPlace())
    fluid.io.save_persistables(exe, str(tmp_path))
    rate.set(np.array([0.75], "float32"), fluid.CPUPlace())
    fluid.io.load_persistables(exe, str(tmp_path))
    assert float(np.array(rate)) == 0.25


@pytest.mark.parametrize("filename", [None, "all"])
def test_a_state_is_read_from_what_save_params_wrote(
    tmp_path: Path, filename: str | None
) -> None:
    with fluid.unique_name.guard():
        fluid.layers.fc(fluid.data("x", [1, 2]), 1, param_attr="part/w")
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    fluid.io.save_params(exe, str(tmp_path / "net"), filename=filename)
    path = tmp_path / "net" / filename if filename else tmp_path / "net"
    state = fluid.io.load_program_state(str(path))
    assert {name: value.shape for name, value in state.items()} == {
        "part/w": (2, 1),
        "fc_0.b_0": (1,),
    }
    fluid.io.set_program_state(fluid.default_main_program(), state)
