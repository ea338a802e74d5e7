"""Messages for runs that cannot begin: what is missing, who reads it, what to do."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from typing import Any

from teachgraph.core import executor as core
from teachgraph.core.errors import (
    FeedError,
    FetchError,
    NotInitializedError,
    ProgramError,
)
from teachgraph.core.program import Block, Variable
from teachgraph.core.steps import Step
from teachgraph.planning.feeds import as_fed
from teachgraph.static.order import check_order

__all__ = ["Refusals"]


class Refusals(core.Plan):
    """A plan whose errors say what would be right.

    Attributes:
        fed_names: Names of variables that are fed though they are no data.
    """

    fed_names: AbstractSet[str] = frozenset()

    def as_fed(self, variable: Variable, value: Any) -> core.Array:
        """A fed value as an array of the declared shape and dtype; see `feeds`."""
        return as_fed(variable, value)

    def refuse_fetch(self, name: str) -> None:
        """Refuse a fetch of a variable without a value by the end of a run."""
        close = get_close_matches(name, self.variables, n=3)
        perhaps = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        why = (
            "fetch a variable that an operator of this program writes, or run the "
            f"program it belongs to, as in run(program=main){perhaps}"
        )
        for block in self.program.blocks[1:]:
            if name in block.vars:
                why = (
                    f"it lives only inside a branch or a loop, in block {block.idx}"
                    f"{written_in(block, name)}; return it from there, and fetch what "
                    "cond or while_loop returned"
                )
        raise FetchError.here(
            f"Input variable({name}) cannot be found in scope for operator "
            f"'Fetch': {why}"
        )

    def no_value(self, step: Step, name: str) -> ProgramError:
        """The error for a step that reads what nothing has given a value."""
        check_order(self.program.global_block(), self.fed_names)
        return super().no_value(step, name)

    def not_given(self, name: str, reader: Step | None) -> FeedError:
        """The error for a feed that is not there."""
        variable = self.variables[name]
        by = "" if reader is None else f", which {reader.operator.type} reads"
        return FeedError.here(
            f"The feed has no {name!r}{by}: give feed={{{name!r}: an array of "
            f"{variable.dtype} shaped {list(variable.shape)}}}"
        )

    def not_initialized(self, name: str, reader: Step | None) -> NotInitializedError:
        """The error for a persistable variable without a value."""
        who = "Fetch" if reader is None else f"the {reader.operator.type} op"
        return NotInitializedError.here(
            f"The variable {name}, which {who} reads, has not been initialized. "
            "You may need to confirm if you put exe.run(startup_program) after "
            "optimizer.minimize function: run the startup program once before "
            "this one."
        )


def written_in(block: Block, name: str) -> str:
    """The place where an operator of a block writes a variable."""
    writer = next((op for op in block.ops if name in op.output_arg_names), None)
    if writer is None or writer.callsite is None:
        return ""
    return f", where {writer.type} of {writer.callsite.short} writes it"
