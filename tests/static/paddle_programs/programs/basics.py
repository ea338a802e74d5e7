"""Layers, losses, gradients and updates: what a two-layer network needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.static.paddle_programs.programs.program import (
    Builder,
    data,
    labels,
    program,
    sgd,
)


@program
def four_lines(paddle: Any) -> Any:
    x = paddle.static.data(name="X", shape=[None, 1], dtype="float32")
    y = paddle.static.nn.fc(x, size=10)
    loss = paddle.mean(y)
    return paddle.optimizer.SGD(learning_rate=0.01).minimize(loss)


@program
def four_lines_of_a_known_batch(paddle: Any) -> Any:
    x = paddle.static.data("X", [4, 1])
    return sgd(paddle, paddle.mean(paddle.static.nn.fc(x, 10)))


@program
def mlp(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 5, activation="relu")
    logits = paddle.static.nn.fc(hidden, 3)
    label = labels(paddle)
    loss = paddle.mean(paddle.nn.functional.softmax_with_cross_entropy(logits, label))
    accuracy = paddle.static.accuracy(paddle.nn.functional.softmax(logits), label)
    return [accuracy, sgd(paddle, loss)]


@program
def mlp_cloned_for_a_test(paddle: Any) -> Any:
    logits = paddle.static.nn.fc(data(paddle), 3, activation="softmax")
    loss = paddle.mean(logits)
    main = paddle.static.default_main_program()
    before = main.clone(for_test=True)
    sgd(paddle, loss)
    return [before, main.clone(for_test=True), main.clone()]


def cross_entropy(paddle: Any, probability: Any, label: Any) -> Any:
    """The loss of 1.x, of which 2.6 has kept the operator but no function."""
    if hasattr(paddle, "fluid"):
        return paddle.fluid.layers.cross_entropy(probability, label)
    from paddle.base.layer_helper import LayerHelper

    helper = LayerHelper("cross_entropy2")
    loss, shape, match = (
        helper.create_variable_for_type_inference("float32") for _ in range(3)
    )
    helper.append_op(
        type="cross_entropy2",
        inputs={"X": [probability], "Label": [label]},
        outputs={"Y": [loss], "MatchX": [match], "XShape": [shape]},
        attrs={"ignore_index": -100},
    )
    return loss


def relu(x: Any) -> Any:
    """max(x, 0), as a user would write it."""
    return np.maximum(np.array(x), 0)


def relu_grad(y: Any, dy: Any) -> Any:
    """dy where y > 0."""
    return np.array(dy) * (np.array(y) > 0)


def relu_of_digits(paddle: Any, hidden: Any) -> Any:
    """The user's ReLU as an operator on a variable made by hand."""
    block = paddle.static.default_main_program().current_block()
    out = block.create_var(name="relu", dtype="float32", shape=hidden.shape)
    return paddle.static.nn.py_func(
        relu, hidden, out, backward_func=relu_grad, skip_vars_in_backward_input=hidden
    )


def digits(paddle: Any, activated: Builder) -> Any:
    """Two fully connected layers of 100 and 10, loss, accuracy and training."""
    image, label = data(paddle, 784, "image"), labels(paddle)
    hidden = activated(paddle.static.nn.fc(image, 100))
    prediction = paddle.static.nn.fc(hidden, 10, activation="softmax")
    loss = paddle.mean(cross_entropy(paddle, prediction, label))
    accuracy = paddle.static.accuracy(prediction, label)
    trained = sgd(paddle, loss)
    test = paddle.static.default_main_program().clone(for_test=True)
    return [accuracy, trained, test]


@program
def digits_with_a_py_func(paddle: Any) -> Any:
    return digits(paddle, lambda hidden: relu_of_digits(paddle, hidden))


@program
def digits_with_relu(paddle: Any) -> Any:
    return digits(paddle, paddle.nn.functional.relu)


@program
def digits_in_2x_words(paddle: Any) -> Any:
    image, label = data(paddle, 784, "image"), labels(paddle)
    hidden = paddle.static.nn.fc(image, 100, activation="relu")
    logits = paddle.static.nn.fc(hidden, 10)
    loss = paddle.nn.functional.cross_entropy(logits, label)
    accuracy = paddle.static.accuracy(logits, label)
    return [accuracy, sgd(paddle, loss)]


