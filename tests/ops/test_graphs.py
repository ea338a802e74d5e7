"""Random graphs of public functions give the same now and in a Program.

Values, gradients and gradients of gradients: on the tape, by a compiled plan and by an
interpreted one; where all is smooth, by finite differences as well.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import TeachgraphError
from teachgraph.nn.initializer import Assign
from teachgraph.static.layers import parameter
from tests.effort import examples
from tests.ops.values import numbers
from tests.static.fresh import fresh

pytestmark = pytest.mark.further

F = tg.nn.functional
Array = np.ndarray[Any, Any]
Step = tuple[str, int, int, int]
"""A function, which two values it takes, and a number that its attributes follow."""

EXAMPLES = int(os.environ.get("GRAPHS", examples(250)))
"""`GRAPHS=5000 pytest ...` looks longer, and elsewhere each time."""


def flat(x: Any) -> Any:
    return tg.reshape(x, [-1])


def matrix(x: Any) -> Any:
    """These values with two dimensions."""
    rows = x.shape[0] if len(x.shape) > 1 else 1
    return tg.reshape(x, [rows, int(np.prod(x.shape)) // max(rows, 1)])


def definite(x: Any) -> Any:
    """A symmetric matrix of them, with eigenvalues of at least 1."""
    a = tg.tanh(matrix(x))
    return tg.matmul(a, a, transpose_y=True) + tg.eye(a.shape[0], dtype="float64")


def image(x: Any, rank: int = 2) -> Any:
    """A batch of images of them with one channel."""
    sizes = ([1] * rank + list(x.shape))[-rank:]
    count = int(np.prod(x.shape)) // max(int(np.prod(sizes)), 1)
    return tg.reshape(x, [count, 1, *sizes])


def window(y: Any, n: int, rank: int = 2) -> Any:
    """A kernel from one channel to one, of the first values."""
    size = 1 + n % 2
    return tg.reshape(flat(tg.tanh(y))[: size**rank], [1, 1, *[size] * rank])


def whole(values: Any) -> Any:
    """Whole numbers, now or in a Program."""
    return tg.assign(np.asarray(values, np.int64))


def classes(x: Any, n: int) -> Any:
    """A label for each row of a matrix."""
    rows, count = matrix(x).shape
    return whole((np.arange(rows) + n) % max(count, 1))


def even(x: Any, axis: int = -1) -> Any:
    """A label that is each class as much."""
    return tg.full(x.shape, 1.0 / max(x.shape[axis], 1), "float64")


def along(x: Any, n: int) -> int:
    """An axis of x, from either side."""
    rank = max(len(x.shape), 1)
    return n % (2 * rank) - rank


def some(x: Any, n: int) -> list[int]:
    """Axes of x, each once; perhaps none."""
    return [axis for axis in range(len(x.shape)) if n >> axis & 1]


def order(x: Any, n: int) -> list[int]:
    """A permutation of the axes of x."""
    rank = len(x.shape)
    return [(n + (i if n % 2 else -i)) % rank for i in range(rank)]


def places(x: Any, n: int) -> Any:
    """Indices along the first axis, some more than once."""
    return whole([(n * i) % max(x.shape[0], 1) for i in range(3)])


def weights(x: Any, y: Any) -> list[Any]:
    """A scale and a shift for the columns of x, of the values of y."""
    many = [tg.sum(y) * 0.1 + float(i) for i in range(2 * matrix(x).shape[1])]
    stacked = tg.tanh(tg.stack(many))
    return list(tg.split(stacked, 2))


Call = Callable[[Any, Any, int], Any]

SMOOTH: dict[str, Call] = {
    "add": lambda x, y, n: x + y,
    "subtract": lambda x, y, n: x - y,
    "multiply": lambda x, y, n: x * y,
    "divide": lambda x, y, n: x / (1.0 + y * y),
    "power": lambda x, y, n: (1.0 + x * x) ** tg.tanh(y),
    "atan2": lambda x, y, n: tg.atan2(x, 1.0 + y * y),
    "logaddexp": lambda x, y, n: tg.logaddexp(x, y),
    "lerp": lambda x, y, n: tg.lerp(x, y, 0.25 * n),
    "scale": lambda x, y, n: tg.scale(x, 0.5, float(n), bias_after_scale=n % 2 == 0),
    "pow": lambda x, y, n: tg.pow(1.0 + x * x, n / 2 - 1),
    "exp": lambda x, y, n: tg.exp(tg.tanh(x)),
    "log": lambda x, y, n: tg.log(1.5 + tg.tanh(x)),
    "log1p": lambda x, y, n: tg.log1p(F.sigmoid(x)),
    "sqrt": lambda x, y, n: tg.sqrt(1.0 + x * x),
    "rsqrt": lambda x, y, n: tg.rsqrt(1.0 + x * x),
    "sin": lambda x, y, n: tg.sin(x),
    "atan": lambda x, y, n: tg.atan(x),
    "asinh": lambda x, y, n: tg.asinh(x),
    "erf": lambda x, y, n: tg.erf(x),
    "stanh": lambda x, y, n: tg.stanh(x),
    "sum": lambda x, y, n: tg.sum(x, some(x, n), keepdim=n % 2 == 1),
    "mean": lambda x, y, n: tg.mean(x, along(x, n)),
    "prod": lambda x, y, n: tg.prod(tg.tanh(x) + 1.1, along(x, n), keepdim=n > 3),
    "logsumexp": lambda x, y, n: tg.logsumexp(x, along(x, n)),
    "norm": lambda x, y, n: tg.norm(x * x + 1.0, 1 + n % 3, along(x, n)),
    "var": lambda x, y, n: tg.var(x, along(x, n), keepdim=n > 3),
    "cumsum": lambda x, y, n: tg.cumsum(x, along(x, n)),
    "cumprod": lambda x, y, n: tg.cumprod(1.1 + tg.tanh(x), along(x, n)),
    "logcumsumexp": lambda x, y, n: tg.logcumsumexp(x, along(x, n)),
    "reshape": lambda x, y, n: tg.reshape(x, [-1, 1] if n % 2 else [1, -1, 1]),
    "flatten": lambda x, y, n: tg.flatten(x, n % 2),
    "squeeze": lambda x, y, n: tg.squeeze(x, along(x, n)),
    "unsqueeze": lambda x, y, n: tg.unsqueeze(x, along(x, n)),
    "transpose": lambda x, y, n: tg.transpose(x, order(x, n)),
    "swapaxes": lambda x, y, n: tg.swapaxes(x, along(x, n), along(x, n // 2)),
    "flip": lambda x, y, n: tg.flip(x, some(x, n)),
    "roll": lambda x, y, n: tg.roll(x, n - 3, along(x, n)),
    "rot90": lambda x, y, n: tg.rot90(x, n, [0, 1]),
    "tile": lambda x, y, n: tg.tile(x, [1 + n % 2, 2]),
    "repeat": lambda x, y, n: tg.repeat_interleave(x, 1 + n % 3, along(x, n)),
    "expand": lambda x, y, n: tg.expand(x, [2, *x.shape]),
    "expand as": lambda x, y, n: tg.expand_as(x, y),
    "broadcast": lambda x, y, n: tg.broadcast_tensors([x, y]),
    "concat": lambda x, y, n: tg.concat([x, y, x], along(x, n)),
    "stack": lambda x, y, n: tg.stack([x, y], along(x, n)),
    "split": lambda x, y, n: tg.split(x, [1, -1], along(x, n)),
    "unbind": lambda x, y, n: tg.unbind(x, along(x, n)),
    "meshgrid": lambda x, y, n: tg.meshgrid(flat(x), flat(y)),
    "index": lambda x, y, n: x[n % 3],
    "index many": lambda x, y, n: x[..., None, :: n % 3 + 1],
    "index back": lambda x, y, n: x[n - 2 :: -1],
    "index by list": lambda x, y, n: x[[0, n % 2, 0]],
    "slice": lambda x, y, n: tg.slice(x, [along(x, n)], [n - 4], [n]),
    "gather": lambda x, y, n: tg.gather(x, places(x, n)),
    "index select": lambda x, y, n: tg.index_select(x, places(x, n)),
    "gather nd": lambda x, y, n: tg.gather_nd(x, places(x, n)[:1]),
    "scatter": lambda x, y, n: tg.scatter(x, places(x, 1)[:1], y[:1], n % 2 == 0),
    "scatter add": lambda x, y, n: tg.scatter_nd_add(
        x, tg.unsqueeze(places(x, n), 1)[:1], y[:1]
    ),
    "index add": lambda x, y, n: tg.index_add(x, places(x, n)[:1], 0, y[:1]),
    "put": lambda x, y, n: tg.index_put(x, (places(x, n)[:1],), y[:1]),
    "diag": lambda x, y, n: tg.diag(x, n - 2),
    "diagonal": lambda x, y, n: tg.diagonal(x, n - 2),
    "diag embed": lambda x, y, n: tg.diag_embed(x, n - 2),
    "tril": lambda x, y, n: tg.tril(x, n - 2),
    "pad": lambda x, y, n: F.pad(x, [1, n % 3] * max(len(x.shape), 1)),
    "pad image": lambda x, y, n: F.pad(
        image(x), [1, n % 2, 0, 1], ("reflect", "replicate", "circular")[n % 3]
    ),
    "where": lambda x, y, n: tg.where(whole(n) > 3, x, y),
    "matmul": lambda x, y, n: tg.matmul(x, y),
    "matmul turned": lambda x, y, n: tg.matmul(
        x, y, transpose_x=n % 2 == 0, transpose_y=n % 3 > 0
    ),
    "gram": lambda x, y, n: tg.mm(matrix(x), tg.t(matrix(x))),
    "outer": lambda x, y, n: tg.outer(x, y),
    "inner": lambda x, y, n: tg.inner(x, y),
    "dot": lambda x, y, n: tg.dot(x, y),
    "kron": lambda x, y, n: tg.kron(x, y),
    "cross": lambda x, y, n: tg.cross(x, y),
    "tensordot": lambda x, y, n: tg.tensordot(x, y, n % 3),
    "einsum": lambda x, y, n: tg.einsum("...i,...i->...", x, y),
    "einsum two": lambda x, y, n: tg.einsum("ij,kj->ik", x, y),
    "addmm": lambda x, y, n: tg.addmm(x, x, y, 0.5, 2.0),
    "cholesky": lambda x, y, n: tg.cholesky(definite(x), upper=n % 2 == 0),
    "inverse": lambda x, y, n: tg.inverse(definite(x)),
    "solve": lambda x, y, n: tg.linalg.solve(definite(x), matrix(x)),
    "determinant": lambda x, y, n: tg.linalg.det(definite(x)),
    "sigmoid": lambda x, y, n: F.sigmoid(x),
    "softplus": lambda x, y, n: F.softplus(x, 1 + n % 2),
    "silu": lambda x, y, n: F.silu(x),
    "mish": lambda x, y, n: F.mish(x),
    "gelu": lambda x, y, n: F.gelu(x, approximate=n % 2 == 0),
    "tanhshrink": lambda x, y, n: F.tanhshrink(x),
    "log sigmoid": lambda x, y, n: F.log_sigmoid(x),
    "softmax": lambda x, y, n: F.softmax(x, along(x, n)),
    "log softmax": lambda x, y, n: F.log_softmax(x, along(x, n)),
    "glu": lambda x, y, n: F.glu(tg.tile(x, [2] * len(x.shape)), along(x, n)),
    "layer norm": lambda x, y, n: F.layer_norm(x, list(x.shape)[n % 3 :], epsilon=0.1),
    "layer norm, scaled": lambda x, y, n: F.layer_norm(
        matrix(x), [matrix(x).shape[1]], *weights(x, y), epsilon=0.1
    ),
    "rms norm": lambda x, y, n: F.rms_norm(x, list(x.shape)[-1:], epsilon=0.1),
    "batch norm": lambda x, y, n: F.batch_norm(
        matrix(x),
        tg.zeros([matrix(x).shape[1]], "float64"),
        tg.ones([matrix(x).shape[1]], "float64"),
        *weights(x, y),
        training=n % 2 == 0,
        epsilon=0.1,
    ),
    "group norm": lambda x, y, n: F.group_norm(image(x), 1, epsilon=0.1),
    "instance norm": lambda x, y, n: F.instance_norm(image(x), eps=0.1),
    "response norm": lambda x, y, n: F.local_response_norm(image(x), 1 + n % 3),
    "normalize": lambda x, y, n: F.normalize(x + 3.0, 2, along(x, n)),
    "linear": lambda x, y, n: F.linear(x, y),
    "convolution": lambda x, y, n: F.conv2d(
        image(x), window(y, n), padding=n % 3, stride=1 + n // 4, dilation=1 + n % 2
    ),
    "convolution, 1-D": lambda x, y, n: F.conv1d(
        image(x, 1), window(y, n, 1), padding="SAME" if n % 2 else "VALID"
    ),
    "convolution, back": lambda x, y, n: F.conv2d_transpose(
        image(x), window(y, n), stride=1 + n % 3
    ),
    "average pool": lambda x, y, n: F.avg_pool2d(
        image(x), 1 + n % 2, 1 + n // 4, ceil_mode=n % 3 == 0
    ),
    "adaptive pool": lambda x, y, n: F.adaptive_avg_pool2d(image(x), 1 + n % 3),
    "resize": lambda x, y, n: F.interpolate(
        image(x), [2, 1 + n % 3], mode=("nearest", "bilinear", "bicubic")[n % 3]
    ),
    "unfold": lambda x, y, n: F.unfold(image(x), 1 + n % 2, paddings=n % 2),
    "shuffle": lambda x, y, n: F.pixel_shuffle(image(x), 1),
    "attention": lambda x, y, n: F.scaled_dot_product_attention(
        *[tg.unsqueeze(matrix(x), [0, 2])] * 3, is_causal=n % 2 == 0
    ),
    "embedding": lambda x, y, n: F.embedding(places(matrix(x), n), matrix(x)),
    "square error": lambda x, y, n: F.mse_loss(x, y, ("mean", "sum", "none")[n % 3]),
    "cross entropy": lambda x, y, n: F.cross_entropy(
        matrix(x), classes(x, n), reduction=("mean", "sum", "none")[n % 3]
    ),
    "soft cross entropy": lambda x, y, n: F.cross_entropy(
        x, even(x, along(x, n)), soft_label=True, axis=along(x, n)
    ),
    "negative likelihood": lambda x, y, n: F.nll_loss(
        F.log_softmax(matrix(x)), classes(x, n)
    ),
    "binary cross entropy": lambda x, y, n: F.binary_cross_entropy_with_logits(
        x, tg.full(x.shape, n / 6, "float64")
    ),
    "divergence": lambda x, y, n: F.kl_div(F.log_softmax(x), even(x)),
    "cosine": lambda x, y, n: F.cosine_similarity(x + 3.0, y - 3.0, along(x, n)),
}
"""Functions with every derivative, each on two values of any shape.

