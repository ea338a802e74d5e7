"""An 8-8-4 network, trained eagerly and as a program, with the core and nothing else.

Prints the losses as JSON. Run by `test_core_alone.py` where there is only the core.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from teachgraph.core import modes
from teachgraph.core.backward import append_backward
from teachgraph.core.build import append
from teachgraph.core.executor import Executor, Scope
from teachgraph.core.ops import (
    elementwise_add,
    fill_constant,
    mul,
    reduce_mean,
    relu,
    sgd,
    softmax_with_cross_entropy,
    uniform_random,
)
from teachgraph.core.program import (
    OpRole,
    Program,
    default_startup_program,
    program_guard,
)
from teachgraph.core.tensor import Tensor

STEPS, RATE = 20, 0.5
SIZES = {"w1": (8, 8), "b1": (8,), "w2": (8, 4), "b2": (4,)}
numbers = np.random.default_rng(0)
X = numbers.standard_normal((16, 8)).astype("float32")
Y = numbers.integers(0, 4, (16, 1))


class Uniform(NamedTuple):
    """First values that are drawn with a seed, the same ones in both modes."""

    seed: int

    def operation(self, shape: Any, dtype: Any) -> Any:
        return uniform_random, {"shape": list(shape), "seed": self.seed}


def loss_of(x: Any, y: Any, p: dict[str, Any]) -> Any:
    hidden = relu(elementwise_add(mul(x, p["w1"]), p["b1"]))
    logits = elementwise_add(mul(hidden, p["w2"]), p["b2"])
    return reduce_mean(softmax_with_cross_entropy(logits, y)[1])


def eager() -> list[float]:
    arrays = {
        name: uniform_random.kernel(shape=shape, seed=seed)
        for seed, (name, shape) in enumerate(SIZES.items(), 1)
    }
    parameters = {name: Tensor(array, False) for name, array in arrays.items()}
    x, y, rate = Tensor(X), Tensor(Y), Tensor(np.float32(RATE))
    losses = []
    for _ in range(STEPS):
        loss = loss_of(x, y, parameters)
        loss.backward()
        for parameter in parameters.values():
            with modes.no_grad():
                sgd(parameter, parameter.grad, rate)
            parameter.clear_gradient()
        losses.append(loss.numpy().item())
    return losses


def static() -> list[float]:
    main, startup = Program(), Program()
    with program_guard(main, startup):
        block = main.global_block()
        x = block.create_var("x", [-1, 8], "float32", is_data=True, stop_gradient=True)
        y = block.create_var("y", [-1, 1], "int64", is_data=True, stop_gradient=True)
        parameters = {
            name: modes.interpreter("static").create_parameter(
                name, shape, "float32", None, Uniform(seed)
            )
            for seed, (name, shape) in enumerate(SIZES.items(), 1)
        }
        loss = loss_of(x, y, parameters)
        rate = {"name": "rate", "shape": [], "persistable": True}
        start = default_startup_program().global_block()
        first = start.create_var(**rate)
        append(start, fill_constant, (), {"shape": [], "value": RATE}, [first])
        with main.with_role(OpRole.OPTIMIZE):
            for parameter, gradient in append_backward(loss):
                sgd(parameter, gradient, block.create_var(**rate))
    executor, scope = Executor(), Scope()
    executor.run(startup, {}, scope=scope)
    feed = {"x": X, "y": Y}
    return [
        executor.run(main, feed, [loss], scope=scope)[0].item() for _ in range(STEPS)
    ]


if __name__ == "__main__":
    print(json.dumps({"eager": eager(), "static": static()}))
