"""Checks of lesson 01: rules against slopes measured by finite differences."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from functools import partial

import numpy as np

from teachgraph.course.judging import (
    Wrong,
    array_of,
    call,
    close,
    expect,
    in_short,
    kind_of,
    needs,
    quiz,
)
from teachgraph.course.raised import places_of

SHAPES = [
    ([2, 3], [2, 3]),
    ([3, 1], [4]),
    ([4], [3, 1]),
    ([], [2, 3]),
    ([2, 1, 3], [5, 1]),
    ([1, 1], [2, 2]),
    ([1], []),
]
AXES = [
    ([2, 3], None, False),
    ([2, 3], 0, False),
    ([2, 3], 1, False),
    ([2, 3], -1, True),
    ([2, 3, 4], (0, 2), False),
    ([2, 3, 4], (0, 2), True),
    ([3], 0, False),
    ([], None, False),
]
CASES = 20

near = partial(close, atol=1e-6)  # as far as differences can tell


def random(shape, seed):
    """Numbers between -2 and 2 that the seed decides."""
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def shapes_of(seed):
    """Two shapes that broadcast."""
    draw = np.random.default_rng(seed)
    whole = draw.integers(1, 4, draw.integers(1, 4)).tolist()
    first = [n if draw.random() < 0.6 else 1 for n in whole]
    return first, whole[draw.integers(0, len(whole)) :]


def measured(function, inputs, dout, step=1e-6):
    """The gradient of sum(dout * function(*inputs)) at each input, by differences."""
    gradients = []
    for position, x in enumerate(inputs):
        found = np.zeros(x.shape)
        for index in np.ndindex(*x.shape):
            there = [np.array(value) for value in inputs]
            there[position][index] += step
            above = np.sum(dout * function(*there))
            there[position][index] -= 2 * step
            found[index] = (above - np.sum(dout * function(*there))) / (2 * step)
        gradients.append(found)
    return gradients


class Tensor:  # messages name it
    """An array with the methods of the Tensor of lesson 03, and no others."""

    __array_ufunc__ = None
    shape = property(lambda self: self.data.shape)
    ndim = property(lambda self: self.data.ndim)

    def __init__(self, data):
        self.data = data

    def __add__(self, other):
        return Tensor(self.data + plain(other))

    def __mul__(self, other):
        return Tensor(self.data * plain(other))

    def __sub__(self, other):
        return Tensor(self.data - plain(other))

    def __rsub__(self, other):
        return Tensor(plain(other) - self.data)

    def sum(self, axis=None, keepdims=False):
        return Tensor(self.data.sum(axis=axis, keepdims=keepdims))

    def reshape(self, shape):
        return Tensor(self.data.reshape(tuple(shape)))

    __radd__, __rmul__ = __add__, __mul__


def plain(x):
    """The array of a value."""
    return x.data if isinstance(x, Tensor) else x


@contextmanager
def recording(op):
    """Let ops meanwhile take such values."""

    def of_arrays(op, *inputs, **attrs):
        return Tensor(op.kernel(*map(plain, inputs), **attrs))

    before, op.__call__ = op.__call__, of_arrays
    try:
        yield
    finally:
        op.__call__ = before


def run_recorded(mine, task, inputs, attrs):
    """Call a rule on values that are no arrays: of which types its results are."""
    given = [Tensor(x) if isinstance(x, np.ndarray) else tuple(x) for x in inputs]
    try:
        with recording(mine.Op) if task == "softplus_rule" else nullcontext():
            found = getattr(mine, task)(*given, **attrs)
    except (TypeError, AttributeError, ValueError) as error:
        place = places_of(error, task)
        raise Wrong("no_tensor", error=str(error), place=place) from None
    found = found if isinstance(found, (tuple, list)) else [found]
    return [kind_of(one) for one in found]


def check_recorded(ask, task, inputs, **attrs):
    """A rule runs on Tensors, too, and gives such."""
    for kind in ask(run_recorded, task, inputs, attrs):
        expect(kind == "Tensor", "no_tensor", error=f"-> {kind}")


def run_unbroadcast(mine, dout, shape):
    """The shape goes over as a list."""
    return call(mine, "unbroadcast", dout, tuple(shape))


def run_sum(mine, dout, x, axis, keepdims):
    """Call the rule by the names of its attributes."""
    return call(mine, "sum_rule", dout, x, axis=axis, keepdims=keepdims)


def run_far(mine, x):
    """The softplus of numbers, without NumPy's warnings: the check tells overflow."""
    with np.errstate(all="ignore"):
        return call(mine, "softplus", x)


