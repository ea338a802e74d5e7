"""A traced method on paper: its programs, and what it makes of their results.

Beside what a model for use says, its document has the method's name, the nest of its
results, and the program it is while training, where that is another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from teachgraph.core.errors import InvalidValueError, ProgramError, at_user_line
from teachgraph.io.inference import (
    MOST,
    declared,
    model_bytes,
    model_in,
    model_parts,
)
from teachgraph.jit.outputs import Choice, Outputs, Slot
from teachgraph.static.deserialize import program_from_document, read_attribute
from teachgraph.static.document import Part
from teachgraph.static.program import Program
from teachgraph.static.serialize import attribute_document, document_of
from teachgraph.static.variable import Variable

__all__ = ["Method", "Traced", "method_from_bytes"]

FORWARD = "forward"


class Traced(NamedTuple):
    """What a method is in one mode.

    Attributes:
        program: Its program.
        results: Its results.
    """

    program: Program
    results: Outputs


class Method(NamedTuple):
    """A method in both modes.

    Attributes:
        name: Its name.
        feeds: The names of the variables that are fed.
        using: What it is when the layer is used.
        training: What it is while the layer trains; the same, if nothing depends on it.
    """

    name: str
    feeds: list[str]
    using: Traced
    training: Traced

    def to_bytes(self) -> bytes:
        """Its document.

        Raises:
            ProgramError: It calls a function of Python's.
            InvalidValueError: It returns what no document can hold.
        """
        besides = {"method": self.name, "results": nest_of(self.using)}
        trained = {
            "fetches": fetches(self.training),
            "results": nest_of(self.training),
            "program": document_of(self.training.program),
        }
        used = document_of(self.using.program)
        if trained["program"] != used or trained["results"] != besides["results"]:
            besides["training"] = trained
        return model_bytes(
            self.using.program, self.feeds, fetches(self.using), **besides
        )


def fetches(traced: Traced) -> list[str]:
    """The names of the variables that are returned."""
    return [variable.name for variable in traced.results.variables]


def nest_of(traced: Traced) -> Any:
    """The nest of some results, as JSON.

    Raises:
        InvalidValueError: There is something in it that no document can hold.
    """
    try:
        return nest_document(traced.results.nest)
    except TypeError as error:
        message = f"jit.save: what is returned {error}; return tensors and numbers"
        raise InvalidValueError(at_user_line(message)) from None


def nest_document(nest: Any) -> Any:
    """A nest as JSON.

    >>> nest_document({"loss": Slot(0), "sizes": (Slot(1), 3)})
    {'dict': [['loss', {'slot': 0}], ['sizes', {'tuple': [{'slot': 1}, 3]}]]}
    """
    if isinstance(nest, Slot):
        return {"slot": nest.number}
    if isinstance(nest, Choice):
        return {"choice": [nest.flag, *map(nest_document, (nest.yes, nest.no))]}
    if isinstance(nest, dict):
        items = nest.items()
        return {"dict": [[nest_document(k), nest_document(v)] for k, v in items]}
    if isinstance(nest, tuple):
        return {"tuple": [*map(nest_document, nest)]}
    if isinstance(nest, list):
        return [*map(nest_document, nest)]
    return attribute_document(nest)


def read_nest(part: Part, count: int) -> Any:
    """A nest of so many tensors."""
    value = part.value
    if isinstance(value, list):
        return [read_nest(item, count) for item in part.items(MOST)]
    if not isinstance(value, dict) or len(value) != 1:
        return read_attribute(part)
    ((kind, inside),) = part.entries().items()
    if kind == "slot":
        return Slot(inside.integer(0, count - 1))
    if kind == "tuple":
        return tuple(read_nest(item, count) for item in inside.items(MOST))
    if kind == "dict":
        return dict(read_pair(pair, count) for pair in inside.items(MOST))
    if kind == "choice":
        flag, yes, no = exactly(inside, 3)
        chosen = read_nest(yes, count), read_nest(no, count)
        return Choice(flag.integer(0, count - 1), *chosen)
    return read_attribute(part)


def read_pair(part: Part, count: int) -> tuple[Any, Any]:
    """A key and what stands under it."""
    name, item = exactly(part, 2)
    key = read_nest(name, count)
    if not isinstance(key, (str, int, float, bool, type(None))):
        raise name.refuse("a key is a text or a number")
    return key, read_nest(item, count)


def exactly(part: Part, count: int) -> list[Part]:
    """The parts of a list of so many."""
    found = list(part.items(count))
    if len(found) != count:
        raise part.refuse(f"{count} were expected, got {len(found)}")
    return found


def method_from_bytes(content: bytes) -> Method:
    """The method of which a document tells.

    Raises:
        DataError: The document is damaged; the message says where.
    """
    top = model_parts(content)
    program, feeds, variables = model_in(top)
    name = top["method"].name() if "method" in top else FORWARD
    using = Traced(program, results_in(top, variables))
    if "training" not in top:
        trained = flipped(using) if "method" not in top else using
        return Method(name, feeds, using, trained)
    inner = top["training"].fields("fetches", "results", "program")
    other = program_from_document(inner["program"], Program)
    given = [declared(other, part) for part in inner["fetches"].items(MOST)]
    if missing := [feed for feed in feeds if not other.global_block().has_var(feed)]:
        raise inner["program"].refuse(f"it has no variable {missing[0]!r} to feed")
    return Method(name, feeds, using, Traced(other, results_in(inner, given)))


def results_in(parts: Mapping[str, Part], variables: Sequence[Variable]) -> Outputs:
    """The results of a program; if nothing is said of them, one or a list."""
    found = Outputs()
    found.variables = list(variables)
    if "results" in parts:
        found.nest = read_nest(parts["results"], len(variables))
    else:
        slots = [Slot(i) for i in range(len(variables))]
        found.nest = slots[0] if len(slots) == 1 else slots
    return found


def flipped(using: Traced) -> Traced:
    """The program for training of one that is as in a test, as far as can be told.

    In Paddle, `TranslatedLayer.train` does this to every program.
    """
    program = using.program.clone()
    for block in program.blocks:
        for operator in block.ops:
            if operator.attrs.get("is_test"):
                operator.attrs["is_test"] = False
    results = Outputs()
    results.nest = using.results.nest
    find = program.global_block().var
    results.variables = [find(name) for name in fetches(using)]
    return Traced(program, results)


def renamed(traced: Traced, old: str, new: str) -> None:
    """Give a variable of a program another name.

    Raises:
        ProgramError: The new name is taken.
    """
    block = traced.program.global_block()
    if block.has_var(new):
        raise ProgramError(at_user_line(f"the name {new!r} is taken"))
    block.rename_var(old, new)
