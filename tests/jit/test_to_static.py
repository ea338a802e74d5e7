"""What a StaticFunction is to its user: programs, caches, modes, layers, switches."""

from __future__ import annotations

import copy
import gc
import linecache
import threading
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, nn, static
from teachgraph.core.errors import InvalidValueError, ModeError, ShapeError
from teachgraph.errors import ConversionError
from teachgraph.static import InputSpec
from teachgraph.utils.observe import Observer, watch


def tensor(*values: float, grad: bool = True) -> tg.Tensor:
    return tg.to_tensor(np.array(values, "float64"), stop_gradient=not grad)


@jit.to_static
def scaled(x: Any, by: Any = 2.0, *, add: Any = 0.0) -> Any:
    if x.sum() > 0:
        return x * by + add
    return x - by


class Gate(nn.Layer):
    """A layer with a branch, dropout and running statistics."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1D(3)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: Any) -> Any:
        y = self.norm(self.linear(x))
        if y.sum() > 0:
            y = y * 2
        return self.dropout(y)


def batch(rows: int = 4) -> tg.Tensor:
    values = np.random.default_rng(rows).normal(size=(rows, 3))
    return tg.to_tensor(values.astype("float32"))


def test_arguments_of_one_kind_share_a_program() -> None:
    function = jit.to_static(scaled.dygraph_function)
    for x in (tensor(1.0, 2.0), tensor(-1.0, 5.0), np.array([3.0, 4.0])):
        function(x)
    assert len(function.program_cache) == 1
    function(tensor(1.0, 2.0), 2.0)
    function(tensor(1.0, 2.0), by=2.0, add=0.0)
    assert len(function.program_cache) == 1
    function(tensor(1.0, 2.0), 3.0)
    function(tensor(1.0, 2.0, 3.0))
    function(tensor(1.0, 2.0).astype("float32"))
    function(tensor(1.0, 2.0), tensor(2.0))
    assert len(function.program_cache) == 5


def test_an_input_spec_lets_sizes_differ() -> None:
    spec = [InputSpec([None, 3], "float32", "rows")]
    net = jit.to_static(nn.Linear(3, 2), input_spec=spec)
    for rows in (1, 4, 7):
        assert net(batch(rows)).shape == [rows, 2]
    assert len(net.forward.program_cache) == 1
    assert net.forward.inputs[0].name == "rows"
    assert net.forward.inputs[0].shape == (-1, 3)
    with pytest.raises(ShapeError, match="matmul_v2"):
        net(tg.ones([2, 4]))


def test_a_spec_makes_the_program_before_any_call() -> None:
    function = jit.to_static(
        scaled.dygraph_function, input_spec=[InputSpec([None], "float32", "x")]
    )
    assert [v.name for v in function.inputs] == ["x"]
    assert [op.type for op in function.main_program.global_block().ops][:1] == [
        "reduce_sum"
    ]
    with pytest.raises(InvalidValueError, match="input_spec"):
        jit.to_static(scaled.dygraph_function).main_program  # noqa: B018
    with pytest.raises(TypeError, match="tuple, list"):
        jit.to_static(lambda x: x, input_spec=InputSpec([1]))(tensor(1.0))
    too_many = [InputSpec([1])] * 4
    with pytest.raises(InvalidValueError, match=r"len\(InputSpec\): 4"):
        jit.to_static(scaled.dygraph_function, input_spec=too_many)(tensor(1.0))


def test_training_and_evaluation_are_programs_of_their_own() -> None:
    tg.seed(0)
    net = jit.to_static(Gate())
    with tg.no_grad():
        trained = net(batch()).numpy()
        assert (trained == 0.0).any()
        net.eval()
        assert not (net(batch()).numpy() == 0.0).any()
        net.train()
        net(batch())
        assert len(net.forward.program_cache) == 2
        net.dropout.eval()
        assert not (net(batch()).numpy() == 0.0).any()
    assert len(net.forward.program_cache) == 3


def test_running_statistics_move_as_they_do_op_by_op() -> None:
    tg.seed(0)
    plain = Gate()
    tg.seed(0)
    net = jit.to_static(Gate())
    for _ in range(3):
        plain(batch())
        net(batch())
    np.testing.assert_allclose(plain.norm._mean.numpy(), net.norm._mean.numpy())
    np.testing.assert_allclose(plain.norm._variance.numpy(), net.norm._variance.numpy())


def test_weights_can_be_frozen_and_unfrozen() -> None:
    net = jit.to_static(nn.Linear(3, 2))
    net.weight.stop_gradient = True
    net(batch()).sum().backward()
    assert net.weight.grad is None
    assert net.bias.grad.tolist() == [4.0, 4.0]
    net.weight.stop_gradient = False
    net(batch()).sum().backward()
    np.testing.assert_allclose(
        net.weight.grad.numpy(), np.tile(batch().numpy().sum(0)[:, None], 2), rtol=1e-6
    )


def test_new_weights_are_seen_without_a_new_program() -> None:
    net = jit.to_static(nn.Linear(1, 1, bias_attr=False))
    x = tg.ones([1, 1])
    for value in (2.0, 3.0):
        net.weight.set_value(np.array([[value]], "float32"))
        assert net(x).item() == value
    assert len(net.forward.program_cache) == 1


def test_only_what_wants_a_gradient_gets_one() -> None:
    function = jit.to_static(lambda x, y: x * y)
    x, y = tensor(2.0), tensor(5.0, grad=False)
    result = function(x, y)
    assert not result.stop_gradient
    result.backward()
    assert x.grad.tolist() == [5.0]
    assert y.grad is None
    assert function(tensor(2.0, grad=False), y).stop_gradient
    with tg.no_grad():
        assert function(x, y).stop_gradient


def test_what_does_not_depend_on_an_input_wants_no_gradient() -> None:
    @jit.to_static
    def two(x: Any, y: Any) -> Any:
        return x * 2, y * 3

    one, other = two(tensor(1.0), tensor(1.0, grad=False))
    assert not one.stop_gradient
    assert other.stop_gradient


def test_gradients_go_on_to_what_came_before() -> None:
    x = tensor(1.0, 2.0)
    y = x * 3
    first, second = jit.to_static(lambda v: (v * v, v + 1))(y)
    (first.sum() * 2 + second.sum()).backward()
    np.testing.assert_allclose(x.grad.numpy(), 3 * (4 * 3 * np.array([1.0, 2.0]) + 1))


def test_a_tensor_from_around_is_read_when_it_is_used() -> None:
    weight = tensor(2.0)
    function = jit.to_static(lambda x: weight * 1.0 * x)
    function(tensor(3.0)).backward()
    assert weight.grad.tolist() == [3.0]
    weight.set_value(np.array([5.0]))
    assert function(tensor(3.0)).tolist() == [15.0]


def test_a_method_is_static_for_each_instance() -> None:
    class Pair:
        def __init__(self, by: float) -> None:
            self.by = by

        @jit.to_static
        def times(self, x: Any) -> Any:
            return x * self.by if x.sum() > 0 else x

    two, three = Pair(2.0), Pair(3.0)
    assert two.times(tensor(1.0)).tolist() == [2.0]
    assert three.times(tensor(1.0)).tolist() == [3.0]
    assert two.times is two.times
    assert jit.to_static(three.times)(tensor(1.0)).tolist() == [3.0]
    gone = weakref.ref(two)
    del two
    gc.collect()
    assert gone() is None


def test_super_and_private_names_mean_what_they_mean() -> None:
    class Base(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.__by = 2.0

        def forward(self, x: Any) -> Any:
            return x * self.__by if x.sum() > 0 else x

    class Child(Base):
        @jit.to_static
        def forward(self, x: Any) -> Any:
            if x.sum() > -10:
                x = super().forward(x) + 1
            return x

    assert Child()(tensor(3.0)).tolist() == [7.0]


def test_layers_within_containers_are_converted_too() -> None:
    class Clip(nn.Layer):
        def forward(self, x: Any) -> Any:
            if x.sum() > 1:
                return x * 0
            return x

    net = jit.to_static(nn.Sequential(Clip(), nn.Sequential(Clip())))
    assert net(tensor(0.5)).tolist() == [0.5]
    assert net(tensor(1.5)).tolist() == [0.0]
    assert "forward" not in net[0].__dict__


def test_hooks_of_layers_run() -> None:
    layer = nn.Linear(1, 1, bias_attr=False)
    layer.weight.set_value(np.array([[2.0]], "float32"))
    layer.register_forward_post_hook(lambda layer, inputs, output: output * 10)
    net = jit.to_static(nn.Sequential(layer))
    assert net(tg.ones([1, 1])).item() == 20.0


def test_attributes_of_a_layer_are_its_state() -> None:
    class Memory(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", tg.zeros([1]))
            self.last = None

        def forward(self, x: Any) -> Any:
            self.seen = self.seen + x
            if x.sum() > 0:
                self.last = x * 2
            else:
                self.last = x
            return self.seen * 1

    plain, net = Memory(), jit.to_static(Memory())
    for value in (1.0, -2.0, 5.0):
        x = tg.to_tensor([value])
        assert plain(x).tolist() == net(x).tolist()
        assert plain.seen.tolist() == net.seen.tolist()
        assert plain.last.tolist() == net.last.tolist()
    plain.seen, net.seen = tg.ones([1]), tg.ones([1])
    assert plain(x).tolist() == net(x).tolist()
    assert len(net.forward.program_cache) == 1


def test_a_layer_that_takes_the_place_of_another_is_seen() -> None:
    net = jit.to_static(nn.Sequential(nn.Linear(1, 1, bias_attr=False)))
    x = tg.ones([1, 1])
    assert net(x).item() == net[0].weight.item()
    net.add_sublayer("0", nn.Linear(1, 1, bias_attr=False))
    assert net(x).item() == net[0].weight.item()
    net[0].weight = nn.Linear(1, 1).weight
    assert net(x).item() == net[0].weight.item()
    assert len(net.forward.program_cache) == 1


COUNT: Any = 0


def test_global_and_nonlocal_names_are_handed_on() -> None:
    last: Any = None

    @jit.to_static
    def function(x: Any) -> Any:
        global COUNT  # noqa: PLW0603  it is what is tried
        nonlocal last
        if x.sum() > 0:
            COUNT = COUNT + 1
            last = x * 2
        else:
            last = x
        return x * COUNT

    seen = [function(tensor(value)).tolist() for value in (1.0, -1.0, 2.0)]
    assert seen == [[1.0], [-1.0], [4.0]]
    assert int(COUNT) == 2
    assert last.tolist() == [4.0]


def test_a_global_tensor_may_become_another() -> None:
    space: dict[str, Any] = {"weight": tensor(2.0)}
    text = "def function(x):\n    return x * weight\n"
    name = "<cell for a test>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)  # noqa: S102
    function = jit.to_static(space["function"])
    assert function(tensor(3.0)).tolist() == [6.0]
    space["weight"] = tensor(5.0)
    assert function(tensor(3.0)).tolist() == [15.0]


def test_a_cell_that_is_run_again_is_converted_again() -> None:
    def cell(name: str, by: int) -> Any:
        text = (
            f"def step(x):\n    if x.sum() > 0:\n        x = x * {by}\n    return x\n"
        )
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        space: dict[str, Any] = {}
        exec(compile(text, name, "exec"), space)  # noqa: S102
        return jit.to_static(space["step"])

    assert cell("<cell 1>", 2)(tensor(1.0)).tolist() == [2.0]
    assert cell("<cell 2>", 3)(tensor(1.0)).tolist() == [3.0]
    assert cell("<cell 1>", 4)(tensor(1.0)).tolist() == [4.0]


class Told(Observer):
    """Notes the operators that run."""

    def __init__(self) -> None:
        self.ops: list[str] = []

    def run_op(self, operator: Any, outputs: Any) -> None:
        self.ops.append(operator.type)


def test_whoever_watches_sees_each_operator_forward_and_back() -> None:
    x, told = tensor(1.0, 2.0), Told()
    function = jit.to_static(lambda v: tg.tanh(v) if v.sum() > 0 else v)
    with watch(told):
        function(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1 - np.tanh([1.0, 2.0]) ** 2)
    assert told.ops.index("tanh") < told.ops.index("tanh_grad")
    assert "conditional_block" in told.ops


def test_threads_call_while_another_traces() -> None:
    function = jit.to_static(lambda v: v * 2 if v.sum() > 0 else v)
    wrong: list[Any] = []

    def work(size: int) -> None:
        for _ in range(5):
            x = tensor(*[1.0] * size)
            (x * 2).sum().backward()
            found = function(x).tolist()
            wrong.extend([found] if found != [2.0] * size else [])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(function.program_cache) == 5


def test_large_tensors_and_views_of_them_stay_as_they_are() -> None:
    @jit.to_static
    def function(x: Any) -> Any:
        y = tg.tanh(x.reshape([-1]))
        if y.sum() > 0:
            y = y * 2 + y
        return y.reshape(x.shape) + x

    values = np.random.default_rng(0).normal(size=(300, 300))
    one, other = (tg.to_tensor(values, stop_gradient=False) for _ in range(2))
    result, wanted = function(one), function.dygraph_function(other)
    (result * result).sum().backward()
    (wanted * wanted).sum().backward()
    np.testing.assert_array_equal(one.numpy(), values)
    np.testing.assert_allclose(result.numpy(), wanted.numpy())
    np.testing.assert_allclose(one.grad.numpy(), other.grad.numpy())


def test_a_layer_built_at_the_first_call_keeps_its_weights() -> None:
    class Lazy(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.inner: Any = None

        def forward(self, x: Any) -> Any:
            if self.inner is None:
                self.inner = nn.Linear(x.shape[1], 2)
            return self.inner(x)

    net = jit.to_static(Lazy())
    one, two = net(batch()), net(batch())
    np.testing.assert_array_equal(one.numpy(), two.numpy())
    one.sum().backward()
    assert net.inner.bias.grad.tolist() == [4.0, 4.0]


def test_a_copied_layer_has_programs_of_its_own() -> None:
    net = jit.to_static(nn.Linear(1, 1, bias_attr=False))
    net(tg.ones([1, 1]))
    twin = copy.deepcopy(net)
    twin.weight.set_value(np.array([[7.0]], "float32"))
    assert twin(tg.ones([1, 1])).item() == 7.0
    assert net(tg.ones([1, 1])).item() == net.weight.item()


def test_rolling_back_puts_the_function_back() -> None:
    net = nn.Linear(3, 2)
    jit.to_static(net)
    made = net.forward
    assert isinstance(made, jit.StaticFunction)
    assert made.rollback() == net.forward
    assert not isinstance(net.forward, jit.StaticFunction)


@pytest.fixture
def switched_off() -> Iterator[None]:
    jit.enable_to_static(False)
    yield
    jit.enable_to_static(True)


@pytest.mark.usefixtures("switched_off")
def test_switched_off_it_is_the_users_function() -> None:
    function = jit.to_static(scaled.dygraph_function)
    assert function(tensor(1.0)).tolist() == [2.0]
    assert len(function.program_cache) == 0


def test_what_is_left_alone_runs_as_it_is() -> None:
    seen: list[Any] = []

    @jit.not_to_static
    def helper(x: Any) -> Any:
        seen.append(type(x).__name__)
        if x.sum() > 0:
            return x
        return -x

    with pytest.raises(ModeError, match="helper"):
        jit.to_static(lambda x: helper(x) + 1)(tensor(1.0))
    assert seen == ["Variable"]


def test_in_a_program_of_ones_own_it_appends_its_ops() -> None:
    main = static.Program()
    tg.enable_static()
    with static.program_guard(main):
        x = static.data("x", [2], "float64")
        y = scaled(x, 5.0)
    found = static.Executor().run(main, {"x": np.array([1.0, 2.0])}, [y])
    assert found[0].tolist() == [5.0, 10.0]


def test_its_code_and_its_table_can_be_read() -> None:
    assert "convert_ifelse(" in scaled.code
    assert scaled.code.startswith("def scaled(x, by=2.0, *, add=0.0):")
    from teachgraph.jit import transform

    lines = transform.table().splitlines()
    assert len(lines) == len(transform.TABLE)
    assert any(line.startswith("break, continue") for line in lines)


def test_code_and_names_are_told_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    jit.set_code_level(100)
    jit.set_verbosity(1)
    try:
        jit.to_static(lambda x: x if x.sum() > 3 else -x)(tensor(1.0))
    finally:
        jit.set_code_level(0)
        jit.set_verbosity(0)
    assert "converting" in caplog.messages[0]
    assert "convert_ternary" in caplog.messages[1]


def test_too_many_programs_are_warned_of() -> None:
    function = jit.to_static(lambda x, n: x * n)
    for n in range(10):
        function(tensor(1.0), n)
    with pytest.warns(UserWarning, match="input_spec"):
        function(tensor(1.0), 10)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(ConversionError, match="a function or a Layer"):
        jit.to_static(3)


def test_sizes_that_a_program_works_out() -> None:
    @jit.to_static(input_spec=[InputSpec([None, 2], "float64", "x")])
    def function(x: Any) -> Any:
        state = tg.zeros([x.shape[0], 3], "float64")
        total = x[0] * 0
        for row in x:
            total = total + row
        for i, (a, b) in enumerate(zip(x, x, strict=True)):
            total = total + a * b * i
        return state, total, x.reshape([x.shape[0], 1, 2]), len(x)

    for rows in (1, 3):
        x = np.arange(2.0 * rows).reshape(rows, 2)
        state, total, shaped, count = function(x)
        assert state.shape == [rows, 3]
        wanted = x.sum(0) + (x * x * np.arange(rows)[:, None]).sum(0)
        np.testing.assert_allclose(total.numpy(), wanted)
        assert shaped.shape == [rows, 1, 2]
        assert int(count) == rows
    assert len(function.program_cache) == 1


def test_lists_that_a_loop_grows_are_returned_joined_and_differentiated() -> None:
    @jit.to_static
    def function(x: Any, n: Any) -> Any:
        kept = []
        for i in range(n):
            if x[i] > 0:
                kept.append(x[i] * x[i])  # noqa: PERF401  how many, a tensor says
        return kept, tg.stack(kept), len(kept)

    x = tensor(1.0, -2.0, 3.0)
    kept, joined, count = function(x, tg.to_tensor(3))
    assert [t.item() for t in kept] == [1.0, 9.0]
    assert joined.tolist() == [1.0, 9.0]
    assert count.item() == 2
    (kept[1] * 5 + joined.sum()).backward()
    assert x.grad.tolist() == [2.0, 0.0, 36.0]


class Scaled(nn.Layer):
    """Multiplies by a weight of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = self.create_parameter([1], default_initializer=ones)

    def forward(self, x: Any) -> Any:
        return x * self.weight


