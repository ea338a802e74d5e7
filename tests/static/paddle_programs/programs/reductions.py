"""Reductions, scans, orders and searches."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.differences import Row, explained, without
from tests.static.paddle_programs.programs.program import data, program


def rows(paddle: Any) -> Any:
    """A known number of rows, with a gradient."""
    x = paddle.static.data("X", [3, 4], "float32")
    x.stop_gradient = False
    return x


def back(paddle: Any, found: list[Any], x: Any) -> Any:
    """The gradients of all that has one."""
    return paddle.static.gradients(found, [x])


@program
def extremes(paddle: Any) -> Any:
    x = data(paddle)
    x.stop_gradient = False
    found = [paddle.min(x, axis=1), paddle.max(x), paddle.min(x, [0, 1], True)]
    found += [paddle.amax(x, axis=-1, keepdim=True), paddle.amin(x, axis=[0, 1])]
    return back(paddle, found, x)


@program
def products_and_truths(paddle: Any) -> Any:
    x = data(paddle)
    x.stop_gradient = False
    found = [paddle.prod(x, axis=1), paddle.prod(x), paddle.prod(x, [0], True)]
    found += [paddle.logsumexp(x), paddle.logsumexp(x, [1]), paddle.logsumexp(x, -1)]
    truth = x > 0.5
    answers = [paddle.all(truth, axis=1), paddle.any(truth), paddle.any(truth, [0, 1])]
    counts = [paddle.sum(truth, axis=0), paddle.count_nonzero(x, axis=1)]
    return [*back(paddle, found, x), *answers, *counts]


@program
def norms(paddle: Any) -> Any:
    x = data(paddle)
    x.stop_gradient = False
    norm = paddle.linalg.norm if hasattr(paddle, "base") else paddle.norm
    found = [norm(x), norm(x, "fro", [0, 1], True), norm(x, 2, axis=1)]
    found += [norm(x, "fro", -1), norm(x, 1, [0]), norm(x, 3.0), norm(x, 0, axis=1)]
    found += [norm(x, float("inf"), axis=1), norm(x, -float("inf"), 1, True)]
    return back(paddle, found, x)


@program
def running(paddle: Any) -> Any:
    x = rows(paddle)
    found = [paddle.cumsum(x), paddle.cumsum(x, axis=1), paddle.cumprod(x, dim=0)]
    found += [paddle.logcumsumexp(x), paddle.logcumsumexp(x, axis=-1)]
    return back(paddle, found, x)


@program
def running_extremes(paddle: Any) -> Any:
    x = rows(paddle)
    largest, smallest = paddle.cummax(x, axis=1), paddle.cummin(x, 0, "int32")
    return [largest[1], smallest[1], *back(paddle, [largest[0], smallest[0]], x)]


@program
def in_order(paddle: Any) -> Any:
    x = rows(paddle)
    best, places = paddle.topk(x, 2)
    least, _ = paddle.topk(x, 1, axis=0, largest=False)
    second, _ = paddle.kthvalue(x, 2)
    found = [best, least, second]
    where = [paddle.argsort(x, axis=0), paddle.argmax(x), paddle.argmin(x, 0, True)]
    where += [paddle.argmax(x, axis=1, dtype="int32"), places]
    return [*where, *back(paddle, found, x)]


@program
def sorted_rows(paddle: Any) -> Any:
    x = rows(paddle)
    return back(paddle, [paddle.sort(x, axis=1), paddle.sort(x, -2, True)], x)


@program
def searches(paddle: Any) -> Any:
    x = rows(paddle)
    mask = x > 0.5
    chosen = paddle.masked_select(x, mask)
    edges = paddle.cumsum(x[0] * x[0])
    found = [paddle.nonzero(x), *paddle.nonzero(mask, as_tuple=True)]
    found += [paddle.searchsorted(edges, x), paddle.bucketize(x, edges, right=True)]
    found += [paddle.histogram(x, 4, 0, 2)]
    return [*found, *back(paddle, [chosen], x)]


@program
def what_is_different(paddle: Any) -> Any:
    x = rows(paddle)
    i = paddle.static.data("I", [5], "int64")
    found = [paddle.unique(x), *paddle.unique(i, True, True, True)]
    found += [*paddle.unique_consecutive(x, True, True, axis=0)]
    found += [paddle.bincount(i), paddle.bincount(i, minlength=7)]
    return found


@program
def variances(paddle: Any) -> Any:
    x = data(paddle)
    x.stop_gradient = False
    found = [paddle.var(x, 0, unbiased=False), paddle.std(x, unbiased=False)]
    return back(paddle, found, x)


LOWER_CASE = "Paddle writes the slots of these two ops in lower case, of no others"
CALLED_SORT = "`sort` is the op argsort, and what comes of it is called so"
NOT_ASKED = "Paddle leaves open the shape of what is not asked for"
IN_ONE_OP = (
    "the mean of squares is `square` and `reduce_mean`; Paddle divides a sum by the "
    "quotient of two sizes"
)

explained(
    Row("no quotient Out / X, which 0 forbids", "input", "reduce_prod_grad", "Out"),
    *without("a norm at 0 has the gradient 0, not one of 0 / epsilon", "p_*", "eps*"),
    *without("a reduction does not cast; `cast` does", "frobenius_*", "*_dtype"),
    *without("no function asks for it", "logcumsumexp*", "exclusive reverse"),
    *without("the k best always come in order", "top_k_v2_grad", "sorted"),
    *without("results always are in order", "unique", "is_sorted"),
    *without("all results are there to be taken", "unique*", "return_*"),
    *(
        Row(LOWER_CASE, kind, "cumm*", program="running_extremes")
        for kind in ("input", "output")
    ),
    *(
        Row(CALLED_SORT, kind, program="sorted_rows")
        for kind in ("input", "output", "variables")
    ),
    Row(
        "places are int64; Paddle declares those of kthvalue as it does the values",
        "variable",
        "kthvalue_0.tmp_1",
        "dtype",
        paddle="float32",
    ),
    Row(NOT_ASKED, "variable", "unique_0.tmp_*", "shape", paddle=[]),
    *(
        Row(IN_ONE_OP, kind, program="variances")
        for kind in ("operators", "input", "output", "variables", "variable")
    ),
)
