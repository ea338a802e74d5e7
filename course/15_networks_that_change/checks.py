"""Checks of lesson 15: layers that say when they run, games, gradients by hand."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial

import numpy as np

import teachgraph as paddle
from teachgraph.course.cartpole import learn
from teachgraph.course.judging import (
    array_of,
    close,
    expect,
    kind_of,
    lines_at_most,
    needs,
    quiz,
    untouched,
)
from teachgraph.models.policy_gradient import rewards_to_go

CASES = 20
LINES = 100_000
GAMES, LEAST = 50, 60
EXIT = 1.5
"""The factor by which the exit of a check multiplies the state."""

near = partial(close, atol=1e-4)  # float32


@contextmanager
def own():
    """Refuse a call of the framework's own function for rewards to go."""

    def look(frame, event, _):
        if event == "call" and frame.f_code is rewards_to_go.__code__:
            called.append(event)

    called, before = [], sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)
    expect(not called, "ours")


class Draw:
    """A generator whose numbers are known."""

    def __init__(self, numbers):
        self.numbers, self.drawn = list(numbers), 0

    def random(self, size=None):
        few = 1 if size is None else int(np.prod(size))
        found = (self.numbers + [0.5] * few)[self.drawn : self.drawn + few]
        self.drawn += few
        return found[0] if size is None else np.reshape(found, size)


def layers_of(slopes, shifts, ran):
    """Layers that compute slope x + shift, and say that they ran."""

    def layer(number):
        def run(x):
            ran.append(number)
            return x * slopes[number] + paddle.to_tensor(np.float32(shifts[number]))

        return run

    return [layer(number) for number in range(len(slopes))]


def run_layer_drop(mine, slopes, shifts, start, rate, numbers, training):
    """The result, which layers ran, and how many numbers were drawn."""
    ran, draw = [], Draw(numbers)
    layers = layers_of(slopes, shifts, ran)
    x = paddle.to_tensor(np.float32(start), stop_gradient=False)
    with lines_at_most(LINES), untouched(layers=layers):
        y = mine.layer_drop(layers, x, rate, draw, training)
    if y is None:
        return None
    expect(isinstance(y, paddle.Tensor), "a_tensor", got=kind_of(y))
    expect(y.shape == x.shape, "y_shape", got=y.shape, wanted=x.shape)
    expect(np.array_equal(x.numpy(), np.float32(start)), "changed_input", what="x")
    if y.stop_gradient:
        return {"y": y.numpy(), "ran": ran, "drawn": draw.drawn, "slope": None}
    y.sum().backward()
    slope = None if x.grad is None else x.grad.numpy()
    return {"y": y.numpy(), "ran": ran, "drawn": draw.drawn, "slope": slope}


def dropped(slopes, shifts, start, kept, share, adds=1.0):
    """The state by hand; what a layer computes is divided by a share."""
    x = np.float64(start)
    for number in kept:
        x = adds * x + (x * slopes[number] + np.float64(shifts[number])) / share
    return x


def ops_a_push(ask):
    """Product, sum, logarithm, a place of it, and the sum of all."""
    quiz(ask, "ops_a_push", 5, one=1, two=2)


def graphs(ask):
    """Two to the sixth."""
    quiz(ask, "graphs", 64, six=6, twice=12, seven=7)


def first_of_three(ask):
    """1 + 0.5 (1 + 0.5)."""
    quiz(ask, "first_of_three", 1.75, whole=3, last=1, two=1.5)


