"""Runs of a program over a whole data set, one a batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from teachgraph.core.errors import InvalidValueError
from teachgraph.ops.as_list import as_list
from teachgraph.ops.print_assert import print_
from teachgraph.planning.fetching import fetch_names

if TYPE_CHECKING:
    from teachgraph.core.executor import Scope
    from teachgraph.core.program import Program, Variable
    from teachgraph.passes.compiled import CompiledProgram
    from teachgraph.planning.executor import Executor

__all__ = ["Batches", "DatasetRuns", "FetchHandler"]


@runtime_checkable
class Batches(Protocol):
    """A data set that can be fed."""

    def feeds(self) -> Iterator[Mapping[str, Any]]:
        """One feed a batch: arrays by the name of their variable."""


class FetchHandler:
    """Is shown some values now and then; override `handler`.

    Args:
        var_dict: The variables to look at, by whatever name they are to be shown.
        period_secs: Accepted for Paddle's sake; the runs are counted, not timed.

    In Paddle this is `paddle.base.executor.FetchHandler`.
    """

    def __init__(self, var_dict: Mapping[str, Any], period_secs: int = 60) -> None:
        self.var_dict, self.period_secs = dict(var_dict), period_secs

    def handler(self, res_dict: Mapping[str, Any]) -> None:
        """Take the values, by the names of `var_dict`; by default, print them."""
        for name, value in res_dict.items():
            print_(value, message=name)


class DatasetRuns:
    """The part of an Executor that runs a program over a data set."""

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
            cast("Executor", self),
            program,
            dataset,
            scope,
            fetch_list,
            fetch_info,
            print_period,
            fetch_handler,
        )

    infer_from_dataset = train_from_dataset
    """`train_from_dataset`: the program itself says whether parameters change."""


def run_over(
    executor: Executor,
    program: Any,
    dataset: Batches | None,
    scope: Any,
    fetch_list: Any,
    fetch_info: Sequence[str] | None,
    print_period: int,
    fetch_handler: FetchHandler | None,
) -> None:
    """Run a program once for each batch, and show what is asked for now and then.

    Raises:
        InvalidValueError: There is no data set, there is not one text for each fetch,
            or the period is no positive number.
    """
    names = fetch_names(fetch_list)
    info = names if fetch_info is None else list(fetch_info)
    if not isinstance(dataset, Batches):
        raise InvalidValueError.here(
            f"dataset is need and should be initialized, got {dataset!r}"
        )
    if len(info) != len(names) or print_period < 1:
        raise InvalidValueError.here(
            f"{len(names)} fetches need as many texts in fetch_info, got "
            f"{len(info)}, and print_period is 1 or more, got {print_period}"
        )
    watched = {} if fetch_handler is None else fetch_handler.var_dict
    asked = [fetch_list or [], list(watched.values())]
    for number, feed in zip(count(1), dataset.feeds(), strict=False):
        wanted = [item for items in asked for item in as_list(items)]
        results = executor.run(program, feed, wanted, scope=scope)
        if number % print_period == 0:
            for text, value in zip(info, results, strict=False):
                print_(value, message=f"batch: [{number}], {text}")
            if fetch_handler is not None:
                shown = results[len(names) :]
                fetch_handler.handler(dict(zip(watched, shown, strict=True)))
