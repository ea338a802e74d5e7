"""The same network in both modes: what it gives, and one step of training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import teachgraph as tg
from teachgraph import nn, static
from teachgraph.core import modes
from tests.static.fresh import fresh

__all__ = ["Step", "agree", "eagerly", "statically"]

SEED, RATE = 7, 0.1

Build = Callable[[], nn.Layer]
Loss = Callable[..., Any]


class Step(NamedTuple):
    """What the network gives, its loss, and its state after one step of SGD."""

    output: np.ndarray[Any, Any]
    loss: float
    state: dict[str, np.ndarray[Any, Any]]


def eagerly(build: Build, loss: Loss, feed: Mapping[str, Any]) -> Step:
    """In dynamic mode; `loss(net, **inputs)` gives an output and its loss."""
    with modes.using(static=False):
        tg.seed(SEED)
        net = build()
        optimizer = tg.optimizer.SGD(RATE, parameters=net.parameters())
        inputs = {name: tg.to_tensor(value) for name, value in feed.items()}
        output, found = loss(net, **inputs)
        found.backward()
        optimizer.step()
        state = {name: v.numpy() for name, v in net.state_dict().items()}
        return Step(output.numpy(), found.item(), state)


def statically(build: Build, loss: Loss, feed: Mapping[str, Any]) -> Step:
    """As a Program for batches of any size."""
    with fresh() as programs:
        net = build()
        inputs = {
            name: static.data(name, [-1, *value.shape[1:]], str(value.dtype))
            for name, value in feed.items()
        }
        output, found = loss(net, **inputs)
        tg.optimizer.SGD(RATE).minimize(found)
        executor = static.Executor()
        tg.seed(SEED)
        executor.run(programs.startup)
        told = executor.run(programs.main, dict(feed), [output, found])
        named = net.state_dict()
        state = {name: programs.scope.values[v.name] for name, v in named.items()}
        return Step(told[0], told[1].item(), state)


def agree(build: Build, loss: Loss, feed: Mapping[str, Any]) -> None:
    """Both modes start from the same parameters, give the same and learn the same."""
    one, other = eagerly(build, loss, feed), statically(build, loss, feed)
    np.testing.assert_allclose(one.output, other.output, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(one.loss, other.loss, rtol=1e-5)
    assert one.state.keys() == other.state.keys()
    for name, value in one.state.items():
        np.testing.assert_allclose(
            value, other.state[name], rtol=1e-5, atol=1e-6, err_msg=name
        )
