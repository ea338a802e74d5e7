"""The Tensor as a value: how it is made, read, printed, cut and calculated with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import DTypeError, InvalidValueError, OpError, ShapeError
from teachgraph.errors import OutOfRangeError

FLOATS = np.array([1.0, 2.0, 3.0], "float32")


@pytest.fixture
def f() -> tg.Tensor:
    return tg.to_tensor(FLOATS)


@pytest.fixture
def i() -> tg.Tensor:
    return tg.to_tensor([1, 2, 3])


@pytest.fixture
def b() -> tg.Tensor:
    return tg.to_tensor([True, False, True])


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1, "int64", []),
        (1.0, "float32", []),
        (True, "bool", []),
        ([1, 2], "int64", [2]),
        ((1, 2.5), "float32", [2]),
        ([True, 2], "int64", [2]),
        ([], "float32", [0]),
        ([[1.0], [2.0]], "float32", [2, 1]),
        (2**40, "int64", []),
        (np.float64(1), "float64", []),
        (np.int32(1), "int32", []),
        ([np.float64(1.0)], "float32", [1]),
        (np.zeros((2, 3)), "float64", [2, 3]),
        (np.zeros(2, "uint8"), "uint8", [2]),
        (np.zeros(2, ">f4"), "float32", [2]),
        (tg.Tensor(np.zeros(2)), "float64", [2]),
        ([tg.Tensor(np.zeros(2)), tg.Tensor(np.ones(2))], "float32", [2, 2]),
    ],
)
def test_what_to_tensor_makes_of_data(data: Any, dtype: str, shape: list[int]) -> None:
    tensor = tg.to_tensor(data)
    assert (str(tensor.dtype), tensor.shape) == (dtype, shape)
    assert tensor.stop_gradient
    assert tensor.is_leaf


@pytest.mark.parametrize("dtype", ["float32", np.float64, "int64", bool, tg.uint8])
def test_to_tensor_takes_a_dtype_in_every_form(dtype: Any) -> None:
    tensor = tg.to_tensor([1.5, 0.0], dtype=dtype)
    assert tensor.tolist() == np.array([1.5, 0.0]).astype(str(tensor.dtype)).tolist()


@pytest.mark.parametrize(
    "read",
    [
        tg.Tensor.numpy,
        np.asarray,
        np.array,
        lambda x: x.grad.numpy(),
        tg.Tensor.gradient,
    ],
)
def test_what_is_read_out_may_be_changed(read: Callable[..., Any]) -> None:
    """As in Paddle, numpy() copies: no tensor and nothing saved changes with it."""
    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    y = tg.to_tensor([3.0, 4.0], stop_gradient=False)
    (x + y).backward()
    square = x * x
    read(x)[...] = 100.0
    assert x.tolist() == [1.0, 2.0]
    assert (x.grad.tolist(), y.grad.tolist()) == ([1.0, 1.0], [1.0, 1.0])
    square.backward()
    assert x.grad.tolist() == [3.0, 5.0]


def test_to_tensor_copies() -> None:
    array = np.ones(2)
    tensor = tg.to_tensor(array)
    array[0] = 5.0
    assert tensor.tolist() == [1.0, 1.0]
    again = tg.to_tensor(tensor)
    assert not np.shares_memory(again.data, tensor.data)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ("a", DTypeError),
        (None, DTypeError),
        ({"a": 1}, DTypeError),
        (1 + 2j, DTypeError),
        (2**70, DTypeError),
        (np.array(["a"]), DTypeError),
        (np.array([object()]), DTypeError),
        (np.zeros(2, "datetime64[s]"), DTypeError),
        (np.float16(1), DTypeError),
        (np.zeros(2, "uint16"), DTypeError),
        ([[1], [1, 2]], ShapeError),
    ],
)
def test_to_tensor_refuses_what_is_no_number(data: Any, kind: type[OpError]) -> None:
    with pytest.raises(kind) as caught:
        tg.to_tensor(data)
    assert __file__ in str(caught.value)


def test_to_tensor_refuses_an_unknown_dtype() -> None:
    with pytest.raises(DTypeError, match="'foo' not understood"):
        tg.to_tensor([1.0], dtype="foo")


def test_repr_is_that_of_paddle() -> None:
    assert repr(tg.to_tensor([[1.0, 2.0], [3.0, 4.0]])) == (
        "Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,\n"
        "       [[1., 2.],\n"
        "        [3., 4.]])"
    )
    assert repr(tg.to_tensor(3, stop_gradient=False)) == (
        "Tensor(shape=[], dtype=int64, place=Place(cpu), stop_gradient=False,\n"
        "       3)"
    )
    assert repr(tg.to_tensor([])).endswith("stop_gradient=True,\n       [])")


def test_facts_about_it(f: tg.Tensor) -> None:
    m = f.reshape([3, 1])
    assert (m.shape, m.ndim, m.size, len(m)) == ([3, 1], 2, 3, 3)
    assert m.T.shape == [1, 3]
    assert f.tolist() == [1.0, 2.0, 3.0]
    assert [x.item() for x in f] == [1.0, 2.0, 3.0]
    assert (float(f[1]), int(f[1]), bool(f[1])) == (2.0, 2, True)
    assert ["a", "b", "c"][tg.to_tensor(2)] == "c"


def test_names_are_given_or_made_up(f: tg.Tensor, i: tg.Tensor) -> None:
    with tg.unique_name.guard():
        assert (f.name, i.name) == ("generated_tensor_0", "generated_tensor_1")
    f.name = "mine"
    assert f.name == "mine"


def test_what_only_one_element_can_answer(f: tg.Tensor) -> None:
    for ask in (float, int, bool, tg.Tensor.item):
        with pytest.raises(ValueError, match=r"one element|size 1"):
            ask(f)
    with pytest.raises(TypeError, match="0-D"):
        len(f[0])
    with pytest.raises(TypeError, match="0-D"):
        list(f[0])
    with pytest.raises(ValueError, match="one number"):
        _ = ["a", "b"][f]


def test_it_can_be_kept_in_sets_and_lists(f: tg.Tensor, i: tg.Tensor) -> None:
    assert {f: "f", i: "i"}[f] == "f"
    assert [i, f].index(i) == 0
    assert len({f, i, f}) == 2


SAME = "float32"
"""What a float32 tensor stays beside any number."""

NUMBERS = [2, 2.0, True, np.float64(2), np.float32(2), np.int64(2), np.bool_(True)]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: f"{type(n).__name__}")
@pytest.mark.parametrize(
    "calculate",
    [
        operator.add,
        operator.sub,
        operator.mul,
        operator.truediv,
        operator.pow,
        lambda x, y: y + x,
        lambda x, y: y - x,
        lambda x, y: y * x,
        lambda x, y: y / x,
        lambda x, y: y**x,
    ],
    ids=["+", "-", "*", "/", "**", "r+", "r-", "r*", "r/", "r**"],
)
def test_a_number_never_changes_the_dtype_of_floats(
    calculate: Callable[..., Any], number: Any, f: tg.Tensor
) -> None:
    found = calculate(f, number)
    assert isinstance(found, tg.Tensor)
    assert str(found.dtype) == SAME
    np.testing.assert_allclose(found.numpy(), calculate(FLOATS, float(number)), 1e-6)


@pytest.mark.parametrize(
    ("calculate", "dtype", "values"),
    [
        (lambda i: i + 1, "int64", [2, 3, 4]),
        (lambda i: 1 - i, "int64", [0, -1, -2]),
        (lambda i: -i, "int64", [-1, -2, -3]),
        (lambda i: i * 2, "int64", [2, 4, 6]),
        (lambda i: i**2, "int64", [1, 4, 9]),
        (lambda i: 2**i, "int64", [2, 4, 8]),
        (lambda i: i * np.int32(2), "int64", [2, 4, 6]),
        (lambda i: i + True, "int64", [2, 3, 4]),
        (lambda i: i + 0.5, "float32", [1.5, 2.5, 3.5]),
        (lambda i: 0.5 - i, "float32", [-0.5, -1.5, -2.5]),
        (lambda i: i * np.float64(0.5), "float32", [0.5, 1.0, 1.5]),
        (lambda i: i**2.0, "float32", [1.0, 4.0, 9.0]),
        (lambda i: i / 2, "float32", [0.5, 1.0, 1.5]),
        (lambda i: 6 / i, "float32", [6.0, 3.0, 2.0]),
        (lambda i: i / i, "float32", [1.0, 1.0, 1.0]),
        (lambda i: i == 2, "bool", [False, True, False]),
        (lambda i: i < 1.5, "bool", [True, False, False]),
        (lambda i: i >= 2, "bool", [False, True, True]),
        (lambda i: abs(-i), "int64", [1, 2, 3]),
    ],
)
def test_integers_beside_numbers(
    calculate: Callable[..., Any], dtype: str, values: list[Any], i: tg.Tensor
) -> None:
    found = calculate(i)
    assert (str(found.dtype), found.tolist()) == (dtype, values)


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_a_tensor_of_integers_takes_the_dtype_of_floats(kind: str) -> None:
    f, i = tg.to_tensor([0.5, 2.0], dtype=kind), tg.to_tensor([1, 3])
    for found, values in (
        (f + i, [1.5, 5.0]),
        (i * f, [0.5, 6.0]),
        (i / f, [2.0, 1.5]),
        (f - i.astype("bool"), [-0.5, 1.0]),
        (tg.maximum(f, i), [1.0, 3.0]),
        (i**f, [1.0, 9.0]),
    ):
        assert (str(found.dtype), found.tolist()) == (kind, values)


def test_integers_and_floats_are_compared_exactly() -> None:
    large = tg.to_tensor([2**24 + 1])
    assert (large == tg.to_tensor([2.0**24])).tolist() == [False]


def test_large_integers_stay_exact() -> None:
    large = tg.to_tensor([2**53 + 1])
    assert (large + 1).tolist() == [2**53 + 2]
    assert (large * 3).tolist() == [3 * 2**53 + 3]
    assert (1 - large).tolist() == [-(2**53)]
    assert (large == 2**53).tolist() == [False]


def test_a_number_that_does_not_fit_makes_room_for_itself() -> None:
    small = tg.to_tensor([1, 200], dtype="uint8")
    assert (small + 300).tolist() == [301, 500]
    assert (small == -1).tolist() == [False, False]
    assert (small < 256).tolist() == [True, True]
    assert (tg.to_tensor([1], dtype="int32") * 2**40).tolist() == [2**40]


def test_bools_count_as_numbers_beside_numbers(b: tg.Tensor) -> None:
    assert (b + 1).tolist() == [2, 1, 2]
    assert (b * 2.5).tolist() == [2.5, 0.0, 2.5]
    assert str((b * 2.5).dtype) == "float32"
    assert (b == True).tolist() == [True, False, True]  # noqa: E712  the operator


@pytest.mark.parametrize(
    "calculate",
    [operator.add, operator.sub, operator.mul, operator.truediv, operator.lt],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_array_on_either_side_is_an_operand(
    calculate: Callable[..., Any], dtype: str, f: tg.Tensor
) -> None:
    array = np.array([4.0, 5.0, 6.0], dtype)
    for found, wanted in (
        (calculate(f, array), calculate(FLOATS, array)),
        (calculate(array, f), calculate(array, FLOATS)),
    ):
        assert isinstance(found, tg.Tensor)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found.numpy(), wanted)


def test_an_array_times_a_tensor_goes_on_the_tape() -> None:
    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    (np.array([3.0, 4.0], "float32") * x).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]
    y = tg.to_tensor([[1.0], [2.0]], stop_gradient=False)
    (np.array([[3.0, 4.0]], "float32") @ y).sum().backward()
    assert y.grad.tolist() == [[3.0], [4.0]]


def test_numpy_reads_it_as_an_array(f: tg.Tensor) -> None:
    assert np.asarray(f).dtype == np.float32
    np.testing.assert_array_equal(np.asarray(f, "float64"), FLOATS)
    np.testing.assert_array_equal(np.stack([f, f]), [FLOATS, FLOATS])


@pytest.mark.parametrize(
    "other", [None, "a", 1j, object(), [[1], [1, 2]], np.complex64(1), np.str_("a")]
)
@pytest.mark.parametrize("calculate", [operator.add, operator.mul, operator.lt])
def test_what_is_no_number_is_refused(
    calculate: Callable[..., Any], other: Any, f: tg.Tensor
) -> None:
    with pytest.raises(OpError, match="Tensor float32") as caught:
        calculate(f, other)
    assert __file__ in str(caught.value)


@pytest.mark.parametrize(
    "calculate", [operator.eq, operator.ne, tg.equal, tg.logical_and, tg.equal_all]
)
def test_nothing_is_compared_with_none(
    calculate: Callable[..., Any], f: tg.Tensor
) -> None:
    with pytest.raises(DTypeError, match=r"(?i)y must not be None") as caught:
        calculate(f, None)
    assert __file__ in str(caught.value)


TABLE = np.arange(24.0, dtype="float32").reshape(4, 3, 2)


class Brackets:
    """What stands in brackets, as an object."""

    def __getitem__(self, index: Any) -> Any:
        return index


at = Brackets()

PARTS = [
    at[0],
    at[-1],
    at[3],
    at[1, 2],
    at[1, 2, 0],
    at[-1, -1, -1],
    at[:],
    at[1:],
    at[:2],
    at[1:3],
    at[-2:],
    at[:-1],
    at[-3:-1],
    at[2:1],
    at[0:99],
    at[5:],
    at[...],
    at[..., 0],
    at[0, ...],
    at[1, ..., -1],
    at[:, 1],
    at[1:3, ::1, 0],
    at[np.int64(2)],
    at[..., 1:, :],
    at[()],
]


@pytest.mark.parametrize("index", PARTS, ids=str)
def test_a_part_is_what_numpy_says_and_its_gradient_goes_back(index: Any) -> None:
    x = tg.to_tensor(TABLE, stop_gradient=False)
    part = x[index]
    wanted = TABLE[index]
    assert part.shape == list(wanted.shape)
    np.testing.assert_array_equal(part.numpy(), wanted)
    (part * part).sum().backward()
    expected = np.zeros_like(TABLE)
    expected[index] = 2.0 * wanted
    np.testing.assert_array_equal(x.grad.numpy(), expected)


@pytest.mark.parametrize(
    "index", [at[4], at[-5], at[0, 3], at[0, 0, 2], at[0, 0, 0, 0]]
)
def test_an_index_past_the_end_is_an_index_error(index: Any) -> None:
    x = tg.to_tensor(TABLE)
    with pytest.raises(OutOfRangeError, match="slice") as caught:
        _ = x[index]
    assert isinstance(caught.value, IndexError)
    assert "Tensor float32 [4, 3, 2]" in str(caught.value)
    assert __file__ in str(caught.value)


@pytest.mark.parametrize(
    "index",
    [at["a"], at[1.0], at[::0], at[..., ...], at[0:1.5], at[[0.5]]],
    ids=str,
)
def test_an_index_that_says_nothing_is_refused(index: Any) -> None:
    x = tg.to_tensor(TABLE)
    with pytest.raises(
        OpError, match=r"(?s)slice .*Tensor float32 \[4, 3, 2\]"
    ) as caught:
        _ = x[index]
    assert __file__ in str(caught.value)


def test_parts_of_a_scalar(f: tg.Tensor) -> None:
    x = tg.to_tensor(2.0, stop_gradient=False)
    (x[...] * x[()]).backward()
    assert x.grad.item() == 4.0
    with pytest.raises(IndexError):
        _ = x[0]


def test_a_condition_of_several_elements_is_refused(f: tg.Tensor) -> None:
    with pytest.raises(InvalidValueError, match="must have one element"):
        assert f > 1.0


def test_casting_keeps_the_tape_between_floats() -> None:
    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x.astype("float64")
    assert str(y.dtype) == "float64"
    (y * y).sum().backward()
    assert (x.grad.tolist(), str(x.grad.dtype)) == ([2.0, 4.0], "float32")
    assert x.astype("int64").stop_gradient
    with pytest.raises(DTypeError, match="not understood"):
        x.astype("float16")
