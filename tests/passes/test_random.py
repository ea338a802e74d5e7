"""Random programs, random passes: whatever they are, the values stay what they were."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.nn import functional as F
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from tests.effort import examples
from tests.passes.same import copy_of, unchanged
from tests.static.fresh import fresh

ROWS, COLUMNS = 3, 4

EXACT = [
    "dead_code",
    *passes.DEFAULT,
    "elementwise_fusion",
    "recompute",
    "optimizer_fuse",
]
REARRANGED = [
    "fc_fuse",
    "attention_fuse",
    "early_slice",
    "layer_norm",
    "softmax_cross_entropy",
]

ONE: dict[str, Callable[[Any], Any]] = {
    "tanh": tg.tanh,
    "relu": F.relu,
    "softmax": F.softmax,
    "times 1": lambda x: x * 1.0,
    "negate": lambda x: -x,
    "affine": lambda x: x * 0.5 + 0.25,
    "assign": tg.assign,
    "cast": lambda x: tg.cast(x, "float64"),
    "turn": lambda x: tg.transpose(x, [1, 0]),
    "turn over": lambda x: tg.transpose(tg.transpose(x, [1, 0]), [1, 0]),
    "flat": lambda x: tg.reshape(tg.reshape(x, [-1]), [ROWS, COLUMNS]),
    "dropout": lambda x: F.dropout(x, 0.3, training=False),
    "seeded dropout": lambda x: dropped(x, 7),
    "another dropout": lambda x: dropped(x, 8),
    "plus a constant": lambda x: x + tg.full([1], 0.5, "float64") * 2.0,
    "less its first": lambda x: x - tg.tanh(x)[0],
    "apart": lambda x: tg.concat([tg.exp(-x * x)[:2], F.softmax(x)[2:]]),
    "less nothing": lambda x: x - tg.full([1], 0.0, "float64"),
    "branch": lambda x: static.nn.cond(
        tg.sum(x) > 0.0, lambda: tg.tanh(x * 1.0) + x, lambda: x * 2.0 * 0.25
    ),
    "loop": lambda x: static.nn.while_loop(
        lambda i, y: i < 2,
        lambda i, y: [i + 1, tg.tanh(y) + x * 1.0],
        [tg.full([1], 0, "int64"), tg.tanh(x)],
    )[1],
    "counted": lambda x: x + counted(),
    "bent": lambda x: tg.log(tg.sqrt(tg.square(F.sigmoid(tg.abs(x)))) + 1.0),
    "normal": lambda x: (
        (x - tg.mean(x, axis=-1, keepdim=True))
        / tg.sqrt(
            tg.mean(
                tg.square(x - tg.mean(x, axis=-1, keepdim=True)), axis=-1, keepdim=True
            )
            + 1e-2
        )
    ),
}
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "add": tg.add,
    "multiply": tg.multiply,
    "subtract": tg.subtract,
    "divide": lambda x, y: x / (tg.square(y) + 1.0),
    "maximum": tg.maximum,
    "attention": lambda x, y: tg.matmul(
        F.softmax(tg.matmul(x, y, transpose_y=True) * 0.5), y
    ),
}
"""All take and give [ROWS, COLUMNS]; what is turned is turned back."""


def dropped(x: Any, seed: int) -> Any:
    """Some elements of x, always the same."""
    return tg.fluid.layers.dropout(x, 0.3, seed=seed)


def counted() -> Variable:
    """What a counter that outlives the run was before it is written over."""
    block = tg.static.default_main_program().global_block()
    if not block.has_var("counter"):
        static.create_global_var([1], 1.0, "float64", persistable=True, name="counter")
    counter = block.var("counter")
    before = tg.tanh(counter)
    tg.assign(counter * 0.5 + before, output=counter)
    return before + counter


class Made(NamedTuple):
    """A program, as steps on earlier values, and what is fetched of it."""

    steps: list[tuple[str, int, int]]
    fetched: list[int]
    layers: list[int]
    trained: str
    names: list[str]


def programs(names: Sequence[str]) -> st.SearchStrategy[Made]:
    place = st.integers(0, 20)
    step = st.tuples(st.sampled_from([*ONE, *TWO]), place, place)
    return st.builds(
        Made,
        st.lists(step, min_size=1, max_size=9),
        st.lists(place, min_size=1, max_size=3),
        st.lists(place, max_size=3),
        st.sampled_from(["", "SGD", "Adam", "Momentum"]),
        st.lists(st.sampled_from(names), min_size=1, max_size=5),
    )


def grown(made: Made) -> list[Variable]:
    """The values of a program in static mode."""
    x = static.data("x", [ROWS, COLUMNS], "float64")
    x.stop_gradient = False
    values: list[Any] = [x]
    for at, (name, first, second) in enumerate(made.steps):
        one, two = values[first % len(values)], values[second % len(values)]
        if at in made.layers:
            one = static.nn.fc(
                one,
                COLUMNS,
                activation="relu",
                weight_attr=tg.ParamAttr(name="w"),
                bias_attr=tg.ParamAttr(name=f"b{at % 2}"),
            )
        out = ONE[name](one) if name in ONE else TWO[name](one, two)
        turned = out if out.shape[0] == ROWS else tg.transpose(out, [1, 0])
        values.append(turned)
    return values


def hold(made: Made, rtol: float) -> None:
    """Fetched values, gradients and updated parameters are the same after passes."""
    with fresh() as built:
        values = grown(made)
        fetched = [values[i % len(values)] for i in made.fetched]
        loss = tg.mean(values[-1] * values[-1])
        has_parameters = bool(built.main.all_parameters())
        if made.trained and has_parameters:
            getattr(tg.optimizer, made.trained)(0.1).minimize(loss)
        else:
            slopes = static.gradients(loss, [values[0]])
            fetched += [slope for slope in slopes if slope is not None]
        if built.startup.global_block().ops:
            Executor().run(built.startup)
        rng = np.random.default_rng(0)
        feed = {"x": rng.normal(size=(ROWS, COLUMNS))}
        unchanged(built.main, made.names, feed, [loss, *fetched], built.scope, rtol)


@settings(
    max_examples=examples(120), deadline=None, derandomize="PASSES" not in os.environ
)
@given(programs(EXACT))
def test_exact_passes_change_no_bit(made: Made) -> None:
    hold(made, 0.0)


@settings(
    max_examples=examples(80), deadline=None, derandomize="PASSES" not in os.environ
)
@given(programs([*EXACT, *REARRANGED]))
def test_fusions_change_rounding_only(made: Made) -> None:
    hold(made, 1e-12)


@settings(
    max_examples=examples(60), deadline=None, derandomize="PASSES" not in os.environ
)
@given(programs(EXACT))
def test_an_executor_with_its_passes_is_one_without(made: Made) -> None:
    with fresh() as built:
        values = grown(made)
        loss = tg.mean(values[-1] * values[-1])
        slopes = static.gradients(loss, [values[0]])
        fetched = [loss, *(s for s in slopes if s is not None), values[0]]
        if built.startup.global_block().ops:
            Executor().run(built.startup)
        feed = {"x": np.random.default_rng(1).normal(size=(ROWS, COLUMNS))}
        scope = copy_of(built.scope)
        found = Executor().run(built.main, feed, fetched)
        wanted = Executor(interpret=True).run(built.main, feed, fetched, scope=scope)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)
