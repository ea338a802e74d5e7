"""1.x's initializers by 1.x's arguments, and nets that no program here uses."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph import fluid
from teachgraph.fluid import initializer


def values(start: Any, shape: list[int]) -> Any:
    """What a parameter starts as."""
    parameter = fluid.layers.create_parameter(
        shape, "float32", default_initializer=start
    )
    fluid.Executor(fluid.CPUPlace()).run(fluid.default_startup_program())
    return np.array(fluid.global_scope().find_var(parameter.name).get_tensor())


def test_a_normal_start_has_its_mean_and_deviation() -> None:
    found = values(initializer.NormalInitializer(loc=3.0, scale=0.5, seed=1), [50, 50])
    assert abs(found.mean() - 3.0) < 0.05
    assert abs(found.std() - 0.5) < 0.05
    cut = values(initializer.TruncatedNormal(3.0, 0.5, 1), [50, 50])
    assert np.abs(cut - 3.0).max() <= 1.0


def test_a_diagonal_stands_among_even_numbers() -> None:
    start = initializer.Uniform(2.0, 3.0, 0, diag_num=3, diag_step=4, diag_val=7.0)
    found = values(start, [3, 4])
    np.testing.assert_array_equal(np.diag(found), [7.0, 7.0, 7.0])
    rest = found[~np.eye(3, 4, dtype=bool)]
    assert 2.0 <= rest.min() <= rest.max() < 3.0


def test_a_constant_and_an_array_are_taken_as_they_are() -> None:
    constant = values(initializer.ConstantInitializer(2.0, force_cpu=True), [2])
    np.testing.assert_array_equal(constant, [2.0, 2.0])
    array = values(initializer.NumpyArrayInitializer(np.arange(3.0)), [3])
    np.testing.assert_array_equal(array, [0.0, 1.0, 2.0])


def test_attention_of_one_head_weighs_the_values() -> None:
    numbers = np.random.default_rng(0)
    feed = {
        name: numbers.normal(size=shape).astype("float32")
        for name, shape in {"q": (2, 3, 4), "k": (2, 5, 4), "v": (2, 5, 6)}.items()
    }
    given = [fluid.data(name, list(x.shape)) for name, x in feed.items()]
    out = fluid.nets.scaled_dot_product_attention(*given)
    (found,) = fluid.Executor().run(feed=feed, fetch_list=[out])
    scores = np.exp(feed["q"] @ feed["k"].transpose(0, 2, 1) / 2.0)
    expected = scores / scores.sum(-1, keepdims=True) @ feed["v"]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_attention_of_several_heads_projects_and_joins_them() -> None:
    queries = fluid.data("q", [2, 3, 4])
    out = fluid.nets.scaled_dot_product_attention(queries, queries, queries, 2, 0.1)
    assert list(out.shape) == [2, 3, 4]
    assert len(fluid.default_main_program().all_parameters()) == 6


def test_a_loader_gives_feeds_in_a_program_and_tensors_in_a_guard() -> None:
    rows = [(np.ones(2, "float32"), np.zeros(1, "int64"))] * 4
    x, y = fluid.data("x", [None, 2]), fluid.data("y", [None, 1], "int64")
    (feed,) = fluid.io.DataLoader(rows, feed_list=[x, y], batch_size=4)
    found = feed if isinstance(feed, dict) else feed[0]
    assert found["x"].shape == (4, 2)
    with fluid.dygraph.guard():
        ((image, label),) = fluid.io.DataLoader(rows, batch_size=4)
        assert (image.shape, label.shape) == ([4, 2], [4, 1])
