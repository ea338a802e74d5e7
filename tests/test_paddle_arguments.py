"""What Paddle 2.6.2's functions, classes and layers take, ours take, in the same order.

The arguments are asked of Paddle by `tests/oracle/names.py`.
"""

from __future__ import annotations

import json
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType

import pytest

import teachgraph as tg
from teachgraph.core.errors import DTypeError
from tests.oracle.held import ours, words

FILE = Path(__file__).parent / "oracle" / "paddle_arguments.json"
ARGUMENTS: dict[str, str] = json.loads(FILE.read_text("utf-8"))

OTHER_ARGUMENTS = {
    "made by functions, never by hand: to_tensor, static.data, jit.load": (
        "Tensor jit.TranslatedLayer static.Variable"
    ),
    "operators: Python hands them one argument": (
        "Tensor.__and__ Tensor.__invert__ Tensor.__or__ Tensor.__xor__"
    ),
    "functions hung onto Tensor: the first argument is the Tensor itself": (
        "Tensor.cast Tensor.is_tensor Tensor.sigmoid Tensor.where Tensor.where_ where_"
    ),
}

OTHER_ORDER = {
    "PyTorch's argument, which Paddle 3 has in this place": (
        "argsort sort Tensor.argsort Tensor.sort nn.functional.kl_div"
    ),
}


HERE = {
    path: (names.split(), list(signature(thing).parameters.values()))
    for path, names in ARGUMENTS.items()
    if names and (thing := ours(tg, path)) is not None
}


def test_functions_are_functions_here_too() -> None:
    """A module of ours does not stand where Paddle has a function of its name."""
    shadowed = [
        path
        for path, names in ARGUMENTS.items()
        if names and isinstance(ours(tg, path), ModuleType)
    ]
    assert shadowed == []


def lacking(wanted: list[str], parameters: list[Parameter]) -> set[str]:
    if any(p.kind is Parameter.VAR_KEYWORD for p in parameters):
        return set()
    return set(wanted) - {p.name for p in parameters}


def test_every_argument_is_taken_by_its_name() -> None:
    lack = {path for path, (wanted, found) in HERE.items() if lacking(wanted, found)}
    assert lack - words(OTHER_ARGUMENTS) == set()


def test_arguments_stand_in_the_same_order() -> None:
    starred = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    moved = set()
    for path, (wanted, parameters) in HERE.items():
        if lacking(wanted, parameters) or any(p.kind in starred for p in parameters):
            continue
        found = [p.name for p in parameters if p.name != "self"]
        if found[: len(wanted)] != wanted:
            moved.add(path)
    assert moved - words(OTHER_ORDER) == set()


def test_no_reason_is_left_over() -> None:
    assert words(OTHER_ARGUMENTS) | words(OTHER_ORDER) <= HERE.keys()


@pytest.mark.parametrize("name", ["relu", "sigmoid", "tanh", "softmax", "gelu"])
def test_an_activation_takes_a_name_at_once(name: str) -> None:
    function = getattr(tg.nn.functional, name)
    assert function(tg.ones([2]), name="bent").shape == [2]


def test_mode_and_trace_are_paddles_functions() -> None:
    values, indices = tg.mode(tg.to_tensor([[1.0, 2.0, 2.0]]))
    assert values.tolist() == [2.0]
    assert indices.tolist() == [2]
    assert tg.trace(tg.to_tensor([[1.0, 9.0], [9.0, 2.0]])).item() == 3.0


def test_the_recorder_is_no_matrix_trace() -> None:
    with pytest.raises(DTypeError, match=r"use tg\.record\('A sum'\)") as refused:
        tg.trace("A sum")
    assert f"{Path(__file__).name}:" in str(refused.value)
    with tg.record("A sum", show=False) as log:
        tg.ones([2])
    assert log.title == "A sum"
