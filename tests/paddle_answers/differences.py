"""Where our answers differ from Paddle's, and why: all there is.

A row explains lives of the cases it names. A difference without a row fails a test, and
so does a row without a difference, or one that we answer otherwise than it says.
"""

from __future__ import annotations

from tests.paddle_answers.numerics import NUMERICS
from tests.paddle_answers.row import AS_EAGER, REFUSED, Row, alike, array, numbers

__all__ = ["AS_EAGER", "ROWS", "UNOWNED", "UNSTABLE", "Row", "row_for"]

UNOWNED = "memory that is not its own"
"""On file where Paddle reads such memory: another answer in every run."""
UNSTABLE = frozenset(
    {
        'F.embedding(t([-1], "int64"), t([[1.0, 2], [3, 4]]))',
        "F.batch_norm(t([[1.0, 2]]), t([0.0]), t([1.0]))",
        "paddle.sum(t([[1.0, 2]]), axis=[0, 0])",
        "paddle.mean(t([[1.0, 2]]), axis=[0, 0])",
        "paddle.max(t([[1.0, 2]]), axis=[0, 0])",
    }
)
"""Cases in which Paddle reads such memory."""

SLOPES = ("fill_any_like", "reduce_sum_grad", *["elementwise_mul_grad"] * 2, "sum")
LOSS = ("elementwise_mul", "elementwise_mul", "reduce_sum")

PROGRAMS = [
    Row(
        "Paddle's test reads a gradient that it has left out",
        {
            "a test keeps gradients that a minimized loss reads": [
                *(*LOSS, *SLOPES),
                *("elementwise_mul", "reduce_sum", "elementwise_add"),
            ]
        },
    ),
    Row(
        "a test trains nothing; Paddle's does, if the gradients were asked for by hand",
        {"a test updates no parameter": [*LOSS, *SLOPES[:-1]]},
    ),
]

CONTROL = [
    Row(
        "a loop that differentiates what was computed before it trains nothing in "
        "Paddle: refused, for each round would take old values with new parameters",
        {"a loop minimizes what was computed before it": REFUSED},
    ),
    Row(
        "Paddle differentiates each round at the values of the last one; "
        "finite differences are 20",
        {
            case: [["float32", [1], [100.0]], ["float32", [1], [20.0]]]
            for case in ("a loop counts in place", "a loop counts in a new variable")
        },
    ),
]

INTEGERS = [
    alike(
        "a fraction does not fit integers, and is not cut in silence",
        REFUSED,
        """
paddle.pow(t([7, 3], "int64"), 0.5)
paddle.mean(t([7, 4], "int64"))
paddle.linalg.cov(t([[1, 2, 4], [2, 1, 0]], "int64"))
paddle.clip(t([1, 4], "int64"), 1.5, 3.5)
paddle.scale(t([1, 4], "int64"), 2.5, 1)
paddle.increment(t([1], "int64"), 2.5)
""",
    ),
    Row(
        "a mean of integers is no integer; Paddle cuts it",
        {
            'paddle.nanmean(t([7, 4], "int64"))': array("float32", [], [5.5]),
            'paddle.nanmedian(t([7, 4], "int64"))': array("float32", [], [5.5]),
        },
    ),
    Row(
        "True + 1 is 2, as in Python, NumPy and PyTorch",
        {'t([True, False], "bool") + 1': array("int64", [2], [2, 1])},
    ),
    Row(
        "a quotient keeps the precision of its divisor",
        {
            't([7, 3], "int64") / t([2, 2], "float64")': array(
                "float64", [2], [3.5, 1.5]
            )
        },
        ("eager", "static"),
    ),
    Row(
        "Paddle casts the gradient to an integer on its way",
        {
            't([7, 3], "int64") / t([2, 2])': array("float32", [2], [1.05, 0.2625]),
            't([7, 3], "int64") / t([2, 2], "float64")': array(
                "float64", [2], [1.05, 0.2625]
            ),
        },
        ("gradient",),
    ),
    Row(
        "there is no way back through integers",
        {
            'paddle.cast(t([1.7, -2.7]), "int64")': None,
            'paddle.cast(t([0.2, 0.0]), "bool")': None,
        },
        ("gradient",),
    ),
    Row(
        "a result in float64 is computed in float64, not in float32",
        dict.fromkeys(
            (
                'paddle.atan2(t([1, -4], "int64"), t([2, 3], "int64"))',
                'paddle.atan2(t([1, -4], "int32"), t([2, 3], "int32"))',
            ),
            array("float64", [2], [0.4636476090008, -0.9272952180016]),
        ),
    ),
]

