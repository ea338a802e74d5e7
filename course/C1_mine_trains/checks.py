"""Checks of C1: the learner's framework against NumPy, and what it learns."""

from __future__ import annotations

import numpy as np

from teachgraph.course.judging import close, expect, kind_of, needs, quiz, untouched
from teachgraph.course.spirals import spirals

CASES = 20
STEPS = 400


def made(mine, sizes, seed):
    """Layers whose biases are not zero."""
    layers = mine.new_layers(sizes, seed)
    draw = np.random.default_rng(seed + 9)
    for _, b in layers:
        b.data = draw.normal(size=b.data.shape)
    return layers


def run_forward(mine, sizes, x, seed):
    """The scores, and the layers that gave them."""
    layers = made(mine, sizes, seed)
    with untouched(x=x, layers=layers):
        scores = mine.forward(x, layers)
    expect(scores is not None, "nothing")
    is_tensor = hasattr(scores, "node")
    expect(is_tensor, "a_tensor", got=kind_of(scores))
    expect(scores.node is not None, "no_node")
    expect(scores.shape == (len(x), sizes[-1]), "shape", got=list(scores.shape))
    reached = mine.backward((scores * scores).sum())
    weights, biases = ([p in reached for p in ps] for ps in zip(*layers, strict=True))
    expect(any(biases) or not all(weights), "no_bias")
    expect(all(weights) and all(biases), "no_way")
    return {"scores": scores.data, "layers": [[w.data, b.data] for w, b in layers]}


def run_step(mine, sizes, x, labels, seed, steps):
    """The losses and weights of some steps."""
    layers, state = made(mine, sizes, seed), {}
    before = [[w.data.copy(), b.data.copy()] for w, b in layers]
    with untouched(x=x, labels=labels, layers=layers):
        every = range(1, steps + 1)
        losses = [mine.fit_step(layers, x, labels, state, t, 0.01) for t in every]
    expect(all(loss is not None for loss in losses), "nothing")
    after = [[w.data, b.data] for w, b in layers]
    numbers = all(isinstance(one, float | np.ndarray) for one in losses)
    expect(numbers and np.shape(losses) == (steps,), "number")
    return {
        "losses": [*map(float, losses)],
        "before": before,
        "after": after,
        "state": len(state),
    }


def run_spirals(mine, points, labels):
    """The share of points that the trained layers get right."""
    layers, state = mine.new_layers([2, 32, 2]), {}
    for t in range(1, STEPS + 1):
        mine.fit_step(layers, points, labels, state, t, 0.02)
    scores = mine.forward(points, layers).data
    return float((scores.argmax(axis=1) == labels).mean())


def scores_of(x, layers):
    """The layers by the formula."""
    for position, (w, b) in enumerate(layers):
        x = np.logaddexp(0.0, x) if position else x
        x = x @ w + b
    return x


def loss_of(x, labels, layers):
    """The loss by the formula."""
    scores = scores_of(x, layers)
    whole = np.logaddexp.reduce(scores, axis=1)
    return np.mean(whole - scores[np.arange(len(labels)), labels])


def by_hand(x, labels, layers, steps, rate=0.01):
    """Losses and weights of Adam on gradients by differences."""
    layers = [[np.array(p) for p in pair] for pair in layers]
    flat = [p for pair in layers for p in pair]
    m, s, losses = [0.0] * len(flat), [0.0] * len(flat), []
    for t in range(1, steps + 1):
        losses.append(loss_of(x, labels, layers))
        slopes = [measured(lambda: loss_of(x, labels, layers), p) for p in flat]
        for i, (p, g) in enumerate(zip(flat, slopes, strict=True)):
            m[i] = 0.9 * m[i] + 0.1 * g
            s[i] = 0.999 * s[i] + 0.001 * g * g
            root = np.sqrt(s[i] / (1 - 0.999**t)) + 1e-8
            np.subtract(p, rate * m[i] / (1 - 0.9**t) / root, out=p)
    return losses, flat


def measured(function, p, step=1e-6):
    """The slope of a function at each number of an array."""
    found = np.zeros(p.shape)
    for index in np.ndindex(*p.shape):
        kept = p[index]
        p[index] = kept + step
        above = function()
        p[index] = kept - step
        found[index] = (above - function()) / (2 * step)
        p[index] = kept
    return found


def numbers_to_learn(ask):
    """Weights and biases of both layers."""
    quiz(ask, "numbers_to_learn", 162, biases=128)


def nodes_of_a_step(ask):
    """One for each op."""
    quiz(ask, "nodes_of_a_step", 6, loss=5)


def forward(ask):
    """Compare with the formula, for one layer, two and three."""
    for seed in range(CASES):
        sizes = [[3, 2], [2, 4, 2], [2, 3, 5, 4]][seed % 3]
        x = np.random.default_rng(seed).normal(size=(4, sizes[0]))
        seen = ask(run_forward, sizes, x, seed)
        found, wanted = seen["scores"], scores_of(x, seen["layers"])
        expect(not np.allclose(found, np.logaddexp(0, wanted)), "after_the_last")
        straight = x
        for w, b in seen["layers"]:
            straight = straight @ w + b
        expect(len(sizes) == 2 or not np.allclose(found, straight), "no_softplus")
        expect(np.allclose(found, wanted), "wrong", layers=len(sizes) - 1)


@needs(forward)
def fit_step(ask):
    """Compare with differences, and let it learn."""
    for seed in range(6):
        draw = np.random.default_rng(seed)
        x, labels = draw.normal(size=(5, 2)), draw.integers(0, 3, 5)
        seen = ask(run_step, [2, 3, 3], x, labels, seed, 3)
        losses, weights = by_hand(x, labels, seen["before"], 3)
        after = [p for pair in seen["after"] for p in pair]
        before = [p for pair in seen["before"] for p in pair]
        moved = [not np.array_equal(*pair) for pair in zip(before, after, strict=True)]
        expect(any(moved), "nothing_moved")
        expect(all(moved), "some_moved")
        facts = {"got": seen["losses"][0], "wanted": losses[0]}
        expect(np.isclose(seen["losses"][0], losses[0]), "loss", **facts)
        once = ask(run_step, [2, 3, 3], x, labels, seed, 1)
        _, by_one = by_hand(x, labels, once["before"], 1)
        first = [p for pair in once["after"] for p in pair]
        expect(close(first, by_one, atol=1e-6), "first")
        expect(close(after, weights, atol=1e-6), "wrong")
        expect(seen["state"], "no_state")
    points, labels = spirals()
    share = ask(run_spirals, points, labels)
    expect(share >= 0.95, "spirals", share=f"{share:.0%}")


def different_units(ask):
    """One unit, 32 times over."""
    quiz(ask, "different_units", 1, all=32)
