"""Checks of lesson 04: formulas, read slowly, and a recipe at work."""

from __future__ import annotations

from itertools import permutations

import numpy as np

import teachgraph as paddle
from teachgraph.course.digits import accuracy, batches, train_digits
from teachgraph.course.judging import close, expect, in_short, kind_of, quiz

CASES = 20
EPOCHS = 12


def random(shape, seed):
    """Numbers between -2 and 2 that the seed decides."""
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def step(update, sentence, arrays, *settings):
    """Results of an optimizer's step, which changes none of the arrays."""
    before = {name: array.copy() for name, array in arrays.items()}
    made = update(*arrays.values(), *settings)
    expect(made is not None, "nothing")
    expect(type(made) in (tuple, list) and len(made) == len(arrays) - 1, sentence)
    for name, array in arrays.items():
        kept = np.array_equal(before[name], array, equal_nan=True)
        expect(kept, "changed_input", what=name)
    names = [name for name in arrays if name != "g"]
    for name, array in zip(names, made, strict=True):
        is_array, wanted = isinstance(array, np.ndarray), list(arrays[name].shape)
        got = list(array.shape) if is_array else kind_of(array)
        expect(got == wanted, "an_array", name=name, got=got, wanted=wanted)
    return list(made)


def in_another_order(got, wanted):
    """Tell whether results are the right ones, but not in their order."""
    others = list(permutations(got))[1:]
    return not close(got, wanted) and any(close(other, wanted) for other in others)


def run_momentum(mine, w, gradients, rate, mu):
    """The weights and velocities after each step."""
    v, seen = np.zeros_like(w), []
    for g in gradients:
        w, v = step(mine.momentum, "two", {"w": w, "g": g, "v": v}, rate, mu)
        seen.append([w, v])
    return seen


def run_adam(mine, w, gradients, *settings):
    """The weights and means after each step."""
    m, s, seen = np.zeros_like(w), np.zeros_like(w), []
    for t, g in enumerate(gradients, start=1):
        arrays = {"w": w, "g": g, "m": m, "s": s}
        with np.errstate(invalid="ignore"):  # the root of what is no mean of squares
            w, m, s = step(mine.adam, "three", arrays, t, *settings)
        seen.append([w, m, s])
    return seen


class Called:
    """Notes the calls of the five lines, in their order."""

    def __init__(self):
        self.calls, self.handed = [], {}

    def note(self, name, result=None):
        """A function that notes its call."""

        def called(*arguments, **options):
            self.calls.append(name)
            self.handed[name] = arguments
            return result

        return called


def run_calls(mine):
    """The order of the calls, and what is returned."""
    called = Called()
    loss = type("Loss", (), {"__float__": lambda self: 0.25})()
    loss.backward = called.note("backward")
    loss.item = lambda: 0.25
    loss.numpy = lambda: np.float32(0.25)
    optimizer = type("Optimizer", (), {})()
    optimizer.step = called.note("step")
    optimizer.clear_grad = optimizer.clear_gradients = called.note("clear")
    optimizer.minimize = called.note("step")
    net, loss_of = called.note("net", "scores"), called.note("loss", loss)
    net.clear_gradients = called.note("clear")
    try:
        found = mine.train_step(net, loss_of, optimizer, "images", "labels")
    except Exception:
        expect(called.calls[:1] != ["net"] or "loss" in called.calls, "own_loss")
        raise
    expect(called.handed.get("net", ("images",)) == ("images",), "images")
    expect(called.handed.get("loss") != ("labels", "scores"), "labels_first")
    expect(found is not None, "nothing")
    expect(found is not loss, "number")
    return {"calls": called.calls, "returned": found}


def run_steps(mine, steps):
    """The losses of a real training."""
    paddle.seed(3)
    net = paddle.nn.Linear(784, 10)
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    loss_of = paddle.nn.functional.cross_entropy
    losses = [
        mine.train_step(net, loss_of, sgd, *map(paddle.to_tensor, pair))
        for pair in list(batches(train_digits))[:steps]
    ]
    expect(all(loss is not None for loss in losses), "nothing")
    return losses


def run_recipe(mine):
    """The share of new digits that the trained network reads, and what was chosen."""
    paddle.seed(11)
    np.random.seed(11)  # noqa: NPY002  (a recipe may draw from there)
    made = mine.recipe()
    expect(made is not None, "nothing")
    expect(type(made) in (tuple, list) and len(made) == 4, "four")
    net, optimizer, augment, epochs = made
    expect(isinstance(net, paddle.nn.Layer), "network", got=kind_of(net))
    steps = hasattr(optimizer, "step") and not isinstance(optimizer, type)
    expect(steps, "optimizer", got=kind_of(optimizer))
    expect(callable(augment), "augment", got=kind_of(augment))
    whole = type(epochs) is int and 0 < epochs <= EPOCHS
    expect(whole, "epochs", got=in_short(epochs))
    share, before = accuracy(net), [one.numpy() for one in net.parameters()]
    expect(share < 0.5, "learnt_before", share=f"{share:.0%}")
    loss_of = paddle.nn.functional.cross_entropy
    for epoch in range(epochs):
        for images, labels in batches(train_digits, seed=epoch):
            moved = augment(images)
            expect(moved is not None, "no_batch")
            moved = np.asarray(moved, "float32")
            same = list(images.shape)
            expect(
                moved.shape == images.shape, "shape", got=list(moved.shape), same=same
            )
            pair = paddle.to_tensor(moved), paddle.to_tensor(labels)
            five_lines(net, loss_of, optimizer, *pair)
    expect(not close([one.numpy() for one in net.parameters()], before), "stays")
    return accuracy(net)


