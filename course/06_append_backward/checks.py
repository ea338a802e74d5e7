"""Checks of lesson 06: the backward of random programs, operator for operator.

A graph is plain data: the kinds of its leaves ("w" for a parameter, "x" for data), then
steps `(op, inputs)` by position; the loss is the sum of the last step.
"""

from __future__ import annotations

import numpy as np

import teachgraph as paddle
from teachgraph.course.judging import call, expect, kind_of, needs, quiz, untouched

CASES = 30
SHAPE = [2, 3]

SQUARE = (["w"], [["mul", 0, 0]])
DIAMOND = (["w"], [["mul", 0, 0], ["softplus", 1], ["add", 1, 2]])
TWO_SQUARES = (["w", "w"], [["mul", 0, 0], ["mul", 1, 1], ["add", 2, 3]])
CLASSES = (["x", "w"], [["mul", 0, 1], ["mul", 0, 0], ["add", 2, 3]])


def drawn(seed):
    """A random graph whose loss depends on a parameter."""
    draw = np.random.default_rng(seed)
    leaves = ["w", *draw.choice(["w", "x"], 2).tolist()]
    steps = []
    for count in range(3, int(draw.integers(5, 11))):
        kind = ["add", "mul", "softplus"][draw.integers(3)]
        first = int(draw.integers(max(0, count - 3), count))
        inputs = [first, int(draw.integers(count))]
        steps.append([kind, *inputs[: 1 if kind == "softplus" else 2]])
    steps.append(["add", 0, 2 + len(steps)])
    return leaves, steps


def built(mine, graph):
    """The graph as a program of the learner's: variables by position, the loss last."""
    leaves, steps = graph
    main, startup = mine.Program("main"), mine.Program("startup")
    variables = [
        mine.parameter(main, startup, f"leaf_{i}", np.ones(SHAPE))
        if kind == "w"
        else mine.Variable(main, f"leaf_{i}", SHAPE, is_data=True)
        for i, kind in enumerate(leaves)
    ]
    ops = {"add": mine.add, "mul": mine.mul, "softplus": mine.smooth}
    for kind, *inputs in steps:
        variables.append(ops[kind](*(variables[i] for i in inputs)))
    return [*variables, mine.total(variables[-1])]


def ours(graph):
    """The rows that the framework writes for the same graph."""
    leaves, steps = graph
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        variables = [
            paddle.static.create_parameter(SHAPE, "float32", name=f"leaf_{i}")
            if kind == "w"
            else paddle.static.data(f"leaf_{i}", SHAPE)
            for i, kind in enumerate(leaves)
        ]
        ops = {"add": paddle.add, "mul": paddle.multiply}
        ops["softplus"] = paddle.nn.functional.softplus
        for kind, *inputs in steps:
            variables.append(ops[kind](*(variables[i] for i in inputs)))
        variables.append(paddle.sum(variables[-1]))
        block = main.global_block()
        written = len(block.ops)
        pairs = paddle.static.append_backward(variables[-1])
    known = {variable.name: i for i, variable in enumerate(variables)}
    rows = [
        [
            plain(one.type),
            [renamed(n, known) for n in read_back(one)],
            [renamed(n, known) for n in written_back(one)],
        ]
        for one in block.ops[written:]
    ]
    found = {known[p.name]: renamed(g.name, known) for p, g in pairs}
    return rows, found


def plain(kind):
    """Our name of an op, as the lessons call it."""
    if kind == "sum":
        return "add_n"
    kind = kind.replace("fill_constant", "ones").removeprefix("elementwise_")
    return kind.removeprefix("reduce_")


def read_back(operator):
    """The gradients that an operator of the way back reads."""
    return [name for name in operator.input_arg_names if "@GRAD" in name]


def written_back(operator):
    """The gradients that it writes, in order; `` for one that nobody wants."""
    slots = list(operator.outputs.values())
    names = [names[0] if names else "" for names in slots]
    return ["" if name == "@EMPTY@" else name for name in names]


def renamed(name, known):
    """A gradient's name, with the position of its variable."""
    base, at, rest = name.partition("@")
    return f"{known.get(base, base)}{at}{rest}"