@program
def fan_out(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4)
    once = paddle.add(paddle.tanh(hidden), hidden)
    twice = paddle.add(once, hidden)
    return paddle.static.append_backward(paddle.mean(twice))


@program
def x_times_x(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4)
    return paddle.static.append_backward(paddle.mean(hidden * hidden))


@program
def shared_parameter(paddle: Any) -> Any:
    attr = paddle.ParamAttr(name="shared")
    hidden = paddle.static.nn.fc(data(paddle), 4, weight_attr=attr, bias_attr=False)
    out = paddle.static.nn.fc(hidden, 4, weight_attr=attr, bias_attr=False)
    return sgd(paddle, paddle.mean(out))


@program
def relu_before_fc(paddle: Any) -> Any:
    hidden = paddle.nn.functional.relu(data(paddle))
    return sgd(paddle, paddle.mean(paddle.static.nn.fc(hidden, 3)))


@program
def loss_that_is_no_scalar(paddle: Any) -> Any:
    return paddle.static.append_backward(paddle.static.nn.fc(data(paddle), 3))


@program
def loss_of_known_shape(paddle: Any) -> Any:
    x = paddle.static.data("X", [2, 4])
    return paddle.static.append_backward(paddle.static.nn.fc(x, 3))


@program
def chain(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 3)
    return sgd(paddle, paddle.mean(paddle.sqrt(paddle.exp(hidden * 2.0 + 1.0)) / 4.0))


@program
def linear_layers(paddle: Any) -> Any:
    first, second = paddle.nn.Linear(4, 5), paddle.nn.Linear(5, 3)
    logits = second(paddle.nn.functional.relu(first(data(paddle))))
    loss = paddle.nn.functional.cross_entropy(logits, labels(paddle))
    return sgd(paddle, loss)


@program
def linear_sequential(paddle: Any) -> Any:
    nn = paddle.nn
    net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2, bias_attr=False))
    y = paddle.static.data("Y", [None, 2])
    return sgd(paddle, nn.functional.mse_loss(net(data(paddle)), y))


def two_in_two_out(x: Any, y: Any) -> Any:
    """Sum and difference."""
    return np.array(x) + np.array(y), np.array(x) - np.array(y)


@program
def py_func_of_two(paddle: Any) -> Any:
    first, second = (paddle.static.nn.fc(data(paddle), 3) for _ in range(2))
    block = paddle.static.default_main_program().current_block()
    outs = [block.create_var(name=n, shape=[-1, 3], dtype="float32") for n in "ab"]

    def backward(y: Any, a: Any, da: Any, db: Any) -> Any:
        return np.array(da) + np.array(db), np.array(da) - np.array(db)

    paddle.static.nn.py_func(
        two_in_two_out,
        [first, second],
        outs,
        backward,
        skip_vars_in_backward_input=[first, outs[1]],
    )
    return sgd(paddle, paddle.mean(outs[0] * outs[1]))


@program
def py_func_without_a_gradient(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 3)
    block = paddle.static.default_main_program().current_block()
    out = block.create_var(name="out", shape=[-1, 3], dtype="float32")
    paddle.static.nn.py_func(relu, hidden, out)
    return sgd(paddle, paddle.mean(paddle.static.nn.fc(out, 2)))


@program
def gradients_of_inputs(paddle: Any) -> Any:
    x, y = data(paddle), data(paddle, 4, "Y")
    x.stop_gradient = y.stop_gradient = False
    product = x * y
    return paddle.static.gradients([product], [x, y])


@program
def gradients_with_weights(paddle: Any) -> Any:
    x, weights = data(paddle), data(paddle, 4, "V")
    x.stop_gradient = False
    return paddle.static.gradients(paddle.tanh(x), x, target_gradients=weights)


@program
def gradients_of_two_targets(paddle: Any) -> Any:
    x = data(paddle)
    x.stop_gradient = False
    hidden = paddle.tanh(x)
    return paddle.static.gradients([paddle.exp(hidden), hidden], x)