def layer_drop(ask):
    """Compare with the layers one by one."""
    for seed in range(2 * CASES):
        draw = np.random.default_rng(seed)
        count = int(draw.integers(7)) if seed else 3
        slopes = draw.uniform(-1.0, 1.0, count).round(2).tolist()
        shifts = draw.normal(0.0, 1.0, (count, 2)).round(2).tolist()
        start = draw.normal(0.0, 1.0, (3, 2)).round(2).tolist()
        rate, training = [0.25, 0.5, 0.75][seed % 3], seed % 4 < 3
        numbers = draw.random(count).tolist()
        if seed % 5 == 0 and count:
            numbers[0] = rate
        seen = ask(run_layer_drop, slopes, shifts, start, rate, numbers, training)
        everything = list(range(count))
        stay = [k for k in everything if numbers[k] >= rate] if training else everything
        others = [k for k in everything if k not in stay]
        facts = {"rate": rate, "numbers": np.round(numbers, 2).tolist()}
        facts |= {"got": seen["ran"], "wanted": stay}
        expect(training or not seen["drawn"], "draws_in_test")
        expect(training or seen["ran"] == everything, "all_in_test", **facts)
        share = 1.0 - rate if training else 1.0
        case, y = (slopes, shifts, start, stay), seen["y"]
        wanted = dropped(*case, share)
        masked = seen["ran"] == everything != stay and near(y, wanted)
        expect(not masked, "masked", **facts)
        expect(seen["drawn"] or not training or not count, "no_draw")
        opposite = training and others != stay and seen["ran"] == others
        expect(not opposite, "opposite", **facts)
        one_draw = training and count > 1 and seen["drawn"] == 1
        expect(not one_draw, "one_draw", count=count)
        expect(seen["ran"] == stay, "ran", **facts)
        if not near(y, wanted):
            facts = {"rate": rate, "got": np.round(y[0], 3)}
            facts["wanted"] = np.round(wanted[0], 3)
            expect(not near(y, dropped(*case, share, 0.0)), "no_state", **facts)
            whole = near(y, dropped(*case, 1.0))
            expect(not whole, "undivided", **facts)
            divided = near(y, dropped(*case, 1.0 - rate))
            times = near(y, dropped(*case, 1.0 / (1.0 - rate)))
            in_test = not training and (divided or times)
            expect(not in_test, "in_test", **facts)
            expect(not times, "times", **facts)
            expect(not near(y, dropped(*case, rate)), "by_rate", **facts)
            all_of_it = near(y, dropped(*case, share, 1.0 / share))
            expect(not all_of_it, "x_as_well", **facts)
            expect(False, "differs", **facts)
        slope = np.prod([1.0 + slopes[k] / share for k in stay])
        found = seen["slope"]
        right = found is not None and np.allclose(found, slope, atol=1e-4)
        expect(right, "gradient", wanted=f"{slope:.3f}")


def run_early_exit(mine, slopes, shifts, start, enough):
    """The scores, the number of layers, and what ran."""
    ran, asked = [], []
    layers = layers_of(slopes, shifts, ran)

    def exit(x):
        asked.append(len(ran))
        return x * EXIT

    x = paddle.to_tensor(np.float32([start]), stop_gradient=False)
    with lines_at_most(LINES), untouched(layers=layers):
        pair = mine.early_exit(layers, exit, x, enough)
    if pair is None:
        return None
    expect(isinstance(pair, (tuple, list)) and len(pair) == 2, "a_pair")
    scores, count = pair
    expect(isinstance(scores, paddle.Tensor), "a_tensor", got=kind_of(scores))
    whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
    expect(whole, "a_count", got=kind_of(count))
    facts = {"scores": scores.numpy(), "count": int(count), "ran": ran}
    return {**facts, "asked": asked}


def exits_by_hand(slopes, shifts, start, adds=1.0):
    """The scores and the largest probability after each layer."""
    x, after = np.array([start]), []
    for slope, shift in zip(slopes, shifts, strict=True):
        x = adds * x + x * slope + np.array(shift)
        scores = EXIT * x
        powers = np.exp(scores - scores.max())
        after.append((scores, float(powers.max() / powers.sum())))
    return after


