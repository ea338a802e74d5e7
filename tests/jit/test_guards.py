"""What a function reads besides its arguments is seen to change, as Python sees it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import is_grad_enabled, jit, nn

FACTOR: Any = 2.0
TABLE: Any = {"scale": 2.0}
WEIGHT = tg.to_tensor([2.0])


def one(*values: float) -> tg.Tensor:
    return tg.to_tensor(np.array(values or (1.0,), "float32"))


def linear(value: float, outs: int = 1) -> nn.Linear:
    return nn.Linear(1, outs, weight_attr=nn.initializer.Constant(value))


class Settings:
    """What a user keeps numbers in."""

    step = 1.0

    def __init__(self) -> None:
        self.scale, self.weights = 2.0, [one(2.0)]


class Net(nn.Layer):
    """Reads attributes of every kind."""

    def __init__(self) -> None:
        super().__init__()
        self.scale, self.table, self.listed = 2.0, {"a": {"b": 1.0}}, [1.0]
        self.added: Any = None
        self.settings = Settings()
        self.inner, self.drop = linear(1.0), nn.Dropout(0.0)
        self.layers = nn.LayerList([linear(1.0)])
        self.unread = 0

    def forward(self, x: Any) -> Any:
        y = self.drop(self.inner(x)) * self.scale * self.table["a"]["b"]
        if x.sum() > 0:
            y = y * self.listed[0] * self.settings.scale
        for layer in self.layers:
            y = layer(y)
        if self.added is not None:
            y = self.added(y)
        return y * self.settings.weights[0] * getattr(self, "power", 1.0)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "a number": lambda net: setattr(net, "scale", 3.0),
    "a dictionary": lambda net: net.table["a"].update(b=5.0),
    "a list": lambda net: net.listed.__setitem__(0, 7.0),
    "a layer where none was": lambda net: setattr(net, "added", linear(3.0)),
    "a layer more": lambda net: net.layers.append(linear(4.0)),
    "an object's number": lambda net: setattr(net.settings, "scale", 9.0),
    "an object's tensor": lambda net: net.settings.weights.__setitem__(0, one(8.0)),
    "an object": lambda net: setattr(
        net, "settings", SimpleNamespace(scale=1.0, weights=[one()])
    ),
    "a framework's layer": lambda net: setattr(net.drop, "p", 1.0),
    "an attribute that was missing": lambda net: setattr(net, "power", 11.0),
    "a hook": lambda net: net.inner.register_forward_post_hook(lambda *a: a[2] * 2),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_a_layer_reads_is_seen_to_change(what: str) -> None:
    net, eager = jit.to_static(Net()), Net()
    assert net(one()).tolist() == eager(one()).tolist()
    for each in (net, eager):
        CHANGES[what](each)
    assert net(one()).tolist() == eager(one()).tolist()
    assert len(net.forward.program_cache) == 2


def test_what_a_layer_does_not_read_makes_no_program() -> None:
    net = jit.to_static(Net())
    for step in range(3):
        net.unread = step
        net.scale = float("2.0")
        net(one())
    assert len(net.forward.program_cache) == 1


def test_a_hook_that_is_taken_off_is_missed() -> None:
    net = jit.to_static(Net())
    handle = net.inner.register_forward_post_hook(lambda *a: a[2] * 2)
    assert net(one()).tolist() == [16.0]
    handle.remove()
    assert net(one()).tolist() == [8.0]


def test_a_new_layer_trains() -> None:
    net = jit.to_static(Net())
    net(one())
    net.added = linear(1.0)
    net(one()).sum().backward()
    assert net.added.weight.grad.tolist() == [[8.0]]


def test_a_layer_that_counts_its_calls_counts_them() -> None:
    class Counting(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.calls = 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            return x * self.calls

    net = jit.to_static(Counting())
    assert [net(one()).item() for _ in range(3)] == [1.0, 2.0, 3.0]
    with pytest.warns(UserWarning, match="'calls' of Counting"):
        [net(one()) for _ in range(10)]


def test_globals_closures_and_functions_are_seen_to_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    around, settings, listed = 2.0, Settings(), [2.0]

    @jit.to_static
    def function(x: Any) -> Any:
        if x.sum() > 0:
            x = x * WEIGHT * doubled(x)
        return x * FACTOR * TABLE["scale"] * around * settings.scale * sum(listed)

    def wanted() -> Any:
        return function.dygraph_function(one()).tolist()

    def check() -> None:
        assert function(one()).tolist() == wanted()

    check()
    here = globals()
    monkeypatch.setitem(here, "FACTOR", 3.0)
    check()
    monkeypatch.setitem(TABLE, "scale", 5.0)
    check()
    monkeypatch.setitem(here, "WEIGHT", one(4.0))
    check()
    monkeypatch.setitem(here, "doubled", lambda x: x * 10)
    check()
    around = 7.0
    check()
    settings.scale = 11.0
    check()
    listed.append(3.0)
    check()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        count = len(function.program_cache)
        check()
    assert len(function.program_cache) == count


def doubled(x: Any) -> Any:
    return x * 2


def test_closures_of_one_code_are_told_apart() -> None:
    def scaled_by(k: Any) -> Any:
        def scale(x: Any) -> Any:
            return x * k[0]

        return scale

    first, second = [2.0], [3.0]
    scales = [scaled_by(first), scaled_by(second)]

    @jit.to_static
    def function(x: Any) -> Any:
        for scale in scales:
            x = scale(x)
        return x

    assert function(one()).tolist() == [6.0]
    second[0] = 10.0
    assert function(one()).tolist() == [20.0]


def test_objects_with_static_methods_and_objects_as_arguments() -> None:
    class Model:
        def __init__(self) -> None:
            self.scale, self.weight = 2.0, one(3.0)

        @jit.to_static
        def run(self, x: Any) -> Any:
            return x * self.scale * self.weight * Settings.step

    @jit.to_static
    def function(x: Any, settings: Any) -> Any:
        return x * settings.scale

    model, settings = Model(), Settings()
    assert model.run(one()).item() == 6.0
    model.scale = 5.0
    assert model.run(one()).item() == 15.0
    model.weight = one(1.0)
    assert model.run(one()).item() == 5.0
    assert function(one(), settings).item() == 2.0
    settings.scale = 4.0
    assert function(one(), settings).item() == 4.0


def test_the_usual_bookkeeping_makes_no_programs() -> None:
    class Kept(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.linear, self.mask = linear(1.0), None
            self.last: Any = None
            self.step, self.history = 0, list[int]()

        def forward(self, x: Any) -> Any:
            if self.mask is None:
                self.mask = tg.ones([1])
            self.last = self.linear(x) * self.mask
            return self.last

    net = jit.to_static(Kept())
    adam = tg.optimizer.Adam(parameters=net.parameters())
    for step in range(3):
        net.step, net.history = step, [*net.history, step]
        net(tg.ones([1, 1])).sum().backward()
        adam.step()
        adam.clear_grad()
    assert len(net.forward.program_cache) == 1


def deepest(x: Any) -> Any:
    return x * 2.0 if x.stop_gradient else x * 3.0


def test_whether_an_argument_wants_a_gradient_is_seen() -> None:
    @jit.to_static
    def function(x: Any, more: Any) -> Any:
        return deepest(x) + deepest(more["a"])

    for stops in ([True, True], [False, True], [True, False], [False, False]) * 2:
        x, more = (tg.to_tensor([1.0], stop_gradient=stop) for stop in stops)
        wanted = deepest(x) + deepest(more)
        found = function(x, {"a": more})
        assert (found.item(), found.stop_gradient) == (wanted.item(), all(stops))
        if not all(stops):
            found.backward()
        for tensor, stop in zip((x, more), stops, strict=True):
            assert (tensor.grad is None) == stop
    assert function.get_traced_count() == 4


def test_whether_ops_are_recorded_is_seen() -> None:
    @jit.to_static
    def function(x: Any) -> Any:
        return x * 2.0 if tg.is_grad_enabled() else x * 3.0

    x = tg.to_tensor([1.0], stop_gradient=False)
    for _ in range(2):
        y = function(x)
        assert (y.item(), y.stop_gradient) == (2.0, False)
        with tg.no_grad():
            y = function(x)
        assert (y.item(), y.stop_gradient) == (3.0, True)
    assert function.get_traced_count() == 2


def test_whether_ops_are_recorded_inside_a_block_is_seen() -> None:
    @jit.to_static
    def function(x: Any) -> Any:
        with tg.no_grad():
            inside = is_grad_enabled()
        return x * 2.0 if inside else x * 3.0

    x = tg.to_tensor([1.0], stop_gradient=False)
    function(x).backward()
    assert x.grad.item() == 3.0