def run_path(mine, graph):
    """The positions of the outputs of the path."""
    variables = built(mine, graph)
    positions = {id(variable): i for i, variable in enumerate(variables)}
    path = mine.path_to(variables[-1])
    expect(path is not None, "nothing")
    expect(isinstance(path, (list, tuple)), "a_list")
    expect(all(isinstance(one, mine.Operator) for one in path), "a_list")
    return [positions[id(one.outputs[0])] for one in path]


def run_part(mine, before, expected, shape):
    """A new part, and the list it was added to."""
    main = mine.Program("main")
    x = mine.Variable(main, "v", shape, stop_gradient=False)
    parts = [mine.Variable(main, f"part_{i}", shape) for i in range(before)]
    kept, operators = list(parts), len(main.ops)
    part = mine.new_part(x, parts, expected)
    expect(part is not None, "nothing")
    expect(isinstance(part, mine.Variable), "a_variable", got=kind_of(part))
    added = parts == [*kept, part] and part not in kept
    return {
        "name": part.name,
        "shape": list(part.shape),
        "added": added,
        "program": main.variables.get(part.name) is part and len(main.ops) == operators,
    }


def run_joined(mine, count, shape):
    """Join so many parts, and look at the operator."""
    main = mine.Program("main")
    x = mine.Variable(main, "v", shape, stop_gradient=False)
    parts = [mine.Variable(main, f"part_{i}", shape) for i in range(count)]
    with untouched(parts=(given := list(parts))):
        whole = mine.joined(x, given)
    expect(whole is not None, "nothing")
    expect(isinstance(whole, mine.Variable), "a_variable", got=kind_of(whole))
    rows = main.ops
    return {
        "is_part": whole in parts,
        "operators": [one.op.name for one in rows],
        "name": whole.name,
        "shape": list(whole.shape),
        "op": all(one.op is mine.add_up for one in rows),
        "reads": [getattr(x, "name", kind_of(x)) for one in rows for x in one.inputs],
        "writes": all(one.outputs == [whole] for one in rows),
        "back": all(one.role == "backward" for one in rows),
    }


def run_backward(mine, graph):
    """The rows that the learner's pass appends, and the gradients it returns."""
    variables = built(mine, graph)
    main = variables[0].program
    written = len(main.ops)
    found = mine.append_backward(variables[-1])
    expect(found is not None, "nothing")
    expect(isinstance(found, dict), "a_dict", got=kind_of(found))
    variable = all(isinstance(x, mine.Variable) for pair in found.items() for x in pair)
    expect(variable, "variables")
    known = {variable.name: i for i, variable in enumerate(variables)}
    rows = [row_of(one, known) for one in main.ops[written:]]
    pairs = {known[x.name]: renamed(g.name, known) for x, g in found.items()}
    shapes = [[*g.shape] == [*x.shape] for x, g in found.items()]
    back = all(one.role == "backward" for one in main.ops[written:])
    return {"rows": rows, "found": pairs, "shapes": all(shapes), "back": back}


def row_of(operator, known):
    """An operator of the way back as plain data."""
    gradients = [x for x in operator.inputs if "@GRAD" in getattr(x, "name", "")]
    return [
        operator.op.name,
        [renamed(x.name, known) for x in gradients],
        ["" if x is None else renamed(x.name, known) for x in operator.outputs],
    ]


def sums(ask):
    """One for w, one for y."""
    quiz(ask, "sums", 2, one=1)


def second_part(ask):
    """Parts are counted from 0."""
    found = ask(call, "second_part")
    expect(isinstance(found, str), "a_name")
    expect(found != "w@GRAD", "whole")
    expect(not found.endswith("@2"), "from_zero")
    expect(found == "w@GRAD@RENAME@block0@1", "wrong")


def path_to(ask):
    """Compare with the positions that the loss needs and that depend on a parameter."""
    for graph in [SQUARE, DIAMOND, CLASSES, *map(drawn, range(CASES))]:
        leaves, steps = graph
        found, last = ask(run_path, graph), len(leaves) + len(steps)
        learns = [kind == "w" for kind in leaves]
        for _, *inputs in steps:
            learns.append(any(learns[i] for i in inputs))
        needed = {last - 1}
        for position in range(last - 1, len(leaves) - 1, -1):
            if position in needed:
                needed |= set(steps[position - len(leaves)][1:])
        on_path = {last} | {i for i in needed if i >= len(leaves) and learns[i]}
        expect(not set(found) - {last} - needed, "not_needed")
        learning = all(i == last or learns[i] for i in found)
        expect(learning, "no_gradient")
        expect(len(found) == len(set(found)), "twice")
        expect(found == sorted(found, reverse=True), "order")
        expect(set(found) == on_path, "missing", got=len(found), wanted=len(on_path))


