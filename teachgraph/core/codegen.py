"""A program as Python, one line an operator: to read, and for speed.

Branches and loops write themselves down; all else is a straight line.
"""

from __future__ import annotations

import keyword
import linecache
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from teachgraph.control_flow.flow import Flow, Rounds, Step
from teachgraph.core.call import Call, Expression
from teachgraph.core.op import force, like
from teachgraph.core.program import Operator, Variable
from teachgraph.planning.lifetimes import lifetimes
from teachgraph.planning.spare import spare

__all__ = ["Code", "generate"]


class Code(NamedTuple):
    """Generated code.

    Attributes:
        source: The text.
        function: What it defines: takes the feed and the scope's values, returns the
            fetched values and, by name, what is to be stored.
        operators: The operator that each line (from 1) runs.
        steps: The same as the steps of the plan.
        names: The variable behind each Python name.
    """

    source: str
    function: Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
    operators: dict[int, Operator]
    steps: dict[int, Step]
    names: dict[str, str]


class Identifiers:
    """Python names for variables: `fc_0.w_0@GRAD` becomes `fc_0_w_0_GRAD`."""

    def __init__(self, taken: Sequence[str]) -> None:
        self.taken, self.by_name = set(taken), dict[str, str]()

    def __call__(self, name: str) -> str:
        """The Python name of a variable, the same each time."""
        if name not in self.by_name:
            base = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name))
            if not base[:1].isidentifier() or keyword.iskeyword(base):
                base = f"v_{base}"
            self.by_name[name] = self.fresh(base)
        return self.by_name[name]

    def fresh(self, base: str) -> str:
        """A Python name that stands for nothing else."""
        found, number = base, 2
        while found in self.taken:
            found, number = f"{base}_{number}", number + 1
        self.taken.add(found)
        return found


def one_line(comment: str) -> str:
    """A comment that cannot end before its line does: a document may say anything."""
    return "".join(c if c.isprintable() else " " for c in comment)


class Writer:
    """Writes the lines, and gathers what they refer to.

    Attributes:
        kept: What loops keep of their rounds.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        every = list(every_step(steps))
        types = {step.operator.type for step in every}
        keywords = {f"{type}_" for type in types if keyword.iskeyword(type)}
        self.globals: dict[str, Any] = {"force": force, "spare": spare, "like": like}
        taken = [*types, *keywords, *self.globals, "feed", "scope", "_"]
        self.name = Identifiers(taken)
        self.fresh = self.name.fresh
        self.kept = {
            name for step in every if isinstance(step, Rounds) for name in step.saved
        }
        self.lines: list[str] = []
        self.steps: dict[int, Step] = {}
        self.margin = "    "

    def line(self, text: str) -> None:
        """One more line of the function's body."""
        self.lines.append(f"{self.margin}{text}")

    def step_line(self, step: Step, text: str, *, comment: bool = True) -> None:
        """A line that runs a step, or a part of it; errors in it are the step's."""
        where = step.operator.callsite if comment else None
        self.line(text if where is None else f"{text}  # {one_line(where.short)}")
        self.steps[len(self.lines)] = step

    def indented(self, steps: Sequence[Step], *, empty: bool = True) -> None:
        """The lines of a body; if there are none and it would be empty, `pass`."""
        before, self.margin = self.margin, self.margin + "    "
        for step in steps:
            self.step(step)
        if empty and not steps:
            self.line("pass")
        self.margin = before

    def uses(self, function: Callable[..., Any]) -> str:
        """The name of a function that the lines call."""
        name = function.__name__
        if self.globals.get(name) is not function:
            name = self.fresh(name)
            self.globals[name] = function
        return name

    def step(self, step: Step, over: str | None = None) -> None:
        """The lines of one step."""
        if isinstance(step, Flow):
            step.write(self)
        else:
            self.call(step, over)

    def call(self, call: Call, over: str | None = None) -> None:
        """The lines of one call, which may write over a variable."""
        function = call.operator.type
        if keyword.iskeyword(function):
            function += "_"
        self.globals[function] = call.function
        wanted = [name for name in call.outputs if name is not None]
        targets = ", ".join(
            "_" if name is None else self.name(name) for name in call.outputs
        )
        if not call.single:
            targets += "," * (len(call.outputs) == 1)
        into = "" if over is None else f", out=spare({self.name(over)})"
        text = f"{targets or '_'} = {function}({self.arguments(call)}{into})"
        self.step_line(call, text)
        for name in wanted if call.lazy else ():
            target = self.name(name)
            self.step_line(call, f"{target} = force({target})", comment=False)

    def arguments(self, call: Call) -> str:
        """The arguments of a call as text."""
        names = ["None" if name is None else self.name(name) for name in call.arguments]
        attrs = [f"{name}={self.literal(value)}" for name, value in call.attrs.items()]
        return ", ".join(names + attrs)

    def literal(self, value: Any) -> str:
        """An attribute as text, or the name of a constant where text would not do."""
        if isinstance(value, Expression):
            return value
        if isinstance(value, (bool, int, str, type(None))):
            return repr(value)
        if isinstance(value, float) and isfinite(value):
            return repr(value)
        if isinstance(value, (list, tuple)) and all(
            isinstance(item, (bool, int, str)) for item in value
        ):
            return repr(value)
        name = self.fresh("constant")
        self.globals[name] = value
        return name


