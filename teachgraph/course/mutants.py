"""Strength of a check: the share of small mistakes in our own solution it notices.

A mutant is the solution with one change: an operator turned, a condition negated, a
number off by one, a statement dropped, arguments swapped, or a constant in the place of
the result. One that passes shows a check that asks too little, or a change that changes
nothing.
"""

from __future__ import annotations

import ast
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from teachgraph.course.judging import ask_here, judge
from teachgraph.course.source import Source, without_markers

__all__ = ["LEAST", "Score", "mutants", "score"]

LEAST = 0.9
"""The share that the check of each task must notice."""

SECONDS = 5.0
"""A mutant that takes longer is noticed: it does not end."""

TURNED: Mapping[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.Eq: ast.LtE,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.Gt: ast.LtE,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
"""For each operator the one that stands in its place."""

INSTEAD = ("None", "0", "0.0", "1.0", "{}", "[]", "()")
"""Constants in the place of a result."""


Change = Callable[[Any], object]
"""Changes a node of a tree in its place."""


def mutants(code: str) -> Iterator[str]:
    """Each mutant of a function or a class.

    >>> for mutant in list(mutants("def f(x): return x + 1"))[:3]:
    ...     print(mutant.splitlines()[-1].strip())
    pass
    return x - 1
    return x + 2
    """
    tree = ast.parse(code)
    seen = {ast.unparse(tree)}
    for changed in (*_changes(tree), *_constants(tree)):
        text = ast.unparse(changed)
        if text not in seen:
            seen.add(text)
            yield text


def _changes(tree: ast.Module) -> Iterator[ast.Module]:
    """Trees with one node changed."""
    for position, node in enumerate(ast.walk(tree)):
        for change in _of_node(node):
            copy = deepcopy(tree)
            for there, same in enumerate(ast.walk(copy)):
                if there == position:
                    change(same)
                    break
            yield ast.fix_missing_locations(copy)


def _of_node(node: ast.AST) -> Iterator[Change]:
    """The changes that can be made to a node."""
    yield from _operators(node)
    yield from _numbers(node)
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield lambda same: setattr(same, "test", ast.UnaryOp(ast.Not(), same.test))
    if isinstance(node, ast.Call) and len(node.args) == 2:
        yield lambda same: same.args.reverse()
    for body in ("body", "orelse"):
        statements = getattr(node, body, None)
        if isinstance(statements, list) and not isinstance(node, ast.Module):
            for index, statement in enumerate(statements):
                if not _is_text(statement) and not isinstance(statement, ast.Pass):
                    yield _without(body, index)


def _operators(node: ast.AST) -> Iterator[Change]:
    """An operator turned."""
    if isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)):
        kind = TURNED.get(type(node.op))
        if kind is not None:
            yield lambda same: setattr(same, "op", kind())
    if isinstance(node, ast.Compare):
        turned = TURNED.get(type(node.ops[0]))
        if turned is not None:
            yield lambda same: setattr(same, "ops", [turned(), *same.ops[1:]])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield lambda same: setattr(same, "op", ast.UAdd())


def _numbers(node: ast.AST) -> Iterator[Change]:
    """A number off by one, or a truth value negated."""
    if isinstance(node, ast.Constant):
        if type(node.value) in (int, float):
            yield lambda same: setattr(same, "value", same.value + 1)
        elif type(node.value) is bool:
            yield lambda same: setattr(same, "value", not same.value)


def _without(body: str, index: int) -> Change:
    """A change that drops a statement."""

    def drop(node: ast.AST) -> None:
        getattr(node, body)[index] = ast.Pass()

    return drop


def _is_text(statement: ast.AST) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _constants(tree: ast.Module) -> Iterator[ast.Module]:
    """Trees whose function returns a constant and does nothing else."""
    for constant in INSTEAD:
        copy = deepcopy(tree)
        function = next(
            (node for node in ast.walk(copy) if isinstance(node, ast.FunctionDef)), None
        )
        if function is not None:
            function.body = ast.parse(f"return {constant}").body
            yield ast.fix_missing_locations(copy)


@dataclass
class Score:
    """The outcome for the mutants of one task: those that passed are `survivors`."""

    task: str
    count: int = 0
    survivors: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share that was noticed."""
        return 1.0 - len(self.survivors) / max(self.count, 1)


def score(source: Source, task: str, names: Mapping[str, Any]) -> Score:
    """Try every mutant of a task.

    Args:
        source: The lesson.
        task: One of its exercises.
        names: What the solved notebook defines.
    """
    result = Score(task)
    for code in mutants(without_markers(source.exercise(task).code)):
        result.count += 1
        if passes(source, task, code, names):
            result.survivors.append(code)
    return result


def passes(source: Source, task: str, code: str, names: Mapping[str, Any]) -> bool:
    """Tell whether an answer passes its check, within the time."""
    try:
        with limited(SECONDS):
            around = dict(names)
            exec(compile(code, "<mutant>", "exec"), around)
            ask = ask_here(around, source.lesson, task)
            return judge(source.lesson, task, ask).passed
    except (TimeUp, Exception):  # a mutant may raise whatever it likes
        return False


class TimeUp(BaseException):
    """The time is up; no `except Exception` holds it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeUp when a block takes longer than this."""

    def up(*_: object) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