RANGES = [
    Row(
        "large integers are exact",
        {
            'paddle.full([], 2**53 + 1, "int64")': array("int64", [], [2**53 + 1]),
            'paddle.full_like(t([1], "int64"), 2**53 + 1)': array(
                "int64", [1], [2**53 + 1]
            ),
        },
    ),
    alike(
        "a value that the dtype does not hold is not bent in silence",
        REFUSED,
        """
paddle.full([], -1, "uint8")
""",
    ),
    Row(
        "attributes are float64; Paddle's are float32 and leave 0.1 at 0.10000000149",
        {
            'paddle.full_like(t([7, 4], "float64"), 0.1)': AS_EAGER,
            'paddle.full_like(t([7, 4]), 0.1, "float64")': AS_EAGER,
            'paddle.to_tensor(0.1, "float64")': AS_EAGER,
            'paddle.to_tensor([0.1, 2**53 + 1], "float64")': AS_EAGER,
        },
        ("static",),
    ),
    Row(
        "attributes are float64; Paddle's are float32 and leave 0.1 at 0.10000000149",
        {
            'paddle.diag(t([1, 2], "float64"), padding_value=0.1)': array(
                "float64", [2, 2], [1.0, 0.1, 0.1, 2.0]
            ),
            't([1.0, 2], "float64") + 0.1': array("float64", [2], [1.1, 2.1]),
            'paddle.pow(t([1.5, 2], "float64"), 0.1)': array(
                "float64", [2], [1.041379743992, 1.071773462536]
            ),
        },
        ("eager", "static"),
    ),
    Row(
        "so the gradient is that of 0.1",
        {
            'paddle.pow(t([1.5, 2], "float64"), 0.1)': array(
                "float64", [2], [-0.0416551897597, -0.01875603559439]
            ),
        },
        ("gradient",),
    ),
]

MATRICES = [
    alike(
        "in a program Paddle compares a Variable with 0 in Python, and divides by 0",
        AS_EAGER,
        """
paddle.linalg.cov(t([1.0, 2, 4]))
paddle.linalg.cov(t([[1.0, 2, 4]]))
paddle.linalg.cov(t([[1.0], [2], [4]]), rowvar=False)
paddle.linalg.cov(t([[1.0, 2, 4]]), rowvar=False)
paddle.linalg.cov(t([[1.0, 2, 4], [2, 1, 0]]))
paddle.linalg.cov(t([[1.0, 2, 4], [2, 1, 0]]), rowvar=False)
paddle.linalg.cov(t([[1.0, 2, 4], [2, 1, 0]]), ddof=False)
paddle.linalg.corrcoef(t([1.0, 2, 4]))
paddle.linalg.corrcoef(t([[1.0, 2, 4]]))
paddle.linalg.corrcoef(t([[1.0], [2], [4]]), rowvar=False)
paddle.linalg.corrcoef(t([[1.0, 2, 4], [2, 1, 0]]))
paddle.linalg.corrcoef(t([[1.0, 2, 4], [2, 1, 0.5]]), rowvar=False)
""",
        ("static",),
    ),
    alike(
        "the fourth result is an empty tensor in a program too",
        AS_EAGER,
        """
paddle.linalg.lstsq(t([[1.0, 0], [0, 2], [0, 0]]), t([[1.0], [2], [3]]))
""",
        ("static",),
    ),
    Row(
        "a matrix that is singular has no derivative",
        {"paddle.linalg.lu(t([[0.0, 0], [0, 0]]), get_infos=True)": REFUSED},
        ("gradient",),
    ),
]


