"""What goes wrong while code runs is told in words: op, inputs, line, and what fits."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import errors, nn
from teachgraph.core.callsite import callsite
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    OpError,
    ShapeError,
)
from teachgraph.errors import MixedModeError, OutOfRangeError
from teachgraph.ops.error_message import describe

A, B = np.ones((2, 3), "float32"), np.ones((4, 5), "float32")


def line_of(function: Callable[..., Any], text: str) -> int:
    """Where in this file a line of a function stands."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def test_a_message_in_full() -> None:
    x, w = tg.to_tensor(A), tg.to_tensor(B)
    w.name = "weight"
    with pytest.raises(ShapeError) as caught:
        tg.matmul(x, w)
    line = line_of(test_a_message_in_full, "tg.matmul(x, w)")
    assert str(caught.value) == (
        "matmul_v2 cannot take these inputs: the first has 3 columns, the second 4 "
        "rows\n"
        "  X: Tensor float32 [2, 3]\n"
        "  Y: Tensor float32 [4, 5]  (weight)\n"
        "  with trans_x = False, trans_y = False\n"
        "  matmul_v2 needs as many columns in the first as there are rows in "
        "the second\n"
        f"  at {__file__}:{line}, in test_a_message_in_full\n"
        "      tg.matmul(x, w)"
    )
    assert caught.value.op == "matmul_v2"
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(5, 2)

    def forward(self, x: Any) -> Any:
        hidden = self.first(x)
        return self.second(hidden)


def test_the_line_is_the_innermost_of_the_users_own() -> None:
    with pytest.raises(ShapeError) as caught:
        Net()(tg.to_tensor(A))
    where = caught.value.where
    assert where is not None
    assert where.file == __file__
    assert where.line == line_of(Net, "self.second(hidden)")
    assert where.function == "forward"
    assert where.source == "return self.second(hidden)"


def test_the_line_is_found_in_code_that_is_in_no_file() -> None:
    """A notebook's cell has a name and a source, but no file."""
    source = "def square_and_add(x, y):\n    return x * x + y\n"
    name = "<cell 7>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    namespace: dict[str, Any] = {}
    exec(compile(source, name, "exec"), namespace)  # noqa: S102  our own text
    with pytest.raises(ShapeError) as caught:
        namespace["square_and_add"](tg.to_tensor(A), tg.to_tensor(B))
    assert "at <cell 7>:2, in square_and_add\n      return x * x + y" in str(
        caught.value
    )


def test_an_error_inside_a_generator_or_lambda_names_that_line() -> None:
    rows = (tg.to_tensor(A) + row for row in [B])
    with pytest.raises(ShapeError) as caught:
        next(rows)
    assert caught.value.where is not None
    assert caught.value.where.line == line_of(
        test_an_error_inside_a_generator_or_lambda_names_that_line, "rows = ("
    )


def test_the_line_of_a_call() -> None:
    where = callsite()
    assert where is not None
    assert where.line == line_of(test_the_line_of_a_call, "callsite()")
    assert str(where).startswith(
        f"{__file__}:{where.line}, in test_the_line_of_a_call\n"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.zeros((2, 3), "float32"), "ndarray float32 [2, 3]"),
        (np.zeros(()), "ndarray float64 []"),
        (tg.to_tensor([1, 2]), "Tensor int64 [2]"),
        (np.float32(1), "float32 float32 []"),
        (2.5, "float 2.5"),
        (None, "NoneType None"),
        ("text" * 100, ("str 'text" + "text" * 100)[:80]),
    ],
)
def test_how_a_value_is_described(value: Any, text: str) -> None:
    assert describe(value) == text


BUILT_IN = {
    "ModeError": RuntimeError,
    "DataError": ValueError,
    "ProgramError": ValueError,
    "FeedError": ValueError,
    "FetchError": ValueError,
    "BackwardTwiceError": RuntimeError,
    "GradientMismatch": AssertionError,
    "ShapeError": ValueError,
    "GradientShapeError": ValueError,
    "DTypeError": TypeError,
    "InvalidValueError": ValueError,
    "OutOfRangeError": IndexError,
    "MixedModeError": TypeError,
    "PyFuncError": RuntimeError,
    "NotInitializedError": RuntimeError,
}


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_kind_is_the_built_in_error_that_fits(name: str) -> None:
    kind = getattr(errors, name)
    assert issubclass(kind, BUILT_IN[name])
    assert issubclass(kind, errors.TeachgraphError)


