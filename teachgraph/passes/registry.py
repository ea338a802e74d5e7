"""Registry of passes, and their application to a copy of a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from teachgraph.core.errors import ProgramError
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
    "descriptions",
    "register",
]

MOST_ROUNDS = 100
"""A pass that still changes something after so many sweeps does not terminate."""

DEFAULT = (
    "identities",
    "algebra",
    "constant_folding",
    "common_subexpressions",
    "gradient_sum",
)
"""The passes that an Executor applies to every program: results stay bit for bit."""


class Pass(NamedTuple):
    """A rewriting of programs.

    Attributes:
        name: The name.
        about: A description in one line.
        run: Makes one sweep over a program.
    """

    name: str
    about: str
    run: Callable[[Work], None]


_passes: dict[str, Pass] = {}


class Optimised(Program):
    """A program that passes have rewritten.

    Attributes:
        report: The rewrites.
    """

    def __init__(
        self, origin: Program | None = None, *, for_test: bool = False
    ) -> None:
        super().__init__(origin=origin, for_test=for_test)
        self.report = Report()


def register(name: str) -> Callable[[Callable[[Work], None]], Callable[[Work], None]]:
    """Register a function that sweeps over a program once as a pass; a decorator."""

    def registered(run: Callable[[Work], None]) -> Callable[[Work], None]:
        _passes[name] = Pass(name, (run.__doc__ or "").splitlines()[0], run)
        return run

    return registered


def by_rules(name: str, about: str, rules: Sequence[Rule]) -> None:
    """Register a table of rules as a pass."""
    _passes[name] = Pass(name, about, lambda work: rewrite(work, rules))


def descriptions() -> dict[str, str]:
    """Return the description of each pass, by name.

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
    """Rewrite a copy of a program by some passes, until none changes anything.

    Args:
        program: The program, which stays as it is.
        names: Passes, in the order in which they are tried; see `passes.list()`.
        fetches: The variables whose values will be fetched.
        scope: The Scope with the parameters, for passes that compute with them; their
            results are stored there as well.
        checked: True to check the program after every pass.

    Returns:
        The copy; its `report` lists the rewrites. Its operators have the operators of
        the program that they replace as `operator.origins`.

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
    passes = [pass_of(name) for name in ([names] if isinstance(names, str) else names)]
    result = Optimised(program)
    copied(program, result)
    wanted = [v.name if isinstance(v, Variable) else v for v in fetches]
    graph = Graph(result.global_block(), wanted, scope)
    # One pass may make work for another, so they alternate; a single one is done.
    rounds = (run_all(passes, graph, checked=checked) for _ in range(MOST_ROUNDS))
    while next(rounds, False) and len(passes) > 1:
        pass
    effective = {applied.name for applied in result.report}
    result.report.unchanged = [p.name for p in passes if p.name not in effective]
    return result


def run_all(passes: Sequence[Pass], graph: Graph, *, checked: bool) -> bool:
    """Run each pass to a fixed point; return True if any changed something."""
    changed = [run(one, graph, checked=checked) for one in passes]
    return any(changed)


def run(one: Pass, graph: Graph, *, checked: bool) -> bool:
    """Run a pass to a fixed point; return True if it changed something."""
    before, work = len(graph.block.ops), Work(graph)
    for _ in range(MOST_ROUNDS):
        done = len(work.changes)
        one.run(work)
        if len(work.changes) == done:
            break
        graph.finish()
        if graph.before:
            graph.rebuild()
    if not work.changes:
        return False
    program = graph.block.program
    assert isinstance(program, Optimised)
    applied = Applied(one.name, before, len(graph.block.ops), work.changes)
    program.report.append(applied)
    announce("pass_applied", program, applied)
    if checked:
        check(program)
    return True


def pass_of(name: str) -> Pass:
    """Return the pass of a name.

    Raises:
        ProgramError: There is none.
    """
    if name not in _passes:
        known = ", ".join(sorted(_passes))
        raise ProgramError.here(f"there is no pass {name!r}; there are {known}")
    return _passes[name]
