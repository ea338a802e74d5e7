"""Where our programs differ from Paddle's, and why: all there is.

A row explains the differences it matches. Those of one family of programs stand with
the programs (`explained`).  A difference without a row fails a test, and
so does a row without a difference. `*` in a pattern stands for anything.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from tests.static.paddle_programs.compare import ABSENT, Difference

__all__ = ["NO_VALUES", "ROWS", "WRONG_VALUES", "Row", "explained", "rows_for"]


class Row(NamedTuple):
    """Differences that have one reason.

    Attributes:
        why: The reason.
        kind: As in `Difference`.
        where: Pattern of the op's type, or of the variable's name.
        what: Pattern of the attribute, the slot or the fact.
        program: Pattern of the golden's name.
        paddle: What Paddle has; None for anything.
        ours: What we have; None for anything.
    """

    why: str
    kind: str
    where: str = "*"
    what: str = "*"
    program: str = "*"
    paddle: Any = None
    ours: Any = None

    def explains(self, found: Difference) -> bool:
        """Whether this is what the row speaks of."""
        texts = (found.kind, found.where, found.what, found.program)
        patterns = (self.kind, self.where, self.what, self.program)
        return (
            all(map(fnmatchcase, texts, patterns))
            and self.paddle in (None, found.paddle)
            and self.ours in (None, found.ours)
        )


def explained(*rows: Row) -> None:
    """Add rows: for a family of programs, beside the programs themselves."""
    ROWS.extend(row for row in rows if row not in ROWS)


def rows_for(found: Difference) -> list[Row]:
    """The rows that explain a difference."""
    return [row for row in ROWS if row.explains(found)]


def without(why: str, ops: str, attrs: str) -> list[Row]:
    """Attributes of Paddle's that we have no use for."""
    return [
        Row(why, "attr", op, attr, ours=ABSENT)
        for op in ops.split()
        for attr in attrs.split()
    ]


ATTRIBUTES = [
    *without(
        "`value` in words, where a float is too coarse", "fill_constant", "str_value"
    ),
    *without("a reduction does not cast; the op `cast` does", "reduce_*", "*_dtype"),
    *without(
        "it is always stable and always starts from logits",
        "softmax_with_cross_entropy*",
        "numeric_stable_mode use_softmax",
    ),
    *without("there is no float16 here", "sgd", "multi_precision"),
    *without("the k best always come in order", "top_k_v2", "sorted"),
    *without("no bound is a tensor", "slice*", "infer_flags"),
    *(
        Row("an index in brackets counts from the end too", "attr", op, "from_end")
        for op in ("gather_nd*", "scatter_nd_add*")
    ),
    Row(
        "what Paddle appends from C++ has no name scope; here it has the program's",
        "attr",
        what="op_namescope",
        paddle="",
        ours="/",
    ),
    Row(
        "a number beside integers stays one, so that large ones are exact",
        "attr",
        "scale",
        program="operators_on_integers",
    ),
    Row(
        "positions in a list of the whole process",
        "attr",
        "py_func",
        "*ward_callable_id",
    ),
    Row(
        "which results of backward_func must not be None", "attr", "py_func", "required"
    ),
]

XSHAPE = (
    "Paddle keeps X's shape for backward in an empty array, XShape; our gradient op "
    "takes X and reads its shape alone, or needs no shape"
)

SHAPES = [
    Row(XSHAPE, "output", "*2", "XShape", ours=ABSENT),
    *(Row(XSHAPE, "input", op, "X*") for op in ("*2_grad", "cross_entropy_grad2")),
    Row(XSHAPE, "variables", "transpose_0.tmp_1", ours=ABSENT),
    Row(XSHAPE, "variables", "*squeeze2_0.tmp_1", ours=ABSENT),
    Row(XSHAPE, "variables", "reshape2_0.tmp_1", ours=ABSENT),
    *(
        Row(
            "so MatchX, which comes after XShape, is tmp_1, not tmp_2",
            kind,
            where,
            what,
        )
        for kind, where, what in (
            ("output", "cross_entropy2", "MatchX"),
            ("input", "cross_entropy_grad2", "MatchX"),
            ("variables", "cross_entropy2_0.tmp_2", "name"),
            ("variable", "cross_entropy2_0.tmp_1", "shape"),
        )
    ),
]

VARIABLES = [
    Row(
        "Paddle declares the counts float32, but int32 is what they are when it runs",
        "variable",
        "accuracy_0.tmp_[34]",
        "dtype",
        paddle="float32",
        ours="int32",
    ),
    Row(
        "a clone keeps its variables in order of creation, Paddle's sorts them by name",
        "variables",
        what="order",
    ),
    *(
        Row("Paddle counts a call of `full` twice", kind, where, program="constants")
        for kind, where in (
            ("output", "fill_constant"),
            ("variables", "fill_constant_[01].tmp_0"),
        )
    ),
    Row(
        "Paddle counts a call of `full` twice",
        "returned",
        paddle="fill_constant_1.tmp_0",
        ours="fill_constant_0.tmp_0",
    ),
    *(
        Row(
            "nobody reads the gradient of what has no way back",
            kind,
            where,
            program="py_func_without_a_gradient",
        )
        for kind, where in (("output", "mul_grad"), ("variables", "out@GRAD"))
    ),
]

EXPANDED = (
    "a gradient op has no gradient op: it is replaced by the ops of its rule, which "
    "have theirs, so that derivatives of any order follow from the first"
)
UNSHAPED = (
    "a loss of several elements starts from ones of its own shape; Paddle's 1 of shape "
    "[1] leaves the gradient undefined"
)
JOINED = (
    "a target that is on the way from another one gets both gradients; Paddle lets the "
    "second overwrite the first"
)

DIVIDEND = "a number to be divided has no shape; it broadcasts"

PROGRAMS = [
    *(
        Row(EXPANDED, kind, program="second_order_of_*")
        for kind in ("operators", "output", "variables")
    ),
    Row(
        UNSHAPED,
        "operators",
        program="loss_that_is_no_scalar",
        paddle=["fill_constant"],
        ours=["fill_any_like"],
    ),
    Row(
        UNSHAPED,
        "attr",
        "fill_constant",
        "shape",
        "loss_of_known_shape",
        paddle=[1],
        ours=[2, 3],
    ),
    Row(
        JOINED,
        "operators",
        program="gradients_of_two_targets",
        paddle=[],
        ours=["sum"],
    ),
    *(
        Row(JOINED, kind, where, program="gradients_of_two_targets")
        for kind, where in (
            ("output", "fill_any_like"),
            ("output", "exp_grad"),
            ("variables", "tanh_0.tmp_0@GRAD@RENAME@*"),
        )
    ),
    Row(
        DIVIDEND,
        "operators",
        paddle=["fill_constant_batch_size_like"],
        ours=["fill_constant"],
    ),
    Row(DIVIDEND, "variable", "tmp_12", "shape", "operators"),
]

ROWS = [*ATTRIBUTES, *SHAPES, *VARIABLES, *PROGRAMS]

WRONG_VALUES = {
    "loss_that_is_no_scalar": UNSHAPED,
    "loss_of_known_shape": UNSHAPED,
    "gradients_of_two_targets": JOINED,
}
"""Programs whose gradients Paddle gets wrong."""

NO_VALUES = {
    "borders": "every result has more elements than are compared",
    "more_initializers": "every result is random",
}
"""Programs of which only the operators are compared."""
