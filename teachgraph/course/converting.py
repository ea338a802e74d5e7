"""Turn a Python function into one that can write a program, by a learner's rules.

Lesson 09 has the learner write the source that stands for an `if` and for a `while`.
That source calls `either`, `repeated` and `both`: where a Variable decides, they append
an operator with a block for each way; else they are Python's own.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from teachgraph.core.program import Variable

__all__ = ["both", "either", "in_program", "listed", "repeated", "to_static"]

State = tuple[Any, ...]
Block = Callable[[Iterable[ast.stmt]], str]
Rule = Callable[[Any, Block], str]


def either(
    test: Any,
    yes: Callable[..., State],
    no: Callable[..., State],
    state: State,
) -> State:
    """Run one of two functions on the state.

    >>> either(3 > 2, lambda x: (x + 1,), lambda x: (x,), (5,))
    (6,)
    """
    if isinstance(test, Variable):
        from teachgraph.static.nn import cond

        results = cond(test, lambda: yes(*state), lambda: no(*state))
        return tuple(results) if isinstance(results, (list, tuple)) else (results,)
    return (yes if test else no)(*state)


def repeated(
    condition: Callable[..., Any], body: Callable[..., State], state: State
) -> State:
    """Run a function on the state again and again, while the condition holds.

    >>> repeated(lambda x: x < 100, lambda x: (x * 2,), (3,))
    (192,)
    """
    if any(isinstance(x, Variable) for x in state):
        from teachgraph.static.nn import while_loop

        return tuple(while_loop(condition, body, list(state)))
    while condition(*state):
        state = body(*state)
    return state


def both(first: Any, second: Callable[[], Any]) -> Any:
    """Join two conditions by `and`; ask the second only if that can matter.

    >>> both(False, lambda: 1 / 0)
    False
    """
    if isinstance(first, Variable):
        from teachgraph.ops.functions import logical_and

        return logical_and(first, second())
    return first and second()


def listed(names: Iterable[str]) -> str:
    """Names with their commas, as a tuple without its brackets.

    >>> listed(["n", "rounds"]), listed(["n"])
    ('n, rounds,', 'n,')
    """
    return " ".join(f"{name}," for name in names)


@dataclass(frozen=True)
class Converter:
    """Writes statements anew by two rules, for `if` and `while`."""

    convert_if: Rule
    convert_while: Rule

    def block(self, statements: Iterable[ast.stmt]) -> str:
        """The source of statements, converted and indented; `pass` for none."""
        source = "\n".join(map(self.converted, statements)) or "pass"
        return textwrap.indent(source, "    ")

    def converted(self, node: ast.stmt) -> str:
        """The source of a statement.

        Raises:
            SyntaxError: It is an `if` or a `while` that something leaves midway.
        """
        if not isinstance(node, ast.If | ast.While):
            return ast.unparse(node)
        for part in ast.walk(node):
            if isinstance(part, ast.Return | ast.Break | ast.Continue):
                what = f"line {part.lineno}: `{ast.unparse(part)}` leaves a block"
                raise SyntaxError(what)
        rule = self.convert_if if isinstance(node, ast.If) else self.convert_while
        return rule(node, self.block).strip("\n")


def to_static(
    function: Callable[..., Any], convert_if: Rule, convert_while: Rule
) -> FunctionType:
    """Convert a function by rules: it runs on numbers, and writes on Variables.

    Args:
        function: Plain Python, whose source can be read.
        convert_if: Takes the node of an `if` and a function that converts and indents
            statements; returns the source that stands in its place.
        convert_while: Does likewise for a `while`.

    Returns:
        The function; its attribute `source` is what it was made of.

    Raises:
        SyntaxError: A `return`, `break` or `continue` leaves an `if` or a `while`.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    lines = Converter(convert_if, convert_while).block(tree.body)
    source = f"def {tree.name}({ast.unparse(tree.args)}):\n{lines}\n"
    file = f"<{tree.name}, converted>"
    names = {**function.__globals__}
    names |= {"both": both, "either": either, "repeated": repeated}
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), names)
    converted: FunctionType = names[tree.name]
    converted.__dict__["source"] = source
    return converted


def in_program(function: Callable[..., Any], number: int) -> Any:
    """Write a program that computes a function of a number, and run it."""
    from teachgraph.fluid import Executor
    from teachgraph.static import Program, data, program_guard

    main = Program()
    with program_guard(main, Program()):
        result = function(data("n", [1], "int64"))
    (value,) = Executor().run(main, {"n": np.array([number])}, [result])
    return value