IN_PLACE = [
    Row(
        "`as_strided`, `unfold` and `view` as another dtype are copies: elements that "
        "overlap, or bytes in two dtypes, have no gradient of what is overwritten",
        {
            "strides windows and bytes are written to": [
                *(numbers(1.0, 1.0, 1.0, 1.0), 0) * 3
            ]
        },
    ),
    Row(
        "a gradient knows what was overwritten through a view; Paddle's does not",
        {
            "a view on the tape is multiplied": [
                numbers(6.0, 12.0, 6.0),
                numbers(6.0, 60.0, 200.0),
            ],
            "a view on the tape is zeroed": [
                numbers(0.0, 0.0, 6.0),
                numbers(0.0, 0.0, 200.0),
            ],
            "a base on the tape is multiplied": [
                numbers(6.0, 12.0),
                numbers(6.0, 60.0, 0.0),
            ],
            "a part of plain values becomes what has a gradient": [
                numbers(0.0, 1.0, 2.0),
                False,
                numbers(2.0, 4.0),
            ],
        },
    ),
    alike(
        "a leaf is changed under no_grad alone, through its views too, as in PyTorch",
        REFUSED,
        """
a view of a leaf is changed on the tape
""",
    ),
    Row(
        "what is overwritten has no influence, so its gradient is 0",
        {
            "a quotient rounded in place has a gradient of zeros": [
                False,
                numbers(0.0, 0.0, 0.0),
            ],
            "what is assigned to has a gradient of zeros": [
                False,
                numbers(0.0, 0.0, 0.0),
            ],
        },
    ),
    Row(
        "an op in place knows the values that it was given; Paddle refuses this one",
        {
            "a tensor is multiplied by itself in place": [
                numbers(0.0625, 0.25),
                numbers(0.5, 10.0),
            ]
        },
    ),
    Row(
        "what was copied is not changed, and counts no change",
        {"what had to be copied counts its own changes": [False, 0, False, 0]},
    ),
    Row(
        "a detached tensor has a dtype and a shape of its own; Paddle gives it both",
        {
            "a tensor cast in place shares no more": [
                ["int64", [2], [0, 0]],
                numbers(1.0, 1.0),
            ],
            "a reshape in place shares still": [
                ["float32", [2, 2], [1.0, 1.0, 1.0, 1.0]],
                numbers(1.0, 1.0, 1.0, 1.0),
            ],
        },
    ),
    Row(
        "the gradient of integers is not cut on its way to a PyLayer",
        {
            "a pylayer that gives integers gets gradients whole": [
                ["int64", [3], [2, 4, 6]],
                False,
                numbers(2.0, 6.0, 1.0),
            ],
        },
    ),
]