def test_every_kind_of_error_is_public_and_explained() -> None:
    kinds = {
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.TeachgraphError)
    }
    assert set(kinds) <= {name for name in vars(errors) if not name.startswith("_")}
    assert all(kind.__doc__ for kind in kinds.values())


@pytest.mark.parametrize(
    ("wrong", "kind", "says"),
    [
        (lambda x: x + B, ShapeError, "elementwise_add needs shapes that broadcast"),
        (lambda x: x @ B, ShapeError, "matmul_v2 needs matrices"),
        (lambda x: x.reshape([5]), ShapeError, "reshape2 needs a shape of as many"),
        (lambda x: x.sum(axis=5), OpError, "reduce_sum needs dimensions that X has"),
        (lambda x: x.transpose([0]), ShapeError, "transpose2 needs an axis list"),
        (lambda x: tg.concat([x, B]), ShapeError, "concat needs inputs"),
        (lambda x: tg.concat([x, 1.0]), ShapeError, "concat needs inputs"),
        (lambda x: tg.tanh(x.astype("int64")), DTypeError, "tanh needs floating"),
        (lambda x: x[7], OutOfRangeError, "index 7 is out of range for axis 0"),
        (lambda x: tg.topk(x, 9), InvalidValueError, "k = 9, but axis -1 has size 3"),
        (lambda x: x + "a", DTypeError, "nothing can be computed with 'a'"),
        (lambda x: x.astype("float16"), DTypeError, "known are bool, int16, int32"),
        (lambda x: x.argmax(axis=4), OpError, "arg_max cannot take these inputs"),
        (
            lambda x: nn.functional.cross_entropy(x, np.array([0, 3])),
            InvalidValueError,
            "label expected >= 0 and < 3, but got 3",
        ),
        (
            lambda x: nn.functional.cross_entropy(x, np.array([0, 1, 2])),
            ShapeError,
            r"labels must have shape \[2, 1\], got \[3, 1\]",
        ),
        (
            lambda x: nn.functional.cross_entropy(x, np.array([0.0, 1.0])),
            DTypeError,
            "labels must be integers, got float64",
        ),
    ],
)
def test_every_way_to_go_wrong_says_what_would_be_right(
    wrong: Callable[..., Any], kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        wrong(tg.to_tensor(A, stop_gradient=False))


def test_after_an_error_everything_goes_on() -> None:
    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * x
    with pytest.raises(ShapeError):
        _ = y + B
    (y + x).sum().backward()
    assert x.grad.tolist() == [3.0, 5.0]


def test_a_gradient_of_another_shape_is_refused_where_it_is_assigned() -> None:
    w = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    with pytest.raises(errors.GradientShapeError, match=r"\[2, 2\] for a tensor of"):
        w.grad = tg.to_tensor([[1.0, 1.0], [1.0, 1.0]])
    assert w.grad is None


@pytest.mark.parametrize("rate", [-1.0, "fast", None, float("nan")])
def test_a_learning_rate_is_0_or_more(rate: Any) -> None:
    with pytest.raises(InvalidValueError, match="must be 0 or more") as caught:
        tg.optimizer.SGD(learning_rate=rate, parameters=[])
    assert __file__ in str(caught.value)


def test_step_without_parameters_says_where_to_get_them() -> None:
    with pytest.raises(errors.ModeError, match=r"parameters=layer.parameters\(\)"):
        tg.optimizer.SGD(learning_rate=0.1).step()


def test_a_static_variable_given_to_a_dynamic_function() -> None:
    program = tg.static.Program()
    with tg.static.program_guard(program, tg.static.Program()):
        variable = tg.static.data("x", [2], "float32")
    with pytest.raises(DTypeError, match="a Variable has none"):
        tg.to_tensor(variable)
    with pytest.raises(MixedModeError, match="feed the Tensor's values"):
        _ = tg.to_tensor([1.0, 2.0]) + variable
    with pytest.raises(InvalidValueError, match="must be Tensors"):
        tg.grad(variable, variable)
