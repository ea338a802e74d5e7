"""Checks of lesson 02: a tape of the learner's, on graphs that a judge makes up.

A graph is plain data: leaves, then steps `(op, input, input)` by position; the last
step is the loss. Its answers are computed here by walking the steps, which needs no
tape.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from teachgraph.course.judging import (
    array_of,
    expect,
    in_short,
    kind_of,
    needs,
    quiz,
)

DIAMOND = ([2.0], [["mul", 0, 0], ["mul", 1, 3.0], ["add", 1, 1.0], ["mul", 2, 3]])
CASES = 20


def chain(length):
    """A leaf to which 1 is added, over and over."""
    return [2.0], [["add", i, 1.0] for i in range(length)]


def ladder(length):
    """Diamonds in a row: 2 ** length paths."""
    steps = []
    for i in range(0, 3 * length, 3):
        steps += [["mul", i, 0.5], ["add", i, 1.0], ["add", i + 1, i + 2]]
    return [2.0], steps


def drawn(seed):
    """A random graph: several leaves, constants, shapes that broadcast, reuse."""
    draw = np.random.default_rng(seed)
    shapes = [[], [3], [2, 3], [2, 1]]
    leaves = [draw.uniform(0.5, 1.5, shapes[draw.integers(4)]) for _ in range(3)]
    steps = []
    for count in range(3, draw.integers(6, 12)):
        first = int(draw.integers(max(0, count - 3), count))
        other = int(draw.integers(count)) if draw.random() < 0.8 else 1.5
        steps.append([["add", "mul"][draw.integers(2)], first, other])
    return leaves, steps


def inputs_of(step, known):
    """The positions among a step's inputs; floats are constants."""
    return [i for i in step[1:] if isinstance(i, int) and i in known]


def run_forward(graph):
    """The values of leaves and steps."""
    leaves, steps = graph
    values = [np.asarray(leaf, "float64") for leaf in leaves]
    for kind, *inputs in steps:
        x, y = (values[i] if isinstance(i, int) else i for i in inputs)
        values.append(x + y if kind == "add" else x * y)
    return values


def on_the_way(graph):
    """The positions that the loss depends on, last first."""
    leaves, steps = graph
    needed = {len(leaves) + len(steps) - 1}
    for position in range(len(leaves) + len(steps) - 1, len(leaves) - 1, -1):
        if position in needed:
            step = steps[position - len(leaves)]
            needed |= {i for i in step[1:] if isinstance(i, int)}
    return sorted(needed, reverse=True)


def counted(graph):
    """Count the gradients that arrive at each position."""
    leaves, steps = graph
    return Counter(
        i
        for position in on_the_way(graph)
        if position >= len(leaves)
        for i in steps[position - len(leaves)][1:]
        if isinstance(i, int)
    )


def slopes(graph):
    """The gradient of the sum of the loss at each leaf, by finite differences."""
    leaves, steps = graph
    leaves = [np.asarray(leaf, "float64") for leaf in leaves]
    found = {}
    for position, leaf in enumerate(leaves):
        if position not in on_the_way(graph):
            continue
        found[position] = np.zeros(leaf.shape)
        for index in np.ndindex(*leaf.shape):
            ends = []
            for move in (1e-6, -1e-6):
                there = [np.array(one) for one in leaves]
                there[position][index] += move
                ends.append(np.sum(run_forward((there, steps))[-1]))
            found[position][index] = (ends[0] - ends[1]) / 2e-6
    return found


def built(mine, graph):
    """The graph on the learner's tape: its tensors by position."""
    leaves, steps = graph
    tensors = [mine.Tensor(leaf, stop_gradient=False) for leaf in leaves]
    for kind, *inputs in steps:
        x, y = (tensors[i] if isinstance(i, int) else i for i in inputs)
        tensors.append(mine.add(x, y) if kind == "add" else mine.mul(x, y))
    return tensors


