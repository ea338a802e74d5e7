"""Checkpoints: the same gradients, from fewer values kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.core.errors import ModeError
from teachgraph.nn import functional as F
from teachgraph.planning.executor import Executor
from teachgraph.static import OpRole, Program, Variable
from tests.passes.same import copy_of
from tests.static.fresh import fresh

Body = Callable[[Variable], list[Variable]]


def kept_for_backward(program: Program) -> int:
    """How many numbers of the forward are still needed once the loss is there."""
    block = program.global_block()
    back = [bool(op.role & OpRole.BACKWARD) for op in block.ops].index(True)
    made = {n for op in block.ops[:back] for n in op.output_arg_names}
    read = {n for op in block.ops[back:] for n in op.input_arg_names}
    kept = [block.var(name) for name in made & read]
    return sum(int(np.prod(v.shape)) for v in kept if not v.persistable)


def deep(x: Variable) -> list[Variable]:
    values = [x]
    for _ in range(9):
        values.append(static.nn.fc(values[-1], 4, activation="tanh"))
    return values


def joined(x: Variable) -> list[Variable]:
    """The first layer's value goes past the others, to be added at the end."""
    values = deep(x)
    return [*values, values[1] * values[-1] + values[-1]]


def dropped(x: Variable) -> list[Variable]:
    """Dropouts with seeds of their own, which a plain program draws by as well."""
    values = deep(x)
    tail = values[-1]
    for seed in (3, 4):
        block = tail.block
        out = block.create_var(f"dropped_{seed}", tail.shape, tail.dtype)
        mask = block.create_var(f"mask_{seed}", tail.shape, "uint8")
        block.append_op(
            "dropout",
            {"X": tail},
            {"Out": out, "Mask": mask},
            {"dropout_prob": 0.4, "fix_seed": True, "seed": seed},
        )
        tail = static.nn.fc(out, 4, activation="tanh")
        values += [out, tail]
    return values


def normal(x: Variable) -> list[Variable]:
    values = deep(x)
    for _ in range(3):
        values.append(static.nn.batch_norm(tg.tanh(values[-1])))
    return [*values, tg.tanh(values[-1])]


def chosen(x: Variable) -> list[Variable]:
    """A branch and a loop in the middle are run once."""
    values = deep(x)
    y = values[-1]
    either = static.nn.cond(tg.sum(y) > 0, lambda: y * 2.0, lambda: tg.tanh(y))
    count = tg.full([1], 0, "int64")
    _, last = static.nn.while_loop(
        lambda i, z: i < 3, lambda i, z: [i + 1, tg.tanh(z) + y], [count, either * 1.0]
    )
    return [*values, either, last, tg.exp(last)]


def overwritten(x: Variable) -> list[Variable]:
    """What a layer has read is written over before the backward."""
    shift = tg.full([4], 1.0, "float64")
    values = [x]
    for _ in range(9):
        values.append(tg.tanh(static.nn.fc(values[-1], 4) + shift))
    tg.assign(shift * 2.0, output=shift)
    return [*values, tg.tanh(values[-1] + shift)]


def trained(
    body: Body, cut: list[int], names: list[str] | None = None
) -> tuple[Program, list[np.ndarray[Any, Any]]]:
    """The program, and what two steps give: losses, gradients, what is stored."""
    tg.seed(1)
    with fresh() as built:
        built.startup.random_seed = 5
        values = body(static.data("x", [6, 4], "float64"))
        loss = tg.mean(values[-1] * values[-1])
        if cut:
            optimizer = tg.fluid.optimizer.RecomputeOptimizer(tg.optimizer.Adam(0.1))
            optimizer._set_checkpoints([values[at] for at in cut])
            _, pairs = optimizer.minimize(loss)
        else:
            _, pairs = tg.optimizer.Adam(0.1).minimize(loss)
        passes.check(built.main)
        executor = Executor()
        executor.run(built.startup)
        feed = {"x": np.random.default_rng(0).normal(size=(6, 4))}
        wanted = [loss.name, *(grad.name for _, grad in pairs)]
        program: Program = built.main
        if names is not None:
            program = passes.apply_pass(program, names, fetches=wanted)
        found = [v for _ in range(2) for v in executor.run(program, feed, wanted)]
        stored = built.scope.values
        return program, found + [stored[n] for n in sorted(stored)]


