"""Checks of lesson 07: programs of constants, ops that note their calls, and scopes."""

from __future__ import annotations

import numpy as np

from teachgraph.course.judging import call, close, expect, kind_of, needs, quiz

CASES = 20
KEPT = {"w", "count", "goal", "other"}


def numbers(shape, seed):
    """Numbers between -2 and 2 that the seed decides."""
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def affine(mine, calls):
    """An op of two outputs that notes its calls: x a + b, and x - a."""

    def kernel(x, a, b=0.0):
        calls.append(1)
        expect(isinstance(a, np.ndarray), "array", got=kind_of(a))
        return x * a + b, x - a

    return mine.Op("affine", kernel, None)


def chain(mine, length, unwanted):
    """A program of so many affine operators; of some the second output is unwanted.

    The last two operators have one output, and write a variable that has a value.
    """
    main, calls = mine.Program("main"), []
    x = mine.Variable(main, "x", [2], is_data=True)
    w = mine.Variable(main, "w", [2], stop_gradient=False, persistable=True)
    op, here = affine(mine, calls), x
    for i in range(length):
        first = mine.Variable(main, f"a_{i}", [2])
        second = None if unwanted[i] else mine.Variable(main, f"b_{i}", [2])
        inputs = [here, w if i % 2 else 3.5]
        main.insert(mine.Operator(op, inputs, [first, second], {"b": float(i)}))
        here = first
    plus = mine.Op("plus", lambda x, y: calls.append(1) or x + y, None)
    for out in (here, w):
        main.insert(mine.Operator(plus, [w, here], [out]))
    return main, calls


def by_hand(x, w, unwanted):
    """Compute the chain by hand: values by name."""
    values, here = {}, x
    for i, none in enumerate(unwanted):
        a = w if i % 2 else 3.5
        if not none:
            values[f"b_{i}"] = here - a
        values[f"a_{i}"] = here = here * a + float(i)
    values[f"a_{len(unwanted) - 1}"] = here + w
    values["w"] = w + here + w
    return values


def run_interpret(mine, unwanted, x, w):
    """The values after a run of the chain, and how often its op was called."""
    main, calls = chain(mine, len(unwanted), unwanted)
    values, before = {"x": x, "w": w}, w.copy()
    try:
        found = mine.interpret(main, values)
    except AttributeError:
        expect(not any(unwanted), "unwanted")
        raise
    except KeyError:
        expect(all(isinstance(name, str) for name in values), "by_name")
        raise
    expect(found is not None, "returned")
    expect(np.array_equal(w, before), "overwritten")
    expect(all(isinstance(name, str) for name in values), "by_name")
    return {"same": found is values, "values": values, "calls": len(calls)}


def trainer(mine, fails=False):
    """A program that moves w by x + goal, and another variable that lasts."""
    main = mine.Program("main")
    x = mine.Variable(main, "x", [2], is_data=True)
    w = mine.Variable(main, "w", [2], stop_gradient=False, persistable=True)
    count = mine.Variable(main, "count", [], persistable=True)
    goal = mine.Variable(main, "goal", [], persistable=True)
    move = mine.append(mine.add, x, goal)
    both_ways = mine.Op("both_ways", lambda x, d: (x - d, x + d), None)
    main.insert(mine.Operator(mine.add, [w, move], [w], {}, "optimize"))
    main.insert(mine.Operator(both_ways, [count, 1.0], [None, count], {}, "optimize"))
    if fails:
        broken = mine.Op("broken", failing, None)
        main.insert(mine.Operator(broken, [x], [mine.Variable(main, "y", [2])]))
    return main, [w, move]


def failing(x):
    """A kernel that raises."""
    raise ZeroDivisionError("of the check")


def run_run(mine, x, times, given=None):
    """The fetched values of runs, the scope and the feed afterwards."""
    main, fetch = trainer(mine)
    scope = {"w": np.zeros(2), "count": np.zeros(()), "goal": np.array(-1.0)}
    scope["other"] = np.ones(1)
    feed, got = {"x": x, **(given or {})}, []
    for _ in range(times):
        got = mine.run_once(main, feed, fetch, scope)
    expect(got is not None, "nothing")
    expect(isinstance(got, list | tuple), "a_list", got=kind_of(got))
    return {"got": got, "scope": scope, "feed": list(feed)}


def run_failing(mine, x):
    """The scope after a run that raised."""
    main, fetch = trainer(mine, fails=True)
    scope = {"w": np.zeros(2), "count": np.zeros(()), "goal": np.array(-1.0)}
    try:
        mine.run_once(main, {"x": x}, fetch, scope)
    except ZeroDivisionError:
        return {"raised": True, "scope": scope}
    return {"raised": False, "scope": scope}


