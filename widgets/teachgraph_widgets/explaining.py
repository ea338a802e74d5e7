"""`tg.explain(tensor)`: the computation of a value, op by op, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.program import Operator, Variable
from teachgraph.core.tape import Edge, Output
from teachgraph_widgets.folded import number_text, shape_text
from teachgraph_widgets.history import Past, Unknown, past_of
from teachgraph_widgets.log import clean
from teachgraph_widgets.stats import dtype_name, outline, stats_of
from teachgraph_widgets.summary import cut
from teachgraph_widgets.watcher import short_texts

__all__ = ["Text", "explain"]

MOST_STEPS = 40


class Text(str):
    """Text whose `repr` is itself, so that a prompt shows it without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def explain(value: Any, most: int = MOST_STEPS) -> Text:
    """Return the ops that computed a value as text, the oldest first.

    Args:
        value: A Tensor (its tape is read) or a Variable (its program is).
        most: The number of ops to show; of a longer path the last ones.

    Raises:
        InvalidValueError: `value` is neither, or `most` is no number of ops.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> x.name = "x"
    >>> tg.explain((x * x).sum())
    Tensor float32 [] = 5, made by 2 ops from 1 leaf
         x = D float32 [2]
      1  elementwise_mul(x, x) -> [2]
      2  reduce_sum(1) -> []  dim=[]  keep_dim=False
    """
    if not isinstance(most, int) or most < 1:
        message = f"most is how many ops to show, at least 1, got {most!r}"
        raise InvalidValueError.here(message)
    if isinstance(value, Tensor):
        lines = list(of_tensor(value, most))
    elif isinstance(value, Variable):
        lines = list(of_variable(value, most))
    else:
        message = f"explain takes a Tensor or a Variable, got {type(value).__name__}"
        raise InvalidValueError.here(message)
    return Text("\n".join(cut(line) for line in lines))


def of_tensor(tensor: Tensor, most: int) -> Iterator[str]:
    """Yield the lines of a tensor's explanation, from its tape."""
    head = f"Tensor {dtype_name(tensor.dtype)} {shape_text(tensor.shape)}"
    if tensor.data.size == 1:
        head += f" = {number_text(stats_of(outline(tensor.data))['mean'])}"
    if tensor.node is None:
        yield f"{head}, a leaf"
        if tensor.stop_gradient:
            yield "     no gradient goes back from it, so what made it was not recorded"
        return
    past = past_of(tensor, ())
    total = len(past.nodes) + past.left_out
    leaves = number(len(past.leaves), "leaf")
    yield f"{head}, made by {number(total, 'op')} from {leaves}"
    names = leaf_names(past)
    for leaf in past.leaves[:most]:
        letter = "D" if type(leaf) is Tensor else "P"
        facts = f"{letter} {dtype_name(leaf.dtype)} {shape_text(leaf.shape)}"
        yield f"     {names[id(leaf)]} = {facts}"
    if len(past.leaves) > most:
        yield f"     ... {number(len(past.leaves) - most, 'leaf')} more"
    first = max(0, len(past.nodes) - most)
    if hidden := past.left_out + first:
        yield f"     ... {number(hidden, 'op')} before"
    numbers = {id(node): str(i) for i, node in enumerate(past.nodes, past.left_out + 1)}
    for node in past.nodes[first:]:
        read = ", ".join(called(edge, names, numbers) for edge in node.edges)
        shapes = ", ".join(shape_of(like) for like in past.outputs(node))
        attrs = "  ".join(f"{n}={t}" for n, t in short_texts(node.attrs))
        freed = "  (freed by a reverse pass)" if node.saved is None else ""
        text = f"{numbers[id(node)]:>3}  {node.op.type}({read}) -> {shapes}  {attrs}"
        yield f"{text.rstrip()}{freed}"


def shape_of(like: Any) -> str:
    """Return the shape of an output; `?` if no saved tensor tells it."""
    return "?" if isinstance(like, Unknown) else shape_text(list(like.shape))


def leaf_names(past: Past) -> dict[int, str]:
    """Return the names of leaves, by address; `leaf_0`, ... where they have none."""
    unnamed = (f"leaf_{i}" for i in range(len(past.leaves)))
    return {id(leaf): clean(leaf.label) or next(unnamed) for leaf in past.leaves}


def called(edge: Edge | None, names: dict[int, str], numbers: dict[int, str]) -> str:
    """Return an input of a step: a leaf's name, or the number of its op."""
    if edge is None:
        return "·"
    if isinstance(edge, Output):
        return f"{numbers.get(id(edge.node), '...')}[{edge.index}]"
    return names.get(id(edge)) or numbers.get(id(edge), "...")


def of_variable(variable: Variable, most: int) -> Iterator[str]:
    """Yield the lines of a variable's explanation, from its program."""
    path = path_to(variable)
    shape = f"{dtype_name(variable.dtype)} {shape_text(list(variable.shape))}"
    yield f"Variable {clean(variable.name)} {shape}, made by {number(len(path), 'op')}"
    if len(path) > most:
        yield f"     ... {number(len(path) - most, 'op')} before"
    first = max(0, len(path) - most)
    for step, operator in enumerate(path[first:], first + 1):
        read = ", ".join(map(clean, operator.input_arg_names))
        outputs = ", ".join(map(clean, operator.output_arg_names))
        yield f"{step:>3}  {clean(operator.type)}({read}) -> {outputs}"
        if (where := operator.callsite) is not None:
            yield f"       {where.short}: {where.source}"


def path_to(variable: Variable) -> list[Operator]:
    """Return the operators that a variable depends on, in program order."""
    wanted, backwards = {variable.name}, list[Operator]()
    block = variable.block
    while True:
        for operator in reversed(block.ops):
            if wanted.intersection(operator.output_arg_names):
                backwards.append(operator)
                wanted.update(operator.input_arg_names)
        if block.parent_idx < 0:
            return backwards[::-1]
        block = block.program.blocks[block.parent_idx]


def number(count: int, what: str) -> str:
    """Return a count with its noun.

    >>> number(1, "leaf"), number(2, "leaf"), number(1000, "op")
    ('1 leaf', '2 leaves', '1,000 ops')
    """
    if count == 1:
        return f"1 {what}"
    return f"{count:,} {'leaves' if what == 'leaf' else what + 's'}"
