"""What may be made static: methods of every kind, hooks, what is rolled back."""

from __future__ import annotations

import copy
import traceback
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, nn
from teachgraph.core.errors import InvalidValueError
from teachgraph.static import InputSpec


def one(*values: float) -> tg.Tensor:
    return tg.to_tensor(np.array(values or (1.0,), "float32"))


def signed(x: Any, by: Any) -> Any:
    """What only a program with a branch in it can do."""
    return x * by if x.sum() > 0 else x


class Static(nn.Layer):
    """Its forward is static for all of them."""

    @jit.to_static
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            return x * 2
        return x


def test_a_method_that_is_static_in_its_class_is_rolled_back_for_one_object() -> None:
    net, other = Static(), Static()
    net(one())
    plain = net.forward.rollback()
    assert not isinstance(net.forward, jit.StaticFunction)
    assert isinstance(other.forward, jit.StaticFunction)
    assert plain(one()).tolist() == net(one()).tolist() == [2.0]
    assert not isinstance(copy.deepcopy(net).forward, jit.StaticFunction)

    @jit.to_static
    def around(x: Any) -> Any:
        return net(x) + 1

    assert around(one(-1.0)).tolist() == [0.0]


def test_what_is_rolled_back_may_be_made_static_again() -> None:
    net = Static()
    net.forward.rollback()
    jit.to_static(net)
    assert isinstance(net.forward, jit.StaticFunction)
    assert net(one()).tolist() == [2.0]


class Kinds:
    """Methods of every kind, in either order of the decorators."""

    by = 4.0

    @classmethod
    @jit.to_static
    def of_class(cls, x: Any) -> Any:
        return signed(x, cls.by)

    @staticmethod
    @jit.to_static
    def of_none(x: Any) -> Any:
        return signed(x, 3.0)

    @jit.to_static
    @staticmethod
    def outside_none(x: Any) -> Any:
        return signed(x, 3.0)

    @jit.to_static
    @classmethod
    def outside_class(cls, x: Any) -> Any:
        return signed(x, cls.by)


class Slotted:
    """Has no dictionary."""

    __slots__ = ("by",)

    @jit.to_static
    def of_object(self, x: Any) -> Any:
        return signed(x, self.by)


@pytest.mark.parametrize(
    "name", ["of_class", "of_none", "outside_none", "outside_class"]
)
def test_methods_of_every_kind_are_static(name: str) -> None:
    by = Kinds.by if "class" in name else 3.0
    for owner in (Kinds, Kinds()):
        function = getattr(owner, name)
        assert [function(one(v)).item() for v in (1.0, -1.0)] == [by, -1.0]


def test_programs_of_a_class_are_kept() -> None:
    Kinds.of_class(one())
    assert Kinds.of_class.program_cache is Kinds.of_class.program_cache
    assert len(Kinds.of_class.program_cache) == 1


def test_methods_of_objects_without_a_dictionary() -> None:
    thing = Slotted()
    thing.by = 5.0
    assert thing.of_object(one()).tolist() == [5.0]


def test_hooks_may_branch_on_tensors() -> None:
    inner = nn.Linear(1, 1, weight_attr=nn.initializer.Constant(1.0))

    def before(layer: Any, inputs: Any) -> Any:
        return (signed(inputs[0], 2.0),)

    def after(layer: Any, inputs: Any, output: Any) -> Any:
        if output.sum() > 3:
            return output * 10
        return output

    inner.register_forward_pre_hook(before)
    inner.register_forward_post_hook(after)
    net = jit.to_static(nn.Sequential(inner, nn.ReLU()))
    values = [net(tg.to_tensor([[v]])).item() for v in (1.0, 2.0, -1.0)]
    assert values == [2.0, 40.0, 0.0]


@dataclass
class Pair:
    """Two results."""

    first: Any
    second: Any = None


def test_objects_of_data_are_returned_and_taken_with_their_tensors() -> None:
    @jit.to_static
    def function(pair: Any) -> Any:
        return Pair(pair.first * pair.first, [pair.second, "name"])

    x = one(3.0)
    x.stop_gradient = False
    found = function(Pair(x, one(2.0)))
    found.first.backward()
    assert (found.first.item(), found.second[0].item()) == (9.0, 2.0)
    assert x.grad.tolist() == [6.0]
    assert function(Pair(one(4.0), one(5.0))).first.item() == 16.0
    assert len(function.program_cache) == 1


X = InputSpec([None], "float32")


@pytest.mark.parametrize(
    ("spec", "given", "error", "text"),
    [
        ([X], [], TypeError, r"classify\(\) .*'image'"),
        ([X], [one(), one(), one()], TypeError, r"classify\(\)"),
        ([[X, X]], [[one()]], InvalidValueError, "'image' .* 1 .* 2"),
        ([{"a": X, "b": X}], [{"a": one()}], InvalidValueError, "'image' .*'b'"),
        ([X], [None], InvalidValueError, "'image' is None"),
    ],
)
def test_arguments_that_do_not_fit_the_spec_are_named(
    spec: Any, given: Any, error: type[Exception], text: str
) -> None:
    def classify(image: Any, mask: Any = None) -> Any:
        return image

    function = jit.to_static(classify, input_spec=spec)
    with pytest.raises(error, match=text):
        function(*given)


def test_a_traceback_shows_the_users_lines_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @jit.to_static
    def function(x: Any) -> Any:
        for _ in range(3):
            if x.sum() > 0:
                x = missing(x)
        return x

    def frames() -> list[str]:
        with pytest.raises(KeyError) as caught:
            function(one())
        return [f.filename for f in traceback.extract_tb(caught.value.__traceback__)]

    assert not [name for name in frames() if "convert_" in name]
    monkeypatch.setenv("TRANSLATOR_DISABLE_NEW_ERROR", "1")
    assert [name for name in frames() if "convert_" in name]


def missing(x: Any) -> Any:
    return {}["missing"]


def test_an_array_of_another_class_counts_as_a_tensor() -> None:
    square = jit.to_static(lambda x: x * x)
    numbers = np.array([[1, 2], [3, 4]], "float32")
    with pytest.warns(PendingDeprecationWarning):
        given = [np.matrix(numbers), numbers]
    # The first run walks over the program; it is written down before the second.
    for array in given * 2:
        result = square(array)
        assert result.tolist() == [[1.0, 4.0], [9.0, 16.0]]
        assert type(result.data) is np.ndarray


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_values_of_another_dtype_put_into_a_held_tensor_are_noticed(dtype: str) -> None:
    class Scaled(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("scale", one(1.0, 2.0))

        def forward(self, x: Any) -> Any:
            return x * self.scale + 0.5

    net = Scaled()
    static = jit.to_static(Scaled())
    for module in (net, static):
        for _ in range(3):  # walked, then as Python
            module(one(3.0, 4.0))
        module.scale.data = module.scale.data.astype(dtype)
    for _ in range(2):
        expected, found = net(one(3.0, 4.0)), static(one(3.0, 4.0))
        assert (found.tolist(), found.dtype) == (expected.tolist(), expected.dtype)
