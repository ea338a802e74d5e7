"""Random branches and loops, saved and read again, are the same and run the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import teachgraph as tg
from teachgraph import static
from teachgraph.planning.executor import Executor
from teachgraph.static import Program
from tests.effort import examples
from tests.executor.test_control_flow import Statement, execute, made_up, statements
from tests.static.fresh import fresh


@pytest.mark.filterwarnings("ignore:The program has no operators")
@settings(max_examples=examples(20), deadline=None)
@given(statements(2))
def test_any_program_with_control_flow_is_read_as_it_was_saved(
    program: list[Statement],
) -> None:
    with fresh() as programs:
        data = [static.data(name, [3], "float64") for name in "xw"]
        for variable in data:
            variable.stop_gradient = False
        x, w = data
        loss = tg.sum(tg.add_n(execute(program, [x, x * 2.0, x - 1.0], w)))
        grads = [g for g in static.gradients(loss, data) if g is not None]
        content = programs.main.serialize_to_string()
        found = Program.parse_from_string(content)
        assert str(found) == str(programs.main)
        assert found.serialize_to_string() == content
        feed = {"x": made_up(3), "w": made_up(3, start=4)}
        fetches = [loss.name, *(grad.name for grad in grads)]
        for interpret in (False, True):
            before, after = (
                Executor(interpret=interpret).run(main, feed, fetches)
                for main in (programs.main, found)
            )
            for one, other in zip(before, after, strict=True):
                np.testing.assert_array_equal(one, other)