def new_part(ask):
    """Look at the name and the list."""
    pairs = [
        (before, expected) for expected in range(1, 7) for before in range(expected)
    ]
    for before, expected in pairs:
        shape = [before + 1, -1]
        seen = ask(run_part, before, expected, shape)
        tail = f"@RENAME@block0@{before}" if expected > 1 else ""
        facts = {"got": seen["name"], "wanted": f"v@GRAD{tail}"}
        expect(seen["added"], "added")
        expect(expected > 1 or "RENAME" not in seen["name"], "only_one", **facts)
        expect(seen["name"] == f"v@GRAD{tail}", "name", **facts)
        expect(seen["shape"] == shape, "shape", got=seen["shape"], wanted=shape)
        expect(seen["program"], "program")


def joined(ask):
    """One part is whole; several need an operator."""
    for case in range(20):
        count, shape = case % 4 + 1, [case % 3 + 1, -1]
        seen = ask(run_joined, count, shape)
        if count == 1:
            expect(not seen["operators"], "needless")
            expect(seen["is_part"], "single")
            continue
        expect(seen["operators"], "no_operator", parts=count)
        added = ", ".join(seen["operators"])
        one_sum = len(seen["operators"]) == 1
        expect(one_sum, "no_sum", parts=count, got=added)
        expect(seen["op"], "another_op", got=added)
        wanted, got = [f"part_{i}" for i in range(count)], seen["reads"]
        others = [name for name in got if name not in wanted]
        expect(not others, "others", got=", ".join(others))
        expect(sorted(got) != wanted or got == wanted, "order", got=", ".join(got))
        expect(got == wanted, "all_parts", got=len(got), wanted=count)
        expect(seen["writes"], "writes")
        expect(seen["name"] == "v@GRAD", "name", got=seen["name"])
        expect(seen["shape"] == shape, "shape", got=seen["shape"], wanted=shape)
        expect(seen["back"], "role")


@needs(path_to, new_part, joined)
def append_backward(ask):
    """Compare with the framework's own rows."""
    examples = [SQUARE, DIAMOND, CLASSES]
    for graph in [*examples, *map(drawn, range(CASES)), TWO_SQUARES]:
        rows, found = ours(graph)
        seen = ask(run_backward, graph)
        theirs = seen["rows"]
        kinds, wanted = [row[0] for row in theirs], [row[0] for row in rows]
        facts = {"got": ", ".join(kinds), "wanted": ", ".join(wanted)}
        expect(kinds[:1] == ["ones"], "no_seed")
        steps = [[one for one in row if one != "add_n"] for row in (kinds, wanted)]
        expect(sorted(steps[0]) == sorted(steps[1]), "operators", **facts)
        expect(steps[0] == steps[1], "order", **facts)
        expect(kinds.count("add_n") == wanted.count("add_n"), "sums", **facts)
        expect(kinds == wanted, "order", **facts)
        data = {i for i, kind in enumerate(graph[0]) if kind == "x"}
        read = {name for row in theirs for name in row[2]}
        starts = tuple(f"{i}@GRAD" for i in data)
        expect(not any(name.startswith(starts) for name in read), "data")
        names = {name for row in theirs for name in row[2] if name}
        count = sum(bool(name) for row in theirs for name in row[2])
        expect(len(names) == count, "clash")
        joins = theirs != rows and sorted(theirs) == sorted(rows)
        expect(not joins, "joins", names=", ".join(f"{x}@GRAD" for x in found))
        for mine_row, our_row in zip(theirs, rows, strict=True):
            facts = {"op": mine_row[0], "got": mine_row[1:], "wanted": our_row[1:]}
            for name, ours_is in zip(mine_row[2], our_row[2], strict=False):
                alone = name != ours_is and name.split("@RENAME")[0] == ours_is
                expect(not alone, "alone", name=name, wanted=ours_is)
            expect(mine_row == our_row, "row", **facts)
        expect(seen["found"] == found, "returned", got=seen["found"], wanted=found)
        expect(seen["shapes"], "shapes")
        expect(seen["back"], "role")


def operators_added(ask):
    """A seed, and one for each operator."""
    quiz(ask, "operators_added", 7, seed=6)