@pytest.mark.parametrize("cut", [[3], [2, 5, 8], [5, 1]])
@pytest.mark.parametrize("body", [deep, joined, dropped, normal, chosen, overwritten])
def test_gradients_and_updates_are_those_of_the_plain_program(
    body: Body, cut: list[int]
) -> None:
    plain, wanted = trained(body, [])
    shorter, found = trained(body, cut)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    assert kept_for_backward(shorter) < kept_for_backward(plain)
    made = passes.apply_pass(shorter, passes.DEFAULT)
    assert kept_for_backward(made) == kept_for_backward(shorter)


@pytest.mark.parametrize("body", [deep, joined, dropped, normal, chosen, overwritten])
def test_a_pass_chooses_checkpoints_itself(body: Body) -> None:
    plain, wanted = trained(body, [])
    shorter, found = trained(body, [], ["recompute", *passes.DEFAULT, "dead_code"])
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    assert kept_for_backward(shorter) < 0.8 * kept_for_backward(plain)


def test_a_pass_lets_dropouts_leave_out_the_same() -> None:
    with fresh() as built:
        values = deep(static.data("x", [6, 4], "float64"))
        for _ in range(6):
            values.append(F.dropout(tg.tanh(values[-1]), 0.4))
        _, pairs = tg.optimizer.SGD(0.1).minimize(tg.mean(values[-1]))
        Executor().run(built.startup)
        grads = [grad.name for _, grad in pairs]
        made = passes.apply_pass(built.main, "recompute", fetches=grads)
        assert kept_for_backward(made) < 0.7 * kept_for_backward(built.main)
        feed = {"x": np.random.default_rng(0).normal(size=(6, 4))}
        found = []
        for program in (built.main, made):
            tg.seed(3)
            scope = copy_of(built.scope)
            found.append(Executor().run(program, feed, grads, scope=scope))
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
        assert any(grad.any() for grad in found[0])


def test_a_pass_leaves_what_is_recomputed_already() -> None:
    shorter, _ = trained(deep, [3, 6])
    made = passes.apply_pass(shorter, "recompute")
    assert not made.report


def test_with_a_checkpoint_every_root_of_n_the_root_of_n_is_kept() -> None:
    plain, _ = trained(deep, [])
    shorter, _ = trained(deep, [3, 6, 9])
    assert kept_for_backward(plain) >= 9 * 24
    assert kept_for_backward(shorter) <= 4 * 24


def test_a_dropout_leaves_out_the_same_when_it_runs_again() -> None:
    with fresh() as built:
        x = static.data("x", [50, 4], "float64")
        x.stop_gradient = False
        first = F.dropout(x * 1.5, 0.5)
        second = tg.exp(first)
        loss = tg.sum(second * 2.0)
        static.append_backward(loss, checkpoints=[second])
        grad = built.main.global_block().var("x@GRAD")
        feed = {"x": np.random.default_rng(0).normal(size=(50, 4))}
        kept, slope = Executor().run(built.main, feed, [first, grad])
        np.testing.assert_allclose(slope, np.where(kept, 6.0 * np.exp(kept), 0.0))
        again, _ = Executor().run(built.main, feed, [first, grad])
        assert (again != kept).any()


def test_checkpoints_are_variables_or_names() -> None:
    with fresh():
        loss = tg.mean(deep(static.data("x", [2, 4], "float64"))[-1])
        with pytest.raises(TypeError, match=r"Variables or their names.*int"):
            static.append_backward(loss, checkpoints=[3])
        with pytest.raises(TypeError, match=r"'checkpoints'.*must be list or tuple"):
            static.append_backward(loss, checkpoints=loss)


def test_an_optimizer_asks_for_its_checkpoints() -> None:
    optimizer = tg.fluid.optimizer.RecomputeOptimizer(tg.optimizer.SGD(0.1))
    with fresh():
        loss = tg.mean(deep(static.data("x", [2, 4], "float64"))[-1])
        with pytest.raises(ModeError, match="call _set_checkpoints first"):
            optimizer.minimize(loss)
        with pytest.raises(TypeError, match="list of Variable or a list of String"):
            optimizer._set_checkpoints(loss)
        optimizer._set_checkpoints(["nobody knows this"])
        assert len(optimizer.minimize(loss)[1]) == 18