def run_startup(mine, value):
    """The scope after a startup program ran in an empty one."""
    main, startup, scope = mine.Program(), mine.Program("startup"), {}
    mine.parameter(main, startup, "w", value)
    got = mine.run_once(startup, {}, [], scope)
    return {"got": got, "scope": scope}


def run_clone(mine, layers):
    """Clone a training program; look at both."""
    main, startup = mine.Program(), mine.Program("startup")
    here = mine.Variable(main, "x", [-1, 2], is_data=True)
    for i in range(layers):
        w = mine.parameter(main, startup, f"w_{i}", np.ones(2))
        here = mine.dropout(here * w, rate=0.25, is_test=False)
    mine.minimize((here * here).sum(), 0.1)
    rows = [(one, dict(one.attrs)) for one in main.ops]
    variables = dict(main.variables)
    test = mine.clone_for_test(main)
    expect(test is not None, "nothing")
    expect(isinstance(test, mine.Program), "a_program", got=kind_of(test))
    forward = [one for one, _ in rows if one.role == "forward"]
    pairs = list(zip(test.ops, forward, strict=False))
    same = {**test.variables} == variables
    mine.Variable(test, "of_the_test", [1])
    return {
        "other": test is not main,
        "ops": [one.op.name for one in test.ops],
        "wanted": [one.op.name for one in forward],
        "inputs": all(a.inputs == b.inputs for a, b in pairs),
        "outputs": all(a.outputs == b.outputs for a, b in pairs),
        "modes": [one.attrs.get("is_test", "none") for one in test.ops],
        "rates": [*{a.attrs.get("rate", 0) for a in test.ops if a.op is mine.dropout}],
        "variables": same,
        "one_dict": "of_the_test" in main.variables,
        "roles": {one.role for one in test.ops} <= {"forward"},
        "shares": any(a is b for a, b in pairs),
        "program": all(a is b[0] for a, b in zip(main.ops, rows, strict=False)),
        "attrs": [one.attrs for one, _ in rows] == [attrs for _, attrs in rows],
        "count": len(main.ops) == len(rows),
    }


def run_py_func(mine, x, dout, stop):
    """A call of Python in a program: what is appended, and what it computes."""
    main, calls, backs = mine.Program(), [], []
    v = mine.Variable(main, "x", x.shape, stop)
    taken = mine.Variable(main, "py_func_0", [1])

    def function(array):
        calls.append(1)
        return np.concatenate([array, array])

    def backward(dout, array):
        backs.append(1)
        return dout[: len(array)] + 10.0 * array

    out = mine.py_func(function, v, [2 * len(x)], backward)
    expect(out is not None, "nothing")
    expect(isinstance(out, mine.Variable), "a_variable", got=kind_of(out))
    early = len(calls) + len(backs)
    expect(len(main.ops) == 1, "one_operator", got=len(main.ops))
    (row,) = main.ops
    expect(callable(row.op.rule), "no_rule")
    result = row.op.kernel(x, **row.attrs)
    gradients = row.op.rule(dout, x, **row.attrs)
    expect(isinstance(gradients, tuple) and len(gradients) == 1, "a_tuple")
    second = mine.py_func(function, out, [1], backward)
    expect(main.variables[out.name] is out, "name", got=second.name)
    return {
        "early": early,
        "inputs": row.inputs == [v],
        "outputs": row.outputs == [out],
        "name": out.name,
        "taken": main.variables["py_func_0"] is taken,
        "shape": list(out.shape),
        "stop": out.stop_gradient,
        "op": row.op.name,
        "lasts": out.persistable,
        "role": row.role,
        "result": result,
        "gradient": gradients[0],
        "calls": [len(calls), len(backs)],
    }


def in_the_scope(ask):
    """The weight and the rate last."""
    found = ask(call, "in_the_scope")
    listed = isinstance(found, list | tuple)
    expect(listed and all(isinstance(name, str) for name in found), "a_list")
    expect("x" not in found, "fed")
    expect("w@GRAD" not in found, "gradient")
    expect("w" in found, "weight")
    expect("learning_rate_0" in found, "rate")
    expect(sorted(found) == ["learning_rate_0", "w"], "wrong")


def interpret(ask):
    """Compare with the chain by hand."""
    for case in range(CASES):
        draw = np.random.default_rng(case)
        unwanted = (draw.random(case % 5 + 1) < 0.4).tolist()
        x, w = numbers([2], case), numbers([2], case + 50)
        seen = ask(run_interpret, unwanted, x, w)
        wanted, values = by_hand(x, w, unwanted), seen["values"]
        expect(seen["same"], "returned")
        once = len(unwanted) + 2
        expect(seen["calls"] == once, "calls", got=seen["calls"], wanted=once)
        expect("x" in values and "w" in values, "dropped")
        missing = [name for name in wanted if name not in values]
        expect(not missing, "missing", names=", ".join(missing))
        strangers = [name for name in values if name not in {*wanted, "x", "w"}]
        expect(not strangers, "strangers", names=", ".join(map(str, strangers)))
        near = {name: np.allclose(values[name], y) for name, y in wanted.items()}
        wrong = [name for name, same in near.items() if not same]
        expect(not wrong, "wrong", names=", ".join(wrong))


