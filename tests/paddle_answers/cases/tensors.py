"""Tensors from arrays and Tensors, constants of programs, assigned gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["LINES", "STORIES"]

LINES = """
t([1.0, 2, 3])[t([-1], "int64")]
t([1.0, 2, 3])[[-1, 0]]
t([[[1.0, 2], [3, 4], [5, 6]]])[0, :, t([1, 0, 1, 1], "int64")]
t([[[1.0, 2], [3, 4], [5, 6]]])[0, ..., [1, 0, 1, 1]]
t([[[1.0, 2], [3, 4], [5, 6]]])[:, 0, [1, 0]]
paddle.to_tensor(1.5)
paddle.to_tensor(3)
paddle.to_tensor(True)
paddle.to_tensor([1, 2])
paddle.to_tensor([[1.0, 2], [3, 4]])
paddle.to_tensor([True, False])
paddle.to_tensor([])
paddle.to_tensor(np.arange(3))
paddle.to_tensor(np.arange(3.0))
paddle.to_tensor(np.int32(3))
paddle.to_tensor([1, 2], "float64")
paddle.to_tensor([1, 2], place=paddle.CPUPlace())
paddle.to_tensor("abc")
paddle.to_tensor(None)
paddle.to_tensor([[1, 2], [3]])
"""


def a_tensor_of_an_array_is_a_copy(paddle: Any) -> Any:
    values = np.ones(3, "float32")
    x = paddle.Tensor(values)
    values[0] = 9.0
    return [x, x.stop_gradient, x.persistable]


def a_tensor_of_an_array_changes_no_array(paddle: Any) -> Any:
    values = np.ones(3, "float32")
    x = paddle.Tensor(values)
    x[1] = 7.0
    return values.tolist()


def a_tensor_lies_in_an_array_if_asked(paddle: Any) -> Any:
    values = np.ones(3, "float32")
    x = paddle.Tensor(value=values, zero_copy=True)
    values[0] = 9.0
    return x


def a_tensor_of_a_tensor_is_in_its_memory(paddle: Any) -> Any:
    x = paddle.ones([3])
    y = paddle.Tensor(x)
    x[0] = 9.0
    return [y, y.name == x.name]


def a_tensor_has_the_name_it_is_given(paddle: Any) -> Any:
    return paddle.Tensor(np.ones(2), name="abc").name


def a_tensor_of_nothing_is_empty(paddle: Any) -> Any:
    return paddle.Tensor()


def a_tensor_of_a_list_is_asked_for(paddle: Any) -> Any:
    return paddle.Tensor([1, 2])


def a_constant_of_a_program_stops_gradients(paddle: Any) -> Any:
    with paddle.static.program_guard(paddle.static.Program()):
        paddle.enable_static()
        x = paddle.to_tensor([1.0, 2])
        y = paddle.to_tensor([1.0, 2], stop_gradient=False)
        kinds = [op.type for op in x.block.ops]
        paddle.disable_static()
        return [x.stop_gradient, y.stop_gradient, x.persistable, kinds]


def run(paddle: Any, build: Any) -> Any:
    """The kind of what is built in a program, and its value."""
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main):
            x = build()
        (value,) = paddle.static.Executor().run(main, fetch_list=[x])
        return [type(x).__name__, value]
    finally:
        paddle.disable_static()


def a_variable_becomes_a_variable(paddle: Any) -> Any:
    return run(paddle, lambda: paddle.to_tensor(paddle.full([2], 2.0), "int64"))


def numbers_and_variables_become_a_variable(paddle: Any) -> Any:
    return run(paddle, lambda: paddle.to_tensor([1.0, paddle.full([], 2.0)]))


def a_tensor_becomes_a_variable(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2])
    return run(paddle, lambda: paddle.to_tensor(x))


def leaf(paddle: Any) -> Any:
    x = paddle.ones([2])
    x.stop_gradient = False
    return x


def an_assigned_gradient_is_a_copy_that_stops_gradients(paddle: Any) -> Any:
    found = []
    for stop in (True, False):
        x, given = leaf(paddle), paddle.full([2], 3.0)
        given.stop_gradient = stop
        x.grad = given
        found += [x.grad.stop_gradient, x.grad is given]
        with paddle.no_grad():
            given.fill_(5.0)
        found.append(x.grad)
    return found


def an_assigned_gradient_replaces_the_value_of_one(paddle: Any) -> Any:
    x = leaf(paddle)
    (x * x).sum().backward()
    before = x.grad.stop_gradient
    x.grad = paddle.full([2], 3.0)
    return [before, x.grad, x.grad.stop_gradient]


def an_assigned_gradient_has_no_way_back(paddle: Any) -> Any:
    x = leaf(paddle)
    (dx,) = paddle.grad((x * x * x).sum(), [x], create_graph=True)
    x.grad = dx
    x.grad.sum().backward()
    return [x.grad.stop_gradient, x.grad.is_leaf, x.grad]


def an_assigned_gradient_is_added_to(paddle: Any) -> Any:
    x, given = leaf(paddle), paddle.full([2], 3.0)
    x.grad = given
    (x * 2).sum().backward()
    return [x.grad, given]


def a_gradient_of_another_shape_is_assigned(paddle: Any) -> Any:
    x = leaf(paddle)
    x.grad = paddle.ones([3])
    return x.grad


def a_gradient_that_is_a_list_is_assigned(paddle: Any) -> Any:
    leaf(paddle).grad = [1.0, 2.0]


def no_gradient_is_assigned(paddle: Any) -> Any:
    x = leaf(paddle)
    x.grad = None
    return x.grad


def a_gradient_is_assigned_to_a_result(paddle: Any) -> Any:
    y = leaf(paddle) * 2
    y.grad = paddle.ones([2])
    return y.grad


def waiting_times_are_written_into_a_leaf(paddle: Any) -> Any:
    x = leaf(paddle)
    x.exponential_()
    (x * 2).sum().backward()
    return [x.grad, x.is_leaf]


def waiting_times_are_written_into_a_leaf_without_gradients(paddle: Any) -> Any:
    x = leaf(paddle)
    with paddle.no_grad():
        x.exponential_()
    return [x.is_leaf, x.stop_gradient]


def arrays_become_tensors_in_base_before_a_mode_is_chosen(paddle: Any) -> Any:
    x = paddle.base.dygraph.to_variable(np.ones(2, "float32"))
    y = paddle.base.dygraph.base.to_variable(np.ones(2, "float32"), dtype="int64")
    return [x, y]


def a_tensor_is_built_anew_from_another(paddle: Any) -> Any:
    x, y = leaf(paddle), paddle.full([3], 2.0)
    x.reconstruct_from_(y)
    return [x, x.stop_gradient]


def a_dtype_says_its_name(paddle: Any) -> Any:
    x = paddle.ones([1])
    try:
        numpys = str(np.zeros(1, x.dtype).dtype)
    except TypeError:
        numpys = "none"
    return [
        *(str(x.dtype), f"{paddle.float32}", repr(paddle.int64)),
        *(x.dtype == paddle.float32, x.dtype == "float32", x.dtype == np.float32),
        *(isinstance(x.dtype, paddle.dtype), numpys),
    ]


STORIES = (
    a_dtype_says_its_name,
    a_tensor_of_an_array_is_a_copy,
    a_tensor_of_an_array_changes_no_array,
    a_tensor_lies_in_an_array_if_asked,
    a_tensor_of_a_tensor_is_in_its_memory,
    a_tensor_has_the_name_it_is_given,
    a_tensor_of_nothing_is_empty,
    a_tensor_of_a_list_is_asked_for,
    a_constant_of_a_program_stops_gradients,
    a_variable_becomes_a_variable,
    numbers_and_variables_become_a_variable,
    a_tensor_becomes_a_variable,
    an_assigned_gradient_is_a_copy_that_stops_gradients,
    an_assigned_gradient_replaces_the_value_of_one,
    an_assigned_gradient_has_no_way_back,
    an_assigned_gradient_is_added_to,
    a_gradient_of_another_shape_is_assigned,
    a_gradient_that_is_a_list_is_assigned,
    no_gradient_is_assigned,
    a_gradient_is_assigned_to_a_result,
    waiting_times_are_written_into_a_leaf,
    waiting_times_are_written_into_a_leaf_without_gradients,
    arrays_become_tensors_in_base_before_a_mode_is_chosen,
    a_tensor_is_built_anew_from_another,
)
