"""Whatever a function of `to_static` reads may change: it answers as Python would."""

from __future__ import annotations

import math
import statistics
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, nn

Change = Callable[[Any], Any]


class Basis:
    """What its subclass inherits."""

    scale = 2.0

    def of(self, x: Any) -> Any:
        return x * self.scale


class Inheriting(Basis):
    pass


class Slotted:
    __slots__ = ("scale",)

    def __init__(self) -> None:
        self.scale = 2.0


class Looking:
    """Attributes that it looks up itself."""

    def __init__(self) -> None:
        self.found = {"scale": 2.0}

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["found"][name]


class Computing:
    def __init__(self) -> None:
        self.half = 1.0

    @property
    def scale(self) -> float:
        return self.half * 2

    def __call__(self, x: Any) -> Any:
        return x * self.half

    def __len__(self) -> int:
        return int(self.half)


class Listed(list[Any]):
    """A list with attributes."""


def listed() -> Any:
    made = Listed([2.0])
    made.scale = 3.0
    return made


def scaled() -> Any:
    """A decorated function that has an attribute."""

    @wraps(np.square)
    def function(x: Any) -> Any:
        return x * function.scale

    function.__module__, function.scale = __name__, 2.0
    return function


def module() -> Any:
    made: Any = ModuleType("settings_of_a_user")
    made.scale, made.function, made.part = 2.0, abs_of, SimpleNamespace(scale=1.0)
    return made


def abs_of(x: Any) -> Any:
    return x.abs()


def product(x: Any, by: float) -> Any:
    return x * by


def layer() -> Any:
    return nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2))


class Case(SimpleNamespace):
    """What is read, how, and how it changes."""

    make: Callable[[], Any]
    read: Callable[[Any, Any], Any]
    changes: list[Change]


def read_scale(it: Any, x: Any) -> Any:
    return x * it.scale


def read_if_there(it: Any, x: Any) -> Any:
    return x * it.scale if getattr(it, "scale", None) is not None else x


def read_if_it_has(it: Any, x: Any) -> Any:
    return x * 3.0 if hasattr(it, "scale") else x


def read_or_else(it: Any, x: Any) -> Any:
    try:
        return x * it.scale
    except AttributeError:
        return x


def read_method(it: Any, x: Any) -> Any:
    return it.of(x)


def read_first(it: Any, x: Any) -> Any:
    return x * it[0]


def read_key(it: Any, x: Any) -> Any:
    return x * it["a"]


def read_far(it: Any, x: Any) -> Any:
    return x * it[140]


def read_all(it: Any, x: Any) -> Any:
    return x * float(it.sum())


def read_tensor_of(it: Any, x: Any) -> Any:
    return x + tg.to_tensor(it)


def read_call(it: Any, x: Any) -> Any:
    return it(x)


def read_length(it: Any, x: Any) -> Any:
    return x * len(it)


def read_module(it: Any, x: Any) -> Any:
    return it.function(x) * it.scale * it.part.scale


def read_list_and_attribute(it: Any, x: Any) -> Any:
    return x * it[0] * it.scale


def set_scale(value: float) -> Change:
    return lambda it: setattr(it, "scale", value)


def put(key: Any, value: Any) -> Change:
    return lambda it: it.__setitem__(key, value)


