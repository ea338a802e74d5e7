"""Take the part that is wanted before the work is done, not after it.

A classifier of texts reads the first word's features only: what the last layer of its
encoder computes for the other words is for nobody, but for keys and values. Wherever f
treats the positions along an axis one by one, f(x)[a:b] is f(x[a:b]).
"""

from __future__ import annotations

from teachgraph.passes.graph import Graph
from teachgraph.passes.identities import attr, shape_of
from teachgraph.passes.positions import ONE_BY_ONE, Cut, Cuts
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import Step, Work
from teachgraph.static.operator import Operator

__all__ = ["early_slice"]


@register("early_slice")
def early_slice(work: Work) -> None:
    """Move slices in front of what treats positions one by one.

    That comes after the slice then, if nobody else reads its result. A dimension that
    the slice drops is dropped at the end.

                                      t = slice(x, axes=[1], starts=[0], ends=[1])
        y = layer_norm(x)         ->  u = layer_norm(t)
        z = y[:, 0]                   z = squeeze2(u, axes=[1])
    """
    graph = work.graph
    for at, operator in graph.walk():
        if operator.type != "slice":
            continue
        place, cut = maker_of(graph, operator, at), cut_of(operator)
        if place is not None and cut is not None:
            maker = graph.operator(place)
            cuts = ONE_BY_ONE[maker.type](maker, cut)
            if cuts is not None:
                swap(work, place, at, cut, cuts)


def maker_of(graph: Graph, operator: Operator, at: int) -> int | None:
    """The place of the operator whose result is sliced, if it may come after that."""
    (name,) = operator.input_arg_names
    place = graph.writer(name, at)
    maker = None if place is None else graph.ops[place]
    if place is None or maker is None or maker.type not in ONE_BY_ONE:
        return None
    others = [other for other in maker.output_arg_names if other != name]
    alone = graph.inside(name, [at]) and all(map(graph.dead, others))
    same = all(graph.unchanged(read, place, at) for read in maker.input_arg_names)
    return place if alone and same and not graph.back_over([maker, operator]) else None


def cut_of(operator: Operator) -> Cut | None:
    """What a slice takes along one axis; None for one along several, or of all."""
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
    """Put the operator at `place` after the slice at `at`, which cuts its inputs."""
    graph = work.graph
    maker, operator = graph.operator(place), graph.operator(at)
    (whole,), (result,) = operator.input_arg_names, operator.output_arg_names
    dropped = list(attr(operator, "decrease_axis"))
    parts = {name: part_of(graph, name, cut) for name, cut in cuts.items()}
    made = {name: part_of(graph, name, cut) for name in maker.output_arg_names}
    if not dropped:
        made[whole] = result
    slices = [slice_of(name, parts[name], cut) for name, cut in cuts.items()]
    inputs = {s: [parts.get(n, n) for n in ns] for s, ns in maker.inputs.items()}
    outputs = {s: [made[n] for n in ns] for s, ns in maker.outputs.items()}
    drop = Step("squeeze2", {"X": [made[whole]]}, {"Out": [result]}, {"axes": dropped})
    steps = [work.step(step, [operator]) for step in slices]
    steps += [work.step(Step(maker.type, inputs, outputs, maker.own_attrs), [maker])]
    steps += [work.step(drop, [operator])] if dropped else []
    graph.replace(at, steps)
    work.sweep([place])
    work.note([maker, operator], steps, "")


def part_of(graph: Graph, name: str, cut: Cut) -> str:
    """A variable for the part of another one."""
    whole = graph.variable(name)
    return graph.new(name, cut.of(whole.shape), whole.dtype)


def slice_of(name: str, part: str, cut: Cut) -> Step:
    """The operator that cuts it out."""
    attrs = {"axes": [cut.axis], "starts": [cut.start], "ends": [cut.end]}
    return Step("slice", {"Input": [name]}, {"Out": [part]}, attrs)
