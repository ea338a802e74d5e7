"""Views: tensors in one memory change together, as arrays of NumPy do.

NumPy's own arrays are the oracle of values; gradients are held to finite differences of
the same program run on arrays.
"""

from __future__ import annotations

import copy
import gc
import pickle
import random
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.autograd import views
from teachgraph.core.errors import InvalidValueError
from teachgraph.errors import InPlaceError

Step = Callable[[list[Any]], None]

VIEWS: list[Callable[[Any], Any]] = [
    lambda x: x[0, ...],
    lambda x: x[-1:],
    lambda x: x[..., 0],
    lambda x: x[..., ::2],
    lambda x: x[::-1],
    lambda x: x.T,
    lambda x: x.reshape([-1]),
    lambda x: x[None],
]


def product(x: Any, y: Any, at: Any = ...) -> None:
    """Multiply a part of `x` by a number of `y`, in place."""
    x[at] = x[at] * y.reshape([-1])[-1]


def total(x: Any, y: Any) -> None:
    """Add a number of `y` to `x`, in place."""
    if isinstance(x, np.ndarray):
        x += y.reshape([-1])[0].copy()
    else:
        x.add_(y.reshape([-1])[0])


def squared(x: Any, _: Any) -> None:
    if isinstance(x, np.ndarray):
        x *= x
    else:
        x.square_()


def zeroed(x: Any, _: Any) -> None:
    if isinstance(x, np.ndarray):
        x[...] = 0.5
    else:
        x.fill_(0.5)


CHANGES = [product, total, squared, zeroed, lambda x, y: product(x, y, 0)]


def steps(seed: int) -> list[Step]:
    """A program of views and changes in place, of as many tensors as there are."""
    choose = random.Random(seed)  # noqa: S311
    made: list[Step] = []
    for _ in range(choose.randint(3, 9)):
        i, j = choose.random(), choose.random()
        view, change = choose.choice(VIEWS), choose.choice(CHANGES)
        if choose.random() < 0.5:
            made.append(lambda pool, i=i, view=view: grown(pool, i, view))
        else:
            made.append(
                lambda pool, i=i, j=j, change=change: change(
                    picked(pool, i), picked(pool, j)
                )
            )
    return made


def picked(pool: list[Any], share: float) -> Any:
    return pool[int(share * len(pool))]


def grown(pool: list[Any], share: float, view: Callable[[Any], Any]) -> None:
    source = picked(pool, share)
    if len(source.shape) and len(source.shape) < 4:
        pool.append(view(source))


def run(x: Any, program: list[Step]) -> list[Any]:
    pool = [x * 1.0]
    for step in program:
        step(pool)
    return pool


def on_arrays(x: Any, program: list[Step]) -> list[Any]:
    """Keep 0-D arrays arrays, so that they are views too."""
    pool = [np.array(x)]
    for step in program:
        step(pool)
    return pool


def weighted(pool: list[Any]) -> Any:
    """A number that everything has a share in."""
    return sum(((i + 1.0) * x * x).sum() for i, x in enumerate(pool))


START = np.array([[0.7, -0.4, 1.1], [0.3, 0.9, -0.6]])


@pytest.mark.parametrize("seed", range(60))
def test_they_change_as_numpys_arrays_do(seed: int) -> None:
    program = steps(seed)
    wanted = on_arrays(START, program)
    with tg.no_grad():
        found = run(tg.to_tensor(START), program)
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs)


@pytest.mark.parametrize("seed", range(60))
def test_their_gradients_are_those_of_the_program_on_arrays(seed: int) -> None:
    program = steps(seed)
    x = tg.to_tensor(START, stop_gradient=False)
    pool = run(x, program)
    for ours, theirs in zip(pool, on_arrays(START, program), strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs)
    weighted(pool).backward()
    wanted = np.zeros_like(START)
    for at in np.ndindex(START.shape):
        step = np.zeros_like(START)
        step[at] = 1e-6
        up, down = (weighted(on_arrays(START + s, program)) for s in (step, -step))
        wanted[at] = (up - down) / 2e-6
    np.testing.assert_allclose(x.grad.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_no_array_that_somebody_has_seen_is_written_to() -> None:
    x = tg.zeros([2, 2])
    before, row = x.data, x[0]
    row.fill_(1.0)
    assert not before.any()
    assert x.numpy()[0].all()


def test_views_of_views_that_are_gone_change_together() -> None:
    x = tg.zeros([2, 3])
    first, second = x.T.T[0], x.detach().T[2]
    del x
    first.fill_(4.0)
    assert second.tolist() == [4.0, 0.0]


def test_a_row_of_a_copy_changes_with_the_copy_alone() -> None:
    x = tg.zeros([2, 3])
    flat = x.T.reshape([6])
    flat[:2].fill_(1.0)
    assert (flat.tolist(), x.sum().item()) == ([1.0] * 2 + [0.0] * 4, 0.0)


def test_a_view_does_not_keep_what_it_views_from_being_freed_or_known() -> None:
    x = tg.zeros([2, 2])
    row, gone = x[0], weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None
    assert row.fill_(2.0).tolist() == [2.0, 2.0]


def test_what_is_copied_shares_nothing() -> None:
    x = tg.zeros([2, 2])
    row = x[0]
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):  # noqa: S301
        other.fill_(1.0)
        assert not x.numpy().any()
        assert not row.numpy().any()
    x.fill_(3.0)
    assert row.tolist() == [3.0, 3.0]


def test_a_value_saved_before_a_change_is_refused_through_any_view() -> None:
    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 1.0
    z = y * y
    y.detach().fill_(0.0)
    with pytest.raises(InPlaceError, match="elementwise_mul saw it"):
        z.sum().backward()


def test_a_leaf_is_not_changed_through_a_view_that_is_recorded() -> None:
    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    with pytest.raises(InvalidValueError, match="change it under no_grad"):
        x[0:1].fill_(3.0)
    assert x.tolist() == [1.0, 2.0]
    with tg.no_grad():
        x[0:1].fill_(3.0)
    assert (x.tolist(), x.is_leaf, x.stop_gradient) == ([3.0, 2.0], True, False)


def test_an_array_given_to_a_tensor_leaves_its_views_alone() -> None:
    x = tg.zeros([4])
    row = x[:2]
    x.data = np.ones(4, "float32")
    row.fill_(5.0)
    assert (x.tolist(), row.tolist()) == ([1.0] * 4, [5.0, 5.0])


def test_parts_of_a_split_change_one_by_one() -> None:
    x = tg.zeros([4])
    first, second = tg.split(x, 2)
    first.fill_(1.0)
    assert (x.tolist(), second.tolist()) == ([0.0] * 4, [0.0, 0.0])


def test_statistics_that_a_program_updates_reach_their_views() -> None:
    norm = tg.nn.BatchNorm1D(2)
    seen = norm._mean.detach()
    tg.jit.to_static(norm)(tg.ones([4, 2]))
    assert seen.tolist() == norm._mean.tolist() != [0.0, 0.0]


def test_the_books_of_a_parameter_stay_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(views, "views", {})  # without what other tests left
    w = tg.to_tensor(np.ones((2, 2), "float32"), stop_gradient=False)
    for _ in range(200):
        w.reshape([4])
    assert len(views.views) < 40
    w.detach().fill_(2.0)
    assert (len(views.views), len(w._shared[0].tensors)) == (0, 2)
