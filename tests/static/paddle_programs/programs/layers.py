"""Layers that make their own parameters, with what they learn by."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.compare import ABSENT
from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.norms import MOMENTS
from tests.static.paddle_programs.programs.program import data, program, sgd

KEPT = "a sum that keeps its dimensions spares Paddle's reshapes there and back"

explained(
    *(
        Row(KEPT, kind, where, program=normalised)
        for normalised, differing in {
            "layers_of_normalised_weights": (
                ("attr", "reduce_sum*"),
                ("operators", "*"),
                ("variables", "Xshape"),
                ("variable", "fc_0.weight_norm_*"),
            ),
            "layers_of_weights_normalised_by_channels": (
                ("attr", "reduce_sum"),
                ("attr", "elementwise_mul"),
                ("operators", "*"),
                ("input", "abs"),
                ("input", "elementwise_*"),
                ("output", "pow"),
                ("variables", "*"),
                ("variable", "*.weight_norm_*"),
            ),
        }.items()
        for kind, where in differing
    ),
    *(
        Row(
            "the size of a weight is known: it needs no test whether there is one",
            kind,
            where,
            program="layers_that_divide_their_weights",
        )
        for kind, where in (
            ("operators", "*"),
            ("variables", "numel_0.tmp_0"),
            ("variables", "tmp_[01]"),
        )
    ),
    Row(
        "what gets no gradient is not trained",
        "variable",
        "spectral_norm_0.w_[01]",
        "trainable",
    ),
    Row(
        "room for a GPU's library",
        "variables",
        "batch_norm_?.tmp_2",
        ours=ABSENT,
    ),
    *(
        Row(
            "in a test as well, what is kept has a shape",
            "variable",
            f"batch_norm_1.tmp_{i}",
            "shape",
            "layers_of_norms",
            paddle=[],
            ours=[2],
        )
        for i in range(2)
    ),
    Row(
        "a variable of two programs has its shape in both",
        "variable",
        "fc_0.*",
        "shape",
        "moving_averages",
        paddle=[],
    ),
    Row(
        "a weight of each row, which nobody asked for",
        "operators",
        program="areas_*",
        paddle=["fill_constant"],
        ours=[],
    ),
    Row(
        "a weight of each row, which nobody asked for",
        "variables",
        "fill_constant_1.tmp_0",
        program="areas_*",
    ),
    Row("slots are words; this one is an abbreviation", "output", "auc", "A[Uu][Cc]"),
    Row(
        "Paddle declares the area int64, but float64 is what it is when it runs",
        "variable",
        "auc_0.tmp_[01]",
        "dtype",
        paddle="int64",
        ours="float64",
    ),
    Row(
        "no gradient goes through counts",
        "variable",
        "_generated_var_?",
        "stop_gradient",
        "areas_*",
    ),
    Row(MOMENTS, "variable", "_generated_var_?", "stop_gradient", "layers_of_norms"),
    Row(
        "what Paddle appends from C++ has no name scope; here it has the program's",
        "attr",
        what="op_namescope",
        program="parameters_*",
        paddle="",
        ours="/outer_1/",
    ),
)


def image(paddle: Any, *shape: int, name: str = "image") -> Any:
    """A batch of images with a gradient."""
    x = paddle.static.data(name, [None, *shape])
    x.stop_gradient = False
    return x


def learnt(paddle: Any, *outs: Any) -> Any:
    """A step towards small results."""
    loss, *others = [paddle.mean(out * out) for out in outs]
    for other in others:
        loss = loss + other
    return sgd(paddle, loss)


@program
def layers_of_convolutions(paddle: Any) -> Any:
    nn = paddle.static.nn
    x = nn.conv2d(image(paddle, 2, 6, 6), 4, 3, act="relu")
    x = nn.conv2d(x, 4, [3, 2], 2, "SAME", groups=2, bias_attr=False)
    x = nn.conv2d_transpose(x, 3, filter_size=2, stride=2, act="tanh")
    return learnt(paddle, nn.conv2d_transpose(x, 2, output_size=[8, 8], stride=2))


@program
def layers_of_convolutions_otherwise(paddle: Any) -> Any:
    nn = paddle.static.nn
    last = nn.conv2d(
        image(paddle, 6, 6, 2), 2, 3, padding=[1, 2], data_format="NHWC", name="last"
    )
    shared = paddle.ParamAttr(name="shared")
    other = image(paddle, 2, 4, 4, name="other")
    first = nn.conv2d(other, 2, 3, param_attr=shared, padding=1)
    second = nn.conv2d(first, 2, 3, param_attr=shared, padding=1, bias_attr=False)
    volume = nn.conv3d(image(paddle, 1, 3, 3, 3, name="volume"), 2, 2)
    larger = nn.conv3d_transpose(volume, 1, filter_size=2)
    return learnt(paddle, last, second, larger)


@program
def layers_of_norms(paddle: Any) -> Any:
    nn = paddle.static.nn
    x = nn.batch_norm(image(paddle, 2, 3, 3), act="relu")
    x = nn.batch_norm(
        x, is_test=True, moving_mean_name="mean", moving_variance_name="variance"
    )
    x = nn.layer_norm(x, begin_norm_axis=2, act="tanh")
    x = nn.layer_norm(x, shift=False)
    w, b = paddle.ParamAttr(name="w"), paddle.ParamAttr(name="b")
    x = nn.group_norm(x, 2, param_attr=w, bias_attr=b, act="sigmoid")
    test = paddle.static.default_main_program().clone(for_test=True)
    return [learnt(paddle, x), test]


@program
def layers_of_instance_norms(paddle: Any) -> Any:
    w, b = paddle.ParamAttr(name="w"), paddle.ParamAttr(name="b")
    x = paddle.static.nn.instance_norm(
        image(paddle, 2, 3, 3), param_attr=w, bias_attr=b
    )
    return learnt(paddle, x)


@program
def layers_of_tables_and_slopes(paddle: Any) -> Any:
    nn = paddle.static.nn
    ids = paddle.static.data("ids", [None, 3], "int64")
    rows = nn.embedding(ids, [5, 4], padding_idx=-1)
    x = paddle.unsqueeze(rows, [3])
    slopes = [
        nn.prelu(x, "all"),
        nn.prelu(x, "channel"),
        nn.prelu(x, "element", name="each"),
    ]
    return learnt(paddle, *slopes)


@program
def layers_of_bilinear_products(paddle: Any) -> Any:
    x, y = data(paddle), data(paddle, 3, "Y")
    out = paddle.static.nn.bilinear_tensor_product(x, y, 2, act="relu")
    return learnt(paddle, out)


@program
def parameters_and_global_variables(paddle: Any) -> Any:
    static = paddle.static
    w = static.create_parameter([4, 2], "float32")
    b = static.create_parameter([2], "float32", name="shift", is_bias=True)
    step = static.create_global_var([1], 2.5, "float32", persistable=True)
    with static.name_scope("outer"):
        out = paddle.matmul(data(paddle), w) + b
        with static.name_scope("inner"):
            out = out * step
    with static.name_scope("outer"):
        return learnt(paddle, out)


@program
def moving_averages(paddle: Any) -> Any:
    returned = sgd(paddle, paddle.mean(paddle.static.nn.fc(data(paddle), 2)))
    averages = paddle.static.ExponentialMovingAverage(0.9)
    averages.update()
    return [returned, averages.restore_program]


@program
def areas_under_curves(paddle: Any) -> Any:
    scores = paddle.static.nn.fc(data(paddle), 2, activation="softmax")
    label = paddle.static.data("label", [None, 1], "bool")
    label = paddle.cast(label, "int64")
    of_all, of_some, counts = paddle.static.auc(scores, label, num_thresholds=15)
    return [of_all, of_some, counts]


@program
def layers_that_divide_their_weights(paddle: Any) -> Any:
    nn = paddle.static.nn
    weight = paddle.static.data("W", [3, 2, 2])
    weight.stop_gradient = False
    out = nn.spectral_norm(weight, dim=1, power_iters=2)
    return paddle.static.gradients(out, [weight])


@program
def layers_that_look_ahead(paddle: Any) -> Any:
    x = paddle.static.data("X", [None, 5, 3])
    return learnt(paddle, paddle.static.nn.row_conv(x, 2, act="tanh"))


@program
def layers_of_normalised_weights(paddle: Any) -> Any:
    attr = paddle.static.WeightNormParamAttr(name="normalised")
    return learnt(paddle, paddle.static.nn.fc(data(paddle), 3, weight_attr=attr))


@program
def layers_of_weights_normalised_by_channels(paddle: Any) -> Any:
    nn, normalised = paddle.static.nn, paddle.static.WeightNormParamAttr
    x = nn.conv2d(image(paddle, 2, 4, 4), 3, 3, param_attr=normalised(dim=0))
    return nn.fc(x, 4, weight_attr=normalised(dim=1))
