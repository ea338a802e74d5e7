"""Checks of lesson 03: gradients stopped, changed, and differentiated again."""

from __future__ import annotations

import inspect
from contextlib import contextmanager

import numpy as np

from teachgraph.course.judging import array_of, close, expect, kind_of, quiz

CASES = 20


def random(shape, seed):
    """Numbers between -2 and 2 that the seed decides."""
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


@contextmanager
def one_yield():
    """Tell of a block that is left and has a second `yield`."""
    try:
        yield
    except RuntimeError as error:
        expect("didn't stop" not in str(error), "two_yields")
        raise


def run_no_grad(mine):
    """The switch before, inside and after, in three ways to leave the block."""
    x = mine.Tensor(2.0, stop_gradient=False)
    seen, block = {}, mine.no_grad()
    expect(block is not None, "nothing")
    expect(hasattr(block, "__enter__"), "no_block", got=kind_of(block))
    expect(getattr(block, "gen", block) is not None, "no_yield")
    with one_yield(), block:
        seen["inside"] = mine.recording.on
        seen["node"] = (x * x).node is not None
        with mine.no_grad():
            seen["inside_inner"] = mine.recording.on
        seen["after_inner"] = mine.recording.on
    seen["after"] = mine.recording.on
    try:
        with mine.no_grad():
            raise KeyError("of the block")
    except KeyError:
        seen["error"] = "raised"
    seen["after_error"] = mine.recording.on
    mine.recording.on = True
    return seen


def run_detach(mine, x):
    """The detached value, and the gradient past it."""
    leaf = mine.Tensor(x, stop_gradient=False)
    value = leaf * leaf
    cut = mine.detach(value)
    kind = type(cut) is type(value)
    expect(cut is not None, "nothing")
    expect(kind, "a_tensor", got=kind_of(cut))
    loss = (leaf * cut).sum()
    found = mine.backward(loss)
    return {
        "data": cut.data,
        "stops": cut.node is None and cut.stop_gradient,
        "same": cut is value,
        "alive": value.node is not None and not value.stop_gradient,
        "grad": found.get(leaf),
    }


def run_hook(mine, x, factor):
    """The value, what the change was handed, and the gradient that arrives.

    The loss is 3 x²: a part of its gradient is 3 x, all of it 6 x.
    """
    leaf = mine.Tensor(x, stop_gradient=False)
    handed = []

    def change(g):
        handed.append(np.array(mine.values([g])[0]))
        return g * factor

    hooked = mine.hook(leaf, change)
    expect(hooked is not leaf, "no_op")
    expect(hooked is not None, "nothing")
    expect(isinstance(hooked, mine.Tensor), "a_tensor", got=kind_of(hooked))
    expect(hooked.node is not None, "no_node")
    saved = mine.values(hooked.node.saved)
    if len(saved) == 1:
        expect(called(hooked.node.op.rule, np.ones(np.shape(x)), *saved), "rule_of_two")
        handed_out = hooked.node.op.rule(np.ones(np.shape(x)), *saved)
        expect(isinstance(handed_out, (tuple, list)), "a_tuple")
    del handed[:]
    loss = (hooked * hooked * 3.0).sum()
    found = mine.backward(loss)
    return {"data": hooked.data, "handed": handed, "grad": found.get(leaf)}


def called(function, *inputs):
    """Tell if a function takes so many inputs."""
    try:
        inspect.signature(function).bind(*inputs)
    except TypeError:
        return False
    return True


def run_clip(mine, most, g):
    """A clipped gradient."""
    change = mine.clip(most)
    expect(change is not None, "nothing")
    expect(callable(change), "a_function", got=kind_of(change))
    given = np.array(g)
    found = change(given)
    expect(np.array_equal(given, g), "changed_input", what="g")
    return found


def score_of(mine, w):
    """The function whose slope is punished: softplus of x w x."""

    def score(x):
        leaf = isinstance(x, mine.Tensor) and not x.stop_gradient
        expect(leaf, "no_leaf", got=kind_of(x))
        return mine.smooth(x * w * x)

    return score


def run_penalty(mine, x, w):
    """The penalty, and its gradient at the weight."""
    weight = mine.Tensor(w, stop_gradient=False)
    penalty = mine.gradient_penalty(score_of(mine, weight), x)
    expect(penalty is not None, "nothing")
    array = isinstance(penalty, np.ndarray | np.floating | float)
    expect(not array, "an_array", got=kind_of(penalty))
    expect(hasattr(penalty, "node"), "a_tensor", got=kind_of(penalty))
    expect(penalty.node is not None, "no_way_back")
    found = mine.backward(penalty)
    return {"value": penalty.data, "grad": found.get(weight)}


