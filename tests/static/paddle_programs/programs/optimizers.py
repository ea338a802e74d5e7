"""One program for each optimizer, decay, clip and way to set the learning rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.static.paddle_programs.compare import ABSENT
from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import data, program


def loss_of(paddle: Any, **attrs: Any) -> Any:
    """The mean of a layer whose name sorts its bias before its weight."""
    return paddle.mean(paddle.static.nn.fc(data(paddle), 3, **attrs))


def optimized(name: str, make: Callable[[Any], Any], **attrs: Any) -> None:
    """Compare the program in which `make(paddle)` minimizes a loss."""

    def build(paddle: Any) -> Any:
        given = {key: attr(paddle) for key, attr in attrs.items()}
        return make(paddle).minimize(loss_of(paddle, **given))

    build.__name__ = name
    program(build)


optimized(
    "with_momentum",
    lambda p: p.optimizer.Momentum(0.1, 0.8, use_nesterov=True),
)
optimized(
    "with_adagrad",
    lambda p: p.optimizer.Adagrad(0.1, initial_accumulator_value=0.5),
)
optimized("with_adadelta", lambda p: p.optimizer.Adadelta(0.1, rho=0.9))
optimized(
    "with_rmsprop",
    lambda p: p.optimizer.RMSProp(0.1, momentum=0.5, centered=True, epsilon=1e-3),
)
optimized("with_adam", lambda p: p.optimizer.Adam(0.1, beta1=0.8))
optimized(
    "with_adamw",
    lambda p: p.optimizer.AdamW(
        0.1,
        weight_decay=0.5,
        apply_decay_param_fun=lambda name: ".w_" in name,
    ),
)
optimized("with_adamax", lambda p: p.optimizer.Adamax(0.1))
optimized(
    "with_lamb",
    lambda p: p.optimizer.Lamb(
        0.1, exclude_from_weight_decay_fn=lambda parameter: ".b_" in parameter.name
    ),
)
optimized("with_l2_decay", lambda p: p.optimizer.SGD(0.1, weight_decay=0.5))
optimized(
    "with_l1_decay",
    lambda p: p.optimizer.SGD(0.1, weight_decay=p.regularizer.L1Decay(0.5)),
)
optimized(
    "with_a_decay_of_its_own",
    lambda p: p.optimizer.SGD(0.1, weight_decay=0.5),
    weight_attr=lambda p: p.ParamAttr(regularizer=p.regularizer.L1Decay(0.25)),
)
optimized(
    "with_momentum_and_l2_decay",
    lambda p: p.optimizer.Momentum(0.1, weight_decay=0.5),
    weight_attr=lambda p: p.ParamAttr(regularizer=p.regularizer.L1Decay(0.25)),
    bias_attr=lambda p: p.ParamAttr(regularizer=p.regularizer.L2Decay(0.125)),
)
optimized(
    "with_adamw_and_a_decay_of_its_own",
    lambda p: p.optimizer.AdamW(0.1),
    weight_attr=lambda p: p.ParamAttr(regularizer=p.regularizer.L2Decay(0.25)),
)
optimized(
    "clipped_by_value",
    lambda p: p.optimizer.SGD(0.1, grad_clip=p.nn.ClipGradByValue(0.2)),
)
optimized(
    "clipped_by_norm",
    lambda p: p.optimizer.SGD(0.1, grad_clip=p.nn.ClipGradByNorm(0.2)),
)
optimized(
    "clipped_by_global_norm",
    lambda p: p.optimizer.Adam(0.1, grad_clip=p.nn.ClipGradByGlobalNorm(0.2)),
)
optimized(
    "clipped_and_decayed",
    lambda p: p.optimizer.SGD(
        0.1, weight_decay=0.5, grad_clip=p.nn.ClipGradByNorm(0.2)
    ),
)
optimized(
    "clipped_but_for_the_bias",
    lambda p: p.optimizer.SGD(0.1, grad_clip=p.nn.ClipGradByGlobalNorm(0.2)),
    bias_attr=lambda p: p.ParamAttr(need_clip=False),
)
optimized(
    "with_a_schedule",
    lambda p: p.optimizer.SGD(p.optimizer.lr.StepDecay(0.5, 2)),
    weight_attr=lambda p: p.ParamAttr(learning_rate=0.5),
)
optimized(
    "with_adam_and_rates_of_their_own",
    lambda p: p.optimizer.Adam(0.1),
    weight_attr=lambda p: p.ParamAttr(learning_rate=0.5),
)


@program
def two_optimizers_of_one_program(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 4, name="generator")
    out = paddle.static.nn.fc(hidden, 1, name="discriminator")
    parameters = paddle.static.default_main_program().all_parameters()
    adam, sgd = paddle.optimizer.Adam(0.1), paddle.optimizer.SGD(0.2, weight_decay=0.5)
    first = adam.minimize(paddle.mean(out), parameters=parameters[2:])
    second = sgd.minimize(paddle.mean(hidden), parameters=parameters[:2])
    return [first, second]


NO_FLOAT16 = "there is no float16 here"
NO_SPARSE = "there are no sparse gradients, nor threads to divide them among"
COUNTED = "Paddle counts a call of `full` twice"

explained(
    *(
        Row(NO_FLOAT16, "attr", op, "multi_precision", ours=ABSENT)
        for op in (
            "momentum",
            "adagrad",
            "adadelta",
            "rmsprop",
            "adam",
            "adamw",
            "adamax",
            "lamb",
        )
    ),
    *(
        Row(NO_SPARSE, "attr", op, attr, ours=ABSENT)
        for op in ("adam", "adamw")
        for attr in ("lazy_mode", "min_row_size_to_use_multithread")
    ),
    *(
        Row("every parameter has powers of its own", "attr", op, "use_global_beta_pow")
        for op in ("adam", "adamw")
    ),
    *(
        Row(COUNTED, kind, where, program="clipped_*")
        for kind, where in (
            ("output", "fill_constant"),
            ("input", "elementwise_max"),
            ("input", "elementwise_div"),
            ("variables", "fill_constant_[01].tmp_0"),
        )
    ),
    Row(
        "no gradient goes to what an optimizer remembers",
        "variable",
        "*_0",
        "stop_gradient",
        paddle=False,
        ours=True,
    ),
)
