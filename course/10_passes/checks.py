"""Checks of lesson 10: passes over random programs, which must compute the same.

A program is plain data: steps `[kind, inputs, attribute]`. Inputs are positions, 0 for
the parameter w, 1 for the data x, then a step each; a fraction is a constant. "update"
writes w anew, "dropout" draws numbers, "py_func" notes its call, "both" has two outputs
of which one is unwanted.
"""

from __future__ import annotations

import numpy as np

from teachgraph.course.judging import close, expect, kind_of, lines_at_most, quiz

CASES = 50
LINES = 300_000
KINDS = ["add", "mul", "matmul", "softplus", "scale", "both", "dropout", "py_func"]
ONE_INPUT = {"softplus", "scale", "dropout", "py_func"}
IMPURE = {"dropout", "py_func"}

UNUSED = [["mul", [1, 1], 0], ["add", [2, 1], 0], ["mul", [2, 2], 0]], [3]
PRINTS = [["py_func", [1], 0], ["dropout", [1], 0], ["dropout", [1], 0]], [4]
TRAINS = [["mul", [0, 1], 0], ["update", [0], 0], ["mul", [0, 1], 0]], [2, 4]
TWICE = [["mul", [1, 1], 0], ["mul", [1, 1], 0], ["add", [2, 3], 0]], [4]
CHAIN = [
    [["softplus", [i], 0] for i in (1, 1, 2, 3, 4, 5)] + [["add", [6, 7], 0]],
    [8],
]
LAYER = [["matmul", [1, 0], 0], ["add", [2, 0], 0]], [3]
READ_TWICE = [["matmul", [1, 0], 0], ["add", [2, 0], 0], ["mul", [2, 1], 0]], [3, 4]
ITSELF = [["matmul", [1, 0], 0], ["add", [2, 2], 0]], [3]
SECOND = [["matmul", [1, 0], 0], ["add", [0, 2], 0]], [3]
FETCHED = [["matmul", [1, 0], 0], ["add", [2, 0], 0]], [2, 3]
LATER = [["matmul", [1, 0], 0], ["update", [0], 0], ["add", [2, 0], 0]], [4]
SCALES = [["scale", [1], 0], ["scale", [1], 1], ["add", [2, 3], 0]], [4]
HALVES = [["both", [1, 0], 0], ["both", [1, 0], 1], ["add", [2, 3], 0]], [4]
NONE = [], [1]
PRODUCT = [["mul", [1, 0], 0], ["add", [2, 0], 0]], [3]
EXAMPLES = [
    UNUSED, PRINTS, TRAINS, TWICE, CHAIN, LAYER, READ_TWICE, ITSELF, SECOND, FETCHED,
    LATER, SCALES, HALVES, NONE, PRODUCT,
]  # fmt: skip


def drawn(seed):
    """A random program with repetitions, and what is fetched of it."""
    draw = np.random.default_rng(seed)
    steps = []
    for position in range(2, 2 + int(draw.integers(4, 16))):
        chance = draw.random()
        recent = int(draw.integers(max(0, position - 4), position))
        pair = [recent, int(draw.integers(position))]
        kind = str(draw.choice(KINDS))
        step = [kind, pair[: 1 if kind in ONE_INPUT else 2], int(draw.integers(2))]
        if chance < 0.08:
            step = ["update", [0], 0]
        elif chance < 0.35 and steps:
            kind, inputs, attr = steps[int(draw.integers(len(steps)))]
            step = [kind, list(inputs), attr]
        elif chance < 0.5 and steps and steps[-1][0] == "matmul":
            step = ["add", [position - 1, int(draw.integers(position))], 0]
        elif chance < 0.6:
            step = ["add", [recent, 0.5], 0]
        steps.append(step)
    written = [i + 2 for i, step in enumerate(steps) if step[0] != "update"]
    count = int(draw.integers(1, 3))
    fetch = sorted({int(i) for i in draw.choice(written or [1], count)})
    return [source(steps), fetch]


def source(steps):
    """The steps, none of which reads an update's position, which is w itself."""
    updates = {i + 2 for i, step in enumerate(steps) if step[0] == "update"}
    return [
        [kind, [0 if one in updates else one for one in inputs], attr]
        for kind, inputs, attr in steps
    ]


class Draws:
    """The random numbers and the noted calls of one run."""

    def begin(self):
        """Begin a run."""
        self.random, self.calls = np.random.default_rng(7), 0

    def dropout(self, x, rate):
        """Zero some of x: each call draws."""
        return x * (self.random.random(x.shape) >= 0.5)

    def py_func(self, x):
        """Note the call."""
        self.calls += 1
        return x + 1.0


