"""What follows from parameters alone is computed once, and gives the same."""

from __future__ import annotations

import numpy as np

import teachgraph as tg
from teachgraph import nn, passes, static
from teachgraph.core import unique_name
from teachgraph.planning.executor import Executor
from teachgraph.static.scope import Scope, scope_guard


def built() -> tuple[static.Program, static.Program, static.Variable]:
    """Embeddings of fixed positions, a doubled weight, and an input."""
    main, startup = static.Program(), static.Program()
    tg.enable_static()
    try:
        with static.program_guard(main, startup), unique_name.guard():
            x = static.data("x", [None, 3, 4])
            table = nn.Embedding(8, 4)
            positions = tg.assign(np.array([0, 2, 5]))
            y = x + table(positions) * 2.0
            y = tg.matmul(y, tg.transpose(nn.Linear(5, 4).weight, [1, 0])[:4, :4])
    finally:
        tg.disable_static()
    return main, startup, y


def test_parameters_are_folded_where_the_scope_is_given() -> None:
    main, startup, y = built()
    feed = {"x": np.ones([2, 3, 4], "float32")}
    with scope_guard(Scope()) as scope:
        Executor().run(startup)
        (expected,) = Executor().run(main, feed, [y])
        names = ["constant_folding", "parameter_folding"]
        made = passes.apply_pass(main, names, fetches=[y], scope=scope)
        types = [op.type for op in made.global_block().ops]
        assert types == ["elementwise_add", "matmul_v2"]
        (found,) = Executor().run(made, feed, [y.name])
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        kept = passes.apply_pass(main, names, fetches=[y])
        assert len(kept.global_block().ops) > 2


def test_what_a_run_changes_is_not_folded() -> None:
    main, startup = static.Program(), static.Program()
    tg.enable_static()
    try:
        with static.program_guard(main, startup), unique_name.guard():
            weight = static.create_parameter([2], "float32")
            loss = (weight * 2.0).sum()
            tg.optimizer.SGD(0.1).minimize(loss)
    finally:
        tg.disable_static()
    with scope_guard(Scope()) as scope:
        Executor().run(startup)
        scope.values[weight.name] = np.ones(2, "float32")
        made = passes.apply_pass(main, "parameter_folding", fetches=[loss], scope=scope)
        losses = [Executor().run(made, {}, [loss.name])[0].item() for _ in range(2)]
    np.testing.assert_allclose(losses, [4.0, 3.2], rtol=1e-6)
