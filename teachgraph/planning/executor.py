"""The Executor: runs programs, and remembers how."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.ops import limit_of
from teachgraph.core.errors import (
    ExecutorError,
    FeedError,
    FetchError,
    InvalidValueError,
    at_user_line,
)
from teachgraph.core.observe import announce, followed, observers
from teachgraph.core.plan import Plan
from teachgraph.core.program import Variable
from teachgraph.core.scope import Scope, global_scope
from teachgraph.passes import DEFAULT, CompiledProgram
from teachgraph.planning.dataset_runs import Batches, FetchHandler, run_over
from teachgraph.planning.fetching import asked_for, cut_down, fetch_names, not_taken
from teachgraph.planning.memory import MemoryPlan
from teachgraph.static.order import first_writer
from teachgraph.static.program import Program, default_main_program

__all__ = ["Executor"]

BACKENDS = (None, "onnxruntime")
"""Each is a file of this room with a function `plan`."""

Key = tuple[int, tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class Executor:
    """Runs programs on the CPU.

    A program is planned once for each set of feed and fetch names, and again when it
    has changed. The plan is Python code, one line an operator, which can be read:
    `compiled(program).source`.

    Args:
        place: Accepted for Paddle's sake; there is only the CPU.
        interpret: Walk over the operators as they are, instead of generating code of
            what the default passes leave. So does a run that somebody follows.
        max_iterations: How often a loop may go round that does not say so itself;
            by default without end, until Ctrl-C leaves the scope as it was.
        backend: Who runs programs: by default their own generated code, or
            `onnxruntime`, which takes programs for use only.

    Raises:
        InvalidValueError: There is no such backend.

    In Paddle this is `paddle.static.Executor`.
    """

    def __init__(
        self,
        place: Any = None,
        *,
        interpret: bool = False,
        max_iterations: int | None = None,
        backend: str | None = None,
    ) -> None:
        if backend not in BACKENDS:
            raise InvalidValueError(
                at_user_line(f"backend is one of {BACKENDS}, got {backend!r}")
            )
        self.place, self.interpreting, self.backend = place, interpret, backend
        self.max_iterations = limit_of(max_iterations)
        self._closed = False

    def run(
        self,
        program: Program | CompiledProgram | None = None,
        feed: Mapping[str, Any] | None = None,
        fetch_list: Sequence[Variable | str] | Variable | str | None = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Scope | None = None,
        return_numpy: bool = True,
        use_program_cache: bool = True,
        use_prune: bool = False,
    ) -> list[Any]:
        """Run a program once.

        Args:
            program: By default the default main program.
            feed: Arrays by variable name, of exactly the declared dtype.
            fetch_list: What to return: Variables or names; among them may stand what
                `minimize` returned, which returns nothing.
            feed_var_name: Accepted for Paddle's sake.
            fetch_var_name: Accepted for Paddle's sake.
            scope: Where persistable variables live; by default the global scope.
            return_numpy: Return arrays; otherwise Tensors.
            use_program_cache: Keep the plan for the next such run.
            use_prune: Run only what the fetches and the optimizer's updates need; a
                fetch of some updates does the same, and leaves out the others.

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
        program = default_main_program() if program is None else program
        if isinstance(program, CompiledProgram):
            program = program.optimised(fetch_names(fetch_list))
        check_kind("Program", program, Program)
        scope = global_scope() if scope is None else scope
        check_kind("Scope", scope, Scope)
        fetches, updates = asked_for(fetch_list)
        if not program.global_block().ops:
            warnings.warn("The program has no operators; nothing runs.", stacklevel=2)
            return []
        feeds = feed_names(feed)
        if use_prune or updates:
            program = cut_down(program, feeds, fetches, updates)
        planned = self.plan if use_program_cache else self.new_plan
        plan = planned(program, feeds, fetches)
        fed = checked_feed(plan, feed or {})
        scope.values.update(program.answers())
        with np.errstate(all="ignore"):  # infinity and NaN come silently, as in Paddle
            values = self._run(plan, fed, scope)
        for place, value in enumerate(values):
            if value is None:
                raise FetchError(not_taken(fetches[place]))
        found = [np.array(value) for value in values]
        return found if return_numpy else tensors(found)

    def _run(self, plan: Plan, feed: Mapping[str, Any], scope: Scope) -> list[Any]:
        if not observers:
            if self.interpreting:
                return plan.interpret(feed, scope)
            return plan.run(feed, scope)
        step_by_step = self.interpreting or followed(plan.program)
        announce("run_begin", plan.program, feed)
        try:
            return (
                plan.interpret(feed, scope) if step_by_step else plan.run(feed, scope)
            )
        finally:
            announce("run_end", plan.program)

    def plan(
        self, program: Program, feeds: Sequence[str], fetches: Sequence[str]
    ) -> Plan:
        """The plan for these feeds and fetches, made when first needed."""
        plans: dict[Key, Plan] = program.caches.setdefault(self, {})
        passes = self.passes(program)
        key = (program.version, tuple(feeds), tuple(fetches), tuple(passes))
        found = plans.get(key)
        if found is None:
            for stale in [k for k in list(plans) if k[0] != program.version]:
                plans.pop(stale, None)
            found = plans[key] = self.new_plan(program, feeds, fetches)
        return found

    def passes(self, program: Program) -> Sequence[str]:
        """What is done to a copy of a program first: nothing, if it is walked."""
        return () if self.interpreting or followed(program) else DEFAULT

    def new_plan(
        self, program: Program, feeds: Sequence[str], fetches: Sequence[str]
    ) -> Plan:
        """A plan for these feeds and fetches, which nobody keeps."""
        if self.backend is not None:
            backend = import_module(f"teachgraph.deploy.{self.backend}")
            made: Plan = backend.plan(program, feeds, fetches)
            return made
        return Plan(program, feeds, fetches, self.passes(program), self.max_iterations)

    def compiled(
        self,
        program: Program | None = None,
        fetch_list: Sequence[Variable | str] | Variable | str | None = None,
    ) -> Plan:
        """The plan of a program, to look at: `.source` is its code.

        >>> from teachgraph import static, unique_name
        >>> main = static.Program()
        >>> with static.program_guard(main), unique_name.guard():
        ...     x = static.data("x", [2], "float32")
        ...     y = x * 2.0
        >>> print(Executor().compiled(main, [y]).source)  # doctest: +ELLIPSIS
        def run(feed, scope):
            x = feed['x']
            tmp_0 = scale(x, scale=2.0)...
            del x
            return [tmp_0], {}
        <BLANKLINE>
        """
        program = default_main_program() if program is None else program
        data = [v.name for v in program.global_block().vars.values() if v.is_data]
        return self.plan(program, data, fetch_names(fetch_list))

    def memory_plan(
        self,
        program: Program | None = None,
        feed: Mapping[str, Any] | None = None,
        fetch_list: Sequence[Variable | str] | Variable | str | None = None,
    ) -> MemoryPlan:
        """How much memory a run takes, and what lies where, without running anything.

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

    def train_from_dataset(
        self,
        program: Program | CompiledProgram | None = None,
        dataset: Batches | None = None,
        scope: Scope | None = None,
        thread: int = 0,
        debug: bool = False,
        fetch_list: Sequence[Variable | str] | Variable | str | None = None,
        fetch_info: Sequence[str] | None = None,
        print_period: int = 100,
        fetch_handler: FetchHandler | None = None,
    ) -> None:
        """Run a program once for each batch of a data set.

        Args:
            program: By default the default main program.
            dataset: One of `fluid.DatasetFactory`, or whatever has `feeds()`.
            scope: Where persistable variables live; by default the global scope.
            thread: Accepted for Paddle's sake; batches come one after another.
            debug: Accepted for Paddle's sake; a profiler watches from outside.
            fetch_list: What to print.
            fetch_info: The text before each; by default its name.
            print_period: After how many batches to print, and to call the handler.
            fetch_handler: Is shown other values then.

        Raises:
            InvalidValueError: There is no data set, or not one text for each fetch.
            DataError: A record is not as the variables want it.
        """
        run_over(
            self,
            program,
            dataset,
            scope,
            fetch_list,
            fetch_info,
            print_period,
            fetch_handler,
        )

    infer_from_dataset = train_from_dataset
    """The same: whether parameters change is the program's affair."""

    def close(self) -> None:
        """Refuse further runs."""
        self._closed = True


