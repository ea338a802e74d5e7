"""Programs and models on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import (
    InvalidValueError,
    NotInitializedError,
    ProgramError,
    ShapeError,
)
from teachgraph.errors import DataError
from teachgraph.planning.executor import Executor
from teachgraph.static.scope import Scope, global_scope, scope_guard
from tests.static.fresh import Fresh, fresh

X = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)
L = np.array([[0], [2]])


def network() -> tuple[Any, Any, Any, Any]:
    """Input, label, prediction and loss of a small classifier with all kinds of ops."""
    x, label = static.data("x", [None, 4]), static.data("label", [None, 1], "int64")
    hidden = tg.nn.BatchNorm1D(5)(static.nn.fc(x, 5, activation="relu"))
    dropped = tg.nn.functional.dropout(hidden, 0.5)
    prediction = static.nn.fc(dropped, 3, activation="softmax")
    loss = tg.mean(-tg.log(prediction) * tg.cast(label, "float32"))
    tg.optimizer.Adam(0.1).minimize(loss)
    return x, label, prediction, loss


def trained(programs: Fresh) -> tuple[Any, Any, Any, Any]:
    built = network()
    programs.startup.random_seed = programs.main.random_seed = 3
    executor = Executor()
    executor.run(programs.startup)
    for _ in range(2):
        executor.run(programs.main, {"x": X, "label": L}, [built[-1]])
    return built


def losses(program: Any, loss: Any) -> list[float]:
    feed = {"x": X, "label": L}
    return [Executor().run(program, feed, [loss])[0].item() for _ in range(3)]


def test_training_goes_on_from_what_was_saved(programs: Fresh, tmp_path: Path) -> None:
    *_, loss = trained(programs)
    static.save(programs.main, tmp_path / "run" / "model.v1")
    suffixes = {p.name for p in (tmp_path / "run").iterdir()}
    assert suffixes == {"model.v1.pdparams", "model.v1.pdopt", "model.v1.pdmodel"}
    went_on = losses(programs.main, loss)
    with scope_guard(Scope()):
        static.load(programs.main, tmp_path / "run" / "model.v1")
        assert losses(programs.main, loss) == went_on


def test_the_saved_program_itself_can_be_read(programs: Fresh, tmp_path: Path) -> None:
    trained(programs)
    static.save(programs.main, tmp_path / "m")
    content = static.load_from_file(tmp_path / "m.pdmodel")
    assert str(static.Program.parse_from_string(content)) == str(programs.main)


def test_parameters_and_what_the_optimizer_remembers_are_apart(
    programs: Fresh, tmp_path: Path
) -> None:
    trained(programs)
    static.save(programs.main, tmp_path / "m")
    parameters = tg.load(tmp_path / "m.pdparams")
    assert set(parameters) == {p.name for p in programs.main.all_parameters()}
    others = tg.load(tmp_path / "m.pdopt")
    assert "learning_rate_0" in others
    assert "fc_0.w_0_moment1_0" in others
    assert set(others).isdisjoint(parameters)


def test_a_state_is_read_as_arrays_and_put_back(
    programs: Fresh, tmp_path: Path
) -> None:
    trained(programs)
    static.save(programs.main, tmp_path / "m")
    state = static.load_program_state(tmp_path / "m")
    assert set(state) == set(programs.main.state_dict())
    weight = programs.main.all_parameters()[0]
    assert set(static.load_program_state(tmp_path / "m", [weight])) == {weight.name}
    state = {name: array + 1 for name, array in state.items()} | {"stranger": X}
    static.set_program_state(programs.main, state)
    found = np.array(global_scope().find_var(weight.name).get_tensor())
    np.testing.assert_array_equal(found, state[weight.name])
    assert global_scope().find_var("stranger") is None


def test_a_state_is_of_parameters_of_the_rest_or_of_both(programs: Fresh) -> None:
    trained(programs)
    whole, own, rest = (programs.main.state_dict(m) for m in ("all", "param", "opt"))
    assert {**own, **rest}.keys() == whole.keys()
    assert set(own) == {p.name for p in programs.main.all_parameters()}
    scope = Scope()
    programs.main.set_state_dict(whole, scope)
    for name, tensor in whole.items():
        np.testing.assert_array_equal(scope.values[name], tensor.numpy())
    with pytest.raises(InvalidValueError, match="mode is one of all, param, opt"):
        programs.main.state_dict("most")


def test_a_state_that_does_not_fit_changes_nothing(programs: Fresh) -> None:
    trained(programs)
    state = programs.main.state_dict()
    wrong = {name: t + 1 for name, t in state.items() if str(t.dtype) == "float32"}
    wrong["fc_1.b_0"] = np.zeros(7, "float32")
    with pytest.raises(ShapeError, match=r"Shape not matching.*\[ fc_1.b_0 \]"):
        programs.main.set_state_dict(wrong)
    for name, tensor in programs.main.state_dict().items():
        np.testing.assert_array_equal(tensor.numpy(), state[name].numpy())
    with pytest.raises(TypeError, match="a state is a dict"):
        programs.main.set_state_dict([1])


@pytest.mark.parametrize("path", ["", "folder/"])
def test_a_path_without_a_name_is_refused(path: str, programs: Fresh) -> None:
    with pytest.raises(InvalidValueError, match="MUST be format of dirname/filename"):
        static.save(programs.main, path)
    with pytest.raises(InvalidValueError, match="MUST be format of dirname/filename"):
        static.load(programs.main, path)


def test_what_is_not_there_cannot_be_loaded(programs: Fresh, tmp_path: Path) -> None:
    network()
    with pytest.raises(InvalidValueError, match="to load model not exists"):
        static.load(programs.main, tmp_path / "nothing")
    tg.save({"other": X}, tmp_path / "m.pdparams")
    with pytest.raises(DataError, match=r"Can not find .*'fc_0.w_0'"):
        static.load(programs.main, tmp_path / "m")
    tg.save([X], tmp_path / "m.pdparams")
    with pytest.raises(DataError, match="holds no arrays by name"):
        static.load(programs.main, tmp_path / "m")


def test_before_startup_there_is_nothing_to_save(
    programs: Fresh, tmp_path: Path
) -> None:
    x, _, prediction, _ = network()
    for save in (
        lambda: static.save(programs.main, tmp_path / "m"),
        lambda: static.save_inference_model(
            tmp_path / "m", [x], [prediction], Executor()
        ),
    ):
        with pytest.raises(NotInitializedError, match="w_0 has no value"):
            save()
    assert list(tmp_path.iterdir()) == []


def test_a_model_for_use_answers_as_the_test_clone_does(
    programs: Fresh, tmp_path: Path
) -> None:
    x, _, prediction, _ = trained(programs)
    prefix = str(tmp_path / "models" / "classifier")
    executor = Executor()
    static.save_inference_model(prefix, [x], prediction, executor)
    test = programs.main.clone(for_test=True)
    (wanted,) = executor.run(test, {"x": X, "label": L}, [prediction])
    with fresh():
        program, feeds, fetches = static.load_inference_model(prefix, executor)
        (found,) = executor.run(program, {feeds[0]: X}, fetches)
    np.testing.assert_array_equal(found, wanted)
    assert feeds == ["x"]


def test_a_model_for_use_has_only_what_it_needs(
    programs: Fresh, tmp_path: Path
) -> None:
    x, _, prediction, _ = trained(programs)
    static.save_inference_model(tmp_path / "m", [x], [prediction], Executor())
    program, _, _ = static.load_inference_model(tmp_path / "m", Executor())
    ops = program.global_block().ops
    assert [op.type for op in ops] == [
        "mul",
        "elementwise_add",
        "relu",
        "batch_norm",
        "dropout",
        "mul",
        "elementwise_add",
        "softmax",
    ]
    assert all(op.attr("is_test") for op in ops if op.has_attr("is_test"))
    assert set(tg.load(tmp_path / "m.pdiparams")) == {
        v.name for v in program.list_vars() if v.persistable
    }
    assert not program.global_block().has_var("label")


def test_a_value_in_the_middle_can_be_what_is_fed(
    programs: Fresh, tmp_path: Path
) -> None:
    _, _, prediction, _ = trained(programs)
    hidden = programs.main.global_block().var("fc_1.tmp_1")
    static.save_inference_model(tmp_path / "m", [hidden], [prediction], Executor())
    program, feeds, fetches = static.load_inference_model(tmp_path / "m", Executor())
    (found,) = Executor().run(program, {feeds[0]: np.zeros((1, 3), "float32")}, fetches)
    np.testing.assert_allclose(found, [[1 / 3, 1 / 3, 1 / 3]], rtol=1e-6)


def test_a_model_travels_as_bytes(programs: Fresh, tmp_path: Path) -> None:
    x, _, prediction, _ = trained(programs)
    model = static.serialize_program([x], [prediction])
    values = static.serialize_persistables([x], [prediction], Executor())
    static.save_to_file(tmp_path / "model", model)
    test = programs.main.clone(for_test=True)
    (wanted,) = Executor().run(test, {"x": X, "label": L}, [prediction])
    with fresh():
        program = static.deserialize_program(static.load_from_file(tmp_path / "model"))
        static.deserialize_persistables(program, values, Executor())
        (found,) = Executor().run(program, {"x": X}, [prediction.name])
    np.testing.assert_array_equal(found, wanted)
    with pytest.raises(InvalidValueError, match="'content' type should be bytes"):
        static.save_to_file(tmp_path / "model", "text")
    with pytest.raises(DataError, match="the bytes"):
        static.deserialize_persistables(program, values[:50], Executor())


def test_feeds_and_fetches_are_variables_that_belong_together(
    programs: Fresh, tmp_path: Path
) -> None:
    x, label, prediction, _ = trained(programs)

    def saved(feeds: Any, fetches: Any, path: Any = tmp_path / "m") -> None:
        static.save_inference_model(path, feeds, fetches, Executor())

    with pytest.raises(InvalidValueError, match="'feed_vars' should be a Variable"):
        saved(["x"], [prediction])
    with pytest.raises(InvalidValueError, match="'fetch_vars' should be a Variable"):
        saved([x], [])
    with pytest.raises(
        InvalidValueError, match=r"feeded_var_names\[1\]: 'label' doesn't exist"
    ):
        saved([x, label], [prediction])
    with pytest.raises(InvalidValueError, match="should not be a directory"):
        saved([x], [prediction], tmp_path)
    with pytest.raises(InvalidValueError, match="'path_prefix' should be a string"):
        saved([x], [prediction], 3)
    with pytest.raises(TypeError, match="program type must be"):
        static.normalize_program("main", [x], [prediction])
    with fresh(), pytest.raises(ProgramError, match="no targets of this program"):
        static.normalize_program(static.Program(), [], [prediction])


def test_a_model_that_is_not_there_or_damaged_is_refused(
    programs: Fresh, tmp_path: Path
) -> None:
    x, _, prediction, _ = trained(programs)
    with pytest.raises(FileNotFoundError, match=r"there is no .*m.pdmodel"):
        static.load_inference_model(tmp_path / "m", Executor())
    static.save_inference_model(tmp_path / "m", [x], [prediction], Executor())
    model = (tmp_path / "m.pdmodel").read_bytes()
    for old, new, message in (
        (b'"teachgraph.model"', b'"onnx"', r"^.format: 'teachgraph.model' was"),
        (b'"fetches"', b'"fetch"', "there is no 'fetches'"),
        (prediction.name.encode(), b"nowhere", r"^.program.*|^.fetches\[0\]: no var"),
        (b'"softmax"', b'"system"', r"^.program.blocks\[0\].ops\[7\].type: Operator"),
    ):
        (tmp_path / "m.pdmodel").write_bytes(model.replace(old, new, 1))
        with pytest.raises(DataError, match=message):
            static.load_inference_model(tmp_path / "m", Executor())
    (tmp_path / "m.pdmodel").write_bytes(model)
    tg.save({"fc_0.w_0": X}, tmp_path / "m.pdiparams")
    with pytest.raises(DataError, match=r"m.pdiparams lacks .*'fc_0.b_0'"):
        static.load_inference_model(tmp_path / "m", Executor())


def test_a_model_that_calls_python_is_refused_with_the_line(
    programs: Fresh, tmp_path: Path
) -> None:
    x = static.data("x", [2, 4])
    out = programs.main.global_block().create_var("out", [2, 4], "float32")
    static.py_func(lambda a: a, x, out)
    with pytest.raises(ProgramError, match=r"(?s)py_func.*test_saving\.py"):
        static.save_inference_model(tmp_path / "m", [x], [out], Executor())
    assert list(tmp_path.iterdir()) == []
