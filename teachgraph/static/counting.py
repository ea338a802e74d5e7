"""A variable that counts the runs of a program."""

from __future__ import annotations

from teachgraph.static.layers import create_global_var
from teachgraph.static.program import default_main_program
from teachgraph.static.variable import Variable

__all__ = ["autoincreased_step_counter"]


def autoincreased_step_counter(
    counter_name: str | None = None, begin: int = 1, step: int = 1
) -> Variable:
    """A number that the first operator of each run increments.

    Args:
        counter_name: What it is called; one that is there already is given back.
        begin: What it is in the first run.
        step: What is added in every further one.

    In Paddle 1.x this is `fluid.layers.autoincreased_step_counter`.
    """
    name = counter_name or "@STEP_COUNTER@"
    block = default_main_program().global_block()
    if block.has_var(name):
        return block.var(name)
    counter = create_global_var([1], begin - step, "int64", persistable=True, name=name)
    slots = {"inputs": {"X": counter}, "outputs": {"Out": counter}}
    block._prepend_op("increment", **slots, attrs={"step": float(step)})
    return counter