def check_kind(name: str, value: Any, kind: type) -> None:
    """Refuse what is no Program or Scope, in Paddle's words."""
    if not isinstance(value, kind):
        raise TypeError(
            f"Executor requires {name} as its Parameter. "
            f"But you passed in {type(value)}"
        )


def feed_names(feed: Any) -> list[str]:
    """The names a feed gives values for."""
    if feed is None:
        return []
    if not isinstance(feed, (dict, Mapping)):  # the first is the quicker test
        raise TypeError(
            f"feed requires dict as its Parameter. But you passed in {type(feed)}"
        )
    for name in feed:
        if not isinstance(name, str):
            raise TypeError(f"feed's keys are the names of variables, got {name!r}")
    return list(feed)


def checked_feed(plan: Plan, feed: Mapping[str, Any]) -> dict[str, Any]:
    """The fed values as arrays, each of the shape and dtype its variable declares.

    Raises:
        FeedError: One is not, or is fed to a variable that an operator writes.
    """
    for name in feed:
        variable = plan.variables.get(name)
        if variable is None:
            warnings.warn(
                f"The variable {name} is not found in program. It is not declared or "
                "is pruned.",
                stacklevel=3,
            )
        elif not variable.is_data:
            raise FeedError(not_to_be_fed(variable))
    return {name: as_fed(plan.variables[name], feed[name]) for name in plan.feeds}