def early_exit(ask):
    """Compare with the probabilities after each layer."""
    for seed in range(2 * CASES):
        draw = np.random.default_rng(seed)
        count, classes = int(draw.integers(2, 7)), int(draw.integers(2, 5))
        slopes = draw.uniform(-0.2, 0.5, count).round(2).tolist()
        shifts = draw.normal(0.0, 0.8, (count, classes)).round(2).tolist()
        start = draw.normal(0.0, 0.3, classes).round(2).tolist()
        if seed % 8 == 7:  # two are alike, and so each is half sure: that is enough
            start, shifts[0], classes = [0.0, 0.0], [0.0, 0.0], 2
            shifts = [row[:2] if len(row) > 1 else row for row in shifts]
        after = exits_by_hand(slopes, shifts, start)
        sure = [share for _, share in after]
        target = int(draw.integers(count))
        enough = 0.5 if seed % 8 == 7 else max(sure[: target + 1]) - 1e-3
        enough = [enough, enough, 1.1, enough][seed % 4]
        right = next((k for k, share in enumerate(sure) if share >= enough), count - 1)
        seen = ask(run_early_exit, slopes, shifts, start, float(enough))
        facts = {"shares": np.round(sure, 3).tolist(), "enough": round(enough, 3)}
        facts |= {"got": len(seen["ran"]), "wanted": right + 1}
        expect(seen["ran"] == sorted({*seen["ran"]}), "order", got=seen["ran"])
        facts["ran"] = len(seen["ran"])
        others = exits_by_hand(slopes, shifts, start, adds=0.0)
        for ran, scores in enumerate(others, start=1):
            alone = len(seen["ran"]) == ran and near(seen["scores"], scores[0])
            added = near(seen["scores"], after[ran - 1][0])
            expect(added or not alone, "no_state")
        expect(len(seen["ran"]) <= right + 1, "too_late", **facts)
        expect(len(seen["ran"]) == right + 1, "too_early", **facts)
        facts["got"] = seen["count"]
        expect(seen["count"] != right, "from_zero", **facts)
        expect(seen["count"] == right + 1, "count", **facts)
        facts = {"got": np.round(seen["scores"], 3).ravel().tolist()}
        facts["wanted"] = np.round(after[right][0], 3).ravel().tolist()
        powers = np.exp(after[right][0] - after[right][0].max())
        wanted = seen["scores"].shape == after[right][0].shape
        shares = wanted and np.allclose(seen["scores"], powers / powers.sum())
        same = wanted and np.allclose(seen["scores"], after[right][0], atol=1e-4)
        expect(same or not shares, "shares", **facts)
        state = wanted and near(seen["scores"] * EXIT, after[right][0])
        expect(same or not state, "the_state", **facts)
        expect(same, "scores", **facts)


def run_to_go(mine, rewards, gamma):
    """The rewards to go as numbers."""
    given = list(rewards)
    with lines_at_most(LINES), own():
        found = mine.to_go(given, gamma)
    if found is None:
        return None
    expect(given == list(rewards), "changed")
    if isinstance(found, (list, tuple)):
        for one in found:
            number = isinstance(one, (int, float, np.number, paddle.Tensor))
            expect(number, "a_number", got=kind_of(one))
    expect(np.ndim(found) == 1, "a_list", got=kind_of(found))
    return array_of(found).tolist()


