"""`Switch`: the first case that holds is run; 1.x writes its learning rates with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from teachgraph.control_flow.branch import Branch
from teachgraph.control_flow.sub_block import check_condition
from teachgraph.core.errors import ModeError, ProgramError
from teachgraph.core.modes import chosen
from teachgraph.core.program import Variable, current_block
from teachgraph.ops import functions

__all__ = ["Switch"]


class Switch:
    """Cases, of which the first that holds is run, by what they write around them.

    Args:
        name: Accepted for Paddle's sake.

    In Paddle 1.x this is `fluid.layers.Switch`.

    >>> from teachgraph import assign, full, modes, static
    >>> with modes.using(True), static.program_guard(static.Program()):
    ...     step, rate = full([1], 7.0), full([1], 0.1)
    ...     with Switch() as switch:
    ...         with switch.case(step < 5.0):
    ...             _ = assign(full([1], 1.0), rate)
    ...         with switch.case(step < 10.0):
    ...             _ = assign(full([1], 0.5), rate)
    ...     static.Executor().run(fetch_list=[rate])[0].tolist()
    [0.5]
    """

    def __init__(self, name: str | None = None) -> None:
        self.inside = False
        self.otherwise: Variable | None = None

    def __enter__(self) -> Self:
        if chosen() is False:
            raise ModeError.here(
                "Switch makes blocks of a program: in dynamic mode write if and elif"
            )
        self.inside = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.inside = False

    @contextmanager
    def case(self, condition: Any) -> Iterator[None]:
        """Inside, operators run if the condition holds and none before it did.

        Raises:
            ProgramError: It does not stand under `with Switch() as switch:`.
            TypeError: The condition is no boolean Variable.
        """
        if not self.inside:
            raise ProgramError.here("case should be called inside with")
        check_condition("condition", "the member function case of Switch", condition)
        before, taken = self.otherwise, condition
        self.otherwise = functions.logical_not(condition)
        if before is not None:
            self.otherwise = functions.logical_and(before, self.otherwise)
            taken = functions.logical_and(before, condition)
        with Branch(current_block(), taken).traced():
            yield

    @contextmanager
    def default(self) -> Iterator[None]:
        """Inside, operators run if no condition held.

        Raises:
            ProgramError: There was none.
        """
        if self.otherwise is None:
            raise ProgramError.here("there should be at least one condition")
        with Branch(current_block(), self.otherwise).traced():
            yield
