"""Docstrings and gradient rules of ops, for the inspector to teach."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable
from functools import cache
from typing import Any

from teachgraph.core.errors import UnknownOpError
from teachgraph.core.op import Op, find
from teachgraph_widgets.log import EventLog, clean

__all__ = ["about", "write_about"]

MOST_LINES = 18
"""Lines of a rule that are shown; a longer one is named only."""

LONGEST = 700
MOST_WORDS = 160
FORMULA = re.compile(" (=|<-) ")
About = tuple[str, str, tuple[str, ...], tuple[str, ...], str, tuple[str, ...]]


def write_about(log: EventLog, types: Iterable[str]) -> None:
    """Append what is known of each registered op among these types."""
    bases = dict.fromkeys(name.removesuffix("_grad") for name in types)
    known = [facts for name in bases if (facts := about(name)) is not None]
    # Without a formula or a rule there is little to learn: such are generators.
    log.add_all(0, [("about", *f) for f in known if f[4] or FORMULA.search(f[1])])


@cache
def about(name: str) -> About | None:
    """Return type, text, inputs, outputs, rule and the rule's parameters of an op.

    >>> about("relu")[1:]  # doctest: +NORMALIZE_WHITESPACE
    ('out = max(x, 0).', ('x',), ('out',), 'return dout * (out > 0)',
     ('dout', 'out'))
    """
    try:
        op = find(name)
    except UnknownOpError:
        return None
    text = shortened(inspect.cleandoc(op.__doc__ or ""))
    rule, takes = rule_of(op)
    return name, clean(text, LONGEST), op.inputs, op.outputs, rule, takes


def shortened(text: str) -> str:
    r"""Return the first paragraph, and of the next what is short: logs are to be small.

    >>> shortened("out = x y.\n\nOne. Two." + " Three." * 30)
    'out = x y.\n\nOne.'
    """
    first, _, rest = text.partition("\n\n")
    sentence = rest.partition("\n\n")[0].partition(". ")
    more = sentence[0] + sentence[1].strip()
    return f"{first}\n\n{more}" if more and len(more) <= MOST_WORDS else first


def rule_of(op: Op) -> tuple[str, tuple[str, ...]]:
    """Return the body of an op's rule as source, and its positional parameters."""
    if op.rule is None:
        return "", ()
    function: Any = op.rule.function
    parameters = inspect.signature(function).parameters.values()
    takes = tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)
    try:
        source = textwrap.dedent(inspect.getsource(function))
        definition = next(
            node
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.FunctionDef)
        )
    except (OSError, TypeError, SyntaxError, StopIteration):
        return "", takes
    body = definition.body
    if ast.get_docstring(definition) is not None:
        body = body[1:]
    if not body:
        return "", takes
    lines = source.splitlines()[body[0].lineno - 1 : body[-1].end_lineno]
    if len(lines) > MOST_LINES:
        return f"{function.__name__}: {len(lines)} lines", takes
    return clean(textwrap.dedent("\n".join(lines)), LONGEST), takes
