"""Branches: `cond`, and `case` and `switch_case`, which are made of it.

In dynamic mode they run the branch that Python would. In a program each branch becomes
a block of its own, run by a `conditional_block` operator, and `select_input` picks the
result of the one that was taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from teachgraph.control_flow.branch import Branch, selected
from teachgraph.control_flow.pytree import flat, packed, same_structure
from teachgraph.control_flow.sub_block import as_variable, check_condition
from teachgraph.core.errors import ProgramError, ShapeError, at_user_line
from teachgraph.core.program import Block, Variable, current_block
from teachgraph.ops import functions

__all__ = ["case", "cond", "switch_case"]

Function = Callable[[], Any]


def cond(
    pred: Any,
    true_fn: Function | None = None,
    false_fn: Function | None = None,
    name: str | None = None,
    return_names: Sequence[str] | None = None,
) -> Any:
    """Run `true_fn()` if `pred` holds, else `false_fn()`, and return its results.

    Args:
        pred: One boolean.
        true_fn: Takes nothing; returns a Variable, or a nest of them (lists, tuples,
            dictionaries), or nothing. It may use variables from around it.
        false_fn: Returns the same nest. A size that differs is -1 in the result; where
            a rank or dtype differs, the program states that of `true_fn`, and the value
            has its own.
        name: Accepted for Paddle's sake.
        return_names: Accepted for Paddle's sake.

    Raises:
        TypeError: `pred` is no boolean, or a branch no function.
        ProgramError: The branches return different nests.

    In Paddle this is `paddle.static.nn.cond`.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor(3.0)
    >>> cond(x > 2.0, lambda: x * 10.0, lambda: x).item()
    30.0
    """
    check_branch("true_fn", true_fn)
    check_branch("false_fn", false_fn)
    if not isinstance(pred, Variable):
        return taken(predicate_value(pred), true_fn, false_fn)
    check_condition("pred", "static.nn.cond", pred)
    if true_fn is None and false_fn is None:
        return None
    parent = current_block()
    chosen = branch(parent, pred, true_fn)
    otherwise = functions.logical_not(pred)
    other = branch(parent, otherwise, false_fn)
    if chosen is None and other is None:
        return None
    check_results(chosen, other, true_fn, false_fn)
    mask = functions.cast(pred, "int32")
    pairs = list(zip(flat(chosen), flat(other), strict=True))
    pairs = [(a, as_given(b, a)) for a, b in pairs]
    return packed(chosen, [picked(parent, mask, a, b) for a, b in pairs])


def check_branch(what: str, fn: Any) -> None:
    """Refuse a branch that is no function."""
    if fn is not None and not callable(fn):
        raise TypeError(
            at_user_line(
                f"The {what} in cond must be callable, but received {type(fn).__name__}"
            )
        )


def predicate_value(pred: Any) -> bool:
    """A predicate that has a value, as Python's.

    Raises:
        TypeError: It is not boolean.
        ShapeError: It has several elements.
    """
    dtype, size = getattr(pred, "dtype", np.asarray(pred).dtype), np.size(pred)
    if dtype != np.bool_:
        raise TypeError(
            at_user_line(
                "The data type of 'pred' in static.nn.cond must be ['bool'], but "
                f"received {dtype}."
            )
        )
    if size != 1:
        raise ShapeError.here(f"a condition is one boolean, got {size}")
    return bool(pred)


def taken(pred: bool, true_fn: Function | None, false_fn: Function | None) -> Any:
    """Run the one branch that is there."""
    fn = true_fn if pred else false_fn
    return None if fn is None else fn()


def branch(parent: Block, pred: Variable, fn: Function | None) -> Any:
    """Append a branch; the nest it returns, its variables replaced by the parent's."""
    if fn is None:
        return None
    body = Branch(parent, pred)
    with body.traced():
        results = fn()
        leaves = [
            body.hand_out(leaf) if isinstance(leaf, Variable) else leaf
            for leaf in flat(results)
        ]
    return packed(results, leaves)


def check_results(
    chosen: Any, other: Any, true_fn: Function | None, false_fn: Function | None
) -> None:
    """Refuse branches that return different nests, in Paddle's words."""
    if chosen is None or other is None:
        one, two = ("non-None" if r is not None else "None" for r in (chosen, other))
        raise ProgramError.here(
            "Incompatible return values of true_fn and false_fn in cond: true_fn "
            f"returns {one} while false_fn returns {two}"
        )
    if same_structure(chosen, other):
        return
    counts = len(flat(chosen)), len(flat(other))
    raise ProgramError.here(
        f"true fn returns {counts[0]} vars, but false fn returns {counts[1]} vars, "
        "which is not equals: both return the same lists, tuples and dictionaries"
    )


def as_given(value: Any, other: Any) -> Any:
    """A bare number in the dtype of the other branch's variable."""
    if isinstance(other, Variable) and type(value) in (bool, int, float):
        beside: Any = other
        return functions.full([], value, beside.dtype_beside(value))
    return value