def arrays(found, count):
    """A tuple of so many gradients."""
    tuple_of_them = type(found) in (tuple, list) and len(found) == count
    expect(tuple_of_them, "a_tuple", got=in_short(found))
    return [array_of(one) for one in found]


def saved_arrays(ask):
    """Look at the picture's figures."""
    found = ask(call, "saved_arrays")
    plain = isinstance(found, list | tuple | np.ndarray)
    expect(plain and np.size(array_of(found)) == 3, "three", got=in_short(found))
    expect(found[0] == 2, "mul")
    expect(found[1] == 0, "add")
    expect(found[2] == 0, "sum")


def slope(ask):
    """Compare with differences of x sin x."""
    at = np.array([0.0, 1.0, np.pi / 2])
    found = array_of(ask(call, "slope", at))
    expect(found.shape == at.shape, "shape", got=list(found.shape))
    expect(not near(found, np.cos(at)), "sin_only")
    expect(not near(found, at * np.cos(at)), "one_term")
    expect(not near(found, np.sin(at) - at * np.cos(at)), "sign")
    for seed in range(CASES):
        x = random([seed % 5 + 1], seed)
        (wanted,) = measured(lambda x: x * np.sin(x), [x], 1.0)
        found = array_of(ask(call, "slope", x))
        facts = {"x": x.round(2).tolist(), "wanted": wanted.round(3).tolist()}
        expect(near(found, wanted), "wrong", got=found.round(3).tolist(), **facts)


def shapes_back(ask):
    """A gradient has the shape of its input."""
    found = ask(call, "shapes_back")
    lists = isinstance(found, list | tuple) and len(found) == 2
    lists = lists and all(isinstance(one, list | tuple) for one in found)
    expect(lists, "two_lists", got=in_short(found))
    found = [list(one) for one in found]
    expect(found != [[3, 4], [3, 4]], "out")
    expect(found == [[3, 1], [4]], "wrong")


def unbroadcast(ask):
    """Compare with what NumPy's own broadcasting copies."""
    for seed in range(len(SHAPES) + CASES):
        shape, other = SHAPES[seed] if seed < len(SHAPES) else shapes_of(seed)
        dout = random(np.broadcast_shapes(shape, other), seed)
        (wanted,) = measured(
            lambda x, dout=dout: np.broadcast_to(x, dout.shape), [np.ones(shape)], dout
        )
        found = array_of(ask(run_unbroadcast, dout, shape))
        facts = {"dout": list(dout.shape), "shape": shape, "got": list(found.shape)}
        expect(found.shape == tuple(shape), "shape", **facts)
        expect(near(found, wanted), "wrong", **facts)
    check_recorded(ask, "unbroadcast", [random([2, 3, 4], 0), [3, 1]])


@needs(unbroadcast)
def mul_rule(ask):
    """Compare with slopes of x * y, for shapes that broadcast."""
    for seed in range(len(SHAPES) + CASES):
        shapes = SHAPES[seed] if seed < len(SHAPES) else shapes_of(seed)
        x, y = (random(shape, seed + i) for i, shape in enumerate(shapes))
        dout = random(np.broadcast_shapes(*shapes), seed + 7)
        wanted = measured(np.multiply, [x, y], dout)
        found = arrays(ask(call, "mul_rule", dout, x, y), 2)
        facts = {"x": list(x.shape), "y": list(y.shape)}
        for one, source in zip(found, (x, y), strict=True):
            expect(one.shape == source.shape, "shape", got=list(one.shape), **facts)
        if x.shape == y.shape:
            swapped = near(found[0], wanted[1]) and near(found[1], wanted[0])
            expect(not swapped or near(x, y), "swapped")
            expect(not near(found[0], y) or np.allclose(dout, 1.0), "no_dout")
        expect(near(found[0], wanted[0]), "wrong", which="x", **facts)
        expect(near(found[1], wanted[1]), "wrong", which="y", **facts)
    three = [random(shape, 1) for shape in ([3, 4], [3, 1], [4])]
    check_recorded(ask, "mul_rule", three)


