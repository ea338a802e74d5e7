"""Checks of lesson 08: loops run on random numbers, gradients by finite differences.

A body is named: "scale" is h w, "bend" is softplus(h w + b), "mix" is h @ m, and
"grow" is h h, without weights. Each op of a block notes that it ran.
"""

from __future__ import annotations

from contextlib import contextmanager
from unittest import mock

import numpy as np

import teachgraph as paddle
from teachgraph.control_flow.ops import LoopError
from teachgraph.course.bounds import rounds_at_most
from teachgraph.course.judging import (
    array_of,
    close,
    expect,
    kind_of,
    needs,
    quiz,
    untouched,
)

CASES = 24
MOST = 200
LARGE = 31911
"""Its way leads over whole numbers that float32 does not hold."""
WEIGHTS = {"scale": [[2]], "bend": [[2], [2]], "mix": [[2, 2]], "grow": []}
BODIES = list(WEIGHTS)


def draw_case(case):
    """A body, the number of its rounds, the first h, and the weights."""
    draw = np.random.default_rng(case)
    kind = BODIES[case % 4]
    rounds = (case // 4 + 3) % 6
    h = draw.uniform(0.5, 1.2, [1, 2])
    weights = [draw.uniform(-0.9, 0.9, shape) for shape in WEIGHTS[kind]]
    return kind, rounds, h, weights


def round_of(kind, h, weights):
    """The result of a round, by hand."""
    if kind == "scale":
        return h * weights[0]
    if kind == "bend":
        return np.log1p(np.exp(h * weights[0] + weights[1]))
    return h @ weights[0] if kind == "mix" else h * h


def by_hand(kind, rounds, h, weights):
    """The h after each round, with the first one before them."""
    found = [h]
    for _ in range(rounds):
        found.append(round_of(kind, found[-1], weights))
    return found


def slopes(kind, rounds, h, weights, dh):
    """The gradient of sum(dh * last h) for h and each weight, by finite differences."""
    inputs = [h, *weights]

    def value():
        return float(np.sum(dh * by_hand(kind, rounds, inputs[0], inputs[1:])[-1]))

    found = []
    for x in inputs:
        slope = np.zeros(x.shape)
        for place in np.ndindex(x.shape):
            before = x[place]
            x[place] = before + 1e-6
            above = value()
            x[place] = before - 1e-6
            slope[place] = (above - value()) / 2e-6
            x[place] = before
        found.append(slope)
    return found


def body_of(mine, kind, calls):
    """A round as the learner's ops write it; a kernel notes each of its calls."""

    def ran(x):
        calls.append(1)
        expect(len(calls) <= MOST, "endless")
        return x

    noted = mine.Op("noted", ran, lambda dout, x: (dout,))

    def body(h, i, *weights):
        if kind == "scale":
            h = h * weights[0]
        elif kind == "bend":
            h = mine.smooth(h * weights[0] + weights[1])
        elif kind == "mix":
            h = mine.matmul(h, weights[0])
        else:
            h = h * h
        return [noted(h), i + 1.0]

    return body


def block_of(mine, kind, most, calls):
    """A block of that body, which goes on while i < most; and its first values."""
    main = mine.Program()
    state = [mine.Variable(main, "h", [1, 2]), mine.Variable(main, "i", [])]
    weights = [
        mine.Variable(main, f"w_{i}", shape, stop_gradient=False)
        for i, shape in enumerate(WEIGHTS[kind])
    ]
    body = body_of(mine, kind, calls)
    return mine.Block(lambda h, i, *_: mine.less(i, most), body, state, weights)


def first_values(h, weights):
    """Return the initial values of the loop variables, by name."""
    named = dict(zip(names_of(weights), [h, *weights], strict=True))
    return {**named, "i": np.zeros(())}


def names_of(weights):
    """The names of what gradients are taken of: h, then the weights."""
    return ["h", *(f"w_{i}" for i, _ in enumerate(weights))]


def run_rounds_on(mine, kind, rounds, h, weights):
    """The step scopes, as the numbers of h and i in each, and what else is asked."""
    calls = []
    block = block_of(mine, kind, rounds, calls)
    del calls[:]  # writing the block tried its shapes
    values = first_values(h, weights)
    kept = dict(values)
    found = mine.run_rounds(block, np.bool_(rounds > 0), values)
    expect(found is not None, "nothing")
    expect(isinstance(found, list), "a_list", got=kind_of(found))
    expect(all(isinstance(one, dict) for one in found), "dicts")
    name, counter = (x.name for x in block.results)
    return {
        "calls": len(calls),
        "alike": len({id(one) for one in found}) < len(found),
        "begins": [one.get("h") for one in found],
        "ends": [one.get(name) for one in found],
        "counted": [one.get(counter) for one in found],
        "changed": any(values.get(x) is not kept[x] for x in kept),
        "added": [x for x in values if x not in kept],
    }


def run_unwind(mine, kind, rounds, h, weights, dh):
    """The gradients of a loop whose rounds are made here, and what is left of them."""
    block = block_of(mine, kind, rounds, [])
    scopes, values = [], first_values(h, weights)
    for _ in range(rounds):
        scope = mine.interpret(block, dict(values))
        for x, result in zip(block.state, block.results, strict=True):
            values[x.name] = scope[result.name]
        scopes.append(scope)
    with values_of(block):
        found = mine.unwind(block, scopes, dh)
    expect(found is not None, "nothing")
    expect(isinstance(found, (list, tuple)), "a_list", got=kind_of(found))
    return {"gradients": list(map(array_of, found)), "left": len(scopes)}


@contextmanager
def values_of(block):
    """Tell of a Variable that the way back reads but does not find."""
    try:
        yield
    except KeyError as error:
        (name,) = error.args
        needed = {
            getattr(x, "name", None) for one in block.back.ops for x in one.inputs
        }
        gradient = f"{block.results[0].name}@GRAD"
        expect(name not in needed, "not_there", name=name, gradient=gradient)
        raise


def run_unrolled(mine, rounds):
    """The operators written, how often the body was called, and the last h."""
    main, calls = mine.Program(), []
    h, w = mine.Variable(main, "h", [2]), mine.Variable(main, "w", [2])

    def body(h, *weights):
        calls.append(1)
        expect(len(weights) == 1, "multiplied")
        return mine.mul(h, *weights)

    with untouched(weights=(weights := [w])):
        last = mine.unrolled(body, h, weights, rounds)
    expect(last is not None, "nothing")
    expect(isinstance(last, mine.Variable), "a_variable", got=kind_of(last))
    chain = [h, *(one.outputs[0] for one in main.ops)]
    return {
        "ops": [one.op.name for one in main.ops],
        "chained": all(
            one.inputs[0] is x for one, x in zip(main.ops, chain, strict=False)
        ),
        "multiplied": all(one.inputs[1] is w for one in main.ops),
        "last": last is chain[-1],
        "calls": len(calls),
    }


def run_collatz(mine, numbers):
    """The rounds that the learner's loop takes, or the number it does not end from."""
    paddle.enable_static()
    main = paddle.static.Program()
    new = paddle.static.program_guard(main, paddle.static.Program())
    with new, rounds_at_most(MOST):
        n = paddle.static.data("n", [1], "int64")
        found = mine.collatz(n)
    expect(found is not None, "nothing")
    expect(isinstance(found, paddle.static.Variable), "a_variable")
    block = main.global_block()
    kinds = [one.type for one in block.ops]
    loops = sum(one.type == "while" for block in main.blocks for one in block.ops)
    expect(loops > 0, "no_loop")
    expect(loops == 1, "loops", got=loops)
    expect(found.block is block, "inside")
    behind = block.ops[kinds.index("while") :]
    expect(any(found.name in one.output_arg_names for one in behind), "before")
    exe, rounds = paddle.fluid.Executor(), []
    for n in numbers:
        try:
            (got,) = exe.run(main, feed={"n": np.array([n])}, fetch_list=[found])
        except LoopError:
            return {"endless": n}
        rounds.append(got)
    return {"rounds": rounds}


def run_a_round(mine, numbers):
    """If a round begins at each number, and the number after it, by the loop's parts.

    Of a loop without n in its state there is no number after a round.
    """
    paddle.enable_static()
    main, parts = paddle.static.Program(), []

    def taken_apart(cond, body, loop_vars, *rest, **options):
        pairs = zip(loop_vars, body(*loop_vars), strict=True)
        written = [p for p in pairs if isinstance(p[0], paddle.static.Variable)]
        parts.append([cond(*loop_vars), *(x for pair in written for x in pair)])
        return list(loop_vars)

    with (
        paddle.static.program_guard(main, paddle.static.Program()),
        mock.patch.object(paddle.static.nn, "while_loop", taken_apart),
    ):
        mine.collatz(paddle.static.data("n", [1], "int64"))
    (fetch,), exe = parts, paddle.fluid.Executor()
    rows = [exe.run(main, {"n": np.array([n])}, fetch) for n in numbers]
    begins, *values = [[int(np.ravel(x)[0]) for x in row] for row in zip(*rows)]
    after = [new for old, new in zip(values[::2], values[1::2]) if old == numbers]
    return {"begins": begins, "after": after[0] if after else []}


def from_n(n):
    """The numbers from n down to 1."""
    path = [n]
    while path[-1] > 1:
        path.append(path[-1] // 2 if path[-1] % 2 == 0 else 3 * path[-1] + 1)
    return path


def step_scopes(ask):
    """One for each round."""
    quiz(ask, "step_scopes", 4, one=1, five=5)


def calls_of_body(ask):
    """Python writes the block once."""
    quiz(ask, "calls_of_body", 1, four=4)


def collatz(ask):
    """Count the rounds of numbers; where that fails, look at one round."""
    numbers = [1, 2, 3, 6, 27, 4, 5, 7, 8, *range(9, 20), LARGE]
    seen = ask(run_collatz, numbers)
    if "endless" in seen:
        explain(ask, seen["endless"])
        expect(False, "endless", n=seen["endless"])
    shapes = [np.shape(got) for got in seen["rounds"]]
    expect(all(shape in ((), (1,)) for shape in shapes), "a_number")
    got = [int(np.squeeze(one)) for one in seen["rounds"]]
    if set(got) == {0}:
        begins = ask(run_a_round, numbers)["begins"]
        expect(any(begins), "never", n=numbers[-1])
        expect(False, "stays_0")
    wanted = [len(from_n(n)) - 1 for n in numbers]
    expect(set(got) != {1} or wanted == got, "the_number")
    for n, found, right in zip(numbers, got, wanted, strict=True):
        if found != right:
            expect_rounds(ask(run_a_round, from_n(n)), n)
        expect(found == right, "wrong", n=n, got=found, wanted=right)


def explain(ask, n):
    """Say what is wrong with the rounds of a loop that does not end."""
    seen = ask(run_a_round, from_n(n))
    expect(seen["after"], "no_n")
    expect_rounds(seen, n)
    expect(not seen["begins"][-1], "at_one")


def expect_rounds(seen, n):
    """Raise Wrong at the first round on the way from n that makes another number."""
    path = from_n(n)
    for before, got, right in zip(path, seen["after"], path[1:], strict=False):
        expect(got == right, "round", n=before, got=got, wanted=right)


def run_rounds(ask):
    """Compare the step scopes with the rounds by hand."""
    for case in range(CASES):
        kind, rounds, h, weights = draw_case(case)
        seen = ask(run_rounds_on, kind, rounds, h, weights)
        chain = by_hand(kind, rounds, h, weights)
        facts = {"got": len(seen["ends"]), "wanted": rounds}
        expect(rounds or not seen["ends"], "none", **facts)
        expect(len(seen["ends"]) == rounds, "rounds", **facts)
        expect(seen["calls"] == rounds, "calls")
        expect(not seen["alike"], "alike")
        expect(all(one is not None for one in seen["ends"]), "results")
        expect(not seen["changed"], "changed")
        expect(not seen["added"], "added", names=", ".join(seen["added"]))
        begins = [one for one in seen["begins"] if one is not None]
        expect(len(begins) == rounds, "begins")
        expect(rounds < 2 or not close(seen["ends"][::-1], chain[1:]), "order")
        expect(close(seen["ends"], chain[1:]), "ends", rounds=rounds)
        expect(close(begins, chain[:-1]), "begins")
        counted = [float(one) for one in seen["counted"]]
        expect(counted == [float(i) for i in range(1, rounds + 1)], "counted")


@needs(run_rounds)
def unwind(ask):
    """Compare with finite differences."""
    for case in range(CASES):
        kind, rounds, h, weights = draw_case(case)
        dh = np.random.default_rng(case + 50).uniform(0.5, 2.0, h.shape)
        seen = ask(run_unwind, kind, rounds, h, weights, dh)
        wanted, got = slopes(kind, rounds, h, weights, dh), seen["gradients"]
        expect(len(got) == len(wanted), "how_many", got=len(got), wanted=len(wanted))
        facts = {"body": kind, "rounds": rounds}
        for name, a, b in zip(names_of(weights), got, wanted, strict=True):
            shapes = {"got": list(np.shape(a)), "wanted": list(np.shape(b))}
            expect(np.shape(a) == np.shape(b), "shapes", name=name, **shapes)
        pairs = zip(got, wanted, strict=True)
        near = [close(*pair, rtol=1e-4, atol=1e-6) for pair in pairs]
        expect(rounds or all(near), "no_rounds")
        expect(near[0], "first", got=got[0], wanted=wanted[0], **facts)
        expect(all(near), "weights", **facts)
        expect(not seen["left"], "left", got=seen["left"])


def unrolled(ask):
    """Look at the operators."""
    for rounds in [*range(1, CASES), 0]:
        seen = ask(run_unrolled, rounds)
        facts = {"got": len(seen["ops"]), "wanted": rounds}
        expect(seen["ops"] == ["mul"] * rounds, "operators", **facts)
        expect(seen["chained"], "chained")
        expect(seen["multiplied"], "multiplied")
        expect(seen["last"], "last")
        expect(seen["calls"] == rounds, "calls")


def fifty(ask):
    """Four more for each round."""
    quiz(ask, "fifty", 204, five_times=220, forward=200)
