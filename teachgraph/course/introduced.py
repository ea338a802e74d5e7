"""The names of ours that a lesson's code uses: those it introduces, if it is the first.

`fluid.layers.fc` is a name inside `teachgraph`, `.name` a member of one of its objects,
`%name` a magic.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np

from teachgraph import fluid
from teachgraph.autograd.creation import to_tensor
from teachgraph.course.source import Source, read, without_markers
from teachgraph.course.table import Lesson, lessons

__all__ = ["introduced", "names_used"]

MODULE = "teachgraph"
KNOWN = [list, dict, set, str, tuple, int, float, Counter, np.ndarray]
KNOWN_MEMBERS = {name for kind in KNOWN for name in dir(kind)}


def introduced(lesson: Lesson) -> list[str]:
    """The names that a lesson uses and none before it, in order.

    >>> introduced(lessons()[1])
    ['.backward', '.grad', '.name', '.numpy', 'to_tensor']
    """
    before = [one for one in lessons() if one.built and one.place < lesson.place]
    known = {name for one in before for name in one.introduces}
    return sorted(names_used(read(lesson)) - known)


def names_used(source: Source) -> set[str]:
    """Return what a lesson uses of ours: names in modules, members, magics."""
    members = {f".{name}" for name in public_members()}
    return {
        name
        for name in outermost(names_in(source))
        if not name.startswith(".") or name in members
    }


@cache
def public_members() -> frozenset[str]:
    """Return what a learner can reach on the framework's own objects."""
    x = to_tensor(1.0, stop_gradient=False)
    program = fluid.Program()
    with fluid.program_guard(program, fluid.Program()):
        y = fluid.layers.mean(fluid.data(name="X", shape=[1], dtype="float32"))
    block = program.global_block()
    sgd = fluid.optimizer.SGD(learning_rate=0.1)
    kinds = [x, (x * x).node, program, block, y, block.ops[0], fluid.Executor(), sgd]
    members = {name for thing in kinds for name in dir(thing)}
    own = members - KNOWN_MEMBERS
    return frozenset(name for name in own if not name.startswith("_"))


def names_in(source: Source) -> set[str]:
    """All names of ours in a lesson's code, with the parts of longer ones."""
    used: set[str] = set()
    aliases: dict[str, str] = {}
    for cell in source.cells:
        if cell.role == "text":
            continue
        lines = without_markers(cell.code).splitlines()
        used |= {line.split()[0] for line in lines if line.startswith("%")}
        plain = "\n".join(line for line in lines if not line.startswith("%"))
        tree = ast.parse(plain)
        aliases |= dict(imported(tree))
        for node in ast.walk(tree):
            used |= set(named(node, aliases))
    return used | {name for name in aliases.values() if name not in {"", "fluid"}}


def imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(name in the lesson, our name) of everything imported from the framework."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == MODULE:
                    inside = alias.name.partition(".")[2]
                    yield alias.asname or MODULE, inside
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            MODULE
        ):
            inside = (node.module or "").partition(".")[2]
            for alias in node.names:
                yield alias.asname or alias.name, f"{inside}.{alias.name}".strip(".")


def named(node: ast.AST, aliases: dict[str, str]) -> Iterator[str]:
    """The name that an attribute comes to, with what it was imported as."""
    if not isinstance(node, ast.Attribute):
        return
    chain = [node.attr]
    base = node.value
    while isinstance(base, ast.Attribute):
        chain.append(base.attr)
        base = base.value
    if isinstance(base, ast.Name) and base.id in aliases:
        yield ".".join(filter(None, [aliases[base.id], *reversed(chain)]))
    elif not (isinstance(base, ast.Name) and base.id == "np"):
        yield f".{node.attr}"


def outermost(names: set[str]) -> set[str]:
    """Leave out the parts of longer names: `fluid.layers` of `fluid.layers.fc`."""
    return {
        name for name in names if not any(one.startswith(f"{name}.") for one in names)
    }
