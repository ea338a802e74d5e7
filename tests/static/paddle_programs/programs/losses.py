"""Losses: op types, attributes and the steps of formulas."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.compare import ABSENT
from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import data, labels, program


def back(paddle: Any, loss: Any, x: Any) -> Any:
    """The gradient of a loss with respect to the logits."""
    return paddle.static.gradients(loss, x)


def logits(paddle: Any) -> Any:
    """Rows of three numbers that get a gradient."""
    x = data(paddle, 3)
    x.stop_gradient = False
    return x


def classes(paddle: Any) -> Any:
    """A class for each row, without a dimension of its own."""
    return paddle.static.data("C", [None], "int64")


@program
def cross_entropies(paddle: Any) -> Any:
    function, x = paddle.nn.functional.cross_entropy, logits(paddle)
    column, label, soft = labels(paddle), classes(paddle), data(paddle, 3, "Y")
    total = function(x, column) + function(x, label, reduction="sum")
    total = total + function(x, soft, soft_label=True)
    return back(paddle, total, x)


@program
def cross_entropy_of_each(paddle: Any) -> Any:
    x, label = logits(paddle), classes(paddle)
    return back(
        paddle, paddle.nn.functional.cross_entropy(x, label, reduction="none"), x
    )


@program
def losses_of_differences(paddle: Any) -> Any:
    functional, x, y = paddle.nn.functional, logits(paddle), data(paddle, 3, "Y")
    total = functional.mse_loss(x, y) + functional.l1_loss(x, y, reduction="sum")
    total = total + functional.smooth_l1_loss(x, y, delta=0.25)
    return back(paddle, total, x)


@program
def losses_of_yes_and_no(paddle: Any) -> Any:
    functional, x, y = paddle.nn.functional, logits(paddle), data(paddle, 3, "Y")
    one = paddle.static.data("P", [None, 1])
    p = functional.sigmoid(x)
    total = functional.binary_cross_entropy(p, y)
    total = total + functional.binary_cross_entropy_with_logits(x, y)
    total = total + paddle.mean(functional.log_loss(one, one))
    return back(paddle, total, x)


@program
def losses_of_logarithms(paddle: Any) -> Any:
    functional, x, y = paddle.nn.functional, logits(paddle), data(paddle, 3, "Y")
    label, weight = classes(paddle), paddle.static.data("W", [3])
    logarithms = functional.log_softmax(x)
    total = functional.nll_loss(logarithms, label)
    total = total + functional.nll_loss(logarithms, label, weight)
    total = total + functional.kl_div(logarithms, y, "sum")
    return back(paddle, total, x)


@program
def cosines(paddle: Any) -> Any:
    functional, x, y = paddle.nn.functional, logits(paddle), data(paddle, 3, "Y")
    return back(paddle, functional.cosine_similarity(x, y, eps=0.5), x)


@program
def classes_in_a_tree(paddle: Any) -> Any:
    x, tree = logits(paddle), paddle.nn.HSigmoidLoss(3, 6)
    loss = tree(x, labels(paddle))
    return [loss, *paddle.static.gradients(loss, [x, tree.weight, tree.bias])]


SHAPES = "a gradient op reads the shapes of X and Y, as their dtypes may differ"
ONES = "no weights are no weights; Paddle makes a 1 and does not use it"
TREE = "the rule computes the scores anew, so that it has a derivative of its own"
NAMES = "a slot is the parameter's name with a capital for each word"

explained(
    *(
        Row(SHAPES, "input", "huber_loss_grad", slot, "losses_of_differences")
        for slot in "XY"
    ),
    *(
        Row(ONES, kind, where, program="losses_of_yes_and_no")
        for kind, where in (
            ("operators", "*"),
            ("variables", "fill_constant_1.tmp_0"),
        )
    ),
    Row(
        "the function takes the mean",
        "attr",
        "sigmoid_cross_entropy_with_logits*",
        "normalize",
        "losses_of_yes_and_no",
    ),
    Row(
        "the function reduces",
        "attr",
        "kldiv_loss*",
        "reduction",
        "losses_of_logarithms",
        ours=ABSENT,
    ),
    *(
        Row(NAMES, kind, "nll_loss*", "Total*eight", "losses_of_logarithms")
        for kind in ("output", "input")
    ),
    *(
        Row(TREE, kind, where, what, "classes_in_a_tree", ours=ABSENT)
        for kind, where, what in (
            ("output", "hierarchical_sigmoid", "PreOut"),
            ("input", "hierarchical_sigmoid_grad", "PreOut"),
            ("variables", "hsigmoid_loss_0.tmp_1", "name"),
        )
    ),
    Row(
        "an op does not write what it only reads",
        "output",
        "hierarchical_sigmoid",
        "W_Out",
        "classes_in_a_tree",
    ),
    *(
        Row(
            "there are no sparse tables on other machines",
            "attr",
            "hierarchical_sigmoid*",
            attr,
            "classes_in_a_tree",
            ours=ABSENT,
        )
        for attr in (
            "epmap",
            "height_sections",
            "is_sparse",
            "table_names",
            "trainer_id",
        )
    ),
)
