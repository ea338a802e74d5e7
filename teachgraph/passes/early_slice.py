"""Pass `early_slice`: slice the input of an operator instead of its output.

A classifier of texts reads the features of the first word only: of what the last layer
of its encoder computes for the other words, only keys and values are used. If f treats
the positions along an axis independently, f(x)[a:b] is f(x[a:b]).
"""

from __future__ import annotations

from teachgraph.passes.graph import Graph
from teachgraph.passes.identities import attr, shape_of
from teachgraph.passes.positions import ONE_BY_ONE, Cut, Cuts
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import NewOperator, Work
from teachgraph.static.operator import Operator

__all__ = ["early_slice"]


@register("early_slice")
def early_slice(work: Work) -> None:
    """Move slices in front of what treats positions one by one.

    The operator must have no other reader. A dimension that the slice drops is dropped
    at the end.

                                      t = slice(x, axes=[1], starts=[0], ends=[1])
        y = layer_norm(x)         ->  u = layer_norm(t)
        z = y[:, 0]                   z = squeeze2(u, axes=[1])
    """
    graph = work.graph
    for at, operator in graph.walk():
        if operator.type != "slice":
            continue
        place, cut = sliced_operator(graph, operator, at), cut_of(operator)
        if place is not None and cut is not None:
            before = graph.operator(place)
            cuts = ONE_BY_ONE[before.type](before, cut)
            if cuts is not None:
                swap(work, place, at, cut, cuts)


def sliced_operator(graph: Graph, operator: Operator, at: int) -> int | None:
    """Return the place of the operator whose result is sliced, if it can be moved."""
    (name,) = operator.input_arg_names
    place = graph.writer(name, at)
    before = None if place is None else graph.ops[place]
    if place is None or before is None or before.type not in ONE_BY_ONE:
        return None
    others = [other for other in before.output_arg_names if other != name]
    alone = graph.inside(name, [at]) and all(map(graph.is_unused, others))
    same = all(graph.unchanged(read, place, at) for read in before.input_arg_names)
    trained = graph.gradients_of([before, operator])
    return place if alone and same and not trained else None


def cut_of(operator: Operator) -> Cut | None:
    """Return the range of a slice along one axis; None along several, or of all."""
    axes, starts, ends = (attr(operator, name) for name in ("axes", "starts", "ends"))
    if len(axes) != 1:
        return None
    shape = shape_of(operator, "Input")
    axis = axes[0] % len(shape)
    result = operator.block._var_recursive(operator.output("Out")[0]).shape
    length = 1 if attr(operator, "decrease_axis") else result[axis]
    gained = length > 0 and length != shape[axis]
    return Cut(axis, starts[0], ends[0], length) if gained else None


def swap(work: Work, place: int, at: int, cut: Cut, cuts: Cuts) -> None:
    """Move the operator at `place` behind the slice at `at`, which cuts its inputs."""
    graph = work.graph
    before, operator = graph.operator(place), graph.operator(at)
    (whole,), (result,) = operator.input_arg_names, operator.output_arg_names
    dropped = list(attr(operator, "decrease_axis"))
    parts = {name: part_of(graph, name, cut) for name, cut in cuts.items()}
    results = {name: part_of(graph, name, cut) for name in before.output_arg_names}
    if not dropped:
        results[whole] = result
    slices = [slice_of(name, parts[name], cut) for name, cut in cuts.items()]
    inputs = {s: [parts.get(n, n) for n in ns] for s, ns in before.inputs.items()}
    outputs = {s: [results[n] for n in ns] for s, ns in before.outputs.items()}
    moved = NewOperator(before.type, inputs, outputs, before.own_attrs)
    part = {"X": [results[whole]]}
    drop = NewOperator("squeeze2", part, {"Out": [result]}, {"axes": dropped})
    operators = [work.derived(one, [operator]) for one in slices]
    operators += [work.derived(moved, [before])]
    operators += [work.derived(drop, [operator])] if dropped else []
    graph.replace(at, operators)
    work.sweep([place])
    work.note([before, operator], operators, "")


def part_of(graph: Graph, name: str, cut: Cut) -> str:
    """Create a variable for the part of another one."""
    whole = graph.variable(name)
    return graph.new(name, cut.of(whole.shape), whole.dtype)


def slice_of(name: str, part: str, cut: Cut) -> NewOperator:
    """Build the operator that slices a variable."""
    attrs = {"axes": [cut.axis], "starts": [cut.start], "ends": [cut.end]}
    return NewOperator("slice", {"Input": [name]}, {"Out": [part]}, attrs)