@program
def gradients_that_nothing_reaches(paddle: Any) -> Any:
    x, y = data(paddle), data(paddle, 4, "Y")
    x.stop_gradient = y.stop_gradient = False
    return paddle.static.gradients(x * 2.0, [x, y])


@program
def second_order_of_a_square(paddle: Any) -> Any:
    x = paddle.static.data("X", [3, 4])
    x.stop_gradient = False
    first = paddle.static.gradients(x * x, x)
    return [*first, *paddle.static.gradients(first, x)]


@program
def second_order_of_tanh(paddle: Any) -> Any:
    x = paddle.static.data("X", [3, 4])
    x.stop_gradient = False
    first = paddle.static.gradients(paddle.tanh(x), x)
    return [*first, *paddle.static.gradients(first, x)]


@program
def cut_by_stop_gradient(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4)
    hidden.stop_gradient = True
    return sgd(paddle, paddle.mean(paddle.static.nn.fc(hidden, 3)))


@program
def cut_on_one_of_two_ways(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4)
    turned = paddle.tanh(hidden)
    turned.stop_gradient = True
    return sgd(paddle, paddle.mean(paddle.add(turned, hidden)))


@program
def no_grad_set(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4)
    out = paddle.static.nn.fc(hidden, 3)
    loss = paddle.mean(paddle.add(out, out))
    return paddle.static.append_backward(loss, no_grad_set={hidden.name})


@program
def no_grad_set_with_a_parameter(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4)
    out = paddle.static.nn.fc(hidden, 3)
    weight = paddle.static.default_main_program().all_parameters()[2]
    return sgd(paddle, paddle.mean(out), no_grad_set={weight.name})


@program
def parameter_list(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4)
    loss = paddle.mean(paddle.static.nn.fc(hidden, 3))
    return paddle.static.append_backward(loss, parameter_list=["fc_0.w_0", "fc_1.b_0"])


@program
def parameter_list_of_minimize(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4)
    loss = paddle.mean(paddle.static.nn.fc(hidden, 3))
    wanted = paddle.static.default_main_program().all_parameters()[:2]
    return sgd(paddle, loss, parameters=wanted)


@program
def nothing_trainable(paddle: Any) -> Any:
    return paddle.static.append_backward(paddle.mean(data(paddle)))


@program
def nothing_trainable_minimized(paddle: Any) -> Any:
    return sgd(paddle, paddle.mean(data(paddle)))


@program
def frozen_layer(paddle: Any) -> Any:
    frozen = paddle.ParamAttr(trainable=False)
    hidden = paddle.static.nn.fc(
        data(paddle), 4, weight_attr=frozen, bias_attr=frozen, activation="relu"
    )
    return sgd(paddle, paddle.mean(paddle.static.nn.fc(hidden, 3)))


@program
def frozen_in_the_middle(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4)
    frozen = paddle.ParamAttr(trainable=False)
    middle = paddle.static.nn.fc(hidden, 4, weight_attr=frozen, bias_attr=False)
    return sgd(paddle, paddle.mean(middle))


@program
def learning_rate_of_its_own(paddle: Any) -> Any:
    slow = paddle.ParamAttr(learning_rate=0.5)
    out = paddle.static.nn.fc(data(paddle), 3, weight_attr=slow)
    return sgd(paddle, paddle.mean(out))


@program
def named(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4, name="encoder", activation="tanh")
    weight, bias = paddle.ParamAttr(name="W"), paddle.ParamAttr(name="B")
    out = paddle.static.nn.fc(
        hidden, 3, name="decoder", weight_attr=weight, bias_attr=bias
    )
    return sgd(paddle, paddle.mean(out, name="loss"))


@program
def named_functions(paddle: Any) -> Any:
    functional = paddle.nn.functional
    x = paddle.static.nn.fc(data(paddle), 4)
    total = paddle.add(x, paddle.exp(x, name="power"), name="total")
    bent = functional.relu(paddle.subtract(total, x, name="rest"), name="bent")
    flat = paddle.reshape(bent, [-1, 2, 2])
    best, _ = paddle.topk(flat, 1, name="best")
    both = paddle.concat([paddle.tanh(best, name="bounded"), best], 2, name="both")
    shares = functional.softmax(both, name="shares")
    return sgd(paddle, paddle.mean(paddle.scale(shares, 3.0, name="scaled")))