ARGUMENTS = [
    alike(
        "Paddle takes what is no such argument, and reads what is not there",
        REFUSED,
        """
F.embedding(t([-1], "int64"), t([[1.0, 2], [3, 4]]))
paddle.take_along_axis(t([[1.0, 2], [3, 4]]), t([[2], [0]], "int64"), 1)
paddle.put_along_axis(t([[1.0, 2], [3, 4]]), t([[2], [0]], "int64"), t([[5.0], [6]]), 1)
paddle.transpose(t([[1.0, 2], [3, 4]]), [0])
paddle.sum(t([[1.0, 2]]), axis=[0, 0])
paddle.mean(t([[1.0, 2]]), axis=[0, 0])
paddle.max(t([[1.0, 2]]), axis=[0, 0])
paddle.slice(t([1.0, 2, 3]), [1], [0], [1])
paddle.diag(t(1.0))
paddle.poisson(t([-1.0]))
paddle.uniform([2], min=1.0, max=-1.0)
paddle.renorm(t([[1.0, 2]]), 2.0, 0, -1.0)
paddle.renorm(t([[1.0, 2]]), -1.0, 0, 1.0)
F.cross_entropy(t([[1.0, 2]]), t([1.0]))
F.kl_div(t([0.5]), t([1.0]), reduction="asdf")
F.label_smooth(t([[0.0, 1]]), prior_dist=t([1.0]))
F.batch_norm(t([[1.0, 2]]), t([0.0]), t([1.0]))
F.conv2d(t([[[[1.0, 2]]]]), t([[[[1.0, 2, 3]]]]))
F.max_pool1d(t([[[1.0, 2]]]), 3)
F.max_pool1d(t([[[1.0, 2]]]), 2, padding=2)
F.avg_pool2d(t([[[[1.0, 2]]]]), 3)
F.affine_grid(t([[[1.0, 0, 0], [0, 1, 0]]]), [1, 1, 0, 2])
""",
    ),
    Row(
        "an axis counts from the end too",
        {
            'paddle.gather(t([[1.0, 2], [3, 4]]), t([0], "int64"), axis=-1)': array(
                "float32", [2, 1], [1.0, 3.0]
            ),
        },
    ),
    Row(
        "what nothing comes to is as in NumPy and PyTorch",
        {
            'paddle.sum(t([], "float32"))': array("float32", [], [0.0]),
            'paddle.prod(t([], "float32"))': array("float32", [], [1.0]),
            'paddle.logsumexp(t([], "float32"))': array("float32", [], ["-inf"]),
        },
    ),
    alike(
        "nothing is a result, as in NumPy and PyTorch",
        array("float32", [0], []),
        """
paddle.tile(t([1.0, 2]), [0])
paddle.repeat_interleave(t([1.0, 2]), 0)
paddle.slice(t([1.0, 2, 3]), [0], [2], [1])
""",
    ),
    Row(
        "one count is for all, as in NumPy and PyTorch",
        {
            'paddle.repeat_interleave(t([1.0, 2]), t([1], "int64"))': array(
                "float32", [2], [1.0, 2.0]
            ),
        },
    ),
    Row(
        "a layout follows from the number of dimensions",
        {
            'F.interpolate(t([[[1.0, 2]]]), [4], mode="linear")': array(
                "float32", [1, 1, 4], [1.0, 1.25, 1.75, 2.0]
            ),
        },
    ),
    Row(
        "an index of no shard is ignored in each",
        {
            'paddle.shard_index(t([[5]], "int64"), 4, 2, 0)': array(
                "int64", [1, 1], [-1]
            ),
        },
    ),
    Row(
        "Paddle's is an element short of NumPy's x[2:-4:-1]",
        {
            "paddle.strided_slice(t([1.0, 2, 3]), [0], [2], [-4], [-1])": array(
                "float32", [3], [3.0, 2.0, 1.0]
            ),
        },
        ("eager", "static"),
    ),
    Row(
        "so its gradient",
        {
            "paddle.strided_slice(t([1.0, 2, 3]), [0], [2], [-4], [-1])": array(
                "float32", [3], [-0.1, -0.35, -0.6]
            ),
        },
        ("gradient",),
    ),
    Row(
        "the derivative of ln(x / (1 - x)) where its value is NaN too",
        {
            "paddle.logit(t([0.5, 2.0]))": array("float32", [2], [-2.4, 0.175]),
        },
        ("gradient",),
    ),
    Row(
        "Paddle counts the label's own class in, and takes it off again",
        {
            'F.multi_margin_loss(t([[1.0, 2]]), t([1], "int64"), margin=-1.0)': array(
                "float32", [], [0.0]
            ),
        },
        ("eager", "static"),
    ),
]

