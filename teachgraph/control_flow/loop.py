"""Loops: `while_loop`, and the blocks of 1.x's `While`.

In dynamic mode Python loops. In a program the body becomes a block, run by a `while`
operator for as long as its condition holds. Each loop variable is a variable of the
outer block: it starts with an initial value, the body reads it, and the body's last
operators assign it the value for the next iteration.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from teachgraph.control_flow.block_writes import assign_back, redirect_writes
from teachgraph.control_flow.ops import count_iteration, limit_of, while_
from teachgraph.control_flow.pytree import flat, packed, same_structure
from teachgraph.control_flow.sub_block import (
    Mark,
    append_assign,
    as_variable,
    captured,
    check_condition,
    kept_apart,
    loops,
    sub_block_of,
    traced_into,
    written,
)
from teachgraph.core import unique_name
from teachgraph.core.errors import ProgramError, at_user_line
from teachgraph.core.modes import in_dynamic_mode
from teachgraph.core.program import Block, Operator, Variable, current_block
from teachgraph.ops.as_list import as_list
from teachgraph.ops.default_dtype import is_floating
from teachgraph.ops.math import assign
from teachgraph.ops.selection import merged

__all__ = ["Loop", "While", "while_loop", "write_backs"]

Body = Callable[[Sequence[Variable]], list[Variable]]
Condition = Callable[[Sequence[Variable]], Variable]


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    is_test: bool = False,
    name: str | None = None,
    *,
    max_iterations: int | None = None,
) -> list[Any]:
    """The loop variables after `while cond(*vars): vars = body(*vars)`.

    Args:
        cond: Takes the loop variables; returns one boolean.
        body: Takes them; returns their next values, nested in the same way. A size
            that changes from iteration to iteration is -1 in the result; of a rank or
            dtype that changes, the program states that after an iteration.
        loop_vars: Their first values, which stay as they are: Variables, nests of
            them, or numbers.
        is_test: Accepted for Paddle's sake.
        name: What the loop's variables are named after.
        max_iterations: After so many iterations a run stops with an error.

    Raises:
        TypeError: `cond` or `body` is no function, or the condition no boolean.
        InvalidValueError: `max_iterations` is no whole number from 1 on.
        LoopError: In dynamic mode, after so many iterations.
        ProgramError: There are no loop variables, or the body returns others.

    In Paddle this is `paddle.static.nn.while_loop`.

    >>> import teachgraph as tg
    >>> i, total = tg.to_tensor(0), tg.to_tensor(0)
    >>> less = lambda i, total: i < 5
    >>> i, total = while_loop(less, lambda i, total: [i + 1, total + i], [i, total])
    >>> total.item()
    10
    """
    check_functions(cond, body, loop_vars)
    limit, first = limit_of(max_iterations), list(loop_vars)
    if in_dynamic_mode() and not any(isinstance(v, Variable) for v in flat(first)):
        return run_now(cond, body, first, limit)
    first = packed(first, [as_variable(v) for v in flat(first)])
    condition = check_condition(
        "var of cond returned", "static.nn.while_loop", cond(*first)
    )
    key = name or unique_name.generate("while")
    labels = [f"{key}.{label}" for label in labels_of(body, first)]
    loop = Loop(current_block(), key, flat(first), condition, labels)

    def flat_body(variables: Sequence[Variable]) -> list[Variable]:
        results = body_results(body(*packed(first, variables)), first)
        return [as_variable(v) for v in flat(results)]

    def flat_condition(variables: Sequence[Variable]) -> Variable:
        where = "static.nn.while_loop"
        again = cond(*packed(first, variables))
        return check_condition("var of cond returned", where, again)

    loop.trace(flat_condition, flat_body)
    return list(packed(first, loop.append(is_test=is_test, max_iterations=limit)))


def check_functions(cond: Any, body: Any, loop_vars: Any) -> None:
    """Refuse what makes no loop, in Paddle's words."""
    for what, fn in (("cond", cond), ("body", body)):
        if not callable(fn):
            raise TypeError(at_user_line(f"{what} in while_loop should be callable"))
    if not isinstance(loop_vars, (list, tuple)):
        raise TypeError(
            at_user_line(
                "The type of 'loop_vars' in static.nn.while_loop must be (list, tuple),"
                f" but received {type(loop_vars)}."
            )
        )
    if not loop_vars:
        raise ProgramError.here("loop_vars in while_loop should not be empty")


def run_now(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    values: list[Any],
    limit: int | None,
) -> list[Any]:
    """The loop as Python runs it."""
    rounds = 0
    while holds(cond(*values)):
        rounds = rounds if limit is None else count_iteration(rounds, limit)
        values = body_results(body(*values), values)
    return values


