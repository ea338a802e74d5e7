"""Checks of the slots and attributes of operators that run a block.

An op whose kernel is a function has its slots from that function's parameters. The
slots of these follow from their blocks, so a table says how many names each
holds and which are as long as each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from teachgraph.control_flow.sub_block import in_sight, sub_block_of
from teachgraph.core.program import EMPTY, GRAD, Operator

__all__ = ["misfit"]


class Fit(NamedTuple):
    """The slots that an operator must have, and which are as long as each other.

    Attributes:
        one: Slots that hold one name.
        alike: Slots and attributes that are as long as each other.
        inside: Attributes that name variables of its block.
        scopes: The slot with the step scopes, in which the values saved of each
            iteration are, and the type of the operator that wrote it.
    """

    one: tuple[str, ...]
    alike: tuple[tuple[str, ...], ...] = ()
    inside: tuple[str, ...] = ()
    scopes: tuple[str, str] | None = None


STEP = ("step_inputs", "ex_states", "states", "step_outputs")

FITS = {
    "conditional_block": Fit(("Cond", "Scope"), (("Input",), ("Out",))),
    "conditional_block_grad": Fit(
        ("Cond", "Scope"),
        (("Input", "Input@GRAD"),),
        scopes=("Scope", "conditional_block"),
    ),
    "while": Fit(("Condition", "StepScopes"), (("X",), ("Out",))),
    "while_grad": Fit(
        ("StepScopes",),
        (("X", "X@GRAD"), ("Out", "Out@GRAD")),
        scopes=("StepScopes", "while"),
    ),
    "recurrent": Fit(
        ("step_scopes",),
        (
            ("inputs", "step_inputs"),
            ("initial_states", "ex_states", "states"),
            ("parameters",),
            ("outputs", "step_outputs"),
        ),
        STEP,
    ),
    "recurrent_grad": Fit(
        ("step_scopes",),
        (
            ("inputs", "inputs@GRAD", "step_inputs"),
            ("initial_states", "initial_states@GRAD", "ex_states", "states"),
            ("parameters", "parameters@GRAD"),
            ("outputs@GRAD", "step_outputs"),
        ),
        ("step_inputs", "ex_states"),
        scopes=("step_scopes", "recurrent"),
    ),
}


def misfit(operator: Operator) -> str | None:
    """Why an operator can't run its block, None if it can or runs none."""
    if operator.type not in FITS:
        return None
    if sub_block_of(operator) is None:
        return "it names no block: `sub_block`"
    return next(misfits(operator, FITS[operator.type]), None)


def misfits(operator: Operator, fit: Fit) -> Iterator[str]:
    """Everything that does not fit."""
    yield from no_names(operator, [*fit.one, *sum(fit.alike, ())])
    for name in fit.one:
        if len(names_of(operator, name)) != 1:
            yield f"{name} holds one name, not {names_of(operator, name)}"
    for group in fit.alike:
        if len({len(names_of(operator, name)) for name in group}) > 1:
            yield f"{', '.join(group)} are as long as each other"
    yield from too_few(operator)
    yield from outside_variables(operator, fit.inside)
    if fit.scopes is not None:
        yield from unkept(operator, *fit.scopes)


def names_of(operator: Operator, name: str) -> list[str]:
    """The names in a slot or an attribute."""
    slots: dict[str, Any] = {**operator.attrs, **operator.outputs, **operator.inputs}
    return list(slots.get(name, ()))


def no_names(operator: Operator, wanted: Iterable[str]) -> Iterator[str]:
    """Slots and attributes that are not there, or hold no names."""
    slots = {**operator.attrs, **operator.outputs, **operator.inputs}
    for name in wanted:
        value: Any = slots.get(name)
        listed = isinstance(value, (list, tuple))
        if not listed or not all(isinstance(item, str) for item in value):
            yield f"{name} is a list of names, not {value!r}"
        elif EMPTY in value and not name.endswith(GRAD):
            yield f"{name} holds {EMPTY!r}, which only a gradient may be"


def too_few(operator: Operator) -> Iterator[str]:
    """A loop's first values: one for each loop variable but the condition."""
    if operator.type in ("while", "while_grad"):
        outs = names_of(operator, "Out")
        if not 0 < len(outs) <= len(names_of(operator, "X")) + 1:
            yield f"Out holds what X starts with, then the condition, not {outs}"


def outside_variables(operator: Operator, attributes: tuple[str, ...]) -> Iterator[str]:
    """The variables that an attribute names and its block has not."""
    block = sub_block_of(operator)
    assert block is not None
    for name in attributes:
        for variable in names_of(operator, name):
            if not sees(operator, variable):
                yield f"{name} names {variable!r}, which block {block.idx} has not"


def sees(operator: Operator, name: str) -> bool:
    """Say if its block sees a variable, also in the forward block of a gradient."""
    block = sub_block_of(operator)
    assert block is not None
    return any(name in seen.vars for seen in in_sight(block)) or (
        block._find_var_recursive(name) is not None
    )


def unkept(operator: Operator, slot: str, type: str) -> Iterator[str]:
    """Scopes that no operator of that type has written."""
    name = names_of(operator, slot)[0]
    variable = operator.block._find_var_recursive(name)
    writers = [] if variable is None else variable.block.ops
    if not any(op.type == type and name in op.output_arg_names for op in writers):
        yield f"{slot} is what a {type} has kept, and none wrote {name!r}"
