"""The `ast` event of `to_static`: a function's source, the new source, its operators.

The three are linked by the user's lines, which the transformed tree preserves.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from textwrap import dedent
from types import FunctionType
from typing import Any

from teachgraph.control_flow.sub_block import sub_block_of
from teachgraph.core.callsite import Callsite
from teachgraph.core.program import Block, Operator, Program
from teachgraph.jit.conversion import definition
from teachgraph.jit.transform import transformed
from teachgraph.jit.transform.names import Fresh
from teachgraph.jit.transform.private import private
from teachgraph_widgets.events import AstOp
from teachgraph_widgets.log import LONGEST_SOURCE, clean

__all__ = ["lines_of", "rewritten"]

MOST_OPS = 2000

Number = Callable[[Operator], int | None]


def rewritten(static: Any, program: Program, number: Number) -> tuple[Any, ...] | None:
    """Return the fields of an `ast` event; None for a callable that is no function.

    Args:
        static: The StaticFunction.
        program: A program that was captured from it.
        number: Returns the number of an operator in the log, if it has one.
    """
    function = inspect.unwrap(static.function)
    if not isinstance(function, FunctionType):
        return None
    node, file, owner = definition(function)
    source, first = inspect.getsourcelines(function)
    tree = transformed(private(node, owner), Fresh(node))
    text = ast.unparse(tree)
    lines = lines_of(tree, text, first)
    ops = [
        ast_op(operator, depth, line_of(operator.callsite, file, first, lines), number)
        for operator, depth in operators(program.global_block())
    ]
    sources = (
        clean(dedent("".join(source)), LONGEST_SOURCE),
        clean(text, LONGEST_SOURCE),
    )
    name = function.__qualname__.rpartition("<locals>.")[2]
    return clean(name), *sources, lines, ops[:MOST_OPS]


def lines_of(tree: ast.AST, text: str, first: int) -> list[int]:
    r"""Return the source line, from `first`, of each line of an unparsed tree.

    >>> tree = ast.parse("def f(a):\n  b = (a +\n    1)\n  return b").body[0]
    >>> lines_of(tree, ast.unparse(tree), 1)
    [1, 2, 4]
    """
    lines = [0] * (text.count("\n") + 1)
    ast.fix_missing_locations(tree)
    for old, new in zip(
        ast.walk(tree), ast.walk(ast.parse(text).body[0]), strict=False
    ):
        if isinstance(old, ast.stmt) and isinstance(new, ast.stmt):
            lines[new.lineno - 1] = max(old.lineno - first + 1, 0)
    return lines


def line_of(where: Callsite | None, file: str, first: int, lines: list[int]) -> int:
    """Return the transformed line of a place in the source; 0 for none."""
    if where is None or where.file != file:
        return 0
    line = where.line - first + 1
    return lines.index(line) + 1 if line in lines else 0


def operators(block: Block, depth: int = 0) -> Iterator[tuple[Operator, int]]:
    """Yield a block's operators, each followed by its sub-block's, one deeper."""
    for operator in block.ops:
        yield operator, depth
        if (inner := sub_block_of(operator)) is not None:
            yield from operators(inner, depth + 1)


def ast_op(operator: Operator, depth: int, line: int, number: Number) -> AstOp:
    """Return an operator as text, indented like code."""
    outputs = ", ".join(operator.output_arg_names)
    call = f"{operator.type}({', '.join(operator.input_arg_names)})"
    text = "    " * depth + (f"{outputs} = {call}" if outputs else call)
    op: AstOp = {"text": clean(text, 200), "line": line}
    known = number(operator)
    if known is not None:
        op["op"] = known
    return op