def placed(tensors, found):
    """A dict by position of what the learner has by edge."""
    positions = {id(t.node or t): i for i, t in enumerate(tensors)}
    expect(found is not None, "nothing")
    expect(isinstance(found, dict), "a_dict", got=kind_of(found))
    expect(None not in found, "constants")
    return {positions.get(id(edge), -1): value for edge, value in found.items()}


def run_arrivals(mine, graph):
    """The counts by position."""
    tensors = built(mine, graph)
    before = [list(t.node.edges) for t in tensors if t.node is not None]
    found = placed(tensors, mine.arrivals(tensors[-1]))
    after = [list(t.node.edges) for t in tensors if t.node is not None]
    expect(before == after, "took_edges")
    for count in found.values():
        expect(isinstance(count, int | np.integer), "a_count", got=in_short(count))
    return found


def run_backward(mine, graph, retain=False):
    """The gradients by position, and what was seen on the way.

    Every rule notes that it runs, on how much of its gradient: the ops are marked for
    this one call.
    """
    tensors = built(mine, graph)
    nodes = {id(t.node): t.node for t in tensors if t.node is not None}
    runs, shared, handed = Counter(), [], {}
    for position, tensor in enumerate(tensors):
        if tensor.node is not None:
            witness(mine, tensor.node, position, runs, shared, handed)
    found = placed(tensors, mine.backward(tensors[-1], retain))
    kept = sum(
        1
        for position, tensor in enumerate(tensors)
        if tensor.node is not None and tensor.node.saved is not None and runs[position]
    )
    changed = any(not np.array_equal(one, before) for one, before in shared)
    return {
        "gradients": found,
        "runs": dict(runs),
        "handed": handed,
        "kept": kept,
        "nodes": len(nodes),
        "changed": changed,
    }


def witness(mine, node, position, runs, shared, handed):
    """Let a node's rule note that it runs, and what it hands out."""
    rule = node.op.rule

    def noted(dout, *saved, **attrs):
        expect(
            isinstance(dout, np.ndarray | np.generic), "no_array", got=in_short(dout)
        )
        runs[position] += 1
        handed[position] = np.array(dout)
        gradients = rule(dout, *saved, **attrs)
        shared.extend((one, np.array(one)) for one in gradients)
        return gradients

    node.op = mine.Op(node.op.name, node.op.kernel, noted)


def run_accumulate(mine, graph, times):
    """The `grad` of each leaf after so many passes."""
    tensors = built(mine, graph)
    for _ in range(times):
        mine.accumulate(tensors[-1], retain_graph=True)
    return [leaf.grad for leaf in tensors[: len(graph[0])]]


def run_shared(mine):
    """The `grad` of two leaves after two passes of an op that hands both one array."""
    leaves = [mine.Tensor([1.0, 2.0], stop_gradient=False) for _ in range(2)]
    loss = mine.add(*leaves)
    loss.node.op = mine.Op("add", np.add, lambda dout, x, y: (dout, dout))
    for retain in (True, False):
        mine.accumulate(loss, retain_graph=retain)
    return [leaf.grad for leaf in leaves]


def run_let_go(mine):
    """Tell if a node still keeps what it saved after a pass that retains nothing."""
    leaf = mine.Tensor(2.0, stop_gradient=False)
    loss = mine.mul(leaf, leaf)
    mine.accumulate(loss)
    return loss.node.saved is not None


def runs_of_a_rule(ask):
    """Once."""
    quiz(ask, "runs_of_a_rule", 1, two=2, paths=1024)


def arrivals(ask):
    """Compare with the counts of the steps."""
    long = ask(run_arrivals, ladder(9))
    most = max(long.values(), default=0)
    expect(most <= 4, "paths", most=most)
    found = ask(run_arrivals, DIAMOND)
    expect(-1 not in found, "stranger")
    expect(4 not in found, "loss")
    expect(found.get(1, 0) == 2, "fan_out", got=found.get(1, 0))
    expect(found.get(0, 0) == 2, "twice", got=found.get(0, 0))
    for seed in range(CASES):
        graph = drawn(seed)
        found, wanted = ask(run_arrivals, graph), counted(graph)
        expect(all(found.get(i) == n for i, n in wanted.items()), "wrong")
        expect(len(found) == len(wanted), "more")
    ask(run_arrivals, chain(3000))


