"""Programs of other engines, with the attributes of ours: a learner's own is drawn too.

What such a program, operator or variable says of itself is read with care: what is
absent counts as empty, and every name is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from teachgraph.core.program import GRAD, OpRole
from teachgraph_widgets.engines import is_foreign, text_of
from teachgraph_widgets.events import Role

__all__ = ["ForeignOperator", "ForeignProgram", "ForeignVariable", "Seen"]

ROLES = {
    "forward": OpRole.FORWARD,
    "backward": OpRole.BACKWARD,
    "optimize": OpRole.OPTIMIZE,
}


class OperatorLike(Protocol):
    """An operator in a program of any engine, as the pictures ask for it.

    An engine announces `variable_created(variable)`, `operator_inserted(operator,
    index)` and, of runs, `run_begin(program, feed)`, `run_op(operator, {name: array})`
    and `run_end(program)`. A variable has a `name`, a `shape`, its `program`, and may
    say `stop_gradient`, `persistable`, `is_data`. A program may have a `title`.

    Attributes:
        op: The op, or its name.
        inputs: The variables that it reads; numbers and arrays are constants.
        outputs: The variables that it writes; None for one that nobody wants.
        program: The program that it stands in.
        attrs: Its attributes.
        role: "forward", "backward" or "optimize".
        twin: The operator whose gradient it computes, if it does.
    """

    op: Any
    inputs: Iterable[Any]
    outputs: Iterable[Any]
    program: Any
    attrs: Mapping[str, Any]
    role: str
    twin: Any


class Seen:
    """Wraps what other engines announce, each thing once; ours come back as they are.

    >>> class Program: ...
    >>> program, seen = Program(), Seen()
    >>> seen.program(program) is seen.program(program)
    True
    """

    def __init__(self) -> None:
        self._wrapped: dict[int, tuple[Any, Any]] = {}

    def program(self, program: Any) -> Any:
        """Return a program as one of ours."""
        return self._wrap(program, ForeignProgram)

    def operator(self, operator: Any) -> Any:
        """Return an operator as one of ours."""
        return self._wrap(operator, ForeignOperator)

    def variable(self, variable: Any) -> Any:
        """Return a variable as one of ours."""
        return self._wrap(variable, ForeignVariable)

    def _wrap(self, thing: Any, kind: type[ForeignThing]) -> Any:
        if not is_foreign(type(thing)):
            return thing
        if id(thing) not in self._wrapped:  # the thing is kept, so its id stays its own
            self._wrapped[id(thing)] = thing, kind(thing, self)
        return self._wrapped[id(thing)][1]


class ForeignThing:
    """Something of another engine, and how to wrap what it refers to."""

    def __init__(self, thing: Any, seen: Seen) -> None:
        self._thing, self._seen = thing, seen

    def _get(self, name: str, otherwise: Any = None) -> Any:
        return getattr(self._thing, name, otherwise)


class ForeignProgram(ForeignThing):
    """A program of another engine, which is its own single block."""

    origin, for_test = None, False
    idx, parent_idx = 0, -1

    @property
    def title(self) -> str:
        """Its title."""
        return text_of(self._get("title", "")) or "program"

    @property
    def program(self) -> ForeignProgram:
        """The program of its block: itself."""
        return self

    @property
    def blocks(self) -> list[ForeignProgram]:
        """Its blocks: itself."""
        return [self]

    @property
    def ops(self) -> list[ForeignOperator]:
        """Its operators, in order."""
        return [self._seen.operator(one) for one in self._get("ops", ())]

    @property
    def vars(self) -> dict[str, ForeignVariable]:
        """Its variables, by name."""
        variables = self._get("variables")
        things = variables.values() if isinstance(variables, Mapping) else ()
        return {name_of(one): self._seen.variable(one) for one in things}

    def global_block(self) -> ForeignProgram:
        """Its block: itself."""
        return self

    def _find_var_recursive(self, name: str) -> ForeignVariable | None:
        return None  # shapes are known from the start


class ForeignRow(ForeignThing):
    """A row of a program: a variable or an operator."""

    @property
    def block(self) -> ForeignProgram:
        """The block that it stands in."""
        block: ForeignProgram = self._seen.program(self._thing.program)
        return block


class ForeignVariable(ForeignRow):
    """A variable of another engine."""

    def __init__(self, thing: Any, seen: Seen) -> None:
        super().__init__(thing, seen)
        self.name, self.dtype = name_of(thing), np.dtype("float64")
        self.shape = tuple(int(n) for n in self._get("shape", ()))
        self.persistable = bool(self._get("persistable", False))
        self.stop_gradient = bool(self._get("stop_gradient", True))

    @property
    def role(self) -> Role:
        """Its role as a letter."""
        if self.persistable:
            return "L" if self.stop_gradient else "P"
        if self._get("is_data", False) is True:
            return "D"
        return "g" if GRAD in self.name else "T"


class ForeignOperator(ForeignRow):
    """An operator of another engine."""

    def __init__(self, thing: Any, seen: Seen) -> None:
        super().__init__(thing, seen)
        self.type = text_of(thing.op) or type(thing.op).__name__
        self.role = ROLES.get(str(self._get("role", "")), OpRole.FORWARD)
        self.input_arg_names = names_of(thing.inputs)
        self.output_arg_names = names_of(thing.outputs)
        attrs = self._get("attrs")
        self.attrs = self.own_attrs = dict(attrs) if isinstance(attrs, Mapping) else {}

    @property
    def idx(self) -> int:
        """Its place in the program."""
        return self.block.ops.index(self)

    @property
    def inputs(self) -> dict[str, list[str]]:
        """The names that it reads, as one slot."""
        return {"X": self.input_arg_names} if self.input_arg_names else {}

    @property
    def outputs(self) -> dict[str, list[str]]:
        """The names that it writes, as one slot."""
        return {"Out": self.output_arg_names} if self.output_arg_names else {}

    @property
    def twin(self) -> ForeignOperator | None:
        """The operator whose gradient it computes."""
        twin = self._get("twin")
        return None if twin is None else self._seen.operator(twin)


def names_of(things: Iterable[Any]) -> list[str]:
    """The names among an operator's inputs or outputs; constants have none."""
    return [
        name_of(one) for one in things if isinstance(getattr(one, "name", None), str)
    ]


def name_of(thing: Any) -> str:
    """The name of a variable, as text."""
    return str.__str__(thing.name) if isinstance(thing.name, str) else "?"