def to_go(ask):
    """Compare with the sums, one by one."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        count = int(draw.integers(2, 9)) if seed else 3
        rewards = [1.0] * count if seed < 2 else draw.normal(0, 1, count).tolist()
        gamma = [0.5, 0.99, float(draw.random()), 0.0, 1.0][seed % 5]
        each = [gamma**k * reward for k, reward in enumerate(rewards)]
        sums = [
            sum(gamma**k * reward for k, reward in enumerate(rewards[t:]))
            for t in range(count)
        ]
        found = ask(run_to_go, rewards, gamma)
        facts = {"rewards": np.round(rewards, 2).tolist(), "gamma": round(gamma, 2)}
        facts |= {"got": np.round(found, 3).tolist()}
        facts |= {"wanted": np.round(sums, 3).tolist()}
        expect(len(found) == count, "length", **facts)
        if not np.allclose(found, sums, atol=1e-6):
            plain = [sum(rewards[t:]) for t in range(count)]
            expect(not near(found, plain), "no_discount", **facts)
            expect(not near(found, sums[::-1]), "backwards", **facts)
            expect(not near(found, [sum(rewards)] * count), "whole", **facts)
            start = [sum(each[t:]) for t in range(count)]
            expect(not near(found, start), "from_the_start", **facts)
            expect(False, "differs", **facts)


def run_policy_loss(mine, scores, actions, earned, guesses):
    """The loss, and the gradients that it has."""
    tensors = [paddle.to_tensor(np.float32(scores), stop_gradient=False)]
    tensors += [paddle.to_tensor(np.int64(actions)), paddle.to_tensor(earned)]
    tensors += [paddle.to_tensor(guesses, stop_gradient=False)]
    with lines_at_most(LINES):
        loss = mine.policy_loss(*tensors)
    if loss is None:
        return None
    expect(isinstance(loss, paddle.Tensor), "a_tensor", got=kind_of(loss))
    expect(loss.size == 1, "a_mean", got=list(loss.shape))
    expect(not tensors[3].stop_gradient, "changed_input", what="guesses")
    expect(not loss.stop_gradient, "cut")
    loss.backward()
    grads = [x.grad for x in (tensors[0], tensors[3])]
    numbers = [None if grad is None else grad.numpy() for grad in grads]
    return {"loss": float(loss.item()), "scores": numbers[0], "guesses": numbers[1]}


def run_learn(mine, seed):
    """The lengths of some games that the learner's functions teach."""
    return learn(mine.to_go, mine.policy_loss, GAMES, seed)


def shown(gradient):
    """A gradient with two digits, as a list."""
    return None if gradient is None else np.round(gradient, 2).tolist()


@needs(to_go)
def practice(ask):
    """Let the learner's two functions teach a policy: its last games are long."""
    lengths = ask(run_learn, 2)
    last = float(np.mean(lengths[-10:]))
    expect(last >= LEAST, "does_not_learn", games=GAMES, got=f"{last:.0f}")


def policy_loss(ask):
    """Compare the loss and its gradients with the formula; then play."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        count, actions = int(draw.integers(1, 7)), int(draw.integers(2, 4))
        scores = draw.normal(0.0, 1.0, (count, actions)).astype("float32")
        taken = draw.integers(0, actions, count)
        earned, guesses = draw.normal(1.0, 1.0, (2, count)).astype("float32")
        given = scores, taken, earned, guesses
        seen = ask(run_policy_loss, *given)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
        rarity = -np.log(shares[np.arange(count), taken])
        better = earned - guesses
        loss = float(np.mean(rarity * better))
        slopes = (shares - np.eye(actions)[taken]) * better[:, None] / count
        expect(seen["scores"] is not None, "cut")
        got = seen["loss"]
        facts = {"got": f"{got:.4f}", "wanted": f"{loss:.4f}"}
        if not near(got, loss):
            expect(not near(got, -loss), "sign", **facts)
            expect(not near(got, count * loss), "a_sum", **facts)
            expect(not near(got, np.mean(rarity * earned)), "no_baseline", **facts)
            means = near(got, np.mean(rarity) * np.mean(better))
            expect(not means, "means", count=count, **facts)
            again = np.exp(shares) / np.exp(shares).sum(axis=1, keepdims=True)
            twice = -np.log(again[np.arange(count), taken])
            expect(not near(got, np.mean(twice * better)), "softmax_twice", **facts)
            expect(False, "differs", **facts)
        into = seen["guesses"]
        expect(into is None or not np.any(into), "into_baseline", got=shown(into))
        expect(np.allclose(seen["scores"], slopes, atol=1e-5), "gradient")
    practice(ask)