def not_to_be_fed(variable: Variable) -> str:
    """The message for a feed of what is no data."""
    writer = first_writer(variable.block, variable.name)
    who = "it outlives runs in the scope"
    if writer is not None:
        line = "" if writer.callsite is None else f" of {writer.callsite.short}"
        who = f"{writer.type}{line} writes it, so a feed would be overwritten"
    return at_user_line(
        f"{variable.name!r} is no data variable: {who}; feed variables made by "
        "static.data"
    )


def as_fed(variable: Variable, value: Any) -> np.ndarray[Any, Any]:
    """One fed value as an array of the declared shape and dtype."""
    if isinstance(value, np.ndarray):
        array = value
    elif isinstance(value, (list, tuple, int, float)):
        array = from_python(variable, value)
    else:
        array = np.asarray(value)
    if array.dtype != variable.dtype:
        raise FeedError(
            at_user_line(
                f"The data type of fed Variable {variable.name!r} must be "
                f"'{variable.dtype}', but received '{array.dtype}': give "
                f"{variable.name}.astype('{variable.dtype}')"
            )
        )
    if array.shape != variable.shape and not fits(array.shape, variable.shape):
        raise FeedError(
            at_user_line(
                f"The fed Variable {variable.name!r} should have dimensions = "
                f"{len(variable.shape)}, shape = {variable.shape}, but received fed "
                f"shape {list(array.shape)} on each device: -1 takes any size, every "
                "other size is as declared"
            )
        )
    return array


def from_python(variable: Variable, value: Any) -> np.ndarray[Any, Any]:
    """Python's numbers in the declared dtype, unless that would change them."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise FeedError(
            at_user_line(f"the feed of {variable.name!r} is no array: {error}")
        ) from None
    if array.size and not np.can_cast(array.dtype, variable.dtype, "same_kind"):
        return array
    found = array.astype(variable.dtype)
    exact = found.dtype.kind == "f" or np.array_equal(found, array)
    return found if exact else array


def fits(shape: Sequence[int], declared: Sequence[int]) -> bool:
    """Whether a shape is as declared, where -1 is any size."""
    if len(shape) != len(declared):
        return False
    # Each run comes this way, and `all` would take twice as long.
    for got, want in zip(shape, declared, strict=True):  # noqa: SIM110
        if want not in (-1, got):
            return False
    return True


def tensors(values: Sequence[Any]) -> list[Any]:
    """Fetched values as Tensors."""
    return [Tensor(value) for value in values]
