"""A part that is wanted is cut out before the work, and comes out the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.nn import functional as F
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from tests.passes.same import types, unchanged
from tests.static.fresh import Fresh

SAMPLES, WORDS, FEATURES = 2, 5, 4
ROUNDING = 1e-12

Function = Callable[[Any], Any]


def data(*shape: int | None) -> Variable:
    return static.data("x", list(shape or (SAMPLES, WORDS, FEATURES)), "float64")


def fed(*shape: int) -> dict[str, Any]:
    size = shape or (SAMPLES, WORDS, FEATURES)
    return {"x": np.random.default_rng(0).normal(size=size)}


def weight(rows: int, columns: int) -> Any:
    values = np.random.default_rng(1).normal(size=(rows, columns))
    return tg.cast(tg.assign(values.astype("float64")), "float64")


def attend(x: Any, mask: Any = None) -> Any:
    scores = tg.matmul(tg.tanh(x), x, transpose_y=True) * 0.5
    return tg.matmul(F.softmax(scores if mask is None else scores + mask), tg.exp(x))


def by_heads(x: Any) -> Any:
    parted = (tg.reshape(y, [0, 0, 2, 2]) for y in (tg.tanh(x), x, x * x))
    q, k, v = (tg.transpose(y, [0, 2, 1, 3]) for y in parted)
    weights = F.softmax(tg.matmul(q, k, transpose_y=True))
    return tg.reshape(tg.transpose(tg.matmul(weights, v), [0, 2, 1, 3]), [0, 0, 4])


MOVES: dict[str, Function] = {
    "elements": lambda x: F.gelu(tg.tanh(x * 2.0 + 1.0)),
    "two values": lambda x: tg.tanh(x) + tg.exp(x),
    "a value and a row": lambda x: x + weight(1, FEATURES),
    "a value and a table": lambda x: x * weight(WORDS, FEATURES),
    "a value and itself": lambda x: x * x,
    "a product": lambda x: tg.matmul(x, weight(FEATURES, 3)),
    "a product by mul": lambda x: tg.fluid.layers.mul(x, weight(FEATURES, 3), 2),
    "a product of stacks": lambda x: tg.matmul(x, tg.tanh(x), transpose_y=True),
    "softmax": F.softmax,
    "a layer norm": lambda x: F.layer_norm(x, [FEATURES]),
    "a cast": lambda x: tg.cast(x, "float32"),
    "turned twice": lambda x: tg.transpose(
        tg.tanh(tg.transpose(x, [0, 2, 1])), [0, 2, 1]
    ),
    "parted": lambda x: tg.reshape(x, [0, 0, 2, -1]),
    "attention": lambda x: attend(x, weight(WORDS, WORDS)),
    "attention of heads": by_heads,
}
SLICES: dict[str, Function] = {
    "first": lambda y: y[:, 0],
    "last": lambda y: y[:, -1],
    "middle": lambda y: y[:, 1:3],
}
FUSED = ["attention_fuse", "fc_fuse", "early_slice", "common_subexpressions"]


def read_by_slices(program: static.Program) -> set[str]:
    """What is cut."""
    ops = program.global_block().ops
    return {op.input("Input")[0] for op in ops if op.type == "slice"}


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("part", SLICES)
@pytest.mark.parametrize("name", MOVES)
def test_a_part_is_cut_out_before_the_work(
    name: str, part: str, fused: bool, programs: Fresh
) -> None:
    out = SLICES[part](MOVES[name](data()))
    names = [*FUSED, "dead_code"] if fused else ["early_slice", "common_subexpressions"]
    made = unchanged(programs.main, names, fed(), [out], None, ROUNDING)
    constants = {"assign_value", "cast"}
    makers = {
        op.output_arg_names[0]: op.type
        for op in made.global_block().ops
        if op.type not in constants
    }
    assert "x" in read_by_slices(made)
    assert not {makers.get(cut) for cut in read_by_slices(made)} - {None}


STAYS: dict[str, Function] = {
    "sums of steps": lambda x: tg.cumsum(x, axis=1)[:, 0],
    "softmax along it": lambda x: F.softmax(x, axis=1)[:, 0],
    "a norm of all": lambda x: F.layer_norm(x, [WORDS, FEATURES])[:, 0],
    "columns of a product": lambda x: tg.matmul(x, weight(FEATURES, 3))[:, :, 0],
    "a transposed factor": lambda x: tg.matmul(x, x, transpose_x=True)[:, 0],
    "a factor that is whole as well": lambda x: tg.matmul(x, x, transpose_y=True)[:, 0],
    "sizes written out": lambda x: tg.reshape(x, [SAMPLES, -1, FEATURES])[:, 0],
    "all of it": lambda x: tg.tanh(x)[:, :WORDS],
    "other readers": lambda x: tg.concat([t := tg.tanh(x), t[:, :1]], axis=1),
    "two axes": lambda x: tg.tanh(x)[0, 0],
}


@pytest.mark.parametrize("name", STAYS)
def test_what_needs_the_other_positions_stays(name: str, programs: Fresh) -> None:
    out = STAYS[name](data())
    made = unchanged(programs.main, "early_slice", fed(), [out])
    assert types(made) == types(programs.main)


def test_what_is_fetched_stays(programs: Fresh) -> None:
    whole = tg.tanh(data())
    part = whole[:, 0]
    made = unchanged(programs.main, "early_slice", fed(), [whole, part])
    assert types(made) == types(programs.main)


@pytest.mark.parametrize("sizes", [(1, 5), (5, 1), (5, 5)])
def test_a_size_that_is_not_known_may_be_one_for_all(
    sizes: tuple[int, int], programs: Fresh
) -> None:
    x = static.data("x", [None, FEATURES], "float64")
    y = static.data("y", [None, FEATURES], "float64")
    z = tg.tanh(x) + tg.tanh(y)
    first, second = z[0], (tg.exp(x) * tg.exp(y))[-1]
    feed = {n: fed(s, FEATURES)["x"] for n, s in zip("xy", sizes, strict=True)}
    made = unchanged(programs.main, "early_slice", feed, [first, second])
    assert types(made).count("slice") == 3
    assert read_by_slices(made) >= {"x", "y"}


def test_a_program_that_trains_is_left_alone(programs: Fresh) -> None:
    x = data(None, 3, FEATURES)
    out = tg.nn.Linear(FEATURES, 2)(tg.cast(x, "float32"))[:, 0]
    tg.optimizer.SGD(0.1).minimize(tg.mean(out))
    Executor().run(programs.startup)
    feed = fed(2, 3, FEATURES)
    made = unchanged(programs.main, "early_slice", feed, [out], programs.scope)
    assert types(made) == types(programs.main)


def test_what_has_moved_still_names_the_users_line(programs: Fresh) -> None:
    y = tg.tanh(data())
    out = y[:, 0]
    made = passes.apply_pass(programs.main, "early_slice", fetches=[out])
    old, new = programs.main.global_block().ops, made.global_block().ops
    assert types(made) == ["slice", "tanh", "squeeze2"]
    assert [op.callsite for op in new] == [old[n].callsite for n in (1, 0, 1)]
    assert [str(op.origins[0].type) for op in new] == ["slice", "tanh", "slice"]
