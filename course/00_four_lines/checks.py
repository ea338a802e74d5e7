"""Checks of lesson 00: what the framework itself writes, and what a network learns."""

from __future__ import annotations

import numpy as np

from teachgraph import fluid, static
from teachgraph.core import unique_name
from teachgraph.course.digits import train
from teachgraph.course.judging import Wrong, call, expect, kind_of, quiz

CASES = 20
MISTAKES = {"not_squared": 1.5, "sum": 5.0, "half": 1.25, "root": 2.5**0.5}
"""Losses of predictions that are 1 and 2 too large; the right one is 2.5."""
MISTAKES |= {"mean_first": 2.25}


def fresh():
    """Programs, names and a scope of one's own, in static mode."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    return main, startup


def run_loss(mine, prediction, target):
    """The value of the learner's loss for these arrays."""
    main, startup = fresh()
    with unique_name.guard(), fluid.program_guard(main, startup):
        p, t = (
            fluid.data(name=name, shape=list(value.shape), dtype="float32")
            for name, value in (("p", prediction), ("t", target))
        )
        loss = mine.squared_error(p, t)
        expect(loss is not None, "nothing")
        variable = isinstance(loss, fluid.framework.Variable)
        expect(variable, "a_variable", got=kind_of(loss))
    with fluid.scope_guard(fluid.Scope()):
        feed = {"p": prediction, "t": target}
        (value,) = static.Executor().run(main, feed=feed, fetch_list=[loss])
    return value


def run_network(mine, epochs):
    """Shapes, and the share of test digits that the trained network reads."""
    seen = {}

    def network(image, label):
        made = mine.digits_network(image, label)
        expect(made is not None, "nothing")
        expect(type(made) in (tuple, list) and len(made) == 2, "two")
        expect(all(isinstance(x, fluid.framework.Variable) for x in made), "two")
        seen["scores"], seen["loss"] = (list(one.shape) for one in made)
        expect(seen["scores"][1:] == [10], "scores", got=seen["scores"])
        expect(seen["loss"] == [], "mean", got=seen["loss"])
        seen["ops"] = [op.type for op in image.block.ops]
        parameters = image.block.program.all_parameters()
        seen["parameters"] = sorted(list(one.shape) for one in parameters)
        expect("sgd" not in seen["ops"], "minimized")
        return made

    return {"right": train(network, epochs), **seen}


def ops_in_startup(ask):
    """Two for the parameters, one for the learning rate."""
    quiz(ask, "ops_in_startup", 3, rate=2)


def whose_row(ask):
    """Gradients come with minimize."""
    quiz(ask, "whose_row", 4, layer=2)


def ops_after_five_runs(ask):
    """A run writes nothing."""
    quiz(ask, "ops_after_five_runs", 9, times=45)


def squared_error(ask):
    """Compare with NumPy, and look for the minimum."""
    example = np.float32([[1.0], [3.0]]), np.float32([[0.0], [1.0]])
    found = np.asarray(ask(run_loss, *example))
    expect(found.shape == (), "one_number", got=list(found.shape))
    for sentence, mistake in MISTAKES.items():
        expect(not np.isclose(found, mistake), sentence)
    expect(np.isclose(found, 2.5), "wrong", got=float(found))
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        shape = [draw.integers(1, 5), draw.integers(1, 3)]
        p, t = (draw.normal(size=shape).astype("float32") for _ in range(2))
        found = ask(run_loss, p, t)
        expect(np.isclose(found, np.mean((p - t) ** 2), rtol=1e-4), "another")
        expect(ask(run_loss, t, t) == 0.0, "minimum")


def added_by_minimize(ask):
    """Compare with what minimize adds."""
    main, startup = fresh()
    with unique_name.guard(), fluid.program_guard(main, startup):
        layer = fluid.data(name="X", shape=[None, 1], dtype="float32")
        for size in (10, 1):
            layer = fluid.layers.fc(input=layer, size=size)
        cost = fluid.layers.mean(layer)
        there = len(main.global_block().ops)
        fluid.optimizer.SGD(learning_rate=0.01).minimize(cost)
    truth = [op.type for op in main.global_block().ops[there:]]
    yours = ask(call, "added_by_minimize")
    listed = type(yours) in (list, tuple)
    expect(listed and all(isinstance(kind, str) for kind in yours), "a_list")
    yours = list(yours)
    strangers = sorted({*yours} - {*truth})
    expect(not strangers, "strangers", names=", ".join(strangers))
    back = truth[: -truth.count("sgd")]
    theirs = [kind for kind in yours if kind != "sgd"]
    expect(theirs[:1] == ["fill_constant"], "seed")
    facts = {"got": ", ".join(theirs), "wanted": len(back)}
    expect(sorted(theirs) == sorted(back), "which", **facts)
    expect(theirs == back, "order")
    expect(yours.count("sgd") == truth.count("sgd"), "sgd")
    expect(yours == truth, "last")


def digits_network(ask):
    """Let it learn: no network but a right one reads new digits."""
    seen = ask(run_network, 4)
    ops = seen["ops"]
    others = {"tanh", "sigmoid", "softplus", "gelu", "leaky_relu"} & set(ops)
    if "relu" not in ops:
        expect(not others, "another_act", got=", ".join(sorted(others)))
        raise Wrong("relu")
    expect(ops.count("mul") == 2, "layers", got=ops.count("mul"))
    shapes = sorted([[784, 32], [32], [32, 10], [10]])
    expect(seen["parameters"] == shapes, "units", got=seen["parameters"], wanted=shapes)
    expect("relu" not in ops[-ops[::-1].index("mul") :], "relu_last")
    expect(seen["right"] > 0.85, "wrong", right=f"{seen['right']:.0%}")
