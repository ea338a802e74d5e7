"""Every network is one model four ways: op by op, by `to_static`, as a static program,
and saved and loaded again; results and gradients, in use and in training.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, nn, static
from teachgraph.core import unique_name
from teachgraph.planning.executor import Executor
from teachgraph.static.scope import Scope, scope_guard
from tests.jit.test_models import CASES, SEED, Case, close

MODES = {"in use": nn.Layer.eval, "in training": nn.Layer.train}

pytestmark = pytest.mark.usefixtures("in_double_precision")


def first_tensor(nest: Any) -> Any:
    """The result of a network that gives its state as well."""
    return first_tensor(nest[0]) if isinstance(nest, (list, tuple)) else nest


def arrays(case: Case) -> list[Any]:
    """A batch, in double precision."""
    floats = (a.astype("float64") if a.dtype.kind == "f" else a for a in case.inputs)
    return list(floats)


def run(net: nn.Layer, case: Case) -> tuple[Any, dict[str, Any], list[Any]]:
    """The results of a layer, the gradients of its parameters and of its inputs."""
    inputs = [tg.to_tensor(a, stop_gradient=a.dtype.kind != "f") for a in arrays(case)]
    tg.seed(SEED)
    output = first_tensor(net(*inputs))
    (output * output).mean().backward()
    named = {n: p.grad.numpy() for n, p in net.named_parameters() if p.grad is not None}
    return output.numpy(), named, [x.gradient() for x in inputs if not x.stop_gradient]


def run_static(case: Case, state: Any, mode: Any) -> tuple[Any, Any, Any]:
    """The same by a program that the layers build, with these parameters."""
    main, startup = static.Program(), static.Program()
    tg.enable_static()
    try:
        with static.program_guard(main, startup), unique_name.guard():
            given = arrays(case)
            inputs = [
                static.data(f"input_{i}", [None, *a.shape[1:]], a.dtype)
                for i, a in enumerate(given)
            ]
            for x in inputs:
                x.stop_gradient = x.dtype.kind != "f"
            net = case.build()
            mode(net)
            output = first_tensor(net(*inputs))
            named = dict(net.named_parameters())
            sources = [*named.values(), *(x for x in inputs if not x.stop_gradient)]
            found = static.gradients([(output * output).mean()], sources)
    finally:
        tg.disable_static()
    with scope_guard(Scope()) as scope:
        Executor().run(startup)
        variables = net.state_dict()
        for name, value in state.items():
            scope.values[variables[name].name] = value.copy()
        tg.seed(SEED)
        wanted = [v for v in found if v is not None]
        feed = {x.name: a for x, a in zip(inputs, given, strict=True)}
        values = iter(Executor().run(main, feed, [output, *wanted]))
        result = next(values)
        grads = [None if v is None else next(values) for v in found]
    by_name = dict(zip(named, grads, strict=False))
    ours = {name: grad for name, grad in by_name.items() if grad is not None}
    return result, ours, grads[len(named) :]


def wide(case: Case) -> list[Any]:
    """What the inputs are, in batches of any size."""
    return [static.InputSpec([None, *a.shape[1:]], a.dtype) for a in arrays(case)]


LONG = [
    ("resnet50", "in use"),
    ("resnet50", "in training"),
    ("resnet18", "in training"),
]


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        pytest.param(*pair, marks=[pytest.mark.full] if pair in LONG else [])
        for pair in product(CASES, MODES)
    ],
)
def test_one_model_four_ways(name: str, mode: str, tmp_path: Path) -> None:
    case, choose = CASES[name], MODES[mode]
    tg.seed(SEED)
    net = case.build()
    choose(net)
    state = {key: value.numpy() for key, value in net.state_dict().items()}
    jit.save(net, tmp_path / "model", wide(case))
    loaded = jit.load(tmp_path / "model")
    choose(loaded)
    ways = {"loaded": run(loaded, case), "static": run_static(case, state, choose)}
    tg.seed(SEED)
    other = jit.to_static(case.build())
    choose(other)
    ways["to_static"] = run(other, case)
    eager = run(net, case)
    for found in ways.values():
        for one, ours in zip(eager, found, strict=True):
            close(one, ours)
    if mode == "in use":
        more = [tg.to_tensor(np.concatenate([a, a[:1]])) for a in arrays(case)]
        close(*(first_tensor(way(*more)).numpy() for way in (net, loaded)))
