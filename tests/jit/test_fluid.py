"""Paddle 1.x's words: `@declarative` and the `ProgramTranslator`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teachgraph import fluid
from teachgraph.core.errors import InvalidValueError


@fluid.dygraph.declarative
def doubled(x: Any) -> Any:
    if x.sum() > 0:
        return x * 2, x
    return x, x * 2


def test_it_runs_as_a_program_in_imperative_mode() -> None:
    with fluid.enable_imperative():
        x = fluid.dygraph.to_variable(np.array([1.0, 2.0], "float32"))
        assert doubled(x)[0].tolist() == [2.0, 4.0]


def test_the_translator_shows_code_program_and_output() -> None:
    def half(x: Any) -> Any:
        return x / 2 if x.sum() > 0 else x

    translator = fluid.dygraph.ProgramTranslator()
    assert translator is fluid.dygraph.ProgramTranslator.get_instance()
    x = np.array([4.0], "float32")
    with fluid.dygraph.guard():
        assert translator.get_output(half, x).tolist() == [2.0]
        main, startup, inputs, outputs = translator.get_program(half, x)
        assert "convert_ternary" in translator.get_code(half)
        assert translator.get_func(half)(x).tolist() == [2.0]
        _, (last, run) = translator.get_program_cache().last()
        assert last.main_program is main
        assert run([fluid.dygraph.to_variable(x)]).tolist() == [2.0]
    assert [v.name for v in inputs] == ["x"]
    assert len(outputs) == 1
    assert not startup.global_block().ops


def test_after_enable_false_everything_runs_op_by_op_with_a_warning() -> None:
    def half(x: Any) -> Any:
        return x / 2 if x.sum() > 0 else x

    translator = fluid.dygraph.ProgramTranslator()
    x = np.array([4.0], "float32")
    translator.enable(False)
    try:
        with fluid.dygraph.guard():
            given = fluid.dygraph.to_variable(x)
            with pytest.warns(UserWarning, match="get_program doesn't work"):
                assert translator.get_program(half, given).tolist() == [2.0]
            with pytest.warns(UserWarning, match="get_output doesn't work"):
                assert translator.get_output(half, given).tolist() == [2.0]
            with pytest.warns(UserWarning, match="get_func doesn't work"):
                assert translator.get_func(half) is half
        assert "convert_ternary" in translator.get_code(half)
    finally:
        translator.reset()
    assert fluid.dygraph.ProgramTranslator() is not translator


def test_what_ran_last_is_saved_and_runs_again(tmp_path: Path) -> None:
    class Net(fluid.dygraph.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.fc = fluid.dygraph.Linear(2, 3)

        @fluid.dygraph.declarative
        def forward(self, x: Any) -> Any:
            y = self.fc(x)
            return y, y.sum()

    x = np.array([[1.0, 2.0]], "float32")
    translator = fluid.dygraph.ProgramTranslator()
    with fluid.enable_imperative():
        net = Net()
        wanted = net(fluid.dygraph.to_variable(x))[0].numpy()
        translator.save_inference_model(tmp_path / "net", fetch=[0])
        with pytest.raises(InvalidValueError, match="from 0 to 1"):
            translator.save_inference_model(tmp_path / "net", fetch=[2])
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        executor = fluid.Executor(fluid.CPUPlace())
        program, feeds, fetches = fluid.io.load_inference_model(
            str(tmp_path / "net"), executor
        )
        found = executor.run(program, {feeds[0]: x}, fetches)
    np.testing.assert_allclose(found[0], wanted, rtol=1e-6)


class Half(fluid.dygraph.Layer):
    """What 1.x's tutorials train."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = fluid.dygraph.Linear(2, 1)

    @fluid.dygraph.jit.declarative
    def forward(self, x: Any) -> Any:
        y = self.linear(x)
        if fluid.layers.mean(y) < 0:
            y = y * 2
        return y


def test_what_the_translator_saves_takes_batches_of_any_size(tmp_path: Path) -> None:
    with fluid.dygraph.guard():
        net = Half()
        net(fluid.dygraph.to_variable(np.ones((4, 2), "float32")))
        translator = fluid.dygraph.dygraph_to_static.ProgramTranslator()
        translator.save_inference_model(tmp_path, fetch=[0])
        x = np.array([[1.0, 2.0]], "float32")
        wanted = net(fluid.dygraph.to_variable(x)).numpy()
    executor = fluid.Executor(fluid.CPUPlace())
    program, feeds, fetches = fluid.io.load_inference_model(tmp_path, executor)
    found = executor.run(program, feed={feeds[0]: x}, fetch_list=fetches)
    np.testing.assert_allclose(found[0], wanted, rtol=1e-6)


def test_an_empty_state_does_not_replace_that_of_a_layer(tmp_path: Path) -> None:
    with fluid.dygraph.guard():
        net = Half()
        for parameter in net.parameters():
            parameter.stop_gradient = True
        fluid.save_dygraph(net.state_dict(), tmp_path / "net")
        with pytest.raises(InvalidValueError, match="state_dict is empty"):
            fluid.save_dygraph({}, tmp_path / "net")
        layer, optimizer = fluid.load_dygraph(tmp_path / "net")
    assert layer.keys() == net.state_dict().keys()
    assert optimizer is None