TRAINING = [
    Row(
        "momentum scales gradients, where Paddle's kernel for CPUs forgets to",
        {"momentum scales gradients": numbers(0.9, -1.8)},
    ),
    Row(
        "a bilinear filter is symmetric; Paddle's divides whole numbers to fractions, "
        "so that its rows lean",
        {
            "a filter enlarges bilinearly": [
                "float32",
                [1, 1, 4, 4],
                [
                    share * other / 16
                    for share in (1.0, 3.0, 3.0, 1.0)
                    for other in (1.0, 3.0, 3.0, 1.0)
                ],
            ]
        },
    ),
]

LAYERS = [
    Row(
        "a scale that is asked for is there, also without a shift",
        {
            "an instance norm with a scale": [
                [
                    [
                        "float32",
                        [1, 4, 2, 2],
                        [-2.68327, -0.894424, 0.894424, 2.68327] * 4,
                    ]
                ],
                [[4]],
                ["instance_norm"],
            ]
        },
    ),
]

REACH = [
    Row(
        "Paddle looks its own table of formulas up by a pair that it does not hold",
        {
            "a formula of ones own": [
                "own",
                ["float32", [], [0.806853]],
                ["float32", [], [0.0]],
            ]
        },
    ),
    Row(
        "the gradient of a determinant is the matrix of cofactors, which singular "
        "matrices have too; Paddle gives 0",
        {
            'paddle.linalg.det(t([[1, 2], [2, 4]], "float32"))': [
                ["float32", [2, 2], [-2.4, 1.2, 1.2, -0.6]]
            ]
        },
        ("gradient",),
    ),
    Row(
        "nothing has a gradient of its shape, as anything has",
        {
            'paddle.nn.functional.softmax(t([[], []], "float32"))': [
                ["float32", [2, 0], []]
            ]
        },
        ("gradient",),
    ),
]

DISTRIBUTIONS = [
    Row(
        "the derivative of the entropy, log(1 / p - 1); that of Paddle's cross-entropy "
        "lacks the part of the label",
        {
            "paddle.distribution.Bernoulli(t([0.3, 0.8])).entropy()": array(
                "float32", [2], [-0.508379, 0.485203]
            ),
        },
        ("gradient",),
    ),
    Row(
        "the sum of p(k) log(p(k) / q(k)) over k; Paddle's is that of a single trial",
        {
            "paddle.distribution.Geometric(t([0.3, 0.8])).kl_divergence("
            "paddle.distribution.Geometric(t([0.6, 0.1])))": array(
                "float32", [2], [0.612623, 1.70342]
            ),
        },
        ("eager", "static"),
    ),
    Row(
        "the derivatives of that sum",
        {
            "paddle.distribution.Geometric(t([0.3, 0.8])).kl_divergence("
            "paddle.distribution.Geometric(t([0.6, 0.1])))": [
                ["float32", [2], [3.73077, -0.822542]],
                ["float32", [2], [-2.5, 3.40278]],
            ],
        },
        ("gradient",),
    ),
]

TENSORS = [
    Row(
        "an index in brackets counts from the end, as in Python",
        {
            't([1.0, 2, 3])[t([-1], "int64")]': array("float32", [1], [3.0]),
            "t([1.0, 2, 3])[[-1, 0]]": array("float32", [2], [3.0, 1.0]),
        },
        ("eager", "static"),
    ),
    alike(
        "a leaf is changed under no_grad alone; Paddle's is no leaf any more, with a "
        "gradient of 0, and is trained no further",
        REFUSED,
        """
waiting times are written into a leaf
""",
    ),
    alike(
        "a gradient has the shape of its tensor; Paddle refuses to add to it later",
        REFUSED,
        """
a gradient of another shape is assigned
""",
    ),
    Row(
        "no gradient is one more thing to assign, as in Paddle 3",
        {"no gradient is assigned": None},
    ),
    Row(
        "a constant of a Tensor is its values",
        {"a tensor becomes a variable": ["Variable", numbers(1.0, 2.0)]},
    ),
]