def punished(x, w):
    """The penalty by the formula: softplus(w x²) has the slope sigmoid(w x²) 2 w x."""
    slope = 2 * w * x / (1 + np.exp(-w * x * x))
    return np.sum(slope**2)


def bend_of_cube(ask):
    """6 x."""
    quiz(ask, "bend_of_cube", 18.0, value=27.0)


def no_grad(ask):
    """Look at the switch."""
    seen = ask(run_no_grad)
    expect(not seen["inside"] and not seen["node"], "inside")
    expect(not seen["inside_inner"], "inside_inner")
    expect(not seen["after_inner"], "inner")
    expect(seen["after"], "after")
    expect(seen.get("error") == "raised", "swallowed")
    expect(seen["after_error"], "after_error")


def detach(ask):
    """Compare the numbers, and look for an edge."""
    for seed in range(CASES):
        x = random([seed % 3 + 1], seed)
        seen = ask(run_detach, x)
        expect(not seen["same"], "same")
        expect(np.array_equal(seen["data"], x * x), "numbers")
        expect(seen["alive"], "source")
        expect(seen["stops"], "edge")
        expect(np.allclose(seen["grad"], x * x), "wrong")


def hook(ask):
    """Compare what is handed over with the whole gradient."""
    for seed in range(CASES):
        x, factor = random([seed % 3 + 1], seed), float(seed % 5)
        seen = ask(run_hook, x, factor)
        expect(np.array_equal(seen["data"], x), "forward")
        expect(len(seen["handed"]) == 1, "times", got=len(seen["handed"]))
        got = seen["handed"][0]
        expect(not np.array_equal(got, x), "value")
        expect(np.allclose(got, 6 * x), "whole", got=got, wanted=6 * x)
        expect(seen["grad"] is not None, "lost")
        expect(np.allclose(seen["grad"], factor * 6 * x), "wrong")


def clip(ask):
    """Scaled, in the same direction, and only where it is too long."""
    short = np.array([0.3, 0.4])
    expect(close(ask(run_clip, 1.0, short), short), "short")
    zero = ask(run_clip, 1.0, np.zeros(2))
    expect(np.array_equal(zero, np.zeros(2)), "zero")
    for seed in range(CASES):
        g, most = random([seed % 3 + 1, 2], seed) * 9, 0.5 + seed % 4
        found, norm = array_of(ask(run_clip, most, g)), np.sqrt(np.sum(g * g))
        wanted = g * min(1.0, most / norm)
        expect(found.shape == g.shape, "shape", got=list(found.shape))
        each = np.clip(g, -most, most)
        turned = not np.allclose(each, wanted) and np.allclose(found, each)
        expect(not turned, "each")
        facts = {"norm": f"{norm:.2f}", "wanted": f"{min(norm, most):.2f}"}
        facts["got"] = f"{np.sqrt(np.sum(found * found)):.2f}"
        expect(np.allclose(found, wanted), "wrong", most=most, **facts)
    between = np.array([0.54, 0.72])
    halved = array_of(ask(run_clip, 0.5, between))
    facts = {"norm": 0.9, "wanted": 0.5, "got": f"{np.sqrt(np.sum(halved**2)):.2f}"}
    expect(np.allclose(halved, between / 1.8), "wrong", most=0.5, **facts)


def gradient_penalty(ask):
    """Compare with the formula, and with differences of it."""
    for seed in range(CASES):
        x, w = random([seed % 3 + 1], seed), random([], seed + 50)
        seen = ask(run_penalty, x, w)
        root = np.sqrt(punished(x, w))
        expect(np.shape(seen["value"]) == (), "one_number")
        expect(x.size == 1 or not np.isclose(seen["value"], root), "root")
        facts = {"got": seen["value"], "wanted": punished(x, w), "count": x.size}
        expect(np.isclose(seen["value"], punished(x, w)), "value", **facts)
        slope = (punished(x, w + 1e-5) - punished(x, w - 1e-5)) / 2e-5
        expect(seen["grad"] is not None, "no_way_back")
        expect(np.allclose(seen["grad"], slope, rtol=1e-5, atol=1e-6), "wrong")


def slope_past_a_cut(ask):
    """Only one way is left."""
    quiz(ask, "slope_past_a_cut", 9.0, both=27.0)


def nodes_left(ask):
    """To the tape y is a constant now; z still depends on x."""
    quiz(ask, "nodes_left", 1, both=2)
