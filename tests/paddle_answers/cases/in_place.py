"""Views and ops in place: who changes with whom, and what gradients know of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.paddle_answers.ask import refused

__all__ = ["STORIES"]

VIEWS = """
a.detach()
a.detach()[0]
a.flatten()
a.reshape([3, 2])
a.reshape([2, 3])
a.T
a.T.T
a.transpose([1, 0])
a.squeeze()
a.unsqueeze(0)
a.unsqueeze(0).squeeze(0)
a[0]
a[:]
a[0:1]
a[:, 1]
a[...]
a[None]
a[::-1]
a[:, ::2]
a[[0, 1]]
a[a > -1]
a[0][1:]
paddle.t(a)
paddle.split(a, 2)[0]
paddle.chunk(a, 2)[0]
paddle.unstack(a)[0]
paddle.unbind(a)[0]
paddle.slice(a, [0], [0], [1])
paddle.strided_slice(a, [1], [0], [3], [2])
paddle.moveaxis(a, 0, 1)
paddle.diagonal(a)
paddle.atleast_2d(a)
paddle.nn.Flatten(0)(a)
paddle.nn.Identity()(a)
paddle.unflatten(a, 1, [3, 1])
paddle.view(a, [6])
a.clone()
paddle.assign(a)
paddle.to_tensor(a)
a.astype("float32")
a.expand([2, 2, 3])
a.expand([2, 3])
paddle.tile(a, [1, 1])
paddle.flip(a, [])
paddle.roll(a, 0)
paddle.rot90(a, 0)
paddle.gather(a, paddle.to_tensor([0, 1]))
paddle.concat([a])
paddle.crop(a)
paddle.broadcast_tensors([a, a])[0]
paddle.nn.functional.relu(a)
paddle.nn.functional.dropout(a, 0.5, training=False)
paddle.scale(a, 1.0)
paddle.clip(a)
"""

FILLED = """
y.fill_(2.0)
y.zero_()
y.normal_()
y.uniform_()
y.exponential_()
y.cauchy_()
y.geometric_(0.5)
y.set_value(np.zeros(3, "float32"))
y.__setitem__(slice(None), 2.0)
y.__setitem__(0, 2.0)
y.__setitem__(slice(0, 2), 2.0)
y.clip_(2.5, 5.0)
y.scale_(0.0)
y.masked_fill_(paddle.to_tensor([True, True, True]), 2.0)
y.index_fill_(paddle.to_tensor([0]), 0, 2.0)
y.put_along_axis_(paddle.to_tensor([0]), 2.0, 0)
y.scatter_(paddle.to_tensor([0]), paddle.to_tensor([2.0]))
y.floor_()
"""

CHANGED = """
y.abs_()
y.acos_()
y.asin_()
y.asinh_()
y.atan_()
y.atanh_()
y.ceil_()
y.clip_(0.3, 0.6)
y.cos_()
y.cosh_()
y.cumsum_()
y.digamma_()
y.erfinv_()
y.exp_()
y.frac_()
y.i0_()
y.lerp_(paddle.to_tensor([0.3, 0.4]), 0.5)
y.lgamma_()
y.log_()
y.log1p_()
y.log2_()
y.log10_()
y.logit_()
y.nan_to_num_()
y.neg_()
y.pow_(2.0)
y.reciprocal_()
y.round_()
y.rsqrt_()
y.sigmoid_()
y.sin_()
y.sinh_()
y.sqrt_()
y.tan_()
y.tanh_()
y.trunc_()
y.add_(paddle.to_tensor([0.5, 0.7]))
y.subtract_(paddle.to_tensor([0.5, 0.7]))
y.multiply_(paddle.to_tensor([0.5, 0.7]))
y.divide_(paddle.to_tensor([0.5, 0.7]))
y.remainder_(paddle.to_tensor([0.5, 0.7]))
y.hypot_(paddle.to_tensor([0.5, 0.7]))
y.sin_().cos_()
y.exp_().sin_()
y.exp_().exp_()
y.reshape_([2, 1]).sin_().reshape_([2])
"""


def leaf(paddle: Any, *values: float) -> Any:
    return paddle.to_tensor(np.array(values, "float32"), stop_gradient=False)


def of_lines(story: Callable[[Any, str], Any], lines: str, paddle: Any) -> Any:
    """What a story comes to with each line, or the name of an error."""
    found = {}
    for line in lines.strip().split("\n"):
        try:
            found[line] = story(paddle, line)
        except Exception as error:
            found[line] = refused(error)
    return found


def changed_through(paddle: Any, line: str) -> Any:
    """Whether what a line makes of `a` changes with it, both ways; the versions."""
    found = []
    for first in (0, 1):
        a = paddle.to_tensor(np.arange(6, dtype="float32").reshape(2, 3))
        b = eval(line, {"a": a, "paddle": paddle})  # noqa: S307
        pair = [a, b]
        pair[first].fill_(100.0)
        other = pair[1 - first]
        found += [bool((other.numpy() == 100.0).any()), other.inplace_version]
    return found


def gradient_after(paddle: Any, line: str) -> Any:
    """Whether a tensor is on the tape after a line, and the gradient of its source."""
    x = leaf(paddle, 1.0, 2.0, 3.0)
    y = x * 2.0
    eval(line, {"y": y, "np": np, "paddle": paddle})  # noqa: S307
    (y * paddle.to_tensor([1.0, 10.0, 100.0])).sum().backward()
    return [y.stop_gradient, x.grad]


def values_and_gradient(paddle: Any, line: str) -> Any:
    x = leaf(paddle, 0.25, 0.5)
    y = x * 1.0
    eval(line, {"y": y, "paddle": paddle})  # noqa: S307
    (y * paddle.to_tensor([1.0, 10.0])).sum().backward()
    return [y, x.grad]


def what_lies_in_the_memory_of_a_tensor_changes_with_it(paddle: Any) -> Any:
    return of_lines(changed_through, VIEWS, paddle)


def what_is_overwritten_has_a_gradient_of_zeros(paddle: Any) -> Any:
    return of_lines(gradient_after, FILLED, paddle)


def an_op_in_place_has_the_gradient_of_the_op(paddle: Any) -> Any:
    return of_lines(values_and_gradient, CHANGED, paddle)


def a_tensor_is_multiplied_by_itself_in_place(paddle: Any) -> Any:
    return values_and_gradient(paddle, "y.multiply_(y)")


def what_had_to_be_copied_counts_its_own_changes(paddle: Any) -> Any:
    return changed_through(paddle, "a.T.reshape([6])")


def a_quotient_rounded_in_place_has_a_gradient_of_zeros(paddle: Any) -> Any:
    ones = "paddle.to_tensor([1.0, 1.0, 1.0])"
    return gradient_after(paddle, f"y.floor_divide_({ones})")


def what_is_assigned_to_has_a_gradient_of_zeros(paddle: Any) -> Any:
    ones = "paddle.to_tensor([1.0, 1.0, 1.0])"
    return gradient_after(paddle, f"paddle.assign({ones}, y)")


def a_view_on_the_tape_is_multiplied(paddle: Any) -> Any:
    x = leaf(paddle, 1.0, 2.0, 3.0)
    y = x * 2.0
    y[0:2].scale_(3.0)
    (y * paddle.to_tensor([1.0, 10.0, 100.0])).sum().backward()
    return [y, x.grad]


def a_view_on_the_tape_is_zeroed(paddle: Any) -> Any:
    x = leaf(paddle, 1.0, 2.0, 3.0)
    y = x * 2.0
    y[0:2].zero_()
    (y * paddle.to_tensor([1.0, 10.0, 100.0])).sum().backward()
    return [y, x.grad]


def a_base_on_the_tape_is_multiplied(paddle: Any) -> Any:
    x = leaf(paddle, 1.0, 2.0, 3.0)
    y = x * 2.0
    part = y[0:2]
    y.scale_(3.0)
    (part * paddle.to_tensor([1.0, 10.0])).sum().backward()
    return [part, x.grad]


def a_part_of_plain_values_becomes_what_has_a_gradient(paddle: Any) -> Any:
    x = leaf(paddle, 1.0, 2.0)
    y = paddle.zeros([3])
    y[1:].add_(x)
    (y * y).sum().backward()
    return [y, y.stop_gradient, x.grad]


def a_view_of_a_leaf_is_changed_on_the_tape(paddle: Any) -> Any:
    x = leaf(paddle, 1.0, 2.0)
    x[0:1].scale_(3.0)
    return x


def a_detached_tensor_is_written_to(paddle: Any) -> Any:
    a = leaf(paddle, 1.0, 2.0)
    b = a.detach()
    b[:] = 10.0
    return [a, b, a.stop_gradient, b.stop_gradient, a.is_leaf, a.inplace_version]


def a_parameter_is_changed_through_detach_and_trained(paddle: Any) -> Any:
    w = leaf(paddle, 1.0, 2.0)
    w.detach().set_value(np.array([3.0, 4.0], "float32"))
    (w * w).sum().backward()
    return [w, w.grad]


def an_optimizer_changes_what_was_detached(paddle: Any) -> Any:
    layer = paddle.nn.Linear(2, 1)
    layer.weight.set_value(np.ones((2, 1), "float32"))
    before = layer.weight.detach()
    layer(paddle.ones([1, 2])).sum().backward()
    paddle.optimizer.SGD(0.5, layer.parameters()).step()
    return before


def a_row_is_written_to_without_gradients(paddle: Any) -> Any:
    a = leaf(paddle, 1.0, 2.0)
    with paddle.no_grad():
        row = a[0:1]
        row.fill_(5.0)
    return [a, a.is_leaf, a.stop_gradient]


def a_view_of_a_view_of_a_view(paddle: Any) -> Any:
    a = paddle.zeros([2, 3])
    b = a.T
    c = b[1]
    c[0] = 7.0
    d = a.reshape([-1])
    d[5] = 8.0
    return [a, b, c, d, c.inplace_version]


def views_that_do_not_meet(paddle: Any) -> Any:
    a = paddle.zeros([4])
    first, second = a[:2], a[2:]
    first.fill_(1.0)
    return [a, first, second]


def a_saved_value_is_changed_through_a_view(paddle: Any) -> Any:
    x = leaf(paddle, 1.0, 2.0)
    y = x * 1.0
    z = y * y
    y.detach().fill_(0.0)
    z.sum().backward()
    return x.grad


def a_saved_value_is_changed_by_its_base(paddle: Any) -> Any:
    x = leaf(paddle, 1.0, 2.0)
    y = x * 1.0
    row = y[0:1]
    z = row * row
    y.add_(y)
    z.sum().backward()
    return x.grad


def a_view_is_made_after_changes(paddle: Any) -> Any:
    a = paddle.zeros([2])
    a.add_(a)
    b = a[0:1]
    b.add_(b)
    return [a.inplace_version, b.inplace_version]


def a_tensor_cast_in_place_shares_no_more(paddle: Any) -> Any:
    a = paddle.zeros([2])
    b = a.detach()
    a.cast_("int64")
    b.fill_(1.0)
    return [a, b]


def a_reshape_in_place_shares_still(paddle: Any) -> Any:
    a = paddle.zeros([2, 2])
    b = a.detach()
    b.reshape_([4])
    b.fill_(1.0)
    return [a, b]


def the_median_of_nothing_but_nan_has_a_gradient_of_zeros(paddle: Any) -> Any:
    x = paddle.to_tensor(np.array([[np.nan, np.nan], [1.0, np.nan]], "float32"))
    x.stop_gradient = False
    y = paddle.nanmedian(x, axis=1)
    y.sum().backward()
    return [y, x.grad]


def rounded(paddle: Any, *, floating: bool) -> Any:
    """A PyLayer that gives integers, and passes gradients by."""

    class Rounded(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return (x * 2.0).astype("int64")

        @staticmethod
        def backward(ctx: Any, dout: Any) -> Any:
            return dout.astype("float32") * 2.0

    x = leaf(paddle, 1.2, 2.0, 3.0)
    y = Rounded.apply(x)
    weights = paddle.to_tensor([1.0, 3.0, 0.5 if floating else 5.0])
    (y.astype("float32") * weights).sum().backward()
    return [y, y.stop_gradient, x.grad]


def a_pylayer_that_gives_integers_has_gradients(paddle: Any) -> Any:
    return rounded(paddle, floating=False)


def a_pylayer_that_gives_integers_gets_gradients_whole(paddle: Any) -> Any:
    return rounded(paddle, floating=True)


def a_filled_tensor_is_used_again(paddle: Any) -> Any:
    x = leaf(paddle, 1.0, 2.0, 3.0)
    y = x * 2.0
    y.zero_()
    y.add_(x)
    y.sum().backward()
    return x.grad


def an_assignment_to_all_of_a_view_on_the_tape(paddle: Any) -> Any:
    x = leaf(paddle, 1.0, 2.0, 3.0)
    y = x * 2.0
    with paddle.no_grad():
        y[0] = 5.0
    return y


def strides_windows_and_bytes_are_written_to(paddle: Any) -> Any:
    answers: list[Any] = []
    views: list[Callable[[Any], Any]] = [
        lambda a: paddle.as_strided(a, [2], [2]),
        lambda a: a.unfold(0, 2, 2),
        lambda a: a.view("int32"),
    ]
    for view in views:
        a = paddle.ones([4])
        view(a).zero_()
        answers += [a, a.inplace_version]
    return answers


STORIES = (
    what_lies_in_the_memory_of_a_tensor_changes_with_it,
    what_is_overwritten_has_a_gradient_of_zeros,
    an_op_in_place_has_the_gradient_of_the_op,
    a_tensor_is_multiplied_by_itself_in_place,
    what_had_to_be_copied_counts_its_own_changes,
    a_quotient_rounded_in_place_has_a_gradient_of_zeros,
    what_is_assigned_to_has_a_gradient_of_zeros,
    a_view_on_the_tape_is_multiplied,
    a_view_on_the_tape_is_zeroed,
    a_base_on_the_tape_is_multiplied,
    a_part_of_plain_values_becomes_what_has_a_gradient,
    a_view_of_a_leaf_is_changed_on_the_tape,
    a_detached_tensor_is_written_to,
    a_parameter_is_changed_through_detach_and_trained,
    an_optimizer_changes_what_was_detached,
    a_row_is_written_to_without_gradients,
    a_view_of_a_view_of_a_view,
    views_that_do_not_meet,
    a_saved_value_is_changed_through_a_view,
    a_saved_value_is_changed_by_its_base,
    a_view_is_made_after_changes,
    a_tensor_cast_in_place_shares_no_more,
    a_reshape_in_place_shares_still,
    the_median_of_nothing_but_nan_has_a_gradient_of_zeros,
    a_pylayer_that_gives_integers_has_gradients,
    a_pylayer_that_gives_integers_gets_gradients_whole,
    a_filled_tensor_is_used_again,
    an_assignment_to_all_of_a_view_on_the_tape,
    strides_windows_and_bytes_are_written_to,
)
