"""Methods of tensors with an underscore, which code out there calls all the same."""

from __future__ import annotations

from typing import Any

from tests.paddle_answers.ask import refused
from tests.paddle_answers.stories import Story

__all__ = ["STORIES"]


def rows(paddle: Any, *, stop_gradient: bool = True) -> Any:
    return paddle.to_tensor(
        [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], stop_gradient=stop_gradient
    )


def trained(paddle: Any) -> Any:
    """A leaf with a gradient."""
    x = rows(paddle, stop_gradient=False)
    (x * x).sum().backward()
    return x


def changes_in_place_are_counted(paddle: Any) -> Any:
    x = rows(paddle)
    versions = [x._inplace_version()]
    x._bump_inplace_version()
    versions.append(x.inplace_version)
    x.add_(x)
    x[0] = 1.0
    return [*versions, x._inplace_version()]


def a_counted_change_makes_saved_values_stale(paddle: Any) -> Any:
    x = rows(paddle, stop_gradient=False)
    y = x * x
    z = y * y
    y._bump_inplace_version()
    z.sum().backward()
    return x.grad


def a_counted_change_before_an_op_does_no_harm(paddle: Any) -> Any:
    x = rows(paddle, stop_gradient=False)
    y = x * x
    y._bump_inplace_version()
    (y * y).sum().backward()
    return x.grad


def rows_are_sliced(paddle: Any) -> Any:
    x = rows(paddle, stop_gradient=False)
    part = x._slice(1, 3)
    part[0] = 9.0
    return [x, part, part.stop_gradient, part.is_leaf, part._offset(), x._offset()]


def rows_out_of_bounds_are_sliced(paddle: Any) -> Any:
    found = []
    for begin, end in ((0, 3), (2, 5), (2, 2), (-1, 2), (3, 1)):
        try:
            found.append(rows(paddle)._slice(begin, end))
        except Exception as error:
            found.append(refused(error))
    return found


def a_copy_is_a_leaf(paddle: Any) -> Any:
    x = rows(paddle, stop_gradient=False)
    y = x._copy_to(paddle.CPUPlace(), True)
    y[0] = 9.0
    return [x, y, y.stop_gradient, y.is_leaf]


def tensors_hold_values_or_none(paddle: Any) -> Any:
    tensors = [rows(paddle), paddle.Tensor(), paddle.zeros([0]), paddle.zeros([])]
    return [[x._is_initialized(), x._numel()] for x in tensors]


def a_tensor_becomes_one_in_anothers_memory(paddle: Any) -> Any:
    x, y = rows(paddle), paddle.to_tensor([3.0])
    x._share_underline_tensor_to(y)
    y[0] = 7.0
    return [x, y, x._is_shared_underline_tensor_with(y)]


def a_tensor_keeps_its_shape_in_anothers_memory(paddle: Any) -> Any:
    x, y = rows(paddle), paddle.to_tensor([3.0])
    x._share_buffer_to(y)
    y[0] = 7.0
    x[0, 1] = 8.0
    return [x, y, x._is_shared_buffer_with(y), y._is_shared_buffer_with(x)]


def a_view_that_is_taken_elsewhere_leaves_its_source(paddle: Any) -> Any:
    x, z = rows(paddle), paddle.zeros([2])
    y = x[0]
    z._share_underline_tensor_to(y)
    y[0] = 7.0
    return [x, y, z]


def memories_are_compared(paddle: Any) -> Any:
    x = rows(paddle)
    others = [x.detach(), x.clone(), x.reshape([6]), x[0:1], x]
    return [x._is_shared_buffer_with(y) for y in others]


def a_tensor_becomes_another(paddle: Any) -> Any:
    x, y = rows(paddle), rows(paddle)
    x._inplace_assign(paddle.to_tensor([3.0]))
    y._set_impl(paddle.to_tensor([4.0]))
    return [x, y]


def a_number_is_no_other_tensor(paddle: Any) -> Any:
    rows(paddle)._inplace_assign(3)


def gradients_have_other_names(paddle: Any) -> Any:
    x, y = trained(paddle), rows(paddle, stop_gradient=False)
    y._copy_gradient_from(x.grad)
    copied, shape = y._grad_ivar().clone(), x._grad_value().shape()
    x._zero_grads()
    return [x.grad, x._grad_ivar(), x._grad_name(), shape, copied]


def there_is_no_gradient(paddle: Any) -> Any:
    x = rows(paddle, stop_gradient=False)
    x._zero_grads()
    return [x.grad, x._grad_value(), x._grad_ivar()]


def a_parameter_gets_a_gradient(paddle: Any) -> Any:
    w = paddle.nn.Linear(1, 1).weight
    w._set_grad_ivar(paddle.to_tensor([[5.0]]))
    return w.grad


def a_tensor_says_its_place_and_its_sum(paddle: Any) -> Any:
    return [rows(paddle)._place_str, rows(paddle)._md5sum()]


def items_are_read_and_written(paddle: Any) -> Any:
    x = rows(paddle)
    x._setitem_dygraph((1, 1), 9.0)
    return [x, x._getitem_dygraph(1)]


def a_tensor_is_converted_itself(paddle: Any) -> Any:
    x = rows(paddle)
    return [x._to("cpu", "float64"), x, x._to(dtype="int32"), x._to("cpu", None, True)]


STORIES: list[Story] = [
    changes_in_place_are_counted,
    a_counted_change_makes_saved_values_stale,
    a_counted_change_before_an_op_does_no_harm,
    rows_are_sliced,
    rows_out_of_bounds_are_sliced,
    a_copy_is_a_leaf,
    tensors_hold_values_or_none,
    a_tensor_becomes_one_in_anothers_memory,
    a_tensor_keeps_its_shape_in_anothers_memory,
    a_view_that_is_taken_elsewhere_leaves_its_source,
    memories_are_compared,
    a_tensor_becomes_another,
    a_number_is_no_other_tensor,
    gradients_have_other_names,
    there_is_no_gradient,
    a_parameter_gets_a_gradient,
    a_tensor_says_its_place_and_its_sum,
    items_are_read_and_written,
    a_tensor_is_converted_itself,
]