@program
def two_inputs(paddle: Any) -> Any:
    x, y = data(paddle), data(paddle, 2, "Y")
    return sgd(paddle, paddle.mean(paddle.static.nn.fc([x, y], 3)))


@program
def flattened(paddle: Any) -> Any:
    x = paddle.static.data("X", [None, 2, 3])
    out = paddle.static.nn.fc(x, 4)
    rows = paddle.static.nn.fc(x, 5, num_flatten_dims=2)
    return sgd(paddle, paddle.add(paddle.mean(out), paddle.mean(rows)))


@program
def activations(paddle: Any) -> Any:
    hidden = data(paddle)
    for activation in ("sigmoid", "tanh", "relu", "softmax", "square", "abs"):
        hidden = paddle.static.nn.fc(hidden, 4, activation=activation, bias_attr=False)
    return sgd(paddle, paddle.mean(hidden))


@program
def initializers(paddle: Any) -> Any:
    given = paddle.nn.initializer
    for initializer in (
        given.Constant(0.5),
        given.Uniform(-0.25, 0.75),
        given.Normal(1.0, 2.0),
        given.XavierUniform(),
        given.XavierNormal(),
    ):
        attr = paddle.ParamAttr(initializer=initializer)
        paddle.static.nn.fc(data(paddle), 3, weight_attr=attr, bias_attr=False)


@program
def operators(paddle: Any) -> Any:
    x, y = data(paddle), data(paddle, 4, "Y")
    found = [x + y, x - y, x * y, x / y, x**y]
    found += [x + 1.0, 1.0 + x, x - 1.0, 1.0 - x, x * 2.0, 2.0 * x, x / 2.0, 1.0 / x]
    found += [x**2.0, -x, x < y, x <= y, x > y, x >= y, x == y, x != y, x > 0.0]
    return found


@program
def functions(paddle: Any) -> Any:
    x, y = data(paddle), data(paddle, 4, "Y")
    found = [paddle.add(x, y), paddle.subtract(x, y), paddle.multiply(x, y)]
    found += [paddle.divide(x, y), paddle.maximum(x, y), paddle.minimum(x, y)]
    found += [paddle.exp(x), paddle.sqrt(x), paddle.log(x), paddle.abs(x)]
    found += [paddle.square(x), paddle.tanh(x), paddle.sign(x)]
    found += [paddle.nn.functional.sigmoid(x), paddle.nn.functional.softmax(x)]
    found += [paddle.scale(x, 2.0, 1.0), paddle.pow(x, 2.0)]
    found += [paddle.equal(x, y), paddle.less_than(x, y), paddle.greater_than(x, y)]
    found += [paddle.cast(x, "float64"), paddle.argmax(x, axis=1), *paddle.topk(x, 2)]
    return found


@program
def gradients_of_functions(paddle: Any) -> Any:
    x, y = data(paddle), data(paddle, 4, "Y")
    x.stop_gradient = y.stop_gradient = False
    found = [paddle.maximum(x, y), paddle.minimum(x, y), paddle.subtract(x, y)]
    found += [paddle.log(x), paddle.square(y), paddle.cast(x, "float64"), x**y, x / y]
    total = paddle.concat([paddle.cast(each, "float32") for each in found], axis=0)
    return paddle.static.gradients(paddle.max(total, axis=0), [x, y])


@program
def gradients_of_parameters(paddle: Any) -> Any:
    out = paddle.static.nn.fc(data(paddle), 3)
    parameters = paddle.static.default_main_program().all_parameters()
    return paddle.static.gradients(paddle.mean(out), parameters)


@program
def gradients_where_data_stops_them(paddle: Any) -> Any:
    x, y = data(paddle), data(paddle, 4, "Y")
    y.stop_gradient = False
    return paddle.static.gradients(paddle.tanh(x) * y + x * y, [x, y])


@program
def operators_on_integers(paddle: Any) -> Any:
    i = paddle.static.data("I", [None, 4], "int64")
    found = [i + 1, i + 1.5, i * 2, i * 0.5, i / 2, 1 - i, i - 1.5, i < 2]
    return [*found, i.astype("float32"), i[0], i[:, 1]]


