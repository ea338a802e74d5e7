"""What goes wrong is told in words, at the user's own line, and when Python would."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit
from teachgraph.core.errors import ModeError, ShapeError
from teachgraph.errors import ConversionError, NoSourceError, OutOfRangeError


def tensor(*values: float) -> tg.Tensor:
    return tg.to_tensor(np.array(values, "float64"), stop_gradient=False)


def line_of(text: str) -> int:
    """Where a line of this file stands that has these words."""
    with open(__file__, encoding="utf-8") as file:  # noqa: PTH123
        return next(i for i, line in enumerate(file, 1) if text in line)


def notes(error: BaseException) -> str:
    """What was added to an error."""
    return " ".join(getattr(error, "__notes__", ()))


class TooLarge(Exception):
    pass


@jit.to_static
def one_branch(x: Any) -> Any:
    if x.sum() > 0:
        y = x
    return y  # the name that may stand for nothing


@jit.to_static
def no_round(x: Any, n: Any) -> Any:
    for i in range(n):
        y = x * i
    return y


@jit.to_static
def python_branch(x: Any, flag: bool) -> Any:
    if flag:
        y = x
    return y


def test_a_name_without_a_value_raises_where_it_is_used() -> None:
    assert one_branch(tensor(2.0)).tolist() == [2.0]
    with pytest.raises(UnboundLocalError, match="'y'") as caught:
        one_branch(tensor(-2.0))
    assert f":{line_of('the name that may')}" in notes(caught.value)
    assert no_round(tensor(2.0), tg.to_tensor(3)).tolist() == [4.0]
    with pytest.raises(UnboundLocalError, match="'y'"):
        no_round(tensor(2.0), tg.to_tensor(0))
    assert python_branch(tensor(2.0), True).tolist() == [2.0]
    with pytest.raises(UnboundLocalError, match="'y'"):
        python_branch(tensor(2.0), False)


def test_a_name_without_a_value_does_no_harm_where_it_is_not_used() -> None:
    @jit.to_static
    def function(x: Any) -> Any:
        positive = x.sum() > 0
        if positive:
            y = x * 2
        if positive:
            x = x + y
        return x

    assert function(tensor(1.0)).tolist() == [3.0]
    assert function(tensor(-1.0)).tolist() == [-1.0]


def test_a_deleted_name_is_gone() -> None:
    @jit.to_static
    def function(x: Any) -> Any:
        y = x * 2
        if x.sum() > 0:
            del y
        return y

    assert function(tensor(-1.0)).tolist() == [-2.0]
    with pytest.raises(UnboundLocalError, match="'y'"):
        function(tensor(1.0))


@jit.to_static
def raising(x: Any) -> Any:
    if x.sum() > 10:
        raise TooLarge(f"{x.sum():.1f} is too large")  # the first error
    if x.sum() < 0:
        raise ValueError
    return x


def test_an_error_belongs_to_its_branch() -> None:
    assert raising(tensor(1.0)).tolist() == [1.0]
    with pytest.raises(TooLarge, match=r"^12\.0 is too large") as caught:
        raising(tensor(12.0))
    assert f":{line_of('the first error')}" in notes(caught.value)
    with pytest.raises(ValueError) as plain:  # noqa: PT011  it says nothing
        raising(tensor(-1.0))
    assert plain.value.args == ()
    assert len(raising.program_cache) == 1


def test_an_assertion_is_checked_when_the_program_runs() -> None:
    @jit.to_static
    def function(x: Any, n: int) -> Any:
        assert n > 0, "a number of rounds"
        assert x.sum() > 0, f"the sum is {x.sum():.2f}"
        return x * n

    assert function(tensor(1.0), 2).tolist() == [2.0]
    with pytest.raises(AssertionError, match=r"the sum is -1\.00"):
        function(tensor(-1.0), 2)
    with pytest.raises(AssertionError, match="a number of rounds"):
        function(tensor(1.0), 0)


def test_print_shows_values_when_the_program_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def function(x: Any, n: Any) -> Any:
        print("begin", n, sep=": ")
        for i in range(n):
            print(f"{i:d} of {n:d}, {x.sum():.2f}", end=";\n")
        print("end", {"a": 1})
        return x

    given = tg.to_tensor(np.array([1.0, 2.0])), tg.to_tensor(2)
    function(*given)
    wanted = capsys.readouterr().out
    static = jit.to_static(function)
    for _ in range(2):
        static(*given)
        assert capsys.readouterr().out.replace("end {'a': 1}\n", "") == wanted.replace(
            "end {'a': 1}\n", ""
        )


def test_what_a_branch_prints_is_printed_if_it_is_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @jit.to_static
    def function(x: Any) -> Any:
        if x.sum() > 0:
            print("above")
        else:
            print("below", 0, sep=" ", end="!\n")
        return x

    for value in (1.0, -1.0, 2.0):
        function(tensor(value))
    assert capsys.readouterr().out == "above\nbelow 0!\nabove\n"


@jit.to_static
def raising_while_handling(x: Any) -> Any:
    if x.sum() > 0:
        try:
            {}["a"]
        except KeyError as error:
            raise TooLarge("no such key") from error
    return x


@jit.to_static
def divides(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x + 10 // i  # zero comes first
    return x


def test_errors_are_of_the_kind_that_python_raises() -> None:
    assert raising_while_handling(tensor(-1.0)).tolist() == [-1.0]
    with pytest.raises(TooLarge, match="no such key"):
        raising_while_handling(tensor(1.0))
    assert divides(tensor(1.0), tg.to_tensor(0)).tolist() == [1.0]
    with pytest.raises(ZeroDivisionError, match="zero comes first"):
        divides(tensor(1.0), tg.to_tensor(2))


@jit.to_static
def wrong_shape(x: Any) -> Any:
    y = x * 2
    if y.sum() > 0:
        y = y @ tg.ones([7, 7], "float64")  # two by seven
    return y


@jit.to_static
def wrong_key(x: Any) -> Any:
    for _ in range(2):
        x = x * {"a": 1}["b"]  # no such key
    return x


@jit.to_static
def wrong_index(x: Any, i: Any) -> Any:
    return x[i] * 2  # past the end


def test_errors_name_the_users_line() -> None:
    with pytest.raises(ShapeError, match=f":{line_of('two by seven')}"):
        wrong_shape(tensor(1.0, 2.0))
    with pytest.raises(KeyError) as caught:
        wrong_key(tensor(1.0))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno) == (__file__, line_of("# no such key"))
    assert last.name == "wrong_key"
    with pytest.raises(OutOfRangeError, match=f":{line_of('past the end')}"):
        wrong_index(tensor(1.0), tg.to_tensor(5))


def test_an_operator_names_the_function_the_user_wrote() -> None:
    jit_ops = wrong_shape.dygraph_function
    assert jit_ops.__name__ == "wrong_shape"
    main = raising.get_concrete_program(tensor(1.0))[0].main_program
    ops = [op for block in main.blocks for op in block.ops if op.type != "assign"]
    assert {op.callsite.function for op in ops} == {"raising"}


def refused(function: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(ConversionError) as caught:
        jit.to_static(function)(*arguments)
    return str(caught.value)


def test_what_has_no_program_is_refused_in_words() -> None:
    def two_kinds(x: Any) -> Any:
        y = "text" if x.sum() > 0 else x
        return y * 2

    def changing(x: Any, n: Any) -> Any:
        y = "text"
        for _ in range(n):
            y = x
        return y

    def comprehension(x: Any, n: Any) -> Any:
        return [x for _ in range(n)]

    def endless(x: Any) -> Any:
        return x if x.sum() > 100 else endless(x * 2)

    one, count = tensor(1.0), tg.to_tensor(2)
    assert "one of two things" in refused(two_kinds, one)
    assert "'y'" in refused(changing, one, count)
    assert "`for` statement" in refused(comprehension, one, count)
    assert "write a while loop" in refused(endless, one)


def counted_down(x: Any) -> Any:
    if x.sum() > 100:
        return x
    return halfway(x * 2)  # calls again


def halfway(x: Any) -> Any:
    return counted_down(x + 1)  # by way of another


def test_a_recursion_that_a_tensor_ends_is_refused_at_its_line() -> None:
    def factorial(x: Any) -> Any:
        return x if x.sum() > 100 else factorial(x * 2)  # calls itself

    message = refused(factorial, tensor(1.0))
    assert message.startswith("'factorial' calls itself")
    assert "write a while loop" in message
    assert f":{line_of('# calls itself')}, in factorial" in message
    message = refused(counted_down, tensor(1.0))
    places = (line_of("# calls again"), line_of("# by way of another"))
    assert any(f":{line}, in " in message for line in places)


def test_a_generator_has_no_program() -> None:
    def generator(x: Any) -> Any:
        yield x

    assert "not_to_static" in refused(generator, tensor(1.0))


def test_without_a_source_it_says_what_to_do() -> None:
    space: dict[str, Any] = {}
    exec("def function(x):\n    return x\n", space)  # noqa: S102
    with pytest.raises(NoSourceError, match="in a file or in a cell"):
        jit.to_static(space["function"])(tensor(1.0))
    with pytest.raises(NoSourceError, match="in a file or in a cell"):
        jit.to_static(space["function"]).code  # noqa: B018


def test_numpy_on_a_tensor_of_a_program_is_refused() -> None:
    with pytest.raises(ModeError, match="gets one only when") as caught:
        jit.to_static(lambda x: np.maximum(x, 0))(tensor(1.0))
    assert "use tensors' own functions in the place of NumPy's" in str(caught.value)


def test_an_error_while_tracing_leaves_everything_as_it_was() -> None:
    class Broken(tg.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.weight = self.create_parameter([1])
            self.kept = tg.zeros([1])

        def forward(self, x: Any) -> Any:
            self.kept = self.kept + x
            raise KeyError("here")

    net = jit.to_static(Broken())
    before = net.kept
    with pytest.raises(KeyError):
        net(tg.ones([1]))
    assert net.kept is before
    assert tg.in_dynamic_mode()
    assert isinstance(net.weight * 2, tg.Tensor)


def guarded_by_a_tensor(x: Any) -> Any:
    match 3:
        case n if x > n:  # the place
            return x
        case _:
            return x * 2


def filtered_by_a_tensor(x: Any) -> Any:
    return [i for i in range(3) if x > i]  # the place


@pytest.mark.parametrize("function", [guarded_by_a_tensor, filtered_by_a_tensor])
def test_what_python_decides_is_not_left_to_a_tensor(
    function: Callable[..., Any],
) -> None:
    with pytest.raises(ConversionError, match="if statement") as caught:
        jit.to_static(function)(tg.to_tensor(1.0))
    assert "# the place" in str(caught.value)


def test_a_text_with_a_tensor_in_it_is_not_returned() -> None:
    with pytest.raises(ConversionError, match="outside"):
        jit.to_static(lambda x: f"{float(x):.2f}")(tg.to_tensor(1.0))