def generate(
    calls: Sequence[Step],
    feeds: Sequence[str],
    fetches: Sequence[str],
    persistent: Sequence[str],
    title: str,
    variables: Mapping[str, Variable],
) -> Code:
    """Write a program down as a Python function, and compile it.

    Args:
        calls: What to run, in order.
        feeds: Variables whose values are fed.
        fetches: Variables whose values are returned.
        persistent: Variables that live in the scope.
        title: What tracebacks call the code.
        variables: What is known of the variables.
    """
    writer = Writer(calls)
    name = writer.name
    writer.kept |= {*fetches}  # from a branch that was not taken it is None
    writer.lines.append("def run(feed, scope):")
    for variable in feeds:
        writer.line(f"{name(variable)} = feed[{variable!r}]")
    reads = read_first(calls, persistent, fetches)
    for variable in reads:
        writer.line(f"{name(variable)} = scope[{variable!r}]")
    stores = written(calls, persistent)
    lives = lifetimes(calls, {*fetches, *stores}, variables)
    for call, ends, fades, over in zip(calls, *lives, strict=True):
        writer.step(call, over)
        if ends:
            writer.line(f"del {', '.join(map(name, ends))}")
        for variable in fades:
            writer.line(f"{name(variable)} = like({name(variable)})")
    fetched = ", ".join(name(v) for v in fetches)
    kept = ", ".join(f"{v!r}: {name(v)}" for v in stores)
    writer.line(f"return [{fetched}], {{{kept}}}")
    return compiled(writer, title)


def compiled(writer: Writer, title: str) -> Code:
    """Turn the lines into a function; tracebacks can show them."""
    source = "\n".join(writer.lines) + "\n"
    filename = f"<teachgraph {title}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), writer.globals)  # noqa: S102  our own text
    names = {python: name for name, python in writer.name.by_name.items()}
    operators = {line: step.operator for line, step in writer.steps.items()}
    return Code(source, writer.globals["run"], operators, writer.steps, names)


def every_step(steps: Sequence[Step]) -> Iterator[Step]:
    """These steps and those in their bodies."""
    for step in steps:
        yield step
        if isinstance(step, Flow):
            yield from every_step(step.body)


def read_first(
    calls: Sequence[Step], persistent: Sequence[str], fetches: Sequence[str]
) -> list[str]:
    """The persistent variables that are read before this program writes them."""
    stored, made = set(persistent), set[str]()
    found: dict[str, None] = {}
    for call in calls:
        for name in call.arguments:
            if name in stored and name not in made:
                found[name] = None
        made.update(name for name in call.outputs if name is not None)
    return [*found, *(n for n in fetches if n in stored - made and n not in found)]


def written(calls: Sequence[Step], persistent: Sequence[str]) -> list[str]:
    """The persistent variables that this program writes."""
    stored = set(persistent)
    found = {name: None for call in calls for name in call.outputs if name in stored}
    return [name for name in found if name is not None]
