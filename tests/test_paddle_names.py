"""Every public name of Paddle 2.6.2 is ours too, or is left out for a reason told here.

The names are asked of Paddle by `tests/oracle/names.py`.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import teachgraph as tg
from teachgraph.ops.left_out import LEFT_OUT, ROOMS

FILE = Path(__file__).parent / "oracle" / "paddle_names.json"
NAMES: dict[str, list[str]] = json.loads(FILE.read_text("utf-8"))


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


@pytest.mark.parametrize("module", LEFT_OUT)
def test_a_name_is_left_out_for_one_reason(module: str) -> None:
    names = " ".join(LEFT_OUT[module].values()).split()
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("module", LEFT_OUT)
def test_whoever_asks_is_told_the_reason(module: str) -> None:
    here, paddle = holder(module), f"paddle.{module}".rstrip(".")
    value = here([1.0]) if module == "Tensor" else here
    for reason, names in LEFT_OUT[module].items():
        for name in names.split():
            with pytest.raises(AttributeError) as caught:
                getattr(value, name)
            assert repr(name) in str(caught.value)
            assert str(caught.value).endswith(f"which {paddle} has: {reason}")


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