def picked(parent: Block, mask: Variable, chosen: Any, other: Any) -> Any:
    """The variable that holds the result of the branch that was taken."""
    numbers = not isinstance(chosen, Variable) and not isinstance(other, Variable)
    if numbers and type(chosen) is type(other) and chosen == other:
        return chosen
    no, yes = as_variable(as_given(other, chosen)), as_variable(as_given(chosen, other))
    return selected(parent, mask, yes, no)


def case(
    pred_fn_pairs: Sequence[tuple[Any, Function]],
    default: Function | None = None,
    name: str | None = None,
) -> Any:
    """Run the function of the first predicate that holds.

    Args:
        pred_fn_pairs: (boolean, function) pairs, asked in order.
        default: For when none holds; without it, the last function.
        name: Accepted for Paddle's sake.

    Raises:
        TypeError: A pair is none, or a function no function.

    In Paddle this is `paddle.static.nn.case`.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor(3.0)
    >>> case([(x < 1.0, lambda: "small"), (x < 5.0, lambda: "middling")])
    'middling'
    """
    if not isinstance(pred_fn_pairs, (list, tuple)):
        raise TypeError(
            at_user_line(
                "The type of 'pred_fn_pairs' in case must be (list, tuple), but "
                f"received {type(pred_fn_pairs)}."
            )
        )
    if not pred_fn_pairs and default is None:
        raise ProgramError.here("'pred_fn_pairs' in case should not be empty")
    for pair in pred_fn_pairs:
        check_pair(pair)
    check_default("case", default)
    pairs = list(pred_fn_pairs)
    last = pairs.pop()[1] if default is None else default
    # From the last pair outwards: each false branch holds the pairs after it.
    for pred, fn in reversed(pairs):
        last = partial(cond, pred, fn, last)
    return last()


def check_pair(pair: Any) -> None:
    """Refuse what is no (boolean, function)."""
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise TypeError(
            at_user_line(
                "The elements' type of 'pred_fn_pairs' in case must be a tuple of two, "
                f"but received: {type(pair)}."
            )
        )
    if isinstance(pair[0], Variable):
        check_condition("pred of pred_fn_pairs", "static.nn.case", pair[0])
    if not callable(pair[1]):
        raise TypeError(
            at_user_line("The fn for p of pred_fn_pairs in Op(case) must be callable.")
        )


def check_default(where: str, default: Any) -> None:
    """Refuse a default that can't be called."""
    if default is not None and not callable(default):
        raise TypeError(at_user_line(f"The default in Op({where}) must be callable."))


def switch_case(
    branch_index: Any,
    branch_fns: Mapping[int, Function] | Sequence[Any],
    default: Function | None = None,
    name: str | None = None,
) -> Any:
    """Run the function that `branch_index` names.

    Args:
        branch_index: One whole number.
        branch_fns: Functions by number: a dictionary, (number, function) pairs, or
            functions alone, counted from 0.
        default: For any other number; without it, the function of the largest.
        name: Accepted for Paddle's sake.

    Raises:
        TypeError: The index is no whole number, or a function no function.
        ProgramError: A number stands there twice, or there is no function at all.

    In Paddle this is `paddle.static.nn.switch_case`.

    >>> import teachgraph as tg
    >>> switch_case(tg.to_tensor(1), [lambda: "zero", lambda: "one", lambda: "two"])
    'one'
    """
    fns = by_number(branch_fns)
    check_default("switch_case", default)
    if not fns and default is None:
        raise ProgramError.here("'branch_fns' in switch_case is empty")
    if not isinstance(branch_index, int):
        dtype = str(np.dtype(getattr(branch_index, "dtype", "object")))
        if dtype not in ("uint8", "int32", "int64"):
            raise TypeError(
                at_user_line(
                    "The data type of 'branch_index' in static.nn.switch_case must be "
                    f"['uint8', 'int32', 'int64'], but received {dtype}."
                )
            )
    if not isinstance(branch_index, Variable):
        return fns.get(int(branch_index), default or fns[max(fns)])()
    index = branch_index
    if index.dtype != np.int64:
        index = functions.cast(index, "int64")
    numbers = sorted(fns)
    last = fns[numbers.pop()] if default is None else default
    # Nested conditions, as Paddle appends them: the else of each holds the next.
    for number in numbers:
        equal = functions.equal(index, functions.full([1], number, "int64"))
        last = partial(cond, equal, fns[number], last)
    return last()


def by_number(branch_fns: Any) -> dict[int, Function]:
    """Functions by number, however they were given.

    Raises:
        TypeError: That was none of the ways, or one is no function.
        ProgramError: A number stands there twice.
    """
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError(
            at_user_line(
                "The type of 'branch_fns' in switch_case must be (list, tuple, dict), "
                f"but received {type(branch_fns)}."
            )
        )
    items = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    fn_by_number: dict[int, Function] = {}
    for place, item in enumerate(items):
        number, fn = item if isinstance(item, tuple) else (place, item)
        if number in fn_by_number:
            raise ProgramError.here(
                "The key in 'branch_fns' must be unique, but "
                f"'{number}' appears more than once."
            )
        if not isinstance(number, int) or not callable(fn):
            raise TypeError(
                at_user_line(
                    f"The type of function for key {number} of 'branch_fns' in "
                    f"switch_case must be callable, but received: {type(fn)}."
                )
            )
        fn_by_number[number] = fn
    return fn_by_number
