"""Functions of one number, of two, and of truth."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.compare import ABSENT
from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import data, program

POWERS = ["expm1", "log1p", "log2", "log10", "rsqrt", "reciprocal", "logit"]
ERRORS = ["erf", "erfinv", "stanh"]
ANGLES = ["sin", "cos", "tan", "asin", "acos", "atan"]
HYPERBOLIC = ["sinh", "cosh", "asinh", "atanh"]
STEPS = ["floor", "ceil", "round", "trunc", "frac", "sign"]
FUNCTIONS = [*POWERS, *ERRORS, *ANGLES, *HYPERBOLIC, *STEPS]
PAIRS = ["floor_divide", "mod", "remainder", "floor_mod", "fmax", "fmin", "atan2"]
TRUTHS = ["logical_and", "logical_or", "logical_xor"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
ORDERS = ["not_equal", "less_equal", "greater_equal", "equal_all", "isclose"]


def fraction(paddle: Any, name: str = "X") -> Any:
    """Numbers between 0 and 1, with a gradient."""
    x = data(paddle, 2, name)
    x.stop_gradient = False
    return x


def whole(paddle: Any, name: str = "I") -> Any:
    """Integers."""
    return paddle.static.data(name, [None, 2], "int64")


CALLED = "Paddle names this result after the function, we after the op"
WEIGHT = "a number beside tensors is a constant of the program, whichever op takes it"
explained(
    Row(
        "a bound that is not given is infinite, so that infinity can pass",
        "attr",
        "clip",
        "m??",
        "functions_of_two",
    ),
    Row(
        "a tolerance is a number, in Paddle a number in words",
        "attr",
        "*close",
        "?tol",
        "functions_of_truth",
    ),
    Row(
        "of what lerp gives its gradient needs nothing",
        "input",
        "lerp_grad",
        "Out",
        ours=ABSENT,
    ),
    *(
        Row(WEIGHT, kind, where, program="functions_of_two", ours=ours)
        for kind, where, ours in (
            ("operators", "*", ["assign_value"]),
            ("input", "lerp", ["assign_0"]),
            ("variables", "fill_constant_1.tmp_0", ABSENT),
            ("variables", "assign_0", "assign_0"),
        )
    ),
    *(
        Row(CALLED, kind, where, program="functions_of_two", ours=ours)
        for kind, where, ours in (
            ("output", "elementwise_pow", ["elementwise_pow_0"]),
            ("output", "sum", ["sum_0.tmp_0"]),
            ("variables", "elementwise_pow_0*", None),
            ("variables", "add_n_0.tmp_0", ABSENT),
            ("variables", "sum_0.tmp_0", None),
            ("returned", "*", "elementwise_pow_0"),
            ("returned", "*", "sum_0.tmp_0"),
        )
    ),
)


@program
def functions_of_one(paddle: Any) -> Any:
    x = fraction(paddle) * 0.9
    return [getattr(paddle, name)(x) for name in FUNCTIONS]


def gradients(paddle: Any, names: list[str]) -> Any:
    """The gradient of the sum of these functions."""
    x = fraction(paddle)
    narrow = x * 0.9
    found = [getattr(paddle, name)(narrow) for name in names]
    found += [paddle.pow(narrow, 2.5), paddle.clip(narrow, 0.3, 0.5)]
    return paddle.static.gradients(paddle.concat(found, axis=0), x)


@program
def gradients_of_powers(paddle: Any) -> Any:
    return gradients(paddle, [*POWERS, *ERRORS])


@program
def gradients_of_angles(paddle: Any) -> Any:
    return gradients(paddle, [*ANGLES, *HYPERBOLIC])


@program
def functions_of_two(paddle: Any) -> Any:
    x, y, i = fraction(paddle), fraction(paddle, "Y"), whole(paddle)
    found = [getattr(paddle, name)(x, y) for name in PAIRS]
    found += [paddle.pow(x, 2), paddle.pow(x, y), paddle.neg(x)]
    found += [paddle.lerp(x, y, 0.25), paddle.lerp(x, y, y), paddle.add_n([x, y])]
    found += [paddle.clip(x, 0.3, 0.5), paddle.clip(i, 1, 2), paddle.clip(x, min=0.5)]
    j = paddle.maximum(i, paddle.ones_like(i))
    return [*found, paddle.floor_divide(i, j), paddle.mod(i, j)]


@program
def gradients_of_functions_of_two(paddle: Any) -> Any:
    x, y = fraction(paddle), fraction(paddle, "Y")
    found = [paddle.fmax(x, y), paddle.fmin(x, y), paddle.atan2(x, y)]
    found += [paddle.lerp(x, y, data(paddle, 2, "W")), paddle.where(x > y, x * x, y)]
    return paddle.static.gradients(paddle.concat(found, axis=0), [x, y])


@program
def functions_of_truth(paddle: Any) -> Any:
    x, y, i, j = (
        data(paddle, 2),
        data(paddle, 2, "Y"),
        whole(paddle),
        whole(paddle, "J"),
    )
    found = [getattr(paddle, name)(x, y) for name in ORDERS]
    found += [getattr(paddle, name)(x > y, y > x) for name in [*TRUTHS, *BITS]]
    found += [getattr(paddle, name)(i, j) for name in BITS]
    found += [paddle.logical_not(x), paddle.bitwise_not(i), paddle.isnan(x)]
    found += [paddle.isinf(x), paddle.isfinite(x), paddle.allclose(x, y, 0.5, 1.0)]
    found += [paddle.where(x > y, x, y), paddle.nan_to_num(x)]
    return found