ones = nn.initializer.Constant(1.0)


def test_a_weight_that_is_replaced_or_taken_away_counts_at_the_next_call() -> None:
    net, x = jit.to_static(Scaled()), tensor(3.0)
    assert net(x).tolist() == [3.0]
    net.weight = net.create_parameter([1], default_initializer=ones)
    net(x).backward()
    assert net.weight.grad.tolist() == [3.0]
    net.bias = 1.0
    assert net(x).tolist() == [3.0]
    del net.weight
    with pytest.raises(AttributeError, match="weight"):
        net(x)


def test_weights_frozen_and_thawed_in_turn_need_no_new_program() -> None:
    net, x = jit.to_static(Scaled()), tensor(3.0)
    for _ in range(2):
        net.weight.stop_gradient = False
        net(x).backward()
        assert net.weight.grad.tolist() == [3.0]
        net.weight.clear_grad()
        net.weight.stop_gradient = True
        net(x).backward()
        assert net.weight.grad.tolist() == [0.0]
    assert len(net.forward.program_cache) == 1
    assert sum(map(len, net.forward.concrete_program.taped.values())) == 2


def test_a_weight_that_an_op_has_changed_in_place_passes_its_gradient_on() -> None:
    net, x, by = jit.to_static(Scaled()), tensor(3.0), tg.to_tensor([2.0])
    by.stop_gradient = False
    net(x)
    net.weight.stop_gradient = True
    net.weight.add_(by * 5.0)
    net(x).backward()
    assert by.grad.tolist() == [15.0]