def holds(condition: Any) -> bool:
    """A condition that has a value, as Python's."""
    if np.size(condition) != 1:
        raise TypeError(
            at_user_line(
                "the shape of the variable returned by cond should be [1], but given "
                f"shape as {list(np.shape(condition))}."
            )
        )
    return bool(condition)


def body_results(results: Any, values: Sequence[Any]) -> list[Any]:
    """The results of a body, one item a loop variable.

    Raises:
        ProgramError: It is nested otherwise than the loop variables.
    """
    items = as_list(results)
    if len(values) == 1 and not same_structure(items, list(values)):
        # The single loop variable may itself be a list, which the body returns bare.
        items = [results]
    if not same_structure(items, list(values)):
        raise ProgramError.here(
            "body in while_loop should return the same arity (length and "
            f"structure) as loop_vars: {len(flat(list(values)))} values as they "
            f"were given, got {len(flat(items))}"
        )
    return items


def labels_of(body: Callable[..., Any], first: Sequence[Any]) -> list[str]:
    """A label for each loop variable, after the parameters of the body."""
    try:
        parameters = list(inspect.signature(body).parameters.values())
    except (TypeError, ValueError):
        # Some builtins and extension functions have no signature.
        parameters = []
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in parameters if p.kind in named]
    names += [f"var_{i}" for i in range(len(names), len(first))]
    labels = [
        name for name, nest in zip(names, first, strict=False) for _ in flat(nest)
    ]
    return [
        label if labels.count(label) == 1 else f"{label}_{labels[:i].count(label)}"
        for i, label in enumerate(labels)
    ]


class Loop:
    """A `while` operator while it is built.

    Attributes:
        parent: The block it goes into.
        first: The loop variables' first values.
        inside: The loop variables.
        results: Their values after an iteration.
        condition: What decides whether there is a first iteration.
        again: What decides whether there is another.
    """

    def __init__(
        self,
        parent: Block,
        key: str,
        first: Sequence[Variable],
        condition: Variable,
        labels: Sequence[str],
    ) -> None:
        self.parent, self.first, self.condition = parent, first, condition
        self.inside = [self.variable(*pair) for pair in zip(labels, first, strict=True)]
        self.again = self.variable(f"{key}.condition", condition)
        self.block = parent
        self.results: list[Variable] = []

    def variable(self, label: str, first: Variable) -> Variable:
        """A loop variable: like its first value, but a gradient may go to it."""
        return self.parent.create_var(
            unused(self.parent, label),
            first.shape,
            first.dtype,
            type=first.type,
            stop_gradient=not is_floating(first.dtype),
        )

    def trace(self, cond: Condition, body: Body) -> None:
        """Trace the body, again if a size changes from iteration to iteration."""
        while True:
            mark = Mark(self.parent)
            self.trace_once(cond, body)
            if not self.widened():
                break
            mark.undo()
        self.state_results()
        if any(
            x.stop_gradient and not v.stop_gradient
            for x, v in zip(self.first, self.inside, strict=True)
        ):
            self.settle_gradients()

    def trace_once(self, cond: Condition, body: Body) -> None:
        """One body block: the user's operators, then the assignments."""
        with traced_into(self.parent) as self.block:
            loops.add(self.block)
            results = body(self.inside)
            condition = cond(results)
            latest = redirect_writes(self.block) if written(self.block) else {}
            results = [latest.pop(v.name, v) for v in results]
            pairs = zip(results, self.inside, strict=True)
            self.results = [self.own(value, old) for value, old in pairs]
            self.assign([*self.results, self.own(condition, self.again)])
            if latest:
                assign_back(self.block, latest)

    def own(self, value: Variable, old: Variable) -> Variable:
        """A result that no assignment changes before it is assigned itself.

        In a swap `a, b = b, a` the second assignment would read the new `a`.
        """
        if value is old or value.name in self.block.vars:
            return value
        return assign(value)  # type: ignore[no-any-return]

    def assign(self, results: Sequence[Variable]) -> None:
        """Append the assignments of the next iteration's values."""
        for old, new in zip([*self.inside, self.again], results, strict=True):
            if new is not old:
                append_assign(self.block, new.name, old.name)

    def widened(self) -> bool:
        """Say if sizes that the body changes had to become unknown.

        So it is if integers become floating: a gradient may go to these.
        """
        before = [(v.shape, v.stop_gradient) for v in self.inside]
        for old, new in zip(self.inside, self.results, strict=True):
            if len(new.shape) == len(old.shape):
                old.shape = merged([old.shape, new.shape])
            if new.dtype != old.dtype and is_floating(new.dtype):
                old.stop_gradient = False
        return before != [(v.shape, v.stop_gradient) for v in self.inside]

    def state_results(self) -> None:
        """Give loop variables the rank and dtype that they have after an iteration."""
        for old, new in zip(self.inside, self.results, strict=True):
            if len(new.shape) != len(old.shape):
                old.shape = new.shape
            old.dtype = new.dtype

    def settle_gradients(self) -> None:
        """Stop the gradient at loop variables that depend on nothing that has one."""
        stopped = {v.name for v in self.inside if v.stop_gradient}
        pairs = zip(self.inside, self.first, strict=True)
        stopped |= {v.name for v, x in pairs if x.stop_gradient}
        # From the largest set down to a fixed point: loop variables may depend on each
        # other in a circle.
        while True:
            constant = self.constant_if(stopped)
            still = {
                old.name
                for old, new in zip(self.inside, self.results, strict=True)
                if old.name in stopped and (new is old or new.name in constant)
            }
            if still == stopped:
                break
            stopped = still
        for v in self.inside:
            v.stop_gradient = v.name in stopped
        for name in constant & self.block.vars.keys():
            self.block.vars[name].stop_gradient = True

    def constant_if(self, stopped: set[str]) -> set[str]:
        """The variables of an iteration without gradient, if these have none."""
        constant = set(stopped)
        for operator in self.block.ops:
            for name in operator.output_arg_names:
                own = self.block.vars.get(name)
                if (own is not None and own.stop_gradient) or all(
                    n in constant or self.block._var_recursive(n).stop_gradient
                    for n in operator.input_arg_names
                ):
                    constant.add(name)
        return constant

    def append(self, **attrs: Any) -> list[Variable]:
        """Append the operator, with these attributes; return the loop variables."""
        first = [v.name for v in self.first]
        names = [v.name for v in self.inside]
        start, loop = (first, self.condition.name), (names, self.again.name)
        append_while(self.parent, self.block, start, loop, attrs)
        return self.inside