def kernels(mine, draws):
    """The ops by kind."""
    return {
        "add": mine.add,
        "mul": mine.mul,
        "matmul": mine.matmul,
        "softplus": mine.smooth,
        "scale": mine.Op("scale", lambda x, by: x * by, None),
        "both": mine.Op("both", lambda x, y: (x + y, x - y), None),
        "update": mine.Op("sgd", lambda w: 0.5 * w + 1.0, None),
        "dropout": mine.Op("dropout", draws.dropout, None),
        "py_func": mine.Op("py_func", draws.py_func, None),
    }


def built(mine, steps, draws):
    """The program of the steps, and its variables by position."""
    main, ops = mine.Program("main"), kernels(mine, draws)
    w = mine.Variable(main, "w", [2, 2], persistable=True)
    found = [w, mine.Variable(main, "x", [2, 2], is_data=True)]
    for number, (kind, inputs, attr) in enumerate(steps):
        new = w if kind == "update" else mine.Variable(main, f"v{number + 2}", [2, 2])
        attrs = {"scale": {"by": 2.0 + attr}, "dropout": {"rate": 0.5}}.get(kind, {})
        given = [found[one] if isinstance(one, int) else one for one in inputs]
        outputs = [[new, None], [None, new]][attr] if kind == "both" else [new]
        main.insert(mine.Operator(ops[kind], given, outputs, attrs))
        found.append(new)
    return main, found


def run_of(mine, ops, names, draws):
    """The values of these names after a run, or the name that nobody wrote."""
    draws.begin()
    rows = np.random.default_rng(3).uniform(-1.0, 1.0, (2, 2, 2))
    memory = {"w": rows[0], "x": rows[1]}
    with np.errstate(all="ignore"):
        for one in ops:
            arrays = []
            for x in one.inputs:
                if isinstance(x, mine.Variable) and x.name not in memory:
                    return {"missing": x.name, "reader": one.op.name}
                known = isinstance(x, mine.Variable)
                arrays.append(memory[x.name] if known else np.asarray(x))
            results = one.op.kernel(*arrays, **one.attrs)
            results = results if isinstance(results, tuple) else (results,)
            for x, result in zip(one.outputs, results, strict=True):
                if x is not None:
                    memory[x.name] = result
    absent = [name for name in names if name not in memory]
    if absent:
        return {"unwritten": absent[0]}
    values = [memory[name] for name in names]
    return {"values": values, "calls": draws.calls}


def picture(ops):
    """Return the identities of operators and variables, to see if one changed."""
    return [
        (id(one.op), [id(x) for x in one.inputs], [id(x) for x in one.outputs])
        for one in ops
    ]


def run_pass(mine, name, steps, fetch):
    """A pass over a program: both are run, and the operators counted by kind."""
    draws = Draws()
    main, found = built(mine, steps, draws)
    ops, wanted = list(main.ops), [found[i] for i in fetch]
    before, given = picture(ops), list(wanted)
    with lines_at_most(LINES):
        new = getattr(mine, name)(ops, given)
    expect(new is not None, "nothing")
    expect(
        [id(x) for x in given] == [id(x) for x in wanted], "changed_input", what="fetch"
    )
    expect(isinstance(new, list), "a_list", got=kind_of(new))
    operators = all(isinstance(one, mine.Operator) for one in new)
    expect(operators, "operators")
    names = [x.name for x in (*wanted, found[0])]
    return {
        "changed": picture(ops) != before or picture(main.ops) != before,
        "before": run_of(mine, main.ops, names, draws),
        "after": run_of(mine, new, names, draws),
        "kinds": [one.op.name for one in new],
        "inputs": [len(one.inputs) for one in new if one.op.name == "linear"],
        "reads": [[getattr(x, "name", "") for x in one.inputs] for one in new],
        "writes": [[getattr(x, "name", "") for x in one.outputs] for one in new],
    }


