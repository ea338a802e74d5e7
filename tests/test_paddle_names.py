"""Every public name of Paddle 2.6.2 is ours too, or is left out for a reason told here.

Each can be imported from the module that Paddle defines it in, too. The names are asked
of Paddle by `tests/oracle/names.py`.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.ops.left_out import LEFT_OUT, MACHINERY, ROOMS, UNDERSCORED, refused

FILE = Path(__file__).parent / "oracle" / "paddle_names.json"
NAMES: dict[str, list[str]] = json.loads(FILE.read_text("utf-8"))
HOMES: dict[str, list[str]] = json.loads(
    FILE.with_name("paddle_homes.json").read_text("utf-8")
)
REACHABLE: dict[str, list[str]] = json.loads(
    FILE.with_name("paddle_reachable.json").read_text("utf-8")
)
ELSEWHERE = {
    "base.dygraph.base": "enable_grad is_grad_enabled set_grad_enabled",
    "base.libpaddle": "BuildStrategy CPUPlace CUDAPlace",
    "batch": "batch",
    "distributed.launch.main": "launch",
    "static.nn.common": "ExponentialMovingAverage",
    "static.nn.metric": "accuracy auc",
    "tensor.creation": "create_global_var",
    "tensor.layer_function_generator": "abs",
    "tensor.ops": "sigmoid",
}
"""Names by modules of Paddle's that code imports them from as good as never."""


def holder(module: str) -> Any:
    """Where names of a module of Paddle's are looked for here."""
    if module == "Tensor":
        return tg.Tensor
    return import_module(f"teachgraph.{module}" if module else "teachgraph")


def left_out(module: str) -> set[str]:
    reasons = LEFT_OUT.get(module, {}).values()
    return {name for names in reasons for name in names.split()}


@pytest.mark.parametrize("module", NAMES)
def test_what_is_missing_is_what_is_left_out(module: str) -> None:
    here = holder(module)
    missing = {name for name in NAMES[module] if not hasattr(here, name)}
    assert missing == left_out(module)


def test_a_method_with_an_underscore_says_why_it_is_left_out() -> None:
    for reason, names in UNDERSCORED["Tensor"].items():
        for name in names.split():
            assert reason in refusal("Tensor", name)


def refusal(module: str, name: str) -> str:
    """How the import of a name is refused; empty if it is there."""
    try:
        if module == "Tensor":
            getattr(tg.ones([1]), name)
        else:
            room = f"teachgraph.{module}".rstrip(".")
            exec(f"from {room} import {name}")  # noqa: S102
    except (AttributeError, ImportError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("module", REACHABLE)
def test_whatever_code_can_import_is_there_or_refused_with_a_reason(
    module: str,
) -> None:
    refused = {name: refusal(module, name) for name in REACHABLE[module]}
    missing = {name for name, told in refused.items() if told}
    for name in missing:
        assert re.search(rf"\b{name}', which paddle(\.\w+)* has: ", refused[name])
    told = {
        name for names in MACHINERY.get(module, {}).values() for name in names.split()
    }
    assert missing - left_out(module) - (set() if module else {*ROOMS}) == told


def test_names_can_be_imported_from_the_modules_that_define_them_in_paddle() -> None:
    known = {name for module in LEFT_OUT for name in left_out(module)}
    missing: dict[str, str] = {}
    for module, names in HOMES.items():
        try:
            here: Any = import_module(f"teachgraph.{module}")
        except ImportError:
            here = None
        absent = [n for n in names if n not in known and not hasattr(here, n)]
        if absent:
            missing[module] = " ".join(absent)
    assert missing == ELSEWHERE


def test_a_module_of_paddles_is_the_room_under_another_name() -> None:
    common = import_module("teachgraph.nn.layer.common")
    assert common.Linear is tg.nn.Linear
    resnet = import_module("teachgraph.vision.models.resnet")
    assert resnet.ResNet is tg.vision.models.ResNet
    assert import_module("teachgraph.vision.models.alexnet").AlexNet
    assert not isinstance(tg.vision.models.alexnet, ModuleType)
    assert issubclass(resnet.BasicBlock, tg.nn.Layer)
    with pytest.raises(ImportError, match="cannot import name 'Lnear'"):
        exec("from teachgraph.nn.layer.common import Lnear")  # noqa: S102


@pytest.mark.parametrize("module", [m for m in LEFT_OUT if m != "Tensor"])
def test_whoever_imports_is_told_the_reason(module: str) -> None:
    here, paddle = f"teachgraph.{module}".rstrip("."), f"paddle.{module}".rstrip(".")
    for reason, names in LEFT_OUT[module].items():
        for name in names.split():
            with pytest.raises(ImportError) as caught:
                exec(f"from {here} import {name}")  # noqa: S102
            told = f"no '{here}.{name}', which {paddle} has: {reason}"
            assert str(caught.value) == told


@pytest.mark.parametrize("room", ROOMS)
def test_whoever_imports_from_a_room_left_out_is_told_the_reason(room: str) -> None:
    for line in (f"import teachgraph.{room}", f"from teachgraph.{room} import any"):
        with pytest.raises(ImportError) as caught:
            exec(line)  # noqa: S102
        assert str(caught.value).endswith(f"which paddle has: {ROOMS[room]}")


@pytest.mark.parametrize("module", LEFT_OUT)
def test_a_name_is_left_out_for_one_reason(module: str) -> None:
    names = " ".join(LEFT_OUT[module].values()).split()
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("module", LEFT_OUT)
def test_whoever_asks_is_told_the_reason(module: str) -> None:
    here, paddle = holder(module), f"paddle.{module}".rstrip(".")
    value = here(np.ones(1)) if module == "Tensor" else here
    for reason, names in LEFT_OUT[module].items():
        for name in names.split():
            with pytest.raises(AttributeError) as caught:
                getattr(value, name)
            assert repr(name) in str(caught.value)
            assert str(caught.value).endswith(f"which {paddle} has: {reason}")


def test_a_method_left_out_is_offered_nowhere() -> None:
    tensor = tg.to_tensor(1.0)
    for name in refused("Tensor"):
        assert name not in dir(tensor)
        assert not hasattr(tensor, name)
        with pytest.raises(AttributeError, match=f"^type object 'Tensor' .*{name!r}"):
            getattr(tg.Tensor, name)


def test_attributes_of_tensors_are_read_fast() -> None:
    """Python 3.11 reads them slowly where a class has `__getattr__`."""
    assert not hasattr(tg.Tensor, "__getattr__")
    assert not hasattr(type(tg.create_parameter([1], "float32")), "__getattr__")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_left_out_is_told_of(room: str) -> None:
    with pytest.raises(AttributeError, match=f"'{room}', which paddle has: "):
        getattr(tg, room)


def test_what_paddle_has_not_either_is_told_as_python_does() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'relru'$"):
        tg.nn.functional.relru  # noqa: B018


def test_most_is_there() -> None:
    tools = NAMES.keys() - {"distributed", "vision.models"}
    absent = sum(len(left_out(module)) for module in tools)
    assert absent < 0.071 * sum(len(NAMES[module]) for module in tools)
    assert len(left_out("distributed")) < 0.6 * len(NAMES["distributed"])
