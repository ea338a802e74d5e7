"""Transform control flow into calls: one transformer for each construct of Python.

`TABLE` lists them in their order; `print(table())` shows it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from teachgraph.jit.logs import conversion_log
from teachgraph.jit.transform.assert_ import assert_, raise_
from teachgraph.jit.transform.attributes import attributes
from teachgraph.jit.transform.break_continue import break_continue
from teachgraph.jit.transform.calls import attribute, calls, super_, text
from teachgraph.jit.transform.container import container
from teachgraph.jit.transform.control_flow import control_flow, mark
from teachgraph.jit.transform.generators import put_back, set_aside
from teachgraph.jit.transform.guards import guards
from teachgraph.jit.transform.logical import logical
from teachgraph.jit.transform.loop_else import loop_else
from teachgraph.jit.transform.names import Fresh
from teachgraph.jit.transform.return_ import return_
from teachgraph.jit.transform.ternary import ternary
from teachgraph.jit.transform.while_test import while_test

__all__ = ["TABLE", "Transformer", "table", "transformed"]


class Transformer(NamedTuple):
    """A pass over the syntax tree of a function.

    Attributes:
        construct: The construct of Python's that it replaces.
        change: Changes the tree.
    """

    construct: str
    change: Callable[[ast.FunctionDef, Fresh], ast.FunctionDef]

    @property
    def about(self) -> str:
        """The first line of its docstring."""
        return (self.change.__doc__ or "").splitlines()[0]


TABLE = (
    Transformer("closures", mark),
    Transformer("yield, async", set_aside),
    Transformer("loop else", loop_else),
    Transformer("while :=", while_test),
    Transformer("return", return_),
    Transformer("break, continue", break_continue),
    Transformer("append, x[i] = v", container),
    Transformer("self.h = x", attributes),
    Transformer("assert", assert_),
    Transformer("raise", raise_),
    Transformer("and, or, not", logical),
    Transformer("a if c else b", ternary),
    Transformer("case if, [if]", guards),
    Transformer("f-string", text),
    Transformer("super()", super_),
    Transformer("x.shape", attribute),
    Transformer("f(x)", calls),
    Transformer("if, while, for", control_flow),
    Transformer("yield, async", put_back),
)
"""The transformers, in order.

Each relies on those before it: `return` in a loop becomes `break`, jumps become flags,
and only code without jumps can become branches. Names in `f(x)` are replaced last but
one, or the calls that the others insert would be converted too.
"""


def transformed(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Apply all transformers to a function; each new node gets a line."""
    for number, step in enumerate(TABLE, 1):
        function = step.change(function, fresh)
        conversion_log.changed(number, step.construct, function, len(TABLE))
    return ast.fix_missing_locations(function)


def table() -> str:
    """List the transformers as text.

    >>> print(table().splitlines()[0])
    closures          Note the variables that nested functions read.
    """
    return "\n".join(f"{step.construct:18}{step.about}" for step in TABLE)