def append_while(
    parent: Block,
    block: Block,
    start: tuple[list[str], str],
    loop: tuple[list[str], str],
    attrs: dict[str, Any],
) -> None:
    """Append the operator that runs `block` for as long as its condition holds.

    `X` holds the loop variables' first values, then what the block only reads; `Out`
    holds the loop variables, then the condition.
    """
    first, condition = start
    names, again = loop
    outside = [n for n in written(block) if n not in (*names, again)]
    read = [n for n in captured(block) if n not in (*names, *outside, again)]
    before = [kept_apart(parent, parent._var_recursive(n)).name for n in outside]
    label = f"{again.removesuffix('.condition')}.steps"
    scopes = parent.create_var(
        unused(parent, label), type="STEP_SCOPES", stop_gradient=True
    )
    parent.insert(
        len(parent.ops),
        while_.type,
        {"X": [*first, *before, *read], "Condition": [condition]},
        {"Out": [*names, *outside, again], "StepScopes": [scopes.name]},
        {"sub_block": block.idx, "is_test": False}
        | {name: value for name, value in attrs.items() if value is not None},
    )


def unused(block: Block, label: str) -> str:
    """A name like `label` that is not in use yet."""
    name = label
    while block._find_var_recursive(name) is not None:
        name = unique_name.generate(label)
    return name


def write_backs(operator: Operator) -> dict[str, str]:
    """The variable that a `while` operator's block assigns to each loop variable.

    That is the variable itself, if the block leaves it alone.
    """
    block, names = sub_block_of(operator), operator.outputs["Out"]
    assert block is not None
    sources = {name: name for name in names}
    for inner in reversed(block.ops):
        name = inner.output_arg_names[0] if inner.type == assign.type else ""
        if name not in sources or sources[name] != name:
            break
        sources[name] = inner.input_arg_names[0]
    return sources


class While:
    """1.x's loop: `with While(condition).block():` repeats what stands inside.

    Args:
        cond: One boolean Variable; the block changes it by `less_than(..., cond=cond)`
            or `assign(..., cond)`.
        is_test: Accepted for Paddle's sake.
        name: Accepted for Paddle's sake.
        max_iterations: After so many iterations a run stops with an error.

    Raises:
        TypeError: `cond` is no boolean Variable.
        InvalidValueError: `max_iterations` is no whole number from 1 on.

    In Paddle 1.x this is `fluid.layers.While`.
    """

    def __init__(
        self,
        cond: Variable,
        is_test: bool = False,
        name: str | None = None,
        *,
        max_iterations: int | None = None,
    ) -> None:
        self.condition = check_condition("cond", "While", cond)
        self.attrs = {"is_test": is_test, "max_iterations": limit_of(max_iterations)}

    @contextmanager
    def block(self) -> Iterator[None]:
        """Inside, operators go into the body."""
        parent = current_block()
        with traced_into(parent) as block:
            loops.add(block)
            yield
            assign_back(block, redirect_writes(block))
        again = self.condition.name
        if again not in written(block):
            raise ProgramError.here(
                f"nothing in the loop changes its condition {again!r}, so it would "
                "never end: end it with less_than(..., cond=...)"
            )
        append_while(parent, block, ([], again), ([], again), dict(self.attrs))