def sum_rule(ask):
    """Compare with slopes of np.sum, for every kind of axis."""
    for seed in range(CASES):
        shape, axis, keepdims = AXES[seed % len(AXES)]
        x = random(shape, seed)
        dout = random(np.sum(x, axis=axis, keepdims=keepdims).shape, seed + 7)
        (wanted,) = measured(
            lambda x, axis=axis, keepdims=keepdims: np.sum(
                x, axis=axis, keepdims=keepdims
            ),
            [x],
            dout,
        )
        (found,) = arrays(ask(run_sum, dout, x, axis, keepdims), 1)
        facts = {"x": list(shape), "axis": axis, "keepdims": keepdims}
        expect(found.shape == x.shape, "shape", got=list(found.shape), **facts)
        expect(near(found, wanted), "wrong", **facts)
    check_recorded(ask, "sum_rule", [random([3], 1), random([2, 3], 2)], axis=0)


def softplus(ask):
    """Compare with the formula in more digits, and far out."""
    at = np.array([-800.0, 0.0, 800.0])
    found = array_of(ask(run_far, at))
    expect(found.shape == (3,), "shape", got=list(found.shape))
    infinite = at[~np.isfinite(found)]
    expect(
        not infinite.size, "overflow", x=infinite.min(initial=800.0), got=found.tolist()
    )
    expect(near(found[1], np.log(2.0)), "at_zero", got=f"{found[1]:.4f}")
    expect(near(found, [0.0, np.log(2.0), 800.0]), "far", got=found.tolist())
    for seed in range(CASES):
        x = random([seed % 4 + 1, 3], seed) * 5
        wanted = np.log(1 + np.exp(x))
        found = array_of(ask(call, "softplus", x))
        expect(found.shape == x.shape, "shape", got=list(found.shape))
        worst = np.unravel_index(np.argmax(np.abs(found - wanted)), x.shape)
        facts = {"x": x[worst].round(2), "wanted": wanted[worst].round(6)}
        expect(near(found, wanted), "wrong", got=found[worst].round(6), **facts)


def softplus_rule(ask):
    """Compare with slopes of log(1 + e^x)."""
    for seed in range(CASES):
        x, dout = (random([seed % 4 + 1, 3], seed + i) for i in range(2))
        (found,) = arrays(ask(call, "softplus_rule", dout, x), 1)
        (wanted,) = measured(lambda x: np.log(1 + np.exp(x)), [x], dout)
        expect(found.shape == x.shape, "shape", got=list(found.shape))
        slopes = np.divide(wanted, dout)
        expect(not near(found, slopes), "no_dout")
        expect(not near(found, dout * slopes * (1 - slopes)), "second")
        facts = {"x": x[0, 0].round(2), "dout": dout[0, 0].round(2)}
        facts |= {"got": found[0, 0].round(3), "wanted": wanted[0, 0].round(3)}
        expect(near(found, wanted), "wrong", **facts)
    far = np.array([0.0, 800.0])
    (found,) = arrays(ask(call, "softplus_rule", np.ones(2), far), 1)
    expect(near(found, [0.5, 1.0]), "far", got=found.tolist())
    check_recorded(ask, "softplus_rule", [random([3], 1), random([3], 2)])


def curve_at_zero(ask):
    """A rule made of ops has a rule itself."""
    quiz(ask, "curve_at_zero", 0.25, slope=0.5)
