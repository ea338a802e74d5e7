"""Checks of lesson 12: weights by their effect, a watcher on made-up ops, and cures."""

from __future__ import annotations

import numpy as np

import teachgraph as paddle
from teachgraph.core.errors import InvalidValueError
from teachgraph.course.judging import (
    Wrong,
    array_of,
    call,
    expect,
    kind_of,
    quiz,
    untouched,
)
from teachgraph.course.sick import SICK, recovered

CASES = 20
KINDS = ["fine", "nan", "inf", "-inf", "whole", "large"]
FINITE = {"fine", "whole", "large"}


def run_layers(mine, widths, seed):
    """Measure the size of numbers behind ten ReLU layers with the learner's weights."""
    draw = np.random.default_rng(seed)
    x = np.abs(draw.normal(0.0, 1.0, [16, widths[0]]))
    start, seen = np.sqrt(np.mean(x * x)), []
    for rows, columns in zip(widths, widths[1:], strict=False):
        w = mine.first_weights(rows, columns, draw)
        expect(w is not None, "nothing")
        w = array_of(w)
        facts = {"got": list(w.shape), "wanted": [rows, columns]}
        expect(w.shape == (rows, columns), "shape", **facts)
        off = abs(w.mean()) * np.sqrt(w.size) / (w.std() or 1.0)
        seen.append([bool(np.any(w)), bool(np.ptp(w, axis=1).any()), float(off)])
        x = np.maximum(x @ w, 0.0)
    return {"ratio": float(np.sqrt(np.mean(x * x)) / start), "weights": seen}


def tensor(kind, seed):
    """A Tensor with something in it, or whole numbers."""
    draw, shape = np.random.default_rng(seed), [[2, 3], [4]][seed % 2]
    if kind == "whole":
        return paddle.to_tensor(draw.integers(-5, 5, shape))
    numbers = draw.normal(0.0, 1.0, shape)
    if kind == "large":
        numbers[:] = 3e38
    elif kind != "fine":
        numbers.flat[draw.integers(numbers.size)] = float(kind)
    return paddle.to_tensor(numbers.astype("float32"))


def run_note(mine, inputs, outputs, before, seed):
    """The list after one op, and what is returned."""
    found = list(before)
    given = [tensor(kind, seed + i) for i, kind in enumerate(inputs)]
    made = [tensor(kind, seed + 9 + i) for i, kind in enumerate(outputs)]
    with untouched(inputs=given, outputs=made):
        mine.note(found, "an_op", given, made)
    return [one if isinstance(one, str) else kind_of(one) for one in found]


def what_passes(ask):
    """A quarter, four times."""
    quiz(ask, "what_passes", 0.25**4, one=0.25, sum=1.0)


def weights_that_move(ask):
    """Nothing comes out of the layer before, and nothing comes back."""
    quiz(ask, "weights_that_move", 0, last=1, all=5)


def too_large(ask):
    """log 3.4e38 is 88.7."""
    quiz(ask, "too_large", 89, still=88, double=710)


def first_weights(ask):
    """Push numbers through ten layers: of all widths, ever narrower, ever wider."""
    draw = np.random.default_rng(0)
    narrower = np.geomspace(2400, 50, 11).astype(int).tolist()
    mixed = [draw.integers(200, 400, 11).tolist() for _ in range(CASES)]
    for seed, widths in enumerate([*mixed, narrower, narrower[::-1]]):
        seen = ask(run_layers, widths, seed)
        for some, differ, off in seen["weights"]:
            expect(some, "zeros")
            expect(differ, "alike")
            expect(off < 5, "around")
        facts = {"ratio": f"{seen['ratio']:.2g}", "rows": widths[0]}
        expect(seen["ratio"] < 2.0, "grows", **facts)
        expect(seen["ratio"] > 0.5, "shrinks", **facts)


def note(ask):
    """Compare with the kinds of numbers that went in and came out."""
    for seed in range(4 * CASES):
        draw = np.random.default_rng(seed)
        weights = [0.4, 0.1, 0.1, 0.1, 0.2, 0.1]
        inputs = draw.choice(KINDS, draw.integers(1, 4), p=weights).tolist()
        outputs = draw.choice(KINDS, draw.integers(1, 3), p=weights).tolist()
        if seed < 8:
            inputs, outputs = ["fine", "whole"], [["nan", "inf"], ["-inf"]][seed % 2]
        elif seed < 10:  # an op that creates numbers
            inputs, outputs = [], [["fine"], ["inf"]][seed % 2]
        before = ["earlier"] * int(draw.integers(3))
        bad = [kind not in FINITE for kind in (*inputs, *outputs)]
        first = not any(bad[: len(inputs)]) and any(bad[len(inputs) :])
        found = ask(run_note, inputs, outputs, before, seed)
        facts = {"inputs": ", ".join(inputs) or "-", "outputs": ", ".join(outputs)}
        expect(found[: len(before)] == before, "earlier")
        new = found[len(before) :]
        expect(len(new) <= 1, "twice", **facts)
        expect(not first or new, "missed", **facts)
        expect(first or not new or not any(bad[: len(inputs)]), "not_first", **facts)
        expect(first or not new, "innocent", **facts)
        expect(not new or new == ["an_op"], "name", got=new)
    found = ask(run_note, ["fine"], ["inf"], ["an_op"], 0)
    expect(found == ["an_op", "an_op"], "again")


def cures(ask):
    """Train each, outside of the notebook."""
    found = ask(call, "cures")
    expect(type(found) is dict, "a_dict", got=kind_of(found))
    expect(set(found) == set(SICK), "patients", names=", ".join(SICK))
    for name, changes in found.items():
        expect(type(changes) is dict, "a_dict", got=kind_of(changes))
        expect(len(changes) <= 2, "two", name=name, got=len(changes))
        try:
            share = healed(name, changes)
        except InvalidValueError as error:
            raise Wrong("no_choice", error=str(error).splitlines()[0]) from None
        expect(changes.get("loss") != "nan is 0", "hidden", name=name)
        expect(share >= 0.9, "sick", name=name, share=f"{share:.0%}")


def healed(name, changes):
    """The share that a patient reads after training; NaN is no warning here."""
    with np.errstate(all="ignore"):
        return recovered(name, changes).accuracy()