@needs(arrivals)
def backward(ask):
    """Compare with finite differences, and look at what ran when."""
    seen = ask(run_backward, DIAMOND)
    found, handed = seen["gradients"], seen["handed"]
    expect(0 in found or len(seen["runs"]) in (0, 4), "stuck", runs=len(seen["runs"]))
    expect(0 in found or -1 not in found, "keys")
    expect(0 in found, "no_leaf")
    expect(set(found) == {0}, "leaves_only")
    early = [position for position, runs in seen["runs"].items() if runs > 1]
    expect(not early, "again", times=max(seen["runs"].values(), default=0))
    seed = array_of(handed.get(4, np.array(1.0)))
    expect(seed.shape == () and seed == 1.0, "seed", got=seed)
    found = {leaf: array_of(gradient) for leaf, gradient in found.items()}
    shape = found[0].shape
    expect(shape == (), "shape", got=list(shape), wanted=[])
    whole = handed.get(1, 27.0)  # 15 on the left, 12 on the right; then twice 54 at x
    replaced = whole in (15.0, 12.0) or (whole == 27.0 and found[0] == 54.0)
    expect(not replaced or found[0] == 108.0, "diamond", got=found[0])
    expect(found[0] == 108.0, "another", got=found[0])
    expect(len(seen["runs"]) == 4, "no_rules")
    expect(not seen["kept"], "not_freed", kept=seen["kept"])
    expect(ask(run_backward, DIAMOND, True)["kept"] == 4, "not_retained")
    for seed in range(CASES):
        graph = drawn(seed)
        seen, wanted = ask(run_backward, graph), slopes(graph)
        found, loss = seen["gradients"], run_forward(graph)[-1]
        first = seen["handed"][len(graph[0]) + len(graph[1]) - 1]
        facts = {"got": list(first.shape), "wanted": list(loss.shape)}
        expect(first.shape == loss.shape, "seed_shape", **facts)
        expect(set(found) == set(wanted), "which", got=len(found), wanted=len(wanted))
        for position, slope in wanted.items():
            got = array_of(found[position])
            facts = {"got": list(got.shape), "wanted": list(slope.shape)}
            expect(got.shape == slope.shape, "shape", **facts)
            expect(np.allclose(got, slope, rtol=1e-4), "wrong")
        expect(max(seen["runs"].values()) == 1, "again", times=2)
        expect(not seen["changed"], "in_place")
    expect(ask(run_backward, chain(3000))["gradients"].get(0) == 1.0, "chain")


@needs(backward)
def accumulate(ask):
    """Compare with so many times the gradient."""
    for seed in range(CASES):
        graph = drawn(seed)
        wanted = slopes(graph)
        for times in (1, 2, 3):
            grads = ask(run_accumulate, graph, times)
            for position, slope in wanted.items():
                got = grads[position]
                expect(got is not None, "none")
                got = array_of(got)
                facts = {"got": list(got.shape), "wanted": list(slope.shape)}
                expect(got.shape == slope.shape, "shape", **facts)
                once = np.allclose(got, slope, rtol=1e-4)
                expect(times == 1 or not once, "replaced")
                expect(np.allclose(got, times * slope, rtol=1e-4), "wrong", times=times)
    expect(np.allclose(ask(run_shared), 2.0), "in_place")
    expect(not ask(run_let_go), "retains")


def after_two_passes(ask):
    """108 + 108."""
    quiz(ask, "after_two_passes", 216.0, replaced=108.0)


def arrive_at_x(ask):
    """One for each edge."""
    quiz(ask, "arrive_at_x", 3, ops=2)
