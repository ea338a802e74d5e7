"""Loaders that feed a program by themselves, values for feeds: as in Paddle 1.8.5."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from teachgraph import fluid
from teachgraph.core.errors import ModeError, NotInitializedError
from teachgraph.errors import DataError
from teachgraph.nn import Layer


def rows(count: int) -> Iterator[Any]:
    yield from (np.full(2, i, "float32") for i in range(count))


def in_batches(loader: Any) -> None:
    loader.set_batch_generator(lambda: ([np.stack([x, x])] for x in rows(3)))


def in_lists(loader: Any) -> None:
    loader.set_sample_list_generator(lambda: ([(x,), (x,)] for x in rows(3)))


def in_samples(loader: Any) -> None:
    loader.set_sample_generator(lambda: ((x,) for x in rows(5)), batch_size=2)


def by_py_reader(loader: Any) -> None:
    loader.decorate_sample_list_generator(lambda: ([(x,), (x,)] for x in rows(3)))


SETTERS = [
    (in_batches, [0.0, 4.0, 8.0]),
    (in_lists, [0.0, 4.0, 8.0]),
    (in_samples, [2.0, 10.0]),
    (by_py_reader, [0.0, 4.0, 8.0]),
]


@pytest.mark.parametrize(("fill", "sums"), SETTERS, ids=lambda value: str(value)[:14])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_started_loader_feeds_the_program(
    fill: Callable[[Any], None], sums: list[float], compiled: bool
) -> None:
    x = fluid.data("x", [None, 2], "float32")
    if fill is by_py_reader:
        loader: Any = fluid.io.PyReader([x], capacity=4, iterable=False)
    else:
        loader = fluid.io.DataLoader.from_generator([x], capacity=4, iterable=False)
    total = fluid.layers.reduce_sum(x)
    fill(loader)
    executor = fluid.Executor(fluid.CPUPlace())
    program: Any = fluid.default_main_program()
    if compiled:
        program = fluid.CompiledProgram(program)
    for _ in range(2):
        loader.start()
        seen = []
        for _ in sums:
            (value,) = executor.run(program, fetch_list=[total])
            seen.append(value.item())
        with pytest.raises(fluid.core.EOFException, match=r"reset\(\) it"):
            executor.run(program, fetch_list=[total])
        assert seen == sums
        loader.reset()
    loader.start()
    assert executor.run(program, fetch_list=[total])[0].item() == sums[0]
    loader.reset()
    with pytest.raises(ModeError, match=r"start\(\) the DataLoader"):
        executor.run(program, fetch_list=[total])


def test_a_loader_is_either_iterable_or_started() -> None:
    x = fluid.data("x", [None, 2], "float32")
    loader = fluid.io.DataLoader.from_generator([x], iterable=False)
    with pytest.raises(DataError, match="set a generator first"):
        loader.start()
    in_batches(loader)
    for use in (iter, lambda one: one()):
        with pytest.raises(ModeError, match="is not iterable"):
            use(loader)
    with pytest.raises(ModeError, match="not started"):
        fluid.io.DataLoader.from_generator([x]).start()
    other = fluid.Program()
    with fluid.program_guard(other):
        y = fluid.data("y", [2], "float32") * 2.0
    feed = {"y": np.ones(2, "float32")}
    (value,) = fluid.Executor().run(other, feed=feed, fetch_list=[y])
    assert value.tolist() == [2.0, 2.0]


def test_a_loader_hides_no_error_of_other_runs() -> None:
    x = fluid.data("x", [None, 2], "float32")
    fluid.io.DataLoader.from_generator([x], iterable=False)
    executor: Any = fluid.Executor()
    with pytest.raises(TypeError, match="Executor requires Program"):
        executor.run("main")
    with pytest.raises(TypeError, match="feed requires dict as its Parameter"):
        executor.run(feed="x", fetch_list=[x * 2.0])


def test_a_value_is_set_fed_and_read() -> None:
    value = fluid.Tensor()
    assert value.shape() == [0]
    assert not value._is_initialized()
    with pytest.raises(NotInitializedError, match="has no value"):
        np.array(value)
    array = np.ones((2, 3), "float32")
    value.set(array, fluid.CPUPlace())
    array[:] = 5.0
    assert (value.shape(), value.lod(), np.array(value).sum()) == ([2, 3], [], 6.0)
    assert value.recursive_sequence_lengths() == []
    with pytest.raises(ModeError, match="no levels of detail"):
        value.set_lod([[0, 2]])
    y = fluid.data("x", [2, 3]) * 2.0
    (found,) = fluid.Executor().run(feed={"x": value}, fetch_list=[y])
    assert found.tolist() == [[2.0] * 3] * 2
    assert fluid.LoDTensor is fluid.Tensor


def test_what_is_not_asked_for_as_an_array_can_be_fed_again() -> None:
    y = fluid.data("x", [2, 3]) * 2.0
    exe, feed = fluid.Executor(), {"x": np.ones((2, 3), "float32")}
    (found,) = exe.run(feed=feed, fetch_list=[y], return_numpy=False)
    assert type(found) is fluid.LoDTensor
    assert (found.shape(), found.lod(), np.array(found).tolist()) == (
        [2, 3],
        [],
        [[2.0] * 3] * 2,
    )
    (again,) = exe.run(feed={"x": found}, fetch_list=[y])
    assert again.tolist() == [[4.0] * 3] * 2


def test_layers_of_dygraph_are_names_of_fluid() -> None:
    assert fluid.Layer is Layer
    names = "Conv2D Embedding GRUUnit LayerNorm Linear Pool2D BatchNorm Dropout L1Loss"
    for name in names.split():
        assert getattr(fluid, name) is getattr(fluid.dygraph, name)
    with pytest.raises(ImportError, match=r"which paddle\.fluid has: `teachgr"):
        from teachgraph.fluid import profiler  # noqa: F401


def test_a_plain_layer_makes_parameters() -> None:
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Layer("my")
        weight, bias = (
            layer.create_parameter([2, 3]),
            layer.create_parameter([3], is_bias=True),
        )
        assert [weight.name, bias.name] == ["my_0.w_0", "my_0.b_0"]
        assert (weight.shape, bias.tolist()) == ([2, 3], [0.0, 0.0, 0.0])
        two = fluid.initializer.Constant(2.0)
        named = fluid.dygraph.Layer().create_parameter(
            attr=fluid.ParamAttr(name="W"), shape=[2], default_initializer=two
        )
        assert (named.name, named.tolist()) == ("W", [2.0, 2.0])


def test_clips_of_1_8_keep_pairs_where_none_is_clipped() -> None:
    with fluid.dygraph.guard():
        a, b, g = (fluid.dygraph.to_variable(np.array([v])) for v in (1.0, 2.0, 3.0))
        kept = {}
        for name in ("Value", "Norm", "GlobalNorm"):
            kind = getattr(fluid.clip, f"GradientClipBy{name}")
            left = kind(1.0, need_clip=lambda p: False)([(a, g), (b, None)])
            kept[name] = [len(left), len(kind(1.0)([(b, None)]))]
            assert len(kind(1.0)([(a, g), (b, None)])) == 1
        assert kept == {"Value": [1, 0], "Norm": [1, 0], "GlobalNorm": [2, 1]}


def test_a_dataset_of_1x_is_loaded_in_batches() -> None:
    class Numbers(fluid.io.Dataset):
        def __getitem__(self, i: int) -> Any:
            return np.full(2, i, "float32"), np.array([i])

        def __len__(self) -> int:
            return 5

    batches = fluid.io.BatchSampler(Numbers(), batch_size=2, drop_last=True)
    with fluid.dygraph.guard():
        loader = fluid.io.DataLoader(Numbers(), batch_sampler=batches, return_list=True)
        found = [label.numpy().tolist() for _, label in loader]
    assert found == [[[0], [1]], [[2], [3]]]