STATIC = [
    Row(
        "an inference model's files begin as its path says; Paddle's static Model "
        "leaves the last part out, and writes beside the folder",
        {
            "a static model is saved for use": [
                "kept/used.pdiparams",
                "kept/used.pdmodel",
            ]
        },
    ),
    Row(
        "a traced function is one program, whose values exist only when it runs: the "
        "error says to compare the tensor; Paddle breaks the graph, or compares it so",
        {"an input is asked for its values inside": REFUSED},
    ),
    Row(
        "a state is named for the parameter alone, so that a second optimizer loads "
        "it; Paddle counts the optimizers, and refuses to load it",
        {
            "a second optimizer names its state": [
                [
                    "twice_trained_beta1_pow_acc_0",
                    "twice_trained_beta2_pow_acc_0",
                    "twice_trained_moment1_0",
                    "twice_trained_moment2_0",
                ]
            ]
            * 2
        },
    ),
]

DTYPES = [
    Row(
        "the cast of to() overwrites what may have been saved, so a version is counted "
        "and backward says which line it was; Paddle's kernels fail there on the dtype",
        {"to counts no version": [0, 1]},
    ),
    Row(
        "a dtype is NumPy's, and may be given as one wherever a dtype is taken",
        {"to takes a type of numpys": ["float64", [2], [1.0, 2.0]]},
    ),
    Row(
        "an array has one dtype: a detached tensor shares the memory, which to() "
        "leaves to it; in Paddle both share what holds it, and change together",
        {"what was detached before to": ["float32", [2], [1.0, 2.0]]},
    ),
    Row(
        "a dtype is NumPy's, prints as such, makes arrays and equals its name; "
        "Paddle's prints as paddle.float32, and neither equals nor becomes NumPy's",
        {
            "a dtype says its name": [
                *("float32", "float32", "dtype('int64')"),
                *(True, True, True, True, "float32"),
            ]
        },
    ),
    Row(
        "a gradient has the dtype of its tensor, whatever arrives",
        {"values of what was cast flow back": ["float32", [2], [18.0, 36.0]]},
    ),
    Row(
        "the cast of a layer is for what it computes in: ids and masks are integers "
        "still, as they are after float()",
        {"a cast layer has integers": [["int64", [2], [1, 2]]] * 2},
    ),
]

INDEXING = [
    Row(
        "the new dimension of a True is where it stands, in programs too",
        {
            f"t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[{index}]": AS_EAGER
            for index in ("True, None", "..., True")
        },
        ("static",),
    ),
    Row(
        "a gradient goes through a single truth, where Paddle raises an error",
        {
            "gradients flow to what a single truth chose": [
                ["float32", [2, 3], [2.0, 4.0, 4.0, 2.0, 4.0, 4.0]],
                ["float32", [2], [2.0, 2.0]],
                ["float32", [2, 3], [2.0, 2.0, 2.0, 2.0, 2.0, 2.0]],
                ["float32", [2], [0.0, 0.0]],
            ]
        },
        ("story",),
    ),
]

ROWS: list[Row] = [
    *CONTROL,
    *PROGRAMS,
    *IN_PLACE,
    *INDEXING,
    *MATRICES,
    *INTEGERS,
    *RANGES,
    *ARGUMENTS,
    *LAYERS,
    *REACH,
    *DISTRIBUTIONS,
    *TENSORS,
    *TRAINING,
    *STATIC,
    *DTYPES,
    *NUMERICS,
]


def row_for(case: str, life: str) -> Row | None:
    """The row that explains a difference, if there is one."""
    rows = (row for row in ROWS if case in row.ours and life in row.lives)
    return next(rows, None)