def judged(ask, name, steps, fetch):
    """Check what every pass must keep: the results, and the list it was given."""
    seen = ask(run_pass, name, steps, fetch)
    after, program = seen["after"], told(steps, fetch)
    expect(not seen["changed"], "changed")
    for kind in ("dropout", "py_func", "update"):
        found = seen["kinds"].count("sgd" if kind == "update" else kind)
        count = [step[0] for step in steps].count(kind)
        expect(found == count, kind, got=found, wanted=count, program=program)
    expect("unwritten" not in after, "fetched", program=program, **after)
    own = after.get("reader") == "linear"
    expect(not own, "its_product", program=program, **after)
    expect("missing" not in after, "missing", program=program, **after)
    near = [
        close(a, b, equal_nan=True)
        for a, b in zip(seen["before"]["values"], after["values"], strict=True)
    ]
    updates = name == "common_subexpressions" and "update" in program
    expect(all(near), "after_update" if updates else "differs", program=program)
    expect(seen["before"]["calls"] == after["calls"], "py_func", got=0, wanted=1)
    return seen, program


def told(steps, fetch):
    """A program in one line, as the messages show it."""
    names = ["w", "x", *(f"v{i + 2}" for i in range(len(steps)))]
    rows = []
    for number, (kind, inputs, _) in enumerate(steps):
        reads = ", ".join(names[i] if isinstance(i, int) else str(i) for i in inputs)
        new = "w" if kind == "update" else names[number + 2]
        rows.append(f"{new} = {kind}({reads})")
    return f"{'; '.join(rows)}; fetch {', '.join(names[i] for i in fetch)}"


def programs():
    """The examples, then random programs."""
    return [*EXAMPLES, *map(drawn, range(CASES))]


def live(steps, fetch):
    """The steps that a run needs, by number."""
    needed, kept = set(fetch), []
    for number in reversed(range(len(steps))):
        kind, inputs, _ = steps[number]
        if kind == "update" or kind in IMPURE or number + 2 in needed:
            kept.append(number)
            needed.update(i for i in inputs if isinstance(i, int))
    return kept[::-1]


def distinct(steps, fetch):
    """The number of steps that are left if nothing is computed twice."""
    first, alias, count, version = {}, {}, 0, 0
    for number, (kind, inputs, attr) in enumerate(steps):
        reads = [
            (alias.get(i, i), version if i == 0 else -1) if isinstance(i, int) else i
            for i in inputs
        ]
        own = attr if kind in ("scale", "both") else 0
        key = repr((kind, reads, own, version))
        stays = kind in IMPURE or kind == "update" or number + 2 in fetch
        if key in first and not stays:
            alias[number + 2] = first[key]
            continue
        count += 1
        first[key] = number + 2
        version += kind == "update"
    return count


def layers(steps, fetch):
    """The number of products that only the add right behind them reads."""
    read = [i for _, inputs, _ in steps for i in inputs if isinstance(i, int)]
    return sum(
        a[0] == "matmul"
        and b[0] == "add"
        and b[1][0] == number + 2
        and read.count(number + 2) == 1
        and number + 2 not in fetch
        for number, (a, b) in enumerate(zip(steps, steps[1:], strict=False))
    )


def operators_left(ask):
    """matmul, tanh, add."""
    quiz(ask, "operators_left", 3, unused=6, twice=5)


def two_dropouts(ask):
    """Each of the two draws numbers of its own."""
    quiz(ask, "two_dropouts", 3, merged=2)


def fused_in_training(ask):
    """The way back reads each product."""
    quiz(ask, "fused_in_training", 0, as_in_test=2)


def dead_code(ask):
    """Compare with the steps that are needed."""
    for steps, fetch in programs():
        seen, program = judged(ask, "dead_code", steps, fetch)
        kept = live(steps, fetch)
        names = ["w" if steps[n][0] == "update" else f"v{n + 2}" for n in kept]
        got = [next(filter(None, outs)) for outs in seen["writes"]]
        extra = [name for name in got if name not in names]
        expect(not extra, "dead", names=", ".join(extra), program=program)
        expect(got == names, "order", program=program)


def common_subexpressions(ask):
    """Count what is left."""
    for steps, fetch in programs():
        seen, program = judged(ask, "common_subexpressions", steps, fetch)
        wanted, got = distinct(steps, fetch), len(seen["kinds"])
        expect(got <= wanted, "twice", got=got, wanted=wanted, program=program)


def fuse_linear(ask):
    """Count the fused operators."""
    for steps, fetch in programs():
        seen, program = judged(ask, "fuse_linear", steps, fetch)
        wanted, got = layers(steps, fetch), seen["kinds"].count("linear")
        facts = {"got": got, "wanted": wanted, "program": program}
        expect(got >= wanted, "fused", **facts)
        expect(len(seen["kinds"]) == len(steps) - got, "left", **facts)