class Point(NamedTuple):
    x: Any
    y: Any


@pytest.mark.parametrize("kind", [tuple, list, set, frozenset, dict.fromkeys])
def test_constants_that_are_equal_but_not_alike_have_programs_of_their_own(
    kind: Any,
) -> None:
    @jit.to_static
    def times(x: Any, given: Any) -> Any:
        (one,) = given
        sign = -1.0 if str(one).startswith("-") else 1.0
        return x * sign * {bool: 2.0, int: 3.0, float: 5.0}[type(one)]

    x = tensor(1.0)
    found = [times(x, kind([one])).tolist() for one in (True, 1, 1.0, -1.0)]
    assert found == [[2.0], [3.0], [5.0], [-5.0]]
    for zero, wanted in ((0.0, [5.0]), (-0.0, [-5.0])):
        assert times(x, (zero,)).tolist() == wanted
    for _ in range(2):
        times(x, (float("nan"),))
    assert len(times.program_cache) == 7


def test_the_tensors_of_a_named_tuple_are_inputs() -> None:
    @jit.to_static
    def area(point: Any) -> Any:
        return point.x * point.y

    point = Point(tensor(2.0), tensor(3.0))
    area(point).backward()
    assert point.x.grad.tolist() == [3.0]
    assert area(Point(tensor(4.0), tensor(5.0))).tolist() == [20.0]
    assert len(area.program_cache) == 1


