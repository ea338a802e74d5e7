"""The Executor of the public names: the core's, and what Paddle's can do besides."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

import teachgraph.control_flow.lowering  # noqa: F401  registers branches and loops
from teachgraph.autograd.places import CPUPlace, place_of
from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.ops import limit_of
from teachgraph.core import executor as core
from teachgraph.core.errors import (
    ExecutorError,
    FeedError,
    InvalidValueError,
)
from teachgraph.core.executor import Scope, global_scope
from teachgraph.core.extend import HookPoint, unregistered
from teachgraph.core.program import Program as CoreProgram
from teachgraph.core.program import Variable
from teachgraph.passes.compiled import CompiledProgram
from teachgraph.passes.default import default_passes
from teachgraph.planning.dataset_runs import DatasetRuns
from teachgraph.planning.fetching import asked_for, fetch_names, pruned_for
from teachgraph.planning.memory import MemoryPlan
from teachgraph.planning.plan import AnyFeedPlan, Plan
from teachgraph.planning.written import WrittenPlan
from teachgraph.static.order import check_order
from teachgraph.static.program import Program, default_main_program

__all__ = ["Executor", "Plan", "backends"]

Fetches = Sequence[Variable | str] | Variable | str | None

backends: dict[str, type[Plan]] = {}
"""Classes of plans by the name of the backend; each is registered when first used."""

PASSES = (default_passes,)
"""The passes over a program before it is written down."""


class Executor(DatasetRuns, core.Executor):
    """Runs programs on the CPU.

    A program is planned once for each set of feed and fetch names, and again when it
    has changed. The plan is Python code, which can be read: `compiled(program).source`.

    Args:
        place: The CPU, the only one here.
        interpret: Walk over the operators as they are, instead of generating code of
            what the default passes leave. So does a run that somebody follows.
        max_iterations: How often a loop may go round that does not say so itself;
            by default without end, until Ctrl-C leaves the scope as it was.
        backend: Who runs programs: by default their own generated code, or
            `onnxruntime`, which takes programs for use only.

    Raises:
        InvalidValueError: There is no such place, or no such backend.

    In Paddle this is `paddle.static.Executor`.
    """

    planner: type[Plan] = Plan
    _closed = False
    tensor_of: Callable[[Any], Any] = staticmethod(Tensor.results)
    array_of: Callable[[Any], Any] | None = None

    def __init__(
        self,
        place: Any = None,
        *,
        interpret: bool = False,
        max_iterations: int | None = None,
        backend: str | None = None,
    ) -> None:
        limit = None if max_iterations is None else limit_of(max_iterations)
        super().__init__(max_iterations=limit)
        self.interpreting, self.backend, self.max_iterations = interpret, backend, limit
        own = place is None or isinstance(place, CPUPlace)
        self.place = CPUPlace() if own else place_of(place)
        if backend is not None:
            self.planner = planner_of(backend)

    def run(
        self,
        program: CoreProgram | CompiledProgram | None = None,
        feed: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        fetch_list: Fetches = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Scope | None = None,
        return_numpy: bool = True,
        use_program_cache: bool = True,
        use_prune: bool = False,
        return_merged: bool = True,
    ) -> list[Any]:
        """Run a program once.

        Args:
            program: By default the default main program.
            feed: Arrays by variable name, of exactly the declared dtype; or a list of
                one such dict, one device's.
            fetch_list: What to return: Variables or names; among them may stand what
                `minimize` returned, which returns nothing.
            feed_var_name: Accepted for Paddle's sake.
            fetch_var_name: Accepted for Paddle's sake.
            scope: Where persistable variables live; by default the global scope.
            return_numpy: Return arrays; otherwise Tensors.
            use_program_cache: Keep the plan for the next such run.
            use_prune: Run only what the fetches and the optimizer's updates need; a
                fetch of some updates does the same, and leaves out the others.
            return_merged: Of Paddle 1.x: False returns a list for each fetch, with each
                device's value.

        Returns:
            One value for each fetch; parameters are those after the update.

        Raises:
            FeedError: A feed is missing, or of the wrong shape or dtype.
            FetchError: A fetch names nothing that has a value.
            NotInitializedError: The startup program has not been run.
            OpError: An operator cannot take its inputs; it names the line that made it.
        """
        if self._closed:
            raise ExecutorError("Attempted to use a closed Executor")
        by_name: Any = feeding.call(program, {} if feed is None else feed)
        if not isinstance(program, Program):
            program = program_of(program, fetch_list)
        if scope is not None and not isinstance(scope, Scope):
            raise wrong_kind("Scope", scope)
        if not program.blocks[0].ops and not asked_for(fetch_list)[0]:
            warnings.warn("The program has no operators; nothing runs.", stacklevel=2)
            return []
        fetches: Any = fetch_list
        if not isinstance(fetch_list, (list, tuple)):
            fetches = [] if fetch_list is None else [fetch_list]
        if use_prune:
            program, fetches = self.cut(program, by_name, fetches)
        if program.asked:
            self.keep_answers(program, scope)
        values = super().run(program, by_name, fetches, scope=scope)
        if not use_program_cache:
            program.caches.pop(self, None)
        if wrap := self.array_of if return_numpy else self.tensor_of:
            values = [*map(wrap, values)]
        return values if return_merged else [[value] for value in values]

    def keep_answers(self, program: Program, scope: Scope | None) -> None:
        """Put what a program asks before each run, such as a rate, into the scope."""
        scope = global_scope() if scope is None else scope
        scope.values.update(program.answers())

    def plan(
        self, program: Any, feed: Mapping[str, Any], fetch_list: Sequence[Any]
    ) -> core.Plan:
        """The plan for a run; among the fetches may stand updates to be made."""
        feeds = feed_names(feed)
        if not all(isinstance(item, (Variable, str)) for item in fetch_list):
            fetch_list, updates = asked_for(fetch_list)
            if updates:
                program = pruned_for(program, feeds, fetch_list, updates)
        return super().plan(program, feed, fetch_list)

    def cut(
        self, program: Any, feed: Mapping[str, Any], fetch_list: Sequence[Any]
    ) -> tuple[Program, list[str]]:
        """The program without what nobody needs, and the names of the fetches."""
        fetches, updates = asked_for(fetch_list)
        return pruned_for(program, feed_names(feed), fetches, updates), fetches

    def new_plan(
        self, program: CoreProgram, feed: Mapping[str, Any], fetches: list[str]
    ) -> Plan:
        """A plan for these feeds and fetches, which nobody keeps."""
        passes = None if self.interpreting else PASSES
        known, planner = program.global_block().vars, self.planner
        if planner is Plan and any(n in known and not known[n].is_data for n in feed):
            planner = AnyFeedPlan
        if len(program.blocks) > 1:  # inside these, only this looks for the order
            check_order(program.global_block(), {*feed})
        return planner(program, feed, fetches, passes=passes, **self.options)

    def compiled(
        self, program: Program | None = None, fetch_list: Fetches = None
    ) -> WrittenPlan:
        """The plan of a program, to look at: `.source` is its code.

        >>> from teachgraph import static, unique_name
        >>> main = static.Program()
        >>> with static.program_guard(main), unique_name.guard():
        ...     x = static.data("x", [2], "float32")
        ...     y = x * 2.0
        >>> print(Executor().compiled(main, [y]).source)  # doctest: +ELLIPSIS
        def run(feed, scope):
            x = feed['x']
            tmp_0 = x * 2.0...
            del x
            return [tmp_0], {}
        <BLANKLINE>
        """
        program = default_main_program() if program is None else program
        data = {n: v for n, v in program.global_block().vars.items() if v.is_data}
        plan = self.plan(program, data, fetch_names(fetch_list))
        assert isinstance(plan, Plan)
        return plan.written

    def memory_plan(
        self,
        program: Program | None = None,
        feed: Mapping[str, Any] | None = None,
        fetch_list: Fetches = None,
    ) -> MemoryPlan:
        """Plan the memory that a run takes, without running anything.

        Args:
            program: By default the default main program.
            feed: Arrays, of which the shapes are looked at; what is declared without an
                unknown size may be left out.
            fetch_list: What is to be returned.

        Raises:
            InvalidValueError: A size is not known.

        >>> from teachgraph import static, unique_name
        >>> main = static.Program()
        >>> with static.program_guard(main), unique_name.guard():
        ...     x = static.data("x", [256, 256], "float32")
        ...     y = (x * 2.0 + 1.0) * 3.0
        >>> plan = Executor(interpret=True).memory_plan(main, fetch_list=[y])
        >>> plan.planned_peak, plan.naive_peak
        (262144, 786432)
        """
        shapes = {name: np.shape(value) for name, value in (feed or {}).items()}
        return self.compiled(program, fetch_list).memory(shapes)

    def close(self) -> None:
        """Refuse further runs."""
        self._closed = True


def feed_of_run(program: Any, feed: Any) -> Any:
    """The values that a run is fed, by name."""
    return feed if feed.__class__ is dict else of_one_device(feed)


def of_one_device(feed: Any) -> Any:
    """The feed of the one device.

    Raises:
        FeedError: There are several.
    """
    feeds = feed if isinstance(feed, (list, tuple)) else [feed]
    if len(feeds) != 1:
        raise FeedError.here(f"{len(feeds)} feeds for one device")
    return feeds[0]


feeding = HookPoint(feed_of_run)
"""Says what a run is fed: `feeding(program, feed)`; programs that feed themselves."""


def planner_of(backend: str) -> type[Plan]:
    """The class of plans that a backend brings.

    Raises:
        InvalidValueError: There is no such backend.
    """
    if backend not in backends:
        with suppress(KeyError):  # no module of ours registers it
            unregistered.call("backend", backend)
    if backend not in backends:
        raise InvalidValueError.here(
            f"backend is None or 'onnxruntime', got {backend!r}"
        )
    return backends[backend]


def program_of(program: Any, fetch_list: Fetches) -> Program:
    """The program to run: the default one, or what the passes make of a compiled one.

    Raises:
        TypeError: It is no program.
    """
    if program is None:
        return default_main_program()
    if isinstance(program, CompiledProgram):
        return program.optimised(fetch_names(fetch_list))
    raise wrong_kind("Program", program)


def wrong_kind(name: str, value: Any) -> TypeError:
    """The error for what is no Program or Scope, in Paddle's words."""
    return TypeError(
        f"Executor requires {name} as its Parameter. But you passed in {type(value)}"
    )


def feed_names(feed: Any) -> list[str]:
    """The names a feed gives values for.

    Raises:
        TypeError: It is no mapping from names.
    """
    if not isinstance(feed, Mapping) or not all(isinstance(name, str) for name in feed):
        raise no_feed(feed)
    return list(feed)


def no_feed(feed: Any) -> TypeError:
    """The error for what is no mapping from names, in Paddle's words."""
    if not isinstance(feed, Mapping):
        return TypeError(
            f"feed requires dict as its Parameter. But you passed in {type(feed)}"
        )
    wrong = next(name for name in feed if not isinstance(name, str))
    return TypeError(f"feed's keys are the names of variables, got {wrong!r}")
