"""Passes by name, and their application to a copy of a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from teachgraph.core.errors import ProgramError, at_user_line
from teachgraph.core.observe import announce
from teachgraph.passes.check import check
from teachgraph.passes.copying import copied
from teachgraph.passes.graph import Graph
from teachgraph.passes.report import Applied, Report
from teachgraph.passes.rewriting import Rule, Work, rewrite
from teachgraph.static.program import Program
from teachgraph.static.variable import Variable

__all__ = [
    "DEFAULT",
    "Optimised",
    "Pass",
    "apply_pass",
    "by_rules",
    "listed",
    "register",
]

MOST_ROUNDS = 100
"""After so many sweeps a pass that still finds something is going in circles."""

DEFAULT = (
    "identities",
    "algebra",
    "constant_folding",
    "common_subexpressions",
    "gradient_sum",
)
"""What an Executor does to every program: nobody can tell but by the time it takes."""


class Pass(NamedTuple):
    """A rewriting of programs.

    Attributes:
        name: What it is called.
        about: What it does, in a line.
        run: One sweep over a program.
    """

    name: str
    about: str
    run: Callable[[Work], None]


_passes: dict[str, Pass] = {}


class Optimised(Program):
    """A program that passes have made.

    Attributes:
        report: What they did.
    """

    def __init__(self, origin: Program) -> None:
        super().__init__(origin=origin)
        self.report = Report()


def register(name: str) -> Callable[[Callable[[Work], None]], Callable[[Work], None]]:
    """Make a pass of a function that goes over a program once; a decorator."""

    def registered(run: Callable[[Work], None]) -> Callable[[Work], None]:
        _passes[name] = Pass(name, (run.__doc__ or "").splitlines()[0], run)
        return run

    return registered


def by_rules(name: str, about: str, rules: Sequence[Rule]) -> None:
    """Make a pass of a table of rules."""
    _passes[name] = Pass(name, about, lambda work: rewrite(work, rules))


def listed() -> dict[str, str]:
    """The names of the passes, with what each one does.

    >>> from teachgraph import passes
    >>> passes.list()["dead_code"]
    'Leave out what nobody needs.'
    """
    return {name: _passes[name].about for name in sorted(_passes)}


def apply_pass(
    program: Program,
    names: str | Sequence[str],
    *,
    fetches: Sequence[Variable | str] = (),
    scope: Any = None,
    checked: bool = True,
) -> Optimised:
    """A copy of a program, rewritten by some passes until none finds anything more.

    Args:
        program: The program, which stays as it is.
        names: Passes, in the order in which they are tried; see `passes.list()`.
        fetches: The variables whose values will be fetched.
        scope: The Scope with the parameters, for passes that compute with them; what
            they compute is put there as well.
        checked: Whether to check the program after every pass.

    Returns:
        The copy; its `report` says what has been done. Its operators know which of the
        program's they stand for: `operator.origins`.

    Raises:
        ProgramError: There is no pass of a name.

    In Paddle this is `paddle.base.core.get_pass(name).apply(graph)`.

    >>> import teachgraph as tg
    >>> from teachgraph import passes, static, unique_name
    >>> main = static.Program()
    >>> with static.program_guard(main), unique_name.guard():
    ...     x = static.data("x", [2])
    ...     y = tg.tanh(x * 1.0) + tg.tanh(x)
    >>> names = ["identities", "common_subexpressions"]
    >>> print(passes.apply_pass(main, names, fetches=[y]).report)  # doctest: +ELLIPSIS
    pass                   before  after
    identities                  4      3
        scale -> nothing: tmp_0 is x  # ...
    common_subexpressions       3      2
        tanh -> nothing: tanh_1.tmp_0 is tanh_0.tmp_0  # ...
    """
    chosen = [pass_of(name) for name in ([names] if isinstance(names, str) else names)]
    made = Optimised(program)
    copied(program, made)
    wanted = [v.name if isinstance(v, Variable) else v for v in fetches]
    graph = Graph(made.global_block(), wanted, scope)
    rounds = (run_all(chosen, graph, checked=checked) for _ in range(MOST_ROUNDS))
    while next(rounds, False) and len(chosen) > 1:
        pass
    return made


def run_all(passes: Sequence[Pass], graph: Graph, *, checked: bool) -> bool:
    """Run each pass to its end; whether any changed anything."""
    found = [run(chosen, graph, checked=checked) for chosen in passes]
    return any(found)


def run(chosen: Pass, graph: Graph, *, checked: bool) -> bool:
    """Sweep with one pass until it finds nothing; whether it changed anything."""
    before, work = len(graph.block.ops), Work(graph)
    for _ in range(MOST_ROUNDS):
        done = len(work.changes)
        chosen.run(work)
        if len(work.changes) == done:
            break
        graph.finish()
        if graph.before:
            graph.settle()
    if not work.changes:
        return False
    program = graph.block.program
    assert isinstance(program, Optimised)
    applied = Applied(chosen.name, before, len(graph.block.ops), work.changes)
    program.report.append(applied)
    announce("pass_applied", program, applied)
    if checked:
        check(program)
    return True


def pass_of(name: str) -> Pass:
    """The pass of that name.

    Raises:
        ProgramError: There is none.
    """
    if name not in _passes:
        known = ", ".join(sorted(_passes))
        raise ProgramError(
            at_user_line(f"there is no pass {name!r}; there are {known}")
        )
    return _passes[name]
