"""Large programs: how long building and compiling one takes, or how many calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import teachgraph as paddle
from teachgraph import static
from teachgraph.core import unique_name
from teachgraph.nn import functional as F

Grow = Callable[[Any], Any]


def chain(x: Any) -> Any:
    """Two operators, one after the other."""
    return F.relu(x * 0.5)


def fan_out(first: Any) -> Grow:
    """Each reads what the first made, which so gets many gradients."""
    return lambda x: F.relu(x + first)


def layers(x: Any) -> Any:
    """Each has parameters of its own."""
    return F.relu(static.nn.fc(x, 8))


def encoders(x: Any) -> Any:
    return paddle.nn.TransformerEncoderLayer(8, 2, 16, 0.0)(x)


KINDS: dict[str, Callable[[Any], Grow]] = {
    "chain": lambda _: chain,
    "fan-out": fan_out,
    "layers": lambda _: layers,
    "encoders": lambda _: encoders,
}


def built(kind: str, operators: int) -> tuple[static.Program, Any]:
    """A program of about so many operators, those that go back included, and its loss.

    Layers are trained: their updates count too.
    """
    trained = kind in ("layers", "encoders")
    main, startup = static.Program(), static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, startup), unique_name.guard():
            x = paddle.matmul(static.data("x", [None, 4, 8]), drawn_matrix())
            grow = KINDS[kind](x)
            while len(main.global_block().ops) < operators * (0.4 if trained else 0.5):
                x = grow(x)
            loss = x.mean()
            if trained:
                paddle.optimizer.SGD(0.1).minimize(loss)
            else:
                static.append_backward(loss)
    finally:
        paddle.disable_static()
    return main, loss


def drawn_matrix() -> Any:
    return paddle.create_parameter([8, 8], "float32")


def compiled(main: static.Program, loss: Any) -> str:
    """The program's code."""
    return static.Executor().compiled(main, [loss]).source
