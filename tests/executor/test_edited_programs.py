"""After any edits between runs a program gives what a new copy of it gives.

Executors keep plans of programs; operators, attributes, variables and values of the
scope may change under them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import teachgraph as tg
from teachgraph import static
from teachgraph.static.scope import Scope, global_scope, scope_guard
from tests.effort import examples
from tests.static.fresh import fresh

X = np.array([[0.5, -1.0], [2.0, 1.5]], "float32")


class World:
    """A program that trains, with a branch, and all that has ever been run of it."""

    def __init__(self) -> None:
        self.x = static.data("x", [-1, 2])
        w = static.create_parameter([2, 2], "float32", "w")
        b = static.create_parameter([2], "float32", "b", is_bias=True)
        hidden = tg.matmul(self.x, w) + b
        self.y = static.nn.cond(
            tg.mean(hidden) > 0.0, lambda: hidden * 2.0, lambda: tg.tanh(hidden)
        )
        self.out = self.y * 3.0 + 1.0
        self.loss = tg.mean(self.out * self.out)
        tg.optimizer.SGD(0.1).minimize(self.loss)
        self.main = static.default_main_program()
        self.block = self.main.global_block()
        self.executor = static.Executor()
        self.executor.run(static.default_startup_program())
        self.compiled = static.CompiledProgram(self.main)
        self.test = self.main.clone(for_test=True)

    def values(self) -> dict[str, Any]:
        """Copies of the persistable values of the scope."""
        names = [v.name for v in self.main.list_vars() if v.persistable]
        values = global_scope().values
        return {n: np.array(values[n]) for n in names if values.get(n) is not None}

    def scaled(self) -> Any:
        """The operators that scale, of all blocks."""
        ops = [op for block in self.main.blocks for op in block.ops]
        return [op for op in ops if op.type == "scale"]


def number(n: int, *shape: int) -> Any:
    return np.random.default_rng(n).normal(size=shape).astype("float32")


def set_tensor(world: World, n: int) -> None:
    global_scope().find_var("w").get_tensor().set(number(n, 2, 2), tg.CPUPlace())


def insert(world: World, n: int) -> None:
    at = next(
        i
        for i, op in enumerate(world.block.ops)
        if op.type == "mean" or "grad" in op.type
    )
    attrs = {"scale": n / 2.0, "bias": 0.5}
    slots = {"inputs": {"X": world.out}, "outputs": {"Out": world.out}}
    world.block._insert_op(at, type="scale", **slots, attrs=attrs)


def append(world: World, n: int) -> None:
    slots = {"inputs": {"X": world.out}, "outputs": {"Out": world.out}}
    world.block.append_op(type="scale", **slots, attrs={"scale": n / 2.0})


def remove(world: World, n: int) -> None:
    scaled = [op for op in world.block.ops if op.type == "scale"]
    own = [op for op in scaled if op.input("X") == op.output("Out")]
    if own:
        world.block._remove_op(world.block.ops.index(own[-1]))


def slower(world: World, n: int) -> None:
    for op in world.block.ops:
        if op.type == "fill_constant" and not op.attr("shape"):
            op._set_attr("value", n / 4.0)


EDITS: dict[str, Callable[[World, int], Any]] = {
    "an attribute": lambda w, n: w.scaled()[n % len(w.scaled())]._set_attr(
        "scale", n / 2.0
    ),
    "a bias": lambda w, n: w.scaled()[n % len(w.scaled())]._set_attr("bias", float(n)),
    "an operator inserted": insert,
    "an operator appended": append,
    "an operator less": remove,
    "a seed gradient": slower,
    "a value": lambda w, n: w.block.var("w").set_value(number(n, 2, 2)),
    "a tensor of the scope": set_tensor,
    "a value in the scope": lambda w, n: global_scope().values.__setitem__(
        "b", number(n, 2)
    ),
    "a state": lambda w, n: w.main.set_state_dict(
        {"w": number(n, 2, 2), "b": number(n + 1, 2)}
    ),
    "a learning rate": lambda w, n: global_scope().values.update(
        {k: np.full_like(v, n / 10) for k, v in w.values().items() if "rate" in k}
    ),
    "a step": lambda w, n: w.executor.run(w.main, {"x": X}),
    "startup": lambda w, n: w.executor.run(static.default_startup_program()),
    "what stops gradients": lambda w, n: setattr(
        w.block.var("b"), "stop_gradient", bool(n % 2)
    ),
    "what is kept": lambda w, n: setattr(w.out, "persistable", bool(n % 2)),
    "a name": lambda w, n: setattr(w.out, "name", f"named_{n}"),
    "a seed": lambda w, n: setattr(w.main, "random_seed", n),
    "other rows": lambda w, n: w.executor.run(w.main, {"x": number(n, n + 1, 2)}),
}


def answer(world: World, program: Any, executor: Any, fetches: list[str]) -> Any:
    """Fetches of a run, and the scope that it leaves; the scope is then put back."""
    before = world.values()
    with scope_guard(Scope()) as _:
        values = global_scope().values
        values.update({name: value.copy() for name, value in before.items()})
        found = executor.run(program, {"x": X}, fetches)
        return [np.array(one) for one in found], world.values()


def expect_same(one: Any, other: Any) -> None:
    for a, b in zip(one[0], other[0], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert one[1].keys() == other[1].keys()
    for name in one[1]:
        np.testing.assert_allclose(one[1][name], other[1][name], rtol=1e-5, atol=1e-6)


CHANGES = st.tuples(st.sampled_from(sorted(EDITS)), st.integers(0, 7))


@settings(max_examples=examples(80), deadline=None)
@given(st.lists(CHANGES, min_size=1, max_size=6))
def test_a_run_never_answers_from_what_was(edits: list[tuple[str, int]]) -> None:
    with fresh():
        world = World()
        world.executor.run(world.main, {"x": X}, [world.loss])
        for name, n in edits:
            EDITS[name](world, n)
            fetches = [world.loss.name, world.out.name, "w@GRAD"]
            document = world.main.serialize_to_string()
            copy = static.Program.parse_from_string(document)
            wanted = answer(world, copy, static.Executor(), fetches)
            for program in (world.main, world.compiled, world.main):
                expect_same(answer(world, program, world.executor, fetches), wanted)
