"""Functions whose numbers are Variables: gradients, unknown sizes, traces, files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import TeachgraphError

X = np.arange(6, dtype="float32").reshape(2, 3)


def test_gradients_pass_a_call_whose_numbers_come_late() -> None:
    x, n = static.data("x", [2, 3]), static.data("n", [1], "int32")
    x.stop_gradient = False
    y = tg.tile(x * x, [n, 1])
    (dx,) = static.gradients((y * y).sum(), x)
    for times in (1, 3, 3, 2):
        feed = {"x": X, "n": np.array([times], "int32")}
        got = static.Executor().run(feed=feed, fetch_list=[y, dx])
        np.testing.assert_array_equal(got[0], np.tile(X * X, (times, 1)))
        np.testing.assert_allclose(got[1], times * 4 * X**3)


def test_a_layer_follows_a_size_that_comes_late() -> None:
    x, n = static.data("x", [None, 4]), static.data("n", [1], "int32")
    y = static.nn.fc(tg.reshape(x, [n, 8]), 2)
    assert y.shape == (-1, 2)
    executor = static.Executor()
    executor.run(static.default_startup_program())
    feed = {"x": np.ones((6, 4), "float32"), "n": np.array([3], "int32")}
    assert executor.run(feed=feed, fetch_list=[y])[0].shape == (3, 2)


def test_trials_draw_no_random_numbers() -> None:
    tg.seed(5)
    static.data("n", [1], "int32")
    n = static.default_main_program().global_block().var("n")
    tg.randn([n, 2])
    assert tg.core.random.generator().random() == np.random.default_rng(5).random()


def test_an_unknown_number_of_sizes_is_refused() -> None:
    x, sizes = static.data("x", [2, 3]), static.data("sizes", [None], "int32")
    with pytest.raises(TeachgraphError, match="'sizes' holds an unknown number"):
        tg.reshape(x, sizes)


def test_numbers_that_fit_never_are_refused_as_the_function_refuses_them() -> None:
    x, n = static.data("x", [2, 3]), static.data("n", [1], "int32")
    with pytest.raises(TeachgraphError):
        tg.reshape(x, [n, 5])


def test_a_program_with_a_call_is_read_back() -> None:
    x, n = static.data("x", [2, 3]), static.data("n", [1], "int32")
    y = tg.topk(x, n)[0]
    main = static.default_main_program()
    again = static.Program.parse_from_string(main.desc.serialize_to_string())
    feed = {"x": X, "n": np.array([2], "int32")}
    (value,) = static.Executor().run(again, feed, [y.name])
    np.testing.assert_array_equal(value, [[2, 1], [5, 4]])


def test_traced_functions_take_sizes_from_tensors() -> None:
    tg.disable_static()

    @tg.jit.to_static
    def function(x: Any, n: Any) -> Any:
        if n > 1:  # noqa: SIM108
            y = tg.tile(x, [n, 1])
        else:
            y = tg.reshape(x, [x.shape[1] * n, x.shape[0]])
        return y * x.sum()

    for times in (1, 2, 3):
        x = tg.to_tensor(X, stop_gradient=False)
        y = function(x, tg.to_tensor(times))
        y.sum().backward()
        expected = np.tile(X, (times, 1)) if times > 1 else X.reshape(3, 2)
        np.testing.assert_allclose(y.numpy(), expected * 15)
        np.testing.assert_allclose(x.grad.numpy(), np.full((2, 3), 30.0 * times))