@program
def constants(paddle: Any) -> Any:
    x = data(paddle)
    found = [paddle.full([2, 3], 1.5, "float64")]
    found += [paddle.zeros_like(x), paddle.ones_like(x), paddle.full_like(x, 2.0)]
    found += [
        paddle.rand([2]),
        paddle.randn([2]),
        paddle.uniform([2], min=0.0, max=3.0),
    ]
    found += [
        paddle.static.create_global_var([2], 0.5, "float32", persistable=True),
        paddle.static.create_global_var([1], 1, "int64", persistable=True, name="step"),
    ]
    return found


@program
def shapes(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 6)
    block = paddle.reshape(hidden, [-1, 2, 3])
    turned = paddle.transpose(block, [0, 2, 1])
    joined = paddle.concat([turned, turned], axis=2)
    part = joined[:, 1:3, 0]
    return sgd(paddle, paddle.mean(paddle.unsqueeze(part, 1)))


@program
def products(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 3)
    weight = paddle.nn.Linear(3, 3).weight
    product = paddle.matmul(hidden, weight, transpose_y=True)
    return sgd(paddle, paddle.mean(product @ paddle.transpose(weight, [1, 0])))


@program
def reductions(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 3)
    rows = paddle.sum(hidden, axis=1)
    columns = paddle.mean(hidden, axis=0, keepdim=True)
    largest = paddle.max(hidden, axis=-1)
    total = paddle.sum(rows) + paddle.sum(columns) + paddle.sum(largest)
    mean, flat = paddle.mean(hidden, axis=[0, 1]), paddle.max(rows, axis=0)
    return sgd(paddle, total + mean * flat)


@program
def broadcasting(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 3)
    column = paddle.sum(hidden, axis=1, keepdim=True)
    return sgd(paddle, paddle.mean((hidden - column) / (column * column)))


@program
def losses(paddle: Any) -> Any:
    functional = paddle.nn.functional
    out, wanted = paddle.static.nn.fc(data(paddle), 3), data(paddle, 3, "Y")
    squared = functional.square_error_cost(out, wanted)
    soft = functional.softmax_with_cross_entropy(out, wanted, soft_label=True)
    loss, probability = functional.softmax_with_cross_entropy(
        out, labels(paddle), return_softmax=True
    )
    total = paddle.mean(squared) + paddle.mean(soft) + paddle.mean(loss)
    return [probability, sgd(paddle, total)]


@program
def loss_after_an_update(paddle: Any) -> Any:
    shared = paddle.ParamAttr(name="shared")
    x = data(paddle)
    out = paddle.static.nn.fc(x, 3, weight_attr=shared, bias_attr=False)
    first = sgd(paddle, paddle.mean(out))
    again = paddle.static.nn.fc(x * 2.0, 3, weight_attr=shared, bias_attr=False)
    return [first, sgd(paddle, paddle.mean(again))]


@program
def py_func_on_data(paddle: Any) -> Any:
    x = data(paddle)
    block = paddle.static.default_main_program().current_block()
    out = block.create_var(name="out", shape=[-1, 4], dtype="float32")
    paddle.static.nn.py_func(relu, x, out, relu_grad, x)
    return sgd(paddle, paddle.mean(paddle.static.nn.fc(out, 2)))


@program
def operators_by_hand(paddle: Any) -> Any:
    x = data(paddle)
    block = paddle.static.default_main_program().current_block()
    given, wrong, one = (block.create_var(name=name) for name in ("a", "b", "c"))
    block.append_op(type="relu", inputs={"X": x}, outputs={"Out": given})
    block.append_op(type="tanh", inputs={"X": [given]}, outputs={"Out": [wrong]})
    attrs = {"shape": [2], "value": 1.0, "dtype": 5}
    block.append_op(type="fill_constant", outputs={"Out": one}, attrs=attrs)
    return [given, wrong, one]


@program
def two_losses(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4, name="generator")
    out = paddle.static.nn.fc(hidden, 1, name="discriminator")
    parameters = paddle.static.default_main_program().all_parameters()
    first = sgd(paddle, paddle.mean(out), parameters=parameters[2:])
    second = sgd(paddle, paddle.mean(hidden), parameters=parameters[:2])
    return [first, second]