@needs(interpret)
def run_once(ask):
    """Look at what is given back, and at what lasts."""
    for case in range(CASES):
        x, times = numbers([2], case), case % 3 + 1
        seen = ask(run_run, x, times)
        scope = seen["scope"]
        expect("x" not in scope, "fed_stays")
        leaked = [name for name in scope if name not in KEPT]
        expect(not leaked, "leaks", names=", ".join(map(str, leaked)))
        expect("other" in scope, "lost")
        expect(len(seen["got"]) == 2, "fetch")
        moved = times * (x - 1.0)
        same = np.array_equal(scope["w"], np.zeros(2))
        expect(not same, "forgets")
        expect(np.allclose(scope["w"], moved), "scope", times=times)
        expect(np.allclose(scope["count"], times), "scope", times=times)
        expect(close(list(seen["got"]), [moved, x - 1.0]), "fetched")
        expect(seen["feed"] == ["x"], "feed")
        seen = ask(run_failing, x)
        expect(seen["raised"], "swallowed")
        whole = np.array_equal(seen["scope"]["w"], np.zeros(2))
        expect(whole and len(seen["scope"]) == 3, "half_done")
    seen = ask(run_run, numbers([2], 99), 1, {"lent": np.ones(2)})
    expect("lent" not in seen["scope"], "fed_stays")
    seen = ask(run_run, np.zeros(2), 1, {"goal": np.array(5.0)})
    expect(not np.allclose(seen["got"][1], -1.0), "scope_first")
    expect(seen["scope"]["goal"] == -1.0, "fed_stays")
    seen = ask(run_startup, np.full(3, 7.0))
    expect(list(seen["scope"]) == ["w"], "startup")
    expect(np.array_equal(seen["scope"]["w"], np.full(3, 7.0)), "startup")


def clone_for_test(ask):
    """Compare the clone with the forward operators."""
    for layers in range(1, CASES + 1):
        seen = ask(run_clone, layers)
        expect(seen["other"] and seen["program"] and seen["count"], "changed")
        expect("sgd" not in seen["ops"], "trains")
        back = [name for name in seen["ops"] if name.endswith("_grad")]
        expect(not back, "backward")
        expect(seen["ops"] == seen["wanted"], "operators", got=len(seen["ops"]))
        expect(not seen["shares"], "shares")
        expect(seen["attrs"], "mode_of_main")
        drops = [
            m
            for m, op in zip(seen["modes"], seen["ops"], strict=True)
            if op == "dropout"
        ]
        expect(all(mode is True for mode in drops), "mode")
        others = [mode for mode in seen["modes"] if mode not in (True, "none")]
        alone = seen["modes"].count(True) == len(drops) and not others
        expect(alone, "strange_mode")
        expect(seen["rates"] == [0.25], "attrs")
        expect(seen["inputs"] and seen["outputs"], "wiring")
        expect(seen["variables"], "variables")
        expect(not seen["one_dict"], "one_dict")
        expect(seen["roles"], "roles")


def py_func(ask):
    """Look at what is appended, and run it."""
    for case in range(CASES):
        x, stop = numbers([case % 4 + 1], case), case % 2 == 0
        dout = numbers([2 * len(x)], case + 50)
        seen = ask(run_py_func, x, dout, stop)
        expect(not seen["early"], "early")
        expect(seen["inputs"] and seen["outputs"], "wiring")
        expect(seen["taken"] and seen["name"] == "py_func_1", "name", got=seen["name"])
        expect(seen["shape"] == [2 * len(x)], "shape", got=seen["shape"])
        expect(seen["stop"] == stop, "stop")
        expect(seen["op"] == "py_func", "op", got=seen["op"])
        expect(not seen["lasts"], "lasts")
        expect(seen["role"] == "forward", "role", got=seen["role"])
        expect(np.array_equal(seen["result"], np.concatenate([x, x])), "result")
        expect(np.allclose(seen["gradient"], dout[: len(x)] + 10.0 * x), "gradient")
        expect(seen["calls"] == [1, 1], "calls")


def updates(ask):
    """Every run of a training program trains."""
    quiz(ask, "updates", 5, three=3)


def operators_in_test(ask):
    """dropout, matmul, add, softplus, matmul, add, cross_entropy."""
    quiz(ask, "operators_in_test", 7, loss=6)