CASES = {
    "an attribute over that of the class": Case(
        make=Inheriting, read=read_scale, changes=[set_scale(5.0)]
    ),
    "attributes of classes": Case(
        make=type("Sub", (type("Base", (Inheriting,), {}),), {}),
        read=read_method,
        changes=[
            lambda it: setattr(type(it).__mro__[1], "scale", 3.0),
            lambda it: setattr(type(it), "scale", 5.0),
            set_scale(7.0),
        ],
    ),
    "methods": Case(
        make=type("Sub", (Basis,), {}),
        read=read_method,
        changes=[
            lambda it: setattr(type(it), "of", lambda self, x: x + self.scale),
            lambda it: setattr(it, "of", lambda x: x - 1.0),
        ],
    ),
    "slots": Case(make=Slotted, read=read_scale, changes=[set_scale(5.0)]),
    "what __getattr__ finds": Case(
        make=Looking, read=read_scale, changes=[lambda it: it.found.update(scale=5.0)]
    ),
    "what a property computes": Case(
        make=Computing,
        read=read_scale,
        changes=[lambda it: setattr(it, "half", 5.0)],
    ),
    "what a call reads": Case(
        make=Computing, read=read_call, changes=[lambda it: setattr(it, "half", 5.0)]
    ),
    "what a length is": Case(
        make=Computing,
        read=read_length,
        changes=[lambda it: setattr(it, "half", 5.0)],
    ),
    "an attribute that was not there": Case(
        make=SimpleNamespace,
        read=read_if_there,
        changes=[set_scale(3.0), lambda it: delattr(it, "scale")],
    ),
    "whether there is an attribute": Case(
        make=SimpleNamespace, read=read_if_it_has, changes=[set_scale(3.0)]
    ),
    "an attribute that was tried": Case(
        make=SimpleNamespace, read=read_or_else, changes=[set_scale(3.0)]
    ),
    "an attribute of a function": Case(
        make=scaled, read=read_call, changes=[set_scale(5.0)]
    ),
    "keywords of a partial function": Case(
        make=lambda: partial(product, by=2.0),
        read=read_call,
        changes=[lambda it: it.keywords.update(by=5.0)],
    ),
    "a module": Case(
        make=module,
        read=read_module,
        changes=[
            set_scale(5.0),
            lambda it: setattr(it, "function", lambda x: x * 2.0),
            lambda it: setattr(it.part, "scale", 3.0),
        ],
    ),
    "a list with attributes": Case(
        make=listed, read=read_list_and_attribute, changes=[put(0, 5.0), set_scale(7.0)]
    ),
    "a deque": Case(make=lambda: deque([2.0]), read=read_first, changes=[put(0, 5.0)]),
    "an ordered dictionary": Case(
        make=lambda: OrderedDict(a=2.0), read=read_key, changes=[put("a", 5.0)]
    ),
    "a dictionary with defaults": Case(
        make=lambda: defaultdict(float, a=2.0), read=read_key, changes=[put("a", 5.0)]
    ),
    "a long list": Case(
        make=lambda: [2.0] * 150, read=read_far, changes=[put(140, 5.0)]
    ),
    "a long dictionary": Case(
        make=lambda: dict.fromkeys(range(150), 2.0),
        read=read_far,
        changes=[put(140, 5.0)],
    ),
    "a long list of tensors": Case(
        make=lambda: [tg.ones([2]) for _ in range(150)],
        read=read_far,
        changes=[lambda it: it.__setitem__(140, tg.full([2], 3.0))],
    ),
    "an array": Case(
        make=lambda: np.ones(2, "float32"),
        read=read_tensor_of,
        changes=[put(0, 5.0), lambda it: it.fill(2.0)],
    ),
    "an array, reduced": Case(
        make=lambda: np.ones(100_000, "float32"),
        read=read_all,
        changes=[put(77_777, 5.0), lambda it: it.fill(2.0)],
    ),
    "a layer's forward": Case(
        make=layer,
        read=read_call,
        changes=[lambda it: setattr(it[1], "forward", lambda x: x * 2.0)],
    ),
    "a layer's weight": Case(
        make=layer,
        read=read_call,
        changes=[
            lambda it: it[0].weight.set_value(np.eye(2, dtype="float32")),
            lambda it: setattr(it[0], "weight", it[0].create_parameter([2, 2])),
            lambda it: it.set_state_dict(layer().state_dict()),
            lambda it: setattr(it[1], "_epsilon", 0.5),
            lambda it: setattr(it, "0", nn.Linear(2, 2)),
            lambda it: setattr(it[0], "bias", None),
        ],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("kept_in", ["closure", "object"])
def test_what_is_read_may_change(case: Case, kept_in: str) -> None:
    it, x = case.make(), tg.to_tensor([0.5, -1.5])
    holder = SimpleNamespace(it=it)

    def from_closure(x: Any) -> Any:
        return case.read(it, x)

    def from_object(x: Any) -> Any:
        return case.read(holder.it, x)

    function = from_closure if kept_in == "closure" else from_object
    static = jit.to_static(function)
    for change in [lambda it: None, *case.changes]:
        change(it)
        for _ in range(2):
            wanted = function(x).numpy()
            np.testing.assert_allclose(static(x).numpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_views_see_the_state_that_any_run_changes(runs: int) -> None:
    layer = tg.nn.BatchNorm1D(2)
    view = layer._mean.detach()

    @jit.to_static
    def static(x: Any) -> Any:
        return layer(x)

    with tg.no_grad():
        for _ in range(runs):
            static(tg.to_tensor(np.array([[1.0, 2.0], [3.0, 6.0]], "float32")))
    assert layer._mean.tolist() != [0.0, 0.0]
    assert view.tolist() == layer._mean.tolist()


def doubled(x: Any, by: Any = 2.0, *, more: float = 0.0) -> Any:
    return x * by + more


def tripled(x: Any, by: Any = 2.0, *, more: float = 0.0) -> Any:
    return x * 3.0 * by + more


def of_list(x: Any, by: Any = (2.0,)) -> Any:
    return x * by[0]


def replace_code(it: Any) -> None:
    it.__code__ = tripled.__code__


DEFINITIONS = {
    "code": (doubled, replace_code),
    "defaults": (doubled, lambda it: setattr(it, "__defaults__", (5.0,))),
    "defaults by name": (
        doubled,
        lambda it: setattr(it, "__kwdefaults__", {"more": 1.0}),
    ),
    "one default by name": (
        doubled,
        lambda it: (
            setattr(it, "__kwdefaults__", {**it.__kwdefaults__, "more": 2.0})
            or it.__kwdefaults__.update(more=3.0)
        ),
    ),
    "a default that changes": (
        of_list,
        lambda it: (
            setattr(it, "__defaults__", ([7.0],))
            or it.__defaults__[0].clear()
            or it.__defaults__[0].append(9.0)
        ),
    ),
    "code and defaults": (
        doubled,
        lambda it: replace_code(it) or setattr(it, "__defaults__", (4.0,)),
    ),
}
"""Functions, and what their definition becomes."""


def copied(function: FunctionType) -> FunctionType:
    made = FunctionType(function.__code__, globals(), function.__name__)
    made.__defaults__ = function.__defaults__
    made.__kwdefaults__ = dict(function.__kwdefaults__ or {}) or None
    return made


@pytest.mark.parametrize(("of", "change"), DEFINITIONS.values(), ids=DEFINITIONS)
@pytest.mark.parametrize("how", ["outermost", "called", "method", "left alone"])
def test_a_definition_may_change(of: Any, change: Change, how: str) -> None:
    it: Any = copied(of)
    x = tg.to_tensor([0.5, -1.5])
    if how == "outermost":
        plain = it
        static = jit.to_static(it)
    elif how == "method":
        kind = type("Kind", (), {"scaled": lambda self, x: it(x)})
        plain = kind().scaled
        static = jit.to_static(plain)
    else:
        if how == "left alone":
            it = jit.not_to_static(it)
        plain = lambda x: it(x) + 1.0  # noqa: E731
        static = jit.to_static(plain)
    for step in [lambda it: None, change]:
        step(it)
        for _ in range(2):
            np.testing.assert_allclose(static(x).numpy(), plain(x).numpy(), rtol=1e-6)


SETTINGS = ModuleType("settings_read_by_functions")
SETTINGS.scale = 2.0

BEFORE = {
    "a library's function": (
        "activation",
        tg.nn.functional.relu,
        tg.nn.functional.tanh,
    ),
    "a function of NumPy's": ("root", np.sqrt, np.abs),
    "a function of Python's": ("root", math.sqrt, abs),
    "a class of the framework's": ("Kind", nn.ReLU, nn.Tanh),
    "what is built in": ("abs", None, lambda value: 5.0),
    "a number": ("scale", 2.0, 3.0),
    "a module": ("library", math, SimpleNamespace(sqrt=abs, floor=abs)),
}
BODIES = {
    "activation": "x * 2.0 + activation(x)",
    "root": "x * float(root(4.0))",
    "Kind": "Kind()(x)",
    "abs": "x * abs(-2.0)",
    "scale": "x * scale",
    "library": "x * float(library.sqrt(4.0))",
}


@pytest.mark.parametrize(("name", "before", "after"), BEFORE.values(), ids=BEFORE)
def test_a_global_may_become_anything(
    name: str, before: Any, after: Any, tmp_path: Path
) -> None:
    file = tmp_path / "of_user.py"
    file.write_text(f"def function(x):\n    return {BODIES[name]}\n")
    values: dict[str, Any] = {"__name__": "of_user"}
    if before is not None:
        values[name] = before
    exec(compile(file.read_text(), str(file), "exec"), values)  # noqa: S102
    static, x = jit.to_static(values["function"]), tg.to_tensor([0.5, -1.5])
    for value in (before, after, before):
        if value is None:
            values.pop(name, None)
        else:
            values[name] = value
        for _ in range(2):
            wanted = values["function"](x).numpy()
            np.testing.assert_allclose(static(x).numpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (math, "floor", lambda value: 7),
        (statistics, "mean", lambda values: 7.0),
        (np, "square", lambda value: value * 5.0),
        (tg.nn.functional, "relu6", tg.nn.functional.tanh),
    ],
    ids=["of Python's in C", "of Python's", "NumPy's", "ours"],
)
def test_a_function_of_a_library_may_be_replaced(
    module: ModuleType, name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def function(x: Any) -> Any:
        by = math.floor(2.5) + statistics.mean([1.0, 2.0]) + float(np.square(2.0))
        return tg.nn.functional.relu6(x * by)

    static, x = jit.to_static(function), tg.to_tensor([0.5, -1.5])
    for _ in range(2):
        np.testing.assert_allclose(static(x).numpy(), function(x).numpy(), rtol=1e-6)
        np.testing.assert_allclose(static(x).numpy(), function(x).numpy(), rtol=1e-6)
        monkeypatch.setattr(module, name, value)


def test_what_does_not_change_is_traced_once() -> None:
    layer_ = layer()

    @jit.to_static
    def static(x: Any) -> Any:
        return layer_(x) * math.floor(2.5) + doubled(x)

    for _ in range(3):
        static(tg.to_tensor([0.5, -1.5]))
        tg.nn.functional.gaussian_nll_loss  # noqa: B018  imports what it names
    assert static.get_traced_count() == 1
