"""Whatever a function for programs is given, it answers or says in words what is wrong.

Each is called as it should be, then with one argument after the other spoilt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from tests.ops.spoiling import Call, is_told, spoilt
from tests.static.fresh import fresh

pytestmark = pytest.mark.further


def data(*shape: int, dtype: str = "float32") -> Any:
    return static.data(
        f"x{len(static.default_main_program().global_block().vars)}", shape, dtype
    )


def image() -> Any:
    return data(-1, 4, 6, 6)


def trained() -> Any:
    return tg.mean(static.nn.fc(data(-1, 3), 2))


def twice(x: Any) -> Any:
    return x * 2.0


CALLS: dict[str, Callable[[], Call]] = {
    "Print": lambda: ([data(2, 3)], {}),
    "accuracy": lambda: ([data(4, 3), data(4, 1, dtype="int64"), 2], {}),
    "append_backward": lambda: ([trained(), None, None, None], {}),
    "auc": lambda: ([data(4, 2), data(4, 1, dtype="int64"), "ROC", 9, 1, 1], {}),
    "create_global_var": lambda: ([[2], 1.0, "float32", True, False, "g"], {}),
    "create_parameter": lambda: ([[2, 3], "float32", "p", None, False, None], {}),
    "data": lambda: (["X", [None, 3], "float32"], {}),
    "gradients": lambda: (
        [trained(), list(static.default_main_program().list_vars())[:1], None, None],
        {},
    ),
    "name_scope": lambda: (["encoder"], {}),
    "program_guard": lambda: ([static.Program(), static.Program()], {}),
    "py_func": lambda: ([np.tanh, data(2, 3), data(2, 3)], {}),
    "nn.batch_norm": lambda: (
        [image(), "relu", False, 0.9, 1e-5, None, None, "NCHW"],
        {},
    ),
    "nn.bilinear_tensor_product": lambda: (
        [data(-1, 3), data(-1, 4), 2, "relu", "b", None, None],
        {},
    ),
    "nn.case": lambda: (
        [[(tg.mean(data(1)) > 0.0, lambda: data(1))], lambda: data(1)],
        {},
    ),
    "nn.cond": lambda: (
        [tg.mean(data(1)) > 0.0, lambda: twice(data(1)), lambda: data(1)],
        {},
    ),
    "nn.conv2d": lambda: (
        [image(), 4, 3, 1, 0, 1, 1, None, None, True, "relu", "c", "NCHW"],
        {},
    ),
    "nn.conv2d_transpose": lambda: (
        [image(), 4, None, 3, 0, 1, 1, 1, None, None, True, "relu"],
        {},
    ),
    "nn.conv3d": lambda: ([data(-1, 2, 4, 4, 4), 2, 3, 1, 0, 1, 1, None, None], {}),
    "nn.conv3d_transpose": lambda: ([data(-1, 2, 4, 4, 4), 2, None, 3, 0, 1, 1, 1], {}),
    "nn.embedding": lambda: (
        [data(-1, 2, dtype="int64"), [5, 3], False, False, 0, None, "float32"],
        {},
    ),
    "nn.fc": lambda: ([data(-1, 3), 2, 1, None, None, "relu", "f"], {}),
    "nn.group_norm": lambda: ([image(), 2, 1e-5, None, None, "relu", "NCHW"], {}),
    "nn.instance_norm": lambda: ([image(), 1e-5, None, None], {}),
    "nn.layer_norm": lambda: ([image(), True, True, 1, 1e-5, None, None, "relu"], {}),
    "nn.prelu": lambda: ([image(), "channel", None, "NCHW"], {}),
    "nn.sparse_embedding": lambda: ([data(-1, 2, dtype="int64"), [5, 3], 0], {}),
    "nn.switch_case": lambda: (
        [
            data(1, dtype="int64"),
            {0: lambda: data(1), 1: lambda: data(1)},
            lambda: data(1),
        ],
        {},
    ),
    "nn.while_loop": lambda: ([lambda i: i < 3.0, lambda i: [i + 1.0], [data(1)]], {}),
}


def function(name: str) -> Callable[..., Any]:
    room, _, bare = name.rpartition(".")
    return getattr(static.nn if room else static, bare)


def refusals(name: str) -> Iterator[tuple[Call, Exception]]:
    """Every spoilt call that is not answered, each in programs of its own."""
    with fresh():
        count = len(list(spoilt(CALLS[name]())))
    for k in range(count):
        with fresh():
            bad = next(islice(spoilt(CALLS[name]()), k, None))
            try:
                call(name, bad)
            except Exception as error:
                yield bad, error


def call(name: str, arguments: Call) -> None:
    """Call it, and enter what it gives if that is to be entered."""
    found = function(name)(*arguments[0], **arguments[1])
    if isinstance(found, AbstractContextManager):
        with found:
            pass


@pytest.mark.parametrize("name", CALLS)
def test_a_call_as_it_should_be_is_answered(name: str) -> None:
    call(name, CALLS[name]())


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_refused_in_words(name: str) -> None:
    bare = name.rpartition(".")[2]
    assert [(bad, e) for bad, e in refusals(name) if not is_told(bare, e)] == []