Where a shape does not fit, they refuse it, and the step is left out.
"""

KINKED: dict[str, Call] = {
    "maximum": lambda x, y, n: tg.maximum(x, y),
    "fmin": lambda x, y, n: tg.fmin(x, y),
    "abs": lambda x, y, n: tg.abs(x),
    "clip": lambda x, y, n: tg.clip(x, -0.5, 0.7),
    "floor": lambda x, y, n: x - tg.floor(x),
    "remainder": lambda x, y, n: tg.remainder(x, 1.0 + y * y),
    "max": lambda x, y, n: tg.max(x, along(x, n), keepdim=n > 3),
    "amin": lambda x, y, n: tg.amin(x, some(x, n)),
    "sort": lambda x, y, n: tg.sort(x, along(x, n), descending=n % 2 == 0),
    "topk": lambda x, y, n: tg.topk(x, 1 + n % 2, along(x, n)),
    "kth": lambda x, y, n: tg.kthvalue(x, 1 + n % 2, along(x, n)),
    "median": lambda x, y, n: tg.median(x, along(x, n)),
    "quantile": lambda x, y, n: tg.quantile(x, n / 7, along(x, n)),
    "cummax": lambda x, y, n: tg.cummax(x, along(x, n)),
    "std": lambda x, y, n: tg.std(x * x + tg.sin(x), along(x, n), unbiased=n % 3 == 0),
    "relu": lambda x, y, n: F.relu(x),
    "leaky relu": lambda x, y, n: F.leaky_relu(x),
    "elu": lambda x, y, n: F.elu(x),
    "hardswish": lambda x, y, n: F.hardswish(x),
    "softshrink": lambda x, y, n: F.softshrink(x),
    "maxout": lambda x, y, n: F.maxout(tg.tile(x, [2] * len(x.shape)), 2, along(x, n)),
    "max pool": lambda x, y, n: F.max_pool2d(
        image(x), 1 + n % 2, 1, padding=n % 2, ceil_mode=n % 3 == 0
    ),
    "adaptive max pool": lambda x, y, n: F.adaptive_max_pool2d(image(x), 1 + n % 3),
    "absolute error": lambda x, y, n: F.l1_loss(x, y),
    "smooth error": lambda x, y, n: F.smooth_l1_loss(x, y, delta=0.5),
    "margin": lambda x, y, n: F.margin_ranking_loss(x, y, tg.sign(y), 0.1),
}
"""Functions whose derivative jumps somewhere."""

STEPS = SMOOTH | KINKED
MOST_ELEMENTS = 200
TOO_LARGE = 20.0
"""Of larger numbers, and of NaN, a difference says nothing."""

shapes = st.lists(st.sampled_from([2, 3, 1, 4, 0]), max_size=4).filter(
    lambda shape: np.prod(shape) <= MOST_ELEMENTS // 2
)
indices = st.integers(0, 12)


class Graph(NamedTuple):
    """Shapes of the leaves, the functions that follow, and how often to differentiate.

    What a step gives can be taken by every later one.
    """

    shapes: list[list[int]]
    steps: list[Step]
    twice: bool

    def leaves(self) -> list[Array]:
        """The values it starts from."""
        return [
            numbers(*shape, low=-1.5, high=1.5, start=1 + 50 * i)
            for i, shape in enumerate(self.shapes)
        ]


def graphs(functions: Sequence[str]) -> st.SearchStrategy[Graph]:
    step = st.tuples(st.sampled_from(functions), indices, indices, st.integers(0, 6))
    return st.builds(
        Graph,
        st.lists(shapes, min_size=1, max_size=3),
        st.lists(step, min_size=1, max_size=7),
        st.sampled_from([False, False, True]),
    )


def floating(result: Any) -> list[Any]:
    """The floating results of a step."""
    parts = result if isinstance(result, (list, tuple)) else [result]
    return [part for part in parts if part.dtype.kind == "f"]


def fitting(graph: Graph) -> list[Step]:
    """The steps that take the shapes they meet; small results only."""
    values = [tg.Tensor(x) for x in graph.leaves()]
    steps = []
    for step in graph.steps:
        try:
            results = floating(taken(step, values))
        except (TeachgraphError, IndexError, ZeroDivisionError):
            continue
        if sum(result.size for result in results) <= MOST_ELEMENTS:
            steps.append(step)
            values += results
    return steps


def taken(step: Step, values: Sequence[Any]) -> Any:
    """What a step makes of the values so far; the last ones come first."""
    name, first, second, n = step
    return STEPS[name](
        values[-1 - first % len(values)], values[-1 - second % len(values)], n
    )


def loss_of(steps: Sequence[Step], leaves: Sequence[Any]) -> tuple[list[Any], Any]:
    """Every value, and a number they all have a part in."""
    values = list(leaves)
    for step in steps:
        values += floating(taken(step, values))
    parts = [tg.sum(tg.sin(v + 0.3 * k)) / (k + 1.0) for k, v in enumerate(values)]
    return values[len(leaves) :], tg.add_n(parts)


def bent(slopes: Sequence[Any]) -> Any:
    """A number made of gradients, to differentiate once more."""
    return tg.add_n([tg.sum(tg.sin(dx + 0.1)) for dx in slopes if dx is not None])


class Found(NamedTuple):
    """What one way of running a graph gives; None where no gradient arrives."""

    values: list[Array]
    first: list[Array | None]
    second: list[Array | None]


def arrays(tensors: Sequence[Any]) -> list[Any]:
    return [None if x is None else x.numpy() for x in tensors]


def on_the_tape(graph: Graph, steps: Sequence[Step]) -> Found:
    leaves = [tg.Tensor(x, stop_gradient=False) for x in graph.leaves()]
    values, loss = loss_of(steps, leaves)
    loss.backward(retain_graph=graph.twice)
    first = [leaf.grad for leaf in leaves]
    second: list[Any] = []
    if graph.twice:
        slopes = tg.grad(loss, leaves, create_graph=True, allow_unused=True)
        for dx, left in zip(slopes, first, strict=True):
            np.testing.assert_allclose(dx.numpy(), left.numpy(), rtol=1e-9, atol=1e-9)
        second = tg.grad(bent(slopes), leaves, allow_unused=True)
    return Found(arrays([*values, loss]), arrays(first), arrays(second))


def fed(graph: Graph) -> list[Any]:
    """The leaves as data."""
    leaves = [
        static.data(f"x{i}", shape, "float64") for i, shape in enumerate(graph.shapes)
    ]
    for leaf in leaves:
        leaf.stop_gradient = False
    return leaves


def kept(graph: Graph) -> list[Any]:
    """The leaves as parameters."""
    return [
        parameter("x", str(i), x.shape, "float64", None, Assign(x))
        for i, x in enumerate(graph.leaves())
    ]


def in_a_program(graph: Graph, steps: Sequence[Step], *, interpret: bool) -> Found:
    """Through `append_backward` where the leaves can be parameters, not empty ones."""
    with fresh() as program:
        of_data = graph.twice or any(0 in shape for shape in graph.shapes)
        leaves = fed(graph) if of_data else kept(graph)
        values, loss = loss_of(steps, leaves)
        if of_data:
            slopes = static.gradients(loss, leaves)
        else:
            pairs = dict(static.append_backward(loss))
            slopes = [pairs.get(leaf) for leaf in leaves]
        curved = static.gradients(bent(slopes), leaves) if graph.twice else []
        parts = [[*values, loss], slopes, curved]
        executor = static.Executor(interpret=interpret)
        if not of_data:
            executor.run(program.startup)
        feed = {f"x{i}": x for i, x in enumerate(graph.leaves()) if of_data}
        wanted = [v for part in parts for v in part if v is not None]
        found = iter(executor.run(program.main, feed, wanted))
        return Found(*([None if v is None else next(found) for v in p] for p in parts))


def agree(found: Found, wanted: Found) -> None:
    for one, other in zip(found, wanted, strict=True):
        for x, y in zip(one, other, strict=True):
            if x is None or y is None:
                assert not np.any(y if x is None else x)
                continue
            assert (x.shape, x.dtype) == (y.shape, y.dtype)
            scale = np.max(np.abs(y), initial=1.0, where=np.isfinite(y))
            np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-10 * scale)


@given(graphs(list(STEPS)))
@settings(max_examples=EXAMPLES, deadline=None, derandomize="GRAPHS" not in os.environ)
def test_the_tape_and_a_program_agree(graph: Graph) -> None:
    steps = fitting(graph)
    wanted = on_the_tape(graph, steps)
    agree(in_a_program(graph, steps, interpret=False), wanted)
    agree(in_a_program(graph, steps, interpret=True), wanted)


@given(graphs(list(SMOOTH)))
@settings(max_examples=EXAMPLES, deadline=None, derandomize="GRAPHS" not in os.environ)
def test_gradients_agree_with_finite_differences(graph: Graph) -> None:
    steps = fitting(graph)
    found = on_the_tape(graph, steps)
    leaves = graph.leaves()
    directions = [numbers(*x.shape, low=-1, start=900) for x in leaves]

    def slopes(h: float) -> tuple[float, float]:
        """The loss there, and what is made of its gradients."""
        moved = [
            tg.Tensor(x + h * v, stop_gradient=False)
            for x, v in zip(leaves, directions, strict=True)
        ]
        loss = loss_of(steps, moved)[1]
        if not graph.twice:
            return loss.item(), 0.0
        return loss.item(), bent(tg.grad(loss, moved, allow_unused=True)).item()

    h = 1e-5
    after, before = slopes(h), slopes(-h)
    if not all((abs(x) < TOO_LARGE).all() for x in found.values):
        return
    for order, gradients in enumerate((found.first, found.second)):
        if gradients:
            analytic = sum(
                float((dx * v).sum())
                for dx, v in zip(gradients, directions, strict=True)
                if dx is not None
            )
            numeric = (after[order] - before[order]) / (2 * h)
            spread = max(
                1.0, *(abs(dx).max(initial=0) for dx in gradients if dx is not None)
            )
            assert analytic == pytest.approx(numeric, rel=1e-4, abs=1e-4 * spread)


@pytest.mark.parametrize("name", STEPS)
def test_every_function_is_reached(name: str) -> None:
    """On one of these shapes at least, each step is taken."""
    for shape in ([3], [3, 3], [2, 3, 4], [4, 2, 2, 3], [1]):
        graph = Graph([shape, shape], [(name, 0, 1, 1)], False)
        if fitting(graph):
            wanted = on_the_tape(graph, graph.steps)
            assert all(x.dtype == np.float64 for x in wanted.values)
            agree(in_a_program(graph, graph.steps, interpret=False), wanted)
            return
    pytest.fail(f"{name} fits no shape")