def test_a_result_that_nobody_uses_gives_its_weights_no_gradient() -> None:
    class Two(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.pool = nn.Linear(1, 1), nn.Linear(1, 1)
            self.other = nn.Linear(1, 1)

        def forward(self, x: Any) -> Any:
            y = self.body(x)
            if x.sum() > 0:
                y = y + self.other(x)
            return y, self.pool(y)

    net = jit.to_static(Two())
    net(tg.ones([1, 1]))[0].sum().backward()
    trained = {n for n, p in net.named_parameters() if p.grad is not None}
    wanted = {"body.weight", "body.bias", "other.weight", "other.bias"}
    assert trained == wanted
    net.clear_gradients()
    net(tg.ones([1, 1]))[1].sum().backward()
    assert all(p.grad is not None for p in net.parameters())


def test_a_function_that_is_called_once_is_not_written_down_as_python() -> None:
    function = jit.to_static(lambda x: x * 2.0 + 1.0)
    x = tensor(1.0, grad=False)
    function(x)
    assert "plain" not in vars(function.concrete_program)
    function(x)
    assert "plain" in vars(function.concrete_program)


def taller(x: Any, columns: Any) -> Any:
    return x @ columns  # the product


def test_an_error_names_the_users_line_in_the_first_run_and_later() -> None:
    spec = [InputSpec([None, None], "float64"), InputSpec([None, None], "float64")]
    function = jit.to_static(taller, input_spec=spec)
    good, bad = tg.zeros([2, 3], "float64"), tg.zeros([2, 2], "float64")
    for _ in range(2):
        with pytest.raises(ShapeError, match="# the product"):
            function(good, bad)


def test_a_test_that_changes_a_list_is_evaluated_once_before_the_loop() -> None:
    def function(x: Any) -> Any:
        queue, n = [x * 0 - 5, x * 0 - 1, x, x + 1], x * 0
        while queue.pop() > n:
            n = n + 0.5
            queue.append(x)
            queue.append(x - 1)
            queue.pop()
        return n, len(queue)

    wanted, found = function(tensor(1.0)), jit.to_static(function)(tensor(1.0))
    assert float(found[0]) == float(wanted[0])
    assert int(found[1]) == wanted[1]
