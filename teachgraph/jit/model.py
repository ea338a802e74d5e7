"""Document of a traced method: its programs, and the pytrees of their results.

It is that of an inference model, with the method's name, the pytree of its results,
and the program for training if that is another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from teachgraph.core.errors import InvalidValueError, ProgramError
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
    """A method traced in one mode.

    Attributes:
        program: The program.
        results: The results.
    """

    program: Program
    results: Outputs

    def of(self, program: Program) -> Traced:
        """Return the same results of a copy of the program."""
        results = Outputs()
        results.tree = self.results.tree
        find = program.global_block().var
        results.variables = [find(v.name) for v in self.results.variables]
        return Traced(program, results)


class Method(NamedTuple):
    """A method in both modes.

    Attributes:
        name: Its name.
        feeds: The names of the fed variables.
        using: The method in evaluation mode.
        training: The method in training mode, which may be the same.
    """

    name: str
    feeds: list[str]
    using: Traced
    training: Traced

    def to_bytes(self) -> bytes:
        """Serialize the method.

        Raises:
            ProgramError: It calls a function of Python's.
            InvalidValueError: It returns what no document can hold.
        """
        besides = {"method": self.name, "results": tree_of(self.using)}
        trained = {
            "fetches": fetches(self.training),
            "results": tree_of(self.training),
            "program": document_of(self.training.program),
        }
        used = document_of(self.using.program)
        if trained["program"] != used or trained["results"] != besides["results"]:
            besides["training"] = trained
        return model_bytes(
            self.using.program, self.feeds, fetches(self.using), **besides
        )


def fetches(traced: Traced) -> list[str]:
    """Return the names of the returned variables."""
    return [variable.name for variable in traced.results.variables]


def tree_of(traced: Traced) -> Any:
    """Convert the pytree of some results to JSON.

    Raises:
        InvalidValueError: There is something in it that no document can hold.
    """
    try:
        return tree_document(traced.results.tree)
    except TypeError as error:
        message = f"jit.save: what is returned {error}; return tensors and numbers"
        raise InvalidValueError.here(message) from None


def tree_document(tree: Any) -> Any:
    """Convert a pytree to JSON; an object with one key tells its kind.

    >>> tree_document({"loss": Slot(0), "sizes": (Slot(1), 3)})
    {'dict': [['loss', {'slot': 0}], ['sizes', {'tuple': [{'slot': 1}, 3]}]]}
    """
    if isinstance(tree, Slot):
        return {"slot": tree.number}
    if isinstance(tree, Choice):
        return {"choice": [tree.flag, *map(tree_document, (tree.yes, tree.no))]}
    if isinstance(tree, dict):
        items = tree.items()
        return {"dict": [[tree_document(k), tree_document(v)] for k, v in items]}
    if isinstance(tree, tuple):
        return {"tuple": [*map(tree_document, tree)]}
    if isinstance(tree, list):
        return [*map(tree_document, tree)]
    return attribute_document(tree)


def read_tree(part: Part, count: int) -> Any:
    """Read a pytree of the results of `count` fetched tensors."""
    value = part.value
    if isinstance(value, list):
        return [read_tree(item, count) for item in part.items(MOST)]
    if not isinstance(value, dict) or len(value) != 1:
        return read_attribute(part)
    ((kind, inside),) = part.entries().items()
    if kind == "slot":
        return Slot(inside.integer(0, count - 1))
    if kind == "tuple":
        return tuple(read_tree(item, count) for item in inside.items(MOST))
    if kind == "dict":
        return dict(read_pair(pair, count) for pair in inside.items(MOST))
    if kind == "choice":
        flag, yes, no = items_of_count(inside, 3)
        trees = read_tree(yes, count), read_tree(no, count)
        return Choice(flag.integer(0, count - 1), *trees)
    return read_attribute(part)


def read_pair(part: Part, count: int) -> tuple[Any, Any]:
    """Read an item of a dictionary: its key and its value."""
    name, item = items_of_count(part, 2)
    key = read_tree(name, count)
    if not isinstance(key, (str, int, float, bool, type(None))):
        raise name.refuse("a key is a text or a number")
    return key, read_tree(item, count)


def items_of_count(part: Part, count: int) -> list[Part]:
    """Return the items of a list that must have `count` of them."""
    items = list(part.items(count))
    if len(items) != count:
        raise part.refuse(f"{count} were expected, got {len(items)}")
    return items


def method_from_bytes(content: bytes) -> Method:
    """Read a method from its document.

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
    fetched = [declared(other, part) for part in inner["fetches"].items(MOST)]
    if missing := [feed for feed in feeds if not other.global_block().has_var(feed)]:
        raise inner["program"].refuse(f"it has no variable {missing[0]!r} to feed")
    return Method(name, feeds, using, Traced(other, results_in(inner, fetched)))


def results_in(parts: Mapping[str, Part], variables: Sequence[Variable]) -> Outputs:
    """Read the results of a program; without a pytree, one variable or a list."""
    outputs = Outputs()
    outputs.variables = list(variables)
    if "results" in parts:
        outputs.tree = read_tree(parts["results"], len(variables))
    else:
        slots = [Slot(i) for i in range(len(variables))]
        outputs.tree = slots[0] if len(slots) == 1 else slots
    return outputs


def flipped(using: Traced) -> Traced:
    """Guess the program for training from one for evaluation: clear every `is_test`.

    In Paddle, `TranslatedLayer.train` does this to every program.
    """
    program = using.program.clone()
    for block in program.blocks:
        for operator in block.ops:
            if operator.attrs.get("is_test"):
                operator.attrs["is_test"] = False
    results = Outputs()
    results.tree = using.results.tree
    find = program.global_block().var
    results.variables = [find(name) for name in fetches(using)]
    return Traced(program, results)


def renamed(traced: Traced, old: str, new: str) -> None:
    """Rename a variable of a program.

    Raises:
        ProgramError: The new name is taken.
    """
    block = traced.program.global_block()
    if block.has_var(new):
        raise ProgramError.here(f"the name {new!r} is taken")
    block.rename_var(old, new)
