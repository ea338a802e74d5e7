"""`x[index]` and `x[index] = value` are NumPy's, in every life, and have gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.autograd import check_grads
from teachgraph.ops.indexing import get_item, set_item
from tests.ops.values import numbers

SHAPE = (4, 3, 5)
ROWS = np.array([2, 0, -1])
TABLE = np.array([[0], [2]])
MASK = np.array([True, False, True, True])
WIDE = numbers(4, 3) > 0
BESIDE = (1, slice(None), ROWS)
DOTS = (slice(None), ROWS, ..., ROWS)

INDICES: dict[str, Any] = {
    "an integer": 1,
    "from the end": (-1, -2),
    "slices": (slice(1, 3), slice(None, -1)),
    "strides": (slice(None, None, 2), slice(2, None, -1)),
    "backwards": (slice(None, None, -1), slice(3, -3, -2)),
    "past the end": slice(-10, 10),
    "nothing": slice(3, 1),
    "dots": (..., 2),
    "None": (None, 1, ..., None),
    "all": (),
    "an empty list": [],
    "a list": [1, -1],
    "an array": ROWS,
    "a table": TABLE,
    "two arrays": (ROWS, ROWS % 3),
    "that broadcast": (TABLE, ROWS[None] % 3),
    "apart": (ROWS, slice(None), ROWS),
    "behind a slice": (slice(1, 4), ROWS),
    "beside an integer": BESIDE,
    "beside an integer, together": (slice(None), 1, ROWS),
    "behind None": (None, ROWS, slice(None, None, 2)),
    "apart by None": (ROWS, None, ROWS),
    "apart by nothing but dots": DOTS,
    "in the middle": (slice(None), TABLE, slice(1, 3)),
    "a mask": MASK,
    "a mask of two dimensions": WIDE,
    "a mask behind a slice": (slice(None), np.array([True, False, True])),
    "a mask beside an array": (MASK, np.array([0, 2, 1])),
    "a mask of nothing": np.zeros(4, bool),
    "a list of bool": [True, False, False, True],
}
EACH = pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)


def in_tensors(index: Any) -> Any:
    """The same index with Tensors for arrays."""
    if isinstance(index, tuple):
        return tuple(map(in_tensors, index))
    return tg.to_tensor(index) if isinstance(index, np.ndarray) else index


def read(x: Any, index: Any) -> Any:
    """The part in NumPy, where integers and dots keep arrays apart.

    They do not in Paddle and PyTorch: integers drop their dimensions first.
    """
    if index is BESIDE:
        return x[1][:, ROWS]
    return x[:, ROWS, ROWS] if index is DOTS else x[index]


@EACH
def test_reading_is_numpys(index: Any) -> None:
    x = numbers(*SHAPE)
    wanted = read(x, index)
    for found in (
        get_item(x, index),
        tg.to_tensor(x)[index].numpy(),
        tg.to_tensor(x)[in_tensors(index)].numpy(),
    ):
        assert found.shape == wanted.shape
        np.testing.assert_array_equal(found, wanted)


@EACH
def test_writing_is_numpys(index: Any) -> None:
    x = numbers(*SHAPE)
    places = read(np.arange(x.size).reshape(SHAPE), index)
    part = places.shape
    for value in (7.0, numbers(*part, start=90), numbers(*part[1:], start=90)):
        wanted = x.copy()
        wanted.reshape(-1)[places] = value
        tensor = tg.to_tensor(x)
        for found in (
            set_item(x, index, value),
            set_item(tensor, index, value).numpy(),
            set_item(tensor, in_tensors(index), tg.to_tensor(value)).numpy(),
        ):
            np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(tensor.numpy(), numbers(*SHAPE))


@EACH
def test_both_have_gradients_of_gradients(index: Any) -> None:
    x = numbers(*SHAPE)
    y = numbers(*read(x, index).shape, start=90)
    check_grads(lambda x: x[index] * x[index], [x], order=2)
    check_grads(lambda x, y: set_item(x, index, y) ** 2.0, [x, y], order=2)


@EACH
@pytest.mark.parametrize("first", [4, -1], ids=["known", "unknown"])
def test_a_program_reads_and_writes_the_same(index: Any, first: int) -> None:
    x = numbers(*SHAPE)
    program = static.Program()
    with static.program_guard(program, static.Program()):
        data = static.data("x", [first, *SHAPE[1:]], "float64")
        data.stop_gradient = False
        part = data[index]
        put = set_item(data, index, 7.0)
        (slope,) = static.gradients([part, put], [data])
    fetched = static.Executor().run(program, {"x": x}, [part, put, slope])
    tensor = tg.to_tensor(x, stop_gradient=False)
    both = tensor[index], set_item(tensor, index, 7.0)
    wanted = [*both, *tg.grad(list(both), [tensor])]
    for found, tensor in zip(fetched, wanted, strict=True):
        np.testing.assert_array_equal(found, tensor.numpy())


def test_an_index_may_be_known_only_when_a_program_runs() -> None:
    program = static.Program()
    x, rows = numbers(*SHAPE), np.array([3, 3, 0])
    with static.program_guard(program, static.Program()):
        data = static.data("x", SHAPE, "float64")
        index, mask = static.data("i", [-1], "int64"), static.data("m", [4, 3], "bool")
        one = static.data("n", [], "int64")
        outs = [data[index, :, 1], data[mask], data[:, one], set_item(data, mask, 0.0)]
    feed = {"x": x, "i": rows, "m": WIDE, "n": np.array(2)}
    found = static.Executor().run(program, feed, outs)
    wanted = [x[rows, :, 1], x[WIDE], x[:, 2], np.where(WIDE[..., None], 0.0, x)]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_is_read_twice_gets_both_gradients() -> None:
    x = tg.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    (x[[0, 2, 0]] * tg.to_tensor([10.0, 20.0, 30.0])).sum().backward()
    assert x.grad.tolist() == [40.0, 0.0, 20.0]


def test_of_values_for_one_place_the_last_has_the_gradient() -> None:
    x, y = (tg.to_tensor(n, stop_gradient=False) for n in ([1.0, 2.0], [5.0, 6.0]))
    out = set_item(x, [1, 1], y)
    out.backward()
    assert (out.tolist(), x.grad.tolist()) == ([1.0, 6.0], [1.0, 0.0])
    assert y.grad.tolist() == [0.0, 1.0]


WRONG = {
    "past the end": (4, "OutOfRangeError", "4 is out of range for axis 0"),
    "before the start": ((0, -4), "OutOfRangeError", "-4 is out of range for axis 1"),
    "an item too many": ((0, 0, 0, 0), "OutOfRangeError", "4 indices for 3 dim"),
    "an array past the end": ([0, 7], "OutOfRangeError", "7 is out of range"),
    "dots twice": ((..., 0, ...), "InvalidValueError", "one `...`"),
    "a word": ("rows", "InvalidValueError", "'rows'"),
    "a fraction": (1.5, "InvalidValueError", "1.5"),
    "an array of fractions": (numbers(2), "DTypeError", "float64"),
    "a stride of 0": (slice(None, None, 0), "InvalidValueError", "not 0"),
    "a bound that is a fraction": (slice(0.5), "InvalidValueError", "0.5"),
    "another mask": (np.ones(3, bool), "ShapeError", r"mask of shape \[3\]"),
    "arrays that differ": ((ROWS, ROWS[:2]), "ShapeError", "broadcast"),
}


@pytest.mark.parametrize(("index", "error", "says"), WRONG.values(), ids=WRONG)
def test_what_is_no_index_is_refused(index: Any, error: str, says: str) -> None:
    x = tg.to_tensor(numbers(*SHAPE))
    with pytest.raises(getattr(tg.errors, error), match=f"(?s){says}"):
        x[index]
    with pytest.raises(getattr(tg.errors, error), match=f"(?s){says}"):
        set_item(x, index, 1.0)


def test_what_does_not_fit_is_not_written() -> None:
    with pytest.raises(tg.errors.ShapeError, match="set_value"):
        set_item(tg.to_tensor(numbers(4)), slice(2), numbers(3))
    with pytest.raises(tg.errors.DTypeError, match="nothing can be computed"):
        set_item(tg.to_tensor([1, 2, 3]), slice(2), numbers(2).astype("complex64"))


@pytest.mark.parametrize("value", [1.7, tg.to_tensor(1.7), np.array([1.7, -0.5])])
@pytest.mark.parametrize("index", [slice(2), [0, 1], np.array([True, True, False])])
def test_a_value_is_stored_in_the_dtype_of_what_it_goes_into(
    index: Any, value: Any
) -> None:
    x = tg.to_tensor([3, 3, 3])
    got = set_item(x, index, value)
    assert str(got.dtype) == "int64"
    last = 0 if np.size(value) == 2 else 1
    assert got.numpy().tolist() == [1, last, 3]


@pytest.mark.parametrize("index", [0, slice(1, None), [0, 1]])
def test_none_is_no_value(index: Any) -> None:
    """NumPy would store NaN."""
    tensor = tg.ones([2, 2])
    with pytest.raises(tg.errors.DTypeError, match="None"):
        tensor[index] = None
    assert tensor.tolist() == [[1.0, 1.0], [1.0, 1.0]]