def five_lines(net, loss_of, optimizer, images, labels):
    """The five lines, so that this task does not hang on another one."""
    loss_of(net(images), labels).backward()
    optimizer.step()
    optimizer.clear_grad()


def batches_in_grad(ask):
    """Gradients pile up."""
    quiz(ask, "batches_in_grad", 3, one=1)


def momentum(ask):
    """Compare with the sum of all gradients so far, weighted."""
    for seed in range(CASES):
        w, rate, mu = random([3], seed), 0.1 + seed % 3, [0.9, 0.5, 0.0][seed % 3]
        gradients = [random([3], seed + i) for i in range(1, 5)]
        seen = ask(run_momentum, w, gradients, rate, mu)
        swapped = in_another_order(seen[0], [w - rate * gradients[0], gradients[0]])
        expect(not swapped, "swapped")
        expect(not goes_along_the_old(w, seen, rate), "old_velocity")
        moved = w
        for count, (new, v) in enumerate(seen, start=1):
            weights = [mu ** (count - 1 - i) for i in range(count)]
            wanted = sum(k * g for k, g in zip(weights, gradients, strict=False))
            scaled = (1 - mu) * wanted
            expect(mu == 0 or count > 1 or not np.allclose(v, scaled), "mean")
            expect(np.allclose(v, wanted), "velocity")
            expect(not np.allclose(new, moved + rate * v), "up")
            expect(np.allclose(new, moved - rate * v), "wrong")
            moved = new


def goes_along_the_old(w, seen, rate):
    """Tell whether each step is along the velocity before it, at first 0."""
    weights, velocities = zip(*seen, strict=True)
    olds = [np.zeros_like(w), *velocities[:-1]]
    pairs = zip([w, *weights], olds, strict=False)
    return close(weights, [w - rate * v for w, v in pairs])


def adam(ask):
    """Compare with means taken over all gradients so far."""
    for seed in range(CASES):
        w, betas = random([3], seed), [(0.9, 0.999), (0.5, 0.8)][seed % 2]
        rate, eps = (0.01, 1e-8) if seed % 3 < 2 else (0.3, 0.5)
        gradients = [random([3], seed + i) * 10.0 ** (seed % 4) for i in range(1, 6)]
        seen = ask(run_adam, w, gradients, rate, *betas, eps)
        moved = w
        for count, (new, *kept) in enumerate(seen, start=1):
            means, wanted = [], []
            for beta, power in zip(betas, (1, 2), strict=True):
                k = np.array([beta ** (count - 1 - i) for i in range(count)])
                values = np.array([g**power for g in gradients[:count]])
                wanted.append((1 - beta) * (k[:, None] * values).sum(axis=0))
                means.append(wanted[-1] / (1 - beta**count))
            step = rate * means[0] / (np.sqrt(means[1]) + eps)
            swapped = in_another_order([new, *kept], [moved - step, *wanted])
            expect(count > 1 or not swapped, "swapped")
            right = [np.allclose(*pair) for pair in zip(kept, wanted, strict=True)]
            expect(right[0], "mean", name="m", beta="beta1", of="g", t=count)
            expect(right[1], "mean", name="s", beta="beta2", of="g²", t=count)
            if count == 1:
                small = rate * (1 - betas[0]) / np.sqrt(1 - betas[1])
                uncorrected = np.allclose(np.abs(moved - new), small, rtol=1e-3)
                expect(not uncorrected, "correction")
                expect(not np.allclose(new, moved + step), "up")
            right = np.allclose(new, moved - step, rtol=1e-6)
            expect(right or count > 1, "first", got=moved - new, wanted=step)
            expect(right, "wrong", t=count)
            moved = new


def first_step(ask):
    """The rate, whatever the gradient."""
    quiz(ask, "first_step", 0.001, sgd=0.1)


def train_step(ask):
    """The order of the calls, and a loss that falls."""
    seen = ask(run_calls)
    calls = seen["calls"]
    for name in ("net", "loss", "backward", "step", "clear"):
        expect(calls.count(name) == 1, "once", name=name, got=calls.count(name))
    expect(calls.index("backward") < calls.index("step"), "early")
    cleared = calls.index("clear")
    between = calls.index("backward") < cleared < calls.index("step")
    expect(not between, "cleared")
    forward = [calls.index(name) for name in ("net", "loss", "backward")]
    expect(forward == sorted(forward), "order")
    expect(close(seen["returned"], 0.25), "number")
    losses = ask(run_steps, 30)
    expect(losses[-1] < losses[0], "no_learning")


def recipe(ask):
    """Held-out digits decide."""
    share = ask(run_recipe)
    expect(share >= 0.97, "wrong", share=f"{share:.1%}")


def loss_of_a_guess(ask):
    """-log 1/10."""
    quiz(ask, "loss_of_a_guess", 2.3, share=0.9)
